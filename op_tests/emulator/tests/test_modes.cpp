// MODE: all round and denormal modes of f32 and of f16 and f64 (ISA guide 3.5, 6.4). What is wanted
// is computed with twice the precision and rounded here, bit by bit.
#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include "machine.hpp"

namespace emu {
namespace {

using quad = __float128;

struct number_format {
    int mantissa;
    int smallest;  // exponent of the smallest normal number
    int largest;   // exponent of the largest one
    bool is_single;
};
constexpr number_format f16{10, -14, 15, false};
constexpr number_format f32{23, -126, 127, true};
constexpr number_format f64{52, -1022, 1023, false};

struct mode {
    uint32_t bits;
    uint32_t round(const number_format& f) const { return f.is_single ? bits & 3 : bits >> 2 & 3; }
    uint32_t denormals(const number_format& f) const {
        return f.is_single ? bits >> 4 & 3 : bits >> 6 & 3;
    }
    bool keeps_sources(const number_format& f) const { return (denormals(f) & 1) != 0; }
    bool keeps_results(const number_format& f) const { return (denormals(f) & 2) != 0; }
    bool limits_f16() const { return (bits >> 23 & 1) != 0; }
};

quad power(int exponent) {
    const auto part = [](int e) { return static_cast<quad>(std::ldexp(1.0, e)); };
    return part(exponent / 2) * part(exponent - exponent / 2);
}

bool is_negative(quad value) {
    return value < 0 || (value == 0 && 1 / value < 0);
}

quad flushed(quad value, const number_format& f) {
    const quad magnitude = value < 0 ? -value : value;
    return magnitude < power(f.smallest) ? (is_negative(value) ? -quad(0) : quad(0)) : value;
}

quad source(quad value, const number_format& f, mode m) {
    return m.keeps_sources(f) ? value : flushed(value, f);
}

// `value` in the format, as the mode rounds and flushes; FP16_OVFL is for overflows only.
quad rounded(quad value, const number_format& f, mode m) {
    if (value == 0) {
        return value;
    }
    const bool negative = value < 0;
    const quad magnitude = negative ? -value : value;
    // Into the range of f64.
    const int shift = magnitude > power(500) ? 1100 : magnitude < power(-500) ? -1100 : 0;
    int exponent = std::ilogb(static_cast<double>(magnitude * power(-shift))) + shift;
    while (magnitude < power(exponent)) {  // it was rounded up
        --exponent;
    }
    exponent = std::max(exponent, f.smallest);
    const quad unit = power(exponent - f.mantissa);
    const quad steps = magnitude / unit;
    const auto whole = static_cast<quad>(static_cast<int64_t>(steps));
    const quad rest = steps - whole;
    const bool is_odd = whole / 2 != static_cast<quad>(static_cast<int64_t>(whole / 2));
    const uint32_t round = m.round(f);
    const bool up = round == 0   ? rest > quad(0.5) || (rest == quad(0.5) && is_odd)
                    : round == 1 ? rest > 0 && !negative
                    : round == 2 ? rest > 0 && negative
                                 : false;
    quad result = (up ? whole + 1 : whole) * unit;
    const quad maximum = (2 - power(-f.mantissa)) * power(f.largest);
    if (result > maximum) {
        const bool infinite = round == 0 || round == (negative ? 2u : 1u);
        const bool limited = f.mantissa == 10 && m.limits_f16();
        result = infinite && !limited ? static_cast<quad>(INFINITY) : maximum;
    }
    result = negative ? -result : result;
    return m.keeps_results(f) ? result : flushed(result, f);
}

struct sum {
    quad value;
    bool is_exact;
};

// A zero of two signs is +0, and -0 where it is rounded down. Not all sums fit into 113 bits.
sum sum_of(quad a, quad b, const number_format& f, mode m) {
    const quad value = a + b;
    const quad from_b = value - a;
    const bool is_exact = (a - (value - from_b)) + (b - from_b) == 0;
    if (value == 0 && is_negative(a) != is_negative(b)) {
        return {m.round(f) == 2 ? -quad(0) : quad(0), is_exact};
    }
    return {value, is_exact};
}

quad value_of(uint16_t bits) {
    return static_cast<quad>(static_cast<float>(std::bit_cast<_Float16>(bits)));
}

// Three operands a lane, with denormals, ties and overflows among the results.
constexpr uint16_t half_operands[][3] = {
    {0x0001, 0x3c00, 0x0000}, {0x03ff, 0x3c00, 0x8001}, {0x8200, 0x3800, 0x0400},
    {0x3c01, 0x3c01, 0x0001}, {0x3c01, 0xbc01, 0x1000}, {0x3c00, 0x1000, 0x1000},
    {0x7bff, 0x7bff, 0x3c00}, {0xfbff, 0x7bff, 0x4c00}, {0x7bff, 0x4c00, 0x4000},
    {0x0400, 0x3bff, 0x8000}, {0x0600, 0x3555, 0x0155}, {0x4248, 0xc248, 0x3c03},
    {0x1400, 0x1400, 0x3c00}, {0x9400, 0x1400, 0xbc00}, {0x0000, 0x8000, 0x8000},
    {0x7c00, 0x3c00, 0x3c00},
};
constexpr float single_operands[][3] = {
    {0x1p-149f, 1.0f, 0.0f},
    {0x1.8p-127f, 1.0f, -0x1p-149f},
    {-0x1.8p-127f, 0.5f, 0x1p-126f},
    {1.0f + 0x1p-23f, 1.0f + 0x1p-23f, 0x1p-60f},
    {1.0f + 0x1p-23f, -1.0f - 0x1p-23f, 0x1p-24f},
    {1.0f, 0x1p-24f, 0x1.8p-24f},
    {0x1.fffffep127f, 0x1.fffffep127f, 0x1p100f},
    {-0x1.fffffep127f, 2.0f, 0x1p103f},
    {0x1.fffffep127f, 0x1p103f, 1.0f},
    {0x1p-126f, 0x1.fffffep-1f, -0.0f},
    {0x1.8p-126f, 0x1.555554p-2f, 0x1p-130f},
    {3.1415927f, -3.1415927f, 0x1.000006p-20f},
    {0x1p-20f, 0x1p-20f, 1.0f},
    {-0x1p-20f, 0x1p-20f, -1.0f},
    {0.0f, -0.0f, -0.0f},
    {0x1.8p-100f, 0x1.1p-49f, 0x1p-148f},
};
constexpr size_t operand_sets = std::size(single_operands);
static_assert(operand_sets == std::size(half_operands));

// Numbers of f64 from those of f32: near the limits of f64, with all its bits.
double double_operand(size_t set, int n) {
    const double base = static_cast<double>(single_operands[set][n]);
    const int power = std::fabs(base) < 0x1p-90 ? -896 : std::fabs(base) > 0x1p90 ? 896 : 0;
    const double wide = std::ldexp(base, power);
    return std::fabs(base) < 0x1p-126 ? wide : wide * (1 + 0x1p-40 * (n + 1));
}

class modes : public ::testing::TestWithParam<uint32_t> {
protected:
    void load(machine& m) {
        m.w().mode = (default_mode & ~0xffu) | GetParam();
        for (uint32_t l = 0; l < lane_count; ++l) {
            const size_t set = l % operand_sets;
            for (int n = 0; n < 3; ++n) {
                m.v(1 + n)[l] = half_operands[set][n] | uint32_t{half_operands[set][2 - n]} << 16;
                m.v(4 + n)[l] = bits(single_operands[set][n]);
                m.v(8 + 2 * n)[l] = static_cast<uint32_t>(bits(double_operand(set, n)));
                m.v(9 + 2 * n)[l] = static_cast<uint32_t>(bits(double_operand(set, n)) >> 32);
            }
        }
    }
};

void expect(const char* name, mode m, size_t set, quad got, quad wanted) {
    const bool same =
        got == wanted ? is_negative(got) == is_negative(wanted) : got != got && wanted != wanted;
    EXPECT_TRUE(same) << name << " of operands " << set << " in mode 0x" << std::hex << m.bits
                      << ": got " << static_cast<double>(got) << ", wanted "
                      << static_cast<double>(wanted);
}

TEST_P(modes, arithmetic) {
    machine machine(gfx_target::gfx950);
    load(machine);
    machine.run(
        "v_add_f16 v20, v1, v2\n v_mul_f16 v21, v1, v2\n v_fma_f16 v22, v1, v2, v3\n"
        "v_pk_add_f16 v23, v1, v2\n v_pk_mul_f16 v24, v1, v2\n v_pk_fma_f16 v25, v1, v2, v3\n"
        "v_add_f32 v26, v4, v5\n v_mul_f32 v27, v4, v5\n v_fma_f32 v28, v4, v5, v6\n"
        "v_pk_mul_f32 v[30:31], v[4:5], v[4:5] op_sel:[0,1] op_sel_hi:[0,1]\n"
        "v_mov_b32 v32, v6\n v_fmac_f32 v32, v4, v5\n"
        "v_add_f64 v[34:35], v[8:9], v[10:11]\n v_mul_f64 v[36:37], v[8:9], v[10:11]\n"
        "v_cvt_f16_f32 v38, v4\n v_cvt_f32_f64 v39, v[8:9]\n v_cvt_f32_f16 v40, v1\n"
        "v_cvt_f64_f32 v[42:43], v4\n v_fma_mix_f32 v44, v1, v5, v6 op_sel_hi:[1,0,0]\n"
        "v_max_f32 v45, v4, v4\n v_max_f16 v46, v1, v1\n v_ldexp_f32 v47, v4, -3\n"
        "v_ldexp_f16 v48, v1, -3\n v_mov_b32 v49, v3\n v_pk_fmac_f16 v49, v1, v2\n"
        "v_floor_f32 v50, v4\n v_cvt_f32_i32 v51, v5\n v_fma_mixlo_f16 v52, v4, v5, v6");
    const mode m{GetParam()};
    int sums = 0;  // that were compared
    for (uint32_t l = 0; l < operand_sets; ++l) {
        const auto low = [&](int reg) { return static_cast<uint16_t>(machine.v(reg)[l]); };
        const auto high = [&](int reg) { return static_cast<uint16_t>(machine.v(reg)[l] >> 16); };
        const auto half_source = [&](uint16_t value) { return source(value_of(value), f16, m); };
        const auto half_sum = [&](quad x, quad y) { return sum_of(x, y, f16, m).value; };
        const auto check_half = [&](const char* name, uint16_t got, quad exact, uint16_t a,
                                    uint16_t b) {
            if ((a & 0x7c00) == 0x7c00 || (b & 0x7c00) == 0x7c00) {
                expect(name, m, l, value_of(got), exact);  // a true infinity
            } else {
                expect(name, m, l, value_of(got), rounded(exact, f16, m));
            }
        };
        for (const bool is_high : {false, true}) {
            const auto bits_of = [&](int reg) { return is_high ? high(reg) : low(reg); };
            const uint16_t raw[] = {bits_of(1), bits_of(2), bits_of(3)};
            const quad a = half_source(raw[0]);
            const quad b = half_source(raw[1]);
            const quad c = half_source(raw[2]);
            if (!is_high) {
                check_half("v_add_f16", low(20), half_sum(a, b), raw[0], raw[1]);
                check_half("v_mul_f16", low(21), a * b, raw[0], raw[1]);
                expect("v_max_f16", m, l, value_of(low(46)),
                       m.keeps_results(f16) || raw[0] == 0x7c00 ? a : flushed(a, f16));
                check_half("v_ldexp_f16", low(48), a / 8, raw[0], 0);
            }
            if (raw[2] != 0x7c00 && raw[0] != 0x7c00) {
                check_half("v_pk_add_f16", bits_of(23), half_sum(a, b), raw[0], raw[1]);
                check_half("v_pk_mul_f16", bits_of(24), a * b, raw[0], raw[1]);
                check_half("v_pk_fma_f16", bits_of(25), half_sum(a * b, c), raw[0], raw[1]);
                check_half("v_pk_fmac_f16", bits_of(49), half_sum(a * b, c), raw[0], raw[1]);
                if (!is_high) {
                    check_half("v_fma_f16", low(22), half_sum(a * b, c), raw[0], raw[1]);
                }
            }
        }
        const auto single = [&](int reg) { return static_cast<quad>(to_float(machine.v(reg)[l])); };
        const quad a = source(static_cast<quad>(single_operands[l][0]), f32, m);
        const quad b = source(static_cast<quad>(single_operands[l][1]), f32, m);
        const quad c = source(static_cast<quad>(single_operands[l][2]), f32, m);
        const auto check = [&](const char* name, int reg, quad exact) {
            expect(name, m, l, single(reg), rounded(exact, f32, m));
        };
        const auto check_sum = [&](const char* name, int reg, quad x, quad y) {
            const sum s = sum_of(x, y, f32, m);
            sums += s.is_exact;
            if (s.is_exact) {
                check(name, reg, s.value);
            }
        };
        check_sum("v_add_f32", 26, a, b);
        check_sum("v_fma_f32", 28, a * b, c);
        check_sum("v_fmac_f32", 32, a * b, c);
        // The sum is one of f32, which is then rounded to f16.
        if (const sum s = sum_of(a * b, c, f32, m); s.is_exact) {
            const quad once = rounded(s.value, f32, mode{m.bits | 0x20});
            const quad magnitude = once < 0 ? -once : once;
            if (once == 0 || (magnitude >= power(-126) && magnitude < power(128))) {
                expect("v_fma_mixlo_f16", m, l, value_of(low(52)), rounded(once, f16, m));
            }
        }
        check("v_mul_f32", 27, a * b);
        check("v_pk_mul_f32", 30, a * b);
        check("v_pk_mul_f32", 31, a * b);
        check("v_max_f32", 45, a);
        check("v_ldexp_f32", 47, a / 8);
        check("v_floor_f32", 50, static_cast<quad>(std::floor(static_cast<double>(a))));
        check("v_cvt_f32_i32", 51, static_cast<quad>(static_cast<int32_t>(machine.v(5)[l])));
        expect("v_cvt_f16_f32", m, l, value_of(low(38)), rounded(a, f16, m));
        const auto wide = [&](int reg) {
            return static_cast<quad>(std::bit_cast<double>(uint64_t{machine.v(reg)[l]} |
                                                           uint64_t{machine.v(reg + 1)[l]} << 32));
        };
        const quad da = source(wide(8), f64, m);
        const quad db = source(wide(10), f64, m);
        if (const sum s = sum_of(da, db, f64, m); s.is_exact) {
            expect("v_add_f64", m, l, wide(34), rounded(s.value, f64, m));
        }
        expect("v_mul_f64", m, l, wide(36), rounded(da * db, f64, m));
        expect("v_cvt_f32_f64", m, l, single(39), rounded(da, f32, m));
        expect("v_cvt_f32_f16", m, l, single(40), half_source(low(1)));
        expect("v_cvt_f64_f32", m, l, wide(42), a);
        if (low(1) != 0x7c00) {
            check_sum("v_fma_mix_f32", 44, half_source(low(1)) * b, c);
        }
    }
    EXPECT_GT(sums, 30);
}

std::vector<uint32_t> all_modes() {
    std::vector<uint32_t> result;
    for (uint32_t round = 0; round < 16; ++round) {
        for (uint32_t denormals = 0; denormals < 4; ++denormals) {
            result.push_back(round | denormals << 4 | ((denormals + round) & 3) << 6);
        }
    }
    for (uint32_t round = 0; round < 4; ++round) {
        result.push_back(0x8000f0 | round << 2);
    }
    return result;
}
INSTANTIATE_TEST_SUITE_P(all, modes, ::testing::ValuesIn(all_modes()));

constexpr uint32_t flushes_f32 = default_mode & ~0x30u;
constexpr uint32_t flushes_all = default_mode & ~0xf0u;

void run_in(machine& m, uint32_t mode, const std::string& source) {
    m.w().mode = mode;
    m.run(source);
}

// What does not obey MODE, or not wholly.
TEST(mode_rules, exceptions_from_the_rule) {
    for (const gfx_target target : both_targets) {
        machine m(target);
        m.fill(1, 0x00000003u);
        m.fill(2, bits(1.0f));
        m.fill(3, 0x00010002u);
        m.fill(4, 0u);
        m.set_s64(10, 0);
        run_in(
            m, flushes_all,
            "v_mov_b32 v5, v1\n v_cndmask_b32 v6, v1, v2, s[10:11]\n"
            "v_cmp_class_f32 s[12:13], v1, v7\n v_pack_b32_f16 v8, v3, v3\n"
            "v_cmp_eq_f32 s[14:15], v1, v4\n v_cmp_eq_f16 s[16:17], v3, v4\n"
            "v_mul_f32 v9, 1.0, v1\n v_frexp_mant_f32 v10, v1\n v_cvt_pkrtz_f16_f32 v11, v12, v12");
        EXPECT_EQ(m.v(5)[0], 3u);
        EXPECT_EQ(m.v(6)[0], 3u);
        EXPECT_EQ(m.v(8)[0], 0x00020002u);
        EXPECT_EQ(m.s64(14), ~uint64_t{0});
        EXPECT_EQ(m.s64(16), ~uint64_t{0});
        EXPECT_EQ(m.v(9)[0], 0u);
        EXPECT_EQ(m.v(10)[0], 0u);
        m.fill(7, 1u << 7);  // a positive denormal
        run_in(m, flushes_all, "v_cmp_class_f32 s[12:13], v1, v7");
        EXPECT_EQ(m.s64(12), ~uint64_t{0});
        // v_div_fmas keeps denormal sources and flushes its result; v_rcp_f32 flushes in every mode.
        m.fill(20, 0x00400000u);
        m.set_s64(sreg::vcc, 0);
        run_in(m, flushes_f32, "v_div_fmas_f32 v21, v20, 4.0, 0\n v_div_fmas_f32 v22, v20, 0.5, 0");
        EXPECT_EQ(m.v(21)[0], bits(0x1p-125f));
        EXPECT_EQ(m.v(22)[0], 0u);
        run_in(m, default_mode, "v_rcp_f32 v21, v20\n v_sqrt_f32 v22, v20");
        EXPECT_EQ(m.v(21)[0], bits(INFINITY));
        EXPECT_EQ(m.v(22)[0], 0u);
        // Conversions that name their rounding: down is asked for.
        m.fill(23, bits(-1.0f - 0x1.8p-11f));
        run_in(m, default_mode | 2 | 2 << 2,
               "v_cvt_pkrtz_f16_f32 v24, v23, v23\n v_cvt_f16_f32 v25, v23");
        EXPECT_EQ(m.v(24)[0], 0xbc00bc00u);
        EXPECT_EQ(m.v(25)[0], 0xbc01u);
    }
    machine m(gfx_target::gfx950);
    m.fill(23, bits(-1.0f - 0x1.8p-11f));
    run_in(m, default_mode | 3 | 3 << 2, "v_cvt_pk_f16_f32 v24, v23, v23");
    EXPECT_EQ(m.v(24)[0], 0xbc01bc01u);
}

// V_DIV_FMAS: what undoes the scaling of V_DIV_SCALE belongs to the one rounding, of normal numbers as
// of denormals. Few bits make ties.
TEST(mode_rules, scaled_quotients_are_rounded_once) {
    std::mt19937 random(3);
    const auto significand = [&](int bits_of_it) {
        const uint64_t few = random() % 4 == 0 ? 0 : random() % 3 == 0 ? 3 : ~uint64_t{0};
        const uint64_t top = uint64_t{1} << bits_of_it;
        const uint64_t random_bits = uint64_t{random()} << 32 | random();
        const uint64_t low = random_bits & few & (top - 1);
        const uint64_t bits_there = top | (random() % 2 == 0 ? low : low << (bits_of_it - 2) % 64);
        const auto value = static_cast<quad>(bits_there & (2 * top - 1)) * power(-bits_of_it);
        return random() % 2 == 0 ? value : -value;
    };
    int denormals = 0;
    int large = 0;
    for (const gfx_target target : both_targets) {
        machine m(target);
        m.set_s64(sreg::vcc, 0x5555555555555555);
        for (const number_format& f : {f32, f64}) {
            const int step = f.is_single ? 64 : 128;
            for (uint32_t round = 0; round < 16; ++round) {
                // In front of the smallest numbers, in the middle, at the largest ones.
                const int middle = round % 3 == 0   ? f.smallest + step
                                   : round % 3 == 1 ? 0
                                                    : f.largest - step;
                std::array<std::array<quad, 3>, 64> operands;
                for (uint32_t l = 0; l < 64; ++l) {
                    const int of_sum = middle + static_cast<int>(random() % 60) - 30;
                    const int of_a = static_cast<int>(random() % 40) - 20;
                    const int distance = static_cast<int>(random() % 9) - 4;
                    auto& [a, b, c] = operands[l];
                    a = significand(f.mantissa) * power(of_a);
                    b = significand(f.mantissa) * power(of_sum - of_a + distance);
                    c = significand(f.mantissa) * power(of_sum);
                    for (int n = 0; n < 3; ++n) {
                        const quad value = operands[l][static_cast<size_t>(n)];
                        const uint64_t wide = bits(static_cast<double>(value));
                        m.v(2 + 2 * n)[l] = f.is_single ? bits(static_cast<float>(value))
                                                        : static_cast<uint32_t>(wide);
                        m.v(3 + 2 * n)[l] = static_cast<uint32_t>(wide >> 32);
                    }
                }
                const mode with{0xf0 | round};
                m.w().mode = (default_mode & ~0xffu) | with.bits;
                m.run(f.is_single ? "v_div_fmas_f32 v0, v2, v4, v6"
                                  : "v_div_fmas_f64 v[0:1], v[2:3], v[4:5], v[6:7]");
                for (uint32_t l = 0; l < 64; ++l) {
                    const auto& [a, b, c] = operands[l];
                    const sum exact = sum_of(a * b, c, f, with);
                    if (!exact.is_exact || exact.value == 0) {
                        continue;
                    }
                    const bool is_up = (c < 0 ? -c : c) >= 2;
                    const quad scale = l % 2 != 0 ? 1 : power(is_up ? step : -step);
                    const quad wanted = rounded(exact.value * scale, f, with);
                    const quad magnitude = wanted < 0 ? -wanted : wanted;
                    denormals += magnitude < power(f.smallest) ? 1 : 0;
                    large += magnitude > power(f.largest) ? 1 : 0;
                    const quad got = f.is_single
                                         ? static_cast<quad>(to_float(m.v(0)[l]))
                                         : static_cast<quad>(std::bit_cast<double>(
                                               uint64_t{m.v(0)[l]} | uint64_t{m.v(1)[l]} << 32));
                    expect("v_div_fmas", with, l, got, wanted);
                }
            }
        }
    }
    EXPECT_GT(denormals, 200);
    EXPECT_GT(large, 20);
}

// However far the smaller term is below the larger one, it matters where MODE rounds away from zero.
TEST(mode_rules, scaled_quotients_of_terms_far_apart) {
    constexpr double tiny = 0x1p-1074;
    for (const bool is_product_small : {false, true}) {
        for (const double sign : {1.0, -1.0}) {
            for (const double sign_of_small : {1.0, -1.0}) {
                machine m(gfx_target::gfx942);
                const double small = sign_of_small * tiny;
                const double operands[] = {is_product_small ? small : sign,
                                           is_product_small ? tiny : 1.0,
                                           is_product_small ? sign : small};
                for (int n = 0; n < 3; ++n) {
                    m.fill(2 + 2 * n, static_cast<uint32_t>(bits(operands[n])));
                    m.fill(3 + 2 * n, static_cast<uint32_t>(bits(operands[n]) >> 32));
                }
                m.set_s64(sreg::vcc, ~uint64_t{0});
                for (const uint32_t round : {0u, 1u, 2u, 3u}) {
                    run_in(m, default_mode | round << 2,
                           "v_div_fmas_f64 v[0:1], v[2:3], v[4:5], v[6:7]");
                    // The next number up or down from +-2^-128, by the sign of the rest.
                    const bool moves = sign_of_small > 0 ? round == 1 || (round == 3 && sign < 0)
                                                         : round == 2 || (round == 3 && sign > 0);
                    const double exact = sign * 0x1p-128;
                    EXPECT_EQ(m.v(0)[5] | uint64_t{m.v(1)[5]} << 32,
                              bits(moves ? std::nextafter(exact, sign_of_small) : exact))
                        << is_product_small << sign << sign_of_small << " " << round;
                }
            }
        }
    }
}

// Of approximations the guide says how far off they are and not how they round: they give the same
// in all round modes.
TEST(mode_rules, approximations_do_not_round_by_mode) {
    const std::string code =
        "v_rcp_f32 v10, v1\n v_rsq_f32 v11, v1\n v_sqrt_f32 v12, v1\n v_exp_f32 v13, v1\n"
        "v_log_f32 v14, v1\n v_sin_f32 v15, v1\n v_cos_f32 v16, v1\n v_rcp_f16 v17, v2\n"
        "v_sqrt_f16 v18, v2\n v_rcp_f64 v[20:21], v[4:5]";
    const auto results = [&](uint32_t round) {
        machine m(gfx_target::gfx942);
        m.fill(1, [](uint32_t l) { return bits(1.0f + static_cast<float>(l) / 3); });
        m.fill(2, [](uint32_t l) { return half(1.0f + static_cast<float>(l) / 3); });
        m.fill(4, 0u);
        m.fill(5, [](uint32_t l) { return static_cast<uint32_t>(bits(1.0 + l) >> 32); });
        run_in(m, default_mode | round | round << 2, code);
        std::vector<std::array<uint32_t, lane_count>> rows;
        for (int r = 10; r < 22; ++r) {
            std::array<uint32_t, lane_count> row{};
            for (uint32_t l = 0; l < lane_count; ++l) {
                row[l] = m.v(r)[l];
            }
            rows.push_back(row);
        }
        return rows;
    };
    const auto nearest = results(0);
    EXPECT_EQ(nearest[0][2 * 3], bits(1.0f / 3));
    for (uint32_t round = 1; round < 4; ++round) {
        EXPECT_EQ(results(round), nearest) << round;
    }
}

// mul:2 and its like: with flushed results and without IEEE only, and never -0.
TEST(mode_rules, output_modifiers) {
    machine m(gfx_target::gfx942);
    m.fill(1, bits(3.0f));
    m.fill(2, bits(-0.0f));
    m.fill(3, 0x00c00000u);
    const std::string code =
        "v_mul_f32 v4, 1.0, v1 mul:2\n v_mul_f32 v5, 1.0, v2 mul:4\n v_mul_f32 v6, 1.0, v3 div:2";
    run_in(m, flushes_f32 & ~0x200u, code);
    EXPECT_EQ(m.v(4)[0], bits(6.0f));
    EXPECT_EQ(m.v(5)[0], 0u);
    EXPECT_EQ(m.v(6)[0], 0u);
    for (const uint32_t mode : {flushes_f32, default_mode, default_mode & ~0x200u}) {
        run_in(m, mode, code);
        EXPECT_EQ(m.v(4)[0], bits(3.0f)) << mode;
        EXPECT_EQ(m.v(5)[0], bits(-0.0f)) << mode;
    }
}

// clamp and mul:2 and its like on results of each format, in each mode that they depend on.
template <class T>
void check_results(const char* format, T smallest, uint32_t output_denormals) {
    const T infinite = static_cast<T>(INFINITY);
    const std::vector<T> values = {
        -infinite, T(-3),   T(-1), T(-0.25), -smallest, T(-0.0),  T(0),     T(0.25),
        T(0.5),    T(0.75), T(1),  T(1.5),   T(3),      smallest, infinite, static_cast<T>(NAN)};
    struct {
        const char* text;
        T factor;
        bool clamps;
    } const modifiers[] = {{"", T(1), false},         {" clamp", T(1), true},
                           {" mul:2", T(2), false},   {" mul:4", T(4), false},
                           {" div:2", T(0.5), false}, {" clamp mul:4", T(4), true}};
    constexpr uint32_t ieee = 0x200;
    constexpr uint32_t dx10_clamp = 0x100;
    for (const gfx_target target : both_targets) {
        for (const uint32_t off : {0u, ieee, output_denormals, ieee | output_denormals, dx10_clamp,
                                   ieee | output_denormals | dx10_clamp}) {
            const uint32_t mode = default_mode & ~off;
            machine m(target);
            for (size_t l = 0; l < lane_count; ++l) {
                std::array<uint32_t, 2> dwords{};
                std::memcpy(dwords.data(), &values[l % values.size()], sizeof(T));
                m.v(2)[l] = dwords[0];
                m.v(3)[l] = dwords[1];
            }
            for (const auto& modifier : modifiers) {
                const std::string wide = sizeof(T) == 8 ? "v[4:5], 1.0, v[2:3]" : "v4, 1.0, v2";
                const std::string code =
                    std::string("v_mul_") + format + "_e64 " + wide + modifier.text;
                run_in(m, mode, code);
                const bool multiplies =
                    modifier.factor != T(1) && (mode & (ieee | output_denormals)) == 0;
                for (size_t l = 0; l < lane_count; ++l) {
                    T wanted = values[l % values.size()];
                    if (multiplies) {
                        wanted = wanted * modifier.factor + T(0);
                        wanted = wanted < smallest && wanted > -smallest ? T(0) * wanted : wanted;
                    }
                    const bool is_nan = wanted != wanted;
                    if (modifier.clamps && is_nan) {
                        wanted = (mode & dx10_clamp) != 0 ? T(0) : wanted;
                    } else if (modifier.clamps) {
                        wanted = std::clamp(wanted, T(0), T(1));
                    }
                    const std::array<uint32_t, 2> dwords = {m.v(4)[l], m.v(5)[l]};
                    T actual;
                    std::memcpy(&actual, dwords.data(), sizeof(T));
                    const bool is_same = wanted != wanted ? actual != actual
                                         : modifier.clamps
                                             ? actual == wanted
                                             : std::memcmp(&actual, &wanted, sizeof(T)) == 0;
                    EXPECT_TRUE(is_same)
                        << code << " of " << static_cast<double>(values[l % values.size()])
                        << " in mode " << std::hex << mode << ": " << static_cast<double>(actual)
                        << ", not " << static_cast<double>(wanted);
                }
            }
        }
    }
}

TEST(mode_rules, output_modifiers_of_every_format) {
    check_results<_Float16>("f16", static_cast<_Float16>(0x1p-14f), 0x80);
    check_results<float>("f32", 0x1p-126f, 0x20);
    check_results<double>("f64", 0x1p-1022, 0x80);
}

// FP16_OVFL: an overflow is the largest number, an infinity that was there or comes of 1 / 0 stays.
TEST(mode_rules, limited_overflow) {
    for (const gfx_target target : both_targets) {
        machine m(target);
        m.fill(1, 0x7bff7bffu);
        m.fill(2, 0x7c00fbffu);
        m.fill(3, bits(1e6f));
        m.fill(4, bits(-INFINITY));
        m.fill(5, 0u);
        m.fill(6, 1u);
        run_in(m, default_mode | 1u << 23,
               "v_add_f16 v10, v1, v1\n v_pk_add_f16 v11, v1, v2\n v_cvt_f16_f32 v12, v3\n"
               "v_cvt_f16_f32 v13, v4\n v_rcp_f16 v14, v5\n v_rcp_f16 v15, v6\n"
               "v_mov_b32 v16, 0\n v_cvt_pk_fp8_f32 v16, v3, v4\n"
               "v_mov_b32 v17, 0\n v_cvt_pk_bf8_f32 v17, v3, v4\n v_pk_mul_f16 v18, v1, v2\n"
               "v_rsq_f16 v19, v5\n v_log_f16 v20, v5\n v_div_fixup_f16 v21, v1, v5, 1.0");
        EXPECT_EQ(m.v(10)[0], 0x7bffu);
        EXPECT_EQ(m.v(11)[0], 0x7c000000u);
        EXPECT_EQ(m.v(12)[0], 0x7bffu);
        EXPECT_EQ(m.v(13)[0], 0xfc00u);
        EXPECT_EQ(m.v(14)[0], 0x7c00u);
        EXPECT_EQ(m.v(15)[0], 0x7bffu);
        const bool is_ocp = target == gfx_target::gfx950;
        EXPECT_EQ(m.v(16)[0], is_ocp ? 0xfe7eu : 0xff7fu);
        EXPECT_EQ(m.v(17)[0], is_ocp ? 0xfb7bu : 0xff7fu);
        EXPECT_EQ(m.v(18)[0], 0x7c00fbffu);
        EXPECT_EQ(m.v(19)[0], 0x7c00u);
        EXPECT_EQ(m.v(20)[0], 0xfc00u);
        EXPECT_EQ(m.v(21)[0], 0x7c00u);
    }
}

// An integer is never infinite, nor does it make a result so.
TEST(mode_rules, limited_overflow_of_integers) {
    for (const bool limits : {false, true}) {
        machine m(gfx_target::gfx942);
        m.fill(1, 0xffffu);
        m.fill(2, half(-1.0f));
        m.fill(3, 20u);
        m.fill(4, 0u);
        m.fill(5, 0xfc00u);
        run_in(m, default_mode | (limits ? 1u << 23 : 0),
               "v_cvt_f16_u16 v10, v1\n v_ldexp_f16 v11, v2, v3\n v_ldexp_f16 v12, v5, v4");
        EXPECT_EQ(m.v(10)[0], limits ? 0x7bffu : 0x7c00u);
        EXPECT_EQ(m.v(11)[0], limits ? 0xfbffu : 0xfc00u);
        EXPECT_EQ(m.v(12)[0], 0xfc00u);
    }
}

// An infinity among the three sources, whichever, is no overflow.
TEST(mode_rules, limited_overflow_of_mixed_sums) {
    for (int infinite = -1; infinite < 3; ++infinite) {
        machine m(gfx_target::gfx942);
        for (int n = 0; n < 3; ++n) {
            m.fill(1 + n, bits(n == infinite ? INFINITY : 1000.0f));
        }
        m.fill(4, 0u);
        m.fill(5, 0u);
        run_in(m, default_mode | 1u << 23,
               "v_fma_mixlo_f16 v4, v1, v2, v3\n v_fma_mixhi_f16 v5, v1, v2, v3");
        const uint32_t expected = infinite < 0 ? 0x7bff : 0x7c00;
        EXPECT_EQ(m.v(4)[0], expected) << infinite;
        EXPECT_EQ(m.v(5)[0], expected << 16) << infinite;
    }
}

// v_mad_f16 and v_mac_f16 flush in every mode.
TEST(mode_rules, mad_f16_flushes) {
    machine m(gfx_target::gfx942);
    m.fill(1, 0x0001u);
    m.fill(2, half(1.0f));
    m.fill(4, 0x0200u);
    m.run("v_mad_f16 v3, v1, v2, 0\n v_mac_f16 v4, v2, v2\n v_mad_f16 v5, v2, v2, v1");
    EXPECT_EQ(m.v(3)[0] & 0xffff, 0u);
    EXPECT_EQ(m.v(4)[0], half(1.0f));
    EXPECT_EQ(m.v(5)[0] & 0xffff, half(1.0f));
}

// A wave before and after s_setreg.
TEST(mode_rules, s_setreg_changes_the_wave) {
    machine m(gfx_target::gfx942);
    m.fill(1, 3u);
    m.fill(2, bits(1.0f));
    m.fill(3, bits(0x1p-25f));
    m.s(4) = 1;
    m.run(
        "v_mul_f32 v10, v2, v1\n s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 0\n"
        "v_mul_f32 v11, v2, v1\n s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 1\n"
        "v_mul_f32 v12, v2, v1\n v_mul_f32 v13, 4.0, v1\n"
        "s_setreg_b32 hwreg(HW_REG_MODE, 0, 2), s4\n v_add_f32 v14, v2, v3\n"
        "s_getreg_b32 s5, hwreg(HW_REG_MODE, 0, 8)\n"
        "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 8), 0xf0\n v_add_f32 v15, v2, v3\n"
        "v_mul_f32 v16, v2, v1");
    EXPECT_EQ(m.v(10)[0], 3u);
    EXPECT_EQ(m.v(11)[0], 0u);
    EXPECT_EQ(m.v(12)[0], 0u);
    EXPECT_EQ(m.v(13)[0], 0u);
    EXPECT_EQ(m.v(14)[0], bits(1.0f + 0x1p-23f));
    EXPECT_EQ(m.s(5), 0xd1u);
    EXPECT_EQ(m.v(15)[0], bits(1.0f));
    EXPECT_EQ(m.v(16)[0], 3u);
}

// What one wave asks for is gone where the next one computes.
TEST(mode_rules, modes_belong_to_waves) {
    for (uint32_t round = 1; round < 4; ++round) {
        machine first(gfx_target::gfx942);
        machine second(gfx_target::gfx942);
        for (machine* m : {&first, &second}) {
            m->fill(1, bits(1.0f));
            m->fill(2, bits(round == 1 ? 0x1p-26f : -0x1p-26f));
        }
        run_in(first, default_mode | round | round << 2, "v_add_f32 v3, v1, v2");
        second.run("v_add_f32 v3, v1, v2");
        EXPECT_EQ(first.v(3)[0], bits(round == 1 ? 1.0f + 0x1p-23f : 1.0f - 0x1p-24f)) << round;
        EXPECT_EQ(second.v(3)[0], bits(1.0f)) << round;
    }
}

// LDS atomics: table 53 of the ISA guide.
TEST(mode_rules, lds_atomics) {
    machine m(gfx_target::gfx950, 4096);
    const auto put = [&](size_t at, uint64_t value) {
        std::memcpy(m.lds().data() + at, &value, 8);
    };
    const auto get = [&](size_t at) {
        uint64_t value;
        std::memcpy(&value, m.lds().data() + at, 8);
        return value;
    };
    put(0, 0x00000005);   // add_f32
    put(8, 0x80000005);   // min_f32 with +0: -0 is less, stored as it is
    put(16, 0x00010001);  // pk_add_f16
    put(24, 3);           // add_f64
    put(32, 0x00300000);  // add_f32 of normal numbers with a denormal result
    put(32, bits(-0x1.8p-126f));
    m.set_exec(1);
    m.fill(1, 0u);
    m.fill(2, 0u);
    m.fill(3, 0x3c000000u);
    m.fill(4, bits(0x1p-126f));
    m.fill(6, 4u);
    m.fill(7, 0u);
    run_in(m, flushes_all,
           "ds_add_f32 v1, v2\n ds_min_f32 v1, v2 offset:8\n ds_pk_add_f16 v1, v3 offset:16\n"
           "ds_add_f64 v1, v[6:7] offset:24\n ds_add_f32 v1, v4 offset:32");
    EXPECT_EQ(get(0), 0u);
    EXPECT_EQ(get(8), 0x80000005u);
    EXPECT_EQ(get(16), 0x3c000000u);
    EXPECT_EQ(get(24), 7u);
    EXPECT_EQ(get(32), 0x80000000u);
}

// MODE says of inputs and of results alone whether denormals are kept: bits 4 and 5 for f32, 6 and 7
// for f16 and, by its group, bf16 (ISA guide, MODE, FP_DENORM).
TEST(mode_rules, lds_sums_of_denormals) {
    machine m(gfx_target::gfx950, 64);
    m.set_exec(1);
    m.fill(1, 0u);
    m.fill(2, 0u);
    m.fill(3, bits(0x1p-126f));
    m.fill(4, 0x04000000u);
    m.fill(5, 0x00800000u);
    for (const bool in : {false, true}) {
        for (const bool out : {false, true}) {
            // A denormal and 0; normal numbers with a denormal sum. Halves: the first low, the other high.
            const uint32_t before[] = {5, bits(-0x1.8p-126f), 0x86000005, 0x80c00005};
            std::memcpy(m.lds().data(), before, sizeof before);
            m.w().mode = 0x300u | (in ? 0x50u : 0) | (out ? 0xa0u : 0);
            m.run(
                "ds_add_f32 v1, v2\n ds_add_f32 v1, v3 offset:4\n"
                "ds_pk_add_f16 v1, v4 offset:8\n ds_pk_add_bf16 v1, v5 offset:12");
            uint32_t after[4];
            std::memcpy(after, m.lds().data(), sizeof after);
            const uint32_t denormal = in && out ? 5 : 0;
            EXPECT_EQ(after[0], denormal) << in << out;
            EXPECT_EQ(after[1], out ? bits(-0x1p-127f) : 0x80000000u) << in << out;
            EXPECT_EQ(after[2], (out ? 0x82000000u : 0x80000000u) | denormal) << in << out;
            EXPECT_EQ(after[3], (out ? 0x80400000u : 0x80000000u) | denormal) << in << out;
        }
    }
}

// Where denormals count as zeros the data is not less than what is there, which stays (pseudocode of
// DS_MIN). FP_DENORM of f32 and of f64 are bits of their own.
TEST(mode_rules, lds_minima_of_denormals) {
    machine m(gfx_target::gfx950, 64);
    m.set_exec(1);
    m.fill(1, 0u);
    m.fill(2, 1u);  // of f64 the low half
    m.fill(3, 0u);
    for (const bool single : {false, true}) {
        for (const bool wide : {false, true}) {
            const uint32_t before[] = {5, 0, 5, 0};
            std::memcpy(m.lds().data(), before, sizeof before);
            m.w().mode = 0x300u | (single ? 0x30u : 0) | (wide ? 0xc0u : 0);
            m.run("ds_min_f32 v1, v2\n ds_min_f64 v1, v[2:3] offset:8");
            uint32_t after[4];
            std::memcpy(after, m.lds().data(), sizeof after);
            EXPECT_EQ(after[0], single ? 1u : 5u);
            EXPECT_EQ(after[2], wide ? 1u : 5u);
        }
    }
}

// A code of a small format of `bits` bits; NaN and infinities as the formats of the target have them.
quad value_of_code(uint32_t code, int exponent_bits, int mantissa_bits, int bias, char kind) {
    const int bits = 1 + exponent_bits + mantissa_bits;
    const bool negative = (code >> (bits - 1) & 1) != 0;
    const uint32_t magnitude = code & ((1u << (bits - 1)) - 1);
    const int exponent = static_cast<int>(magnitude >> mantissa_bits);
    const auto mantissa = static_cast<quad>(magnitude & ((1u << mantissa_bits) - 1));
    if (kind == 'z' && negative && magnitude == 0) {  // FNUZ
        return static_cast<quad>(NAN);
    }
    if (kind == 'n' && magnitude == 0x7f) {  // E4M3: one NaN
        return static_cast<quad>(NAN);
    }
    if (kind == 'i' && exponent == (1 << exponent_bits) - 1) {  // as IEEE has it
        return static_cast<quad>(mantissa != 0 ? NAN : negative ? -INFINITY : INFINITY);
    }
    const quad value =
        exponent == 0 ? mantissa * power(1 - bias - mantissa_bits)
                      : (power(mantissa_bits) + mantissa) * power(exponent - bias - mantissa_bits);
    return negative ? -value : value;
}

// rounded() of what may be infinite or NaN.
quad converted(quad value, const number_format& f, mode m) {
    return value - value == 0 ? rounded(value, f, m) : value;
}

// To an integer, as round mode `round` does.
quad integer(quad value, uint32_t round) {
    const auto d = static_cast<double>(value);  // has at most 40 bits
    return static_cast<quad>(round == 0   ? std::nearbyint(d)
                             : round == 1 ? std::ceil(d)
                             : round == 2 ? std::floor(d)
                                          : std::trunc(d));
}

struct small {
    int exponent_bits;
    int mantissa_bits;
    int bias;
    char kind;  // of value_of_code(); 's' saturates
    double largest;

    quad value(uint32_t code) const {
        return value_of_code(code, exponent_bits, mantissa_bits, bias, kind);
    }
    // Nearest even with denormals, whatever MODE says; ISA guide 7.3 has the table of overflows.
    quad of(quad exact, mode m) const {
        if (exact != exact) {
            return exact;
        }
        const quad limit = static_cast<quad>(largest);
        const number_format wide{mantissa_bits, 1 - bias, 400, false};
        quad result = exact - exact == 0 ? rounded(exact, wide, mode{0xf0}) : exact;
        if (result > limit || result < -limit) {
            const quad edge = result < 0 ? -limit : limit;
            result = kind == 's' || m.limits_f16() ? edge
                     : kind == 'i'
                         ? (result < 0 ? -static_cast<quad>(INFINITY) : static_cast<quad>(INFINITY))
                         : static_cast<quad>(NAN);
        }
        return kind == 'z' && result == 0 ? quad(0) : result;
    }
};

// Packed conversions in all modes. Each rounds as the guide says of it (12.11), by MODE where it says
// nothing; sources of f32 are flushed by the mode of f32, results by that of their type, and results
// of less than 16 bits not at all (7.3).
TEST(mode_rules, packed_conversions) {
    constexpr number_format bf16{7, -126, 127, true};
    // To numbers: ties of f16, bf16, fp8 and normalized integers, overflows, denormals.
    constexpr float values[] = {1.0f + 0x1p-11f,
                                -1.0f - 0x1.8p-10f,
                                1.0f + 0x1p-4f,
                                -1.0f - 0x1.8p-3f,
                                0x1.01p0f,
                                -0x1.03p0f,
                                0x1.fffp15f,
                                -0x1.ffep15f,
                                1e30f,
                                -INFINITY,
                                0x1p-14f,
                                -0x1.554p-17f,
                                0x1.8p-25f,
                                0x1.4p-127f,
                                -0x1.8p-149f,
                                0.3333333f,
                                -0.7f,
                                459.0f,
                                -464.0f,
                                0x1.cp8f,
                                0x1.dp15f,
                                -0x1.ep15f,
                                240.0f,
                                -248.0f,
                                0x1p-10f,
                                0x1.8p-9f,
                                -0x1p-17f,
                                0x1.8p-7f,
                                5.0f,
                                -6.5f,
                                0.25f,
                                NAN};
    constexpr size_t count = std::size(values);
    const auto value = [&](uint32_t l) { return values[l % count]; };
    const auto partner = [&](uint32_t l) { return values[(l * 7 + 3) % count]; };
    for (const gfx_target target : both_targets) {
        const bool is_950 = target == gfx_target::gfx950;
        const small fp8 = is_950 ? small{4, 3, 7, 'n', 448} : small{4, 3, 8, 'z', 240};
        const small bf8 = is_950 ? small{5, 2, 15, 'i', 57344} : small{5, 2, 16, 'z', 57344};
        constexpr small fp4{2, 1, 1, 's', 6};
        std::string code =
            "v_cvt_pkrtz_f16_f32 v10, v1, v2\n v_mov_b32 v11, -1\n v_mov_b32 v12, -1\n"
            "v_cvt_pk_fp8_f32 v11, v1, v2\n v_cvt_pk_bf8_f32 v12, v1, v2 op_sel:[0,0,1]\n"
            "v_cvt_pknorm_i16_f32 v13, v1, v2\n v_cvt_pknorm_u16_f32 v14, v1, v2\n"
            "v_cvt_pknorm_i16_f16 v15, v3, v4\n v_cvt_pknorm_u16_f16 v16, v3, v4\n";
        if (is_950) {
            // v5: 2^-127, v6: 2^127, v7: codes
            code +=
                "v_cvt_pk_f16_f32 v20, v1, v2\n v_cvt_pk_bf16_f32 v21, v1, v2\n"
                "v_cvt_scalef32_pk_fp8_f32 v22, v1, v2, 1.0\n"
                "v_cvt_scalef32_pk_bf8_f32 v23, v1, v2, v5\n"
                "v_cvt_scalef32_pk_fp4_f32 v24, v1, v2, v5\n"
                "v_cvt_scalef32_pk_f32_fp8 v[26:27], v7, v8\n"
                "v_cvt_scalef32_pk_f16_bf8 v28, v7, v9\n"
                "v_cvt_scalef32_pk_fp8_f16 v29, v3, 1.0\n"
                "v_cvt_scalef32_pk_f16_fp4 v30, v7, v9\n";
        }
        machine m(target);
        for (uint32_t l = 0; l < lane_count; ++l) {
            m.v(1)[l] = bits(value(l));
            m.v(2)[l] = bits(partner(l));
            m.v(3)[l] = half(value(l)) | uint32_t{half(partner(l))} << 16;
            m.v(4)[l] = half(partner(l));
            m.v(7)[l] = l * 4 + 1 + ((l * 4 + 130) % 256 << 8);
            m.v(9)[l] = bits(std::ldexp(1.0f, static_cast<int>(l % 5) * 7 - 12));
        }
        m.fill(5, 0u);                  // a scale of 2^-127
        m.fill(8, (127u - 121) << 23);  // 2^-121
        for (uint32_t n = 0; n < 32; ++n) {
            const uint32_t round = n & 3;
            const uint32_t denormals = n >> 2 & 3;
            const mode now{round | (3 - round) << 2 | denormals << 4 |
                           (denormals + round) % 4 << 6 | (n >> 4) << 23};
            const mode to_zero{now.bits | 0xc};
            const mode nearest{now.bits & ~0xfu};
            run_in(m, (default_mode & ~0xffu) | now.bits, code);
            for (uint32_t l = 0; l < lane_count; ++l) {
                for (uint32_t part = 0; part < 2; ++part) {
                    const quad exact = static_cast<quad>(part == 0 ? value(l) : partner(l));
                    const quad single = source(exact, f32, now);
                    const quad half_value = value_of(half(part == 0 ? value(l) : partner(l)));
                    const auto bits_of = [&](int reg, uint32_t bits) {
                        return m.v(reg)[l] >> bits * part & ((1u << bits) - 1);
                    };
                    const auto check_half = [&](const char* name, int reg, quad wanted) {
                        expect(name, now, l, value_of(static_cast<uint16_t>(bits_of(reg, 16))),
                               wanted);
                    };
                    const auto check_small = [&](const char* name, int reg, const small& f,
                                                 quad wanted, uint32_t shift = 0) {
                        const uint32_t bits = f.largest == 6 ? 4 : 8;
                        const uint32_t got =
                            m.v(reg)[l] >> shift >> bits * part & ((1u << bits) - 1);
                        expect(name, now, l, f.value(got), f.of(wanted, now));
                    };
                    check_half("v_cvt_pkrtz_f16_f32", 10, converted(single, f16, to_zero));
                    check_small("v_cvt_pk_fp8_f32", 11, fp8, single);
                    check_small("v_cvt_pk_bf8_f32", 12, bf8, single, 16);
                    EXPECT_EQ(m.v(11)[l] >> 16, 0xffffu);
                    EXPECT_EQ(m.v(12)[l] & 0xffff, 0xffffu);
                    if (exact == exact) {
                        const quad half_source = source(half_value, f16, now);
                        const auto norm = [&](const char* name, int reg, quad x, quad low,
                                              quad scale, uint32_t mode_of_it) {
                            const quad bounded = std::clamp(x, low, quad(1)) * scale;
                            const auto wanted = static_cast<int32_t>(integer(bounded, mode_of_it));
                            EXPECT_EQ(bits_of(reg, 16), static_cast<uint32_t>(wanted) & 0xffff)
                                << name << " of lane " << l << " in mode " << std::hex << now.bits;
                        };
                        norm("i16_f32", 13, single, -1, 32767, now.round(f32));
                        norm("u16_f32", 14, single, 0, 65535, now.round(f32));
                        norm("i16_f16", 15, half_source, -1, 32767, now.round(f16));
                        norm("u16_f16", 16, half_source, 0, 65535, now.round(f16));
                    }
                    if (!is_950) {
                        continue;
                    }
                    check_half("v_cvt_pk_f16_f32", 20, converted(single, f16, nearest));
                    const quad narrow = converted(single, bf16, mode{nearest.bits | 0x30});
                    if (now.keeps_results(f32) || flushed(narrow, bf16) == narrow) {
                        expect("v_cvt_pk_bf16_f32", now, l,
                               static_cast<quad>(to_float(bits_of(21, 16) << 16)), narrow);
                    }
                    check_small("v_cvt_scalef32_pk_fp8_f32", 22, fp8, single);
                    check_small("v_cvt_scalef32_pk_bf8_f32", 23, bf8, single * power(127));
                    if (exact == exact) {  // the guide has no NaN for fp4
                        check_small("v_cvt_scalef32_pk_fp4_f32", 24, fp4, single * power(127));
                    }
                    const uint32_t codes = m.v(7)[l];
                    const uint32_t byte = codes >> 8 * part & 0xff;
                    expect("v_cvt_scalef32_pk_f32_fp8", now, l,
                           static_cast<quad>(to_float(m.v(26 + static_cast<int>(part))[l])),
                           converted(fp8.value(byte) * power(-121), f32, now));
                    const quad scale = static_cast<quad>(to_float(m.v(9)[l]));
                    check_half("v_cvt_scalef32_pk_f16_bf8", 28,
                               converted(bf8.value(byte) * scale, f16, now));
                    check_small("v_cvt_scalef32_pk_fp8_f16", 29, fp8, half_value);
                    check_half("v_cvt_scalef32_pk_f16_fp4", 30,
                               converted(fp4.value(codes >> 4 * part & 0xf) * scale, f16, now));
                }
            }
        }
    }
}

}  // namespace
}  // namespace emu
