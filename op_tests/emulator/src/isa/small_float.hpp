// Formats below 32 bits: decoding is exact, encoding rounds to nearest even.
#pragma once

#include "isa/float_math.hpp"

namespace emu::inline OPUS_EMU_LEVEL {

enum class special_values {
    ieee,      // the largest exponent holds infinities and NaNs (E5M2 OCP)
    nan_ones,  // only S.1111.111 is NaN, no infinity (E4M3 OCP)
    fnuz,      // only 0x80 is NaN, no infinity, no -0 (gfx942)
    none,      // every code is a number; conversions saturate (FP6, FP4)
};

struct small_format {
    int exponent_bits;
    int mantissa_bits;
    int bias;
    special_values special;
    constexpr int bits() const { return 1 + exponent_bits + mantissa_bits; }
};

// ISA guide table 30; the gfx942 formats have one more bias.
constexpr small_format fp8_ocp{4, 3, 7, special_values::nan_ones};
constexpr small_format bf8_ocp{5, 2, 15, special_values::ieee};
constexpr small_format fp8_fnuz{4, 3, 8, special_values::fnuz};
constexpr small_format bf8_fnuz{5, 2, 16, special_values::fnuz};
constexpr small_format fp6_e2m3{2, 3, 1, special_values::none};
constexpr small_format bf6_e3m2{3, 2, 3, special_values::none};
constexpr small_format fp4_e2m1{2, 1, 1, special_values::none};
constexpr small_format f16_ieee{5, 10, 15, special_values::ieee};
constexpr small_format bf16_ieee{8, 7, 127, special_values::ieee};

// 2**exponent for the exponents of normal f64 numbers.
constexpr f64 power_of_two(int exponent) {
    return std::bit_cast<f64>(static_cast<u64>(exponent + 1023) << 52);
}

// The code of the largest magnitude.
constexpr u32 largest_code(const small_format& format) {
    const u32 magnitude_ones = (1u << (format.bits() - 1)) - 1;
    if (format.special == special_values::nan_ones) {
        return magnitude_ones - 1;
    }
    if (format.special == special_values::ieee) {
        return magnitude_ones - (1u << format.mantissa_bits);
    }
    return magnitude_ones;
}

// Without branches, so that a loop over lanes is one of vectors.
constexpr f32 decode_small(const small_format& format, u32 code) {
    const u32 sign = code >> (format.bits() - 1) & 1;
    const u32 magnitude = code & ((1u << (format.bits() - 1)) - 1);
    // Where f32 has exponent and mantissa. A subnormal number is first 1.mantissa of the smallest
    // exponent, from which the 1 is taken.
    const u32 fields = magnitude << (23 - format.mantissa_bits);
    const u32 bias = static_cast<u32>(127 - format.bias) << 23;
    const u32 of_subnormal = bias + (1u << 23);
    const f32 normal = std::bit_cast<f32>(fields + bias);
    const f32 subnormal =
        std::bit_cast<f32>(fields + of_subnormal) - std::bit_cast<f32>(of_subnormal);
    const f32 number = magnitude >> format.mantissa_bits == 0 ? subnormal : normal;
    const u32 largest = largest_code(format);
    const bool is_infinity = format.special == special_values::ieee && magnitude == largest + 1;
    const bool is_nan = format.special == special_values::fnuz
                            ? sign > magnitude
                            : magnitude > largest && !is_infinity;
    // (1 - 1 is -0 where the host rounds down.)
    const u32 bits = is_infinity ? 0x7f800000 : std::bit_cast<u32>(number) & 0x7fffffff;
    return std::bit_cast<f32>(is_nan ? 0x7fc00000 : bits | sign << 31);
}

constexpr u32 nan_code(const small_format& format) {
    return format.special == special_values::fnuz ? 1u << (format.bits() - 1)
                                                  : (1u << (format.bits() - 1)) - 1;
}

// What is too large, infinity included, becomes the largest number in the formats without infinity
// and NaN and with `limit` (FP16_OVFL; ISA guide 7.3). With `truncate` the part below the last bit is
// dropped: the last step of stochastic rounding.
constexpr u32 encode_small(const small_format& format, f64 value, bool limit = false,
                           bool truncate = false) {
    const bool negative = std::bit_cast<u64>(value) >> 63 != 0;
    const u32 sign = negative ? 1u << (format.bits() - 1) : 0;
    if (value != value) {
        // FP6 and FP4 have no NaN and give the largest number.
        return format.special == special_values::none   ? sign | largest_code(format)
               : format.special == special_values::fnuz ? nan_code(format)
                                                        : sign | nan_code(format);
    }
    const f64 magnitude = negative ? -value : value;
    const u32 largest = largest_code(format);
    const bool saturates = limit || format.special == special_values::none;
    const u32 overflow = saturates                                ? sign | largest
                         : format.special == special_values::ieee ? sign | (largest + 1)
                         : format.special == special_values::fnuz ? nan_code(format)
                                                                  : sign | nan_code(format);
    if (magnitude > 1e300) {  // infinity
        return overflow;
    }
    // The spacing of the format at this magnitude, at least that of its denormals.
    const int exponent =
        magnitude == 0 ? -1022 : static_cast<int>(std::bit_cast<u64>(magnitude) >> 52) - 1023;
    const int smallest = 1 - format.bias;
    const int power = (exponent < smallest ? smallest : exponent) - format.mantissa_bits;
    const f64 scaled = magnitude * power_of_two(-power);  // exact
    u64 steps = static_cast<u64>(scaled);
    const f64 rest = scaled - static_cast<f64>(steps);
    if (!truncate && (rest > 0.5 || (rest == 0.5 && (steps & 1) != 0))) {
        ++steps;
    }
    // Counting steps from the binade's start is the code itself, also when rounding carries.
    const u64 binade = exponent < smallest ? 0 : static_cast<u64>(exponent - smallest);
    const u32 code = static_cast<u32>(steps + (binade << format.mantissa_bits));
    if (code > largest) {
        return overflow;
    }
    if (code == 0 && format.special == special_values::fnuz) {
        return 0;  // no -0
    }
    return sign | code;
}

// Stochastic rounding: as many high bits of `random` as f32 has below the last bit that is kept are
// added there, then the sum is truncated (ISA guide 7.3; V_CVT_SR_FP8_F32 adds S1[31:12] to the
// mantissa). For denormal results the same bits move along with the last bit, which the guide leaves
// open.
// @pre value has at most 24 significant bits
constexpr u32 encode_small_stochastic(const small_format& format, f64 value, u32 random,
                                      bool limit = false) {
    const f64 magnitude = value < 0 ? -value : value;
    if (value != value || magnitude == 0 || magnitude > 1e300) {
        return encode_small(format, value, limit);
    }
    const int exponent = static_cast<int>(std::bit_cast<u64>(magnitude) >> 52) - 1023;
    const int smallest = 1 - format.bias;
    const int last_kept = (exponent < smallest ? smallest : exponent) - format.mantissa_bits;
    const int used = 23 - format.mantissa_bits;
    const f64 noise = static_cast<f64>(random >> (32 - used)) * power_of_two(last_kept - used);
    // A sum of more than 53 bits is not exact, but does not reach the next step.
    const f64 sum = magnitude + noise;
    return encode_small(format, value < 0 ? -sum : sum, limit, true);
}

// The next random number, of V_PRNG_B32.
constexpr u32 next_random(u32 value) {
    return value << 1 ^ (value >> 31) * 197;
}

inline f32 bf16_to_f32(u32 half) {
    return std::bit_cast<f32>(half << 16);
}

inline u16 f32_to_bf16(f32 value) {
    const u32 bits = std::bit_cast<u32>(value);
    if (value != value) {
        return static_cast<u16>(bits >> 16 | 0x40);
    }
    return static_cast<u16>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

inline const small_format& fp8_of(gfx_target target) {
    return info_of(target).has_ocp_floats ? fp8_ocp : fp8_fnuz;
}
inline const small_format& bf8_of(gfx_target target) {
    return info_of(target).has_ocp_floats ? bf8_ocp : bf8_fnuz;
}

}  // namespace emu::inline OPUS_EMU_LEVEL
