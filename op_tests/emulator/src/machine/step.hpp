// One instruction of one wave: what happens before it is executed, and its execution.
#pragma once

#include "isa/instruction.hpp"
#include "machine/settings.hpp"

namespace emu {

// Checks the registers that the instruction uses, and puts a memory instruction on its queue.
void before_execution(wave& w, const instruction& i);

// What VGPR indexing adds to a destination.
inline uint32_t destination_index(const wave& w) {
    constexpr uint32_t gpr_idx_en = 1u << 27;
    constexpr uint32_t dst_en = 1u << 15;
    const uint32_t m0 = w.sgpr[sreg::m0];
    return (w.mode & gpr_idx_en) != 0 && (m0 & dst_en) != 0 ? m0 & 0xff : 0;
}

inline void step(wave& w, const instruction& i) {
    w.pc += i.size;
    if ((w.checks & check::hazards) != 0) {
        if (w.hazards.concerns(i.hazards.group)) [[unlikely]] {
            check_hazards(w, i);
        }
        w.hazards.pass(i, i.hazards, [&] { return destination_index(w); });
    }
    if (i.queue != memory_queue::none || w.memory.has_results() || w.is_special) [[unlikely]] {
        before_execution(w, i);
        if (unusual_arithmetic(w) != 0) {
            execute_in_mode(w, i);
            return;
        }
    }
    i.execute(w, i);
}

}  // namespace emu
