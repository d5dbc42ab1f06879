// The floating-point formats of conversions by their definition: exact values in double, compared.
// Nothing here looks at the header; bits are taken apart only to read a code.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

namespace laws {

enum class special { ieee, nan_ones, fnuz, none };

struct small_format {
    const char* name;
    int exponent_bits;
    int mantissa_bits;
    int bias;
    special kind;

    int bits() const { return 1 + exponent_bits + mantissa_bits; }
    uint32_t sign() const { return 1u << (bits() - 1); }
};

// OCP 8-bit floating point specification 1.0 and OCP microscaling formats 1.0; the fnuz formats are
// gfx942's.
constexpr small_format fp8_ocp{"fp8 ocp", 4, 3, 7, special::nan_ones};
constexpr small_format bf8_ocp{"bf8 ocp", 5, 2, 15, special::ieee};
constexpr small_format fp8_fnuz{"fp8 fnuz", 4, 3, 8, special::fnuz};
constexpr small_format bf8_fnuz{"bf8 fnuz", 5, 2, 16, special::fnuz};
constexpr small_format fp6{"fp6", 2, 3, 1, special::none};
constexpr small_format bf6{"bf6", 3, 2, 3, special::none};
constexpr small_format fp4{"fp4", 2, 1, 1, special::none};
constexpr small_format fp16{"fp16", 5, 10, 15, special::ieee};
constexpr small_format bf16{"bf16", 8, 7, 127, special::ieee};

inline uint32_t float_bits(float x) {
    uint32_t bits;
    std::memcpy(&bits, &x, sizeof(bits));
    return bits;
}
inline float bits_float(uint32_t bits) {
    float x;
    std::memcpy(&x, &bits, sizeof(x));
    return x;
}
// The bits of a scalar of any type of up to four bytes, and back.
template <class T>
uint32_t raw_bits(const T& x) {
    static_assert(sizeof(T) <= 4, "more bits than this returns");
    uint32_t bits = 0;
    std::memcpy(&bits, &x, sizeof(T));
    return bits;
}
template <class T>
T from_raw_bits(uint32_t bits) {
    static_assert(sizeof(T) <= 4, "more bits than are given");
    T x;
    std::memcpy(&x, &bits, sizeof(T));
    return x;
}

// The value of a code; NaN is a quiet NaN.
inline double value(const small_format& f, uint32_t code) {
    const uint32_t magnitude = code & (f.sign() - 1);
    const uint32_t exponent = magnitude >> f.mantissa_bits;
    const uint32_t mantissa = magnitude & ((1u << f.mantissa_bits) - 1);
    const uint32_t top_exponent = (1u << f.exponent_bits) - 1;
    const double sign = (code & f.sign()) != 0 ? -1 : 1;
    if (f.kind == special::ieee && exponent == top_exponent) {
        return mantissa != 0 ? NAN : sign * INFINITY;
    }
    if ((f.kind == special::nan_ones && magnitude == f.sign() - 1) ||
        (f.kind == special::fnuz && code == f.sign())) {
        return NAN;
    }
    const int normal = exponent != 0;
    const double fraction = normal + std::ldexp(static_cast<double>(mantissa), -f.mantissa_bits);
    return sign * std::ldexp(fraction, (normal ? static_cast<int>(exponent) : 1) - f.bias);
}

// The finite magnitudes in the order of their codes, and one more: where the next code would be.
inline std::vector<double> magnitudes(const small_format& f) {
    std::vector<double> all;
    for (uint32_t code = 0; code < f.sign() && std::isfinite(value(f, code)); code++) {
        all.push_back(value(f, code));
    }
    all.push_back(2 * all[all.size() - 1] - all[all.size() - 2]);
    return all;
}

class encoder {
public:
    explicit encoder(const small_format& format) : f(format), all(magnitudes(format)) {}

    // The code for x, which is exact: the nearest number, of two the one with the even code. What
    // rounds to the place after the last number overflows. The NaN is the positive one.
    uint32_t operator()(double x) const {
        const uint32_t sign = std::signbit(x) ? f.sign() : 0;
        const double magnitude = std::fabs(x);
        const uint32_t end = static_cast<uint32_t>(all.size()) - 1;
        if (std::isnan(x)) {
            return f.kind == special::none ? sign | (end - 1) : nan(sign);
        }
        // The largest code of which the value is not above the magnitude.
        uint32_t low = 0;
        uint32_t high = end + 1;
        while (high - low > 1) {
            const uint32_t middle = (low + high) / 2;
            (all[middle] <= magnitude ? low : high) = middle;
        }
        uint32_t code = low;
        if (low < end) {
            const double middle = (all[low] + all[low + 1]) / 2;
            code += magnitude > middle || (magnitude == middle && low % 2 != 0);
        }
        if (code == end) {
            return f.kind == special::none   ? sign | (end - 1)
                   : f.kind == special::ieee ? sign | end
                                             : nan(sign);
        }
        return f.kind == special::fnuz && code == 0 ? 0 : sign | code;
    }
    // The code where what is too large, infinities too, counts as the largest number.
    uint32_t saturated(double x) const {
        const double largest = all[all.size() - 2];
        return operator()(std::fabs(x) > largest ? std::copysign(largest, x) : x);
    }
    uint32_t nan(uint32_t sign) const {
        return f.kind == special::fnuz ? f.sign() : sign | (f.sign() - 1);
    }
    const small_format& format() const { return f; }
    const std::vector<double>& values() const { return all; }

private:
    small_format f;
    std::vector<double> all;
};

// bf16 of x by the definition of a rounding mode: nearest even (0, 3 and 5), toward zero (1 and 2),
// nearest with ties away from zero (4). Infinity is where the next number would be. A NaN keeps its
// upper bits and is made quiet, but by mode 2, which cuts it, and by mode 5, which rounds its bits:
// to the multiple of 2^16 that is nearest, modulo 2^32.
inline uint32_t bf16_code(float x, int mode) {
    const uint32_t low = float_bits(x) >> 16;
    if (std::isnan(x)) {
        if (mode == 5) {
            return static_cast<uint32_t>(std::nearbyint(float_bits(x) / 65536.0)) & 0xffff;
        }
        return mode == 2 ? low : low | 0x40;
    }
    const auto magnitude = [](uint32_t code) {
        return (code & 0x7fff) == 0x7f80 ? std::ldexp(1.0, 128) : std::fabs(value(bf16, code));
    };
    const double exact = std::isinf(x) ? std::ldexp(1.0, 128) : std::fabs(static_cast<double>(x));
    const double below = magnitude(low);
    if (mode == 1 || mode == 2 || exact == below) {
        return low;
    }
    const double middle = (below + magnitude(low + 1)) / 2;
    const bool up = exact > middle || (exact == middle && (mode == 4 || low % 2 != 0));
    return low + up;
}

// Floats around everything that a conversion to the format decides: each number, each middle of two
// and the overflow, with both neighbours, for both signs, times 2^power; and what is special in
// fp32.
inline std::vector<float> critical_floats(const encoder& encode, int power) {
    std::vector<float> floats;
    const auto add = [&](double x) {
        const float near = static_cast<float>(std::ldexp(x, power));
        for (const float y : {std::nextafterf(near, 0.0f), near, std::nextafterf(near, INFINITY)}) {
            floats.push_back(y);
            floats.push_back(-y);
        }
    };
    const auto& all = encode.values();
    for (size_t i = 0; i < all.size(); i++) {
        add(all[i]);
        if (i + 1 < all.size()) {
            add((all[i] + all[i + 1]) / 2);
        }
    }
    add(2 * all.back());
    for (const uint32_t bits :
         {0u, 1u, 2u, 0x3fffffu, 0x400000u, 0x7fffffu, 0x800000u, 0x800001u, 0x7f7fffffu,
          0x7f800000u, 0x7f800001u, 0x7fa00000u, 0x7fc00000u, 0x7fffffffu}) {
        floats.push_back(bits_float(bits));
        floats.push_back(bits_float(bits | 0x80000000u));
    }
    return floats;
}

// Any bits as often as magnitudes near the format's.
inline std::vector<float> random_floats(const small_format& f, size_t n) {
    std::mt19937 engine(20240611);
    std::vector<float> floats(n);
    for (size_t i = 0; i < n; i++) {
        const uint32_t bits = static_cast<uint32_t>(engine());
        const uint32_t span = (1u << f.exponent_bits) + static_cast<uint32_t>(f.mantissa_bits) + 4;
        const uint32_t lowest = 127 - static_cast<uint32_t>(f.bias + f.mantissa_bits) - 1;
        const uint32_t exponent = lowest + (bits >> 23 & 0xff) % span;
        floats[i] = bits_float(i % 2 == 0 ? bits : (bits & 0x807fffff) | exponent % 255 << 23);
    }
    return floats;
}

}  // namespace laws
