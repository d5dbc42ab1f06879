// examples/softmax as a user runs it, against the definition in double.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "run_example.hpp"

namespace {

using examples_test::part;
using examples_test::takes;

constexpr double inf = std::numeric_limits<double>::infinity();

struct format {
    const char* name;
    double half_unit;  // of the last place of 1
    double smallest;   // half of the smallest step
};

// The significant bits are 24, 11 and 8. exp of the hardware has no denormals.
const format formats[] = {
    {"f32", 0x1p-24, 0x1p-126}, {"f16", 0x1p-11, 0x1p-25}, {"bf16", 0x1p-8, 0x1p-126}};

// x as f32 has it with so many significant bits less.
float cut(double x, unsigned bits) {
    const auto rounded = static_cast<float>(x);
    std::uint32_t word = 0;
    std::memcpy(&word, &rounded, sizeof(word));
    word = word >> bits << bits;
    float result = 0;
    std::memcpy(&result, &word, sizeof(result));
    return result;
}

// Between -40 and 8, of numbers that all of the formats have, and different in every row.
std::vector<float> logits(int rows, int columns) {
    std::vector<float> values;
    std::uint32_t state = 12345;
    for (int i = 0; i < rows * columns; ++i) {
        state = state * 1664525 + 1013904223;
        values.push_back(cut(static_cast<double>(state >> 8) * 0x1p-24 * 48 - 40, 16));
    }
    return values;
}

std::vector<double> reference(const std::vector<float>& x, int rows, int columns) {
    std::vector<double> result;
    const auto n = static_cast<std::size_t>(columns);
    for (std::size_t row = 0; row < static_cast<std::size_t>(rows); ++row) {
        double largest = -inf;
        for (std::size_t i = 0; i < n; ++i) {
            largest = std::fmax(largest, static_cast<double>(x[row * n + i]));
        }
        double sum = 0;
        for (std::size_t i = 0; i < n; ++i) {
            sum += std::exp(static_cast<double>(x[row * n + i]) - largest);
        }
        for (std::size_t i = 0; i < n; ++i) {
            result.push_back(std::exp(static_cast<double>(x[row * n + i]) - largest) / sum);
        }
    }
    return result;
}

class softmax : public examples_test::in_directory {
protected:
    const std::string program = OPUS_SOFTMAX;

    void take_any_size(part of);
    void be_the_definition(part of);

    std::vector<float> compute(const std::vector<float>& x, int rows, int columns,
                               const std::string& type) {
        write_npy("a.npy", examples_test::shape_text(rows, columns), x);
        expect_pass(program, "--a a.npy --out b.npy --type " + type);
        std::vector<float> b = read_npy("b.npy");
        EXPECT_EQ(b.size(), x.size());
        b.resize(x.size());
        return b;
    }
};

class softmax_rest : public softmax {};

// Around the ends of vectors, waves and groups, of each plan and of the parts of the last one. Paths:
// all sizes with f32, and with each other type a size of each plan.
void softmax::take_any_size(part of) {
    const std::set<std::string> of_each_plan{"-m 3 -n 7", "-m 2 -n 1026",
                                             "-m 2 -n 4098 --seed 4 --iters 2", "-m 1 -n 65535",
                                             "-m 2 -n 65537"};
    for (const format& f : formats) {
        for (const char* size :
             {"-m 1 -n 1", "-m 5 -n 2", "-m 3 -n 7", "-m 64 -n 64", "-m 3 -n 1023", "-m 3 -n 1024",
              "-m 2 -n 1026", "-m 2 -n 4096", "-m 2 -n 4097", "-m 2 -n 4098 --seed 4 --iters 2",
              "-m 2 -n 16384", "-m 2 -n 16386", "-m 1 -n 65535", "-m 1 -n 65536", "-m 2 -n 65537",
              "-m 1 -n 98306", ""}) {
            if (takes(of, &f == formats || of_each_plan.count(size) != 0)) {
                expect_pass(program, size + std::string(" --type ") + f.name);
            }
        }
    }
}
TEST_F(softmax, takes_any_size) {
    take_any_size(part::paths);
}
TEST_F(softmax_rest, takes_any_size) {
    take_any_size(part::rest);
}

// Before the result is rounded it is off by no more than 2^-24 of itself for each of 3 |x - largest|
// (the difference, and the product with log2(e)) and 64 (exp2, sums of a thread, a wave, a group and
// of several parts, the quotient and the product).
//
// Paths: each length once, with the types in turn.
void softmax::be_the_definition(part of) {
    int at = 0;
    for (const auto& [name, half_unit, smallest] : formats) {
        for (const int n : {1, 2, 9, 300, 1000, 4093, 5000, 20002, 65536, 70001, 131074}) {
            const bool is_path = at % 11 % 3 == at / 11;
            ++at;
            if (!takes(of, is_path)) {
                continue;
            }
            const int m = n < 5000 ? 4 : 2;
            const std::vector<float> x = logits(m, n);
            const std::vector<double> expected = reference(x, m, n);
            const std::vector<float> b = compute(x, m, n, name);
            double largest = 0;
            for (std::size_t i = 0; i < x.size(); ++i) {
                const double error = std::fabs(static_cast<double>(b[i]) - expected[i]);
                const double share = 0x1p-24 * (3 * 48 + 64) + half_unit;
                ASSERT_LE(error, expected[i] * share + smallest) << name << " " << n << " " << i;
                if (expected[i] > 0x1p-14) {
                    largest = std::fmax(largest, error / expected[i]);
                }
            }
            std::printf("softmax %-4s n %6d: largest error %.3g of the result\n", name, n, largest);
        }
    }
}
TEST_F(softmax, is_the_definition) {
    be_the_definition(part::paths);
}
TEST_F(softmax_rest, is_the_definition) {
    be_the_definition(part::rest);
}

TEST_F(softmax, of_what_is_not_finite) {
    const float minus = -INFINITY;
    for (const format& f : formats) {
        // One wave, several waves, one element at a time in f16 and bf16, two passes.
        for (const int n : {6, 5000, 5001, 70000, 70003}) {
            SCOPED_TRACE(std::string(f.name) + ", rows of " + std::to_string(n));
            const auto size = static_cast<std::size_t>(n);
            std::vector<float> x(7 * size, minus);
            const auto row = [&](std::size_t i) { return &x[i * size]; };
            row(1)[size - 1] = -300;               // the only one
            row(2)[size / 2] = row(2)[0] = -1e4f;  // two of them, between -inf
            std::fill(row(3), row(4), 1.0f);       // +inf in a row
            row(3)[size - 2] = INFINITY;
            std::fill(row(4), row(5), 1.0f);  // NaN in a row
            row(4)[1] = NAN;
            std::fill(row(5), row(6), 65504.0f - 32);  // large ones, of all formats but for bf16
            row(6)[size - 1] = NAN;                    // NaN and -inf
            const std::vector<float> b = compute(x, 7, n, f.name);
            for (std::size_t i = 0; i < size; ++i) {
                const bool last = i == size - 1;
                EXPECT_EQ(b[i], 0.0f) << "-inf alone, " << i;
                EXPECT_FALSE(std::signbit(b[i]));
                ASSERT_EQ(b[size + i], last ? 1.0f : 0.0f) << i;
                ASSERT_EQ(b[2 * size + i], i == 0 || i == size / 2 ? 0.5f : 0.0f) << i;
                ASSERT_TRUE(std::isnan(b[3 * size + i])) << i;
                ASSERT_TRUE(std::isnan(b[4 * size + i])) << i;
                ASSERT_NEAR(static_cast<double>(b[5 * size + i]), 1.0 / n,
                            2 * f.half_unit / n + f.smallest);
                ASSERT_TRUE(std::isnan(b[6 * size + i])) << i;
            }
        }
    }
}

// Largest numbers of f32: their differences overflow, their products would.
TEST_F(softmax, does_not_overflow) {
    const float largest = std::numeric_limits<float>::max();
    EXPECT_EQ(compute({largest, -largest, largest, 0}, 1, 4, "f32"),
              (std::vector<float>{0.5f, 0, 0.5f, 0}));
    EXPECT_EQ(compute({-largest, -largest}, 1, 2, "f32"), (std::vector<float>{0.5f, 0.5f}));
    EXPECT_EQ(compute({largest, -0.0f, -5e-40f}, 3, 1, "f32"), (std::vector<float>{1, 1, 1}));
}

TEST_F(softmax, says_what_it_does) {
    const examples_test::outcome o = run(program, "-m 3 -n 65537 --type bf16 --verify 0");
    EXPECT_EQ(o.status, 0);
    EXPECT_EQ(o.out.rfind("softmax: b = softmax(a), 3 rows of 65537 bf16, two passes\ndevice: ", 0),
              0u)
        << o.out;
    EXPECT_TRUE(o.has("\nnot verified\n")) << o.out;
    EXPECT_TRUE(run(program, "-n 65536").has(" rows of 65536 f32, one pass\n"));
}

TEST_F(softmax, refuses_with_one_line) {
    write_npy("a.npy", "1, 2", {1, 70000});
    write_npy("v.npy", "2,", {1, 2});
    expect_refusal(program, "-n 0", "-n is '0': it must be an integer from 1 to 1073741824");
    expect_refusal(program, "-m x", "-m is 'x': it must be an integer from 1 to 1048576");
    expect_refusal(program, "--type f64", "--type is 'f64': it must be f32, f16 or bf16");
    expect_refusal(program, "--a a.npy -n 3", "-n 3 contradicts a.npy, where it is 2");
    expect_refusal(program, "--a a.npy -m 2", "-m 2 contradicts a.npy, where it is 1");
    expect_refusal(program, "--a a.npy --type f16",
                   "a.npy: element [0, 1] is 70000, which overflows f16 (largest: 65504)");
    expect_refusal(program, "--a v.npy", "v.npy: has rank 1, it must be 2");
    expect_refusal(program, "-m 8192 -n 1048576",
                   "8192 x 1048576 are more than 4294967296 elements");
    expect_refusal(program, "--out no/b.npy", "no/b.npy: cannot write: No such file or directory");
}

}  // namespace
