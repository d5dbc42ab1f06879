// VOP3P without matrices: packed f16, i16 and f32, mixed precision, dot products (ISA guide 6.7,
// 12.10).
#include <algorithm>

#include "isa/small_float.hpp"
#include "isa/vector_rows.hpp"

namespace emu::inline OPUS_EMU_LEVEL {
namespace {

// The row of 16-bit elements that one half of the result reads: op_sel (low half) or op_sel_hi
// (high half) picks the half of the source, neg_lo or neg_hi negates it.
void select_half(const u32* row, bool high, bool negate, row_buffer& result) {
    const u32 shift = high ? 16 : 0;
    const u32 flip = negate ? 0x8000 : 0;
    for (int l = 0; l < lane_count; ++l) {
        result.lane[l] = (row[l] >> shift & 0xffff) ^ flip;
    }
}

template <class T>
void flush_halves(const wave& w, row_buffer& row) {
    if constexpr (std::is_same_v<T, f16>) {
        if ((w.float_effects & float_effect::flush_f16_f64_sources) != 0) [[unlikely]] {
            flush_row<f16>(row.lane, row.lane);
        }
    }
}

template <size_t Count>
void limit_halves(const instruction& i, row_buffer& result, const row_buffer (&input)[Count]) {
    for (int l = 0; l < lane_count; ++l) {
        [&]<size_t... N>(std::index_sequence<N...>) {
            result.lane[l] = limited(i, result.lane[l],
                                     std::bit_cast<f16>(static_cast<u16>(input[N].lane[l]))...);
        }(std::make_index_sequence<Count>{});
    }
}

// D = {Op(high halves), Op(low halves)}; Saturating is the integer form for clamp.
template <auto Op, auto Saturating, last_source Last = last_source::operand>
void packed_16(wave& w, const instruction& i) {
    using function = lane_function<decltype(&decltype(Op)::operator())>;
    using element = typename function::result;
    constexpr int count = static_cast<int>(function::count);
    vector_source source[count];
    for (int n = 0; n < count; ++n) {
        if (Last == last_source::destination && n == count - 1) {
            fetch_destination(w, i, 1, source[n]);
        } else {
            fetch_pair<element>(w, i, i.operands[static_cast<size_t>(n + 1)], n, source[n]);
        }
    }
    row_buffer half[2];
    row_buffer unused;
    for (int h = 0; h < 2; ++h) {
        row_buffer input[count];
        for (int n = 0; n < count; ++n) {
            select_half(source[n].lo, ((h == 0 ? i.op_sel : i.op_sel_hi) >> n & 1) != 0,
                        ((h == 0 ? i.neg_lo : i.neg_hi) >> n & 1) != 0, input[n]);
            flush_halves<element>(w, input[n]);
        }
        const auto run = [&]<auto F>() {
            for (int l = 0; l < lane_count; ++l) {
                const auto value = [&](int n) {
                    return std::bit_cast<element>(static_cast<u16>(input[n].lane[l]));
                };
                if constexpr (count == 2) {
                    put_lane(half[h], unused, l, F(value(0), value(1)));
                } else {
                    put_lane(half[h], unused, l, F(value(0), value(1), value(2)));
                }
            }
        };
        if (i.has(mod::clamp)) {
            run.template operator()<Saturating>();
        } else {
            run.template operator()<Op>();
        }
        if constexpr (std::is_same_v<element, f16>) {
            if (w.float_effects != 0) [[unlikely]] {
                if (limits_overflow(w)) {
                    limit_halves(i, half[h], input);
                }
                flush_result<f16>(w, half[h], unused);
            }
            if (i.has(mod::clamp)) {
                clamp_result<f16>(w, half[h], unused);
            }
        }
    }
    for (int l = 0; l < lane_count; ++l) {
        half[0].lane[l] = (half[0].lane[l] & 0xffff) | half[1].lane[l] << 16;
    }
    store_row(*register_rows(w, i, i.operands[0], 1, index_bit_dst), half[0].lane, w.exec());
}

template <auto Nearest, auto Directed, last_source Last = last_source::operand>
void packed_16_by_rounding(wave& w, const instruction& i) {
    if ((w.float_effects & float_effect::directed) != 0) [[unlikely]] {
        packed_16<Directed, Directed, Last>(w, i);
    } else {
        packed_16<Nearest, Nearest, Last>(w, i);
    }
}

template <auto Ieee, auto NotIeee>
void packed_16_by_ieee(wave& w, const instruction& i) {
    if ((w.mode & mode_bit::ieee) != 0) {
        packed_16<Ieee, Ieee>(w, i);
    } else {
        packed_16<NotIeee, NotIeee>(w, i);
    }
}

// A source of a packed f32 operation: two dwords. A constant or a 32-bit scalar stands in both
// places; op_sel and op_sel_hi pick the dword for the low and the high result.
void fetch_packed_32(wave& w, const instruction& i, int number, vector_source& source) {
    const operand& o = i.operands[static_cast<size_t>(number + 1)];
    if (o.kind == operand_kind::sgpr || is_vector(o)) {
        fetch<u64>(w, i, o, number, source);
        return;
    }
    fetch<u32>(w, i, o, number, source);
    source.hi = source.lo;
}

template <auto Op>
void packed_32(wave& w, const instruction& i) {
    constexpr int count =
        static_cast<int>(lane_function<decltype(&decltype(Op)::operator())>::count);
    vector_source source[count];
    for (int n = 0; n < count; ++n) {
        fetch_packed_32(w, i, n, source[n]);
    }
    row_buffer half[2];
    row_buffer unused;
    for (int h = 0; h < 2; ++h) {
        const u32* row[count];
        u32 flip[count];
        row_buffer flushed[count];
        for (int n = 0; n < count; ++n) {
            const bool high = ((h == 0 ? i.op_sel : i.op_sel_hi) >> n & 1) != 0;
            row[n] = high ? source[n].hi : source[n].lo;
            if ((w.float_effects & float_effect::flush_f32_sources) != 0) [[unlikely]] {
                flush_row<f32>(row[n], flushed[n].lane);
                row[n] = flushed[n].lane;
            }
            flip[n] = ((h == 0 ? i.neg_lo : i.neg_hi) >> n & 1) != 0 ? 0x80000000u : 0;
        }
        for (int l = 0; l < lane_count; ++l) {
            const auto value = [&](int n) { return std::bit_cast<f32>(row[n][l] ^ flip[n]); };
            if constexpr (count == 2) {
                put_lane(half[h], unused, l, Op(value(0), value(1)));
            } else {
                put_lane(half[h], unused, l, Op(value(0), value(1), value(2)));
            }
        }
        if (w.float_effects != 0) [[unlikely]] {
            flush_result<f32>(w, half[h], unused);
        }
        if (i.has(mod::clamp)) {
            clamp_result<f32>(w, half[h], unused);
        }
    }
    lane_row* destination = register_rows(w, i, i.operands[0], 2, index_bit_dst);
    store_row(destination[0], half[0].lane, w.exec());
    store_row(destination[1], half[1].lane, w.exec());
}

// D = {S1.dword[op_sel[1]], S0.dword[op_sel[0]]}
void packed_mov(wave& w, const instruction& i) {
    vector_source a;
    vector_source b;
    fetch_packed_32(w, i, 0, a);
    fetch_packed_32(w, i, 1, b);
    row_buffer lo;
    row_buffer hi;
    std::memcpy(lo.lane, (i.op_sel & 1) != 0 ? a.hi : a.lo, sizeof lo.lane);
    std::memcpy(hi.lane, (i.op_sel & 2) != 0 ? b.hi : b.lo, sizeof hi.lane);
    lane_row* destination = register_rows(w, i, i.operands[0], 2, index_bit_dst);
    store_row(destination[0], lo.lane, w.exec());
    store_row(destination[1], hi.lane, w.exec());
}

// ---- v_fma_mix*, v_mad_mix*: each source is an f32 or one half of a register ----

enum class mix_result { f32, f16_low, f16_high };

template <mix_result Result>
void fma_mix(wave& w, const instruction& i) {
    const u32 halves = i.has(mod::op_sel_hi) ? i.op_sel_hi : 0;  // not printed: none
    const bool flushes_halves = (w.float_effects & float_effect::flush_f16_f64_sources) != 0;
    const bool flushes_singles = (w.float_effects & float_effect::flush_f32_sources) != 0;
    row_buffer value[3];
    for (int n = 0; n < 3; ++n) {
        const operand& o = i.operands[static_cast<size_t>(n + 1)];
        const bool half = (halves >> n & 1) != 0;
        vector_source source;
        operand plain = o;
        if (half && o.kind == operand_kind::constant) {
            plain.value32 = constant_dword<f16>(o);
        }
        fetch<u32>(w, i, plain, n, source);
        const u32 shift = (i.op_sel >> n & 1) != 0 ? 16 : 0;
        for (int l = 0; l < lane_count; ++l) {
            u32 bits = source.lo[l];
            if (half) {
                const f16 number = std::bit_cast<f16>(static_cast<u16>(source.lo[l] >> shift));
                bits = to_bits(static_cast<f32>(flushes_halves ? flush(number) : number));
            } else if (flushes_singles) {
                bits = to_bits(flush(std::bit_cast<f32>(bits)));
            }
            if (o.abs) {
                bits &= 0x7fffffff;
            }
            if (o.neg) {
                bits ^= 0x80000000;
            }
            value[n].lane[l] = bits;
        }
    }
    row_buffer result;
    lane_row& destination = *register_rows(w, i, i.operands[0], 1, index_bit_dst);
    const bool clamp = i.has(mod::clamp);
    // The round mode of f16 is none of the effects: i.floats has that of the f32 sum.
    const bool is_usual = w.float_effects == 0 && (w.mode & mode_bit::round_f16_f64) == 0;
    // The sum as MODE rounds an f16.
    const auto half_in_mode = [&](f32 sum, int l) -> u32 {
        const f16 rounded = to_half(sum, w.mode >> 2 & 3);
        u32 bits =
            to_bits((w.float_effects & float_effect::flush_f16_f64_results) != 0 ? flush(rounded)
                                                                                 : rounded);
        if (limits_overflow(w)) {
            const auto source = [&](int n) { return std::bit_cast<f32>(value[n].lane[l]); };
            bits = limited(i, bits, source(0), source(1), source(2));
        }
        return bits;
    };
    for (int l = 0; l < lane_count; ++l) {
        f32 sum = fused(std::bit_cast<f32>(value[0].lane[l]), std::bit_cast<f32>(value[1].lane[l]),
                        std::bit_cast<f32>(value[2].lane[l]));
        if (clamp) {
            sum = clamp_unit(w, sum);
        }
        const u32 old = destination[static_cast<size_t>(l)];
        const u32 half = is_usual ? to_bits(static_cast<f16>(sum)) : half_in_mode(sum, l);
        if constexpr (Result == mix_result::f32) {
            result.lane[l] = to_bits(
                (w.float_effects & float_effect::flush_f32_results) != 0 ? flush(sum) : sum);
        } else if constexpr (Result == mix_result::f16_low) {
            result.lane[l] = (old & 0xffff0000) | half;
        } else {
            result.lane[l] = (old & 0xffff) | half << 16;
        }
    }
    store_row(destination, result.lane, w.exec());
}

// ---- dot products ----

template <int Bits, bool Signed>
i64 element_of(u32 packed, int index) {
    const u32 field = packed >> Bits * index << (32 - Bits);
    if constexpr (Signed) {
        return static_cast<i32>(field) >> (32 - Bits);
    } else {
        return field >> (32 - Bits);
    }
}

// D = S2 + sum of products, wrapping; with clamp saturated at the end.
template <int Bits, bool Signed, last_source Last>
void dot_integer(wave& w, const instruction& i) {
    vector_source a;
    vector_source b;
    vector_source c;
    fetch<u32>(w, i, i.operands[1], 0, a);
    fetch<u32>(w, i, i.operands[2], 1, b);
    if constexpr (Last == last_source::destination) {
        fetch_destination(w, i, 1, c);
    } else {
        fetch<u32>(w, i, i.operands[3], 2, c);
    }
    row_buffer lo;
    row_buffer hi;
    for (int l = 0; l < lane_count; ++l) {
        i64 sum = Signed ? i64{static_cast<i32>(c.lo[l])} : i64{c.lo[l]};
        for (int e = 0; e < 32 / Bits; ++e) {
            sum += element_of<Bits, Signed>(a.lo[l], e) * element_of<Bits, Signed>(b.lo[l], e);
        }
        if (i.has(mod::clamp)) {
            sum = Signed ? std::clamp<i64>(sum, INT32_MIN, INT32_MAX)
                         : std::min<i64>(sum, UINT32_MAX);
        }
        lo.lane[l] = static_cast<u32>(sum);
    }
    finish<u32>(w, i, i.operands[0], 3, lo, hi);
}

// Two products and an addend in f32; denormals are flushed on the way in and out (ISA guide 6.4),
// each step rounds. neg_lo and neg_hi negate the low and the high element, and source 2 is negated
// by neg_lo only.
template <bool Bf16, last_source Last>
void dot2_float(wave& w, const instruction& i) {
    vector_source a;
    vector_source b;
    vector_source c;
    using element_t = std::conditional_t<Bf16, bf16_bits, f16>;
    fetch_pair<element_t>(w, i, i.operands[1], 0, a);
    fetch_pair<element_t>(w, i, i.operands[2], 1, b);
    if constexpr (Last == last_source::destination) {
        fetch_destination(w, i, 1, c);
    } else {
        fetch<u32>(w, i, i.operands[3], 2, c);
    }
    const auto element = [&](u32 packed, int number, bool high) {
        u32 half = high ? packed >> 16 : packed & 0xffff;
        if (((high ? i.neg_hi : i.neg_lo) >> number & 1) != 0) {
            half ^= 0x8000;
        }
        if constexpr (Bf16) {
            return flush(bf16_to_f32(half));
        } else {
            return static_cast<f32>(flush(std::bit_cast<f16>(static_cast<u16>(half))));
        }
    };
    row_buffer lo;
    row_buffer hi;
    for (int l = 0; l < lane_count; ++l) {
        const f32 low = element(a.lo[l], 0, false) * element(b.lo[l], 1, false);
        const f32 high = element(a.lo[l], 0, true) * element(b.lo[l], 1, true);
        const u32 flip = (i.neg_lo >> 2 & 1) != 0 ? 0x80000000u : 0;
        const f32 addend = flush(std::bit_cast<f32>(c.lo[l] ^ flip));
        // The guide adds the addend last for bf16 in VOP3P, first elsewhere.
        const f32 sum =
            Bf16 && Last == last_source::operand ? low + high + addend : addend + low + high;
        lo.lane[l] = to_bits(flush(sum));
    }
    finish<f32>(w, i, i.operands[0], 3, lo, hi);
}

constexpr auto mul_u16 = [](u16 a, u16 b) { return static_cast<u16>(u32{a} * b); };
constexpr auto mul_u16_sat = [](u16 a, u16 b) { return saturated<u16>(i64{a} * b); };
constexpr auto min_i16 = [](i16 a, i16 b) { return std::min(a, b); };
constexpr auto max_i16 = [](i16 a, i16 b) { return std::max(a, b); };
constexpr auto min_u16 = [](u16 a, u16 b) { return std::min(a, b); };
constexpr auto max_u16 = [](u16 a, u16 b) { return std::max(a, b); };
constexpr auto shl_16 = [](u16 a, u16 b) { return static_cast<u16>(b << (a & 15)); };
constexpr auto shr_16 = [](u16 a, u16 b) { return static_cast<u16>(b >> (a & 15)); };
constexpr auto ashr_16 = [](i16 a, i16 b) { return static_cast<i16>(b >> (a & 15)); };

constexpr auto add_f16 = [](f16 a, f16 b) { return add(a, b); };
constexpr auto mul_f16 = [](f16 a, f16 b) { return multiply(a, b); };
template <bool Largest>
constexpr auto extreme3_f16 = [](f16 a, f16 b, f16 c) { return extreme3<Largest>(a, b, c); };

constexpr u64 packed_int = mod::op_sel | mod::op_sel_hi | kind::packed;
constexpr u64 packed_sat = packed_int | mod::clamp;
constexpr u64 packed_float = packed_sat | mod::neg_lo | mod::neg_hi;
constexpr u64 mix = mod::op_sel | mod::op_sel_hi | mod::source_neg | mod::clamp | kind::mix;
constexpr u64 dot_int = mod::clamp | kind::dot;
constexpr u64 dot_float = dot_int | mod::neg_lo | mod::neg_hi;
constexpr u64 dot_vop2 = dot_int | mod::dpp | kind::reads_result;

constexpr instruction_row rows[] = {
    {"v_pk_mad_i16", packed_16<mad_16<i16>, mad_16_sat<i16>>, packed_sat},
    {"v_pk_mul_lo_u16", packed_16<mul_u16, mul_u16_sat>, packed_sat},
    {"v_pk_add_i16", packed_16<add_16<i16>, add_16_sat<i16>>, packed_sat},
    {"v_pk_sub_i16", packed_16<sub_16<i16>, sub_16_sat<i16>>, packed_sat},
    {"v_pk_lshlrev_b16", packed_16<shl_16, shl_16>, packed_int},
    {"v_pk_lshrrev_b16", packed_16<shr_16, shr_16>, packed_int},
    {"v_pk_ashrrev_i16", packed_16<ashr_16, ashr_16>, packed_int},
    {"v_pk_max_i16", packed_16<max_i16, max_i16>, packed_sat},
    {"v_pk_min_i16", packed_16<min_i16, min_i16>, packed_sat},
    {"v_pk_mad_u16", packed_16<mad_16<u16>, mad_16_sat<u16>>, packed_sat},
    {"v_pk_add_u16", packed_16<add_16<u16>, add_16_sat<u16>>, packed_sat},
    {"v_pk_sub_u16", packed_16<sub_16<u16>, sub_16_sat<u16>>, packed_sat},
    {"v_pk_max_u16", packed_16<max_u16, max_u16>, packed_sat},
    {"v_pk_min_u16", packed_16<min_u16, min_u16>, packed_sat},
    {"v_pk_fma_f16", packed_16_by_rounding<fma_f16, fma_f16_directed>, packed_float},
    {"v_pk_add_f16", packed_16<add_f16, add_f16>, packed_float},
    {"v_pk_mul_f16", packed_16<mul_f16, mul_f16>, packed_float},
    {"v_pk_min_f16", packed_16_by_ieee<min_op<true, f16>, min_op<false, f16>>, packed_float},
    {"v_pk_max_f16", packed_16_by_ieee<max_op<true, f16>, max_op<false, f16>>, packed_float},
    {"v_pk_minimum3_f16", packed_16<extreme3_f16<false>, extreme3_f16<false>>, packed_float, true},
    {"v_pk_maximum3_f16", packed_16<extreme3_f16<true>, extreme3_f16<true>>, packed_float, true},
    // The VOP2 form: no modifiers.
    {"v_pk_fmac_f16", packed_16_by_rounding<fma_f16, fma_f16_directed, last_source::destination>,
     mod::clamp | kind::packed | kind::reads_result},
    {"v_pk_fma_f32", packed_32<[](f32 a, f32 b, f32 c) { return fused(a, b, c); }>, packed_float},
    {"v_pk_mul_f32", packed_32<[](f32 a, f32 b) { return a * b; }>, packed_float},
    {"v_pk_add_f32", packed_32<[](f32 a, f32 b) { return a + b; }>, packed_float},
    {"v_pk_mov_b32", packed_mov, packed_int | kind::moves},
    // LLVM names the gfx9 instructions of the guide's V_MAD_MIX_* for what they do on these
    // targets.
    {"v_fma_mix_f32", fma_mix<mix_result::f32>, mix},
    {"v_fma_mixlo_f16", fma_mix<mix_result::f16_low>, mix | kind::keeps_part},
    {"v_fma_mixhi_f16", fma_mix<mix_result::f16_high>, mix | kind::keeps_part},
    {"v_mad_mix_f32", fma_mix<mix_result::f32>, mix},
    {"v_mad_mixlo_f16", fma_mix<mix_result::f16_low>, mix | kind::keeps_part},
    {"v_mad_mixhi_f16", fma_mix<mix_result::f16_high>, mix | kind::keeps_part},
    {"v_dot2_f32_f16", dot2_float<false, last_source::operand>, dot_float},
    {"v_dot2_f32_bf16", dot2_float<true, last_source::operand>, dot_float, true},
    {"v_dot2c_f32_f16", dot2_float<false, last_source::destination>, dot_vop2},
    {"v_dot2c_f32_bf16", dot2_float<true, last_source::destination>, dot_vop2, true},
    {"v_dot2_i32_i16", dot_integer<16, true, last_source::operand>, dot_int},
    {"v_dot2_u32_u16", dot_integer<16, false, last_source::operand>, dot_int},
    {"v_dot4_i32_i8", dot_integer<8, true, last_source::operand>, dot_int},
    {"v_dot4_u32_u8", dot_integer<8, false, last_source::operand>, dot_int},
    {"v_dot8_i32_i4", dot_integer<4, true, last_source::operand>, dot_int},
    {"v_dot8_u32_u4", dot_integer<4, false, last_source::operand>, dot_int},
    {"v_dot2c_i32_i16", dot_integer<16, true, last_source::destination>, dot_vop2},
    {"v_dot4c_i32_i8", dot_integer<8, true, last_source::destination>, dot_vop2},
    {"v_dot8c_i32_i4", dot_integer<4, true, last_source::destination>, dot_vop2},
};

}  // namespace

std::span<const instruction_row> vop_packed_rows() {
    return rows;
}

}  // namespace emu::inline OPUS_EMU_LEVEL
