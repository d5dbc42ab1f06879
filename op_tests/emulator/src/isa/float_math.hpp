// Floating-point functions of one lane, shared by the f16, f32 and f64 instructions.
#pragma once

#include <algorithm>
#include <cfenv>

#include "isa/vector.hpp"

namespace emu::inline OPUS_EMU_LEVEL {

template <class T>
struct float_format;
template <>
struct float_format<f16> {
    using bits = u16;
    static constexpr int mantissa = 10;
    static constexpr int bias = 15;
};
template <>
struct float_format<f32> {
    using bits = u32;
    static constexpr int mantissa = 23;
    static constexpr int bias = 127;
};
template <>
struct float_format<f64> {
    using bits = u64;
    static constexpr int mantissa = 52;
    static constexpr int bias = 1023;
};

template <class T>
constexpr typename float_format<T>::bits to_bits(T value) {
    return std::bit_cast<typename float_format<T>::bits>(value);
}

template <class T>
constexpr T from_bits(typename float_format<T>::bits value) {
    return std::bit_cast<T>(value);
}

template <class T>
constexpr typename float_format<T>::bits sign_mask_v =
    static_cast<typename float_format<T>::bits>(1ull << (sizeof(T) * 8 - 1));

template <class T>
bool is_nan(T value) {
    return value != value;
}

template <class T>
bool sign_of(T value) {
    return (to_bits(value) & sign_mask_v<T>) != 0;
}

template <class T>
bool is_infinite(T value) {
    constexpr auto infinity = to_bits(static_cast<T>(__builtin_inf()));
    return static_cast<typename float_format<T>::bits>(to_bits(value) & ~sign_mask_v<T>) ==
           infinity;
}

// The biased exponent field.
template <class T>
int exponent_of(T value) {
    constexpr int width = static_cast<int>(sizeof(T)) * 8 - 1 - float_format<T>::mantissa;
    return static_cast<int>(to_bits(value) >> float_format<T>::mantissa & ((1u << width) - 1));
}

template <class T>
bool is_denormal(T value) {
    return exponent_of(value) == 0 && value != T(0);
}

template <class T>
constexpr typename float_format<T>::bits quiet_bit_v =
    static_cast<typename float_format<T>::bits>(1ull << (float_format<T>::mantissa - 1));

template <class T>
bool is_signaling(T value) {
    return is_nan(value) && (to_bits(value) & quiet_bit_v<T>) == 0;
}

template <class T>
T quiet(T nan) {
    return from_bits<T>(static_cast<typename float_format<T>::bits>(to_bits(nan) | quiet_bit_v<T>));
}

// A denormal becomes a zero of its sign.
template <class T>
T flush(T value) {
    return is_denormal(value) ? from_bits<T>(to_bits(value) & sign_mask_v<T>) : value;
}

// V_MIN_F32, V_MAX_F32 of ISA guide 12.7: a number wins over a quiet NaN, -0 < +0, and in IEEE mode
// a signaling NaN is quieted and returned.
template <bool Ieee, bool Largest, class T>
T extreme(T a, T b) {
    if (Ieee && is_signaling(a)) {
        return quiet(a);
    }
    if (Ieee && is_signaling(b)) {
        return quiet(b);
    }
    if (is_nan(a)) {
        return b;
    }
    if (is_nan(b)) {
        return a;
    }
    return (a == b ? sign_of(a) : a < b) != Largest ? a : b;
}
template <bool Ieee, class T>
T minimum(T a, T b) {
    return extreme<Ieee, false>(a, b);
}
template <bool Ieee, class T>
T maximum(T a, T b) {
    return extreme<Ieee, true>(a, b);
}

// gfx950 V_MINIMUM3_F32, V_MAXIMUM3_F32: a NaN wins.
template <bool Largest>
constexpr auto extreme3 = []<class T>(T a, T b, T c) {
    return is_nan(a)   ? quiet(a)
           : is_nan(b) ? quiet(b)
           : is_nan(c) ? quiet(c)
                       : extreme<true, Largest>(extreme<true, Largest>(a, b), c);
};

// V_MED3_F32
template <bool Ieee, class T>
T median(T a, T b, T c) {
    if (is_nan(a) || is_nan(b) || is_nan(c)) {
        return minimum<Ieee>(minimum<Ieee>(a, b), c);
    }
    const T largest = maximum<Ieee>(maximum<Ieee>(a, b), c);
    if (largest == a) {
        return maximum<Ieee>(b, c);
    }
    if (largest == b) {
        return maximum<Ieee>(a, c);
    }
    return maximum<Ieee>(a, b);
}

// To f16 in a round mode of MODE, whatever the host's is.
inline f16 to_half(f32 value, u32 round) {
    const u32 bits = std::bit_cast<u32>(value);
    const u32 sign = bits >> 16 & 0x8000;
    const u32 magnitude = bits & 0x7fffffff;
    if (magnitude >= 0x7f800000) {
        const u32 nan = magnitude == 0x7f800000 ? 0 : 0x200 | (magnitude >> 13 & 0x3ff);
        return std::bit_cast<f16>(static_cast<u16>(sign | 0x7c00 | nan));
    }
    // The significand has `dropped` bits below the last one of an f16 of this size.
    const auto exponent = static_cast<int>(magnitude >> 23);
    const u32 significand = (magnitude & 0x7fffff) | (magnitude >> 23 != 0 ? 0x800000u : 0);
    const int dropped = std::min(exponent < 113 ? 126 - exponent : 13, 31);
    const u32 rest = significand & ((1u << dropped) - 1);
    const u32 half = 1u << (dropped - 1);
    u32 code =
        (significand >> dropped) + (exponent < 113 ? 0 : static_cast<u32>(exponent - 113) << 10);
    const bool up = round == round_mode::nearest ? rest > half || (rest == half && (code & 1) != 0)
                    : round == round_mode::up    ? rest != 0 && sign == 0
                    : round == round_mode::down  ? rest != 0 && sign != 0
                                                 : false;
    code += up;
    if (code >= 0x7c00) {
        const bool infinite = round == round_mode::nearest ||
                              round == (sign == 0 ? round_mode::up : round_mode::down);
        code = infinite ? 0x7c00 : 0x7bff;
    }
    return std::bit_cast<f16>(static_cast<u16>(sign | code));
}

// To f16 as the host rounds.
inline f16 to_half(f32 value) {
#if defined(__F16C__) || defined(__aarch64__)
    return static_cast<f16>(value);
#else
    // A function of the compiler's library, which knows nearest even only.
    switch (std::fegetround()) {
        case FE_UPWARD:
            return to_half(value, round_mode::up);
        case FE_DOWNWARD:
            return to_half(value, round_mode::down);
        case FE_TOWARDZERO:
            return to_half(value, round_mode::toward_zero);
        default:
            return static_cast<f16>(value);
    }
#endif
}

// In the other round modes the two roundings, to f32 and to f16, are one.
inline f16 fused_directed(f16 a, f16 b, f16 c) {
    return to_half(static_cast<f32>(a) * static_cast<f32>(b) + static_cast<f32>(c));
}

// One rounding. f16: the product is exact in f32, and its sum with c is rounded to odd there, so
// that the second rounding, to f16, sees whether anything was lost.
inline f32 fused(f32 a, f32 b, f32 c) {
    return __builtin_fmaf(a, b, c);
}
inline f64 fused(f64 a, f64 b, f64 c) {
    return __builtin_fma(a, b, c);
}
inline f16 fused(f16 a, f16 b, f16 c) {  // @pre the host rounds to nearest even
    const f32 product = static_cast<f32>(a) * static_cast<f32>(b);
    const f32 addend = static_cast<f32>(c);
    const f32 sum = product + addend;
    const f32 rest = sum - product;
    const f32 error = (product - (sum - rest)) + (addend - rest);
    u32 bits = std::bit_cast<u32>(sum);
    // An even last bit of an inexact sum is moved towards the lost part, which makes it odd.
    const u32 toward_error = (error > 0) == (sum > 0) ? 1 : ~u32{0};
    const bool adjust = error == error && error != 0 && (bits & 1) == 0;
    bits += adjust ? toward_error : 0;
    return static_cast<f16>(std::bit_cast<f32>(bits));
}

// f16 operations of one rounding: f32 has more than twice the bits, so rounding its result again
// is exact.
inline f16 add(f16 a, f16 b) {
    return to_half(static_cast<f32>(a) + static_cast<f32>(b));
}
inline f16 subtract(f16 a, f16 b) {
    return to_half(static_cast<f32>(a) - static_cast<f32>(b));
}
inline f16 multiply(f16 a, f16 b) {
    return to_half(static_cast<f32>(a) * static_cast<f32>(b));
}

constexpr auto fma_f16 = [](f16 a, f16 b, f16 c) { return fused(a, b, c); };
constexpr auto fma_f16_directed = [](f16 a, f16 b, f16 c) { return fused_directed(a, b, c); };

template <bool Ieee, class T>
constexpr auto min_op = [](T a, T b) { return minimum<Ieee>(a, b); };
template <bool Ieee, class T>
constexpr auto max_op = [](T a, T b) { return maximum<Ieee>(a, b); };

}  // namespace emu::inline OPUS_EMU_LEVEL
