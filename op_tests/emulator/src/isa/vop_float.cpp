// Vector ALU on floating-point numbers: VOP1, VOP2, VOP3 (ISA guide 12.7, 12.8, 12.11).
//
// Nothing is contracted: multiply and add round separately. What MODE changes is in float_mode.hpp.
#include <algorithm>
#include <limits>

#include "isa/float_math.hpp"
#include "isa/vector_rows.hpp"

namespace emu::inline OPUS_EMU_LEVEL {
namespace {

f32 widen(f16 a) {
    return static_cast<f32>(a);
}
f16 narrow(f32 a) {
    return to_half(a);
}

// 0 times anything is 0 (ISA guide, V_MUL_LEGACY_F32).
f32 multiply_legacy(f32 a, f32 b) {
    return a == 0 || b == 0 ? 0.0f : a * b;
}

// The guide's transcendental functions flush f32 denormals, have 1 ULP and start from f64 here.
f32 reciprocal(f32 a) {
    return flush(1.0f / flush(a));
}
f32 square_root(f32 a) {
    return __builtin_sqrtf(flush(a));
}
f32 reciprocal_root(f32 a) {
    return static_cast<f32>(1.0 / __builtin_sqrt(static_cast<f64>(flush(a))));
}
f32 exponential(f32 a) {
    return flush(__builtin_exp2f(flush(a)));
}
f32 logarithm(f32 a) {
    // NaN of the guide's examples: 0xffc00000.
    const f32 value = flush(a);
    return value < 0 ? from_bits<f32>(0xffc00000) : __builtin_log2f(value);
}

constexpr f64 two_pi = 6.283185307179586476925286766559;

// The argument is in revolutions. Quarters are exact.
f64 sine_of_revolutions(f64 a) {
    const f64 rest = a - __builtin_floor(a);
    if (rest == 0) {
        return a == 0 ? a : 0.0;
    }
    if (rest == 0.25) {
        return 1;
    }
    if (rest == 0.5) {
        return 0;
    }
    if (rest == 0.75) {
        return -1;
    }
    return __builtin_sin(rest * two_pi);
}

f64 cosine_of_revolutions(f64 a) {
    const f64 rest = a - __builtin_floor(a);
    if (rest == 0.25 || rest == 0.75) {
        return 0;
    }
    if (rest == 0.5) {
        return -1;
    }
    return __builtin_cos(rest * two_pi);
}

f32 sine(f32 a) {
    return static_cast<f32>(sine_of_revolutions(static_cast<f64>(a)));
}
f32 cosine(f32 a) {
    return static_cast<f32>(cosine_of_revolutions(static_cast<f64>(a)));
}

// x - floor(x), at most the largest number below 1.
f32 fraction(f32 a) {
    const f32 value = a - __builtin_floorf(a);
    return value >= 1 ? from_bits<f32>(0x3f7fffff) : value;
}
f64 fraction(f64 a) {
    const f64 value = a - __builtin_floor(a);
    return value >= 1 ? from_bits<f64>(0x3fefffffffffffff) : value;
}
f16 fraction(f16 a) {
    const f32 value = widen(a) - __builtin_floorf(widen(a));
    const f16 rounded = narrow(value);
    return rounded >= f16(1) ? from_bits<f16>(0x3bff) : rounded;
}

template <class T>
i32 frexp_exponent(T a) {
    if (is_nan(a) || is_infinite(a) || a == T(0)) {
        return 0;
    }
    int exponent;
    __builtin_frexp(static_cast<f64>(a), &exponent);
    return exponent;
}

template <class T>
T frexp_mantissa(T a) {
    if (is_nan(a) || is_infinite(a) || a == T(0)) {
        return a;
    }
    int exponent;
    return static_cast<T>(__builtin_frexp(static_cast<f64>(a), &exponent));
}

// ldexp of an f16 in f32 is exact before the one rounding to f16; 64 is enough for zero and infinity.
f16 scale(f16 a, i16 exponent) {
    return narrow(__builtin_ldexpf(widen(a), std::clamp(int{exponent}, -64, 64)));
}

// ---- division macro ----

// The compiler would multiply constants as nearest even does.
template <class T>
T product_at_run_time(T a, T b) {
    volatile T factor = a;
    return factor * b;
}

// The special cases of numerator / denominator; elsewhere the magnitude of the quotient with the
// right sign. V_DIV_FIXUP_*: S0 quotient, S1 denominator, S2 numerator.
template <class T>
T div_fixup(T quotient, T denominator, T numerator) {
    const bool negative = sign_of(denominator) != sign_of(numerator);
    const auto with_sign = [&](T magnitude) {
        return negative ? static_cast<T>(-magnitude) : magnitude;
    };
    const T infinity = static_cast<T>(__builtin_inf());
    const T default_nan = quiet(from_bits<T>(to_bits(static_cast<T>(-infinity))));
    if (is_nan(numerator)) {
        return quiet(numerator);
    }
    if (is_nan(denominator)) {
        return quiet(denominator);
    }
    if (denominator == T(0) && numerator == T(0)) {
        return default_nan;
    }
    if (is_infinite(denominator) && is_infinite(numerator)) {
        return default_nan;
    }
    if (denominator == T(0) || is_infinite(numerator)) {
        return with_sign(infinity);
    }
    if (is_infinite(denominator) || numerator == T(0)) {
        return with_sign(T(0));
    }
    if constexpr (sizeof(T) > 2) {
        const int difference = exponent_of(numerator) - exponent_of(denominator);
        // UNDERFLOW and OVERFLOW are rounded as MODE says, to nearest even to zero and infinity. The
        // guide's condition for OVERFLOW (an infinite denominator) cannot be met; this is the
        // quotient's own.
        if (difference < (sizeof(T) == 4 ? -150 : -1075)) {
            return product_at_run_time(with_sign(std::numeric_limits<T>::min()),
                                       std::numeric_limits<T>::min());
        }
        if (difference > (sizeof(T) == 4 ? 128 : 1024)) {
            return product_at_run_time(with_sign(std::numeric_limits<T>::max()),
                                       std::numeric_limits<T>::max());
        }
    }
    const T magnitude = from_bits<T>(
        static_cast<typename float_format<T>::bits>(to_bits(quotient) & ~sign_mask_v<T>));
    return with_sign(magnitude);
}

template <class T>
struct scaled {
    T value;
    bool needs_fmas_scale;  // the lane's VCC bit
};

// Whether |numerator / denominator| is below the smallest normal number. Both sides of the comparison
// are exact where it matters: a smaller denominator, whose product is a denormal, has a large
// quotient.
template <class T>
bool quotient_is_tiny(T denominator, T numerator) {
    constexpr int up = sizeof(T) == 4 ? 70 : 600;
    constexpr int down = up + (sizeof(T) == 4 ? -126 : -1022);
    const auto scaled_by = [](T value, int power) {
        const auto factor = static_cast<T>(__builtin_ldexp(1.0, power));
        return static_cast<T>((value < 0 ? -value : value) * factor);
    };
    return scaled_by(numerator, up) < scaled_by(denominator, down);
}

// V_DIV_SCALE_*: S0 is the same value as S1 (denominator) or S2 (numerator).
template <class T>
scaled<T> div_scale(T value, T denominator, T numerator) {
    constexpr bool single = sizeof(T) == 4;
    constexpr int step = single ? 64 : 128;
    const auto up = [&] { return static_cast<T>(__builtin_ldexp(value, step)); };
    const auto down = [&] { return static_cast<T>(__builtin_ldexp(value, -step)); };
    const auto same = [](T a, T b) { return to_bits(a) == to_bits(b); };
    // The guide tests whether the quotient is a denormal. It has to be the unrounded one: also one that
    // rounds to 0 or to the smallest normal number needs the scaling to be rounded correctly.
    // The guide tests 1.0 / 64'F(S1.f32) for an f64 denormal, which it never is; v_rcp_f32 flushes
    // f32 denormals, so the scaling is needed exactly where the f32 reciprocal is one.
    const bool tiny_reciprocal =
        single ? is_denormal(static_cast<f32>(1.0 / static_cast<f64>(denominator)))
               : is_denormal(1.0 / static_cast<f64>(denominator));
    const bool tiny_quotient = quotient_is_tiny(denominator, numerator);
    if (numerator == T(0) || denominator == T(0)) {
        return {static_cast<T>(__builtin_nan("")), false};
    }
    if (exponent_of(numerator) - exponent_of(denominator) >= (single ? 96 : 768)) {
        return {same(value, denominator) ? up() : value, true};
    }
    if (is_denormal(denominator)) {
        return {up(), false};
    }
    // The guide scales this denominator up, which would overflow; the reciprocal needs it smaller.
    if (tiny_reciprocal && tiny_quotient) {
        return {same(value, denominator) ? down() : value, true};
    }
    if (tiny_reciprocal) {
        return {down(), false};
    }
    if (tiny_quotient) {
        return {same(value, numerator) ? up() : value, true};
    }
    if (exponent_of(numerator) <= (single ? 23 : 53)) {
        return {up(), false};
    }
    return {value, false};
}

// Text: vdst, sdst, s0, s1, s2.
template <class T>
void div_scale_op(wave& w, const instruction& i) {
    vector_source source[3];
    for (int n = 0; n < 3; ++n) {
        fetch<T>(w, i, i.operands[static_cast<size_t>(n + 2)], n, source[n]);
    }
    row_buffer lo;
    row_buffer hi;
    u64 vcc = 0;
    for (int l = 0; l < lane_count; ++l) {
        const auto result = div_scale(lane_value<T>(source[0], l), lane_value<T>(source[1], l),
                                      lane_value<T>(source[2], l));
        put_lane(lo, hi, l, result.value);
        vcc |= u64{result.needs_fmas_scale} << l;
    }
    const u64 exec = w.exec();
    finish<T>(w, i, i.operands[0], 3, lo, hi);
    write_scalar<u64>(w, i, i.operands[1], vcc & exec);
}

// (a * b + c) * 2**power, rounded once.
// @pre `round` is the host's round mode as MODE has it
template <class T>
T fused_and_scaled(T a, T b, T c, int power, u32 round) {
    const T sum = fused(a, b, c);
    if (is_nan(sum) || is_infinite(sum) || sum == T(0)) {
        return sum;
    }
    // Exact integers times powers of two; the width holds both terms up to a distance at which the
    // smaller one matters only by its sign.
    using integer = _BitInt(512);
    constexpr int far_away = 300;
    struct term {
        integer significand;
        int exponent;
    };
    constexpr int mantissa = float_format<T>::mantissa;
    const auto term_of = [](T value) {
        const int exponent = std::max(exponent_of(value), 1);
        const auto magnitude = static_cast<u64>(to_bits(value) & ~sign_mask_v<T>);
        const u64 fraction = magnitude & ((u64{1} << mantissa) - 1);
        const u64 leading = exponent_of(value) == 0 ? 0 : u64{1} << mantissa;
        const integer significand = static_cast<integer>(fraction | leading);
        return term{sign_of(value) ? -significand : significand,
                    exponent - float_format<T>::bias - mantissa};
    };
    const term ta = term_of(a);
    const term tb = term_of(b);
    term large{ta.significand * tb.significand, ta.exponent + tb.exponent};
    term small = term_of(c);
    if (large.significand == 0 || (small.significand != 0 && small.exponent > large.exponent)) {
        std::swap(large, small);
    }
    int distance = large.exponent - small.exponent;
    if (distance > far_away || small.significand == 0) {
        small.significand = (small.significand > 0) - (small.significand < 0);
        distance = far_away;
    }
    const integer exact = (large.significand << distance) + small.significand;
    const bool negative = exact < 0;
    const auto magnitude = static_cast<unsigned _BitInt(512)>(negative ? -exact : exact);
    const int exponent = large.exponent - distance + power;
    int width = 0;
    for (auto rest = magnitude; rest != 0; rest >>= 1) {
        ++width;
    }
    constexpr int smallest = 1 - float_format<T>::bias - mantissa;
    const int last_bit = std::max(exponent + width - 1 - mantissa, smallest);
    const int dropped = last_bit - exponent;
    auto kept = dropped > 0 ? magnitude >> dropped : magnitude << -dropped;
    if (dropped > 0) {
        const auto rest = magnitude - (kept << dropped);
        const auto half = static_cast<unsigned _BitInt(512)>(1) << (dropped - 1);
        const bool up = round == round_mode::nearest
                            ? rest > half || (rest == half && (kept & 1) != 0)
                        : round == round_mode::up   ? rest != 0 && !negative
                        : round == round_mode::down ? rest != 0 && negative
                                                    : false;
        kept += up;
    }
    // With its sign, by which an overflow is rounded. Not from u64: compilers convert that by a
    // difference, and 0 becomes -0 where the host rounds down.
    const auto whole = static_cast<f64>(static_cast<i64>(kept));
    return static_cast<T>(__builtin_ldexp(negative ? -whole : whole, last_bit));
}

// fma(S0, S1, S2); in the lanes of VCC times 2**64 or 2**-64 (f64: 2**128), whichever undoes the
// scaling of V_DIV_SCALE: it scaled the denominator of a large quotient or the numerator of a small
// one, and S2 is nearly the scaled quotient. (The guide has 2**32 and 2**64, which undo neither.)
// Rounded once, also to a denormal.
template <class T>
void div_fmas(wave& w, const instruction& i) {
    vector_source source[3];
    for (int n = 0; n < 3; ++n) {
        fetch<T>(w, i, i.operands[static_cast<size_t>(n + 1)], n, source[n]);
    }
    row_buffer lo;
    row_buffer hi;
    for (int l = 0; l < lane_count; ++l) {
        put_lane(lo, hi, l,
                 fused(lane_value<T>(source[0], l), lane_value<T>(source[1], l),
                       lane_value<T>(source[2], l)));
    }
    const u32 round = sizeof(T) == 4 ? w.mode & 3 : w.mode >> 2 & 3;
    for (u64 lanes = w.vcc() & w.exec(); lanes != 0; lanes &= lanes - 1) {
        const int l = std::countr_zero(lanes);
        constexpr int step = sizeof(T) == 4 ? 64 : 128;
        const T addend = lane_value<T>(source[2], l);
        const int power = exponent_of(addend) > float_format<T>::bias ? step : -step;
        put_lane(lo, hi, l,
                 fused_and_scaled(lane_value<T>(source[0], l), lane_value<T>(source[1], l), addend,
                                  power, round));
    }
    finish<T>(w, i, i.operands[0], 3, lo, hi);
}

// v_fmamk: text vdst, s0, constant, s1; v_fmaak: vdst, s0, s1, constant. Both are fma in order.
constexpr auto fma_f32 = [](f32 a, f32 b, f32 c) { return fused(a, b, c); };
constexpr auto fma_f64 = [](f64 a, f64 b, f64 c) { return fused(a, b, c); };
// "Denormals are flushed" in every mode (ISA guide, V_MAD_F16; V_MAC_F16 and its like do not have the
// "supports denormals" of V_ADD_F16).
constexpr auto mad_f16 = [](f16 a, f16 b, f16 c) {
    return flush(add(multiply(flush(a), flush(b)), flush(c)));
};

template <bool Ieee, class T>
constexpr auto min3_op = [](T a, T b, T c) { return minimum<Ieee>(minimum<Ieee>(a, b), c); };
template <bool Ieee, class T>
constexpr auto max3_op = [](T a, T b, T c) { return maximum<Ieee>(maximum<Ieee>(a, b), c); };
template <bool Ieee, class T>
constexpr auto med3_op = [](T a, T b, T c) { return median<Ieee>(a, b, c); };

// 2/pi below the binary point, the first bit in the first word's highest: 1201 bits, then zeros.
constexpr u64 two_over_pi[] = {
    0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561,
    0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484,
    0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f,
    0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d, 0x7527bac7ebe5f17b,
    0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b0000,
};

// Segment `number` of 53 bits of 2/pi, of those that count for an argument as large as x. The
// guide's formula masks the low 53 bits of the shifted number; that the whole part is kept, its
// text and the scale say: the bits behind the first `shift` ones.
f64 two_over_pi_segment(f64 x, u32 number) {
    const int exponent = static_cast<int>(std::bit_cast<u64>(x) >> 52 & 0x7ff);
    const int shift = static_cast<int>(number & 31) * 53 + std::max(exponent - 1077, 0);
    const auto word = [](size_t n) { return n < std::size(two_over_pi) ? two_over_pi[n] : 0; };
    const size_t first = static_cast<size_t>(shift) / 64;
    const int skipped = shift % 64;
    const u64 bits =
        word(first) << skipped | (skipped == 0 ? 0 : word(first + 1) >> (64 - skipped));
    const int scale = -53 - shift + (exponent >= 1968 ? 128 : 0);
    // A denormal result is rounded towards zero.
    const int lost = std::clamp(-1074 - scale, 0, 63);
    return __builtin_ldexp(static_cast<f64>(bits >> 11 >> lost << lost), scale);
}

// v_cubema and its like choose the face by the largest coordinate, z before y before x.
struct cube_face {
    bool z;
    bool y;
};
cube_face face_of(f32 x, f32 y, f32 z) {
    const f32 ax = __builtin_fabsf(x);
    const f32 ay = __builtin_fabsf(y);
    const f32 az = __builtin_fabsf(z);
    return {az >= ax && az >= ay, ay >= ax};
}

constexpr auto keep = high_half::keep;
constexpr auto destination = last_source::destination;
constexpr auto zero = high_half::zero;

constexpr u64 vop3_float = mod::source_neg | mod::clamp | mod::omod;
constexpr u64 vop3_half = vop3_float | mod::op_sel;

constexpr u64 trans = vop_float | kind::trans;
constexpr u64 divides = trans | kind::of_zero_infinite;
constexpr u64 trans_64 = vop3_float | kind::trans;
constexpr u64 sum = vop_float | kind::reads_result;

constexpr instruction_row rows[] = {
    // f32
    {"v_add_f32", vop<[](f32 a, f32 b) { return a + b; }>, vop_float},
    {"v_sub_f32", vop<[](f32 a, f32 b) { return a - b; }>, vop_float},
    {"v_subrev_f32", vop<[](f32 a, f32 b) { return b - a; }>, vop_float},
    {"v_mul_f32", vop<[](f32 a, f32 b) { return a * b; }>, vop_float},
    {"v_mul_legacy_f32", vop<[](f32 a, f32 b) { return multiply_legacy(a, b); }>, vop_float},
    {"v_min_f32", vop_by_ieee<min_op<true, f32>, min_op<false, f32>>, vop_float},
    {"v_max_f32", vop_by_ieee<max_op<true, f32>, max_op<false, f32>>, vop_float},
    {"v_fma_f32", vop<fma_f32>, vop3_float},
    {"v_fmac_f32", vop<fma_f32, zero, destination>, sum},
    {"v_fmamk_f32", vop<fma_f32>, kind::literal},
    {"v_fmaak_f32", vop<fma_f32>, kind::literal},
    {"v_min3_f32", vop_by_ieee<min3_op<true, f32>, min3_op<false, f32>>, vop3_float},
    {"v_max3_f32", vop_by_ieee<max3_op<true, f32>, max3_op<false, f32>>, vop3_float},
    {"v_med3_f32", vop_by_ieee<med3_op<true, f32>, med3_op<false, f32>>, vop3_float},
    {"v_minimum3_f32", vop<[](f32 a, f32 b, f32 c) { return extreme3<false>(a, b, c); }>,
     vop3_float, true},
    {"v_maximum3_f32", vop<[](f32 a, f32 b, f32 c) { return extreme3<true>(a, b, c); }>, vop3_float,
     true},
    {"v_fract_f32", vop<[](f32 a) { return fraction(a); }>, vop_float},
    {"v_trunc_f32", vop<[](f32 a) { return __builtin_truncf(a); }>, vop_float},
    {"v_ceil_f32", vop<[](f32 a) { return __builtin_ceilf(a); }>, vop_float},
    {"v_rndne_f32", vop<[](f32 a) { return __builtin_roundevenf(a); }>, vop_float},
    {"v_floor_f32", vop<[](f32 a) { return __builtin_floorf(a); }>, vop_float},
    {"v_exp_f32", vop<[](f32 a) { return exponential(a); }>, trans},
    {"v_exp_legacy_f32", vop<[](f32 a) { return exponential(a); }>, trans},
    {"v_log_f32", vop<[](f32 a) { return logarithm(a); }>, trans},
    {"v_log_legacy_f32", vop<[](f32 a) { return logarithm(a); }>, trans},
    {"v_rcp_f32", vop<[](f32 a) { return reciprocal(a); }>, trans},
    {"v_rcp_iflag_f32", vop<[](f32 a) { return reciprocal(a); }>, trans},
    {"v_rsq_f32", vop<[](f32 a) { return reciprocal_root(a); }>, trans},
    {"v_sqrt_f32", vop<[](f32 a) { return square_root(a); }>, trans},
    {"v_sin_f32", vop<[](f32 a) { return sine(a); }>, trans},
    {"v_cos_f32", vop<[](f32 a) { return cosine(a); }>, trans},
    {"v_frexp_exp_i32_f32", vop<[](f32 a) { return frexp_exponent(a); }>, vop_from_float},
    {"v_frexp_mant_f32", vop<[](f32 a) { return frexp_mantissa(a); }>, vop_float},
    {"v_ldexp_f32", vop<[](f32 a, i32 b) { return __builtin_ldexpf(a, b); }>, vop3_float},
    {"v_div_scale_f32", div_scale_op<f32>, kind::two_results},
    {"v_div_fmas_f32", div_fmas<f32>, vop3_float | kind::div_fmas},
    {"v_div_fixup_f32", vop<[](f32 a, f32 b, f32 c) { return div_fixup(a, b, c); }>,
     vop3_float | kind::div_fixup},
    {"v_cubeid_f32", vop<[](f32 x, f32 y, f32 z) {
         const cube_face face = face_of(x, y, z);
         return face.z   ? (z < 0 ? 5.0f : 4.0f)
                : face.y ? (y < 0 ? 3.0f : 2.0f)
                : x < 0  ? 1.0f
                         : 0.0f;
     }>,
     vop3_float},
    {"v_cubesc_f32", vop<[](f32 x, f32 y, f32 z) {
         const cube_face face = face_of(x, y, z);
         return face.z ? (z < 0 ? -x : x) : face.y ? x : x < 0 ? z : -z;
     }>,
     vop3_float},
    {"v_cubetc_f32", vop<[](f32 x, f32 y, f32 z) {
         const cube_face face = face_of(x, y, z);
         return face.z || !face.y ? -y : y < 0 ? -z : z;
     }>,
     vop3_float},
    {"v_cubema_f32", vop<[](f32 x, f32 y, f32 z) {
         const cube_face face = face_of(x, y, z);
         return 2.0f * (face.z ? z : face.y ? y : x);
     }>,
     vop3_float},
    // f64
    {"v_add_f64", vop<[](f64 a, f64 b) { return a + b; }>, vop3_float},
    {"v_mul_f64", vop<[](f64 a, f64 b) { return a * b; }>, vop3_float},
    {"v_min_f64", vop_by_ieee<min_op<true, f64>, min_op<false, f64>>, vop3_float},
    {"v_max_f64", vop_by_ieee<max_op<true, f64>, max_op<false, f64>>, vop3_float},
    {"v_fma_f64", vop<fma_f64>, vop3_float},
    {"v_fmac_f64", vop<fma_f64, zero, destination>, sum},
    {"v_fract_f64", vop<[](f64 a) { return fraction(a); }>, vop3_float},
    {"v_trunc_f64", vop<[](f64 a) { return __builtin_trunc(a); }>, vop3_float},
    {"v_ceil_f64", vop<[](f64 a) { return __builtin_ceil(a); }>, vop3_float},
    {"v_rndne_f64", vop<[](f64 a) { return __builtin_roundeven(a); }>, vop3_float},
    {"v_floor_f64", vop<[](f64 a) { return __builtin_floor(a); }>, vop3_float},
    {"v_rcp_f64", vop<[](f64 a) { return 1.0 / a; }>, trans_64},
    {"v_rsq_f64", vop<[](f64 a) { return 1.0 / __builtin_sqrt(a); }>, trans_64},
    {"v_sqrt_f64", vop<[](f64 a) { return __builtin_sqrt(a); }>, trans_64},
    {"v_frexp_exp_i32_f64", vop<[](f64 a) { return frexp_exponent(a); }>, vop3_float},
    {"v_frexp_mant_f64", vop<[](f64 a) { return frexp_mantissa(a); }>, vop3_float},
    {"v_ldexp_f64", vop<[](f64 a, i32 b) { return __builtin_ldexp(a, b); }>, vop3_float},
    {"v_div_scale_f64", div_scale_op<f64>, kind::two_results},
    {"v_div_fmas_f64", div_fmas<f64>, vop3_float | kind::div_fmas},
    {"v_div_fixup_f64", vop<[](f64 a, f64 b, f64 c) { return div_fixup(a, b, c); }>,
     vop3_float | kind::div_fixup},
    {"v_trig_preop_f64", vop<[](f64 a, u32 b) { return two_over_pi_segment(a, b); }>,
     vop3_float | kind::nearest},
    // f16
    {"v_add_f16", vop<[](f16 a, f16 b) { return add(a, b); }>, vop_float},
    {"v_sub_f16", vop<[](f16 a, f16 b) { return subtract(a, b); }>, vop_float},
    {"v_subrev_f16", vop<[](f16 a, f16 b) { return subtract(b, a); }>, vop_float},
    {"v_mul_f16", vop<[](f16 a, f16 b) { return multiply(a, b); }>, vop_float},
    {"v_min_f16", vop_by_ieee<min_op<true, f16>, min_op<false, f16>>, vop_float},
    {"v_max_f16", vop_by_ieee<max_op<true, f16>, max_op<false, f16>>, vop_float},
    {"v_mac_f16", vop<mad_f16, zero, destination>, sum},
    {"v_madmk_f16", vop<mad_f16>, kind::literal},
    {"v_madak_f16", vop<mad_f16>, kind::literal},
    {"v_mad_f16", vop<mad_f16, keep>, vop3_half | kind::keeps_part},
    {"v_mad_legacy_f16", vop<mad_f16>, vop3_float},
    {"v_fma_f16", vop_by_rounding<fma_f16, fma_f16_directed, keep>, vop3_half | kind::keeps_part},
    {"v_fma_legacy_f16", vop_by_rounding<fma_f16, fma_f16_directed>, vop3_float},
    {"v_min3_f16", vop_by_ieee<min3_op<true, f16>, min3_op<false, f16>>, vop3_half},
    {"v_max3_f16", vop_by_ieee<max3_op<true, f16>, max3_op<false, f16>>, vop3_half},
    {"v_med3_f16", vop_by_ieee<med3_op<true, f16>, med3_op<false, f16>>, vop3_half},
    {"v_fract_f16", vop<[](f16 a) { return fraction(a); }>, vop_float},
    {"v_trunc_f16", vop<[](f16 a) { return narrow(__builtin_truncf(widen(a))); }>, vop_float},
    {"v_ceil_f16", vop<[](f16 a) { return narrow(__builtin_ceilf(widen(a))); }>, vop_float},
    {"v_rndne_f16", vop<[](f16 a) { return narrow(__builtin_roundevenf(widen(a))); }>, vop_float},
    {"v_floor_f16", vop<[](f16 a) { return narrow(__builtin_floorf(widen(a))); }>, vop_float},
    {"v_exp_f16", vop<[](f16 a) { return narrow(__builtin_exp2f(widen(a))); }>, trans},
    {"v_log_f16", vop<[](f16 a) { return narrow(logarithm(widen(a))); }>, divides},
    {"v_rcp_f16", vop<[](f16 a) { return narrow(1.0f / widen(a)); }>, divides},
    {"v_rsq_f16", vop<[](f16 a) { return narrow(reciprocal_root(widen(a))); }>, divides},
    {"v_sqrt_f16", vop<[](f16 a) { return narrow(__builtin_sqrtf(widen(a))); }>, trans},
    {"v_sin_f16", vop<[](f16 a) { return narrow(sine(widen(a))); }>, trans},
    {"v_cos_f16", vop<[](f16 a) { return narrow(cosine(widen(a))); }>, trans},
    {"v_frexp_exp_i16_f16", vop<[](f16 a) { return static_cast<i16>(frexp_exponent(a)); }>,
     vop_from_float},
    {"v_frexp_mant_f16", vop<[](f16 a) { return frexp_mantissa(a); }>, vop_float},
    {"v_ldexp_f16", vop<[](f16 a, i16 b) { return scale(a, b); }>, vop_float | mod::source_sext},
    {"v_div_fixup_f16", vop<[](f16 a, f16 b, f16 c) { return div_fixup(a, b, c); }, keep>,
     vop3_half | kind::div_fixup | kind::keeps_part},
    {"v_div_fixup_legacy_f16", vop<[](f16 a, f16 b, f16 c) { return div_fixup(a, b, c); }>,
     vop3_float | kind::div_fixup},
};

}  // namespace

std::span<const instruction_row> vop_float_rows() {
    return rows;
}

}  // namespace emu::inline OPUS_EMU_LEVEL
