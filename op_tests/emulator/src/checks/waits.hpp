// Registers that are used before the wave has waited for the load that writes them. Bytes of LDS are
// in lds_shadow.hpp; what is pending is in outstanding.hpp.
#pragma once

#include "isa/instruction.hpp"

namespace emu {

// Reports a register of a load that the wave has not waited for.
void check_waits(const wave& w, const instruction& i);

}  // namespace emu
