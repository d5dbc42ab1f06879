// V_TRIG_PREOP_F64: 53 bits of 2/pi from 1201, which are computed here.
#include <cmath>

#include "machine.hpp"

namespace emu {
namespace {

// Fixed point: the whole part in [0], then fractions of 32 bits each, most significant first.
constexpr size_t words = 44;
using number = std::vector<uint32_t>;

void divide(number& n, uint32_t by) {
    uint64_t rest = 0;
    for (uint32_t& word : n) {
        const uint64_t part = rest << 32 | word;
        word = static_cast<uint32_t>(part / by);
        rest = part % by;
    }
}

// a + b or, where `minus`, a - b.
number sum(const number& a, const number& b, bool minus) {
    number result(words);
    uint64_t carry = minus ? 1 : 0;
    for (size_t i = words; i-- > 0;) {
        carry += uint64_t{a[i]} + (minus ? ~b[i] : b[i]);
        result[i] = static_cast<uint32_t>(carry);
        carry >>= 32;
    }
    return result;
}

// factor * atan(1/x) = factor * (1/x - 1/3x^3 + 1/5x^5 - ...)
number arc_tangent(uint32_t factor, uint32_t x) {
    number power(words);
    power[0] = factor;
    divide(power, x);
    number result = power;
    for (uint32_t n = 3; power != number(words); n += 2) {
        divide(power, x * x);
        number term = power;
        divide(term, n);
        result = sum(result, term, n % 4 == 3);
    }
    return result;
}

// The first `count` bits behind the point of 2/pi, by long division; pi by Machin's formula.
std::vector<bool> bits_of_two_over_pi(size_t count) {
    const number pi = sum(arc_tangent(16, 5), arc_tangent(4, 239), true);
    number rest(words);
    rest[0] = 2;
    std::vector<bool> result;
    while (result.size() < count) {
        rest = sum(rest, rest, false);
        result.push_back(rest >= pi);
        if (result.back()) {
            rest = sum(rest, pi, true);
        }
    }
    return result;
}

// The pseudocode of chapter 12. It says "& 0x1fffffffffffff" of the shifted bits, which would be the
// lowest of the 1201; the text says "only whole part of result is kept", with the point in front of
// b_1200 and the scale of -53 - shift: those 53 from b_(1200 - shift) on. What follows b_0 is zero.
// For the exponent 1968 the text ("> 1968") and the pseudocode (">= 1968") disagree; the pseudocode
// is taken. "Rounding is toward zero", also where the result is denormal.
double segment(const std::vector<bool>& two_over_pi, uint32_t exponent, uint32_t number) {
    uint32_t shift = (number & 31) * 53;
    if (exponent > 1077) {
        shift += exponent - 1077;
    }
    uint64_t whole = 0;
    for (uint32_t bit = shift; bit < shift + 53; ++bit) {
        whole = whole << 1 | (bit < two_over_pi.size() && two_over_pi[bit] ? 1 : 0);
    }
    const int scale = -53 - static_cast<int>(shift) + (exponent >= 1968 ? 128 : 0);
    if (scale < -1074) {
        whole = scale < -1074 - 53 ? 0 : whole >> (-1074 - scale) << (-1074 - scale);
    }
    return std::ldexp(static_cast<double>(whole), scale);
}

TEST(trig_preop, bits_of_two_over_pi) {
    const std::vector<bool> two_over_pi = bits_of_two_over_pi(1201);
    double value = 0;
    for (size_t i = 53; i-- > 0;) {
        value = (value + (two_over_pi[i] ? 1 : 0)) / 2;
    }
    EXPECT_EQ(value, 0x1.45f306dc9c882p-1);
    EXPECT_EQ(bits_of_two_over_pi(600),
              std::vector<bool>(two_over_pi.begin(), two_over_pi.begin() + 600));
}

// Every exponent and every segment.
TEST(trig_preop, every_segment_of_every_exponent) {
    const std::vector<bool> two_over_pi = bits_of_two_over_pi(1201);
    for (const gfx_target target : both_targets) {
        int wrong = 0;
        int denormal = 0;
        machine m(target);
        for (uint32_t exponent = 0; exponent < 2048; ++exponent) {
            m.fill(2, exponent * 0x9e3779b9);
            m.fill(3, [=](uint32_t l) {
                return exponent << 20 | (exponent * 0x85ebca6b & 0xfffff) | (l & 32) << 26;
            });
            // Five bits of the number count.
            m.fill(4, [=](uint32_t l) { return l % 32 | exponent * 0x12345 << 5; });
            m.run("v_trig_preop_f64 v[0:1], v[2:3], v4");
            for (uint32_t l = 0; l < lane_count; ++l) {
                const double wanted = segment(two_over_pi, exponent, l);
                const double got = std::bit_cast<double>(m.v(0)[l] | uint64_t{m.v(1)[l]} << 32);
                denormal += std::fpclassify(wanted) == FP_SUBNORMAL;
                if (bits(got) != bits(wanted) && wrong++ == 0) {
                    ADD_FAILURE() << std::hexfloat << "exponent " << exponent << ", segment "
                                  << l % 32 << ": got " << got << ", wanted " << wanted;
                }
            }
        }
        EXPECT_EQ(wrong, 0) << name_of(target) << " of " << 2048 * 64;
        EXPECT_GT(denormal, 0);
    }
}

}  // namespace
}  // namespace emu
