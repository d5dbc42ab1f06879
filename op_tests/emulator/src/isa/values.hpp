// What a register or a byte of memory holds, as text for reports.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace emu {

struct instruction;
struct wave;

// "0x3f800000 (1 as f32)"; of more than a dword "0x00000001 0x00000002 ...", dword by dword.
std::string value_text(std::span<const std::byte> bytes);
std::string value_text(uint32_t dword);

// Of a register in the numbering of registers.hpp.
std::string register_value(const wave& w, uint32_t reg, int lane);

// What the lane stores with an access of `bytes` bytes, as ", writing 0x3f800000 (1 as f32)"; empty
// for what is no store. Of the two stores of a ds_write2 the one whose address it is.
std::string written_value(const wave& w, const instruction& i, int lane, uint64_t address,
                          int bytes);

}  // namespace emu
