// The lane machinery of the vector ALU.
//
// A source is one or two rows of 64 dwords: a register is used in place, a scalar is broadcast into
// a local row, DPP, SDWA, op_sel and the sign modifiers rewrite a local row. So an operation is one
// loop over 64 lanes without branches, which the compiler vectorises; its result row is stored
// under EXEC. Every lane is computed, also those that EXEC switches off.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <tuple>
#include <type_traits>
#include <utility>

#include "isa/scalar.hpp"

namespace emu::inline OPUS_EMU_LEVEL {

using u8 = uint8_t;
using u16 = uint16_t;
using u32 = uint32_t;
using u64 = uint64_t;
using i8 = int8_t;
using i16 = int16_t;
using i32 = int32_t;
using i64 = int64_t;
using f16 = _Float16;
using f32 = float;
using f64 = double;

// Bits that are moved, but whose sign the modifiers - and || may change (v_mov, v_cndmask).
struct f32_bits {
    u32 bits;
};
struct f64_bits {
    u64 bits;
};

// What a bf16 operand holds; - and || are not for it.
struct bf16_bits {
    u16 bits;
};

template <class T>
constexpr bool is_float_v =
    std::is_same_v<T, f16> || std::is_same_v<T, f32> || std::is_same_v<T, f64> ||
    std::is_same_v<T, f32_bits> || std::is_same_v<T, f64_bits>;

// Numbers that are computed with, not moved.
template <class T>
constexpr bool is_number_v =
    std::is_same_v<T, f16> || std::is_same_v<T, f32> || std::is_same_v<T, f64>;

constexpr u64 all_lanes = ~u64{0};

// Uninitialised on purpose: there are several per instruction.
struct row_buffer {
    alignas(64) u32 lane[lane_count];
};

struct vector_source {
    const u32* lo;
    const u32* hi;
    row_buffer local_lo;
    row_buffer local_hi;
};

// ---- registers ----

[[noreturn]] void fail_register(const wave& w, const instruction& i, const operand& o);
[[noreturn]] void fail_indexing(const wave& w, const instruction& i);

// Ends an instruction of which the guide does not say what VGPR indexing does to it, where that
// would matter: M0[15:12] selects operands, and M0[7:0] is added to their registers.
inline void refuse_indexing(const wave& w, const instruction& i) {
    const u32 m0 = w.sgpr[sreg::m0];
    if ((w.mode & mode_bit::gpr_idx_en) != 0 && (m0 & 0xf000) != 0 && (m0 & 0xff) != 0)
        [[unlikely]] {
        fail_indexing(w, i);
    }
}

// The first of `dwords` rows of a vector register operand. `index_bit` is the operand's bit in
// M0[15:12] (ISA guide 6.6.2), negative where VGPR indexing does not apply. The guide indexes VGPRs
// and does not say whether accumulation registers are among them.
inline lane_row* register_rows(wave& w, const instruction& i, const operand& o, int dwords,
                               int index_bit = -1) {
    u32 reg = o.reg;
    if ((w.mode & mode_bit::gpr_idx_en) != 0 && index_bit >= 0) [[unlikely]] {
        const u32 m0 = w.sgpr[sreg::m0];
        if ((m0 >> (12 + index_bit) & 1) != 0) {
            reg += m0 & 0xff;
            if (o.kind == operand_kind::agpr) {
                refuse_indexing(w, i);
            }
        }
    }
    std::vector<lane_row>& file = o.kind == operand_kind::agpr ? w.agpr : w.vgpr;
    if ((o.kind != operand_kind::vgpr && o.kind != operand_kind::agpr) ||
        reg + static_cast<u32>(dwords) > file.size()) [[unlikely]] {
        fail_register(w, i, o);
    }
    return &file[reg];
}

constexpr int index_bit_src0 = 0;
constexpr int index_bit_src1 = 1;
constexpr int index_bit_src2 = 2;
constexpr int index_bit_dst = 3;

inline bool is_vector(const operand& o) {
    return o.is_vector();
}

inline void broadcast(row_buffer& row, u32 value) {
    for (int l = 0; l < lane_count; ++l) {
        row.lane[l] = value;
    }
}

// ---- DPP and SDWA (ISA guide 13, VOP_DPP and VOP_SDWA) ----

void apply_dpp(const instruction& i, u64 exec, const u32* source, row_buffer& result);

// Lanes that a DPP instruction writes: row_mask and bank_mask, and without bound_ctrl only lanes
// with a source.
u64 dpp_write_mask(const wave& w, const instruction& i);

void apply_sdwa_source(const instruction& i, int source, const u32* row, row_buffer& result,
                       bool sign_extend);

// ---- denormals (isa/float_mode.hpp) ----

template <class T>
constexpr u8 flush_sources_v =
    sizeof(T) == 4 ? float_effect::flush_f32_sources : float_effect::flush_f16_f64_sources;
template <class T>
constexpr u8 flush_results_v =
    sizeof(T) == 4 ? float_effect::flush_f32_results : float_effect::flush_f16_f64_results;

// Denormals become zeros of their sign. `from` is the row with the exponents, that of the high
// dwords for f64, whose low dwords are in `low`.
template <class T>
void flush_row(const u32* from, u32* to, const u32* low_from = nullptr, u32* low_to = nullptr) {
    constexpr u32 exponent = sizeof(T) == 2 ? 0x7c00 : sizeof(T) == 4 ? 0x7f800000 : 0x7ff00000;
    constexpr u32 sign = sizeof(T) == 2 ? 0x8000 : 0x80000000;
    for (int l = 0; l < lane_count; ++l) {
        const bool is_zero = (from[l] & exponent) == 0;
        if constexpr (sizeof(T) == 8) {
            low_to[l] = is_zero ? 0 : low_from[l];
        }
        to[l] = is_zero ? from[l] & sign : from[l];
    }
}

template <class T>
void flush_source(const wave& w, vector_source& source) {
    if ((w.float_effects & flush_sources_v<T>) == 0) {
        return;
    }
    if constexpr (sizeof(T) == 8) {
        flush_row<T>(source.hi, source.local_hi.lane, source.lo, source.local_lo.lane);
        source.hi = source.local_hi.lane;
    } else {
        flush_row<T>(source.lo, source.local_lo.lane);
    }
    source.lo = source.local_lo.lane;
}

template <class T>
void flush_result(const wave& w, row_buffer& lo, row_buffer& hi) {
    if ((w.float_effects & flush_results_v<T>) == 0) {
        return;
    }
    if constexpr (sizeof(T) == 8) {
        flush_row<T>(hi.lane, hi.lane, lo.lane, lo.lane);
    } else {
        flush_row<T>(lo.lane, lo.lane);
    }
}

// ---- sources ----

// What an operand of type T or of packed T reads where the text has a constant. An integer is
// sign-extended; a floating constant of f16 and bf16 has its value in the low half and zeros above,
// every other operand reads the bits of the f32 (LLVM's SIInstrInfo::isInlineConstant has it of the
// hardware that 16-bit integer operands do, the guide is silent). OP_SEL selects a half of this.
template <class T>
u32 constant_dword(const operand& o) {
    if (!o.floating) {
        return o.value32;
    }
    return std::is_same_v<T, f16>         ? o.value16
           : std::is_same_v<T, bf16_bits> ? o.value32 >> 16
                                          : o.value32;
}

// DPP, SDWA, op_sel and signs, in the order in which they apply.
template <class T>
void rewrite_source(wave& w, const instruction& i, const operand& o, int number,
                    vector_source& source) {
    constexpr bool wide = sizeof(T) == 8;
    if (i.has(mod::dpp) && number == 0) {
        row_buffer permuted;
        apply_dpp(i, w.exec(), source.lo, permuted);
        source.local_lo = permuted;
        source.lo = source.local_lo.lane;
        if constexpr (wide) {
            apply_dpp(i, w.exec(), source.hi, permuted);
            source.local_hi = permuted;
            source.hi = source.local_hi.lane;
        }
    }
    if (i.has(mod::sdwa) && number < 2 && !wide) {
        row_buffer selected;
        apply_sdwa_source(i, number, source.lo, selected, o.sext);
        source.local_lo = selected;
        source.lo = source.local_lo.lane;
    }
    if (sizeof(T) == 2 && (i.op_sel >> number & 1) != 0) {
        for (int l = 0; l < lane_count; ++l) {
            source.local_lo.lane[l] = source.lo[l] >> 16;
        }
        source.lo = source.local_lo.lane;
    }
    if (is_float_v<T> && (o.neg || o.abs)) {
        constexpr u32 sign = sizeof(T) == 2 ? 0x8000u : 0x80000000u;
        const u32 clear = o.abs ? sign : 0;
        const u32 flip = o.neg ? sign : 0;
        row_buffer& local = wide ? source.local_hi : source.local_lo;
        const u32*& row = wide ? source.hi : source.lo;
        for (int l = 0; l < lane_count; ++l) {
            local.lane[l] = (row[l] & ~clear) ^ flip;
        }
        row = local.lane;
    }
}

// Fills `source` with operand `o`, the instruction's source number `number`, read as a T.
template <class T>
void fetch(wave& w, const instruction& i, const operand& o, int number, vector_source& source) {
    constexpr bool wide = sizeof(T) == 8;
    if (is_vector(o)) [[likely]] {
        const lane_row* rows = register_rows(w, i, o, wide ? 2 : 1, number);
        source.lo = rows[0].lane.data();
        source.hi = wide ? rows[1].lane.data() : nullptr;
    } else if constexpr (wide) {
        const u64 value = o.kind == operand_kind::constant
                              ? std::bit_cast<u64>(constant_value<T>(o))
                              : read_scalar<u64>(w, i, o);
        broadcast(source.local_lo, static_cast<u32>(value));
        broadcast(source.local_hi, static_cast<u32>(value >> 32));
        source.lo = source.local_lo.lane;
        source.hi = source.local_hi.lane;
    } else {
        u32 value;
        if (sizeof(T) == 2 && o.kind == operand_kind::constant) {
            value = constant_dword<T>(o);
        } else {
            value = read_scalar<u32>(w, i, o);
        }
        broadcast(source.local_lo, value);
        source.lo = source.local_lo.lane;
    }
    constexpr u64 rewriting = mod::dpp | mod::sdwa | mod::op_sel | mod::source_neg;
    const u64 effects = is_number_v<T> ? w.float_effects : 0;
    if (((i.modifiers & rewriting) | effects) == 0) [[likely]] {
        return;
    }
    if (i.has(rewriting)) {
        rewrite_source<T>(w, i, o, number, source);
    }
    if constexpr (is_number_v<T>) {
        flush_source<T>(w, source);
    }
}

// A register of two halves, read as packed T.
template <class T>
void fetch_pair(wave& w, const instruction& i, const operand& o, int number,
                vector_source& source) {
    if (o.kind != operand_kind::constant) {
        fetch<u32>(w, i, o, number, source);
        return;
    }
    operand pair = o;
    pair.value32 = constant_dword<T>(o);
    fetch<u32>(w, i, pair, number, source);
}

// The old value of the destination, where that is the last source: M0[15] moves both (ISA guide
// 6.6.2, of v_mac, v_cvt_pkaccum and SDWA that keeps a part).
inline void fetch_destination(wave& w, const instruction& i, int dwords, vector_source& source) {
    const lane_row* rows = register_rows(w, i, i.operands[0], dwords, index_bit_dst);
    source.lo = rows[0].lane.data();
    source.hi = dwords == 2 ? rows[1].lane.data() : nullptr;
}

template <class T>
inline T lane_value(const vector_source& source, int l) {
    if constexpr (sizeof(T) == 8) {
        return std::bit_cast<T>(u64{source.lo[l]} | u64{source.hi[l]} << 32);
    } else if constexpr (sizeof(T) == 4) {
        return std::bit_cast<T>(source.lo[l]);
    } else {
        return std::bit_cast<T>(static_cast<u16>(source.lo[l]));
    }
}

// ---- results ----

inline void store_row(lane_row& destination, const u32* row, u64 mask) {
    if (mask == all_lanes) [[likely]] {
        std::memcpy(destination.lane.data(), row, sizeof destination.lane);
        return;
    }
    for (size_t l = 0; l < lane_count; ++l) {
        destination.lane[l] = (mask >> l & 1) != 0 ? row[l] : destination.lane[l];
    }
}

// What a 16-bit result does to the high half of its register. Those instructions that the guide
// describes with "hi 16 bits are preserved" keep it; clang's code relies on the others clearing it.
enum class high_half { zero, keep };

void merge_sdwa_result(const instruction& i, const lane_row& old, row_buffer& row, bool is_16_bit);
u64 write_mask(const wave& w, const instruction& i);

template <class T>
inline void put_lane(row_buffer& lo, row_buffer& hi, int l, T value) {
    if constexpr (sizeof(T) == 8) {
        const u64 bits = std::bit_cast<u64>(value);
        lo.lane[l] = static_cast<u32>(bits);
        hi.lane[l] = static_cast<u32>(bits >> 32);
    } else if constexpr (sizeof(T) == 4) {
        lo.lane[l] = std::bit_cast<u32>(value);
    } else {
        static_assert(sizeof(T) == 2);
        lo.lane[l] = std::bit_cast<u16>(value);
    }
}

// Of each lane f(value).
template <class T, class F>
void change_lanes(row_buffer& lo, row_buffer& hi, F&& f) {
    vector_source view;
    view.lo = lo.lane;
    view.hi = hi.lane;
    for (int l = 0; l < lane_count; ++l) {
        put_lane(lo, hi, l, f(lane_value<T>(view, l)));
    }
}

// From 0 to 1. NaN becomes 0 under DX10_CLAMP, else it passes (ISA guide 3.5).
template <class T>
T clamp_unit(const wave& w, T value) {
    if (value != value) {
        return (w.mode & mode_bit::dx10_clamp) != 0 ? T(0) : value;
    }
    return value > T(0) ? (value < T(1) ? value : T(1)) : T(0);
}

template <class T>
void clamp_result(const wave& w, row_buffer& lo, row_buffer& hi) {
    change_lanes<T>(lo, hi, [&](T value) { return clamp_unit(w, value); });
}

// *2, *4, /2, and +0 for -0. Ignored when output denormals are enabled or IEEE is set (ISA guide
// 6.2.2).
template <class T>
void output_modifier(const wave& w, const instruction& i, row_buffer& lo, row_buffer& hi) {
    const u32 denormals = sizeof(T) == 4 ? mode_bit::denorm_f32_out : mode_bit::denorm_f16_f64_out;
    if ((w.mode & (denormals | mode_bit::ieee)) != 0) {
        return;
    }
    const T factor = i.omod == 1 ? T(2) : i.omod == 2 ? T(4) : T(0.5);
    change_lanes<T>(lo, hi, [&](T value) { return static_cast<T>(value * factor) + T(0); });
}

// Stores the result rows of type T in the vector register `destination`.
template <class T, high_half High = high_half::zero>
void finish(wave& w, const instruction& i, const operand& destination, int sources, row_buffer& lo,
            row_buffer& hi) {
    if constexpr (is_number_v<T>) {
        if (((i.modifiers & (mod::omod | mod::clamp)) | w.float_effects) != 0) [[unlikely]] {
            if (i.has(mod::omod)) {
                output_modifier<T>(w, i, lo, hi);
            }
            flush_result<T>(w, lo, hi);
            if (i.has(mod::clamp)) {
                clamp_result<T>(w, lo, hi);
            }
        }
    }
    constexpr int dwords = sizeof(T) == 8 ? 2 : 1;
    lane_row* rows = register_rows(w, i, destination, dwords, index_bit_dst);
    if (i.has(mod::sdwa)) [[unlikely]] {
        merge_sdwa_result(i, rows[0], lo, sizeof(T) == 2);
    } else if constexpr (sizeof(T) == 2) {
        if ((i.op_sel >> sources & 1) != 0) {
            for (size_t l = 0; l < lane_count; ++l) {
                lo.lane[l] = (rows[0].lane[l] & 0xffff) | lo.lane[l] << 16;
            }
        } else if constexpr (High == high_half::keep) {
            for (size_t l = 0; l < lane_count; ++l) {
                lo.lane[l] = (rows[0].lane[l] & 0xffff0000) | (lo.lane[l] & 0xffff);
            }
        }
    }
    const u64 mask = write_mask(w, i);
    store_row(rows[0], lo.lane, mask);
    if constexpr (dwords == 2) {
        store_row(rows[1], hi.lane, mask);
    }
}

// ---- operations given as a lambda over one lane ----

template <class F>
struct lane_function;
template <class C, class R, class... A>
struct lane_function<R (C::*)(A...) const> {
    using result = R;
    using arguments = std::tuple<A...>;
    static constexpr size_t count = sizeof...(A);
};

// FP16_OVFL: an overflow gives the largest f16, not infinity. A true infinity comes of an infinite
// source or of dividing by zero, its logarithm included.
inline bool limits_overflow(const wave& w) {
    return (w.float_effects & float_effect::limit_f16) != 0;
}

template <class... Sources>
u32 limited(const instruction& i, u32 result, Sources... sources) {
    if ((result & 0x7fff) != 0x7c00) {
        return result;
    }
    const auto is_infinite = [](auto value) {
        if constexpr (is_number_v<decltype(value)>) {
            return __builtin_isinf(value) != 0;
        } else {
            return false;
        }
    };
    const auto is_zero = [](auto value) {
        if constexpr (is_number_v<decltype(value)>) {
            return value == decltype(value)(0);
        } else {
            return false;
        }
    };
    const bool is_true =
        (is_infinite(sources) || ...) ||
        (i.is(kind::of_zero_infinite | kind::div_fixup) && (is_zero(sources) || ...));
    return is_true ? result : (result & 0xffff8000) | 0x7bff;
}

// Where the last source of an operation comes from.
enum class last_source {
    operand,      // the text
    destination,  // v_fmac and its like: the old value of the destination
};

// D = Op(sources...) in every lane; the lambda's parameter types are the operand types.
template <auto Op, high_half High = high_half::zero, last_source Last = last_source::operand>
void vop(wave& w, const instruction& i) {
    using function = lane_function<decltype(&decltype(Op)::operator())>;
    using arguments = typename function::arguments;
    using result_t = typename function::result;
    constexpr int count = static_cast<int>(function::count);
    vector_source source[count];
    row_buffer lo;
    row_buffer hi;
    [&]<size_t... N>(std::index_sequence<N...>) {
        const auto fetch_one = [&]<size_t S>(std::integral_constant<size_t, S>) {
            using type = std::tuple_element_t<S, arguments>;
            if constexpr (Last == last_source::destination && S == count - 1) {
                fetch_destination(w, i, sizeof(type) == 8 ? 2 : 1, source[S]);
                if constexpr (is_number_v<type>) {
                    if (w.float_effects != 0) [[unlikely]] {
                        flush_source<type>(w, source[S]);
                    }
                }
            } else {
                fetch<type>(w, i, i.operands[S + 1], static_cast<int>(S), source[S]);
            }
        };
        (fetch_one(std::integral_constant<size_t, N>{}), ...);
        for (int l = 0; l < lane_count; ++l) {
            put_lane<result_t>(lo, hi, l,
                               Op(lane_value<std::tuple_element_t<N, arguments>>(source[N], l)...));
        }
        if constexpr (std::is_same_v<result_t, f16>) {
            if (limits_overflow(w)) [[unlikely]] {
                for (int l = 0; l < lane_count; ++l) {
                    lo.lane[l] = limited<std::tuple_element_t<N, arguments>...>(
                        i, lo.lane[l],
                        lane_value<std::tuple_element_t<N, arguments>>(source[N], l)...);
                }
            }
        }
    }(std::make_index_sequence<count>{});
    constexpr int text_sources = Last == last_source::destination ? count - 1 : count;
    finish<result_t, High>(w, i, i.operands[0], text_sources, lo, hi);
}

// `Other` where the condition holds.
template <auto Condition, auto Op, auto Other, high_half High>
void vop_by(wave& w, const instruction& i) {
    Condition(w, i) ? vop<Other, High>(w, i) : vop<Op, High>(w, i);
}

constexpr auto clamps = [](const wave&, const instruction& i) { return i.has(mod::clamp); };
constexpr auto is_not_ieee = [](const wave& w, const instruction&) {
    return (w.mode & mode_bit::ieee) == 0;
};
constexpr auto is_directed = [](const wave& w, const instruction&) {
    return (w.float_effects & float_effect::directed) != 0;
};

// With a saturating form for clamp; by MODE.IEEE; for nearest even and for the other round modes.
template <auto Op, auto Saturating, high_half High = high_half::zero>
constexpr handler_t vop_saturating = vop_by<clamps, Op, Saturating, High>;
template <auto Ieee, auto NotIeee, high_half High = high_half::zero>
constexpr handler_t vop_by_ieee = vop_by<is_not_ieee, Ieee, NotIeee, High>;
template <auto Nearest, auto Directed, high_half High = high_half::zero>
constexpr handler_t vop_by_rounding = vop_by<is_directed, Nearest, Directed, High>;

// ---- 16 bits ----

template <class T>
T saturated(i64 value) {
    return static_cast<T>(
        std::clamp<i64>(value, std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
}

template <class T>
constexpr auto add_16 = [](T a, T b) { return static_cast<T>(a + b); };
template <class T>
constexpr auto add_16_sat = [](T a, T b) { return saturated<T>(i64{a} + b); };
template <class T>
constexpr auto sub_16 = [](T a, T b) { return static_cast<T>(a - b); };
template <class T>
constexpr auto sub_16_sat = [](T a, T b) { return saturated<T>(i64{a} - b); };
template <class T>
constexpr auto mad_16 = [](T a, T b, T c) { return static_cast<T>(i64{a} * b + c); };
template <class T>
constexpr auto mad_16_sat = [](T a, T b, T c) { return saturated<T>(i64{a} * b + c); };

// Modifier sets of rows.
constexpr u64 vop_integer = mod::dpp | mod::sdwa | mod::source_sext;
constexpr u64 vop_integer_saturating = vop_integer | mod::clamp;
constexpr u64 vop_float = mod::dpp | mod::sdwa | mod::source_neg | mod::clamp | mod::omod;
constexpr u64 vop_to_float = mod::dpp | mod::sdwa | mod::source_sext | mod::clamp | mod::omod;
constexpr u64 vop_from_float = mod::dpp | mod::sdwa | mod::source_neg | mod::clamp;

}  // namespace emu::inline OPUS_EMU_LEVEL
