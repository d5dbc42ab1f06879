// Which registers an instruction reads and writes, and which memory counter it occupies: what the
// checks of wave state need to know, taken from the operands once when an instruction is decoded.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "machine/outstanding.hpp"

namespace emu {

struct instruction;
struct wave;

// All registers of a wave in one numbering: v, a, then s by its operand encoding (with vcc, m0...).
constexpr uint32_t first_agpr = 512;
constexpr uint32_t first_sgpr = 1024;
constexpr uint32_t register_count = 1152;

struct register_range {
    uint32_t first = 0;
    uint32_t count = 0;
    bool overlaps(const register_range& other) const {
        return first < other.first + other.count && other.first < first + count;
    }
};

// v5, a[0:3], s[2:3], vcc
std::string register_name(const register_range& range);

// What is added to the number of a register when the instruction is executed (ISA guide 6.6).
enum class register_index : uint8_t {
    none,
    src0,  // M0[7:0] under VGPR indexing, if M0[12] is set; the next three by M0[13] to M0[15]
    src1,
    src2,
    dst,
    m0,  // s_movrel*
};

struct register_use {
    uint16_t first = 0;
    uint8_t count = 0;
    bool is_write = false;
    register_index index = register_index::none;
};

// The registers that `use` means when `w` executes it.
register_range resolve(const wave& w, const register_use& use);

// A set of registers.
class register_bits {
public:
    void clear() { words_ = {}; }
    void add(const register_range& range);
    // @pre range.count <= 64
    bool any(const register_range& range) const {
        const uint32_t word = range.first / 64;
        const uint32_t shift = range.first % 64;
        const uint64_t low = words_[word] >> shift;
        const uint64_t high = words_[word + 1] << 1 << (63 - shift);
        return ((low | high) & (~uint64_t{0} >> (64 - range.count))) != 0;
    }

private:
    std::array<uint64_t, register_count / 64 + 2> words_{};
};

// Whether all that the instruction does where EXEC is 0 is to write scalar registers. One of memory
// is still counted by vmcnt or lgkmcnt.
bool needs_lanes(const instruction& i);

// Fills uses and crosses_lanes, and completes access, from the row, the operands and the modifiers.
void plan_registers(instruction& i);

}  // namespace emu
