// Vector ALU: the smaller and the larger of two numbers and of three.
#include <algorithm>
#include <iterator>

#include "machine.hpp"

namespace emu {
namespace {

// ISA guide 12.7, V_MIN_F32 and V_MAX_F32: a number wins over a NaN, but where MODE has IEEE a
// signaling NaN is returned, quieted; -0 is less than +0.
TEST(valu_minimum, smaller_and_larger_of_two) {
    struct format {
        const char* name;
        int bits;
        int mantissa;
    };
    for (const format& f : {format{"f16", 16, 10}, format{"f32", 32, 23}, format{"f64", 64, 52}}) {
        const uint64_t sign = uint64_t{1} << (f.bits - 1);
        const uint64_t quiet = uint64_t{1} << (f.mantissa - 1);
        const uint64_t one = (sign >> 2) - (uint64_t{1} << f.mantissa);
        const uint64_t infinite = sign - (uint64_t{1} << f.mantissa);
        // In their order, NaNs last: quiet, signaling, quiet with a sign, signaling with a sign.
        const uint64_t values[] = {sign | infinite,
                                   sign | one,
                                   sign | 1,
                                   sign,
                                   0,
                                   1,
                                   one,
                                   infinite,
                                   infinite | quiet | 5,
                                   infinite | 3,
                                   sign | infinite | quiet | 7,
                                   sign | infinite | 9};
        constexpr size_t first_nan = 8;
        constexpr size_t count = std::size(values);
        const std::string pairs[] = {f.bits == 64 ? "v[2:3]" : "v2",
                                     f.bits == 64 ? "v[4:5]" : "v4"};
        for (const bool ieee : {false, true}) {
            machine m(gfx_target::gfx942);
            m.w().mode = ieee ? default_mode : default_mode & ~0x200u;
            for (size_t first = 0; first < count * count; first += lane_count) {
                const auto number = [&](uint32_t l, bool is_second) {
                    const size_t n = std::min(first + l, count * count - 1);
                    return is_second ? n / count : n % count;
                };
                for (const int half_of : {0, 1}) {
                    for (const bool second : {false, true}) {
                        m.fill((second ? 4 : 2) + half_of, [&](uint32_t l) {
                            return static_cast<uint32_t>(values[number(l, second)] >> 32 * half_of);
                        });
                    }
                }
                for (const bool is_max : {false, true}) {
                    m.run(std::string(is_max ? "v_max_" : "v_min_") + f.name +
                          (f.bits == 64 ? " v[0:1], " : " v0, ") + pairs[0] + ", " + pairs[1]);
                    for (uint32_t l = 0; l < lane_count; ++l) {
                        const size_t a = number(l, false);
                        const size_t b = number(l, true);
                        const auto is_signaling = [&](size_t n) { return n == 9 || n == 11; };
                        const uint64_t expected = ieee && is_signaling(a)   ? values[a] | quiet
                                                  : ieee && is_signaling(b) ? values[b] | quiet
                                                  : a >= first_nan          ? values[b]
                                                  : b >= first_nan          ? values[a]
                                                  : is_max ? values[std::max(a, b)]
                                                           : values[std::min(a, b)];
                        const uint64_t got =
                            f.bits == 64 ? m.v(0)[l] | uint64_t{m.v(1)[l]} << 32 : m.v(0)[l];
                        ASSERT_EQ(got, expected)
                            << std::hex << f.name << (is_max ? " max of " : " min of ") << values[a]
                            << ", " << values[b] << " IEEE " << ieee;
                    }
                }
            }
        }
    }
}

// ISA guide 12.11, V_MIN3_F32 and its like: the smaller or larger of two, twice; of NaNs, too, in each
// place, and the middle one is the smallest where one is a NaN.
TEST(valu_minimum, of_three_as_of_two_twice) {
    constexpr uint32_t singles[] = {0xff800000, 0xbf800000, 0x80000000, 0,
                                    0x3f800000, 0x7f800000, 0x7fc00005, 0x7f800003};
    constexpr uint32_t halves[] = {0xfc00, 0xbc00, 0x8000, 0, 0x3c00, 0x7c00, 0x7e05, 0x7c03};
    for (const bool is_half : {false, true}) {
        const std::string type = is_half ? "_f16 " : "_f32 ";
        machine m(gfx_target::gfx942);
        for (const bool ieee : {false, true}) {
            m.w().mode = ieee ? default_mode : default_mode & ~0x200u;
            for (uint32_t third = 0; third < 8; ++third) {
                const uint32_t* values = is_half ? halves : singles;
                m.fill(1, [&](uint32_t l) { return values[l % 8]; });
                m.fill(2, [&](uint32_t l) { return values[l / 8]; });
                m.fill(3, values[third]);
                for (const std::string name : {"min", "max"}) {
                    m.run("v_" + name + "3" + type + "v4, v1, v2, v3\n v_" + name + type +
                          "v5, v1, v2\n v_" + name + type + "v5, v5, v3\n v_med3" + type +
                          "v6, v1, v2, v3\n v_min3" + type + "v7, v1, v2, v3");
                    for (uint32_t l = 0; l < lane_count; ++l) {
                        ASSERT_EQ(m.v(4)[l], m.v(5)[l])
                            << name << type << l << " " << third << " IEEE " << ieee;
                        if (l % 8 > 5 || l / 8 > 5 || third > 5) {
                            ASSERT_EQ(m.v(6)[l], m.v(7)[l]) << type << l << " " << third;
                        }
                    }
                }
            }
        }
    }
}

}  // namespace
}  // namespace emu
