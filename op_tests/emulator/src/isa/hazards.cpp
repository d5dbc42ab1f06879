#include "isa/hazards.hpp"

#include <algorithm>
#include <bit>
#include <string>

#include "isa/hazard_rows.hpp"
#include "isa/instruction.hpp"

namespace emu {
namespace {

// Sources: tables 11 and 38 of the CDNA4 ISA guide, their counterparts in the CDNA3 guide for
// gfx942, and how many states clang 22 puts between such a pair. Where guide and clang differ the
// larger number counts and the row names both (of loads that overwrite the result of a matrix or dot
// product instruction only clang knows), but for this, which code that clang has compiled has:
// - A vector instruction that overwrites the result of a matrix instruction of f64: clang puts 11 or
//   6, but none where the way is through a branch that is taken (seen in examples/gemm_skinny).
// And these:
// - A wide buffer store with an SGPR as offset: silicon wants 1, the guide has none.
// - v_addc's and v_cndmask's SGPR is a carry or mask, with 0 states in the guide (2 of clang).
// - DPP: src0 and the destination that it keeps. The guide says "reads that VGPR", and AMD's article
//   on cross-lane operations has a reduction that reads as src1 what the instruction before writes.
// - A load that overwrites data of a wide store (1 in the guide), and a matrix instruction that reads
//   a dot product (3): clang puts none.
// - A vector instruction that overwrites all of what SDWA or OPSEL has written (1 of clang): it does
//   not consume that, as the guide has it.
// Other pairs of these tables do not occur here: GDS, s_sendmsg, VSKIP, traps, v_smfmac are not
// emulated, and VCC has no other name than VCC on gfx9.
// What the tables give 0 states, and every pair that they do not have, the hardware keeps apart.
// clang-format off
using enum hazard_first;
using s = hazard_second;
using r = hazard_relation;
constexpr hazard_disagreement by_16_passes{20, true, "clang 22 accepts 19"};
constexpr hazard_disagreement by_another{0, false, "the guide has 0 for as many passes, LLVM's pull request 218363 wants those of a part, clang 22 puts none"};
constexpr hazard_disagreement by_f32_or_f64{0, false, "clang 22 puts none where the registers are the same"};
constexpr hazard_disagreement by_dot{0, false, "clang 22 puts none"};
constexpr hazard_disagreement by_silicon{0, false, "LLVM 197267, seen on an MI350X; clang 22 puts none"};
constexpr hazard_row rows[] = {
    {setreg,           s::getreg,          r::overlap,      2, 2, "s_getreg reads what s_setreg writes"},
    {setreg,           s::setreg,          r::overlap,      2, 2, "s_setreg writes what s_setreg writes"},
    {valu_writes_sgpr, s::vccz_constant,   r::overlap,      5, 5, "a vector instruction reads VCCZ after one that writes VCC"},
    {valu_writes_exec, s::execz_constant,  r::none,         5, 5, "a vector instruction reads EXECZ after one that writes EXEC"},
    {valu_writes_sgpr, s::lane_select,     r::overlap,      4, 4, "the number of a lane is what a vector instruction writes"},
    {valu_writes_sgpr, s::div_fmas,        r::overlap,      4, 4, "v_div_fmas reads the VCC that a vector instruction writes"},
    {wide_store,       s::valu_write,      r::overlap,      2, 2, "a vector instruction overwrites what a wide store writes to memory"},
    {wide_store,       s::mfma_write,      r::overlap,      2, 2, "a matrix instruction overwrites what a wide store writes to memory", {2, false, "the guide has 1, clang 22 puts 2"}},
    {wide_store_by_sgpr, s::valu_write,    r::overlap,      1, 1, "a vector instruction overwrites what a wide buffer store with a scalar offset writes to memory", by_silicon},
    {wide_store_by_sgpr, s::mfma_write,    r::overlap,      1, 1, "a matrix instruction overwrites what a wide buffer store with a scalar offset writes to memory", by_silicon},
    {valu_writes_sgpr, s::vmem_read_sgpr,  r::overlap,      5, 5, "a memory instruction reads the scalar register that a vector instruction writes"},
    {valu_writes_vgpr, s::dpp_source,      r::overlap,      2, 2, "DPP reads what a vector instruction writes"},
    {valu_writes_exec, s::dpp,             r::none,         5, 5, "DPP after a vector instruction that writes EXEC"},
    {salu_writes_m0,   s::lds_m0,          r::overlap,      1, 1, "M0 of an LDS instruction is what a scalar instruction writes"},
    {salu_writes_m0,   s::movrel,          r::overlap,      1, 1, "M0 of s_movrel is what a scalar instruction writes"},
    {valu_writes_sgpr, s::sgpr_constant,   r::overlap,      2, 2, "a vector instruction reads the scalar register that one writes"},
    {valu_writes_exec, s::exec_constant,   r::none,         2, 2, "a vector instruction reads the EXEC that one writes"},
    {valu_writes_exec, s::lane_access,     r::none,         4, 4, "a lane is accessed after a vector instruction that writes EXEC"},
    {valu_writes_vgpr, s::lane_source,     r::overlap,      1, 1, "a lane is read of what a vector instruction writes"},
    {shifted_writes,   s::valu_read,       r::overlap,      1, 1, "a vector instruction reads what SDWA or OPSEL writes into a part of a register"},
    {trans_writes,     s::non_trans_read,  r::overlap,      1, 1, "a vector instruction reads what a transcendental one writes"},
    {valu_writes_exec, s::permlane,        r::none,         0, 4, "v_permlane after a vector instruction that writes EXEC"},
    {valu_writes_vgpr, s::permlane_read,   r::overlap,      0, 2, "v_permlane reads what a vector instruction writes"},

    {valu_writes_vgpr, s::mfma_read,       r::overlap,      2, 2, "a matrix instruction reads what a vector instruction writes"},
    {valu_writes_exec, s::mfma,            r::none,         4, 4, "a matrix instruction after a vector instruction that writes EXEC"},
    {dot_writes,       s::dot_read_ab,     r::overlap,      3, 3, "a dot product reads as a factor what one writes"},
    {dot_writes,       s::dot_read_c,      r::other_opcode, 3, 3, "a dot product adds to what another kind of it writes"},
    {dot_writes,       s::non_dot_read,    r::overlap,      3, 3, "a vector instruction reads what a dot product writes"},
    {dot_writes,       s::memory_read,     r::overlap,      3, 3, "a memory instruction reads what a dot product writes"},
    {dot_writes,       s::dot_write,       r::other_opcode, 3, 3, "a dot product overwrites what another kind of it writes"},
    {dot_writes,       s::non_dot_write,   r::overlap,      3, 3, "a vector instruction overwrites what a dot product writes"},
    {dot_writes,       s::memory_write,    r::overlap,      3, 3, "a load overwrites what a dot product writes"},
    {dot_writes,       s::mfma_read,       r::overlap,      3, 3, "a matrix instruction reads what a dot product writes", by_dot},
    {dot_writes,       s::mfma_write,      r::overlap,      3, 3, "a matrix instruction overwrites what a dot product writes", by_dot},

    {xdl_writes,       s::xdl_read_c,      r::same,         {2, 0, 0, 0},   {2, 0, 0, 0},   "a matrix instruction adds to what one writes"},
    {xdl_writes,       s::xdl_read_c,      r::overlap_only, {3, 5, 9, 17},  {4, 6, 10, 18}, "a matrix instruction adds to a part of what one writes"},
    {xdl_writes,       s::xdl_read_c,      r::same_by_other, {3, 5, 9, 17}, {4, 6, 10, 18}, "a matrix instruction adds to what another kind of it writes", by_another},
    {xdl_writes,       s::gemm_read_c,     r::overlap,      {3, 5, 9, 17},  {3, 6, 10, 18}, "a matrix instruction of f32 or f64 adds to what one writes", by_f32_or_f64},
    {xdl_writes,       s::mfma_read_ab,    r::overlap,      {5, 7, 11, 19}, {5, 8, 12, 20}, "a matrix instruction reads as A, B or scale what one writes", by_16_passes},
    {xdl_writes,       s::valu_read,       r::overlap,      {5, 7, 11, 19}, {5, 8, 12, 20}, "a vector instruction reads what a matrix instruction writes", by_16_passes},
    {xdl_writes,       s::valu_write,      r::overlap,      {5, 7, 11, 19}, {5, 8, 12, 20}, "a vector instruction overwrites what a matrix instruction writes", by_16_passes},
    {xdl_writes,       s::memory_read,     r::overlap,      {5, 7, 11, 19}, {5, 8, 12, 20}, "a memory instruction reads what a matrix instruction writes", by_16_passes},
    {xdl_writes,       s::memory_write,    r::overlap,      {5, 7, 11, 19}, {5, 8, 12, 20}, "a load overwrites what a matrix instruction writes", by_16_passes},
    {xdl_reads_c,      s::valu_write,      r::overlap,      {1, 3, 7, 15},  {1, 3, 7, 15},  "a vector instruction overwrites C of a matrix instruction"},
    {xdl_reads_c,      s::memory_write,    r::overlap,      {1, 3, 7, 15},  {1, 3, 7, 15},  "a load overwrites C of a matrix instruction"},

    {sgemm_writes,     s::xdl_read_c,      r::same,         {2, 0, 0, 0},   {2, 0, 0, 0},   "a matrix instruction adds to what one of f32 writes"},
    {sgemm_writes,     s::gemm_read_c,     r::same,         {2, 0, 0, 0},   {2, 0, 0, 0},   "a matrix instruction of f32 or f64 adds to what one of f32 writes"},
    {sgemm_writes,     s::gemm_read_c,     r::same_by_other, {2, 4, 8, 16}, {2, 4, 8, 16},  "a matrix instruction of f32 or f64 adds to what another kind of f32 writes", by_another},
    {sgemm_writes,     s::gemm_read_c,     r::overlap_only, {2, 4, 8, 16},  {2, 4, 8, 16},  "a matrix instruction of f32 or f64 adds to a part of what one of f32 writes"},
    {sgemm_writes,     s::mfma_read_ab,    r::overlap,      {4, 6, 10, 18}, {4, 6, 10, 18}, "a matrix instruction reads as A, B or scale what one of f32 writes"},
    {sgemm_writes,     s::valu_read,       r::overlap,      {4, 6, 10, 18}, {4, 6, 10, 18}, "a vector instruction reads what a matrix instruction of f32 writes"},
    {sgemm_writes,     s::valu_write,      r::overlap,      {4, 6, 10, 18}, {4, 6, 10, 18}, "a vector instruction overwrites what a matrix instruction of f32 writes"},
    {sgemm_writes,     s::memory_read,     r::overlap,      {4, 6, 10, 18}, {4, 6, 10, 18}, "a memory instruction reads what a matrix instruction of f32 writes"},
    {sgemm_writes,     s::memory_write,    r::overlap,      {4, 6, 10, 18}, {4, 6, 10, 18}, "a load overwrites what a matrix instruction of f32 writes"},

    {dgemm_16x16_writes, s::gemm_read_c,   r::overlap_only, 9, 17,  "a matrix instruction of f32 or f64 adds to a part of what v_mfma_f64_16x16x4 writes"},
    {dgemm_16x16_writes, s::mfma_read_ab,  r::overlap,      11, 19, "a matrix instruction reads as A, B or scale what v_mfma_f64_16x16x4 writes"},
    {dgemm_16x16_writes, s::valu_read,     r::overlap,      11, 19, "a vector instruction reads what v_mfma_f64_16x16x4 writes"},
    {dgemm_16x16_writes, s::valu_write,    r::overlap,      11, 19, "a vector instruction overwrites what v_mfma_f64_16x16x4 writes", {19, true, "the guide has 19, clang 22 puts 11"}, true},
    {dgemm_16x16_writes, s::memory_read,   r::overlap,      18, 18, "a memory instruction reads what v_mfma_f64_16x16x4 writes"},
    {dgemm_16x16_writes, s::memory_write,  r::overlap,      11, 11, "a load overwrites what v_mfma_f64_16x16x4 writes"},
    {dgemm_4x4_writes, s::gemm_read_c,     r::overlap,      4, 4,   "a matrix instruction of f32 or f64 adds to what v_mfma_f64_4x4x4 writes"},
    {dgemm_4x4_writes, s::mfma_read_ab,    r::overlap,      6, 6,   "a matrix instruction reads as A, B or scale what v_mfma_f64_4x4x4 writes"},
    {dgemm_4x4_writes, s::valu_read,       r::overlap,      6, 6,   "a vector instruction reads what v_mfma_f64_4x4x4 writes"},
    {dgemm_4x4_writes, s::valu_write,      r::overlap,      6, 6,   "a vector instruction overwrites what v_mfma_f64_4x4x4 writes", {}, true},
    {dgemm_4x4_writes, s::memory_read,     r::overlap,      9, 9,   "a memory instruction reads what v_mfma_f64_4x4x4 writes"},
    {dgemm_4x4_writes, s::memory_write,    r::overlap,      6, 6,   "a load overwrites what v_mfma_f64_4x4x4 writes"},
};
// clang-format on

static_assert(std::ranges::all_of(rows, [](const hazard_row& row) {
    return std::ranges::max(row.gfx942.by_passes) <= most_wait_states &&
           std::ranges::max(row.gfx950.by_passes) <= most_wait_states;
}));

// The groups that have instructions of this kind, as bits.
constexpr uint32_t groups_of(hazard_second kind) {
    const auto group = [](hazard_group g) { return 1u << static_cast<uint32_t>(g); };
    const uint32_t special = group(hazard_group::valu_special);
    switch (kind) {
        case s::valu_read:
        case s::non_trans_read:
        case s::valu_write:
        case s::non_dot_read:
        case s::non_dot_write:
        case s::dot_read_ab:
        case s::dot_read_c:
        case s::dot_write:
            return group(hazard_group::valu) | group(hazard_group::valu_scalar) | special;
        case s::sgpr_constant:
            return group(hazard_group::valu_scalar) | special | group(hazard_group::mfma);
        case s::mfma_read:
        case s::mfma:
        case s::mfma_read_ab:
        case s::xdl_read_c:
        case s::gemm_read_c:
        case s::mfma_write:
            return group(hazard_group::mfma);
        case s::memory_read:
        case s::memory_write:
        case s::lds_m0:
            return group(hazard_group::vmem) | group(hazard_group::lds);
        case s::vmem_read_sgpr:
            return group(hazard_group::vmem);
        case s::movrel:
        case s::getreg:
        case s::setreg:
            return group(hazard_group::scalar);
        default:
            return special;
    }
}

// ---- what an instruction is ----

// The result is not the whole register, counted from its bit 0.
bool is_shifted(const instruction& i) {
    if (i.has(mod::sdwa)) {
        return i.dst_sel != sdwa_select::dword;
    }
    if (i.is(kind::shifted)) {
        return true;
    }
    // VOP3's OP_SEL is in bits 14:11, the destination's half in the last one; conversions to 8 bits
    // name a byte by the last two.
    const bool is_vop3 = (i.encoding[0] >> 26) == 0x34 && (i.encoding[0] >> 16 & 0x3ff) < 0x380;
    const uint32_t destination = i.is(kind::converts) ? 0x6000 : 0x4000;
    return i.has(mod::op_sel) && is_vop3 && (i.encoding[0] & destination) != 0;
}

// Whether it stores more than 64 bits of a lane.
bool is_wide_store(const instruction& i) {
    return is_vector_memory(i.access.kind) && i.access.use != access_use::read &&
           i.operands[i.access.data].dwords > 2;
}

bool overlaps(const hazard_use& a, uint32_t first, uint32_t count) {
    return a.first < first + count && first < a.first + uint32_t{a.count};
}

// ---- decoding ----

class planner {
public:
    explicit planner(instruction& i) : i_(i), plan_(i.hazards) {}

    void plan() {
        if (i_.control == wave_control::nop) {
            plan_.states = static_cast<uint8_t>((i_.simm16() & 0xf) + 1);
        } else if (i_.matrix != nullptr) {
            matrix(*i_.matrix);
        } else if (i_.is_vector()) {
            vector();
        } else if (i_.queue == memory_queue::vector || i_.queue == memory_queue::flat ||
                   i_.queue == memory_queue::lds) {
            memory();
        } else if (i_.queue == memory_queue::none) {
            scalar();
        }
        plan_reach();
    }

private:
    static hazard_use use_of(const register_use& use, uint64_t kinds) {
        return {use.first, use.count, kinds, use.index};
    }
    static hazard_use use_of(const operand& o, uint64_t kinds) {
        return {static_cast<uint16_t>(first_register(o)), o.dwords, kinds, register_index::none};
    }
    static bool is_register(const operand& o) { return first_register(o) != no_register; }
    static bool is_scalar(const register_use& use) { return use.first >= first_sgpr; }

    void add(std::vector<hazard_use>& to, const hazard_use& use) {
        if (use.kinds != 0) {
            to.push_back(use);
        }
    }
    void second_without_registers(uint64_t kinds) { add(plan_.seconds, {0, 0, kinds}); }

    void matrix(const matrix_row& row) {
        constexpr size_t c = 3;
        const bool is_xdl = row.is_xdl();
        plan_.group = hazard_group::mfma;
        plan_.passes = row.passes(i_.target, has_8_bits(i_));
        const hazard_first writes = is_xdl              ? xdl_writes
                                    : !row.is_f64()     ? sgemm_writes
                                    : row.shape.m == 16 ? dgemm_16x16_writes
                                                        : dgemm_4x4_writes;
        add(plan_.firsts, use_of(i_.operands[0], bit(writes)));
        add(plan_.seconds, use_of(i_.operands[0], bit(s::mfma_write)));
        second_without_registers(bit(s::mfma));
        for (size_t n = 1; n < i_.operand_count; ++n) {
            if (!is_register(i_.operands[n])) {
                continue;
            }
            if (i_.operands[n].kind == operand_kind::sgpr) {  // a scale
                add(plan_.seconds, use_of(i_.operands[n], bit(s::sgpr_constant)));
                continue;
            }
            const hazard_second read = n != c   ? s::mfma_read_ab
                                       : is_xdl ? s::xdl_read_c
                                                : s::gemm_read_c;
            add(plan_.seconds, use_of(i_.operands[n], bit(read) | bit(s::mfma_read)));
            if (n == c && is_xdl) {
                add(plan_.firsts, use_of(i_.operands[n], bit(xdl_reads_c)));
            }
        }
    }

    void vector() {
        plan_.group = hazard_group::valu;
        const bool is_trans = i_.is(kind::trans);
        const bool is_dot = i_.is(kind::dot);
        const bool is_permlane = i_.is(kind::permlane);
        const uint64_t reads = bit(s::valu_read) | (is_trans ? 0 : bit(s::non_trans_read));
        size_t destinations = 0;
        for (const register_use& use : i_.uses) {
            destinations += use.is_write ? 1 : 0;
            if (is_scalar(use)) {
                if (use.is_write) {
                    add(plan_.firsts, use_of(use, bit(valu_writes_sgpr)));
                }
                continue;
            }
            if (use.is_write) {
                const uint64_t first = is_dot ? bit(dot_writes) : bit(valu_writes_vgpr);
                add(plan_.firsts, use_of(use, first | (is_trans ? bit(trans_writes) : 0) |
                                                  (is_shifted(i_) ? bit(shifted_writes) : 0)));
                add(plan_.seconds,
                    use_of(use, bit(s::valu_write) | bit(is_dot ? s::dot_write : s::non_dot_write) |
                                    (keeps_a_part(i_) ? reads : 0)));
                continue;
            }
            add(plan_.seconds, use_of(use, reads | (is_dot ? 0 : bit(s::non_dot_read)) |
                                               (is_permlane ? bit(s::permlane_read) : 0)));
        }
        if (is_dot) {
            dot_reads(destinations);
        }
        writes_of_exec();
        scalar_reads(destinations);
        lanes(is_permlane);
    }

    // C is the last source; or what v_dot2c and its like write, for which a write wants as much.
    void dot_reads(size_t destinations) {
        const bool is_accumulating = i_.operand_count == destinations + 2;
        for (size_t n = destinations; n < i_.operand_count; ++n) {
            if (is_register(i_.operands[n]) && i_.operands[n].kind != operand_kind::sgpr) {
                const bool is_c = !is_accumulating && n == destinations + 2;
                add(plan_.seconds,
                    use_of(i_.operands[n], bit(is_c ? s::dot_read_c : s::dot_read_ab)));
            }
        }
    }

    void writes_of_exec() {
        const auto writes_exec = [](const hazard_use& use) {
            return (use.kinds & bit(valu_writes_sgpr)) != 0 &&
                   overlaps(use, first_sgpr + sreg::exec, 2);
        };
        if (i_.is(kind::writes_exec) || std::ranges::any_of(plan_.firsts, writes_exec)) {
            add(plan_.firsts, {0, 0, bit(valu_writes_exec)});
        }
    }

    // Operand number of a carry or a mask; 0 if there is none.
    size_t carry_operand() const { return i_.is(kind::carry) ? i_.operand_count - 1 : 0; }

    void special(const hazard_use& use) {
        plan_.group = hazard_group::valu_special;
        add(plan_.seconds, use);
    }

    void scalar_reads(size_t destinations) {
        const bool selects_lane = i_.is(kind::lane);
        for (size_t n = destinations; n < i_.operand_count; ++n) {
            const operand& o = i_.operands[n];
            if (o.kind == operand_kind::vccz) {
                special({first_sgpr + sreg::vcc, 2, bit(s::vccz_constant)});
            } else if (o.kind == operand_kind::execz) {
                special({0, 0, bit(s::execz_constant)});
            }
            if (o.kind != operand_kind::sgpr || n == carry_operand()) {
                continue;
            }
            if (selects_lane && n == 2) {
                special(use_of(o, bit(s::lane_select)));
                continue;
            }
            const hazard_use use = use_of(o, bit(s::sgpr_constant));
            if (plan_.group == hazard_group::valu) {
                plan_.group = hazard_group::valu_scalar;
            }
            add(plan_.seconds, use);
            if (overlaps(use, first_sgpr + sreg::exec, 2)) {
                special({0, 0, bit(s::exec_constant)});
            }
        }
    }

    void lanes(bool is_permlane) {
        if (i_.is(kind::div_fmas)) {
            special({first_sgpr + sreg::vcc, 2, bit(s::div_fmas)});
        }
        if (i_.has(mod::dpp)) {
            special({0, 0, bit(s::dpp)});
            const bool keeps = !i_.bound_ctrl || i_.row_mask != 0xf || i_.bank_mask != 0xf;
            if (keeps && i_.operands[0].kind == operand_kind::vgpr) {
                special(use_of(i_.operands[0], bit(s::dpp_source)));
            }
            // src0 is the first vector register behind the destination; v_nop has neither.
            for (size_t n = 1; n < i_.operand_count; ++n) {
                const operand& o = i_.operands[n];
                if (is_register(o) && o.kind != operand_kind::sgpr) {
                    special(use_of(o, bit(s::dpp_source)));
                    break;
                }
            }
        }
        if (is_permlane) {
            special({0, 0, bit(s::permlane)});
        }
        if (i_.is(kind::lane)) {
            special({0, 0, bit(s::lane_access)});
            const bool reads_lane = !i_.is(kind::keeps_part);  // v_writelane does
            if (reads_lane && is_register(i_.operands[1])) {
                special(use_of(i_.operands[1], bit(s::lane_source)));
            }
        }
    }

    void memory() {
        const bool is_lds = i_.queue == memory_queue::lds;
        plan_.group = is_lds ? hazard_group::lds : hazard_group::vmem;
        const bool uses_m0 = i_.access.to_lds || i_.access.lds == lds_address::lane;
        for (const register_use& use : i_.uses) {
            if (use.is_write) {
                add(plan_.seconds, use_of(use, bit(s::memory_write)));
                continue;
            }
            const bool is_m0 = use.first == first_sgpr + sreg::m0 && uses_m0;
            const uint64_t kinds = !is_scalar(use) ? bit(s::memory_read)
                                                   : (is_lds ? 0 : bit(s::vmem_read_sgpr)) |
                                                         (is_m0 ? bit(s::lds_m0) : 0);
            add(plan_.seconds, use_of(use, kinds));
        }
        if (is_wide_store(i_)) {
            constexpr size_t soffset = 3;
            const bool has_sgpr = i_.access.kind == address_kind::buffer &&
                                  i_.operands[soffset].kind == operand_kind::sgpr;
            add(plan_.firsts, use_of(i_.operands[i_.access.data],
                                     bit(has_sgpr ? wide_store_by_sgpr : wide_store)));
        }
    }

    void scalar() {
        const bool is_setreg = i_.is(kind::setreg);
        if (is_setreg || i_.is(kind::getreg)) {
            const auto id = static_cast<uint16_t>(register_count + (i_.simm16() & 0x3f));
            plan_.group = hazard_group::scalar;
            add(plan_.seconds, {id, 1, bit(is_setreg ? s::setreg : s::getreg)});
            if (is_setreg) {
                add(plan_.firsts, {id, 1, bit(setreg)});
            }
        }
        constexpr uint16_t m0 = first_sgpr + sreg::m0;
        if (i_.is(kind::movrels | kind::movreld)) {
            plan_.group = hazard_group::scalar;
            add(plan_.seconds, {m0, 1, bit(s::movrel)});
        }
        for (const register_use& use : i_.uses) {
            if (use.is_write && use.first == m0) {
                add(plan_.firsts, {m0, 1, bit(salu_writes_m0)});
            }
        }
    }

    void plan_reach() {
        uint64_t firsts = 0;
        for (const hazard_use& use : plan_.firsts) {
            firsts |= use.kinds;
            plan_.first_bins.add(use.count == 0 ? all_bins : bins_of(use.first, use.count));
        }
        for (const hazard_use& use : plan_.seconds) {
            plan_.second_kinds |= use.kinds;
            plan_.second_bins.add(bins_of(use.first, std::max<uint32_t>(use.count, 1)));
        }
        for (const hazard_row& row : rows) {
            if ((firsts & bit(row.first)) == 0) {
                continue;
            }
            const uint8_t states = states_of(row, i_);
            if (states == 0) {
                continue;
            }
            plan_.rows.push_back(&row);
            plan_.concerned |= bit(row.second);
            for (hazard_use& use : plan_.firsts) {
                use.concerned |= (use.kinds & bit(row.first)) != 0 ? bit(row.second) : 0;
            }
            for (uint32_t groups = groups_of(row.second); groups != 0; groups &= groups - 1) {
                const auto group = static_cast<size_t>(std::countr_zero(groups));
                plan_.reach[group] = std::max<uint8_t>(plan_.reach[group], states);
            }
        }
    }

    instruction& i_;
    hazard_plan& plan_;
};

}  // namespace

const hazard_row* broken_row(const hazard_operand& first, const hazard_operand& second,
                             uint32_t between, bool has_branched) {
    const bool is_same =
        first.range.first == second.range.first && first.range.count == second.range.count;
    const auto is_related = [&](hazard_relation wanted) {
        switch (wanted) {
            case r::same:
                return is_same;
            case r::overlap_only:
                return !is_same;
            case r::other_opcode:
                return first.i.mnemonic != second.i.mnemonic;
            case r::same_by_other:
                return is_same && (first.i.mnemonic != second.i.mnemonic ||
                                   first.i.hazards.passes != second.i.hazards.passes);
            case r::none:
            case r::overlap:
                break;
        }
        return true;
    };
    for (const hazard_row* row : first.i.hazards.rows) {
        if ((second.use.kinds & bit(row->second)) != 0 &&
            (first.use.kinds & bit(row->first)) != 0 && states_of(*row, first.i) > between &&
            !(row->is_straight && has_branched) && is_related(row->where)) {
            return row;
        }
    }
    return nullptr;
}

std::string hazard_message(const hazard_row& row, const hazard_operand& first,
                           const hazard_operand& second, uint32_t between) {
    const uint32_t begin = std::max(first.range.first, second.range.first);
    const uint32_t end =
        std::min(first.range.first + first.range.count, second.range.first + second.range.count);
    // Hardware registers, and rows without any, have no name.
    const std::string registers =
        begin >= end || begin >= register_count ? "" : register_name({begin, end - begin}) + ": ";
    const uint8_t states = states_of(row, first.i);
    const bool names_sources = *row.sources.text != 0 &&
                               (row.sources.states == 0 || states == row.sources.states) &&
                               (!row.sources.gfx950_only || first.i.target == gfx_target::gfx950);
    return "hazard: " + registers + row.what + ": " + std::to_string(states) +
           " wait states are needed between them, " + std::to_string(between) +
           (between == 1 ? " is" : " are") + " there" +
           (names_sources ? std::string("; ") + row.sources.text : "");
}

uint8_t states_of(const hazard_row& row, const instruction& first) {
    const hazard_states& by_target = first.target == gfx_target::gfx942 ? row.gfx942 : row.gfx950;
    return by_target.at(first.hazards.passes);
}

bool keeps_a_part(const instruction& i) {
    if (i.has(mod::sdwa)) {
        return i.dst_sel != sdwa_select::dword && i.dst_unused == sdwa_unused::preserve;
    }
    return is_shifted(i) || i.is(kind::keeps_part);
}

void plan_hazards(instruction& i) {
    planner(i).plan();
}

matrix_wait_states wait_states_behind(const instruction& i) {
    matrix_wait_states states;
    const auto keep = [&](uint8_t& most, const hazard_row& row) {
        most = std::max(most, states_of(row, i));
    };
    for (const hazard_row* row : i.hazards.rows) {
        if (row->first == xdl_reads_c) {
            keep(states.valu_overwrites_c, *row);
            continue;
        }
        const auto keep_use = [&](matrix_use use) {
            keep(states.by_use[static_cast<size_t>(use)], *row);
        };
        const auto keep_c = [&](matrix_use use) {
            if (row->where == r::same_by_other) {
                return;  // `same_c` is of one kind
            }
            if (row->where != hazard_relation::overlap_only) {
                keep(states.same_c[static_cast<size_t>(use)], *row);
            }
            if (row->where != hazard_relation::same) {
                keep_use(use);
            }
        };
        switch (row->second) {
            case s::xdl_read_c:
                keep_c(matrix_use::xdl_c);
                break;
            case s::gemm_read_c:
                keep_c(matrix_use::gemm_c);
                break;
            case s::mfma_read_ab:
                keep_use(matrix_use::ab);
                break;
            case s::valu_read:
                keep_use(matrix_use::valu_read);
                break;
            case s::valu_write:
                keep_use(matrix_use::valu_write);
                break;
            case s::memory_read:
                keep_use(matrix_use::memory_read);
                break;
            default:
                break;
        }
    }
    return states;
}

std::vector<hazard_text> hazard_table() {
    const auto text_of = [](const hazard_states& states) {
        std::string text;
        for (const uint8_t n : states.by_passes) {
            text += (text.empty() ? "" : ", ") + std::to_string(n);
            if (!states.is_by_passes()) {
                break;
            }
        }
        return text;
    };
    std::vector<hazard_text> table;
    for (const hazard_row& row : rows) {
        table.push_back({row.what, text_of(row.gfx942), text_of(row.gfx950), row.sources.text});
    }
    return table;
}

}  // namespace emu
