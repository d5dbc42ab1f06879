// Compares of the vector ALU: every condition and class, with - and || (ISA guide 12.9).
#include <cmath>
#include <cstring>
#include <type_traits>

#include "machine.hpp"

namespace emu {
namespace {

TEST(valu_compares, conditions) {
    machine m(gfx_target::gfx942);
    const float nan = std::bit_cast<float>(0x7fc00000u);
    // Lanes: 1 < 2, 2 == 2, 3 > 2, NaN with 2.
    const float a[] = {1, 2, 3, nan};
    m.fill(1, [&](uint32_t l) { return bits(a[l & 3]); });
    m.fill(2, bits(2.0f));
    m.fill(4, [&](uint32_t l) { return static_cast<uint32_t>(bits(double{a[l & 3]})); });
    m.fill(5, [&](uint32_t l) { return static_cast<uint32_t>(bits(double{a[l & 3]}) >> 32); });
    m.fill(6, [&](uint32_t l) { return half(a[l & 3]) | 0x55550000u; });
    struct row {
        const char* name;
        uint32_t four_lanes;
    };
    constexpr row rows[] = {{"f", 0x0},   {"lt", 0x1},  {"eq", 0x2},  {"le", 0x3},
                            {"gt", 0x4},  {"lg", 0x5},  {"ge", 0x6},  {"o", 0x7},
                            {"u", 0x8},   {"nge", 0x9}, {"nlg", 0xa}, {"ngt", 0xb},
                            {"nle", 0xc}, {"neq", 0xd}, {"nlt", 0xe}, {"tru", 0xf}};
    for (const row& r : rows) {
        m.run(std::string("v_cmp_") + r.name + "_f32 vcc, v1, v2\nv_cmp_" + r.name +
              "_f64 s[0:1], v[4:5], 2.0\nv_cmp_" + r.name + "_f16 s[2:3], v6, 2.0");
        const uint64_t expected = r.four_lanes * 0x1111111111111111ull;
        EXPECT_EQ(m.w().vcc(), expected) << r.name;
        EXPECT_EQ(m.s64(0), expected) << r.name;
        EXPECT_EQ(m.s64(2), expected) << r.name;
    }
    m.set_exec(0xf0);
    m.run("v_cmpx_lt_f32 vcc, v1, v2");
    EXPECT_EQ(m.w().vcc(), 0x10u);
    EXPECT_EQ(m.w().exec(), 0x10u);
    m.set_exec(0xff);
    m.run("v_cmp_lt_f32 s[0:1], -v1, |v2|");
    EXPECT_EQ(m.s64(0), 0x77u);
    m.fill(1, 0xffffffffu);
    m.fill(2, 1u);
    m.run(
        "v_cmp_lt_i32 vcc, v1, v2\n v_cmp_lt_u32 s[0:1], v1, v2\n v_cmp_ne_u32 s[2:3], v1, v2\n"
        "v_cmp_gt_i16 s[4:5], v1, v2\n v_cmp_gt_u16 s[6:7], v1, v2\n v_cmp_t_i32 s[8:9], v1, v2\n"
        "v_cmp_eq_u64 s[10:11], v[2:3], v[2:3]\n v_cmp_lt_i64 s[12:13], v[4:5], -1");
    EXPECT_EQ(m.w().vcc(), 0xffu);
    EXPECT_EQ(m.s64(0), 0u);
    EXPECT_EQ(m.s64(2), 0xffu);
    EXPECT_EQ(m.s64(4), 0u);
    EXPECT_EQ(m.s64(6), 0xffu);
    EXPECT_EQ(m.s64(8), 0xffu);
    EXPECT_EQ(m.s64(10), 0xffu);
    EXPECT_EQ(m.s64(12), 0u);
}

// VOP3 compares: every condition with - and || of both sources, v_cmpx and v_cmp_class too.
template <class T>
void check_compares(const char* type, T smallest) {
    using number = std::conditional_t<sizeof(T) == 2, _Float16, T>;
    const number infinity = static_cast<number>(INFINITY);
    const number values[] = {static_cast<number>(0),
                             -static_cast<number>(0),
                             smallest,
                             static_cast<number>(-1.5),
                             static_cast<number>(2),
                             infinity,
                             -infinity,
                             static_cast<number>(NAN)};
    struct modifier {
        const char* open;
        const char* close;
        bool abs;
        bool neg;
        number of(number value) const {
            const auto magnitude = static_cast<number>(std::fabs(static_cast<double>(value)));
            const number chosen = abs ? magnitude : value;
            return neg ? -chosen : chosen;
        }
    };
    constexpr modifier modifiers[] = {{"", "", false, false},
                                      {"-", "", false, true},
                                      {"|", "|", true, false},
                                      {"-|", "|", true, true}};
    struct row {
        const char* name;
        bool less, equal, greater, unordered;
    };
    constexpr row rows[] = {
        {"f", 0, 0, 0, 0},   {"lt", 1, 0, 0, 0},  {"eq", 0, 1, 0, 0},  {"le", 1, 1, 0, 0},
        {"gt", 0, 0, 1, 0},  {"lg", 1, 0, 1, 0},  {"ge", 0, 1, 1, 0},  {"o", 1, 1, 1, 0},
        {"u", 0, 0, 0, 1},   {"nge", 1, 0, 0, 1}, {"nlg", 0, 1, 0, 1}, {"ngt", 1, 1, 0, 1},
        {"nle", 0, 0, 1, 1}, {"neq", 1, 0, 1, 1}, {"nlt", 0, 1, 1, 1}, {"tru", 1, 1, 1, 1}};
    machine m(gfx_target::gfx942);
    const auto put = [&](int reg, uint32_t l, number value) {
        uint32_t words[2] = {};
        std::memcpy(words, &value, sizeof value);
        m.v(reg)[l] = words[0];
        m.v(reg + 1)[l] = words[1];
    };
    for (uint32_t l = 0; l < lane_count; ++l) {
        put(2, l, values[l % 8]);
        put(4, l, values[l / 8]);
    }
    const bool is_wide = sizeof(number) == 8;
    const std::string first = is_wide ? "v[2:3]" : "v2";
    const std::string second = is_wide ? "v[4:5]" : "v4";
    for (const modifier& a : modifiers) {
        for (const modifier& b : modifiers) {
            const std::string sources =
                ", " + (a.open + first + a.close) + ", " + (b.open + second + b.close) + "\n";
            SCOPED_TRACE(type + sources);
            std::string code;
            for (int n = 0; n < 16; ++n) {
                const std::string name = std::string(rows[n].name) + "_" + type;
                const auto pair = [&](int reg) {
                    return "s[" + std::to_string(reg + 2 * n) + ":" +
                           std::to_string(reg + 2 * n + 1) + "]";
                };
                code += "v_cmp_" + name + " " + pair(0) + sources + "v_cmpx_" + name + " " +
                        pair(32) + sources + "s_mov_b64 " + pair(64) +
                        ", exec\ns_mov_b64 exec, -1\n";
            }
            m.run(code);
            for (int n = 0; n < 16; ++n) {
                uint64_t expected = 0;
                for (uint32_t l = 0; l < lane_count; ++l) {
                    const number x = a.of(values[l % 8]);
                    const number y = b.of(values[l / 8]);
                    const bool holds = x < y    ? rows[n].less
                                       : x == y ? rows[n].equal
                                       : x > y  ? rows[n].greater
                                                : rows[n].unordered;
                    expected |= uint64_t{holds} << l;
                }
                const auto reg = static_cast<size_t>(2 * n);
                EXPECT_EQ(m.s64(reg), expected) << rows[n].name;
                EXPECT_EQ(m.s64(32 + reg), expected) << "x, " << rows[n].name;
                EXPECT_EQ(m.s64(64 + reg), expected) << "EXEC, " << rows[n].name;
            }
        }
        // Classes of `values`: two bits for the zeros, and so on.
        const int classes[] = {6, 5, 7, 3, 8, 9, 2, 1};
        const int negated[] = {5, 6, 4, 8, 3, 2, 9, 1};
        const int magnitude[] = {6, 6, 7, 8, 8, 9, 9, 1};
        const int negated_magnitude[] = {5, 5, 4, 3, 3, 2, 2, 1};
        const int* wanted = a.abs   ? (a.neg ? negated_magnitude : magnitude)
                            : a.neg ? negated
                                    : classes;
        m.fill(6, [](uint32_t l) { return 1u << (l / 8 + 1); });
        const std::string sources = ", " + (a.open + first + a.close) + ", v6\n";
        m.run("v_cmp_class_" + std::string(type) + " s[0:1]" + sources + "v_cmpx_class_" + type +
              " s[2:3]" + sources + "s_mov_b64 s[4:5], exec\n s_mov_b64 exec, -1");
        uint64_t expected = 0;
        for (uint32_t l = 0; l < lane_count; ++l) {
            expected |= uint64_t{wanted[l % 8] == static_cast<int>(l / 8 + 1)} << l;
        }
        for (const size_t reg : {0u, 2u, 4u}) {
            EXPECT_EQ(m.s64(reg), expected) << type << a.open << " class, s" << reg;
        }
    }
}

TEST(valu_compares, with_modifiers) {
    check_compares<_Float16>("f16", std::bit_cast<_Float16>(uint16_t{1}));
    check_compares<float>("f32", 0x1p-149f);
    check_compares<double>("f64", 0x1p-1074);
}

TEST(valu_compares, classes) {
    machine m(gfx_target::gfx942);
    // In the order of the class bits 0 to 9.
    const uint32_t values[] = {0x7f800001, 0x7fc00000, 0xff800000, 0xbf800000, 0x80000001,
                               0x80000000, 0x00000000, 0x00000001, 0x3f800000, 0x7f800000};
    const uint16_t halves[] = {0x7c01, 0x7e00, 0xfc00, 0xbc00, 0x8001,
                               0x8000, 0x0000, 0x0001, 0x3c00, 0x7c00};
    m.fill(1, [&](uint32_t l) { return values[l % 10]; });
    m.fill(2, [](uint32_t l) { return 1u << l / 10; });
    m.fill(3, [&](uint32_t l) { return halves[l % 10]; });
    m.run(
        "v_cmp_class_f32 vcc, v1, v2\n v_cmp_class_f16 s[0:1], v3, v2\n v_cmp_class_f32 s[2:3], "
        "v1, 3");
    for (uint32_t l = 0; l < 60; ++l) {
        EXPECT_EQ(m.w().vcc() >> l & 1, l % 10 == l / 10) << l;
        EXPECT_EQ(m.s64(0) >> l & 1, l % 10 == l / 10) << l;
        EXPECT_EQ(m.s64(2) >> l & 1, l % 10 < 2) << l;
    }
}

}  // namespace
}  // namespace emu
