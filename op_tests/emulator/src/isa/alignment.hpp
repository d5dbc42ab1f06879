// Addresses whose low bits the hardware drops, unaligned atomics, and LDS instructions that are not
// at a multiple of their size. What an instruction drops is in the file of its family, in isa/.
#pragma once

#include <bit>
#include <cstdint>

#include "isa/instruction.hpp"
#include "machine/observer.hpp"
#include "machine/report.hpp"

namespace emu {

// The access goes on without the low bits, or where it is.
void report_alignment(const wave& w, const instruction& i, int lane, uint64_t address,
                      uint64_t alignment, uint32_t check = check::alignment);

// Atomics are at multiples of their size. That the others are too is a check of its own: hardware
// does not need it where the driver has chosen unaligned LDS access, and compilers count on that.
// Loads to LDS and transposed reads have rules of their own.
inline void check_lds_alignment(const wave& w, const instruction& i, int lane, uint64_t address,
                                int bytes, lds_use use) {
    const uint64_t alignment = std::bit_ceil(static_cast<uint64_t>(bytes));
    const bool has_own_rule = i.queue == memory_queue::vector || i.crosses_lanes;
    const uint32_t wanted = use == lds_use::atomic ? check::alignment
                            : has_own_rule         ? check::none
                                                   : check::lds_alignment;
    if ((w.checks & wanted) != 0 && address % alignment != 0) [[unlikely]] {
        report_alignment(w, i, lane, address, alignment, wanted);
    }
}

// Loads to LDS write dwords: bits 1:0 of M0 are dropped (ISA guide 10.3).
void check_lds_base(const wave& w, const instruction& i);

}  // namespace emu
