// Vector ALU on floating-point numbers: values, modifiers, NaN and denormal rules, division.
#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <random>
#include <vector>

#include "machine.hpp"

namespace emu {
namespace {

// Doubles in pairs of registers, of which lane 5 is read.
struct f64_machine : machine {
    f64_machine() : machine(gfx_target::gfx942) {}

    void set(int reg, double value) {
        fill(reg, static_cast<uint32_t>(bits(value)));
        fill(reg + 1, static_cast<uint32_t>(bits(value) >> 32));
    }
    double get(int reg) {
        return std::bit_cast<double>(uint64_t{v(reg)[5]} | uint64_t{v(reg + 1)[5]} << 32);
    }
};

constexpr uint32_t quiet_nan = 0x7fc00000;
constexpr uint32_t signaling_nan = 0x7f800001;
constexpr uint32_t infinity = 0x7f800000;

struct float_case {
    const char* instruction;  // v0 from v1, v2, v3
    uint32_t a;
    uint32_t b;
    uint32_t c;
    uint32_t result;
    uint32_t old = 0;
};

void check_cases(const std::vector<float_case>& cases, uint32_t mode = default_mode) {
    for (const gfx_target target : both_targets) {
        for (const float_case& c : cases) {
            machine m(target);
            m.w().mode = mode;
            m.fill(0, c.old);
            m.fill(1, c.a);
            m.fill(2, c.b);
            m.fill(3, c.c);
            m.set_exec(~uint64_t{8});
            m.run(c.instruction);
            EXPECT_EQ(m.v(0)[3], c.old) << c.instruction;
            for (const size_t l : {size_t{0}, size_t{63}}) {
                EXPECT_EQ(m.v(0)[l], c.result) << std::hex << c.instruction << " of " << c.a << ", "
                                               << c.b << ", " << c.c << " on " << name_of(target);
            }
        }
    }
}

TEST(valu_float, f32) {
    const float tiny = std::ldexp(1.0f, -149);
    check_cases({
        {"v_add_f32 v0, v1, v2", bits(1.5f), bits(2.25f), 0, bits(3.75f)},
        {"v_add_f32 v0, v1, v2", bits(tiny), bits(tiny), 0, 2},
        {"v_add_f32 v0, -v1, |v2|", bits(1.0f), bits(-3.0f), 0, bits(2.0f)},
        {"v_add_f32 v0, v1, v2 clamp", bits(1.0f), bits(3.0f), 0, bits(1.0f)},
        {"v_add_f32 v0, v1, v2 clamp", bits(1.0f), bits(-3.0f), 0, 0},
        {"v_add_f32 v0, v1, v2 clamp", quiet_nan, bits(-3.0f), 0, 0},           // DX10_CLAMP
        {"v_add_f32 v0, v1, v2 mul:2", bits(1.0f), bits(3.0f), 0, bits(4.0f)},  // denormals on
        {"v_add_f32 v0, 0x40490fdb, v2", 0, bits(0.0f), 0, 0x40490fdb},
        {"v_add_f32 v0, 0.15915494, v2", 0, bits(0.0f), 0, 0x3e22f983},
        {"v_add_f32 v0, 1, v2", 0, bits(0.0f), 0, 1},  // an integer inline constant is raw bits
        {"v_sub_f32 v0, v1, v2", bits(1.0f), bits(3.0f), 0, bits(-2.0f)},
        {"v_subrev_f32 v0, v1, v2", bits(1.0f), bits(3.0f), 0, bits(2.0f)},
        {"v_mul_f32 v0, v1, v2", bits(3.0f), bits(-0.5f), 0, bits(-1.5f)},
        {"v_mul_legacy_f32 v0, v1, v2", bits(0.0f), infinity, 0, 0},
        {"v_fma_f32 v0, v1, v2, v3", bits(1.0f + 0x1p-23f), bits(1.0f + 0x1p-23f), bits(-1.0f),
         bits(std::fma(1.0f + 0x1p-23f, 1.0f + 0x1p-23f, -1.0f))},
        {"v_fma_f32 v0, -v1, v2, |v3|", bits(2.0f), bits(3.0f), bits(-10.0f), bits(4.0f)},
        {"v_fmac_f32 v0, v1, v2", bits(2.0f), bits(3.0f), 0, bits(7.0f), bits(1.0f)},
        {"v_fmamk_f32 v0, v1, 0x40400000, v2", bits(2.0f), bits(1.0f), 0, bits(7.0f)},
        {"v_fmaak_f32 v0, v1, v2, 0x40400000", bits(2.0f), bits(5.0f), 0, bits(13.0f)},
        {"v_min_f32 v0, v1, v2", bits(-0.0f), bits(0.0f), 0, bits(-0.0f)},
        {"v_min_f32 v0, v1, v2", bits(0.0f), bits(-0.0f), 0, bits(-0.0f)},
        {"v_max_f32 v0, v1, v2", bits(-0.0f), bits(0.0f), 0, bits(0.0f)},
        {"v_max_f32 v0, v1, v2", quiet_nan, bits(1.0f), 0, bits(1.0f)},
        {"v_min_f32 v0, v1, v2", bits(1.0f), quiet_nan, 0, bits(1.0f)},
        {"v_max_f32 v0, v1, v2", signaling_nan, bits(1.0f), 0, signaling_nan | 0x400000},
        {"v_min3_f32 v0, v1, v2, v3", bits(3.0f), bits(1.0f), bits(2.0f), bits(1.0f)},
        {"v_max3_f32 v0, v1, v2, v3", bits(3.0f), bits(1.0f), quiet_nan, bits(3.0f)},
        {"v_med3_f32 v0, v1, v2, v3", bits(3.0f), bits(1.0f), bits(2.0f), bits(2.0f)},
        {"v_med3_f32 v0, v1, v2, v3", bits(3.0f), bits(1.0f), quiet_nan, bits(1.0f)},
        {"v_fract_f32 v0, v1", bits(-0.25f), 0, 0, bits(0.75f)},
        {"v_fract_f32 v0, v1", bits(-0x1p-40f), 0, 0, 0x3f7fffff},
        {"v_trunc_f32 v0, v1", bits(-1.75f), 0, 0, bits(-1.0f)},
        {"v_ceil_f32 v0, v1", bits(1.25f), 0, 0, bits(2.0f)},
        {"v_floor_f32 v0, v1", bits(-1.25f), 0, 0, bits(-2.0f)},
        {"v_rndne_f32 v0, v1", bits(2.5f), 0, 0, bits(2.0f)},
        {"v_rndne_f32 v0, v1", bits(3.5f), 0, 0, bits(4.0f)},
        {"v_exp_f32 v0, v1", bits(-3.0f), 0, 0, bits(0.125f)},
        {"v_exp_f32 v0, v1", 0xff800000, 0, 0, 0},
        {"v_exp_f32 v0, v1", bits(-140.0f), 0, 0, 0},  // a denormal result is flushed
        {"v_log_f32 v0, v1", bits(8.0f), 0, 0, bits(3.0f)},
        {"v_log_f32 v0, v1", bits(-1.0f), 0, 0, 0xffc00000},
        {"v_log_f32 v0, v1", 0x80000000, 0, 0, 0xff800000},
        {"v_rcp_f32 v0, v1", bits(-2.0f), 0, 0, bits(-0.5f)},
        {"v_rcp_f32 v0, v1", 0x80000000, 0, 0, 0xff800000},
        {"v_rcp_f32 v0, v1", 0x00000100, 0, 0, infinity},  // a denormal input is flushed
        {"v_rcp_f32 v0, v1", 0xff800000, 0, 0, 0x80000000},
        {"v_rsq_f32 v0, v1", bits(4.0f), 0, 0, bits(0.5f)},
        {"v_rsq_f32 v0, v1", 0x80000000, 0, 0, 0xff800000},
        {"v_sqrt_f32 v0, v1", bits(9.0f), 0, 0, bits(3.0f)},
        {"v_sqrt_f32 v0, v1", 0x80000000, 0, 0, 0x80000000},
        {"v_sin_f32 v0, v1", bits(0.25f), 0, 0, bits(1.0f)},
        {"v_sin_f32 v0, v1", 0x80000000, 0, 0, 0x80000000},
        {"v_sin_f32 v0, v1", 0xff7fffff, 0, 0, 0},
        {"v_cos_f32 v0, v1", bits(0.25f), 0, 0, 0},
        {"v_cos_f32 v0, v1", bits(1000.5f), 0, 0, bits(-1.0f)},
        {"v_frexp_mant_f32 v0, v1", bits(-12.0f), 0, 0, bits(-0.75f)},
        {"v_frexp_exp_i32_f32 v0, v1", bits(-12.0f), 0, 0, 4},
        {"v_frexp_exp_i32_f32 v0, v1", infinity, 0, 0, 0},
        {"v_frexp_exp_i32_f32 v0, v1", 1, 0, 0, static_cast<uint32_t>(-148)},
        {"v_ldexp_f32 v0, v1, v2", bits(1.5f), static_cast<uint32_t>(-2), 0, bits(0.375f)},
        {"v_div_fixup_f32 v0, v1, v2, v3", bits(7.0f), bits(0.0f), bits(0.0f), 0xffc00000},
        {"v_div_fixup_f32 v0, v1, v2, v3", bits(7.0f), bits(0.0f), bits(-1.0f), 0xff800000},
        {"v_div_fixup_f32 v0, v1, v2, v3", bits(7.0f), infinity, bits(-1.0f), 0x80000000},
        {"v_div_fixup_f32 v0, v1, v2, v3", bits(7.0f), bits(2.0f), bits(-14.0f), bits(-7.0f)},
        {"v_div_fixup_f32 v0, v1, v2, v3", bits(7.0f), bits(2.0f), signaling_nan,
         signaling_nan | 0x400000},
    });
}

// ---- one rounding, by all numbers of f16 and by whole numbers ----

__extension__ using wide = __int128;

// In units of 2^-48, in which products of two numbers of f16 and their sums with a third are whole.
wide units_of(uint16_t code) {
    const wide fraction = code & 0x3ff;
    const int exponent = code >> 10 & 31;
    const wide magnitude =
        exponent == 0 ? fraction << 24 : (fraction + 1024) << (24 + exponent - 1);
    return (code & 0x8000) != 0 ? -magnitude : magnitude;
}

// 0 nearest even, 1 up, 2 down, 3 toward zero.
uint16_t rounded_to_f16(wide exact, int round) {
    const bool negative = exact < 0;
    const wide magnitude = negative ? -exact : exact;
    uint16_t below = 0;
    while (below < 0x7bff && units_of(static_cast<uint16_t>(below + 1)) <= magnitude) {
        below = static_cast<uint16_t>(
            below + 1 +
            (units_of(static_cast<uint16_t>(below + 0x400)) <= magnitude && below < 0x7800 ? 0x3ff
                                                                                           : 0));
    }
    const wide at = units_of(below);
    const wide next =
        below == 0x7bff ? wide{65536} << 48 : units_of(static_cast<uint16_t>(below + 1));
    const wide twice = 2 * (magnitude - at) - (next - at);
    const bool away = round == 0   ? twice > 0 || (twice == 0 && (below & 1) != 0)
                      : round == 1 ? magnitude != at && !negative
                      : round == 2 ? magnitude != at && negative
                                   : false;
    const auto code = static_cast<uint16_t>(below + (away ? 1 : 0));
    return static_cast<uint16_t>(code | (negative ? 0x8000 : 0));
}

TEST(valu_float, f16_sums_of_products_are_rounded_once) {
    std::mt19937 random(1);
    for (const gfx_target target : both_targets) {
        machine m(target);
        for (int round = 0; round < 4; ++round) {
            m.w().mode = (default_mode & ~0xfu) | static_cast<uint32_t>(round) << 2;
            for (int rounds = 0; rounds < 6; ++rounds) {
                uint16_t operands[64][3];
                for (uint32_t l = 0; l < 64; ++l) {
                    auto& [a, b, c] = operands[l];
                    for (uint16_t* code : {&a, &b, &c}) {
                        *code = static_cast<uint16_t>((random() & 0x83ff) | (random() % 31) << 10);
                    }
                    if (l % 4 == 0) {  // factors near one and an addend near a power of two
                        a = static_cast<uint16_t>(0x3c00 | (random() & 3));
                        b = static_cast<uint16_t>(0x3c00 | (random() & 3));
                        c = static_cast<uint16_t>((random() & 0x8000) | (random() % 31) << 10 |
                                                  (random() & 1));
                    } else if (l % 4 == 2) {  // 1 - 2^-20: just below half of the last bit
                        a = static_cast<uint16_t>(0x3c01 | (random() & 0x8000));
                        b = 0x3bfe;
                        c = static_cast<uint16_t>(0x6800 | (random() & 0x8003));
                    } else if (l % 8 == 3) {  // a tie, and what f32 loses beside it
                        a = static_cast<uint16_t>(0x4401 | (random() & 0x8000));
                        b = 0x4600;
                        c = static_cast<uint16_t>(0x0001 | (random() & 0x8000));
                    } else if (l % 4 == 1) {  // what the product lacks to a number of f16
                        a = static_cast<uint16_t>(0x2c00 | (random() & 0x3ff));
                        c = static_cast<uint16_t>((random() & 0x8000) | 0x5400 |
                                                  (random() & 0x3ff));
                    }
                    m.v(1)[l] = a | uint32_t{b} << 16;
                    m.v(2)[l] = b | uint32_t{a} << 16;
                    m.v(3)[l] = c | uint32_t{c} << 16;
                }
                m.fill(7, [&](uint32_t l) { return operands[l][2]; });
                m.run(
                    "v_fma_f16 v0, v1, v2, v3\n v_pk_fma_f16 v5, v1, v2, v3\n"
                    "v_pk_fma_f16 v6, v1, v2, v3 neg_lo:[1,0,0] neg_hi:[0,1,0]\n"
                    "v_fma_legacy_f16 v4, v1, v2, v3\n v_pk_fmac_f16 v7, v1, v2");
                for (uint32_t l = 0; l < 64; ++l) {
                    const auto& [a, b, c] = operands[l];
                    const wide product = (units_of(a) >> 24) * (units_of(b) >> 24);
                    const wide exact = product + units_of(c);
                    const wide other = units_of(c) - product;
                    if (exact != 0) {  // signs of zeros: mode_rules
                        const uint32_t expected = rounded_to_f16(exact, round);
                        ASSERT_EQ(m.v(0)[l] & 0xffff, expected)
                            << std::hex << a << ' ' << b << ' ' << c << " mode " << round;
                        ASSERT_EQ(m.v(4)[l] & 0xffff, expected);
                        ASSERT_EQ(m.v(5)[l], expected | expected << 16);
                        ASSERT_EQ(m.v(7)[l] & 0xffff, expected);
                    }
                    if (other != 0) {
                        const uint32_t expected = rounded_to_f16(other, round);
                        ASSERT_EQ(m.v(6)[l], expected | expected << 16);
                    }
                }
            }
        }
    }
}

TEST(valu_float, f32_to_f16_in_every_mode) {
    // Numbers, halfway points and their neighbours, what is too large and what is too small.
    std::vector<float> values = {
        0x1p-24f, 0x1p-25f,     0x1.8p-25f,     0x1.8p-24f,   0x1p-14f, 0x1.ffcp-15f, 0x1.ffep-15f,
        1,        1 + 0x1p-11f, 1 + 0x1.8p-10f, 1 + 0x1p-23f, 65504,    65519,        65519.996f,
        65520,    65520.004f,   65535.996f,     65536,        65537,    1e30f,        0x1p-30f};
    for (int n = 0; n < 30; ++n) {
        values.push_back(
            std::ldexp(1.0f + 0x1p-10f * static_cast<float>(n % 7) + 0x1p-11f, n - 15));
    }
    for (const gfx_target target : both_targets) {
        machine m(target);
        for (int round = 0; round < 4; ++round) {
            m.w().mode = (default_mode & ~0xfu) | static_cast<uint32_t>(round) << 2;
            for (size_t first = 0; first < values.size(); first += 32) {
                const auto value = [&](uint32_t l) {
                    const float v = values[std::min(first + l / 2, values.size() - 1)];
                    return l % 2 == 0 ? v : -v;
                };
                m.fill(1, [&](uint32_t l) { return bits(value(l)); });
                m.run("v_cvt_f16_f32 v0, v1\n v_fma_mixlo_f16 v8, v1, 1.0, 0");
                for (uint32_t l = 0; l < 64; ++l) {
                    const double scaled = std::ldexp(std::fabs(static_cast<double>(value(l))), 48);
                    const wide exact =
                        scaled > 0x1p100 ? wide{1} << 100 : static_cast<wide>(scaled);
                    const uint32_t expected = rounded_to_f16(value(l) < 0 ? -exact : exact, round);
                    ASSERT_EQ(m.v(0)[l], expected) << value(l) << " mode " << round;
                    ASSERT_EQ(m.v(8)[l] & 0xffff, expected) << value(l) << " mode " << round;
                }
            }
            m.fill(1, 0x7f800000);
            m.fill(2, 0xff800000);
            m.fill(3, 0xffc02000);
            m.run(
                "v_cvt_f16_f32 v0, v1\n v_cvt_f16_f32 v4, v2\n v_cvt_f16_f32 v5, v3\n"
                "v_fma_mixlo_f16 v8, v1, 1.0, 0\n v_fma_mixlo_f16 v9, v2, 1.0, 0\n"
                "v_fma_mixlo_f16 v10, v3, 1.0, 0");
            EXPECT_EQ(m.v(8)[1] & 0xffff, 0x7c00u);
            EXPECT_EQ(m.v(9)[1] & 0xffff, 0xfc00u);
            EXPECT_EQ(m.v(10)[1] & 0xffff, 0xfe01u) << "what a NaN carries";
            EXPECT_EQ(m.v(0)[1], 0x7c00u);
            EXPECT_EQ(m.v(4)[1], 0xfc00u);
            EXPECT_EQ(m.v(5)[1], 0xfe01u) << "what a NaN carries";
        }
    }
}

// ISA guide 12.11, V_DIV_SCALE_F32 and V_DIV_SCALE_F64: at the exponents where what is done changes.
TEST(valu_float, scaling_for_a_division) {
    struct row {
        int denominator;  // powers of two
        int numerator;
        int scaled_denominator;
        int scaled_numerator;
        bool vcc;
    };
    constexpr row f32[] = {{0, 96, 64, 96, true},
                           {0, 95, 0, 95, false},
                           {0, -104, 64, -40, false},
                           {0, -103, 0, -103, false},
                           {-127, -40, -63, 24, false},
                           {-126, -31, -126, -31, false},
                           {-126, -30, -62, -30, true},
                           // The quotient is the smallest normal number, and the half of it.
                           {26, -100, 26, -100, false},
                           {27, -100, 27, -36, true}};
    constexpr row f64[] = {{0, 768, 128, 768, true},         {0, 767, 0, 767, false},
                           {0, -970, 128, -842, false},      {0, -969, 0, -969, false},
                           {-1023, -300, -895, -172, false}, {-1022, -255, -1022, -255, false},
                           {-1022, -254, -894, -254, true},  {122, -900, 122, -900, false},
                           {123, -900, 123, -772, true}};
    for (const gfx_target target : both_targets) {
        machine m(target);
        const auto set = [&](int reg, double value) {
            m.fill(reg, static_cast<uint32_t>(bits(value)));
            m.fill(reg + 1, static_cast<uint32_t>(bits(value) >> 32));
        };
        for (const row& r : f32) {
            m.fill(1, bits(std::ldexp(1.0f, r.denominator)));
            m.fill(2, bits(std::ldexp(1.0f, r.numerator)));
            m.run("v_div_scale_f32 v3, s[0:1], v1, v1, v2\n v_div_scale_f32 v4, vcc, v2, v1, v2");
            EXPECT_EQ(to_float(m.v(3)[7]), std::ldexp(1.0f, r.scaled_denominator)) << r.numerator;
            EXPECT_EQ(to_float(m.v(4)[7]), std::ldexp(1.0f, r.scaled_numerator)) << r.numerator;
            EXPECT_EQ(m.s64(0), r.vcc ? ~uint64_t{0} : 0) << r.numerator;
            EXPECT_EQ(m.w().vcc(), r.vcc ? ~uint64_t{0} : 0) << r.numerator;
        }
        for (const row& r : f64) {
            set(2, std::ldexp(1.0, r.denominator));
            set(4, std::ldexp(1.0, r.numerator));
            m.run(
                "v_div_scale_f64 v[6:7], s[0:1], v[2:3], v[2:3], v[4:5]\n"
                "v_div_scale_f64 v[8:9], vcc, v[4:5], v[2:3], v[4:5]");
            const auto get = [&](int reg) {
                return std::bit_cast<double>(uint64_t{m.v(reg)[5]} | uint64_t{m.v(reg + 1)[5]}
                                                                         << 32);
            };
            EXPECT_EQ(get(6), std::ldexp(1.0, r.scaled_denominator)) << r.numerator;
            EXPECT_EQ(get(8), std::ldexp(1.0, r.scaled_numerator)) << r.numerator;
            EXPECT_EQ(m.s64(0), r.vcc ? ~uint64_t{0} : 0) << r.numerator;
            EXPECT_EQ(m.w().vcc(), r.vcc ? ~uint64_t{0} : 0) << r.numerator;
        }
    }
}

// The argument counts revolutions: quarters are exact however many came before, and a whole one is +0
// but for that of -0.
TEST(valu_float, quarters_of_revolutions) {
    const struct {
        float quarter;
        float sine;
        float cosine;
    } rows[] = {{0, 0, 1}, {0.25f, 1, 0}, {0.5f, 0, -1}, {0.75f, -1, 0}};
    for (const auto& row : rows) {
        for (const float turns : {0.0f, 1.0f, 2.0f, 100.0f, 511.0f, -1.0f, -100.0f}) {
            const float argument = turns + row.quarter;
            check_cases({
                {"v_sin_f32 v0, v1", bits(argument), 0, 0, bits(row.sine)},
                {"v_cos_f32 v0, v1", bits(argument), 0, 0, bits(row.cosine)},
                {"v_sin_f16 v0, v1", half(argument), 0, 0, half(row.sine)},
                {"v_cos_f16 v0, v1", half(argument), 0, 0, half(row.cosine)},
            });
        }
    }
    check_cases({{"v_sin_f32 v0, v1", bits(-0.0f), 0, 0, bits(-0.0f)}});
    // An eighth of one, before and after many.
    for (const float turns : {0.0f, 64.0f, -64.0f}) {
        machine m(gfx_target::gfx942);
        m.fill(1, bits(turns + 0.125f));
        m.run("v_sin_f32 v2, v1\n v_cos_f32 v3, v1");
        EXPECT_NEAR(to_float(m.v(2)[7]), std::sqrt(0.5), 1e-7);
        EXPECT_NEAR(to_float(m.v(3)[7]), std::sqrt(0.5), 1e-7);
    }
}

// All orders of three numbers, and a NaN in each place.
TEST(valu_float, smallest_middle_and_largest_of_three) {
    const float values[] = {-2.0f, 1.0f, 3.0f};
    int order[] = {0, 1, 2};
    do {
        const auto in = [&](int n) { return values[order[n]]; };
        for (const gfx_target target : both_targets) {
            machine m(target);
            for (int n = 0; n < 3; ++n) {
                m.fill(1 + n, bits(in(n)));
                m.fill(4 + n, half(in(n)) | uint32_t{half(in(n))} << 16);
            }
            m.run(
                "v_min3_f32 v10, v1, v2, v3\n v_med3_f32 v11, v1, v2, v3\n v_max3_f32 v12, v1, v2, "
                "v3\n"
                "v_min3_f16 v13, v4, v5, v6\n v_med3_f16 v14, v4, v5, v6\n v_max3_f16 v15, v4, v5, "
                "v6");
            for (int n = 0; n < 3; ++n) {
                EXPECT_EQ(m.v(10 + n)[9], bits(values[n])) << in(0) << ' ' << in(1) << ' ' << in(2);
                EXPECT_EQ(m.v(13 + n)[9] & 0xffff, half(values[n]));
            }
            if (target == gfx_target::gfx942) {
                continue;
            }
            m.run(
                "v_minimum3_f32 v10, v1, v2, v3\n v_maximum3_f32 v12, v1, v2, v3\n"
                "v_pk_minimum3_f16 v13, v4, v5, v6\n v_pk_maximum3_f16 v15, v4, v5, v6");
            EXPECT_EQ(m.v(10)[9], bits(-2.0f));
            EXPECT_EQ(m.v(12)[9], bits(3.0f));
            EXPECT_EQ(m.v(13)[9], half(-2.0f) | uint32_t{half(-2.0f)} << 16);
            EXPECT_EQ(m.v(15)[9], half(3.0f) | uint32_t{half(3.0f)} << 16);
            for (int n = 0; n < 3; ++n) {  // of gfx950: it wins
                machine with_nan(target);
                for (int r = 0; r < 3; ++r) {
                    with_nan.fill(1 + r, r == n ? signaling_nan : bits(in(r)));
                    with_nan.fill(4 + r, r == n ? 0x7c01u : uint32_t{half(in(r))});
                }
                with_nan.run(
                    "v_minimum3_f32 v10, v1, v2, v3\n v_maximum3_f32 v11, v1, v2, v3\n"
                    "v_pk_minimum3_f16 v12, v4, v5, v6\n v_pk_maximum3_f16 v13, v4, v5, v6");
                EXPECT_EQ(with_nan.v(10)[3], signaling_nan | 0x400000) << n;
                EXPECT_EQ(with_nan.v(11)[3], signaling_nan | 0x400000) << n;
                EXPECT_EQ(with_nan.v(12)[3] & 0xffff, 0x7e01u) << n;
                EXPECT_EQ(with_nan.v(13)[3] & 0xffff, 0x7e01u) << n;
            }
        }
    } while (std::next_permutation(std::begin(order), std::end(order)));
}

TEST(valu_float, more_values) {
    constexpr uint32_t minus_zero = 0x80000000;
    check_cases({
        {"v_mul_legacy_f32 v0, v1, v2", infinity, bits(-0.0f), 0, 0},
        {"v_mul_legacy_f32 v0, v1, v2", bits(2.0f), bits(-3.0f), 0, bits(-6.0f)},
        {"v_mul_legacy_f32 v0, v1, v2", quiet_nan, bits(0.0f), 0, 0},
        {"v_sin_f32 v0, v1", bits(0.5f), 0, 0, 0},
        {"v_sin_f32 v0, v1", bits(0.75f), 0, 0, bits(-1.0f)},
        {"v_sin_f32 v0, v1", bits(-0.25f), 0, 0, bits(-1.0f)},
        {"v_sin_f32 v0, v1", bits(1.0f), 0, 0, 0},
        {"v_cos_f32 v0, v1", bits(0.0f), 0, 0, bits(1.0f)},
        {"v_cos_f32 v0, v1", bits(3.0f), 0, 0, bits(1.0f)},
        {"v_cos_f32 v0, v1", bits(0.5f), 0, 0, bits(-1.0f)},
        {"v_cos_f32 v0, v1", bits(0.75f), 0, 0, 0},
        {"v_cos_f32 v0, v1", bits(0.125f), 0, 0, bits(0.70710678f)},
        {"v_sin_f32 v0, v1", bits(0.125f), 0, 0, bits(0.70710678f)},
        {"v_fract_f32 v0, v1", bits(1.75f), 0, 0, bits(0.75f)},
        {"v_fract_f32 v0, v1", bits(2.0f), 0, 0, 0},
        {"v_fract_f16 v0, v1", half(-0.25f), 0, 0, half(0.75f)},
        {"v_fract_f16 v0, v1", half(-0x1p-20f), 0, 0, 0x3bff},  // the largest below 1
        {"v_fract_f16 v0, v1", half(2.0f), 0, 0, 0},
        {"v_log_f32 v0, v1", bits(0.0f), 0, 0, 0xff800000},
        {"v_log_f32 v0, v1", bits(1.0f), 0, 0, 0},
        {"v_add_f32 v0, v1, v2 clamp", bits(0.25f), bits(0.25f), 0, bits(0.5f)},
        {"v_add_f32 v0, v1, v2 clamp", minus_zero, minus_zero, 0, 0},
        {"v_fma_mix_f32 v0, v1, v2, v3 clamp", bits(2.0f), bits(3.0f), bits(1.0f), bits(1.0f)},
        {"v_fma_mix_f32 v0, v1, v2, v3 clamp", bits(2.0f), bits(-3.0f), bits(1.0f), 0},
        {"v_fma_mix_f32 v0, v1, v2, v3 clamp", bits(0.5f), bits(0.5f), bits(0.125f), bits(0.375f)},
        {"v_fma_mix_f32 v0, v1, v2, v3 clamp", quiet_nan, bits(3.0f), bits(1.0f), 0},
        {"v_fma_mixlo_f16 v0, v1, v2, v3 clamp", bits(2.0f), bits(3.0f), bits(1.0f), half(1.0f)},
        {"v_fma_mixhi_f16 v0, v1, v2, v3 clamp", bits(0.5f), bits(0.5f), bits(0.125f),
         uint32_t{half(0.375f)} << 16},
    });
    // Without DX10_CLAMP a NaN stays.
    check_cases(
        {{"v_fma_mix_f32 v0, v1, v2, v3 clamp", quiet_nan, bits(3.0f), bits(1.0f), quiet_nan}},
        default_mode & ~0x100u);
    f64_machine m;
    m.set(2, -0.25);
    m.set(4, -0x1p-60);
    m.set(6, 7.75);
    m.fill(20, bits(3.0f));
    m.fill(21, bits(-2.0f));
    m.fill(22, bits(0.25f));
    m.fill(23, quiet_nan);
    m.run(
        "v_fract_f64 v[8:9], v[2:3]\n v_fract_f64 v[10:11], v[4:5]\n v_fract_f64 v[12:13], v[6:7]\n"
        "v_pk_add_f32 v[14:15], v[20:21], v[20:21] clamp\n"
        "v_pk_mul_f32 v[16:17], v[22:23], v[22:23] clamp");
    EXPECT_EQ(m.get(8), 0.75);
    EXPECT_EQ(m.get(10), 1 - 0x1p-53);
    EXPECT_EQ(m.get(12), 0.75);
    EXPECT_EQ(m.v(14)[5], bits(1.0f));
    EXPECT_EQ(m.v(15)[5], 0u);
    EXPECT_EQ(m.v(16)[5], bits(0.0625f));
    EXPECT_EQ(m.v(17)[5], 0u) << "DX10_CLAMP";
}

// Functions of one operand in f16, f32 and f64, at numbers where they are exact.
TEST(valu_float, functions_of_one_operand_in_every_format) {
    constexpr double inf = INFINITY;
    const double all[] = {0.0,     -0.0,    0.25,    -0.25,   0.5,     -0.5, 0.75,
                          -0.75,   1.0,     -1.0,    1.5,     -1.5,    2.5,  -2.5,
                          3.5,     -3.5,    1023.5,  -1023.5, 0.125,   7.0,  100.25,
                          -100.25, 0x1p-14, 0x1p-20, 2047.0,  -1024.0, inf,  -inf};
    const auto fraction_of = [](double x) {
        const double f = x - std::floor(x);
        return std::isinf(x) ? static_cast<double>(NAN) : f;
    };
    const auto mantissa_of = [](double x) {
        int exponent = 0;
        return std::isinf(x) ? x : std::frexp(x, &exponent);
    };
    const struct {
        const char* name;
        double (*function)(double);
    } rounding[] = {
        {"ceil", [](double x) { return std::ceil(x); }},
        {"floor", [](double x) { return std::floor(x); }},
        {"trunc", [](double x) { return std::trunc(x); }},
        {"rndne", [](double x) { return std::nearbyint(x); }},
        {"fract", +fraction_of},
        {"frexp_mant", +mantissa_of},
    };
    // Powers of four: a root, a reciprocal and both of them are numbers of every format.
    const double powers[] = {1, 4, 0.25, 16, 0x1p-8, 0x1p10};
    const struct {
        const char* name;
        double (*function)(double);
        int formats;  // 1: f16, 2: f32, 4: f64
    } exact[] = {
        {"rcp", [](double x) { return 1 / x; }, 7},
        {"rcp_iflag", [](double x) { return 1 / x; }, 2},
        {"rsq", [](double x) { return 1 / std::sqrt(x); }, 7},
        {"sqrt", [](double x) { return std::sqrt(x); }, 7},
        {"log", [](double x) { return std::log2(x); }, 3},
        {"log_legacy", [](double x) { return std::log2(x); }, 2},
    };
    const double wholes[] = {0, 1, -1, 3, -14, 10};
    const auto exponential = [](double x) { return std::exp2(x); };
    const auto cosine = [](double x) { return x - std::floor(x) == 0 ? 1.0 : -1.0; };  // of halves
    const double turns[] = {0, 0.5, 1, -0.5, 2.5, 16};
    for (const gfx_target target : both_targets) {
        machine m(target);
        const auto result_of = [&](const std::string& name, const char* format, double value) {
            const bool is_f64 = std::string(format) == "f64";
            const bool is_f16 = std::string(format) == "f16";
            const uint64_t wide = bits(value);
            m.fill(2, is_f64   ? static_cast<uint32_t>(wide)
                      : is_f16 ? half(static_cast<float>(value))
                               : bits(static_cast<float>(value)));
            m.fill(3, static_cast<uint32_t>(wide >> 32));
            m.run("v_" + name + "_" + format + (is_f64 ? " v[0:1], v[2:3]" : " v0, v2"));
            const uint32_t low = m.v(0)[7];
            return is_f64   ? std::bit_cast<double>(uint64_t{low} | uint64_t{m.v(1)[7]} << 32)
                   : is_f16 ? static_cast<double>(static_cast<float>(
                                  std::bit_cast<_Float16>(static_cast<uint16_t>(low))))
                            : static_cast<double>(to_float(low));
        };
        const auto check = [&](const std::string& name, const char* format, double value,
                               double wanted) {
            const double got = result_of(name, format, value);
            EXPECT_TRUE(std::isnan(wanted) ? std::isnan(got) : bits(got) == bits(wanted))
                << "v_" << name << '_' << format << " of " << value << ": " << got << ", not "
                << wanted;
        };
        const char* formats[] = {"f16", "f32", "f64"};
        for (int f = 0; f < 3; ++f) {
            for (const auto& row : rounding) {
                for (const double value : all) {
                    check(row.name, formats[f], value, row.function(value));
                }
                EXPECT_TRUE(std::isnan(result_of(row.name, formats[f], NAN))) << row.name;
            }
            for (const auto& row : exact) {
                for (const double value : powers) {
                    if ((row.formats >> f & 1) != 0) {
                        check(row.name, formats[f], value, row.function(value));
                    }
                }
            }
            for (const double value : wholes) {
                if (f < 2) {
                    check("exp", formats[f], value, exponential(value));
                }
            }
            for (const double value : turns) {
                if (f < 2) {
                    check("cos", formats[f], value, cosine(value));
                }
            }
        }
        for (const double value : wholes) {
            check("exp_legacy", "f32", value, exponential(value));
        }
        // Exponents are integers; of what has none they are 0.
        for (const double value : all) {
            int exponent = 0;
            if (!std::isinf(value)) {
                std::frexp(value, &exponent);
            }
            m.fill(2, static_cast<uint32_t>(bits(value)));
            m.fill(3, static_cast<uint32_t>(bits(value) >> 32));
            m.fill(4, bits(static_cast<float>(value)));
            m.fill(5, half(static_cast<float>(value)));
            m.run(
                "v_frexp_exp_i32_f64 v0, v[2:3]\n v_frexp_exp_i32_f32 v1, v4\n"
                "v_frexp_exp_i16_f16 v6, v5");
            EXPECT_EQ(static_cast<int32_t>(m.v(0)[9]), exponent) << value;
            EXPECT_EQ(static_cast<int32_t>(m.v(1)[9]), exponent) << value;
            EXPECT_EQ(static_cast<int16_t>(m.v(6)[9]), exponent) << value;
        }
    }
}

// ISA guide, V_DIV_FIXUP_F16: the quotient, the denominator and the numerator.
TEST(valu_float, f16_division_and_products) {
    constexpr uint32_t zero = 0;
    constexpr uint32_t minus = 0x8000;
    constexpr uint32_t inf = 0x7c00;
    constexpr uint32_t nan = 0x7e00;
    const uint32_t q = half(1.5f);
    const uint32_t one = half(1.0f);
    const struct {
        uint32_t quotient, denominator, numerator, result;
    } rows[] = {
        {q, one, one, q},
        {q, one | minus, one, q | minus},
        {q | minus, one, one, q},
        {q | minus, one, one | minus, q | minus},
        {q, one | minus, one | minus, q},
        {q, zero, one, inf},
        {q, zero, one | minus, inf | minus},
        {q, minus, one, inf | minus},
        {q, one, zero, zero},
        {q, one, minus, minus},
        {q, inf, one, zero},
        {q, inf | minus, one, minus},
        {q, one, inf, inf},
        {q, one, inf | minus, inf | minus},
        {q, zero, zero, 0xfe00},
        {q, inf, inf, 0xfe00},
        {q, one, nan | 5, nan | 5},
        {q, nan | 6, one, nan | 6},
        {q, nan | 6, nan | 5, nan | 5},
        {q, one, 0x7c01, 0x7e01},  // made quiet
        {q, 0x7c02, one, 0x7e02},
    };
    for (const gfx_target target : both_targets) {
        machine m(target);
        for (const auto& row : rows) {
            m.fill(0, 0xabcd1234);
            m.fill(4, 0xabcd1234);
            m.fill(1, row.quotient);
            m.fill(2, row.denominator);
            m.fill(3, row.numerator);
            m.run("v_div_fixup_f16 v0, v1, v2, v3\n v_div_fixup_legacy_f16 v4, v1, v2, v3");
            EXPECT_EQ(m.v(0)[11], 0xabcd0000 | row.result)
                << std::hex << row.denominator << ' ' << row.numerator;
            EXPECT_EQ(m.v(4)[11], row.result)
                << std::hex << row.denominator << ' ' << row.numerator;
        }
        // 3 * 0.5 + 0.25, 3 * 2 + 0.25 and 3 * 0.25 + 2: a constant in the middle or at the end.
        m.fill(0, 0xffffffff);
        m.fill(1, half(3.0f));
        m.fill(2, half(0.25f));
        m.fill(3, half(0.5f));
        m.run(
            "v_mad_legacy_f16 v0, v1, v3, v2\n v_madmk_f16 v5, v1, 0x4000, v2\n"
            "v_madak_f16 v6, v1, v2, 0x4000\n v_subrev_f16 v7, v1, v2");
        EXPECT_EQ(m.v(0)[12], half(1.75f)) << "and nothing above it";
        EXPECT_EQ(m.v(5)[12] & 0xffff, half(6.25f));
        EXPECT_EQ(m.v(6)[12] & 0xffff, half(2.75f));
        EXPECT_EQ(m.v(7)[12] & 0xffff, half(-2.75f));
        // The largest coordinate, twice, z before y before x.
        m.fill(1, bits(2.0f));
        m.fill(2, bits(-3.0f));
        m.fill(3, bits(5.0f));
        m.run(
            "v_cubema_f32 v0, v1, v2, v3\n v_cubema_f32 v5, v1, v3, v2\n"
            "v_cubema_f32 v6, v3, v1, v2\n v_cubema_f32 v7, v1, v2, v2\n"
            "v_cubema_f32 v8, -v3, v3, v1");
        EXPECT_EQ(to_float(m.v(0)[12]), 10.0f);
        EXPECT_EQ(to_float(m.v(5)[12]), 10.0f);
        EXPECT_EQ(to_float(m.v(6)[12]), 10.0f);
        EXPECT_EQ(to_float(m.v(7)[12]), -6.0f);
        EXPECT_EQ(to_float(m.v(8)[12]), 10.0f);
        m.fill(1, 0x80402001);
        m.run(
            "v_cvt_f32_ubyte0 v0, v1\n v_cvt_f32_ubyte1 v5, v1\n v_cvt_f32_ubyte2 v6, v1\n"
            "v_cvt_f32_ubyte3 v7, v1");
        EXPECT_EQ(to_float(m.v(0)[12]), 1.0f);
        EXPECT_EQ(to_float(m.v(5)[12]), 32.0f);
        EXPECT_EQ(to_float(m.v(6)[12]), 64.0f);
        EXPECT_EQ(to_float(m.v(7)[12]), 128.0f);
    }
}

// The guide's tables of V_CUBESC_F32 and V_CUBETC_F32, one case for each face and for ties; above and
// below 1.
TEST(valu_float, cube_coordinates) {
    for (const float unit : {1.0f, 0.125f}) {
        const uint32_t x = bits(2.0f * unit);
        const uint32_t y = bits(3.0f * unit);
        const uint32_t z = bits(5.0f * unit);
        const uint32_t minus = 0x80000000;
        const char* sc = "v_cubesc_f32 v0, v1, v2, v3";
        const char* tc = "v_cubetc_f32 v0, v1, v2, v3";
        check_cases({
            {sc, x, y, z, x},
            {sc, x, y, z | minus, x | minus},
            {sc, x, z, y, x},
            {sc, x, z | minus, y, x},
            {sc, z, x, y, y | minus},
            {sc, z | minus, x, y, y},
            {tc, x, y, z, y | minus},
            {tc, x, y, z | minus, y | minus},
            {tc, x, z, y, y},
            {tc, x, z | minus, y, y | minus},
            {tc, z, x, y, x | minus},
            {tc, z | minus, x, y, x | minus},
            {sc, x, x, x | minus, x | minus},  // z before y before x
            {tc, x, x | minus, 0, minus},
            {"v_cubesc_f32 v0, -v1, v2, v3", x, y, z, x | minus},
        });
        const char* id = "v_cubeid_f32 v0, v1, v2, v3";
        const uint32_t nan = 0x7fc00000;
        check_cases({
            {id, z, x, y, bits(0.0f)},
            {id, z | minus, x, y, bits(1.0f)},
            {id, x, z, y, bits(2.0f)},
            {id, x, z | minus, y, bits(3.0f)},
            {id, x, y, z, bits(4.0f)},
            {id, x, y, z | minus, bits(5.0f)},
            {id, 0, 0, minus, bits(4.0f)},
            {id, 0, 0, nan, bits(2.0f)},
            {id, 0, nan, nan, bits(0.0f)},
        });
        const char* ma = "v_cubema_f32 v0, v1, v2, v3";
        check_cases({
            {ma, x, y, z, bits(10.0f * unit)},
            {ma, x, z | minus, y, bits(-10.0f * unit)},
            {ma, z, y | minus, x, bits(10.0f * unit)},
        });
    }
}

// Bits of 2/pi = 0.1010'0010'1111'1001'1000'0011'0110'1110'0100'1110'0100'0100'0001 0101...
TEST(valu_float, segments_of_two_over_pi) {
    for (const gfx_target target : both_targets) {
        const auto segment = [&](double value, uint32_t number) {
            machine m(target);
            m.fill(2, static_cast<uint32_t>(bits(value)));
            m.fill(3, static_cast<uint32_t>(bits(value) >> 32));
            m.fill(4, number);
            m.run("v_trig_preop_f64 v[0:1], v[2:3], v4");
            return std::bit_cast<double>(m.v(0)[9] | uint64_t{m.v(1)[9]} << 32);
        };
        // The first one is 2/pi to 53 bits, rounded down; the sum of three has 159 bits.
        EXPECT_EQ(segment(1.0, 0), 0x1.45f306dc9c882p-1);
        EXPECT_EQ(segment(1.0, 32), 0x1.45f306dc9c882p-1) << "five bits of the number count";
        const long double sum = static_cast<long double>(segment(1.0, 0)) + segment(1.0, 1);
        EXPECT_EQ(sum, 0x1.45f306dc9c882a54p-1L) << "64 bits of 2/pi, the next one is 0";
        // An exponent field of e above 1077 moves by e - 1077 bits.
        EXPECT_EQ(segment(0x1p54, 0), segment(1.0, 0));
        EXPECT_EQ(segment(0x1p55, 0), segment(1.0, 0) - 0.5 + 0x1p-54);
        EXPECT_EQ(segment(0x1p107, 0), segment(1.0, 1));
        EXPECT_EQ(segment(-0x1p107, 1), segment(1.0, 2));
        // From 1968 on it is scaled by 2**128; behind the last bit there is nothing.
        EXPECT_GT(segment(0x1p945, 0), 0x1p-891 * 0x1p127);
        EXPECT_LT(segment(0x1p945, 0), 0x1p-891 * 0x1p129);
        EXPECT_EQ(segment(1.0, 23), 0.0);
    }
}

TEST(valu_float, modes) {
    // Without IEEE a signaling NaN is an operand like a quiet one.
    check_cases({{"v_max_f32 v0, v1, v2", signaling_nan, bits(1.0f), 0, bits(1.0f)}}, 0xf0);
    // Without DX10_CLAMP a NaN passes clamp.
    check_cases({{"v_mul_f32 v0, v1, v2 clamp", quiet_nan, bits(1.0f), 0, quiet_nan}}, 0xf0);
    // Output modifiers work when f32 denormals are flushed on output.
    check_cases({{"v_add_f32 v0, v1, v2 mul:2", bits(1.0f), bits(3.0f), 0, bits(8.0f)},
                 {"v_add_f32 v0, v1, v2 mul:4", bits(1.0f), bits(3.0f), 0, bits(16.0f)},
                 {"v_add_f32 v0, v1, v2 div:2", bits(1.0f), bits(3.0f), 0, bits(2.0f)}},
                0xc0);
}

TEST(valu_float, f16) {
    const uint32_t keep = 0xaaaa0000;
    check_cases({
        {"v_add_f16 v0, v1, v2", 0x12340000u | half(1.5f), half(2.25f), 0, half(3.75f), keep},
        {"v_add_f16 v0, v1, v2", 1, 1, 0, 2, keep},  // denormals
        {"v_add_f16 v0, v1, v2", half(65504.0f), half(32.0f), 0, 0x7c00, keep},
        {"v_sub_f16 v0, v1, v2", half(1.0f), half(3.0f), 0, half(-2.0f), keep},
        {"v_mul_f16 v0, -v1, v2", half(3.0f), half(0.5f), 0, half(-1.5f), keep},
        {"v_mul_f16 v0, 2.0, v2", 0, half(3.0f), 0, half(6.0f), keep},
        {"v_mul_f16 v0, 0x4248, v2", 0, half(1.0f), 0, 0x4248, keep},
        {"v_min_f16 v0, v1, v2", half(-0.0f), half(0.0f), 0, 0x8000, keep},
        {"v_max_f16 v0, v1, v2", 0x7e00, half(2.0f), 0, half(2.0f), keep},
        {"v_fma_f16 v0, v1, v2, v3", half(2.0f), half(3.0f), half(1.0f), keep | half(7.0f), keep},
        {"v_fma_f16 v0, v1, v2, v3 op_sel:[0,0,0,1]", half(2.0f), half(3.0f), half(1.0f),
         uint32_t{half(7.0f)} << 16 | 0xbbbb, 0xaaaabbbb},
        // 1 + 2**-11 + 2**-24: rounds up once, but twice-rounded arithmetic would give 1.
        {"v_fma_f16 v0, v1, v2, v3", half(0x1p-11f), half(1.0f + 0x1p-10f), half(1.0f),
         keep | half(1.0f + 0x1p-10f), keep},
        {"v_mad_f16 v0, v1, v2, v3", half(2.0f), half(3.0f), half(1.0f), keep | half(7.0f), keep},
        {"v_mac_f16 v0, v1, v2", half(2.0f), half(3.0f), 0, half(7.0f), half(1.0f)},
        {"v_rcp_f16 v0, v1", half(-2.0f), 0, 0, half(-0.5f), keep},
        {"v_rsq_f16 v0, v1", half(4.0f), 0, 0, half(0.5f), keep},
        {"v_sqrt_f16 v0, v1", 0xfc00, 0, 0, 0xfe00, keep},
        {"v_exp_f16 v0, v1", half(-3.0f), 0, 0, half(0.125f), keep},
        {"v_log_f16 v0, v1", half(8.0f), 0, 0, half(3.0f), keep},
        {"v_sin_f16 v0, v1", half(0.25f), 0, 0, half(1.0f), keep},
        {"v_floor_f16 v0, v1", half(-1.25f), 0, 0, half(-2.0f), keep},
        {"v_rndne_f16 v0, v1", half(2.5f), 0, 0, half(2.0f), keep},
        {"v_fract_f16 v0, v1", half(1.75f), 0, 0, half(0.75f), keep},
        {"v_frexp_mant_f16 v0, v1", half(12.0f), 0, 0, half(0.75f), keep},
        {"v_frexp_exp_i16_f16 v0, v1", half(12.0f), 0, 0, 4, keep},
        {"v_ldexp_f16 v0, v1, v2", half(1.5f), 0xfffe, 0, half(0.375f), keep},
        {"v_med3_f16 v0, v1, v2, v3", half(3.0f), half(1.0f), half(2.0f), half(2.0f), keep},
    });
}

TEST(valu_float, f64) {
    f64_machine m;
    m.set(2, 3.0);
    m.set(4, -0.75);
    m.set(6, 1.0);
    m.run(
        "v_add_f64 v[0:1], v[2:3], v[4:5]\n v_mul_f64 v[8:9], -v[2:3], |v[4:5]|\n"
        "v_fma_f64 v[10:11], v[2:3], v[4:5], 0.5\n v_fmac_f64 v[6:7], v[2:3], v[4:5]\n"
        "v_min_f64 v[12:13], v[2:3], v[4:5]\n v_max_f64 v[14:15], v[2:3], v[4:5]\n"
        "v_rcp_f64 v[16:17], v[4:5]\n v_floor_f64 v[18:19], v[4:5]\n v_ldexp_f64 v[20:21], v[2:3], "
        "4\n"
        "v_add_f64 v[22:23], v[2:3], 1.0\n v_mov_b32 v30, 4\n v_sqrt_f64 v[24:25], v[2:3]");
    EXPECT_EQ(m.get(0), 2.25);
    EXPECT_EQ(m.get(8), -2.25);
    EXPECT_EQ(m.get(10), -1.75);
    EXPECT_EQ(m.get(6), -1.25);
    EXPECT_EQ(m.get(12), -0.75);
    EXPECT_EQ(m.get(14), 3.0);
    EXPECT_EQ(m.get(16), 1.0 / -0.75);
    EXPECT_EQ(m.get(18), -1.0);
    EXPECT_EQ(m.get(20), 48.0);
    EXPECT_EQ(m.get(22), 4.0);
    EXPECT_EQ(m.get(24), std::sqrt(3.0));
    // A literal is the high dword of an f64.
    m.run("v_ceil_f64 v[0:1], 0x40080000");
    EXPECT_EQ(m.get(0), 3.0);
    m.s(0) = 0;
    m.s(1) = 0x40100000;
    m.run("v_add_f64 v[0:1], s[0:1], v[2:3]");
    EXPECT_EQ(m.get(0), 7.0);
}

// The division macro as compilers emit it gives the correctly rounded quotient.
// A sign changes the high dword of a scalar source, and leaves the low one.
TEST(valu_float, signs_of_f64_scalars) {
    for (const gfx_target target : both_targets) {
        machine m(target);
        m.set_s64(2, bits(-0x1.23456789abcdep3));
        m.run(
            "v_mul_f64 v[0:1], -s[2:3], 1.0\n v_mul_f64 v[2:3], |s[2:3]|, 1.0\n"
            "v_mul_f64 v[4:5], -|s[2:3]|, 1.0");
        const double expected[] = {0x1.23456789abcdep3, 0x1.23456789abcdep3, -0x1.23456789abcdep3};
        for (int n = 0; n < 3; ++n) {
            EXPECT_EQ(m.v(2 * n)[3] | uint64_t{m.v(2 * n + 1)[3]} << 32, bits(expected[n])) << n;
        }
    }
}

// NaN, and VCC as where nothing is scaled: V_DIV_FIXUP has the result of such a division.
TEST(valu_float, scaling_where_a_number_is_zero) {
    for (const uint32_t zero_at : {2u, 3u}) {  // numerator, denominator
        machine m(gfx_target::gfx942);
        m.fill(2, bits(3.0f));
        m.fill(3, bits(5.0f));
        m.fill(static_cast<int>(zero_at), 0u);
        m.set_s64(sreg::vcc, ~uint64_t{0});
        m.run("v_div_scale_f32 v0, vcc, v3, v3, v2");
        EXPECT_TRUE(std::isnan(to_float(m.v(0)[7]))) << zero_at;
        EXPECT_EQ(m.s64(sreg::vcc), 0u) << zero_at;
    }
}

// The smallest normal number and the smallest denormal as a factor, times 2**-64.
TEST(valu_float, scaled_products_of_the_smallest_numbers) {
    machine m(gfx_target::gfx942);
    m.fill(1, bits(0x1p-126f));
    m.fill(2, bits(0x1p-149f));
    m.fill(3, bits(0x1p100f));
    m.set_s64(sreg::vcc, ~uint64_t{0});
    m.run("v_div_fmas_f32 v4, v1, v3, 0\n v_div_fmas_f32 v5, v3, v2, 0");
    EXPECT_EQ(to_float(m.v(4)[9]), 0x1p-90f);
    EXPECT_EQ(to_float(m.v(5)[9]), 0x1p-113f);
}

TEST(valu_float, f32_division) {
    for (const gfx_target target : both_targets) {
        machine m(target);
        const float values[] = {1.0f,    3.0f,     -7.0f,    0x1p-149f, 0x1p127f, 1.5e-38f,
                                3.4e38f, 0.1f,     1e-40f,   1e30f,     -1e-30f,  0.0f,
                                -0.0f,   INFINITY, 123.456f, 1e-20f};
        for (int shift = 0; shift < 16; ++shift) {
            m.fill(1, [&](uint32_t l) { return bits(values[l % 16]); });  // numerator
            m.fill(2, [&](uint32_t l) {
                return bits(values[(l + static_cast<uint32_t>(shift)) % 16]);
            });
            m.run(R"(
                v_div_scale_f32 v3, s[0:1], v2, v2, v1
                v_rcp_f32 v4, v3
                v_div_scale_f32 v5, vcc, v1, v2, v1
                v_fma_f32 v6, -v3, v4, 1.0
                v_fma_f32 v4, v6, v4, v4
                v_mul_f32 v6, v5, v4
                v_fma_f32 v7, -v3, v6, v5
                v_fma_f32 v6, v7, v4, v6
                v_fma_f32 v3, -v3, v6, v5
                v_div_fmas_f32 v3, v3, v4, v6
                v_div_fixup_f32 v0, v3, v2, v1)");
            for (uint32_t l = 0; l < 16; ++l) {
                const float n = to_float(m.v(1)[l]);
                const float d = to_float(m.v(2)[l]);
                const float expected = n / d;
                const float actual = to_float(m.v(0)[l]);
                if (std::isnan(expected)) {
                    EXPECT_TRUE(std::isnan(actual)) << n << " / " << d;
                } else {
                    EXPECT_EQ(bits(actual), bits(expected)) << n << " / " << d;
                }
            }
        }
    }
}

TEST(valu_float, f64_division) {
    machine m(gfx_target::gfx942);
    const double values[] = {1.0, 3.0,    -7.0, 0x1p-1074, 0x1p1023, 1.7e308,
                             0.1, 1e-310, 0.0,  INFINITY,  123.456};
    for (int shift = 0; shift < 11; ++shift) {
        const auto put = [&](int reg, uint32_t offset) {
            m.fill(reg, [&](uint32_t l) {
                return static_cast<uint32_t>(bits(values[(l + offset) % 11]));
            });
            m.fill(reg + 1, [&](uint32_t l) {
                return static_cast<uint32_t>(bits(values[(l + offset) % 11]) >> 32);
            });
        };
        put(2, 0);
        put(4, static_cast<uint32_t>(shift));
        m.run(R"(
            v_div_scale_f64 v[6:7], s[0:1], v[4:5], v[4:5], v[2:3]
            v_rcp_f64 v[8:9], v[6:7]
            v_fma_f64 v[10:11], -v[6:7], v[8:9], 1.0
            v_fmac_f64 v[8:9], v[8:9], v[10:11]
            v_fma_f64 v[10:11], -v[6:7], v[8:9], 1.0
            v_fmac_f64 v[8:9], v[8:9], v[10:11]
            v_div_scale_f64 v[10:11], vcc, v[2:3], v[4:5], v[2:3]
            v_mul_f64 v[12:13], v[10:11], v[8:9]
            v_fma_f64 v[6:7], -v[6:7], v[12:13], v[10:11]
            v_div_fmas_f64 v[6:7], v[6:7], v[8:9], v[12:13]
            v_div_fixup_f64 v[0:1], v[6:7], v[4:5], v[2:3])");
        for (size_t l = 0; l < 11; ++l) {
            const double n = values[l];
            const double d = values[(l + static_cast<size_t>(shift)) % 11];
            const double actual =
                std::bit_cast<double>(uint64_t{m.v(0)[l]} | uint64_t{m.v(1)[l]} << 32);
            if (std::isnan(n / d)) {
                EXPECT_TRUE(std::isnan(actual)) << n << " / " << d;
            } else {
                EXPECT_EQ(bits(actual), bits(n / d)) << n << " / " << d;
            }
        }
    }
}

}  // namespace
}  // namespace emu
