// examples/moe_gemm as a user runs it: each row gets the weights of its expert, whatever the sizes.
#include <cmath>

#include "run_example.hpp"

namespace {

using examples_test::outcome;
using examples_test::shape_text;

class moe_gemm : public examples_test::in_directory {
protected:
    const std::string program = OPUS_MOE_GEMM;

    void write_sizes(const std::vector<float>& sizes) const {
        write_npy("sizes.npy", std::to_string(sizes.size()) + ",", sizes);
    }
};

// Integers that differ by expert, row and column: sums are exact, and the whole D is compared. Sizes
// around those of tiles, with no token and with one, at both ends and side by side.
TEST_F(moe_gemm, rows_have_the_weights_of_their_expert) {
    const std::vector<float> sizes{0, 1, 129, 0, 0, 3, 128, 1, 0};
    const int experts = static_cast<int>(sizes.size());
    const int m = 262;
    const int n = 133;
    const int k = 72;
    write_sizes(sizes);
    const std::vector<float> a = examples_test::small_matrix(m, k, 1);
    const std::vector<float> b = examples_test::small_matrix(experts * n, k, 2);
    write_npy("a.npy", shape_text(m, k), a);
    write_npy("b.npy", std::to_string(experts) + ", " + shape_text(n, k), b);
    expect_pass(program, "--type bf16 --a a.npy --b b.npy --sizes sizes.npy --out d.npy");
    const std::vector<float> d = read_npy("d.npy");
    ASSERT_EQ(d.size(), static_cast<std::size_t>(m * n));
    std::size_t row = 0;
    for (std::size_t e = 0; e < sizes.size(); ++e) {
        for (int i = 0; i < static_cast<int>(sizes[e]); ++i, ++row) {
            for (std::size_t j = 0; j < static_cast<std::size_t>(n); ++j) {
                float sum = 0;
                for (std::size_t l = 0; l < static_cast<std::size_t>(k); ++l) {
                    sum += a[row * k + l] * b[(e * n + j) * k + l];
                }
                // Multiples of 1/4 below 2^8 with 8 bits are in bf16; others are rounded.
                ASSERT_NEAR(d[row * n + j], sum, std::fabs(sum) / 256) << row << ", " << j;
            }
        }
    }
}

// One element of each row of A is 1, so that the result is one weight, without rounding.
TEST_F(moe_gemm, gate_and_up_are_in_their_places) {
    const int n = 70;
    const int k = 64;
    const std::vector<float> sizes{2, 0, 62};
    write_sizes(sizes);
    std::vector<float> a(64 * 64);
    for (std::size_t i = 0; i < 64; ++i) {
        a[i * 64 + i] = 1;
    }
    // Gates of 64, of which SiLU is 64, and of -64, of which it is 0.
    std::vector<float> b;
    for (int row = 0; row < 3 * 2 * n; ++row) {
        for (int l = 0; l < k; ++l) {
            const bool is_up = row % (2 * n) >= n;
            b.push_back(is_up                ? examples_test::small_value(row, l, 3)
                        : (row + l) % 3 == 0 ? -64.0f
                                             : 64.0f);
        }
    }
    write_npy("a.npy", "64, 64", a);
    write_npy("b.npy", "3, " + shape_text(2 * n, k), b);
    expect_pass(program, "--type bf16 --gate 1 --a a.npy --b b.npy --sizes sizes.npy --out d.npy");
    const std::vector<float> d = read_npy("d.npy");
    ASSERT_EQ(d.size(), 64u * 70);
    for (int i = 0; i < 64; ++i) {
        const int expert = i < 2 ? 0 : 2;
        for (int j = 0; j < n; ++j) {
            const auto weight = [&](int row) {
                return b[static_cast<std::size_t>((expert * 2 * n + row) * k + i)];
            };
            const float got = d[static_cast<std::size_t>(i * n + j)];
            if (weight(j) > 0) {
                EXPECT_EQ(got, 64 * weight(n + j)) << i << ", " << j;
            } else {
                EXPECT_NEAR(got, 0, 1e-20) << i << ", " << j;
            }
        }
    }
}

// A power of two on a token, and on a row of B, goes into the scale: results have it exactly.
TEST_F(moe_gemm, fp8_has_a_scale_for_each_token_and_each_row) {
    const int m = 150;
    const int n = 140;
    const int k = 48;
    const auto matrices = [&](bool scaled) {
        std::vector<float> a = examples_test::small_matrix(m, k, 4);
        std::vector<float> b = examples_test::small_matrix(2 * n, k, 5);
        for (std::size_t i = 0; scaled && i < a.size(); ++i) {
            a[i] = std::ldexp(a[i], static_cast<int>(i) / k % 11 - 5);
        }
        for (std::size_t i = 0; scaled && i < b.size(); ++i) {
            b[i] = std::ldexp(b[i], static_cast<int>(i) / k % 7 - 3);
        }
        write_npy("a.npy", shape_text(m, k), a);
        write_npy("b.npy", "2, " + shape_text(n, k), b);
        expect_pass(program, "--a a.npy --b b.npy --sizes sizes.npy --out d.npy");
        return read_npy("d.npy");
    };
    write_sizes({20, 130});
    const std::vector<float> plain = matrices(false);
    const std::vector<float> scaled = matrices(true);
    ASSERT_EQ(plain.size(), static_cast<std::size_t>(m * n));
    for (int i = 0; i < m; ++i) {
        for (int j = 0; j < n; ++j) {
            const int row = (i < 20 ? 0 : n) + j;
            const auto at = static_cast<std::size_t>(i * n + j);
            ASSERT_EQ(scaled[at], std::ldexp(plain[at], i % 11 - 5 + row % 7 - 3))
                << i << ", " << j;
        }
    }
}

TEST_F(moe_gemm, takes_any_shape) {
    for (const char* type : {"fp8", "bf16"}) {
        for (const char* shape :
             {"-m 1 -n 1 -k 16 --experts 1", "-m 130 -n 129 -k 144 --experts 2",
              "-m 100 -n 33 -k 144 --experts 256", "-m 300 -n 30 -k 128 --experts 5 --gate 1",
              "-m 40 -n 132 -k 80 --experts 17 --gate 1 --groups 3", "-m 257 -n 64 -k 256 --seed 3",
              "-m 33 -n 63 -k 64 --experts 255 --gate 1"}) {
            expect_pass(program, std::string("--type ") + type + " " + shape);
        }
    }
}

// A group has one tile, several of one expert, or of several experts: D is the same to the bit.
TEST_F(moe_gemm, any_number_of_groups_gives_the_same) {
    for (const char* options : {"-m 200 -n 200 -k 144 --experts 9", "-m 90 -n 70 -k 48 --gate 1"}) {
        std::vector<float> first;
        for (const char* groups : {"1", "2", "5", "8", "16", "1000"}) {
            const outcome o = run(
                program, std::string(options) + " --verify 0 --out d.npy" + " --groups " + groups);
            ASSERT_EQ(o.status, 0) << o.out << o.err;
            const std::vector<float> d = read_npy("d.npy");
            first = first.empty() ? d : first;
            ASSERT_EQ(d, first) << options << " --groups " << groups;
        }
    }
}

TEST_F(moe_gemm, reports_what_it_did) {
    write_sizes({0, 129, 1});
    const outcome o = run(program, "--sizes sizes.npy -n 129 -k 32 --gate 1 --verify 0");
    // 129 and 1 tokens are 3 rows of tiles, of 3 columns; 2 experts of 258 rows are read.
    const std::string report =
        examples::is_emulated() ? "counted: 2146560 FLOP, 56796 bytes, " : "time: ";
    EXPECT_TRUE(o.has("\nplan: 9 tiles of 128 x 64 for 9 groups\n" + report)) << o.out;
    EXPECT_EQ(
        o.out.rfind("moe_gemm: D[130, 129] = silu * up of A[130, 32] * B[3, 258, 32]^T, fp8\n", 0),
        0u)
        << o.out;
}

TEST_F(moe_gemm, refuses_with_one_line) {
    expect_refusal(program, "-k 24", "K is 24: it must be a multiple of 16");
    expect_refusal(program, "-k 12 --type bf16", "K is 12: it must be a multiple of 8");
    expect_refusal(program, "--experts 257",
                   "--experts is '257': it must be an integer from 1 to 256");
    expect_refusal(program, "--gate 2", "--gate is '2': it must be 0 or 1");
    write_sizes({0, 0});
    expect_refusal(program, "--sizes sizes.npy", "sizes.npy: has no token at all");
    write_sizes({1, 1.5f});
    expect_refusal(program, "--sizes sizes.npy",
                   "sizes.npy: must have numbers of tokens, 1048576 in all at most");
    write_sizes({1, 2});
    expect_refusal(program, "--sizes sizes.npy -m 4", "-m 4 contradicts sizes.npy, where it is 3");
    write_npy("b.npy", "2, 3, 16", std::vector<float>(96));
    expect_refusal(program, "--b b.npy --gate 1",
                   "b.npy has 3 rows for each expert: --gate 1 needs two halves");
}

}  // namespace
