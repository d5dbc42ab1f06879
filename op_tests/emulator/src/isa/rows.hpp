// The instruction tables of the families, each defined in the file of that name.
#pragma once

#include <span>

#include "isa/instruction.hpp"

namespace emu {

std::span<const instruction_row> salu_rows();
std::span<const instruction_row> smem_rows();
std::span<const instruction_row> vop_int_rows();
std::span<const instruction_row> vop_float_rows();
std::span<const instruction_row> vop_convert_rows();
std::span<const instruction_row> vop_scaled_rows();
std::span<const instruction_row> vop_compare_rows();
std::span<const instruction_row> vop_lane_rows();
std::span<const instruction_row> vop_packed_rows();
std::span<const instruction_row> mfma_rows();
std::span<const instruction_row> lds_rows();
std::span<const instruction_row> buffer_rows();
std::span<const instruction_row> global_rows();

}  // namespace emu
