// The instruction tables of the families that loop over lanes, each defined in the file of that name.
#pragma once

#include <span>
#include <vector>

#include "isa/instruction.hpp"

namespace emu::inline OPUS_EMU_LEVEL {

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

// All of them.
std::vector<std::span<const instruction_row>> vector_families();

}  // namespace emu::inline OPUS_EMU_LEVEL
