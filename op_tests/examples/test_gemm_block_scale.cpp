// examples/gemm_block_scale as a user runs it: random matrices, whose reference is of the quantised
// values, and matrices that are exact, whose product is known: a scale of another block is seen.
#include <cmath>
#include <string>

#include "run_example.hpp"

namespace {

using examples_test::outcome;
using examples_test::product;
using examples_test::small_matrix;

class gemm_block_scale : public examples_test::in_directory {
protected:
    const std::string program = OPUS_GEMM_BLOCK_SCALE;
};

TEST_F(gemm_block_scale, passes_at_every_edge) {
    for (const char* arguments : {
             "-m 257 -n 129 -k 96 --type bf8",
             "-m 70 -n 132 -k 416 --out-type bf16",
             "-m 33 -n 17 -k 672 --seed 5 --splits 2",
             "-m 1 -n 1 -k 1 --type bf8",
             "-m 65 -n 130 -k 257 --iters 2",
             "--batch 3 -m 65 -n 131 -k 160",
             "--batch 2 -m 40 -n 300 -k 900 --splits 3 --type bf8 --out-type bf16",
         }) {
        expect_pass(program, arguments);
    }
}

TEST_F(gemm_block_scale, splits_give_the_same_bits_at_every_run) {
    expect_same_bits_at_every_run(program, "-m 60 -n 70 -k 1300", {"1", "2", "64"});
}

// A split takes 256 k. Rows of C that are no multiple of 4 have their own place.
TEST_F(gemm_block_scale, prints_its_plan) {
    EXPECT_TRUE(run(program, "-m 300 -n 100 -k 2048 --splits 3")
                    .has("\nplan: 3 splits, 6 workgroups, 360000 bytes of sums\n"));
    EXPECT_TRUE(run(program, "-m 1 -n 4 -k 1024 --splits 64")
                    .has("\nplan: 4 splits, 4 workgroups, 64 bytes of sums\n"));
    EXPECT_TRUE(run(program, "-m 30 -n 5 -k 64 --batch 2")
                    .has("\nplan: 1 splits, 2 workgroups, 1920 bytes of sums\n"));
}

// A and B as the kernel takes them, their scales, and C.
TEST_F(gemm_block_scale, counts_the_bytes_of_codes_and_scales) {
    if (!examples::is_emulated()) {
        GTEST_SKIP() << "a GPU's report has its times instead";
    }
    const int codes = (128 + 130) * 256;
    const int scales = (128 * 2 + 2 * 2) * 4;
    const int c = 128 * 130 * 4;
    EXPECT_TRUE(run(program, "-m 128 -n 130 -k 256")
                    .has(" FLOP, " + std::to_string(codes + scales + c) + " bytes, "));
}

// The largest magnitude of each block is 448 times a power of two, so that its scale is a power of
// two and nothing is rounded. Neighbours along each side have different scales.
TEST_F(gemm_block_scale, is_exact_on_small_numbers) {
    struct {
        int m, n, k, splits;
    } const shapes[] = {{33, 17, 5, 1}, {130, 65, 300, 1}, {70, 400, 257, 1}, {290, 140, 1100, 3}};
    for (const auto& s : shapes) {
        const auto matrix = [&](int rows, unsigned salt, int block_rows) {
            std::vector<float> x = small_matrix(rows, s.k, salt);
            for (int i = 0; i < rows; ++i) {
                for (int l = 0; l < s.k; ++l) {
                    float& e = x[static_cast<std::size_t>(i * s.k + l)];
                    // Not at the same k in A and in B, except in a block of one k.
                    const bool last = (s.k - 1) / 128 == l / 128 && s.k % 128 == 1;
                    if (i % block_rows == 0 && l % 128 == (last ? 0 : static_cast<int>(salt))) {
                        e = 448;
                    }
                    e = std::ldexp(e, -((i / block_rows + l / 128 + static_cast<int>(salt)) % 3));
                }
            }
            return x;
        };
        const std::vector<float> a = matrix(s.m, 0, 1);
        const std::vector<float> b = matrix(s.n, 1, 128);
        write_npy("a.npy", examples_test::shape_text(s.m, s.k), a);
        write_npy("b.npy", examples_test::shape_text(s.n, s.k), b);
        expect_pass(program,
                    "--a a.npy --b b.npy --out d.npy --splits " + std::to_string(s.splits));
        EXPECT_EQ(read_npy("d.npy"), product(a, b, s.m, s.n, s.k))
            << s.m << " " << s.n << " " << s.k;
    }
}

// 17 is halfway between 16 and 18; it goes to even. 0 has no sign, and a block of zeros no scale.
TEST_F(gemm_block_scale, quantises_to_nearest_even) {
    write_npy("b.npy", "1, 6", {448, 0, 0, 0, 0, 0});
    for (const float x : {17.0f, 19.0f, -17.0f, -0.0f, 1e-30f}) {
        write_npy("a.npy", "2, 6", {x, 448, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
        expect_pass(program, "--a a.npy --b b.npy --out d.npy");
        const float rounded = x == 17 ? 16.0f : x == 19 ? 20.0f : x == -17 ? -16.0f : 0.0f;
        EXPECT_EQ(read_npy("d.npy"), (std::vector<float>{448 * rounded, 0})) << x;
    }
}

TEST_F(gemm_block_scale, says_what_is_wrong) {
    expect_refusal(program, "-k 0", "-k is '0': it must be an integer from 1 to 1048576");
    expect_refusal(program, "--type i8", "--type is 'i8': it must be fp8 or bf8");
    expect_refusal(program, "--out-type f16", "--out-type is 'f16': it must be f32 or bf16");
    expect_refusal(program, "--splits 0", "--splits is '0': it must be an integer from 1 to 64");
    expect_refusal(program, "--batch 0", "--batch is '0': it must be an integer from 1 to 1024");
}

}  // namespace
