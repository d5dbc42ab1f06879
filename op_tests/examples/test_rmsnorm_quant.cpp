// examples/rmsnorm_quant as a user runs it, against the definition in double and the formats by
// their definition.
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "../laws/small_formats.hpp"
#include "run_example.hpp"

namespace {

using examples_test::part;
using examples_test::takes;

// What codes count, by their definition.
struct code_format {
    double largest;
    bool i8;
    laws::encoder encode;

    // The value of the nearest code, of two the even one.
    double nearest(double x) const {
        return i8 ? std::nearbyint(x) : laws::value(encode.format(), encode(x));
    }
};

struct outputs {
    std::vector<double> q, s, t;
};

class rmsnorm_quant : public examples_test::in_directory {
protected:
    const std::string program = OPUS_RMSNORM_QUANT;

    // The codes of this device's --codes.
    code_format format_of(const std::string& codes) {
        if (codes == "i8") {
            return {127, true, laws::encoder(laws::fp8_ocp)};
        }
        const examples_test::outcome o = run(program, "-m 1 -n 1 --codes fp8");
        const bool fnuz = o.has(" to fp8 (FNUZ)\n");
        EXPECT_NE(fnuz, o.has(" to fp8 (OCP)\n")) << o.out;
        EXPECT_EQ(fnuz, examples_test::device_arch() == "gfx942");
        return fnuz ? code_format{240, false, laws::encoder(laws::fp8_fnuz)}
                    : code_format{448, false, laws::encoder(laws::fp8_ocp)};
    }

    // With a bias it is the layer norm.
    outputs compute(const std::vector<float>& a, const std::vector<float>& r,
                    const std::vector<float>& w, const std::string& options,
                    const std::vector<float>& bias = {}) {
        const auto n = static_cast<int>(w.size());
        const int m = static_cast<int>(a.size()) / n;
        write_npy("a.npy", examples_test::shape_text(m, n), a);
        write_npy("w.npy", std::to_string(n) + ",", w);
        std::string arguments = "--a a.npy --w w.npy --out q.npy --out-s s.npy --out-t t.npy ";
        if (!r.empty()) {
            write_npy("r.npy", examples_test::shape_text(m, n), r);
            arguments += "--r r.npy ";
        }
        if (!bias.empty()) {
            write_npy("bias.npy", std::to_string(n) + ",", bias);
            arguments += "--norm layer --bias bias.npy ";
        }
        expect_pass(program, arguments + options);
        outputs result{doubles("q.npy"), doubles("s.npy"), doubles("t.npy")};
        EXPECT_EQ(result.q.size(), a.size());
        EXPECT_EQ(result.s.size(), static_cast<std::size_t>(m));
        EXPECT_EQ(result.t.size(), a.size());
        result.q.resize(a.size());
        result.s.resize(static_cast<std::size_t>(m));
        result.t.resize(a.size());
        return result;
    }

    void take_any_size(part of);
    void be_the_definition(part of);
    void be_the_definition_of_a_layer(part of);

private:
    std::vector<double> doubles(const std::string& file) const {
        const std::vector<float> values = read_npy(file);
        return {values.begin(), values.end()};
    }
};

class rmsnorm_quant_rest : public rmsnorm_quant {};

laws::small_format type_format(const std::string& type) {
    return type == "f16" ? laws::fp16 : laws::bf16;
}

// Random numbers of the type, of different magnitudes.
std::vector<float> numbers(std::size_t count, const std::string& type, unsigned seed) {
    const laws::encoder encode(type_format(type));
    std::mt19937 random(seed);
    std::vector<float> values(count);
    for (float& x : values) {
        const double fraction = static_cast<double>(random()) * 0x1p-31 - 1;
        const double value = std::ldexp(fraction, static_cast<int>(random() % 6) - 3);
        x = static_cast<float>(laws::value(encode.format(), encode(value)));
    }
    return values;
}

// Around the ends of vectors, waves and groups, of each plan, and more or fewer rows than groups. Paths:
// all sizes with the default kernel, and with each other one a size of each plan.
void rmsnorm_quant::take_any_size(part of) {
    const std::set<std::string> of_each_plan{"-m 5 -n 7 --groups 2", "-m 4 -n 513 --r random",
                                             "-m 5 -n 4100 --groups 2 --r random", "-m 2 -n 16383"};
    for (const std::string options : {"", " --type f16", " --codes i8", " --type f16 --codes i8",
                                      " --norm layer", " --norm layer --type f16 --codes i8"}) {
        for (const char* size :
             {"-m 1 -n 1", "-m 3 -n 2 --r random", "-m 5 -n 7 --groups 2", "-m 9 -n 8",
              "-m 100 -n 8 --groups 3 --r random", "-m 3 -n 508", "-m 17 -n 512 --groups 4",
              "-m 4 -n 513 --r random", "-m 2 -n 516", "-m 6 -n 4095 --groups 4", "-m 2 -n 4096",
              "-m 5 -n 4100 --groups 2 --r random", "-m 2 -n 4097", "-m 3 -n 8192 --r random",
              "-m 2 -n 16380 --seed 3 --iters 2", "-m 3 -n 16384 --groups 1 --r random",
              "-m 2 -n 16383", ""}) {
            if (takes(of, options.empty() || of_each_plan.count(size) != 0)) {
                expect_pass(program, size + options);
            }
        }
    }
}
TEST_F(rmsnorm_quant, takes_any_size) {
    take_any_size(part::paths);
}
TEST_F(rmsnorm_quant_rest, takes_any_size) {
    take_any_size(part::rest);
}

// t is the sum rounded once. A code is that of t * w * largest / max |t * w|, which the kernel has
// with two roundings to f32, so 2^-23 of itself away at most: where a middle between two codes is as
// near, either code may come out, and nowhere else. s is off by 2^-24 for half of each of 28 roundings
// on the way to the mean and for 4 after it at most.
//
// Paths: each number of elements, with and without r, once, with the pairs of types in turn.
void rmsnorm_quant::be_the_definition(part of) {
    int shape = 0;
    for (const auto& [type, codes] : {std::pair("bf16", "fp8"), std::pair("f16", "fp8"),
                                      std::pair("bf16", "i8"), std::pair("f16", "i8")}) {
        const code_format f = format_of(codes);
        const laws::encoder encode_type(type_format(type));
        for (const int n : {1, 8, 100, 1001, 4096, 6000, 16384}) {
            for (const bool adds : {false, true}) {
                const bool is_path = shape % 14 % 4 == shape / 14;
                ++shape;
                if (!takes(of, is_path)) {
                    continue;
                }
                SCOPED_TRACE(testing::Message() << type << " " << codes << " " << n << " " << adds);
                const std::size_t m = 3;
                const auto size = static_cast<std::size_t>(n);
                const std::vector<float> a = numbers(m * size, type, 1);
                const std::vector<float> r =
                    adds ? numbers(m * size, type, 2) : std::vector<float>();
                const std::vector<float> w = numbers(size, type, 3);
                const double eps = 0.5;
                const outputs result = compute(
                    a, r, w,
                    std::string("--eps 0.5 --groups 2 --type ") + type + " --codes " + codes);
                double largest_error = 0;
                int near = 0;
                for (std::size_t row = 0; row < m; ++row) {
                    std::vector<double> y(size);
                    double squares = 0;
                    double largest = 0;
                    for (std::size_t i = 0; i < size; ++i) {
                        const std::size_t at = row * size + i;
                        double t = static_cast<double>(a[at]);
                        if (adds) {
                            t = laws::value(encode_type.format(),
                                            encode_type(t + static_cast<double>(r[at])));
                        }
                        ASSERT_EQ(result.t[at], t) << at;
                        y[i] = t * static_cast<double>(w[i]);
                        squares += t * t;
                        largest = std::max(largest, std::fabs(y[i]));
                    }
                    const double scale =
                        largest / f.largest / std::sqrt(squares / static_cast<double>(n) + eps);
                    ASSERT_NEAR(result.s[row], scale, scale * 0x1p-24 * (28 / 2 + 4)) << row;
                    largest_error =
                        std::max(largest_error, std::fabs(result.s[row] - scale) / scale);
                    for (std::size_t i = 0; i < size; ++i) {
                        const double x = y[i] / largest * f.largest;
                        const double low = f.nearest(x * (1 - 0x1p-23));
                        const double high = f.nearest(x * (1 + 0x1p-23));
                        const double code = result.q[row * size + i];
                        ASSERT_TRUE(code == low || code == high)
                            << row << " " << i << ": " << code << ", not " << low << " or " << high;
                        near += low != high;
                    }
                }
                EXPECT_LE(near, 3 + static_cast<int>(m) * n / 400);  // short products meet middles
                std::printf(
                    "rmsnorm_quant %-4s %-3s n %5d: scales off by %.2g at most, %d codes at a "
                    "middle\n",
                    type, codes, n, largest_error, near);
            }
        }
    }
}

TEST_F(rmsnorm_quant, is_the_definition) {
    be_the_definition(part::paths);
}
TEST_F(rmsnorm_quant_rest, is_the_definition) {
    be_the_definition(part::rest);
}

// The layer norm of rows of up to 8192 numbers of one exponent (f16; bf16 65536): their sum is exact
// in f32, so that the mean loses 2^-24 of itself, e, and y e / sigma for it. For the rest y loses
// 2^-24 for half of each of 30 roundings on the way to sigma and for 6 behind it, and e^2 / var / 2.
// The mean is a hundred sigma and more: E[t^2] - E[t]^2 would have no digit in f32.
//
// Paths: as above.
void rmsnorm_quant::be_the_definition_of_a_layer(part of) {
    int shape = 0;
    constexpr double u = 0x1p-24;
    for (const auto& [type, codes] : {std::pair("bf16", "fp8"), std::pair("f16", "fp8"),
                                      std::pair("bf16", "i8"), std::pair("f16", "i8")}) {
        const code_format f = format_of(codes);
        const int bits = std::string(type) == "f16" ? 10 : 7;  // behind the first one
        for (const int n : {2, 8, 509, 1001, 4096, 8188, 8190}) {
            for (const bool adds : {false, true}) {
                const bool is_path = shape % 14 % 4 == shape / 14;
                ++shape;
                if (!takes(of, is_path)) {
                    continue;
                }
                SCOPED_TRACE(testing::Message() << type << " " << codes << " " << n << " " << adds);
                const std::size_t m = 3;
                const auto size = static_cast<std::size_t>(n);
                // 1024 and up to three units in the last place more, 0 to 3 of them by r.
                std::mt19937 random(9);
                const double unit = std::ldexp(1024, -bits);
                std::vector<float> a(m * size);
                std::vector<float> r(adds ? m * size : 0);
                std::vector<double> t(m * size);
                for (std::size_t i = 0; i < t.size(); ++i) {
                    const double of_r = adds ? static_cast<double>(random() % 4) * unit : 0;
                    const double of_a =
                        adds ? 1024 : 1024 + static_cast<double>(random() % 4) * unit;
                    a[i] = static_cast<float>(of_a);
                    t[i] = of_a + of_r;
                    if (adds) {
                        r[i] = static_cast<float>(of_r);
                    }
                }
                const std::vector<float> w = numbers(size, type, 3);
                const std::vector<float> bias = numbers(size, type, 4);
                const double eps = 0.03125;
                const outputs result = compute(
                    a, r, w,
                    std::string("--eps 0.03125 --groups 2 --type ") + type + " --codes " + codes,
                    bias);
                ASSERT_EQ(result.t, t);
                int near = 0;
                for (std::size_t row = 0; row < m; ++row) {
                    double mean = 0;
                    for (std::size_t i = 0; i < size; ++i) {
                        mean += t[row * size + i] / n;
                    }
                    double variance = eps;
                    for (std::size_t i = 0; i < size; ++i) {
                        variance += std::pow(t[row * size + i] - mean, 2) / n;
                    }
                    const double sigma = std::sqrt(variance);
                    const double e = mean * u;
                    const double relative = u * (30 / 2 + 6) + e * e / variance / 2;
                    std::vector<double> y(size);
                    std::vector<double> off(size);
                    double largest = 0;
                    double off_largest = 0;
                    for (std::size_t i = 0; i < size; ++i) {
                        const double product =
                            (t[row * size + i] - mean) / sigma * static_cast<double>(w[i]);
                        y[i] = product + static_cast<double>(bias[i]);
                        off[i] = relative * std::fabs(product) + u * std::fabs(y[i]) +
                                 e / sigma * std::fabs(static_cast<double>(w[i]));
                        largest = std::max(largest, std::fabs(y[i]));
                        off_largest = std::max(off_largest, off[i]);
                    }
                    ASSERT_NEAR(result.s[row], largest / f.largest,
                                (off_largest + 2 * u * largest) / f.largest)
                        << row;
                    for (std::size_t i = 0; i < size; ++i) {
                        const double factor = f.largest / largest;
                        const double x = y[i] * factor;
                        const double away =
                            1.01 * factor *
                            (off[i] + std::fabs(y[i]) * (off_largest / largest + 2 * u));
                        const double low = f.nearest(x - away);
                        const double high = f.nearest(x + away);
                        const double code = result.q[row * size + i];
                        ASSERT_TRUE(low <= code && code <= high)
                            << row << " " << i << ": " << code << ", not " << low << " to " << high;
                        near += low != high;
                    }
                }
                EXPECT_LE(near, 3 + static_cast<int>(m) * n / 20);
            }
        }
    }
}

TEST_F(rmsnorm_quant, layer_is_the_definition_where_the_mean_is_large) {
    be_the_definition_of_a_layer(part::paths);
}
TEST_F(rmsnorm_quant_rest, layer_is_the_definition_where_the_mean_is_large) {
    be_the_definition_of_a_layer(part::rest);
}

// The sum of equal numbers is exact, the mean that number, and nothing is left but the bias.
TEST_F(rmsnorm_quant, layer_of_equal_numbers_is_the_bias) {
    for (const char* codes : {"fp8", "i8"}) {
        const code_format f = format_of(codes);
        for (const int n : {1, 77, 512, 4099, 8188}) {
            SCOPED_TRACE(std::string(codes) + ", rows of " + std::to_string(n));
            const auto size = static_cast<std::size_t>(n);
            std::vector<float> a;
            for (const float x : {1000.0f, -0.1f, 0.0f, 6e4f}) {
                const laws::encoder encode(laws::fp16);
                const double number = laws::value(laws::fp16, encode(static_cast<double>(x)));
                a.insert(a.end(), size, static_cast<float>(number));
            }
            std::vector<float> bias(size);
            for (std::size_t i = 0; i < size; ++i) {
                bias[i] = static_cast<float>(i % 41) - 20;
            }
            bias[size - 1] = -32;  // the largest, whose code is the largest
            const outputs result =
                compute(a, {}, std::vector<float>(size, 3),
                        std::string("--type f16 --groups 3 --codes ") + codes, bias);
            for (std::size_t i = 0; i < a.size(); ++i) {
                const double x = static_cast<double>(bias[i % size]) / 32 * f.largest;
                ASSERT_EQ(result.q[i], f.nearest(x)) << i;
            }
            for (const double s : result.s) {
                EXPECT_EQ(s, static_cast<double>(32 / static_cast<float>(f.largest)));
            }
            const outputs nothing =
                compute(a, {}, std::vector<float>(size, 3),
                        std::string("--type f16 --codes ") + codes, std::vector<float>(size, 0));
            for (std::size_t i = 0; i < a.size(); ++i) {
                ASSERT_EQ(nothing.q[i], 0) << i;
            }
        }
    }
}

// Of two numbers 1 away from their mean the variance is 1.
TEST_F(rmsnorm_quant, layer_has_eps_and_weights) {
    for (const auto& [eps, root] : {std::pair("3", 2.0), std::pair("8", 3.0)}) {
        const outputs result = compute({6, 4, -7, -5}, {}, {2, -4},
                                       std::string("--codes i8 --type f16 --eps ") + eps, {0, 0});
        EXPECT_EQ(result.q, (std::vector<double>{64, 127, -64, -127})) << eps;
        for (const double s : result.s) {
            EXPECT_NEAR(s * 127, 4 / root, 1e-6) << eps;
        }
    }
}

TEST_F(rmsnorm_quant, layer_of_what_is_not_finite) {
    for (const char* codes : {"fp8", "i8"}) {
        for (const int n : {6, 8, 700, 5000, 5001}) {
            SCOPED_TRACE(std::string(codes) + ", rows of " + std::to_string(n));
            const auto size = static_cast<std::size_t>(n);
            std::vector<float> a(7 * size, 1);
            const auto row = [&](std::size_t i) { return &a[i * size]; };
            row(1)[size - 1] = NAN;
            row(2)[1] = -INFINITY;
            row(3)[size - 2] = 0x1p90f;           // the square of the difference overflows
            std::fill(row(4), row(5), 0x1p127f);  // the sum does
            row(5)[3] = 0x1p50f;
            const outputs result =
                compute(a, {}, std::vector<float>(size, 1),
                        std::string("--groups 3 --codes ") + codes, std::vector<float>(size, 2));
            for (const std::size_t i : {1u, 2u, 3u, 4u}) {
                EXPECT_TRUE(std::isnan(result.s[i])) << i;
            }
            for (const std::size_t i : {0u, 5u, 6u}) {
                EXPECT_TRUE(std::isfinite(result.s[i])) << i;
            }
        }
    }
    // y overflows, not by itself but with the weights or the bias.
    outputs result = compute({1, 2, 3, 3}, {}, {0x1p127f, 1}, "", {0x1p127f, 1});
    EXPECT_TRUE(std::isfinite(result.s[0]) && std::isfinite(result.s[1]));
    result = compute({1, 2, 3, 3}, {}, {-0x1.8p127f, 1}, "", {0x1.8p127f, 1});
    EXPECT_TRUE(std::isnan(result.s[0]));
    EXPECT_TRUE(std::isfinite(result.s[1]));
}

// The largest product is the largest code: its factor is 1, and nothing but the codes is rounded.
// Each code and each middle of two, of both signs.
TEST_F(rmsnorm_quant, codes_are_exact_where_the_scale_is) {
    for (const char* codes : {"fp8", "i8"}) {
        const code_format f = format_of(codes);
        std::vector<float> a;
        if (f.i8) {
            for (double x = -127; x <= 127; x += 0.5) {
                a.push_back(static_cast<float>(x));
            }
        } else {
            std::vector<double> all = f.encode.values();
            all.pop_back();
            for (std::size_t i = 0; i < all.size(); ++i) {
                for (const double x :
                     {all[i], (all[i] + all[i + 1 < all.size() ? i + 1 : i]) / 2}) {
                    a.push_back(static_cast<float>(x));
                    a.push_back(static_cast<float>(-x));
                }
            }
        }
        for (const char* type : {"bf16", "f16"}) {
            SCOPED_TRACE(std::string(codes) + " of " + type);
            const outputs result = compute(a, {}, std::vector<float>(a.size(), 1),
                                           std::string("--type ") + type + " --codes " + codes);
            for (std::size_t i = 0; i < a.size(); ++i) {
                EXPECT_EQ(result.q[i], f.nearest(static_cast<double>(a[i]))) << a[i];
            }
        }
    }
}

TEST_F(rmsnorm_quant, of_what_is_not_finite_or_is_nothing) {
    for (const char* codes : {"fp8", "i8"}) {
        const code_format f = format_of(codes);
        for (const int n : {6, 8, 700, 5000, 5001}) {
            SCOPED_TRACE(std::string(codes) + ", rows of " + std::to_string(n));
            const auto size = static_cast<std::size_t>(n);
            std::vector<float> a(8 * size, 0);
            const auto row = [&](std::size_t i) { return &a[i * size]; };
            row(1)[size - 1] = NAN;
            std::fill(row(2), row(3), 1.0f);
            row(2)[size / 2] = NAN;
            row(3)[1] = -INFINITY;
            row(4)[size - 2] = 0x1p90f;  // its square overflows
            row(5)[3] = 0x1p-126f;       // the scale is for 2^-118
            std::fill(row(6), row(7), -2.0f);
            row(7)[2] = 3;
            const outputs result = compute(a, {}, std::vector<float>(size, 1),
                                           std::string("--eps 1 --groups 3 --codes ") + codes);
            for (const std::size_t i : {1u, 2u, 3u, 4u}) {
                EXPECT_TRUE(std::isnan(result.s[i])) << i;
            }
            for (std::size_t i = 0; i < size; ++i) {
                ASSERT_EQ(result.q[i], 0) << i;
                ASSERT_EQ(result.q[5 * size + i], i == 3 ? f.nearest(0x1p-8 * f.largest) : 0) << i;
                ASSERT_EQ(result.q[6 * size + i], -f.largest) << i;
                ASSERT_EQ(result.q[7 * size + i], i == 2 ? f.largest : 0) << i;
            }
            for (const std::size_t i : {0u, 5u}) {  // 1 / rms is 1
                EXPECT_GE(result.s[i], 0);
                EXPECT_LE(result.s[i], 0x1p-118 / f.largest * (1 + 0x1p-20));
            }
            EXPECT_NEAR(result.s[6] * result.q[6 * size], -2 / std::sqrt(5.0), 1e-6);
            EXPECT_NEAR(result.s[7] * result.q[7 * size + 2], 3 / std::sqrt(9.0 / n + 1), 1e-5);
        }
    }
}

// In bf16, where products with the weights overflow.
TEST_F(rmsnorm_quant, says_that_products_overflow) {
    const outputs result = compute({0x1p40f, 1, 1, 2}, {}, {0x1p100f, 1}, "");
    EXPECT_TRUE(std::isnan(result.s[0]));
    EXPECT_TRUE(std::isfinite(result.s[1]));
}

TEST_F(rmsnorm_quant, has_the_same_for_any_number_of_groups) {
    const std::vector<float> a = numbers(23 * 1000, "bf16", 5);
    const std::vector<float> r = numbers(23 * 1000, "bf16", 6);
    const std::vector<float> w = numbers(1000, "bf16", 7);
    for (const auto& bias : {std::vector<float>(), numbers(1000, "bf16", 8)}) {
        const outputs expected = compute(a, r, w, "--groups 1", bias);
        for (const char* groups : {"2", "7", "22", "23", "24", "1000"}) {
            const outputs result = compute(a, r, w, std::string("--groups ") + groups, bias);
            EXPECT_EQ(result.q, expected.q) << groups;
            EXPECT_EQ(result.s, expected.s) << groups;
            EXPECT_EQ(result.t, expected.t) << groups;
        }
    }
}

TEST_F(rmsnorm_quant, refuses_with_one_line) {
    write_npy("a.npy", "1, 2", {1, 70000});
    write_npy("w.npy", "2,", {1, INFINITY});
    expect_refusal(program, "-n 16385", "-n is '16385': it must be an integer from 1 to 16384");
    expect_refusal(program, "--codes bf8", "--codes is 'bf8': it must be fp8 or i8");
    expect_refusal(program, "--type f32", "--type is 'f32': it must be bf16 or f16");
    expect_refusal(program, "--groups 0",
                   "--groups is '0': it must be an integer from 1 to 1048576");
    expect_refusal(program, "--eps 0", "--eps is '0': it must be a number from 1e-30 to 1e30");
    expect_refusal(program, "--eps x", "--eps is 'x': it must be a finite number");
    expect_refusal(program, "--w w.npy",
                   "w.npy: element [1] is inf, only finite values can be multiplied");
    expect_refusal(program, "--norm layer --bias w.npy",
                   "w.npy: element [1] is inf, only finite values can be multiplied");
    expect_refusal(program, "--norm group", "--norm is 'group': it must be rms or layer");
    expect_refusal(program, "--norm rms --bias a.npy", "a.npy: has rank 2, it must be 1");
    write_npy("b.npy", "2,", {1, 2});
    expect_refusal(program, "--bias b.npy", "--bias without --norm layer: it would not be used");
    expect_refusal(program, "--norm layer --bias b.npy -n 3",
                   "-n 3 contradicts b.npy, where it is 2");
    expect_refusal(program, "--w random", "random: cannot open: No such file or directory");
    expect_refusal(program, "--w a.npy", "a.npy: has rank 2, it must be 1");
    expect_refusal(program, "--r a.npy -n 3", "-n 3 contradicts a.npy, where it is 2");
    expect_refusal(program, "--a a.npy --type f16",
                   "a.npy: element [0, 1] is 70000, which overflows f16 (largest: 65504)");
    expect_refusal(program, "--out-s no/s.npy",
                   "no/s.npy: cannot write: No such file or directory");
}

}  // namespace
