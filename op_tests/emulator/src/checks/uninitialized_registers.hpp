// Registers that are read before anything is written there.
#pragma once

#include <cstddef>

#include "isa/instruction.hpp"

namespace emu {

// The registers that hold something when a wave starts: s0 to the last SGPR that is loaded, the
// scratch address, EXEC, the work-item id.
void mark_initialized(wave& w, size_t sgprs);

// Reports a register that the instruction reads and nobody wrote.
void check_initialized(const wave& w, const instruction& i);

// The instruction writes its destinations.
void note_written(wave& w, const instruction& i);

}  // namespace emu
