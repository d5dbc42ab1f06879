// Vector ALU on integers and bits: VOP1, VOP2, VOP3 (ISA guide chapters 6, 12.7, 12.8, 12.11).
#include <algorithm>
#include <limits>

#include "isa/small_float.hpp"
#include "isa/vector.hpp"
#include "isa/vector_rows.hpp"

namespace emu::inline OPUS_EMU_LEVEL {
namespace {

constexpr i32 sign_24(u32 value) {
    return static_cast<i32>(value << 8) >> 8;
}
constexpr u32 low_24(u32 value) {
    return value & 0xffffff;
}

constexpr u32 difference(u32 a, u32 b) {
    return a > b ? a - b : b - a;
}

template <class Sum>
constexpr Sum sad_u8(u32 a, u32 b, Sum sum, bool skip_zero_reference) {
    for (u32 shift = 0; shift < 32; shift += 8) {
        const u32 reference = b >> shift & 0xff;
        if (!skip_zero_reference || reference != 0) {
            sum += difference(a >> shift & 0xff, reference);
        }
    }
    return sum;
}

// The four sums of absolute differences of four consecutive bytes of S0 and the bytes of S1, packed
// into 16 bits each and added to those of S2.
constexpr u64 qsad(u64 a, u32 b, u64 sums, bool skip_zero_reference) {
    u64 result = 0;
    for (int n = 0; n < 4; ++n) {
        const u32 sum = sad_u8(static_cast<u32>(a >> 8 * n), b,
                               static_cast<u32>(sums >> 16 * n & 0xffff), skip_zero_reference);
        result |= u64{sum & 0xffff} << 16 * n;
    }
    return result;
}

// The same with sums of 32 bits.
void mqsad_u32(wave& w, const instruction& i) {
    vector_source a;
    vector_source b;
    fetch<u64>(w, i, i.operands[1], 0, a);
    fetch<u32>(w, i, i.operands[2], 1, b);
    const lane_row* sums = register_rows(w, i, i.operands[3], 4, index_bit_src2);
    lane_row* destination = register_rows(w, i, i.operands[0], 4, index_bit_dst);
    row_buffer result[4];
    for (int n = 0; n < 4; ++n) {
        for (int l = 0; l < lane_count; ++l) {
            result[n].lane[l] = sad_u8(static_cast<u32>(lane_value<u64>(a, l) >> 8 * n), b.lo[l],
                                       sums[n].lane[static_cast<size_t>(l)], true);
        }
    }
    for (int n = 0; n < 4; ++n) {
        store_row(destination[n], result[n].lane, write_mask(w, i));
    }
}

// Bytes a and b averaged; bit 0 of c rounds up.
constexpr u32 lerp_u8(u32 a, u32 b, u32 c) {
    u32 result = 0;
    for (u32 shift = 0; shift < 32; shift += 8) {
        const u32 sum = (a >> shift & 0xff) + (b >> shift & 0xff) + (c >> shift & 1);
        result |= sum >> 1 << shift;
    }
    return result;
}

template <class T>
constexpr T median(T a, T b, T c) {
    return std::max(std::min(a, b), std::min(std::max(a, b), c));
}

// Byte `select` of {a, b}: 0 to 3 are b's, 4 to 7 are a's, 8 to 11 repeat a sign, then 0 and 0xff.
constexpr u32 permuted_byte(u32 a, u32 b, u32 select) {
    const u64 data = u64{a} << 32 | b;
    const u32 byte = static_cast<u32>(data >> (select & 7) * 8) & 0xff;
    const u32 sign = static_cast<u32>(data >> ((select & 3) * 16 + 15) & 1) * 0xff;
    return select >= 13 ? 0xff : select == 12 ? 0 : select >= 8 ? sign : byte;
}

constexpr u32 permute(u32 a, u32 b, u32 select) {
    return permuted_byte(a, b, select & 0xff) | permuted_byte(a, b, select >> 8 & 0xff) << 8 |
           permuted_byte(a, b, select >> 16 & 0xff) << 16 | permuted_byte(a, b, select >> 24) << 24;
}

constexpr u32 reverse(u32 value) {
    value = (value >> 1 & 0x55555555) | (value & 0x55555555) << 1;
    value = (value >> 2 & 0x33333333) | (value & 0x33333333) << 2;
    value = (value >> 4 & 0x0f0f0f0f) | (value & 0x0f0f0f0f) << 4;
    return __builtin_bswap32(value);
}

u32 find_high(u32 value) {
    return value == 0 ? ~0u : static_cast<u32>(std::countl_zero(value));
}
u32 find_low(u32 value) {
    return value == 0 ? ~0u : static_cast<u32>(std::countr_zero(value));
}

constexpr u32 extract(u32 value, u32 offset, u32 width) {
    return value >> (offset & 31) & ((1u << (width & 31)) - 1);
}

constexpr i32 extract_signed(u32 value, u32 offset, u32 width) {
    const u32 field = extract(value, offset, width);
    const u32 sign = (width & 31) == 0 ? 0 : 1u << ((width & 31) - 1);
    return static_cast<i32>((field ^ sign) - sign);
}

// ---- carry ----

u64 read_mask(const wave& w, const instruction& i, const operand& o) {
    return read_scalar<u64>(w, i, o);
}

// Lanes that are off get 0 in a mask that a vector instruction writes.
void write_lane_mask(wave& w, const instruction& i, const operand& o, u64 mask, u64 active) {
    write_scalar<u64>(w, i, o, mask & active);
}

// Op(a, b, carry_in) gives {result, carry_out}; with clamp a result that carried out is Saturated.
// Text: vdst, carry_out, a, b[, carry_in].
template <auto Op, bool CarryIn, u32 Saturated>
void carry_op(wave& w, const instruction& i) {
    vector_source a;
    vector_source b;
    fetch<u32>(w, i, i.operands[2], 0, a);
    fetch<u32>(w, i, i.operands[3], 1, b);
    const u64 carry_in = CarryIn ? read_mask(w, i, i.operands[4]) : 0;
    row_buffer lo;
    row_buffer hi;
    u64 carry = 0;
    const bool saturate = i.has(mod::clamp);
    for (int l = 0; l < lane_count; ++l) {
        const auto [result, out] = Op(a.lo[l], b.lo[l], static_cast<u32>(carry_in >> l & 1));
        lo.lane[l] = saturate && out ? Saturated : result;
        carry |= u64{out} << l;
    }
    const u64 mask = write_mask(w, i);
    finish<u32>(w, i, i.operands[0], 2, lo, hi);
    write_lane_mask(w, i, i.operands[1], carry, mask);
}

using carried = std::pair<u32, bool>;

carried add(u32 a, u32 b, u32 carry) {
    const u64 sum = u64{a} + b + carry;
    return {static_cast<u32>(sum), sum >> 32 != 0};
}

carried subtract(u32 a, u32 b, u32 borrow) {
    return {a - b - borrow, u64{b} + borrow > a};
}

constexpr auto add_op = [](u32 a, u32 b, u32 c) { return add(a, b, c); };
constexpr auto sub_op = [](u32 a, u32 b, u32 c) { return subtract(a, b, c); };
constexpr auto subrev_op = [](u32 a, u32 b, u32 c) { return subtract(b, a, c); };

// {bit 64, D} = S0 * S1 + S2, of the exact sum. Text: vdst pair, sdst, s0, s1, s2 pair.
template <class Narrow, class Wide>
void mad_64(wave& w, const instruction& i) {
    vector_source a;
    vector_source b;
    vector_source c;
    fetch<Narrow>(w, i, i.operands[2], 0, a);
    fetch<Narrow>(w, i, i.operands[3], 1, b);
    fetch<Wide>(w, i, i.operands[4], 2, c);
    row_buffer lo;
    row_buffer hi;
    u64 carry = 0;
    for (int l = 0; l < lane_count; ++l) {
        const Wide product = static_cast<Wide>(lane_value<Narrow>(a, l)) *
                             static_cast<Wide>(lane_value<Narrow>(b, l));
        Wide sum;
        const bool overflows = __builtin_add_overflow(product, lane_value<Wide>(c, l), &sum);
        // The exact sum of a signed one is negative where the 64 bits are, unless they overflowed.
        const bool bit_64 = std::is_signed_v<Wide> ? overflows != (sum < 0) : overflows;
        carry |= u64{bit_64} << l;
        put_lane(lo, hi, l, sum);
    }
    const u64 mask = write_mask(w, i);
    finish<Wide>(w, i, i.operands[0], 3, lo, hi);
    write_lane_mask(w, i, i.operands[1], carry, mask);
}

// D = mask ? S1 : S0. Text: vdst, s0, s1, mask.
void cndmask(wave& w, const instruction& i) {
    vector_source a;
    vector_source b;
    fetch<f32_bits>(w, i, i.operands[1], 0, a);
    fetch<f32_bits>(w, i, i.operands[2], 1, b);
    const u64 mask = read_mask(w, i, i.operands[3]);
    row_buffer lo;
    row_buffer hi;
    for (int l = 0; l < lane_count; ++l) {
        lo.lane[l] = (mask >> l & 1) != 0 ? b.lo[l] : a.lo[l];
    }
    finish<u32>(w, i, i.operands[0], 2, lo, hi);
}

// Set bits of the mask below this lane, in one half of the wave, plus S1.
template <bool High>
void mbcnt(wave& w, const instruction& i) {
    vector_source mask;
    vector_source sum;
    fetch<u32>(w, i, i.operands[1], 0, mask);
    fetch<u32>(w, i, i.operands[2], 1, sum);
    row_buffer lo;
    row_buffer hi;
    for (int l = 0; l < lane_count; ++l) {
        const u64 below = (u64{1} << l) - 1;
        const u32 half = static_cast<u32>(High ? below >> 32 : below);
        lo.lane[l] = static_cast<u32>(std::popcount(mask.lo[l] & half)) + sum.lo[l];
    }
    finish<u32>(w, i, i.operands[0], 2, lo, hi);
}

// The result bit is the truth table's bit {s0, s1, s2}.
template <class T>
void bitop3(wave& w, const instruction& i) {
    vector_source source[3];
    for (int n = 0; n < 3; ++n) {
        fetch<T>(w, i, i.operands[static_cast<size_t>(n + 1)], n, source[n]);
    }
    row_buffer lo;
    row_buffer hi;
    std::memset(lo.lane, 0, sizeof lo.lane);
    for (u32 index = 0; index < 8; ++index) {
        if ((i.bitop3 >> index & 1) == 0) {
            continue;
        }
        const u32 flip0 = (index & 4) != 0 ? 0 : ~0u;
        const u32 flip1 = (index & 2) != 0 ? 0 : ~0u;
        const u32 flip2 = (index & 1) != 0 ? 0 : ~0u;
        for (int l = 0; l < lane_count; ++l) {
            lo.lane[l] |=
                (source[0].lo[l] ^ flip0) & (source[1].lo[l] ^ flip1) & (source[2].lo[l] ^ flip2);
        }
    }
    finish<T, high_half::keep>(w, i, i.operands[0], 3, lo, hi);
}

void nothing(wave&, const instruction&) {}

constexpr auto keep = high_half::keep;

constexpr auto add_u32 = [](u32 a, u32 b) { return a + b; };
constexpr auto add_u32_sat = [](u32 a, u32 b) { return saturated<u32>(i64{a} + b); };
constexpr auto sub_u32 = [](u32 a, u32 b) { return a - b; };
constexpr auto sub_u32_sat = [](u32 a, u32 b) { return a > b ? a - b : 0; };
constexpr auto subrev_u32 = [](u32 a, u32 b) { return b - a; };
constexpr auto subrev_u32_sat = [](u32 a, u32 b) { return b > a ? b - a : 0; };
constexpr auto add_i32 = [](u32 a, u32 b) { return a + b; };
constexpr auto add_i32_sat = [](i32 a, i32 b) { return saturated<i32>(i64{a} + b); };
constexpr auto sub_i32 = [](u32 a, u32 b) { return a - b; };
constexpr auto sub_i32_sat = [](i32 a, i32 b) { return saturated<i32>(i64{a} - b); };
constexpr auto subrev_u16 = [](u16 a, u16 b) { return static_cast<u16>(b - a); };
constexpr auto subrev_u16_sat = [](u16 a, u16 b) { return saturated<u16>(i64{b} - a); };
constexpr auto mad_i24 = [](u32 a, u32 b, u32 c) {
    return static_cast<u32>(i64{sign_24(a)} * sign_24(b)) + c;
};
constexpr auto mad_i24_sat = [](u32 a, u32 b, i32 c) {
    return saturated<i32>(static_cast<i32>(i64{sign_24(a)} * sign_24(b)) + i64{c});
};
constexpr auto mad_u24 = [](u32 a, u32 b, u32 c) { return low_24(a) * low_24(b) + c; };
constexpr auto mad_u24_sat = [](u32 a, u32 b, u32 c) {
    return saturated<u32>(i64{low_24(a) * low_24(b)} + c);
};

using kind::masks;
using kind::moves;
constexpr u64 bits = vop_integer | masks;

constexpr instruction_row rows[] = {
    // VOP1
    {"v_nop", nothing, vop_integer},
    {"v_clrexcp", nothing},  // exceptions are not recorded
    {"v_mov_b32", vop<[](f32_bits a) { return a.bits; }>, vop_integer | mod::source_neg | moves},
    {"v_mov_b64", vop<[](f64_bits a) { return a.bits; }>, vop_integer | mod::source_neg | moves},
    {"v_accvgpr_mov_b32", vop<[](u32 a) { return a; }>, moves},
    {"v_accvgpr_read_b32", vop<[](u32 a) { return a; }>, moves},
    {"v_accvgpr_write_b32", vop<[](u32 a) { return a; }>, moves},
    {"v_not_b32", vop<[](u32 a) { return ~a; }>, bits},
    {"v_bfrev_b32", vop<[](u32 a) { return reverse(a); }>, vop_integer},
    {"v_ffbh_u32", vop<[](u32 a) { return find_high(a); }>, vop_integer},
    {"v_ffbl_b32", vop<[](u32 a) { return find_low(a); }>, vop_integer},
    {"v_ffbh_i32", vop<[](i32 a) { return find_high(static_cast<u32>(a ^ (a >> 31))); }>,
     vop_integer},
    {"v_sat_pk_u8_i16", vop<[](u32 a) {
         const u32 low = saturated<u16>(static_cast<i16>(a));
         const u32 high = saturated<u16>(static_cast<i16>(a >> 16));
         return static_cast<u16>(std::min(low, 255u) | std::min(high, 255u) << 8);
     }>,
     vop_integer},
    {"v_prng_b32", vop<[](u32 a) { return next_random(a); }>, vop_integer, true},
    // VOP2
    {"v_cndmask_b32", cndmask, vop_integer | mod::source_neg | kind::carry | moves},
    {"v_mul_i32_i24",
     vop_saturating<[](u32 a, u32 b) { return static_cast<u32>(i64{sign_24(a)} * sign_24(b)); },
                    [](u32 a, u32 b) { return saturated<i32>(i64{sign_24(a)} * sign_24(b)); }>,
     vop_integer_saturating},
    {"v_mul_hi_i32_i24",
     vop<[](u32 a, u32 b) { return static_cast<u32>(i64{sign_24(a)} * sign_24(b) >> 32); }>,
     vop_integer | kind::multiply32},
    {"v_mul_u32_u24",
     vop_saturating<[](u32 a, u32 b) { return low_24(a) * low_24(b); },
                    [](u32 a, u32 b) { return saturated<u32>(i64{low_24(a)} * low_24(b)); }>,
     vop_integer_saturating},
    {"v_mul_hi_u32_u24",
     vop<[](u32 a, u32 b) { return static_cast<u32>(u64{low_24(a)} * low_24(b) >> 32); }>,
     vop_integer | kind::multiply32},
    {"v_min_i32", vop<[](i32 a, i32 b) { return std::min(a, b); }>, vop_integer},
    {"v_max_i32", vop<[](i32 a, i32 b) { return std::max(a, b); }>, vop_integer},
    {"v_min_u32", vop<[](u32 a, u32 b) { return std::min(a, b); }>, vop_integer},
    {"v_max_u32", vop<[](u32 a, u32 b) { return std::max(a, b); }>, vop_integer},
    {"v_lshrrev_b32", vop<[](u32 a, u32 b) { return b >> (a & 31); }>, bits},
    {"v_ashrrev_i32", vop<[](u32 a, i32 b) { return b >> (a & 31); }>, bits},
    {"v_lshlrev_b32", vop<[](u32 a, u32 b) { return b << (a & 31); }>, bits},
    {"v_and_b32", vop<[](u32 a, u32 b) { return a & b; }>, bits},
    {"v_or_b32", vop<[](u32 a, u32 b) { return a | b; }>, bits},
    {"v_xor_b32", vop<[](u32 a, u32 b) { return a ^ b; }>, bits},
    {"v_xnor_b32", vop<[](u32 a, u32 b) { return ~(a ^ b); }>, vop_integer},
    {"v_add_co_u32", carry_op<add_op, false, ~0u>, vop_integer_saturating | kind::two_results},
    {"v_sub_co_u32", carry_op<sub_op, false, 0>, vop_integer_saturating | kind::two_results},
    {"v_subrev_co_u32", carry_op<subrev_op, false, 0>, vop_integer_saturating | kind::two_results},
    {"v_addc_co_u32", carry_op<add_op, true, ~0u>,
     vop_integer_saturating | kind::two_results | kind::carry},
    {"v_subb_co_u32", carry_op<sub_op, true, 0>,
     vop_integer_saturating | kind::two_results | kind::carry},
    {"v_subbrev_co_u32", carry_op<subrev_op, true, 0>,
     vop_integer_saturating | kind::two_results | kind::carry},
    {"v_add_u32", vop_saturating<add_u32, add_u32_sat>, vop_integer_saturating},
    {"v_sub_u32", vop_saturating<sub_u32, sub_u32_sat>, vop_integer_saturating},
    {"v_subrev_u32", vop_saturating<subrev_u32, subrev_u32_sat>, vop_integer_saturating},
    {"v_add_u16", vop_saturating<add_16<u16>, add_16_sat<u16>>, vop_integer_saturating},
    {"v_sub_u16", vop_saturating<sub_16<u16>, sub_16_sat<u16>>, vop_integer_saturating},
    {"v_subrev_u16", vop_saturating<subrev_u16, subrev_u16_sat>, vop_integer_saturating},
    {"v_mul_lo_u16",
     vop_saturating<[](u16 a, u16 b) { return static_cast<u16>(u32{a} * b); },
                    [](u16 a, u16 b) { return static_cast<u16>(std::min(u32{a} * b, 0xffffu)); }>,
     vop_integer_saturating},
    {"v_lshlrev_b16", vop<[](u16 a, u16 b) { return static_cast<u16>(b << (a & 15)); }>, bits},
    {"v_lshrrev_b16", vop<[](u16 a, u16 b) { return static_cast<u16>(b >> (a & 15)); }>, bits},
    {"v_ashrrev_i16", vop<[](u16 a, i16 b) { return static_cast<i16>(b >> (a & 15)); }>, bits},
    {"v_min_u16", vop<[](u16 a, u16 b) { return std::min(a, b); }>, vop_integer},
    {"v_max_u16", vop<[](u16 a, u16 b) { return std::max(a, b); }>, vop_integer},
    {"v_min_i16", vop<[](i16 a, i16 b) { return std::min(a, b); }>, vop_integer},
    {"v_max_i16", vop<[](i16 a, i16 b) { return std::max(a, b); }>, vop_integer},
    // VOP3
    {"v_add_i32", vop_saturating<add_i32, add_i32_sat>, mod::clamp},
    {"v_sub_i32", vop_saturating<sub_i32, sub_i32_sat>, mod::clamp},
    {"v_add_i16", vop_saturating<add_16<i16>, add_16_sat<i16>>, mod::clamp | mod::op_sel},
    {"v_sub_i16", vop_saturating<sub_16<i16>, sub_16_sat<i16>>, mod::clamp | mod::op_sel},
    {"v_mad_i32_i24", vop_saturating<mad_i24, mad_i24_sat>, mod::clamp},
    {"v_mad_u32_u24", vop_saturating<mad_u24, mad_u24_sat>, mod::clamp},
    {"v_mad_u16", vop_saturating<mad_16<u16>, mad_16_sat<u16>, keep>,
     mod::clamp | mod::op_sel | kind::keeps_part},
    {"v_mad_i16", vop_saturating<mad_16<i16>, mad_16_sat<i16>, keep>,
     mod::clamp | mod::op_sel | kind::keeps_part},
    {"v_mad_legacy_u16", vop_saturating<mad_16<u16>, mad_16_sat<u16>>, mod::clamp},
    {"v_mad_legacy_i16", vop_saturating<mad_16<i16>, mad_16_sat<i16>>, mod::clamp},
    {"v_mad_u32_u16",
     vop_saturating<[](u16 a, u16 b, u32 c) { return u32{a} * b + c; },
                    [](u16 a, u16 b, u32 c) { return saturated<u32>(i64{a} * b + c); }>,
     mod::clamp | mod::op_sel},
    {"v_mad_i32_i16",
     vop_saturating<[](i16 a, i16 b, u32 c) { return static_cast<u32>(i32{a} * b) + c; },
                    [](i16 a, i16 b, i32 c) { return saturated<i32>(i64{a} * b + c); }>,
     mod::clamp | mod::op_sel},
    {"v_mad_u64_u32", mad_64<u32, u64>, kind::multiply32 | kind::two_results | kind::by_halves},
    {"v_mad_i64_i32", mad_64<i32, i64>, kind::multiply32 | kind::two_results | kind::by_halves},
    {"v_mul_lo_u32", vop<[](u32 a, u32 b) { return a * b; }>, kind::multiply32},
    {"v_mul_hi_u32", vop<[](u32 a, u32 b) { return static_cast<u32>(u64{a} * b >> 32); }>,
     kind::multiply32},
    {"v_mul_hi_i32", vop<[](i32 a, i32 b) { return static_cast<i32>(i64{a} * b >> 32); }>,
     kind::multiply32},
    {"v_bfe_u32", vop<[](u32 a, u32 b, u32 c) { return extract(a, b, c); }>, masks},
    {"v_bfe_i32", vop<[](i32 a, u32 b, u32 c) {
         const u32 shifted = static_cast<u32>(a >> (b & 31));
         return extract_signed(shifted, 0, c);
     }>,
     masks},
    {"v_bfi_b32", vop<[](u32 a, u32 b, u32 c) { return (a & b) | (~a & c); }>, masks},
    {"v_bfm_b32", vop<[](u32 a, u32 b) { return ((1u << (a & 31)) - 1) << (b & 31); }>},
    {"v_bcnt_u32_b32", vop<[](u32 a, u32 b) { return static_cast<u32>(std::popcount(a)) + b; }>},
    {"v_mbcnt_lo_u32_b32", mbcnt<false>},
    {"v_mbcnt_hi_u32_b32", mbcnt<true>},
    {"v_alignbit_b32",
     vop<[](u32 a, u32 b, u32 c) { return static_cast<u32>((u64{a} << 32 | b) >> (c & 31)); }>,
     masks},
    {"v_alignbyte_b32",
     vop<[](u32 a, u32 b, u32 c) { return static_cast<u32>((u64{a} << 32 | b) >> 8 * (c & 3)); }>,
     masks},
    {"v_perm_b32", vop<[](u32 a, u32 b, u32 c) { return permute(a, b, c); }>, masks},
    {"v_min3_i32", vop<[](i32 a, i32 b, i32 c) { return std::min(std::min(a, b), c); }>},
    {"v_min3_u32", vop<[](u32 a, u32 b, u32 c) { return std::min(std::min(a, b), c); }>},
    {"v_max3_i32", vop<[](i32 a, i32 b, i32 c) { return std::max(std::max(a, b), c); }>},
    {"v_max3_u32", vop<[](u32 a, u32 b, u32 c) { return std::max(std::max(a, b), c); }>},
    {"v_med3_i32", vop<[](i32 a, i32 b, i32 c) { return median(a, b, c); }>},
    {"v_med3_u32", vop<[](u32 a, u32 b, u32 c) { return median(a, b, c); }>},
    {"v_min3_i16", vop<[](i16 a, i16 b, i16 c) { return std::min(std::min(a, b), c); }>,
     mod::clamp | mod::op_sel},
    {"v_min3_u16", vop<[](u16 a, u16 b, u16 c) { return std::min(std::min(a, b), c); }>,
     mod::clamp | mod::op_sel},
    {"v_max3_i16", vop<[](i16 a, i16 b, i16 c) { return std::max(std::max(a, b), c); }>,
     mod::clamp | mod::op_sel},
    {"v_max3_u16", vop<[](u16 a, u16 b, u16 c) { return std::max(std::max(a, b), c); }>,
     mod::clamp | mod::op_sel},
    {"v_med3_i16", vop<[](i16 a, i16 b, i16 c) { return median(a, b, c); }>,
     mod::clamp | mod::op_sel},
    {"v_med3_u16", vop<[](u16 a, u16 b, u16 c) { return median(a, b, c); }>,
     mod::clamp | mod::op_sel},
    {"v_sad_u8",
     vop_saturating<[](u32 a, u32 b, u32 c) { return sad_u8(a, b, c, false); },
                    [](u32 a, u32 b, u32 c) {
                        return saturated<u32>(sad_u8(a, b, i64{c}, false));
                    }>,
     mod::clamp},
    {"v_msad_u8",
     vop_saturating<[](u32 a, u32 b, u32 c) { return sad_u8(a, b, c, true); },
                    [](u32 a, u32 b, u32 c) { return saturated<u32>(sad_u8(a, b, i64{c}, true)); }>,
     mod::clamp},
    {"v_sad_hi_u8",
     vop_saturating<[](u32 a, u32 b, u32 c) { return (sad_u8(a, b, 0u, false) << 16) + c; },
                    [](u32 a, u32 b, u32 c) {
                        return saturated<u32>((sad_u8(a, b, i64{0}, false) << 16) + c);
                    }>,
     mod::clamp},
    {"v_sad_u16",
     vop_saturating<
         [](u32 a, u32 b, u32 c) {
             return difference(a & 0xffff, b & 0xffff) + difference(a >> 16, b >> 16) + c;
         },
         [](u32 a, u32 b, u32 c) {
             return saturated<u32>(i64{difference(a & 0xffff, b & 0xffff)} +
                                   difference(a >> 16, b >> 16) + c);
         }>,
     mod::clamp},
    {"v_qsad_pk_u16_u8", vop<[](u64 a, u32 b, u64 c) { return qsad(a, b, c, false); }>},
    {"v_mqsad_pk_u16_u8", vop<[](u64 a, u32 b, u64 c) { return qsad(a, b, c, true); }>},
    {"v_mqsad_u32_u8", mqsad_u32},
    {"v_lerp_u8", vop<[](u32 a, u32 b, u32 c) { return lerp_u8(a, b, c); }>},
    {"v_sad_u32",
     vop_saturating<[](u32 a, u32 b, u32 c) { return difference(a, b) + c; },
                    [](u32 a, u32 b, u32 c) { return saturated<u32>(i64{difference(a, b)} + c); }>,
     mod::clamp},
    {"v_xad_u32", vop<[](u32 a, u32 b, u32 c) { return (a ^ b) + c; }>},
    {"v_lshl_add_u32", vop<[](u32 a, u32 b, u32 c) { return (a << (b & 31)) + c; }>, masks},
    {"v_add_lshl_u32", vop<[](u32 a, u32 b, u32 c) { return (a + b) << (c & 31); }>},
    {"v_add3_u32", vop<[](u32 a, u32 b, u32 c) { return a + b + c; }>},
    {"v_lshl_or_b32", vop<[](u32 a, u32 b, u32 c) { return a << (b & 31) | c; }>, masks},
    {"v_and_or_b32", vop<[](u32 a, u32 b, u32 c) { return (a & b) | c; }>, masks},
    {"v_or3_b32", vop<[](u32 a, u32 b, u32 c) { return a | b | c; }>, masks},
    // A shift count above 4 acts as 0 (ISA guide 12.11, V_LSHL_ADD_U64).
    {"v_lshl_add_u64",
     vop<[](u64 a, u32 b, u64 c) { return (a << ((b & 7) > 4 ? 0 : b & 7)) + c; }>,
     masks | kind::by_halves},
    {"v_lshlrev_b64", vop<[](u32 a, u64 b) { return b << (a & 63); }>, masks | kind::by_halves},
    {"v_lshrrev_b64", vop<[](u32 a, u64 b) { return b >> (a & 63); }>, masks},
    {"v_ashrrev_i64", vop<[](u32 a, i64 b) { return b >> (a & 63); }>, masks},
    {"v_pack_b32_f16", vop<[](f16 a, f16 b) {
         return u32{std::bit_cast<u16>(a)} | u32{std::bit_cast<u16>(b)} << 16;
     }>,
     mod::op_sel | mod::source_neg | kind::copies | masks},
    {"v_bitop3_b32", bitop3<u32>, mod::bitop3 | masks, true},
    {"v_bitop3_b16", bitop3<u16>, mod::bitop3 | mod::op_sel | masks, true},
    {"v_ashr_pk_i8_i32",
     vop<
         [](i32 a, i32 b, u32 c) {
             const i32 low = std::clamp(a >> (c & 31), -128, 127);
             const i32 high = std::clamp(b >> (c & 31), -128, 127);
             return static_cast<u16>((low & 0xff) | (high & 0xff) << 8);
         },
         keep>,
     mod::op_sel | masks | kind::keeps_part, true},
    {"v_ashr_pk_u8_i32",
     vop<
         [](i32 a, i32 b, u32 c) {
             const i32 low = std::clamp(a >> (c & 31), 0, 255);
             const i32 high = std::clamp(b >> (c & 31), 0, 255);
             return static_cast<u16>(low | high << 8);
         },
         keep>,
     mod::op_sel | masks | kind::keeps_part, true},
};

}  // namespace

std::span<const instruction_row> vop_int_rows() {
    return rows;
}

}  // namespace emu::inline OPUS_EMU_LEVEL
