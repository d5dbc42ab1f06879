// The scales of a scaled matrix instruction (ISA guide 7.2.1).
//
// A scale may also be a scalar register or a constant: of that the hardware takes bits 30:23, the
// exponent of an f32, for all lanes (LLVM's pull request 158117). The guide describes it for inline
// constants that are floats; other ones LLVM calls invalid. Clang before 22 generated them, and meant
// the byte that OP_SEL picks, as in a vector register.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "isa/instruction.hpp"

namespace emu {

// Number 0 is that of A, 1 that of B.
const operand& scale_operand(const instruction& i, int number);

bool is_scalar_scale(const operand& scale);

// The byte of a vector register that OP_SEL picks.
uint32_t scale_byte(const instruction& i, int number);

// What the hardware reads.
constexpr uint32_t exponent_of_scale(uint32_t value) {
    return value >> 23 & 0xff;
}

// Whether that is what the byte has, or a float that was written as a scale.
bool is_read_as_meant(const instruction& i, int number, uint32_t value);

// Where it is not; without the value of a scalar register if that is not known.
std::string scale_message(const instruction& i, int number, std::optional<uint32_t> value);

}  // namespace emu
