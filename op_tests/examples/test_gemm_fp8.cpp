// examples/gemm_fp8 as a user runs it: random matrices, whose reference is of the quantised values,
// and matrices that are exact in fp8, whose product is known.
#include <cmath>

#include "run_example.hpp"

namespace {

using examples_test::product;
using examples_test::small_matrix;

class gemm_fp8 : public examples_test::in_directory {
protected:
    const std::string program = OPUS_GEMM_FP8;
};

TEST_F(gemm_fp8, takes_any_size) {
    for (const char* scales : {"", " --scales tensor", " --scales block"}) {
        for (const char* size :
             {"-m 1 -n 1 -k 1", "-m 33 -n 17 -k 5", "-m 129 -n 65 -k 257", "-m 128 -n 128 -k 128",
              "-m 70 -n 132 -k 384 --out-type bf16", "-m 200 -n 131 -k 130 --out-type bf16",
              "-m 2 -n 300 -k 640 --seed 9 --iters 2"}) {
            expect_pass(program, size + std::string(scales));
        }
    }
    expect_pass(program, "");
}

// The largest magnitude of each block is 448 times a power of two, so that its scale is a power of
// two (twice as large for FNUZ, where the largest code used is 224): nothing is rounded. In block
// mode the blocks have different scales.
TEST_F(gemm_fp8, is_exact_on_small_numbers) {
    struct {
        int m, n, k;
    } const shapes[] = {{1, 1, 2}, {33, 17, 5}, {130, 65, 300}, {70, 260, 257}};
    for (const auto& s : shapes) {
        for (const bool blocks : {false, true}) {
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
                        if (blocks) {
                            e = std::ldexp(
                                e, -((i / block_rows + l / 128 + static_cast<int>(salt)) % 3));
                        }
                    }
                }
                return x;
            };
            const std::vector<float> a = matrix(s.m, 0, blocks ? 1 : s.m);
            const std::vector<float> b = matrix(s.n, 1, blocks ? 128 : s.n);
            write_npy("a.npy", examples_test::shape_text(s.m, s.k), a);
            write_npy("b.npy", examples_test::shape_text(s.n, s.k), b);
            expect_pass(program, std::string("--a a.npy --b b.npy --out d.npy --scales ") +
                                     (blocks ? "block" : "tensor"));
            EXPECT_EQ(read_npy("d.npy"), product(a, b, s.m, s.n, s.k))
                << s.m << " " << s.n << " " << s.k << (blocks ? " block" : " tensor");
        }
    }
}

// 17 is halfway between 16 and 18; it goes to even. 0 has no sign, and a matrix of zeros no scale.
TEST_F(gemm_fp8, quantises_to_nearest_even) {
    write_npy("b.npy", "1, 1", {448});
    for (const char* scales : {"tensor", "block"}) {
        write_npy("a.npy", "6, 1", {448, 17, 19, -17, -0.0f, 1e-30f});
        expect_pass(program, std::string("--a a.npy --b b.npy --out d.npy --scales tensor"));
        std::vector<float> expected;
        for (const float x : {448.0f, 16.0f, 20.0f, -16.0f, 0.0f, 0.0f}) {
            expected.push_back(448 * x);
        }
        EXPECT_EQ(read_npy("d.npy"), expected);
        write_npy("a.npy", "3, 1", {0, 0, 0});
        expect_pass(program, std::string("--a a.npy --b b.npy --out d.npy --scales ") + scales);
        EXPECT_EQ(read_npy("d.npy"), (std::vector<float>{0, 0, 0}));
    }
}

TEST_F(gemm_fp8, says_what_is_wrong) {
    expect_refusal(program, "--scales row", "--scales is 'row': it must be tensor or block");
    expect_refusal(program, "--out-type f16", "--out-type is 'f16': it must be f32 or bf16");
    expect_refusal(program, "-k 0", "-k is '0': it must be an integer from 1 to 1048576");
}

}  // namespace
