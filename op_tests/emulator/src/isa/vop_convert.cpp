// Conversions between number formats (ISA guide 12.8 and 12.11, formats in 7.3).
#include <algorithm>
#include <limits>

#include "isa/small_float.hpp"
#include "isa/vector_rows.hpp"

namespace emu::inline OPUS_EMU_LEVEL {
namespace {

// Truncates, saturates; NaN is 0.
template <class To, class From>
To to_integer(From value) {
    constexpr f64 low = static_cast<f64>(std::numeric_limits<To>::min());
    constexpr f64 high = static_cast<f64>(std::numeric_limits<To>::max());
    const f64 wide = static_cast<f64>(value);
    const f64 bounded = wide >= high ? high : wide > low ? wide : low;
    return wide != wide ? To{0} : static_cast<To>(bounded);
}

// f32_to_u8: truncates and saturates like the other conversions.
u32 to_byte(f32 value) {
    return to_integer<u8>(value);
}

// Scaled by 32767 or 65535 (DX snorm and unorm) and rounded once: the product is exact in f64.
u16 to_snorm(f32 value) {
    const f64 bounded = value != value ? 0 : std::clamp(static_cast<f64>(value), -1.0, 1.0);
    return static_cast<u16>(static_cast<i16>(__builtin_nearbyint(bounded * 32767)));
}
u16 to_unorm(f32 value) {
    const f64 bounded = value != value ? 0 : std::clamp(static_cast<f64>(value), 0.0, 1.0);
    return static_cast<u16>(__builtin_nearbyint(bounded * 65535));
}

// Towards zero: nearest even, then one step back if the magnitude grew. What would become infinity
// is the largest finite number, a true infinity stays.
f16 to_half_toward_zero(f32 value) {
    const f16 nearest = static_cast<f16>(value);
    u16 bits = std::bit_cast<u16>(nearest);
    const f32 back = static_cast<f32>(nearest);
    if (__builtin_fabsf(back) > __builtin_fabsf(value)) {
        --bits;
    }
    return std::bit_cast<f16>(bits);
}

u32 pack(u32 low, u32 high) {
    return (low & 0xffff) | high << 16;
}

// D = {Convert(S1), Convert(S0)}
template <auto Convert>
void to_packed_half(wave& w, const instruction& i) {
    row_buffer half[2];
    row_buffer unused;
    for (int n = 0; n < 2; ++n) {
        vector_source source;
        fetch<f32>(w, i, i.operands[static_cast<size_t>(n + 1)], n, source);
        for (int l = 0; l < lane_count; ++l) {
            put_lane(half[n], unused, l, Convert(lane_value<f32>(source, l)));
        }
        if (w.float_effects != 0) [[unlikely]] {
            for (int l = 0; l < lane_count && limits_overflow(w); ++l) {
                half[n].lane[l] = limited(i, half[n].lane[l], lane_value<f32>(source, l));
            }
            flush_result<f16>(w, half[n], unused);
        }
    }
    for (int l = 0; l < lane_count; ++l) {
        half[0].lane[l] = pack(half[0].lane[l], half[1].lane[l]);
    }
    finish<u32>(w, i, i.operands[0], 2, half[0], unused);
}

template <int Byte>
f32 from_byte(u32 value) {
    return static_cast<f32>(value >> 8 * Byte & 0xff);
}

// ---- fp8 and bf8 ----

// The decoded value of every code, per target and format.
struct decode_table {
    f32 value[256];
    explicit decode_table(const small_format& format) {
        for (u32 code = 0; code < 256; ++code) {
            value[code] = decode_small(format, code);
        }
    }
};

template <bool Bf8>
const decode_table& table_of(gfx_target target) {
    static const decode_table fnuz(Bf8 ? bf8_fnuz : fp8_fnuz);
    static const decode_table ocp(Bf8 ? bf8_ocp : fp8_ocp);
    return info_of(target).has_ocp_floats ? ocp : fnuz;
}

template <bool Bf8>
const small_format& format_of(gfx_target target) {
    return Bf8 ? bf8_of(target) : fp8_of(target);
}

// SDWA selects the byte or the word of source 0; fetch() has moved it down.
template <bool Bf8>
void from_fp8(wave& w, const instruction& i) {
    vector_source source;
    fetch<u32>(w, i, i.operands[1], 0, source);
    const decode_table& table = table_of<Bf8>(i.target);
    row_buffer lo;
    row_buffer hi;
    for (int l = 0; l < lane_count; ++l) {
        put_lane(lo, hi, l, table.value[source.lo[l] & 0xff]);
    }
    finish<f32>(w, i, i.operands[0], 1, lo, hi);
}

template <bool Bf8>
void from_packed_fp8(wave& w, const instruction& i) {
    vector_source source;
    fetch<u32>(w, i, i.operands[1], 0, source);
    const decode_table& table = table_of<Bf8>(i.target);
    row_buffer lo;
    row_buffer hi;
    for (int l = 0; l < lane_count; ++l) {
        lo.lane[l] = to_bits(table.value[source.lo[l] & 0xff]);
        hi.lane[l] = to_bits(table.value[source.lo[l] >> 8 & 0xff]);
    }
    // Two dwords that no 64-bit modifier applies to.
    finish<u64>(w, i, i.operands[0], 1, lo, hi);
}

// Two results in the half of the destination that op_sel[3] selects; the other half is kept.
template <bool Bf8>
void to_packed_fp8(wave& w, const instruction& i) {
    vector_source a;
    vector_source b;
    fetch<f32>(w, i, i.operands[1], 0, a);
    fetch<f32>(w, i, i.operands[2], 1, b);
    const small_format& format = format_of<Bf8>(i.target);
    lane_row& destination = *register_rows(w, i, i.operands[0], 1, index_bit_dst);
    const u32 shift = (i.op_sel >> 2 & 1) != 0 ? 16 : 0;  // printed third
    const bool limit = limits_overflow(w);
    row_buffer lo;
    for (int l = 0; l < lane_count; ++l) {
        const u32 codes = encode_small(format, lane_value<f32>(a, l), limit) |
                          encode_small(format, lane_value<f32>(b, l), limit) << 8;
        lo.lane[l] =
            (destination.lane[static_cast<size_t>(l)] & ~(0xffffu << shift)) | codes << shift;
    }
    store_row(destination, lo.lane, write_mask(w, i));
}

// One result in the byte op_sel[3:2]; S1's high bits are the random part.
template <bool Bf8>
void to_fp8_stochastic(wave& w, const instruction& i) {
    vector_source a;
    vector_source b;
    fetch<f32>(w, i, i.operands[1], 0, a);
    fetch<u32>(w, i, i.operands[2], 1, b);
    const small_format& format = format_of<Bf8>(i.target);
    lane_row& destination = *register_rows(w, i, i.operands[0], 1, index_bit_dst);
    const u32 shift = (i.op_sel >> 2 & 3u) * 8;
    const bool limit = limits_overflow(w);
    row_buffer lo;
    for (int l = 0; l < lane_count; ++l) {
        const u32 code = encode_small_stochastic(format, static_cast<f64>(lane_value<f32>(a, l)),
                                                 b.lo[l], limit);
        lo.lane[l] = (destination.lane[static_cast<size_t>(l)] & ~(0xffu << shift)) | code << shift;
    }
    store_row(destination, lo.lane, write_mask(w, i));
}

// The byte S1[1:0] of S2 is replaced.
constexpr auto pack_byte = [](f32 a, u32 b, u32 c) {
    const u32 shift = (b & 3) * 8;
    return (c & ~(0xffu << shift)) | to_byte(a) << shift;
};

// Infinities and NaNs as without the random part.
constexpr auto to_half_stochastic = [](f32 a, u32 random) {
    return __builtin_isfinite(a) ? std::bit_cast<f16>(static_cast<u16>(encode_small_stochastic(
                                       f16_ieee, static_cast<f64>(a), random)))
                                 : static_cast<f16>(a);
};
constexpr auto to_bf16_stochastic = [](f32 a, u32 random) {
    return __builtin_isfinite(a)
               ? static_cast<u16>(encode_small_stochastic(bf16_ieee, static_cast<f64>(a), random))
               : f32_to_bf16(a);
};

constexpr u64 vop3_from_float = mod::source_neg | mod::clamp;

constexpr u64 nearest = vop_from_float | kind::nearest;
constexpr u64 nearest_vop3 = vop3_from_float | kind::nearest;
constexpr u64 to_part = mod::op_sel | mod::source_neg | kind::nearest | kind::keeps_part;

constexpr instruction_row rows[] = {
    {"v_cvt_i32_f64", vop<[](f64 a) { return to_integer<i32>(a); }>, vop3_from_float},
    {"v_cvt_u32_f64", vop<[](f64 a) { return to_integer<u32>(a); }>, vop3_from_float},
    {"v_cvt_f64_i32", vop<[](i32 a) { return static_cast<f64>(a); }>, vop_to_float},
    {"v_cvt_f64_u32", vop<[](u32 a) { return static_cast<f64>(a); }>, vop_to_float},
    {"v_cvt_f32_i32", vop<[](i32 a) { return static_cast<f32>(a); }>, vop_to_float},
    {"v_cvt_f32_u32", vop<[](u32 a) { return static_cast<f32>(a); }>, vop_to_float},
    {"v_cvt_u32_f32", vop<[](f32 a) { return to_integer<u32>(a); }>, vop_from_float},
    {"v_cvt_i32_f32", vop<[](f32 a) { return to_integer<i32>(a); }>, vop_from_float},
    {"v_cvt_f16_f32", vop<[](f32 a) { return to_half(a); }>, vop_float},
    {"v_cvt_f32_f16", vop<[](f16 a) { return static_cast<f32>(a); }>, vop_float},
    {"v_cvt_f32_f64", vop<[](f64 a) { return static_cast<f32>(a); }>, vop_float},
    {"v_cvt_f64_f32", vop<[](f32 a) { return static_cast<f64>(a); }>, vop_float},
    {"v_cvt_rpi_i32_f32", vop<[](f32 a) { return to_integer<i32>(__builtin_floorf(a + 0.5f)); }>,
     nearest},
    {"v_cvt_flr_i32_f32", vop<[](f32 a) { return to_integer<i32>(__builtin_floorf(a)); }>, nearest},
    {"v_cvt_off_f32_i4",
     vop<[](u32 a) { return static_cast<f32>(static_cast<i32>(a << 28) >> 28) * 0.0625f; }>,
     vop_to_float},
    {"v_cvt_f32_ubyte0", vop<[](u32 a) { return from_byte<0>(a); }>, vop_to_float},
    {"v_cvt_f32_ubyte1", vop<[](u32 a) { return from_byte<1>(a); }>, vop_to_float},
    {"v_cvt_f32_ubyte2", vop<[](u32 a) { return from_byte<2>(a); }>, vop_to_float},
    {"v_cvt_f32_ubyte3", vop<[](u32 a) { return from_byte<3>(a); }>, vop_to_float},
    {"v_cvt_f16_u16", vop<[](u16 a) { return to_half(static_cast<f32>(a)); }>, vop_to_float},
    {"v_cvt_f16_i16", vop<[](i16 a) { return to_half(static_cast<f32>(a)); }>, vop_to_float},
    {"v_cvt_u16_f16", vop<[](f16 a) { return to_integer<u16>(a); }>, vop_from_float},
    {"v_cvt_i16_f16", vop<[](f16 a) { return to_integer<i16>(a); }>, vop_from_float},
    {"v_cvt_norm_i16_f16", vop<[](f16 a) { return to_snorm(static_cast<f32>(a)); }>,
     vop_from_float},
    {"v_cvt_norm_u16_f16", vop<[](f16 a) { return to_unorm(static_cast<f32>(a)); }>,
     vop_from_float},
    {"v_cvt_pkrtz_f16_f32", to_packed_half<[](f32 a) { return to_half_toward_zero(a); }>, nearest},
    {"v_cvt_pknorm_i16_f32", vop<[](f32 a, f32 b) { return pack(to_snorm(a), to_snorm(b)); }>,
     vop3_from_float | kind::converts_two},
    {"v_cvt_pknorm_u16_f32", vop<[](f32 a, f32 b) { return pack(to_unorm(a), to_unorm(b)); }>,
     vop3_from_float | kind::converts_two},
    {"v_cvt_pknorm_i16_f16", vop<[](f16 a, f16 b) {
         return pack(to_snorm(static_cast<f32>(a)), to_snorm(static_cast<f32>(b)));
     }>,
     vop3_from_float | mod::op_sel | kind::converts_two},
    {"v_cvt_pknorm_u16_f16", vop<[](f16 a, f16 b) {
         return pack(to_unorm(static_cast<f32>(a)), to_unorm(static_cast<f32>(b)));
     }>,
     vop3_from_float | mod::op_sel | kind::converts_two},
    {"v_cvt_pk_u16_u32",
     vop<[](u32 a, u32 b) { return pack(std::min(a, 0xffffu), std::min(b, 0xffffu)); }>},
    {"v_cvt_pk_i16_i32", vop<[](i32 a, i32 b) {
         return pack(static_cast<u32>(std::clamp(a, -0x8000, 0x7fff)),
                     static_cast<u32>(std::clamp(b, -0x8000, 0x7fff)));
     }>},
    {"v_cvt_pk_u8_f32", vop<pack_byte>, mod::source_neg},
    {"v_cvt_pkaccum_u8_f32", vop<pack_byte, high_half::zero, last_source::destination>,
     mod::source_neg | kind::keeps_part},
    {"v_cvt_f32_fp8", from_fp8<false>, mod::sdwa | mod::dpp | mod::clamp},
    {"v_cvt_f32_bf8", from_fp8<true>, mod::sdwa | mod::dpp | mod::clamp},
    {"v_cvt_pk_f32_fp8", from_packed_fp8<false>, mod::sdwa},
    {"v_cvt_pk_f32_bf8", from_packed_fp8<true>, mod::sdwa},
    {"v_cvt_pk_fp8_f32", to_packed_fp8<false>, to_part | kind::converts_two},
    {"v_cvt_pk_bf8_f32", to_packed_fp8<true>, to_part | kind::converts_two},
    {"v_cvt_sr_fp8_f32", to_fp8_stochastic<false>, to_part},
    {"v_cvt_sr_bf8_f32", to_fp8_stochastic<true>, to_part},
    {"v_cvt_sr_f16_f32", vop<to_half_stochastic, high_half::keep>, to_part, true},
    {"v_cvt_sr_bf16_f32", vop<to_bf16_stochastic, high_half::keep>, to_part, true},
    {"v_cvt_pk_f16_f32", to_packed_half<[](f32 a) { return static_cast<f16>(a); }>, nearest_vop3,
     true},
    {"v_cvt_pk_bf16_f32", vop<[](f32 a, f32 b) { return pack(f32_to_bf16(a), f32_to_bf16(b)); }>,
     nearest_vop3, true},
    {"v_cvt_f32_bf16", vop<[](bf16_bits a) { return bf16_to_f32(a.bits); }>, vop_to_float, true},
};

}  // namespace

std::span<const instruction_row> vop_convert_rows() {
    return rows;
}

}  // namespace emu::inline OPUS_EMU_LEVEL
