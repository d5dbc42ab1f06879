// Which elements of a matrix a register holds, for the instruction that uses it: A[row][k],
// B[k][column], C[row][column] and D[row][column]. The layouts are those of the ISA guide's chapter 7
// (7.1.4.1 and 7.1.4.2, for f8f6f4 7.1.5 and 7.2).
#pragma once

#include <cstdint>
#include <string>

#include "isa/registers.hpp"

namespace emu {

struct instruction;

// What register `reg` (in the numbering of registers.hpp) holds of the operands that the instruction
// reads, or writes, in that lane: "A[3][8..9]", "block 2: C[0][1]", with " and " between two operands.
// Empty where it is no matrix instruction or has none there.
std::string matrix_elements(const instruction& i, uint32_t reg, int lane, bool is_write);

// The same for all lanes, behind a colon: ": A[0][2..3] in lane 0 to A[15][14..15] in lane 63".
std::string matrix_elements_of_lanes(const instruction& i, uint32_t reg, bool is_write);

// ", which is A[3][8..9]", or nothing.
std::string which_matrix_element(const instruction& i, uint32_t reg, int lane, bool is_write);

}  // namespace emu
