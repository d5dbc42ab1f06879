// Matrix instructions without their products, for groups of which only the memory that they touch is
// wanted (OPUS_EMU_TIMELINE_ONLY).
#pragma once

#include <cstddef>
#include <cstdint>

#include "isa/instruction.hpp"

namespace emu {
namespace impl {

inline lane_row& row(wave& w, const operand& o, uint32_t n) {
    return (o.kind == operand_kind::agpr ? w.agpr : w.vgpr)[o.reg + n];
}

inline bool is_vector(const operand& o) {
    return o.kind == operand_kind::vgpr || o.kind == operand_kind::agpr;
}

inline bool has_registers(const wave& w, const operand& o) {
    return o.reg + o.dwords <= (o.kind == operand_kind::agpr ? w.agpr : w.vgpr).size();
}

}  // namespace impl

// Whether leave_out_product() can stand for the instruction.
inline bool is_product(const instruction& i) {
    return i.matrix != nullptr && i.problem.empty();
}

// Whether D is where C is, so that nothing changes.
// @pre is_product(i)
inline bool leaves_all_in_place(const instruction& i) {
    const operand& to = i.operands[0];
    const operand& from = i.operands[3];
    return impl::is_vector(to) && to.kind == from.kind && to.reg == from.reg &&
           to.dwords == from.dwords;
}

// D = C, as if A or B were zero.
// @pre is_product(i)
inline void leave_out_product(wave& w, const instruction& i) {
    using impl::has_registers;
    using impl::is_vector;
    using impl::row;
    constexpr size_t c = 3;
    const operand& to = i.operands[0];
    const operand& from = i.operands[c];
    const bool is_usual = is_vector(to) && has_registers(w, to) &&
                          (from.kind == operand_kind::constant ||
                           (is_vector(from) && has_registers(w, from) && from.dwords == to.dwords));
    if (!is_usual) {
        i.execute(w, i);
        return;
    }
    if (from.kind == operand_kind::constant) {
        const bool is_f64 = i.matrix->is_f64();
        const uint64_t value = is_f64 ? from.value64 : from.value32;
        for (uint32_t n = 0; n < to.dwords; ++n) {
            const bool is_high = is_f64 && n % 2 == 1;
            row(w, to, n).lane.fill(static_cast<uint32_t>(is_high ? value >> 32 : value));
        }
        return;
    }
    if (to.kind == from.kind && to.reg == from.reg) {
        return;
    }
    // They may overlap.
    const auto copy = [&](uint32_t n) { row(w, to, n) = row(w, from, n); };
    for (uint32_t n = 0; n < to.dwords; ++n) {
        copy(to.reg < from.reg ? n : to.dwords - 1 - n);
    }
}

}  // namespace emu
