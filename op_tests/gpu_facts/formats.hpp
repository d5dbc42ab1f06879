// Floating-point formats on the host: what a code stands for, and the code of a number. The formats
// are those of IEEE 754, of the OCP's OFP8 and MX specifications, and of the FNUZ proposal
// (arXiv 2206.02915) that gfx942 follows.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

namespace gpu_facts {

enum class specials {
    ieee,      // the largest exponent: infinities and NaNs
    all_ones,  // OCP's E4M3: only S.1111.111 is a NaN, no infinities
    fnuz,      // only the code of -0 is a NaN
    none       // each code is a number
};

struct format_facts {
    const char* name;
    int exponent_bits;
    int fraction_bits;
    int bias;
    specials has;

    constexpr int bits() const { return 1 + exponent_bits + fraction_bits; }
    constexpr int smallest() const { return 1 - bias; }  // exponent of normal numbers
    constexpr int largest() const {
        return (1 << exponent_bits) - 1 - (has == specials::ieee ? 1 : 0) - bias;
    }
    constexpr std::uint64_t sign() const { return std::uint64_t{1} << (bits() - 1); }
};

inline constexpr format_facts f64_format{"f64", 11, 52, 1023, specials::ieee};
inline constexpr format_facts f32_format{"f32", 8, 23, 127, specials::ieee};
inline constexpr format_facts f16_format{"f16", 5, 10, 15, specials::ieee};
inline constexpr format_facts bf16_format{"bf16", 8, 7, 127, specials::ieee};
inline constexpr format_facts fp8_ocp{"fp8", 4, 3, 7, specials::all_ones};
inline constexpr format_facts bf8_ocp{"bf8", 5, 2, 15, specials::ieee};
inline constexpr format_facts fp8_fnuz{"fp8", 4, 3, 8, specials::fnuz};
inline constexpr format_facts bf8_fnuz{"bf8", 5, 2, 16, specials::fnuz};
inline constexpr format_facts fp6_format{"fp6", 2, 3, 1, specials::none};
inline constexpr format_facts bf6_format{"bf6", 3, 2, 3, specials::none};
inline constexpr format_facts fp4_format{"fp4", 2, 1, 1, specials::none};

// A finite number is significand * 2^exponent with 1 <= |significand| < 2, or less for a subnormal
// one, which has the exponent smallest(). Zero has the exponent `zero_exponent`.
struct number {
    enum { finite, infinite, nan } is = finite;
    double significand = 0;  // its sign also where it is infinite
    int exponent = 0;

    double value() const {
        return is == nan        ? std::numeric_limits<double>::quiet_NaN()
               : is == infinite ? significand * std::numeric_limits<double>::infinity()
                                : std::ldexp(significand, exponent);
    }
};
constexpr int zero_exponent = -126;

inline number decode(const format_facts& f, std::uint64_t code) {
    const std::uint64_t fraction = code & ((std::uint64_t{1} << f.fraction_bits) - 1);
    const int exponent =
        static_cast<int>((code >> f.fraction_bits) & ((std::uint64_t{1} << f.exponent_bits) - 1));
    const int all = (1 << f.exponent_bits) - 1;
    const double sign = (code & f.sign()) != 0 ? -1 : 1;
    number n;
    if (f.has == specials::fnuz && code == f.sign()) {
        n.is = number::nan;
    } else if (f.has == specials::ieee && exponent == all) {
        n.is = fraction == 0 ? number::infinite : number::nan;
        n.significand = sign;
    } else if (f.has == specials::all_ones && exponent == all &&
               fraction == (std::uint64_t{1} << f.fraction_bits) - 1) {
        n.is = number::nan;
    } else if (exponent == 0) {
        n.significand = sign * std::ldexp(static_cast<double>(fraction), -f.fraction_bits);
        n.exponent = fraction == 0 ? zero_exponent : f.smallest();
    } else {
        n.significand = sign * (1 + std::ldexp(static_cast<double>(fraction), -f.fraction_bits));
        n.exponent = exponent - f.bias;
    }
    return n;
}

inline double value_of(const format_facts& f, std::uint64_t code) {
    return decode(f, code).value();
}

// The numbers of MODE.
enum class rounding { nearest_even = 0, up = 1, down = 2, to_zero = 3 };

// What becomes of a number beyond the largest.
enum class overflow {
    special,  // infinity, or NaN in a format without infinities
    largest   // the largest finite number, an infinity too
};

inline double round_to_integer(double x, rounding how) {
    const double low = std::floor(x);
    switch (how) {
        case rounding::up:
            return std::ceil(x);
        case rounding::down:
            return low;
        case rounding::to_zero:
            return std::trunc(x);
        case rounding::nearest_even:
            break;
    }
    const double rest = x - low;
    const bool is_odd = std::fmod(low, 2) != 0;
    return rest > 0.5 || (rest == 0.5 && is_odd) ? low + 1 : low;
}

// The code of x, which is exact, rounded once. A NaN becomes the format's quiet one without a
// payload, in a format without NaNs the largest number.
inline std::uint64_t encode(const format_facts& f, double x, rounding how = rounding::nearest_even,
                            overflow beyond = overflow::special) {
    const std::uint64_t sign = std::signbit(x) ? f.sign() : 0;
    const std::uint64_t exponent_mask = ((std::uint64_t{1} << f.exponent_bits) - 1)
                                        << f.fraction_bits;
    const std::uint64_t hidden = std::uint64_t{1} << f.fraction_bits;
    std::uint64_t nan = 0;
    std::uint64_t largest = exponent_mask | (hidden - 1);
    std::uint64_t beyond_all = largest;  // the magnitude's code of what is too large
    switch (f.has) {
        case specials::ieee:
            nan = exponent_mask | (hidden >> 1);
            largest = exponent_mask - 1;
            beyond_all = exponent_mask;
            break;
        case specials::all_ones:
            nan = exponent_mask | (hidden - 1);
            largest = nan - 1;
            beyond_all = nan;
            break;
        case specials::fnuz:
            nan = f.sign();
            beyond_all = nan;
            break;
        case specials::none:
            nan = largest;
            break;
    }
    if (std::isnan(x)) {
        return nan;
    }
    const auto signed_code = [&](std::uint64_t magnitude) {
        if (f.has == specials::fnuz && (magnitude == 0 || magnitude == f.sign())) {
            return magnitude;
        }
        return sign | magnitude;
    };
    if (std::isinf(x)) {
        return signed_code(beyond == overflow::largest ? largest : beyond_all);
    }
    if (x == 0) {
        return signed_code(0);
    }
    int exponent = std::ilogb(x);
    exponent = exponent < f.smallest() ? f.smallest() : exponent;
    // In units of the last place; a carry into the next binade is right as it stands.
    const double units =
        std::fabs(round_to_integer(std::ldexp(x, f.fraction_bits - exponent), how));
    const double magnitude_value = std::ldexp(units, exponent - f.fraction_bits);
    if (magnitude_value > std::fabs(value_of(f, largest))) {
        const bool inward = how == rounding::to_zero || (how == rounding::up && x < 0) ||
                            (how == rounding::down && x > 0);
        return signed_code(beyond == overflow::largest || inward ? largest : beyond_all);
    }
    const auto integer = static_cast<std::uint64_t>(units);
    const std::uint64_t magnitude =
        integer < hidden ? integer
                         : (static_cast<std::uint64_t>(exponent + f.bias) << f.fraction_bits) +
                               (integer - hidden);
    return signed_code(magnitude);
}

inline float f32_of(std::uint32_t bits) {
    float x;
    __builtin_memcpy(&x, &bits, sizeof(x));
    return x;
}
inline std::uint32_t bits_of(float x) {
    std::uint32_t bits;
    __builtin_memcpy(&bits, &x, sizeof(bits));
    return bits;
}
inline double f64_of(std::uint64_t bits) {
    double x;
    __builtin_memcpy(&x, &bits, sizeof(x));
    return x;
}
inline std::uint64_t bits_of(double x) {
    std::uint64_t bits;
    __builtin_memcpy(&bits, &x, sizeof(bits));
    return bits;
}

}  // namespace gpu_facts
