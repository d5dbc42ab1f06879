// Which registers an instruction reads and writes, and which memory counter it occupies: what the
// checks of wave state need to know, taken from the operands once when an instruction is decoded.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>

#include "machine/wave.hpp"

namespace emu {

struct instruction;

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
register_range resolve_index(const wave& w, const register_use& use);
inline register_range resolve(const wave& w, const register_use& use) {
    return use.index == register_index::none ? register_range{use.first, use.count}
                                             : resolve_index(w, use);
}

// Registers in two words. Sets that have no common bit in one of them have no common register; that
// others have none is rare.
struct register_bins {
    uint64_t high = 0;  // vector registers have a bit for eight, the others share bits with them
    uint64_t low = 0;   // register n has bit n % 64

    bool may_overlap(const register_bins& other) const {
        return (high & other.high) != 0 && (low & other.low) != 0;
    }
    void add(const register_bins& other) {
        high |= other.high;
        low |= other.low;
    }
};
constexpr register_bins all_bins{~uint64_t{0}, ~uint64_t{0}};
// Of registers of one file.
// @pre count > 0
constexpr register_bins bins_of(uint32_t first, uint32_t count) {
    const auto bits = [](uint32_t begin, uint32_t n) {
        return std::rotl(~uint64_t{0} >> (64 - std::min<uint32_t>(n, 64)),
                         static_cast<int>(begin % 64));
    };
    const uint32_t eight = first / 8;
    return {bits(eight < first_agpr / 8 ? eight : eight - 32, (first + count - 1) / 8 - eight + 1),
            bits(first, count)};
}

// Whether all that the instruction does where EXEC is 0 is to write scalar registers. One of memory
// is still counted by vmcnt or lgkmcnt.
bool needs_lanes(const instruction& i);

// Whether it may write EXEC.
bool writes_exec(const instruction& i);

// Fills uses, bins and crosses_lanes, and completes access, from the row, the operands and the modifiers.
void plan_registers(instruction& i);

}  // namespace emu
