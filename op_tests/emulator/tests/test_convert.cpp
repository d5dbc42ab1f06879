// Conversions between number formats.
#include <cmath>

#include "machine.hpp"

namespace emu {
namespace {

struct convert_case {
    const char* instruction;  // v0 from v1, v2, v3
    uint32_t a;
    uint32_t b;
    uint32_t c;
    uint32_t result;
};

void check_cases(gfx_target target, const std::vector<convert_case>& cases, uint32_t old = 0) {
    for (const convert_case& c : cases) {
        machine m(target);
        m.fill(0, old);
        m.fill(1, c.a);
        m.fill(2, c.b);
        m.fill(3, c.c);
        m.run(c.instruction);
        EXPECT_EQ(m.v(0)[40], c.result) << std::hex << c.instruction << " of " << c.a << ", " << c.b
                                        << " on " << name_of(target);
    }
}

// round(clamp(x) * 32767) and round(clamp(x) * 65535) with one rounding, of every f16 and of f32 around
// the ties.
TEST(convert, normalized_integers_round_once) {
    const auto snorm = [](double x) {
        const double bounded = std::isnan(x) ? 0 : std::fmin(std::fmax(x, -1.0), 1.0);
        return static_cast<uint32_t>(static_cast<int32_t>(std::nearbyint(bounded * 32767))) &
               0xffff;
    };
    const auto unorm = [](double x) {
        const double bounded = std::isnan(x) ? 0 : std::fmin(std::fmax(x, 0.0), 1.0);
        return static_cast<uint32_t>(std::nearbyint(bounded * 65535));
    };
    for (const gfx_target target : both_targets) {
        int wrong = 0;
        const auto check = [&](const char* result, uint32_t a, uint32_t b, uint32_t got,
                               uint32_t wanted) {
            if (got != wanted && wrong++ == 0) {
                ADD_FAILURE() << std::hex << result << " of " << a << ", " << b << ": got " << got
                              << ", wanted " << wanted;
            }
        };
        for (uint32_t block = 0; block < 1024; ++block) {
            machine m(target);
            m.fill(1, [=](uint32_t l) { return block * 64 + l; });
            // f32 next to (n + 1/2) / 65535.
            m.fill(2, [=](uint32_t l) {
                const uint32_t n = block * 64 + l;
                return bits(static_cast<float>((n + 0.5) / 65535)) + n % 3 - 1;
            });
            m.run(
                "v_cvt_norm_i16_f16 v4, v1\n v_cvt_norm_u16_f16 v5, v1\n"
                "v_cvt_pknorm_i16_f16 v6, v1, v1\n v_cvt_pknorm_u16_f16 v7, v1, v1\n"
                "v_cvt_pknorm_i16_f32 v8, v2, v2\n v_cvt_pknorm_u16_f32 v9, v2, v2");
            for (uint32_t l = 0; l < 64; ++l) {
                const double h =
                    static_cast<double>(std::bit_cast<_Float16>(static_cast<uint16_t>(m.v(1)[l])));
                const double f = static_cast<double>(to_float(m.v(2)[l]));
                check("v4", m.v(1)[l], m.v(2)[l], m.v(4)[l], snorm(h));
                check("v5", m.v(1)[l], m.v(2)[l], m.v(5)[l], unorm(h));
                check("v6", m.v(1)[l], m.v(2)[l], m.v(6)[l], snorm(h) * 0x10001);
                check("v7", m.v(1)[l], m.v(2)[l], m.v(7)[l], unorm(h) * 0x10001);
                check("v8", m.v(1)[l], m.v(2)[l], m.v(8)[l], snorm(f) * 0x10001);
                check("v9", m.v(1)[l], m.v(2)[l], m.v(9)[l], unorm(f) * 0x10001);
            }
        }
        EXPECT_EQ(wrong, 0) << name_of(target);
    }
}

TEST(convert, integers_and_floats) {
    const std::vector<convert_case> cases = {
        {"v_cvt_f32_i32 v0, v1", 0xffffffff, 0, 0, bits(-1.0f)},
        {"v_cvt_f32_u32 v0, v1", 0xffffffff, 0, 0, bits(4294967296.0f)},
        {"v_cvt_f32_i32 v0, v1", 0x01000001, 0, 0, bits(16777216.0f)},  // nearest even
        {"v_cvt_i32_f32 v0, v1", bits(-1.9f), 0, 0, 0xffffffff},
        {"v_cvt_i32_f32 v0, v1", bits(3e9f), 0, 0, 0x7fffffff},
        {"v_cvt_i32_f32 v0, v1", bits(-3e9f), 0, 0, 0x80000000},
        {"v_cvt_i32_f32 v0, v1", 0x7fc00000, 0, 0, 0},
        {"v_cvt_u32_f32 v0, v1", bits(-5.0f), 0, 0, 0},
        {"v_cvt_u32_f32 v0, v1", bits(4e9f), 0, 0, 4000000000u},
        {"v_cvt_u32_f32 v0, v1", bits(INFINITY), 0, 0, 0xffffffff},
        {"v_cvt_rpi_i32_f32 v0, v1", bits(2.5f), 0, 0, 3},
        // The sum with 0.5 is rounded to f32.
        {"v_cvt_rpi_i32_f32 v0, v1", 0x4b000001, 0, 0, 8388610},
        {"v_cvt_rpi_i32_f32 v0, v1", 0x3effffff, 0, 0, 1},
        {"v_cvt_rpi_i32_f32 v0, v1", 0x3efffffe, 0, 0, 0},
        {"v_cvt_flr_i32_f32 v0, v1", bits(-2.5f), 0, 0, static_cast<uint32_t>(-3)},
        {"v_cvt_off_f32_i4 v0, v1", 0x9, 0, 0, bits(-0.4375f)},
        {"v_cvt_f32_ubyte0 v0, v1", 0x04030201, 0, 0, bits(1.0f)},
        {"v_cvt_f32_ubyte3 v0, v1", 0xff030201, 0, 0, bits(255.0f)},
        {"v_cvt_f16_f32 v0, v1", bits(1.5f), 0, 0, half(1.5f)},
        {"v_cvt_f16_f32 v0, v1", bits(65520.0f), 0, 0, 0x7c00},
        {"v_cvt_f16_f32 v0, v1", bits(65519.0f), 0, 0, 0x7bff},
        {"v_cvt_f16_f32 v0, v1", bits(0x1p-25f), 0, 0, 0},    // tie to even
        {"v_cvt_f16_f32 v0, v1", bits(0x1.8p-25f), 0, 0, 1},  // smallest denormal
        {"v_cvt_f32_f16 v0, v1", 0x55550001, 0, 0, bits(0x1p-24f)},
        {"v_cvt_f32_f16 v0, v1", 0xfc00, 0, 0, bits(-INFINITY)},
        {"v_cvt_f16_u16 v0, v1", 0xffff, 0, 0, 0x7c00},
        {"v_cvt_f16_i16 v0, v1", 0xffff, 0, 0, half(-1.0f)},
        {"v_cvt_u16_f16 v0, v1", half(-1.0f), 0, 0, 0},
        {"v_cvt_i16_f16 v0, v1", half(-1.75f), 0, 0, 0xffff},
        {"v_cvt_i16_f16 v0, v1", half(40000.0f), 0, 0, 0x7fff},
        {"v_cvt_norm_i16_f16 v0, v1", half(-1.0f), 0, 0, 0x8001},
        {"v_cvt_norm_u16_f16 v0, v1", half(1.0f), 0, 0, 0xffff},
        {"v_cvt_pkrtz_f16_f32 v0, v1, v2", bits(1.0f + 0x1.8p-10f), bits(70000.0f), 0,
         0x3c01u | 0x7bffu << 16},
        {"v_cvt_pkrtz_f16_f32 v0, v1, v2", bits(-1.0f - 0x1.8p-10f), bits(INFINITY), 0,
         0xbc01u | 0x7c00u << 16},
        {"v_cvt_pknorm_i16_f32 v0, v1, v2", bits(1.0f), bits(-2.0f), 0, 0x7fffu | 0x8001u << 16},
        {"v_cvt_pknorm_u16_f32 v0, v1, v2", bits(1.0f), bits(-2.0f), 0, 0xffffu},
        {"v_cvt_pknorm_i16_f16 v0, v1, v2", half(-2.0f), half(1.0f), 0, 0x8001u | 0x7fffu << 16},
        {"v_cvt_pknorm_i16_f16 v0, v1, -v2 op_sel:[1,0,0]", 0x3c000000, 0x7e00, 0, 0x7fffu},
        {"v_cvt_pknorm_u16_f16 v0, v1, v2", half(0.5f), half(-1.0f), 0, 0x8000u},
        {"v_cvt_pk_u16_u32 v0, v1, v2", 0x12345, 7, 0, 0xffffu | 7u << 16},
        {"v_cvt_pk_i16_i32 v0, v1, v2", 0x12345, 0xfffe0000, 0, 0x7fffu | 0x8000u << 16},
        {"v_cvt_pk_u8_f32 v0, v1, v2, v3", bits(300.0f), 2, 0x11111111, 0x11ff1111},
        {"v_cvt_f64_i32 v[0:1], v1\n v_cvt_i32_f64 v0, v[0:1]", 0x80000000, 0, 0, 0x80000000},
        {"v_cvt_f64_u32 v[0:1], v1\n v_cvt_u32_f64 v0, v[0:1]", 0xffffffff, 0, 0, 0xffffffff},
        {"v_cvt_f64_f32 v[0:1], v1\n v_cvt_f32_f64 v0, v[0:1]", bits(0.1f), 0, 0, bits(0.1f)},
    };
    for (const gfx_target target : both_targets) {
        check_cases(target, cases);
    }
}

// One byte of the destination, which keeps the others.
TEST(convert, accumulated_bytes) {
    for (const gfx_target target : both_targets) {
        check_cases(target,
                    {{"v_cvt_pkaccum_u8_f32 v0, v1, v2", bits(300.0f), 2, 0, 0x11ff1111},
                     {"v_cvt_pkaccum_u8_f32 v0, v1, v2", bits(-1.0f), 0, 0, 0x11111100},
                     {"v_cvt_pkaccum_u8_f32 v0, v1, v2", bits(17.9f), 7, 0, 0x11111111},
                     {"v_cvt_pkaccum_u8_f32 v0, -v1, v2", bits(-3.0f), 1, 0, 0x11110311}},
                    0x11111111);
    }
}

TEST(convert, bf16) {
    check_cases(
        gfx_target::gfx950,
        {{"v_cvt_pk_bf16_f32 v0, v1, v2", 0x3f808000, 0x3f818000, 0, 0x3f823f80},  // ties to even
         {"v_cvt_pk_bf16_f32 v0, v1, v2", 0x7f7fffff, 0x7f800001, 0, 0x7fc07f80},
         {"v_cvt_pk_bf16_f32 v0, -v1, v2", 0x3f808001, 0x00008001, 0, 0x0001bf81},
         {"v_cvt_f32_bf16 v0, v1", 0x12343f80, 0, 0, bits(1.0f)},
         {"v_cvt_pk_f16_f32 v0, v1, v2", bits(1.0f), bits(2.0f), 0,
          half(1.0f) | uint32_t{half(2.0f)} << 16}});
}

// The value of a code by the definition of the formats (ISA guide table 30; gfx942: one more bias,
// 0x80 is NaN and there is no other special value).
double value_of_code(uint32_t code, int exponent_bits, int mantissa_bits, gfx_target target) {
    const int bias = (1 << (exponent_bits - 1)) - 1 + (target == gfx_target::gfx942 ? 1 : 0);
    const uint32_t mantissa = code & ((1u << mantissa_bits) - 1);
    const int exponent = static_cast<int>(code >> mantissa_bits & ((1u << exponent_bits) - 1));
    const double sign = (code & 0x80) != 0 ? -1 : 1;
    if (target == gfx_target::gfx942) {
        if (code == 0x80) {
            return NAN;
        }
    } else if (exponent_bits == 5 && exponent == 31) {
        return mantissa == 0 ? sign * INFINITY : NAN;
    } else if (exponent_bits == 4 && (code & 0x7f) == 0x7f) {
        return NAN;
    }
    const double steps = exponent == 0 ? mantissa : mantissa + (1 << mantissa_bits);
    return sign * std::ldexp(steps, (exponent == 0 ? 1 : exponent) - bias - mantissa_bits);
}

bool same(double a, double b) {
    return std::isnan(a) ? std::isnan(b) : a == b && std::signbit(a) == std::signbit(b);
}

TEST(convert, fp8_decoding_of_every_code) {
    for (const gfx_target target : both_targets) {
        for (const int exponent_bits : {4, 5}) {
            const std::string name = exponent_bits == 4 ? "fp8" : "bf8";
            for (uint32_t first = 0; first < 256; first += 64) {
                machine m(target);
                m.fill(1, [=](uint32_t l) { return (first + l) * 0x01000000u | (first + l) << 8; });
                m.run("v_cvt_f32_" + name + "_sdwa v0, v1 src0_sel:BYTE_1\n v_cvt_f32_" + name +
                      " v3, v1\n v_cvt_pk_f32_" + name + "_sdwa v[4:5], v1 src0_sel:WORD_1\n" +
                      "v_lshrrev_b32 v1, 8, v1\n v_cvt_f32_" + name + " v6, v1\n v_cvt_pk_f32_" +
                      name + " v[8:9], v1");
                for (uint32_t l = 0; l < 64; ++l) {
                    const double expected =
                        value_of_code(first + l, exponent_bits, 7 - exponent_bits, target);
                    EXPECT_TRUE(same(to_float(m.v(0)[l]), expected)) << name << " " << first + l;
                    EXPECT_EQ(m.v(3)[l], 0u);
                    EXPECT_EQ(m.v(4)[l], 0u);
                    EXPECT_TRUE(same(to_float(m.v(6)[l]), expected)) << name << " " << first + l;
                    EXPECT_TRUE(same(to_float(m.v(8)[l]), expected)) << name << " " << first + l;
                    EXPECT_EQ(m.v(9)[l], 0u);
                    EXPECT_TRUE(same(to_float(m.v(5)[l]), expected)) << name << " " << first + l;
                }
            }
        }
    }
}

// Every code survives; between neighbours the nearer one wins and a tie goes to the even code.
TEST(convert, fp8_encoding) {
    for (const gfx_target target : both_targets) {
        for (const int exponent_bits : {4, 5}) {
            const std::string name = exponent_bits == 4 ? "fp8" : "bf8";
            machine m(target);
            for (uint32_t code = 0; code < 0x7f; ++code) {
                const double low = value_of_code(code, exponent_bits, 7 - exponent_bits, target);
                const double high =
                    value_of_code(code + 1, exponent_bits, 7 - exponent_bits, target);
                if (!std::isfinite(low) || !std::isfinite(high)) {
                    continue;
                }
                const double middle = (low + high) / 2;
                const double inputs[] = {low, middle,
                                         std::nextafter(static_cast<float>(middle), 0.0f),
                                         std::nextafter(static_cast<float>(middle), 1e9f)};
                const uint32_t results[] = {code, code + (code & 1), code, code + 1};
                m.fill(1, [&](uint32_t l) { return bits(static_cast<float>(inputs[l % 4])); });
                m.fill(2, [&](uint32_t l) { return bits(static_cast<float>(-inputs[l % 4])); });
                m.fill(0, 0x11112222u);
                m.run("v_cvt_pk_" + name + "_f32 v0, v1, v2\n v_cvt_pk_" + name +
                      "_f32 v0, v2, v1 op_sel:[0,0,1]");
                for (uint32_t l = 0; l < 4; ++l) {
                    const uint32_t positive = results[l];
                    const uint32_t negative =
                        target == gfx_target::gfx942 && positive == 0 ? 0 : positive | 0x80;
                    EXPECT_EQ(m.v(0)[l], positive | negative << 8 | negative << 16 | positive << 24)
                        << name << " " << inputs[l] << " on " << name_of(target);
                }
            }
        }
    }
}

TEST(convert, fp8_overflow) {
    const uint32_t nan = 0x7fc00000;
    check_cases(gfx_target::gfx942,
                {{"v_cvt_pk_fp8_f32 v0, v1, v2", bits(240.0f), bits(249.0f), 0, 0x807f},
                 {"v_cvt_pk_fp8_f32 v0, v1, v2", bits(-INFINITY), nan, 0, 0x8080},
                 {"v_cvt_pk_bf8_f32 v0, v1, v2", bits(57344.0f), bits(70000.0f), 0, 0x807f}});
    check_cases(gfx_target::gfx950,
                {{"v_cvt_pk_fp8_f32 v0, v1, v2", bits(464.0f), bits(465.0f), 0, 0x7f7e},
                 {"v_cvt_pk_fp8_f32 v0, v1, v2", bits(-INFINITY), nan, 0, 0x7fff},
                 {"v_cvt_pk_bf8_f32 v0, v1, v2", bits(57344.0f), bits(-70000.0f), 0, 0xfc7b},
                 {"v_cvt_pk_bf8_f32 v0, v1, v2", bits(-INFINITY), nan, 0, 0x7ffc}});
}

TEST(convert, fp8_stochastic) {
    // Without random bits the value is truncated, with all of them rounded up unless exact.
    for (const gfx_target target : both_targets) {
        const uint32_t one = target == gfx_target::gfx942 ? 0x40 : 0x38;
        check_cases(
            target,
            {{"v_cvt_sr_fp8_f32 v0, v1, v2", bits(1.12f), 0, 0, 0x11111100u | one},
             {"v_cvt_sr_fp8_f32 v0, v1, v2", bits(1.01f), 0xffffffff, 0, 0x11111100u | (one + 1)},
             {"v_cvt_sr_fp8_f32 v0, v1, v2", bits(1.0f), 0xffffffff, 0, 0x11111100u | one},
             {"v_cvt_sr_fp8_f32 v0, v1, v2 op_sel:[0,0,1,1]", bits(1.12f), 0, 0,
              0x00111111u | one << 24},
             {"v_cvt_sr_fp8_f32 v0, v1, v2 op_sel:[0,0,1,0]", bits(1.12f), 0, 0,
              0x11110011u | one << 8}},
            0x11111111);
    }
}

// The random number's high bits stand below the last bit that is kept: 13 of them for f16, 16 for
// bf16. With r / 2**n of them the value goes up where its rest is at least 1 - r / 2**n.
TEST(convert, f16_and_bf16_stochastic) {
    check_cases(
        gfx_target::gfx950,
        {{"v_cvt_sr_f16_f32 v0, v1, v2", 0x3f801fff, 0, 0, 0xaaaa3c00},
         {"v_cvt_sr_f16_f32 v0, v1, v2", 0x3f800001, 0xffffffff, 0, 0xaaaa3c01},
         {"v_cvt_sr_f16_f32 v0, v1, v2", 0x3f800000, 0xffffffff, 0, 0xaaaa3c00},
         {"v_cvt_sr_f16_f32 v0, v1, v2", 0x3f801000, 0x80000000, 0, 0xaaaa3c01},
         {"v_cvt_sr_f16_f32 v0, v1, v2", 0x3f801000, 0x7fffffff, 0, 0xaaaa3c00},
         {"v_cvt_sr_f16_f32 v0, -v1, v2 op_sel:[0,0,1]", 0x3f801000, 0x80000000, 0, 0xbc01bbbb},
         // The step above the largest finite number; denormals; what is none.
         {"v_cvt_sr_f16_f32 v0, v1, v2", bits(65519.0f), 0, 0, 0xaaaa7bff},
         {"v_cvt_sr_f16_f32 v0, v1, v2", bits(65519.0f), 0xffffffff, 0, 0xaaaa7c00},
         {"v_cvt_sr_f16_f32 v0, v1, v2", bits(0x1.8p-24f), 0x7fffffff, 0, 0xaaaa0001},
         {"v_cvt_sr_f16_f32 v0, v1, v2", bits(0x1.8p-24f), 0x80000000, 0, 0xaaaa0002},
         {"v_cvt_sr_f16_f32 v0, v1, v2", bits(0x1p-149f), 0xffffffff, 0, 0xaaaa0000},
         {"v_cvt_sr_f16_f32 v0, v1, v2", 0, 0xffffffff, 0, 0xaaaa0000},
         {"v_cvt_sr_f16_f32 v0, v1, v2", 0xff800000, 0xffffffff, 0, 0xaaaafc00},
         {"v_cvt_sr_f16_f32 v0, v1, v2", 0x7fc00000, 0xffffffff, 0, 0xaaaa7e00},
         {"v_cvt_sr_bf16_f32 v0, v1, v2", 0x3f80ffff, 0, 0, 0xaaaa3f80},
         {"v_cvt_sr_bf16_f32 v0, v1, v2", 0x3f808000, 0x80000000, 0, 0xaaaa3f81},
         {"v_cvt_sr_bf16_f32 v0, v1, v2", 0x3f808000, 0x7fffffff, 0, 0xaaaa3f80},
         {"v_cvt_sr_bf16_f32 v0, -v1, v2 op_sel:[0,0,1]", 0x3f800001, 0xffffffff, 0, 0xbf81bbbb},
         {"v_cvt_sr_bf16_f32 v0, v1, v2", 0x7f7fffff, 0, 0, 0xaaaa7f7f},
         {"v_cvt_sr_bf16_f32 v0, v1, v2", 0x7f7fffff, 0x00010000, 0, 0xaaaa7f80},
         {"v_cvt_sr_bf16_f32 v0, v1, v2", 0x00018000, 0x80000000, 0, 0xaaaa0002},
         {"v_cvt_sr_bf16_f32 v0, v1, v2", 0x7fc00000, 0xffffffff, 0, 0xaaaa7fc0}},
        0xaaaabbbb);
}

// A zero keeps its sign whatever the random number is, where the format has one of two signs.
TEST(convert, stochastic_zeros) {
    for (const gfx_target target : both_targets) {
        const uint32_t sign = target == gfx_target::gfx942 ? 0 : 0x80;
        check_cases(target,
                    {{"v_cvt_sr_fp8_f32 v0, v1, v2", 0x80000000, ~0u, 0, 0x11111100u | sign},
                     {"v_cvt_sr_bf8_f32 v0, v1, v2", 0x80000000, ~0u, 0, 0x11111100u | sign},
                     {"v_cvt_sr_fp8_f32 v0, v1, v2", 0, ~0u, 0, 0x11111100u}},
                    0x11111111);
    }
    check_cases(
        gfx_target::gfx950,
        {{"v_cvt_sr_f16_f32 v0, v1, v2", 0x80000000, ~0u, 0, 0x11118000},
         {"v_cvt_sr_bf16_f32 v0, v1, v2", 0x80000000, ~0u, 0, 0x11118000},
         {"v_cvt_scalef32_sr_fp8_f32 v0, v1, v2, v3", 0x80000000, ~0u, bits(2.0f), 0x11111180},
         {"v_cvt_scalef32_sr_bf8_f16 v0, v1, v2, v3", 0x8000, ~0u, bits(2.0f), 0x11111180}},
        0x11111111);
}

// ---- with a scale, gfx950 ----

struct small_kind {
    const char* name;
    int exponent_bits;
    int mantissa_bits;
    int bias;
};

constexpr small_kind fp4{"fp4", 2, 1, 1};
constexpr small_kind fp6{"fp6", 2, 3, 1};
constexpr small_kind bf6{"bf6", 3, 2, 3};

double small_value(const small_kind& k, uint32_t code) {
    const int bits = 1 + k.exponent_bits + k.mantissa_bits;
    const uint32_t mantissa = code & ((1u << k.mantissa_bits) - 1);
    const int exponent = static_cast<int>(code >> k.mantissa_bits & ((1u << k.exponent_bits) - 1));
    const double steps = exponent == 0 ? mantissa : mantissa + (1 << k.mantissa_bits);
    const double sign = (code >> (bits - 1) & 1) != 0 ? -1 : 1;
    return sign * std::ldexp(steps, (exponent == 0 ? 1 : exponent) - k.bias - k.mantissa_bits);
}

TEST(convert, scaled_fp4) {
    machine m(gfx_target::gfx950);
    m.fill(3, bits(8.0f * 1.75f));  // only the exponent counts: 8
    for (uint32_t code = 0; code < 16; ++code) {
        m.fill(1, code << 20 | (15 - code) << 16);  // byte 2
        m.run(
            "v_cvt_scalef32_pk_f32_fp4 v[4:5], v1, v3 op_sel:[0,1,0]\n"
            "v_cvt_scalef32_pk_f16_fp4 v6, v1, v3 op_sel:[0,1,0]\n"
            "v_mov_b32 v0, -1\n v_cvt_scalef32_pk_fp4_f32 v0, v4, v5, v3 op_sel:[0,0,1,1]");
        EXPECT_EQ(to_float(m.v(4)[3]), 8 * small_value(fp4, 15 - code));
        EXPECT_EQ(to_float(m.v(5)[3]), 8 * small_value(fp4, code));
        EXPECT_EQ(m.v(6)[3],
                  half(static_cast<float>(8 * small_value(fp4, 15 - code))) |
                      uint32_t{half(static_cast<float>(8 * small_value(fp4, code)))} << 16);
        EXPECT_EQ(m.v(0)[3], 0x00ffffffu | code << 28 | (15 - code) << 24);
    }
    // Ties to even, saturation, NaN.
    m.fill(3, bits(1.0f));
    m.fill(1, bits(1.25f));
    m.fill(2, bits(-100.0f));
    m.fill(0, 0u);
    m.run("v_cvt_scalef32_pk_fp4_f32 v0, v1, v2, v3");
    EXPECT_EQ(m.v(0)[0], 0xf2u);
}

TEST(convert, scaled_fp8_and_words) {
    machine m(gfx_target::gfx950);
    m.fill(1, 0x38b87e00u);
    m.fill(3, bits(0.5f));
    m.run(
        "v_cvt_scalef32_pk_f32_fp8 v[4:5], v1, v3 op_sel:[1,0,0]\n"
        "v_cvt_scalef32_f32_fp8 v6, v1, v3 op_sel:[1,0,0]\n v_mov_b32 v0, -1\n"
        "v_cvt_scalef32_pk_fp8_f32 v0, v4, v5, v3 op_sel:[0,0,0,1]\n"
        "v_cvt_scalef32_pk_bf8_f32 v7, v4, -v5, v3");
    EXPECT_EQ(to_float(m.v(4)[0]), -0.5f);
    EXPECT_EQ(to_float(m.v(5)[0]), 0.5f);
    EXPECT_EQ(to_float(m.v(6)[0]), 224.0f);
    EXPECT_EQ(m.v(0)[0], 0x38b8ffffu);
    EXPECT_EQ(m.v(7)[0], 0xbcbcu);
    // Overflow to fp8 is NaN, the scale of which exponent is 255 as well.
    m.fill(4, bits(300.0f));
    m.fill(3, bits(0.5f));
    m.fill(5, 0x7f800000u);
    m.run("v_cvt_scalef32_pk_fp8_f32 v0, v4, v4, v3\n v_cvt_scalef32_f32_fp8 v6, v1, v5");
    EXPECT_EQ(m.v(0)[0] & 0xffff, 0x7f7fu);
    EXPECT_TRUE(std::isnan(to_float(m.v(6)[0])));
    // So it is with such a scale, with the sign of the element; fp4 has no NaN.
    m.fill(0, 0u);
    m.run(
        "v_cvt_scalef32_pk_fp8_f32 v0, v4, -v4, v5\n"
        "v_cvt_scalef32_pk_fp4_f32 v0, v4, -v4, v5 op_sel:[0,0,1,1]");
    EXPECT_EQ(m.v(0)[0], 0xf700ff7fu);
}

TEST(convert, scaled_fp6_of_32) {
    for (const small_kind& k : {fp6, bf6}) {
        machine m(gfx_target::gfx950);
        const std::string name = k.name;
        for (uint32_t l = 0; l < 64; ++l) {
            for (uint32_t e = 0; e < 32; ++e) {
                for (uint32_t bit = 0; bit < 6; ++bit) {
                    if (((e + l) >> bit & 1) != 0) {
                        m.v(static_cast<int>(64 + (6 * e + bit) / 32))[l] |= 1u
                                                                             << (6 * e + bit) % 32;
                    }
                }
            }
        }
        m.fill(70, bits(4.0f));
        m.run("v_cvt_scalef32_pk32_f32_" + name +
              " v[0:31], v[64:69], v70\n"
              "v_cvt_scalef32_pk32_f16_" +
              name +
              " v[32:47], v[64:69], v70\n"
              "v_cvt_scalef32_pk32_" +
              name +
              "_f16 v[72:77], v[32:47], v70\n"
              "v_cvt_scalef32_2xpk16_" +
              name + "_f32 v[78:83], v[0:15], v[16:31], v70");
        for (uint32_t l = 0; l < 64; ++l) {
            for (uint32_t e = 0; e < 32; ++e) {
                const double value = 4 * small_value(k, (e + l) & 63);
                ASSERT_EQ(to_float(m.v(static_cast<int>(e))[l]), value) << name;
                ASSERT_EQ(m.v(static_cast<int>(32 + e / 2))[l] >> e % 2 * 16 & 0xffff,
                          half(static_cast<float>(value)));
            }
        }
        const auto element = [&](int first, uint32_t l, uint32_t e) {
            uint32_t code = 0;
            for (uint32_t bit = 0; bit < 6; ++bit) {
                code |=
                    (m.v(first + static_cast<int>((6 * e + bit) / 32))[l] >> (6 * e + bit) % 32 & 1)
                    << bit;
            }
            return code;
        };
        for (uint32_t l = 0; l < 64; ++l) {
            for (uint32_t e = 0; e < 32; ++e) {
                ASSERT_EQ(element(72, l, e), (e + l) & 63) << name;
                // 2xpk16: element 2 n from the first source, 2 n + 1 from the second.
                ASSERT_EQ(element(78, l, e), (e / 2 + e % 2 * 16 + l) & 63) << name;
            }
        }
    }
}

TEST(convert, scaled_stochastic) {
    // v3 = 2 halves the values; 1.125 lies between 1 and 1.125 + 1/64 of fp8 after that.
    check_cases(
        gfx_target::gfx950,
        {{"v_cvt_scalef32_sr_fp8_f32 v0, v1, v2, v3", bits(2.125f), 0, bits(2.0f), 0x11111138},
         {"v_cvt_scalef32_sr_fp8_f32 v0, v1, v2, v3", bits(2.125f), 0x80000000, bits(2.0f),
          0x11111139},
         {"v_cvt_scalef32_sr_fp8_f32 v0, v1, v2, v3", bits(2.125f), 0x7fffffff, bits(3.5f),
          0x11111138},
         {"v_cvt_scalef32_sr_fp8_f32 v0, -v1, v2, v3 op_sel:[0,0,1,1]", bits(2.25f), 0, bits(2.0f),
          0xb9111111},
         {"v_cvt_scalef32_sr_bf8_f32 v0, v1, v2, v3 op_sel:[0,0,1,0]", bits(2.25f), 0x80000000,
          bits(2.0f), 0x11113d11},
         {"v_cvt_scalef32_sr_fp8_f16 v0, v1, v2, v3", 0x55550000u | half(2.125f), 0x80000000,
          bits(2.0f), 0x11111139},
         {"v_cvt_scalef32_sr_bf8_f16 v0, v1, v2, v3", half(-2.25f), 0x7fffffff, bits(2.0f),
          0x111111bc},
         {"v_cvt_scalef32_sr_fp8_bf16 v0, v1, v2, v3 op_sel:[0,0,0,1]", 0x4008, 0x80000000,
          bits(2.0f), 0x11391111},
         {"v_cvt_scalef32_sr_bf8_bf16 v0, v1, v2, v3", 0x4010, 0x80000000, bits(2.0f), 0x1111113d},
         // Overflow, and the scale that is NaN.
         {"v_cvt_scalef32_sr_fp8_f32 v0, v1, v2, v3", bits(1000.0f), 0, bits(2.0f), 0x1111117f},
         {"v_cvt_scalef32_sr_bf8_f32 v0, v1, v2, v3", bits(1e30f), 0, bits(2.0f), 0x1111117c},
         {"v_cvt_scalef32_sr_bf8_f32 v0, v1, v2, v3", bits(1.0f), 0, 0x7f800000, 0x1111117f}},
        0x11111111);
    // The second element has the next random number, that of v_prng_b32: 0x80000000 becomes 197,
    // so that of two equal values between 1 and 1.5 only the first one goes up.
    machine m(gfx_target::gfx950);
    m.fill(0, 0x11111111u);
    m.fill(1, 0x80000000u);
    m.fill(2, bits(-2.5f));
    m.fill(3, bits(-2.5f));
    m.fill(4, bits(2.0f));
    m.fill(5, 0x40204020u);
    m.fill(6, half(2.5f) * 0x10001u);
    m.fill(7, 0x11111111u);
    m.fill(8, 0x11111111u);
    m.run(
        "v_cvt_scalef32_sr_pk_fp4_f32 v0, v[2:3], v1, v4 op_sel:[0,0,1,0]\n"
        "v_cvt_scalef32_sr_pk_fp4_bf16 v7, v5, v1, v4\n"
        "v_cvt_scalef32_sr_pk_fp4_f16 v8, v6, v1, v4 op_sel:[0,0,1,1]");
    EXPECT_EQ(m.v(0)[7], 0x1111ab11u);
    EXPECT_EQ(m.v(7)[7], 0x11111123u);
    EXPECT_EQ(m.v(8)[7], 0x23111111u);
}

// Every value is in the middle of two of the format: the random number's first bit decides.
TEST(convert, scaled_stochastic_of_32) {
    for (const small_kind& k : {fp6, bf6}) {
        const std::string name = k.name;
        machine m(gfx_target::gfx950);
        const uint32_t seed = 0x9e3779b9;
        const int last = k.mantissa_bits;
        const float between = std::ldexp(static_cast<float>(2 * (1 << last) + 1), -last - 1);
        for (int e = 0; e < 32; ++e) {
            m.fill(e, bits(4 * between));
            m.fill(32 + e / 2, half(4 * between) * 0x10001u);
            m.fill(48 + e / 2, bits(4 * between) >> 16 | (bits(4 * between) & 0xffff0000));
        }
        m.fill(100, seed);
        m.fill(101, bits(4.0f));
        m.set_exec(2);
        m.run("v_cvt_scalef32_sr_pk32_" + name + "_f32 v[64:69], v[0:31], v100, v101\n" +
              "v_cvt_scalef32_sr_pk32_" + name + "_f16 v[70:75], v[32:47], v100, v101\n" +
              "v_cvt_scalef32_sr_pk32_" + name + "_bf16 v[76:81], v[48:63], v100, v101");
        for (const int first : {64, 70, 76}) {
            uint32_t random = seed;
            int up = 0;
            for (uint32_t e = 0; e < 32; ++e) {
                uint32_t code = 0;
                for (uint32_t bit = 6 * e; bit < 6 * e + 6; ++bit) {
                    code |= (m.v(first + static_cast<int>(bit / 32))[1] >> bit % 32 & 1)
                            << (bit - 6 * e);
                }
                const bool rounded_up = random >> 31 != 0;
                const double expected = 1 + (rounded_up ? std::ldexp(1.0, -last) : 0);
                ASSERT_EQ(small_value(k, code), expected) << name << " element " << e;
                up += rounded_up;
                random = random << 1 ^ (rounded_up ? 197 : 0);
            }
            EXPECT_GT(up, 8);
            EXPECT_LT(up, 24);
            EXPECT_EQ(m.v(first)[0], 0u) << "a lane that is off";
        }
    }
}

}  // namespace
}  // namespace emu
