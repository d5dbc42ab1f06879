// The variables that DWARF places at an instruction, with their values in the lanes of a wave.
//
// Locations are DWARF expressions, which LLVM reads; here they are computed, lane by lane. clang 22
// gives a local variable of a kernel as the value of a vector register or as a constant, wrapped in
// an address space that it does not have ("DW_OP_bregx VGPR0+0, DW_OP_lit1, DW_OP_swap,
// DW_OP_xderef"), or as memory of the lane by DW_OP_fbreg. What is none of these is named without a
// value.
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace emu {

class debug_info;
struct wave;

// A line for each, and behind it lines by lane where the lanes of EXEC do not agree; the function
// itself last, functions that are inlined there first. Empty if nothing is known.
std::string variables_at(const debug_info& info, const wave& w, uint64_t pc);

// Sixty-four values, of the lanes in `lanes`, as text: " 5" if they all agree, else lines of 8 lanes
// each, which begin with `indent`.
std::string by_lane(const std::array<std::string, 64>& values, uint64_t lanes,
                    const std::string& indent);

}  // namespace emu
