// examples/gemm_fast as a user runs it. What the options do that all GEMMs have is tested with
// gemm_naive; exact products at every size are in gemm_fast_kernel.hip.
#include <cmath>

#include "run_example.hpp"
#include "small.hpp"

namespace {

using examples_test::outcome;
using examples_test::part;
using examples_test::product;
using examples_test::shape_text;
using examples_test::small_matrix;
using examples_test::takes;

class gemm_fast : public examples_test::in_directory {
protected:
    const std::string program = OPUS_GEMM_FAST;

    void pass_with_every_type_and_epilogue(part of);
};

class gemm_fast_rest : public gemm_fast {};

// Paths: each kernel with one of the two sizes, each size with every type and every epilogue. (The small
// example has all epilogues for the default types, and the residual for the others.)
void gemm_fast::pass_with_every_type_and_epilogue(part of) {
    int at = 0;
    for (const char* epilogue : {"none", "gelu", "silu", "residual"}) {
        for (const char* types :
             {"", " --out-type f16", " --type bf16", " --type bf16 --out-type bf16"}) {
            for (const char* size : {"-m 257 -n 129 -k 96", "-m 70 -n 134 -k 213 --batch 2"}) {
                const bool is_path = (at / 2 + at / 8) % 2 == at % 2;
                ++at;
                const bool is_there = OPUS_EXAMPLES_SMALL == 0 || *types == '\0' ||
                                      std::string(epilogue) == "residual";
                if (is_there && takes(of, is_path)) {
                    expect_pass(program, std::string(size) + types + " --epilogue " + epilogue);
                }
            }
        }
    }
}
TEST_F(gemm_fast, passes_with_every_type_and_epilogue) {
    pass_with_every_type_and_epilogue(part::paths);
    expect_pass(program, "");
    expect_pass(program, "-m 1 -n 1 -k 1 --epilogue silu --iters 2");
}

TEST_F(gemm_fast_rest, passes_with_every_type_and_epilogue) {
    pass_with_every_type_and_epilogue(part::rest);
}

// The bias is of the column, C of the element, each with its own value.
TEST_F(gemm_fast, epilogues_are_what_they_say) {
    const int m = 35;
    const int n = 70;
    const int k = 9;
    const std::vector<float> a = small_matrix(m, k, 0);
    const std::vector<float> b = small_matrix(n, k, 1);
    const std::vector<float> c = small_matrix(m, n, 2);
    const std::vector<float> ab = product(a, b, m, n, k);
    std::vector<float> bias;
    for (int j = 0; j < n; ++j) {
        bias.push_back(static_cast<float>(j % 11) / 4 - 1);
    }
    write_npy("a.npy", shape_text(m, k), a);
    write_npy("b.npy", shape_text(n, k), b);
    write_npy("c.npy", shape_text(m, n), c);
    write_npy("bias.npy", std::to_string(n) + ",", bias);
    const std::string files = "--a a.npy --b b.npy --out d.npy --epilogue ";
    expect_pass(program, files + "none");
    EXPECT_EQ(read_npy("d.npy"), ab);
    expect_pass(program, files + "residual --c c.npy");
    std::vector<float> sums = ab;
    for (std::size_t i = 0; i < sums.size(); ++i) {
        sums[i] += c[i];
    }
    EXPECT_EQ(read_npy("d.npy"), sums);
    for (const bool is_gelu : {true, false}) {
        expect_pass(program, files + (is_gelu ? "gelu" : "silu") + " --bias bias.npy");
        const std::vector<float> d = read_npy("d.npy");
        ASSERT_EQ(d.size(), ab.size());
        for (std::size_t i = 0; i < d.size(); ++i) {
            const double x = static_cast<double>(ab[i]) + bias[i % static_cast<std::size_t>(n)];
            // The GELU's definition by the error function, which tanh is near.
            const double expected =
                is_gelu ? x / 2 * (1 + std::erf(x / std::sqrt(2.0))) : x / (1 + std::exp(-x));
            ASSERT_NEAR(d[i], expected, is_gelu ? 5e-4 : 1e-5) << "element " << i << ", x = " << x;
        }
    }
    EXPECT_TRUE(run(program, "-m 2 -n 3 -k 4 --epilogue silu")
                    .has("D[2, 3] = silu(A[2, 4] * B[3, 4]^T + bias[3])\n"));
    EXPECT_TRUE(run(program, "-m 2 -n 3 -k 4 --batch 2 --epilogue residual")
                    .has("D[2, 2, 3] = A[2, 2, 4] * B[2, 3, 4]^T + C[2, 2, 3]\n"));
}

// Files with a batch in front; what is not read is random, of the same batch.
TEST_F(gemm_fast, reads_and_writes_batches) {
    const int batch = 3;
    const int m = 5;
    const int n = 9;
    const int k = 40;
    std::vector<float> a;
    std::vector<float> b;
    std::vector<float> c;
    std::vector<float> expected;
    for (unsigned i = 0; i < batch; ++i) {
        const auto add = [](std::vector<float>& to, const std::vector<float>& x) {
            to.insert(to.end(), x.begin(), x.end());
        };
        const std::vector<float> of_a = small_matrix(m, k, i * 3);
        const std::vector<float> of_b = small_matrix(n, k, i * 3 + 1);
        add(a, of_a);
        add(b, of_b);
        add(c, small_matrix(m, n, i * 3 + 2));
        add(expected, product(of_a, of_b, m, n, k));
    }
    for (std::size_t i = 0; i < c.size(); ++i) {
        expected[i] += c[i];
    }
    write_npy("a.npy", "3, 5, 40", a);
    write_npy("b.npy", "3, 9, 40", b);
    write_npy("c.npy", "3, 5, 9", c);
    expect_pass(program, "--a a.npy --b b.npy --c c.npy --epilogue residual --out d.npy");
    EXPECT_EQ(read_npy("d.npy"), expected);
    EXPECT_NE(examples_test::contents(directory / "d.npy").find("'shape': (3, 5, 9), "),
              std::string::npos);
    expect_pass(program, "--a a.npy -n 7 --batch 3");
    expect_refusal(program, "--a a.npy --batch 2", "--batch 2 contradicts a.npy, where it is 3");
    write_npy("b.npy", "9, 40", std::vector<float>(9 * 40, 1));
    expect_refusal(program, "--a a.npy --b b.npy", "--batch is 3 in a.npy and 1 in b.npy");
    write_npy("b.npy", "1, 1, 9, 40", std::vector<float>(9 * 40, 1));
    expect_refusal(program, "--b b.npy", "b.npy: has rank 4, it must be 2 or 3");
    expect_refusal(program, "--a a.npy -n 8 --c c.npy --epilogue residual",
                   "-n 8 contradicts c.npy, where it is 9");
}

TEST_F(gemm_fast, rounds_to_nearest_even) {
    const std::string files = "--a a.npy --b b.npy --out d.npy --epilogue residual --c c.npy";
    write_npy("b.npy", "1, 2", {1, 1});
    write_npy("c.npy", "1, 1", {0});
    write_npy("a.npy", "1, 2", {2048, 1});
    expect_pass(program, files + " --out-type f16");
    EXPECT_EQ(read_npy("d.npy"), std::vector<float>{2048});
    for (const float x : {257.0f, 258.0f}) {
        write_npy("a.npy", "1, 2", {x == 257 ? 256.0f : 258.0f, 1});
        expect_pass(program, files + " --type bf16 --out-type bf16");
        EXPECT_EQ(read_npy("d.npy"), std::vector<float>{x == 257 ? 256.0f : 260.0f});
    }
}

TEST_F(gemm_fast, says_what_is_wrong) {
    write_npy("c.npy", "2, 3", {1, 2, 3, 4, 5, 6});
    write_npy("bias.npy", "3,", {1, 2, 3});
    expect_refusal(program, "--type fp8", "--type is 'fp8': it must be f16 or bf16");
    expect_refusal(program, "--out-type bf16",
                   "--out-type bf16 with --type f16: D is f32 or of the type of A and B");
    expect_refusal(program, "--epilogue relu",
                   "--epilogue is 'relu': it must be none, gelu, silu or residual");
    expect_refusal(program, "--c c.npy", "--c without --epilogue residual: C would not be used");
    expect_refusal(program, "--bias bias.npy --epilogue residual",
                   "--bias without --epilogue gelu or silu: it would not be used");
    expect_refusal(program, "--c c.npy --epilogue residual -m 2 -n 4",
                   "-n 4 contradicts c.npy, where it is 3");
    expect_refusal(program, "--bias bias.npy --epilogue gelu -n 4",
                   "-n 4 contradicts bias.npy, where it is 3");
    expect_refusal(program, "--bias c.npy --epilogue gelu", "c.npy: has rank 2, it must be 1");
}

}  // namespace
