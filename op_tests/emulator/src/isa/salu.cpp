// Scalar ALU: SOP1, SOP2, SOPC, SOPK, SOPP (ISA guide chapters 5 and 12.1 to 12.5).
#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>
#include <tuple>

#include "isa/rows.hpp"
#include "isa/scalar.hpp"

namespace emu {
namespace {

template <class F>
struct signature;
template <class C, class R, class... A>
struct signature<R (C::*)(A...) const> {
    using result = R;
    template <size_t N>
    using argument = std::tuple_element_t<N, std::tuple<A...>>;
    static constexpr size_t arguments = sizeof...(A);
};
template <auto Op>
using signature_of = signature<decltype(&decltype(Op)::operator())>;

enum class scc_rule { keep, nonzero };

// D = Op(S0[, S1]), then SCC = D != 0 where the instruction sets it.
template <auto Op, scc_rule Rule>
void scalar_op(wave& w, const instruction& i) {
    using op = signature_of<Op>;
    typename op::result result;
    if constexpr (op::arguments == 1) {
        using s0 = typename op::template argument<0>;
        result = Op(read_scalar<s0>(w, i, i.operands[1]));
    } else {
        using s0 = typename op::template argument<0>;
        using s1 = typename op::template argument<1>;
        result = Op(read_scalar<s0>(w, i, i.operands[1]), read_scalar<s1>(w, i, i.operands[2]));
    }
    write_scalar(w, i, i.operands[0], result);
    if constexpr (Rule == scc_rule::nonzero) {
        w.scc = result != 0;
    }
}

// The same where Op computes SCC too: Op(S0, S1, SCC&).
template <auto Op>
void scalar_carry(wave& w, const instruction& i) {
    bool scc = w.scc;
    const uint32_t result = Op(read_scalar<uint32_t>(w, i, i.operands[1]),
                               read_scalar<uint32_t>(w, i, i.operands[2]), scc);
    write_scalar(w, i, i.operands[0], result);
    w.scc = scc;
}

template <auto Op>
void scalar_compare(wave& w, const instruction& i) {
    using op = signature_of<Op>;
    using s0 = typename op::template argument<0>;
    using s1 = typename op::template argument<1>;
    w.scc = Op(read_scalar<s0>(w, i, i.operands[0]), read_scalar<s1>(w, i, i.operands[1]));
}

// s_cmpk_*: the constant is SIMM16, extended by the signedness of the compare.
template <auto Op>
void scalar_compare_k(wave& w, const instruction& i) {
    using value = typename signature_of<Op>::template argument<0>;
    value constant;
    if constexpr (std::is_signed_v<value>) {
        constant = static_cast<int16_t>(i.simm16());
    } else {
        constant = i.simm16();
    }
    w.scc = Op(read_scalar<value>(w, i, i.operands[0]), constant);
}

template <class T, bool Value>
void bit_set(wave& w, const instruction& i) {
    const uint32_t bit = read_scalar<uint32_t>(w, i, i.operands[1]) & (sizeof(T) * 8 - 1);
    const T old = read_scalar<T>(w, i, i.operands[0]);
    const T mask = T{1} << bit;
    write_scalar<T>(w, i, i.operands[0], Value ? old | mask : old & ~mask);
}

template <class T>
void conditional_move(wave& w, const instruction& i) {
    if (w.scc) {
        write_scalar(w, i, i.operands[0], read_scalar<T>(w, i, i.operands[1]));
    }
}

template <class T>
void conditional_select(wave& w, const instruction& i) {
    write_scalar(w, i, i.operands[0], read_scalar<T>(w, i, i.operands[w.scc ? 1 : 2]));
}

// D = EXEC; EXEC = Op(S0, EXEC); SCC = EXEC != 0
template <auto Op>
void save_exec(wave& w, const instruction& i) {
    const uint64_t source = read_scalar<uint64_t>(w, i, i.operands[1]);
    const uint64_t saved = w.exec();
    const uint64_t exec = Op(source, saved);
    write_scalar(w, i, i.operands[0], saved);
    w.write_sgpr64(sreg::exec, exec);
    w.scc = exec != 0;
}

// D = EXEC = Op(S0, EXEC)
template <auto Op>
void write_exec(wave& w, const instruction& i) {
    const uint64_t exec = Op(read_scalar<uint64_t>(w, i, i.operands[1]), w.exec());
    write_scalar(w, i, i.operands[0], exec);
    w.write_sgpr64(sreg::exec, exec);
    w.scc = exec != 0;
}

template <class T>
constexpr uint32_t bits_v = sizeof(T) * 8;

// Position of the first one from the LSB or MSB, -1 if there is none.
template <class T>
uint32_t first_one_low(T value) {
    return value == 0 ? ~0u : static_cast<uint32_t>(std::countr_zero(value));
}
template <class T>
uint32_t first_one_high(T value) {
    return value == 0 ? ~0u : static_cast<uint32_t>(std::countl_zero(value));
}

template <class T>
T reverse_bits(T value) {
    T result = 0;
    for (uint32_t bit = 0; bit < bits_v<T>; ++bit) {
        result |= (value >> bit & 1) << (bits_v<T> - 1 - bit);
    }
    return result;
}

template <class T>
T whole_quads(T value) {
    T result = 0;
    for (uint32_t bit = 0; bit < bits_v<T>; bit += 4) {
        if ((value >> bit & 0xf) != 0) {
            result |= T{0xf} << bit;
        }
    }
    return result;
}

template <class T>
T quad_mask(T value) {
    T result = 0;
    for (uint32_t quad = 0; quad < bits_v<T> / 4; ++quad) {
        if ((value >> 4 * quad & 0xf) != 0) {
            result |= T{1} << quad;
        }
    }
    return result;
}

// Width above the register's bits extracts everything that is left.
template <class T>
T extract_bits(T value, uint32_t control) {
    const uint32_t offset = control & (bits_v<T> - 1);
    const uint32_t width = control >> 16 & 0x7f;
    const T shifted = value >> offset;
    return width >= bits_v<T> ? shifted : shifted & ((T{1} << width) - 1);
}

template <class T>
std::make_signed_t<T> extract_bits_signed(T value, uint32_t control) {
    const uint32_t offset = control & (bits_v<T> - 1);
    const uint32_t width = control >> 16 & 0x7f;
    using signed_t = std::make_signed_t<T>;
    const signed_t shifted = static_cast<signed_t>(value) >> offset;
    if (width == 0) {
        return 0;
    }
    if (width >= bits_v<T>) {
        return shifted;
    }
    const uint32_t unused = bits_v<T> - width;
    return static_cast<signed_t>(static_cast<T>(shifted) << unused) >> unused;
}

// Of a pair the index must be even (ISA guide 5.7).
uint32_t pair_index(wave& w, const instruction& i) {
    const uint32_t index = w.sgpr[sreg::m0];
    if (index % 2 != 0) {
        fail(w, i, "M0 is " + std::to_string(index) + ", the index of a pair must be even");
    }
    return index;
}

template <class T>
operand moved_by_m0(wave& w, const instruction& i, operand o) {
    const uint32_t index = sizeof(T) == 8 ? pair_index(w, i) : w.sgpr[sreg::m0];
    o.reg = static_cast<uint16_t>(o.reg + index);
    return o;
}

template <class T>
void move_relative_source(wave& w, const instruction& i) {
    write_scalar(w, i, i.operands[0], read_scalar<T>(w, i, moved_by_m0<T>(w, i, i.operands[1])));
}

template <class T>
void move_relative_destination(wave& w, const instruction& i) {
    const operand destination = moved_by_m0<T>(w, i, i.operands[0]);
    write_scalar(w, i, destination, read_scalar<T>(w, i, i.operands[1]));
}

// ---- SOPK ----

int32_t signed_constant(const instruction& i) {
    return static_cast<int16_t>(i.simm16());
}

void movk(wave& w, const instruction& i) {
    write_scalar(w, i, i.operands[0], signed_constant(i));
}

void cmovk(wave& w, const instruction& i) {
    if (w.scc) {
        movk(w, i);
    }
}

void addk(wave& w, const instruction& i) {
    const int32_t old = read_scalar<int32_t>(w, i, i.operands[0]);
    int32_t sum;
    w.scc = __builtin_add_overflow(old, signed_constant(i), &sum);
    write_scalar(w, i, i.operands[0], sum);
}

void mulk(wave& w, const instruction& i) {
    const uint32_t old = read_scalar<uint32_t>(w, i, i.operands[0]);
    write_scalar(w, i, i.operands[0], old * static_cast<uint32_t>(signed_constant(i)));
}

// SIMM16 = {size - 1, offset, register} (ISA guide 5.8).
struct hardware_register {
    int id;
    uint32_t offset;
    uint32_t mask;  // of the value, before it is shifted by offset

    explicit hardware_register(const instruction& i) : id(i.simm16() & 63) {
        offset = i.simm16() >> 6 & 31;
        const uint32_t size = (i.simm16() >> 11) + 1u;
        mask = size == 32 ? ~0u : (1u << size) - 1;
    }
};

// Numbers of the hardware registers (ISA guide, table 19).
constexpr int hw_mode = 1;
constexpr int hw_status = 2;
constexpr int hw_trapsts = 3;
constexpr int hw_id = 4;
constexpr int hw_gpr_alloc = 5;
constexpr int hw_lds_alloc = 6;
constexpr int hw_xcc_id = 20;

// Table 3. There is no trap handler, and no wave is halted or at a barrier while it executes this.
// (SCC is bit 0: the table's 1 would lie in SPI_PRIO.)
uint32_t status_of(const wave& w) {
    constexpr uint32_t valid = 1u << 16;
    return (w.scc ? 1u : 0u) | uint32_t{w.priority} << 3 | (w.exec() == 0 ? 1u << 9 : 0) |
           (w.vcc() == 0 ? 1u << 10 : 0) | (w.group->waves.size() > 1 ? 1u << 11 : 0) | valid |
           (w.scratch_per_lane != 0 ? 1u << 28 : 0);
}

// Table 6: WAVE_ID, SIMD_ID, CU_ID, SE_ID, TG_ID. Waves go to the four SIMDs in turn; pipe, queue, VM
// and the rest are 0.
uint32_t hw_id_of(const wave& w) {
    const group_place& place = w.group->place;
    const auto wave = static_cast<uint32_t>(place.slot * w.group->waves.size()) +
                      static_cast<uint32_t>(w.index_in_group);
    return wave / 4 % 16 | wave % 4 << 4 | place.unit << 8 | place.engine << 13 |
           place.slot % 16 << 16;
}

// Table 21, in units of 4 vector registers and 16 scalar ones, of which a wave has 112; bases are 0.
uint32_t gpr_alloc_of(const wave& w, const instruction& i) {
    const auto vgprs = static_cast<uint32_t>(w.vgpr.size());
    const auto agprs = static_cast<uint32_t>(w.agpr.size());
    if (vgprs + agprs > 256) {
        fail(w, i,
             "s_getreg_b32: HW_REG_GPR_ALLOC has no number for more than 256 registers, here are " +
                 std::to_string(vgprs + agprs));
    }
    const uint32_t size = std::max(1u, (vgprs + agprs + 3) / 4) - 1;
    return size << 6 | (agprs == 0 ? 0 : vgprs / 4) << 12 | (112u / 16 - 1) << 24;
}

// Table 22, in units of 64 dwords; the base is 0.
uint32_t lds_alloc_of(const wave& w) {
    return static_cast<uint32_t>((w.group->lds.size() + 255) / 256) << 12;
}

uint32_t read_hardware_register(const wave& w, const instruction& i, const hardware_register& reg) {
    switch (reg.id) {
        case hw_mode:
            return w.mode;
        case hw_status:
            return status_of(w);
        case hw_trapsts:
            if (((reg.mask << reg.offset) & 0x1ff) != 0) {
                fail(w, i, "s_getreg_b32: EXCP of HW_REG_TRAPSTS is not supported");
            }
            return 0;
        case hw_id:
            return hw_id_of(w);
        case hw_gpr_alloc:
            return gpr_alloc_of(w, i);
        case hw_lds_alloc:
            return lds_alloc_of(w);
        case hw_xcc_id:
            return w.group->place.die;
        default:
            fail(w, i,
                 "s_getreg_b32 of hardware register " + std::to_string(reg.id) +
                     " is not supported");
    }
}

void getreg(wave& w, const instruction& i) {
    const hardware_register reg(i);
    write_scalar(w, i, i.operands[0], read_hardware_register(w, i, reg) >> reg.offset & reg.mask);
}

void setprio(wave& w, const instruction& i) {
    w.priority = i.simm16() & 3;
}

// VSKIP (28) and CSP (31:29) are not modelled.
void set_mode(wave& w, const instruction& i, uint32_t source) {
    const hardware_register reg(i);
    if (reg.id != hw_mode) {
        fail(w, i, "s_setreg is supported for HW_REG_MODE only");
    }
    const uint32_t mask = reg.mask << reg.offset;
    const uint32_t mode = (w.mode & ~mask) | (source << reg.offset & mask);
    if ((mode & mask & 0xf0000000) != 0) {
        fail(w, i, "MODE bits VSKIP and CSP are not supported");
    }
    w.mode = mode;
}

void setreg(wave& w, const instruction& i) {
    set_mode(w, i, read_scalar<uint32_t>(w, i, i.operands[1]));
}

void setreg_imm(wave& w, const instruction& i) {
    set_mode(w, i, i.encoding[1]);
}

// ---- program flow ----

void jump(wave& w, const instruction& i) {
    if (w.seen_by != nullptr) {
        w.seen_by->branch(w);
    }
    const int64_t dwords = static_cast<int16_t>(i.simm16());
    w.pc += static_cast<uint64_t>(dwords * 4);
}

template <auto Condition>
void branch_if(wave& w, const instruction& i) {
    if (Condition(w)) {
        jump(w, i);
    }
}

void call(wave& w, const instruction& i) {
    write_scalar(w, i, i.operands[0], w.pc);
    jump(w, i);
}

void getpc(wave& w, const instruction& i) {
    write_scalar(w, i, i.operands[0], w.pc);
}

void setpc(wave& w, const instruction& i) {
    w.pc = read_scalar<uint64_t>(w, i, i.operands[0]);
}

void swappc(wave& w, const instruction& i) {
    const uint64_t target = read_scalar<uint64_t>(w, i, i.operands[1]);
    write_scalar(w, i, i.operands[0], w.pc);
    w.pc = target;
}

void end_program(wave& w, const instruction&) {
    w.status = wave_status::ended;
}

void sleep(wave& w, const instruction&) {
    w.status = wave_status::asleep;
}

void barrier(wave& w, const instruction& i) {
    if (w.seen_by != nullptr) {
        w.seen_by->arrive(w, i);
    }
    w.status = wave_status::at_barrier;
}

// expcnt is unused (ISA guide 4.4, S_WAITCNT).
void wait_count(wave& w, const instruction& i) {
    const uint32_t counts = i.simm16();
    w.counters.wait(vmcnt_of(counts), lgkmcnt_of(counts));
    if (w.seen_by != nullptr) {
        w.seen_by->wait(w);
    }
}

void nothing(wave&, const instruction&) {}

void trap(wave& w, const instruction& i) {
    fail_if_debug_check(w);
    if (i.simm16() == 2) {
        fail_trap(w, i, "s_trap 2 (__builtin_trap: the kernel ended itself)");
    }
    fail(w, i, "s_trap " + std::to_string(i.simm16()));
}

// ---- VGPR indexing (ISA guide 6.6); vector.hpp applies it ----

void set_index_mode(wave& w, uint32_t mode) {
    w.sgpr[sreg::m0] = (w.sgpr[sreg::m0] & ~0xf000u) | (mode & 0xf) << 12;
}

void set_index(wave& w, const instruction& i, const operand& source) {
    const uint32_t index = read_scalar<uint32_t>(w, i, source) & 0xff;
    w.sgpr[sreg::m0] = (w.sgpr[sreg::m0] & ~0xffu) | index;
}

void gpr_idx_on(wave& w, const instruction& i) {
    w.mode |= mode_bit::gpr_idx_en;
    set_index(w, i, i.operands[0]);
    set_index_mode(w, i.encoding[0] >> 8);  // the raw bits of SSRC1
}

void gpr_idx_off(wave& w, const instruction&) {
    w.mode &= ~mode_bit::gpr_idx_en;
}
void gpr_idx_idx(wave& w, const instruction& i) {
    set_index(w, i, i.operands[0]);
}
void gpr_idx_mode(wave& w, const instruction& i) {
    set_index_mode(w, i.simm16());
}

using u32 = uint32_t;
using i32 = int32_t;
using u64 = uint64_t;
using i64 = int64_t;
constexpr auto keep = scc_rule::keep;
constexpr auto nonzero = scc_rule::nonzero;

u32 carry_out(u64 sum, bool& scc) {
    scc = sum >> 32 != 0;
    return static_cast<u32>(sum);
}

using kind::no_result;
constexpr uint64_t compare = no_result | kind::compares;
using kind::writes_exec;

constexpr instruction_row rows[] = {
    // SOP2
    {"s_add_u32", scalar_carry<[](u32 a, u32 b, bool& scc) { return carry_out(u64{a} + b, scc); }>},
    {"s_addc_u32",
     scalar_carry<[](u32 a, u32 b, bool& scc) { return carry_out(u64{a} + b + scc, scc); }>},
    {"s_sub_u32", scalar_carry<[](u32 a, u32 b, bool& scc) {
         scc = b > a;
         return a - b;
     }>},
    {"s_subb_u32", scalar_carry<[](u32 a, u32 b, bool& scc) {
         const u32 borrow = scc;
         scc = u64{b} + borrow > a;
         return a - b - borrow;
     }>},
    {"s_add_i32", scalar_carry<[](u32 a, u32 b, bool& scc) {
         i32 sum;
         scc = __builtin_add_overflow(static_cast<i32>(a), static_cast<i32>(b), &sum);
         return static_cast<u32>(sum);
     }>},
    {"s_sub_i32", scalar_carry<[](u32 a, u32 b, bool& scc) {
         i32 difference;
         scc = __builtin_sub_overflow(static_cast<i32>(a), static_cast<i32>(b), &difference);
         return static_cast<u32>(difference);
     }>},
    {"s_min_i32", scalar_carry<[](u32 a, u32 b, bool& scc) {
         scc = static_cast<i32>(a) < static_cast<i32>(b);
         return scc ? a : b;
     }>},
    {"s_min_u32", scalar_carry<[](u32 a, u32 b, bool& scc) { return (scc = a < b) ? a : b; }>},
    {"s_max_i32", scalar_carry<[](u32 a, u32 b, bool& scc) {
         scc = static_cast<i32>(a) >= static_cast<i32>(b);
         return scc ? a : b;
     }>},
    {"s_max_u32", scalar_carry<[](u32 a, u32 b, bool& scc) { return (scc = a >= b) ? a : b; }>},
    {"s_lshl1_add_u32",
     scalar_carry<[](u32 a, u32 b, bool& scc) { return carry_out((u64{a} << 1) + b, scc); }>},
    {"s_lshl2_add_u32",
     scalar_carry<[](u32 a, u32 b, bool& scc) { return carry_out((u64{a} << 2) + b, scc); }>},
    {"s_lshl3_add_u32",
     scalar_carry<[](u32 a, u32 b, bool& scc) { return carry_out((u64{a} << 3) + b, scc); }>},
    {"s_lshl4_add_u32",
     scalar_carry<[](u32 a, u32 b, bool& scc) { return carry_out((u64{a} << 4) + b, scc); }>},
    {"s_cselect_b32", conditional_select<u32>, kind::by_scc},
    {"s_cselect_b64", conditional_select<u64>, kind::by_scc},
    {"s_and_b32", scalar_op<[](u32 a, u32 b) { return a & b; }, nonzero>},
    {"s_and_b64", scalar_op<[](u64 a, u64 b) { return a & b; }, nonzero>},
    {"s_or_b32", scalar_op<[](u32 a, u32 b) { return a | b; }, nonzero>},
    {"s_or_b64", scalar_op<[](u64 a, u64 b) { return a | b; }, nonzero>},
    {"s_xor_b32", scalar_op<[](u32 a, u32 b) { return a ^ b; }, nonzero>},
    {"s_xor_b64", scalar_op<[](u64 a, u64 b) { return a ^ b; }, nonzero>},
    {"s_andn2_b32", scalar_op<[](u32 a, u32 b) { return a & ~b; }, nonzero>},
    {"s_andn2_b64", scalar_op<[](u64 a, u64 b) { return a & ~b; }, nonzero>},
    {"s_orn2_b32", scalar_op<[](u32 a, u32 b) { return a | ~b; }, nonzero>},
    {"s_orn2_b64", scalar_op<[](u64 a, u64 b) { return a | ~b; }, nonzero>},
    {"s_nand_b32", scalar_op<[](u32 a, u32 b) { return ~(a & b); }, nonzero>},
    {"s_nand_b64", scalar_op<[](u64 a, u64 b) { return ~(a & b); }, nonzero>},
    {"s_nor_b32", scalar_op<[](u32 a, u32 b) { return ~(a | b); }, nonzero>},
    {"s_nor_b64", scalar_op<[](u64 a, u64 b) { return ~(a | b); }, nonzero>},
    {"s_xnor_b32", scalar_op<[](u32 a, u32 b) { return ~(a ^ b); }, nonzero>},
    {"s_xnor_b64", scalar_op<[](u64 a, u64 b) { return ~(a ^ b); }, nonzero>},
    {"s_lshl_b32", scalar_op<[](u32 a, u32 b) { return a << (b & 31); }, nonzero>},
    {"s_lshl_b64", scalar_op<[](u64 a, u32 b) { return a << (b & 63); }, nonzero>},
    {"s_lshr_b32", scalar_op<[](u32 a, u32 b) { return a >> (b & 31); }, nonzero>},
    {"s_lshr_b64", scalar_op<[](u64 a, u32 b) { return a >> (b & 63); }, nonzero>},
    {"s_ashr_i32", scalar_op<[](i32 a, u32 b) { return a >> (b & 31); }, nonzero>},
    {"s_ashr_i64", scalar_op<[](i64 a, u32 b) { return a >> (b & 63); }, nonzero>},
    {"s_bfm_b32", scalar_op<[](u32 a, u32 b) { return ((1u << (a & 31)) - 1) << (b & 31); }, keep>},
    {"s_bfm_b64",
     scalar_op<[](u32 a, u32 b) { return ((u64{1} << (a & 63)) - 1) << (b & 63); }, keep>},
    {"s_mul_i32", scalar_op<[](u32 a, u32 b) { return a * b; }, keep>},
    {"s_mul_hi_u32",
     scalar_op<[](u32 a, u32 b) { return static_cast<u32>(u64{a} * b >> 32); }, keep>},
    {"s_mul_hi_i32",
     scalar_op<[](i32 a, i32 b) { return static_cast<i32>(i64{a} * b >> 32); }, keep>},
    {"s_bfe_u32", scalar_op<[](u32 a, u32 b) { return extract_bits(a, b); }, nonzero>},
    {"s_bfe_i32", scalar_op<[](u32 a, u32 b) { return extract_bits_signed(a, b); }, nonzero>},
    {"s_bfe_u64", scalar_op<[](u64 a, u32 b) { return extract_bits(a, b); }, nonzero>},
    {"s_bfe_i64", scalar_op<[](i64 a, u32 b) { return extract_bits_signed(u64(a), b); }, nonzero>},
    {"s_absdiff_i32", scalar_op<[](u32 a, u32 b) {
         const u32 difference = a - b;
         return static_cast<i32>(difference) < 0 ? 0 - difference : difference;
     },
                                nonzero>},
    {"s_pack_ll_b32_b16", scalar_op<[](u32 a, u32 b) { return (a & 0xffff) | b << 16; }, keep>},
    {"s_pack_lh_b32_b16",
     scalar_op<[](u32 a, u32 b) { return (a & 0xffff) | (b & 0xffff0000); }, keep>},
    {"s_pack_hh_b32_b16", scalar_op<[](u32 a, u32 b) { return a >> 16 | (b & 0xffff0000); }, keep>},
    // SOP1
    {"s_mov_b32", scalar_op<[](u32 a) { return a; }, keep>, kind::moves},
    {"s_mov_b64", scalar_op<[](u64 a) { return a; }, keep>, kind::moves},
    {"s_cmov_b32", conditional_move<u32>, kind::reads_result | kind::by_scc},
    {"s_cmov_b64", conditional_move<u64>, kind::reads_result | kind::by_scc},
    {"s_not_b32", scalar_op<[](u32 a) { return ~a; }, nonzero>},
    {"s_not_b64", scalar_op<[](u64 a) { return ~a; }, nonzero>},
    {"s_wqm_b32", scalar_op<[](u32 a) { return whole_quads(a); }, nonzero>},
    {"s_wqm_b64", scalar_op<[](u64 a) { return whole_quads(a); }, nonzero>},
    {"s_brev_b32", scalar_op<[](u32 a) { return reverse_bits(a); }, keep>},
    {"s_brev_b64", scalar_op<[](u64 a) { return reverse_bits(a); }, keep>},
    {"s_bcnt0_i32_b32", scalar_op<[](u32 a) { return u32(std::popcount(~a)); }, nonzero>},
    {"s_bcnt0_i32_b64", scalar_op<[](u64 a) { return u32(std::popcount(~a)); }, nonzero>},
    {"s_bcnt1_i32_b32", scalar_op<[](u32 a) { return u32(std::popcount(a)); }, nonzero>},
    {"s_bcnt1_i32_b64", scalar_op<[](u64 a) { return u32(std::popcount(a)); }, nonzero>},
    {"s_ff0_i32_b32", scalar_op<[](u32 a) { return first_one_low(~a); }, keep>},
    {"s_ff0_i32_b64", scalar_op<[](u64 a) { return first_one_low(~a); }, keep>},
    {"s_ff1_i32_b32", scalar_op<[](u32 a) { return first_one_low(a); }, keep>},
    {"s_ff1_i32_b64", scalar_op<[](u64 a) { return first_one_low(a); }, keep>},
    {"s_flbit_i32_b32", scalar_op<[](u32 a) { return first_one_high(a); }, keep>},
    {"s_flbit_i32_b64", scalar_op<[](u64 a) { return first_one_high(a); }, keep>},
    {"s_flbit_i32", scalar_op<[](i32 a) { return first_one_high(u32(a ^ (a >> 31))); }, keep>},
    {"s_flbit_i32_i64", scalar_op<[](i64 a) { return first_one_high(u64(a ^ (a >> 63))); }, keep>},
    {"s_sext_i32_i8", scalar_op<[](u32 a) { return i32{static_cast<int8_t>(a)}; }, keep>},
    {"s_sext_i32_i16", scalar_op<[](u32 a) { return i32{static_cast<int16_t>(a)}; }, keep>},
    {"s_bitset0_b32", bit_set<u32, false>, kind::reads_result},
    {"s_bitset0_b64", bit_set<u64, false>, kind::reads_result},
    {"s_bitset1_b32", bit_set<u32, true>, kind::reads_result},
    {"s_bitset1_b64", bit_set<u64, true>, kind::reads_result},
    {"s_getpc_b64", getpc},
    {"s_setpc_b64", setpc, no_result},
    {"s_swappc_b64", swappc},
    {"s_and_saveexec_b64", save_exec<[](u64 s, u64 exec) { return s & exec; }>, writes_exec},
    {"s_or_saveexec_b64", save_exec<[](u64 s, u64 exec) { return s | exec; }>, writes_exec},
    {"s_xor_saveexec_b64", save_exec<[](u64 s, u64 exec) { return s ^ exec; }>, writes_exec},
    {"s_andn2_saveexec_b64", save_exec<[](u64 s, u64 exec) { return s & ~exec; }>, writes_exec},
    {"s_orn2_saveexec_b64", save_exec<[](u64 s, u64 exec) { return s | ~exec; }>, writes_exec},
    {"s_nand_saveexec_b64", save_exec<[](u64 s, u64 exec) { return ~(s & exec); }>, writes_exec},
    {"s_nor_saveexec_b64", save_exec<[](u64 s, u64 exec) { return ~(s | exec); }>, writes_exec},
    {"s_xnor_saveexec_b64", save_exec<[](u64 s, u64 exec) { return ~(s ^ exec); }>, writes_exec},
    {"s_andn1_saveexec_b64", save_exec<[](u64 s, u64 exec) { return ~s & exec; }>, writes_exec},
    {"s_orn1_saveexec_b64", save_exec<[](u64 s, u64 exec) { return ~s | exec; }>, writes_exec},
    {"s_andn1_wrexec_b64", write_exec<[](u64 s, u64 exec) { return ~s & exec; }>, writes_exec},
    {"s_andn2_wrexec_b64", write_exec<[](u64 s, u64 exec) { return s & ~exec; }>, writes_exec},
    {"s_quadmask_b32", scalar_op<[](u32 a) { return quad_mask(a); }, nonzero>},
    {"s_quadmask_b64", scalar_op<[](u64 a) { return quad_mask(a); }, nonzero>},
    {"s_movrels_b32", move_relative_source<u32>, kind::movrels},
    {"s_movrels_b64", move_relative_source<u64>, kind::movrels},
    {"s_movreld_b32", move_relative_destination<u32>, kind::movreld},
    {"s_movreld_b64", move_relative_destination<u64>, kind::movreld},
    {"s_abs_i32", scalar_op<[](i32 a) { return a < 0 ? 0u - u32(a) : u32(a); }, nonzero>},
    {"s_bitreplicate_b64_b32", scalar_op<[](u32 a) {
         u64 result = 0;
         for (int bit = 0; bit < 32; ++bit) {
             result |= u64{a >> bit & 1} * 3 << 2 * bit;
         }
         return result;
     },
                                         keep>},
    {"s_set_gpr_idx_idx", gpr_idx_idx, no_result | kind::gpr_idx},
    // SOPC
    {"s_cmp_eq_i32", scalar_compare<[](i32 a, i32 b) { return a == b; }>, compare},
    {"s_cmp_lg_i32", scalar_compare<[](i32 a, i32 b) { return a != b; }>, compare},
    {"s_cmp_gt_i32", scalar_compare<[](i32 a, i32 b) { return a > b; }>, compare},
    {"s_cmp_ge_i32", scalar_compare<[](i32 a, i32 b) { return a >= b; }>, compare},
    {"s_cmp_lt_i32", scalar_compare<[](i32 a, i32 b) { return a < b; }>, compare},
    {"s_cmp_le_i32", scalar_compare<[](i32 a, i32 b) { return a <= b; }>, compare},
    {"s_cmp_eq_u32", scalar_compare<[](u32 a, u32 b) { return a == b; }>, compare},
    {"s_cmp_lg_u32", scalar_compare<[](u32 a, u32 b) { return a != b; }>, compare},
    {"s_cmp_gt_u32", scalar_compare<[](u32 a, u32 b) { return a > b; }>, compare},
    {"s_cmp_ge_u32", scalar_compare<[](u32 a, u32 b) { return a >= b; }>, compare},
    {"s_cmp_lt_u32", scalar_compare<[](u32 a, u32 b) { return a < b; }>, compare},
    {"s_cmp_le_u32", scalar_compare<[](u32 a, u32 b) { return a <= b; }>, compare},
    {"s_cmp_eq_u64", scalar_compare<[](u64 a, u64 b) { return a == b; }>, compare},
    {"s_cmp_lg_u64", scalar_compare<[](u64 a, u64 b) { return a != b; }>, compare},
    {"s_bitcmp0_b32", scalar_compare<[](u32 a, u32 b) { return (a >> (b & 31) & 1) == 0; }>,
     compare},
    {"s_bitcmp1_b32", scalar_compare<[](u32 a, u32 b) { return (a >> (b & 31) & 1) == 1; }>,
     compare},
    {"s_bitcmp0_b64", scalar_compare<[](u64 a, u32 b) { return (a >> (b & 63) & 1) == 0; }>,
     compare},
    {"s_bitcmp1_b64", scalar_compare<[](u64 a, u32 b) { return (a >> (b & 63) & 1) == 1; }>,
     compare},
    {"s_set_gpr_idx_on", gpr_idx_on, no_result | kind::gpr_idx},
    // SOPK
    {"s_movk_i32", movk},
    {"s_cmovk_i32", cmovk, kind::reads_result},
    {"s_addk_i32", addk, kind::reads_result},
    {"s_mulk_i32", mulk, kind::reads_result},
    {"s_cmpk_eq_i32", scalar_compare_k<[](i32 a, i32 b) { return a == b; }>, compare},
    {"s_cmpk_lg_i32", scalar_compare_k<[](i32 a, i32 b) { return a != b; }>, compare},
    {"s_cmpk_gt_i32", scalar_compare_k<[](i32 a, i32 b) { return a > b; }>, compare},
    {"s_cmpk_ge_i32", scalar_compare_k<[](i32 a, i32 b) { return a >= b; }>, compare},
    {"s_cmpk_lt_i32", scalar_compare_k<[](i32 a, i32 b) { return a < b; }>, compare},
    {"s_cmpk_le_i32", scalar_compare_k<[](i32 a, i32 b) { return a <= b; }>, compare},
    {"s_cmpk_eq_u32", scalar_compare_k<[](u32 a, u32 b) { return a == b; }>, compare},
    {"s_cmpk_lg_u32", scalar_compare_k<[](u32 a, u32 b) { return a != b; }>, compare},
    {"s_cmpk_gt_u32", scalar_compare_k<[](u32 a, u32 b) { return a > b; }>, compare},
    {"s_cmpk_ge_u32", scalar_compare_k<[](u32 a, u32 b) { return a >= b; }>, compare},
    {"s_cmpk_lt_u32", scalar_compare_k<[](u32 a, u32 b) { return a < b; }>, compare},
    {"s_cmpk_le_u32", scalar_compare_k<[](u32 a, u32 b) { return a <= b; }>, compare},
    {"s_getreg_b32", getreg, kind::getreg},
    {"s_setreg_b32", setreg, no_result | kind::setreg},
    {"s_setreg_imm32_b32", setreg_imm, no_result | kind::setreg},
    {"s_call_b64", call},
    // SOPP
    {"s_branch", jump, no_result},
    {"s_cbranch_scc0", branch_if<[](const wave& w) { return !w.scc; }>,
     no_result | kind::by_scc | kind::if_zero},
    {"s_cbranch_scc1", branch_if<[](const wave& w) { return w.scc; }>, no_result | kind::by_scc},
    {"s_cbranch_vccz", branch_if<[](const wave& w) { return w.vcc() == 0; }>,
     no_result | kind::reads_vcc | kind::if_zero},
    {"s_cbranch_vccnz", branch_if<[](const wave& w) { return w.vcc() != 0; }>,
     no_result | kind::reads_vcc},
    {"s_cbranch_execz", branch_if<[](const wave& w) { return w.exec() == 0; }>,
     no_result | kind::by_exec | kind::if_zero},
    {"s_cbranch_execnz", branch_if<[](const wave& w) { return w.exec() != 0; }>,
     no_result | kind::by_exec},
    {"s_endpgm", end_program},
    {"s_barrier", barrier},
    {"s_waitcnt", wait_count},
    {"s_nop", nothing},
    {"s_sleep", sleep},
    {"s_setprio", setprio},
    {"s_wakeup", nothing},
    {"s_icache_inv", nothing},
    {"s_incperflevel", nothing},
    {"s_decperflevel", nothing},
    {"s_ttracedata", nothing},
    {"s_code_end", nothing},
    {"s_trap", trap},
    {"s_set_gpr_idx_off", gpr_idx_off, no_result | kind::gpr_idx},
    {"s_set_gpr_idx_mode", gpr_idx_mode, no_result | kind::gpr_idx},
};

}  // namespace

std::span<const instruction_row> salu_rows() {
    return rows;
}

}  // namespace emu
