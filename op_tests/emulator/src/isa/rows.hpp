// The instruction tables of the scalar families, each defined in the file of that name.
#pragma once

#include <span>

#include "isa/instruction.hpp"

namespace emu {

std::span<const instruction_row> salu_rows();
std::span<const instruction_row> smem_rows();

}  // namespace emu
