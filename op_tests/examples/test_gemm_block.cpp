// examples/gemm_block as a user runs it. What the options do that all GEMMs have is tested with
// gemm_naive; the LDS banks are in gemm_block_kernel.hip.
#include "run_example.hpp"

namespace {

using examples_test::outcome;
using examples_test::product;
using examples_test::shape_text;
using examples_test::small_matrix;

class gemm_block : public examples_test::in_directory {
protected:
    const std::string program = OPUS_GEMM_BLOCK;
};

// Around the ends of blocks, tiles and loads, and both paths of each load and store.
TEST_F(gemm_block, takes_any_size) {
    for (const char* tile : {" --tile 64", " --tile 128"}) {
        for (const char* size :
             {"-m 1 -n 1 -k 1", "-m 33 -n 17 -k 5", "-m 129 -n 65 -k 257", "-m 64 -n 64 -k 128",
              "-m 128 -n 128 -k 64", "-m 65 -n 132 -k 136", "-m 127 -n 126 -k 72",
              "-m 200 -n 60 -k 63", "-m 2 -n 300 -k 192"}) {
            expect_pass(program, size + std::string(tile));
        }
    }
    expect_pass(program, "");
    expect_pass(program, "-m 256 -n 256 -k 512 --tile 128 --iters 2");
}

TEST_F(gemm_block, has_types_alpha_and_beta) {
    for (const char* type : {" --type f16", " --type bf16"}) {
        for (const char* out : {" --out-type f32", " --out-type f16", " --out-type bf16"}) {
            for (const char* size : {"-m 66 -n 68 -k 136", "-m 130 -n 67 -k 70"}) {
                const std::string types = std::string(type) + out;
                expect_pass(program, size + types + " --tile 64");
                expect_pass(program, size + types + " --alpha -0.75 --beta 1.3 --tile 128");
            }
        }
    }
}

// Against a product that is computed here, each option by itself.
TEST_F(gemm_block, is_exact_on_small_numbers) {
    struct {
        int m, n, k;
    } const shapes[] = {{1, 1, 1}, {33, 17, 5}, {70, 132, 200}, {129, 65, 257}};
    for (const auto& s : shapes) {
        const std::vector<float> a = small_matrix(s.m, s.k, 0);
        const std::vector<float> b = small_matrix(s.n, s.k, 1);
        const std::vector<float> c = small_matrix(s.m, s.n, 2);
        const std::vector<float> ab = product(a, b, s.m, s.n, s.k);
        write_npy("a.npy", shape_text(s.m, s.k), a);
        write_npy("b.npy", shape_text(s.n, s.k), b);
        write_npy("c.npy", shape_text(s.m, s.n), c);
        for (const char* tile : {" --tile 64", " --tile 128"}) {
            SCOPED_TRACE(shape_text(s.m, s.n) + tile);
            const std::string files = "--a a.npy --b b.npy --out d.npy";
            expect_pass(program, files + tile);
            EXPECT_EQ(read_npy("d.npy"), ab);
            expect_pass(program, files + tile + " --alpha 2 --beta -0.5 --c c.npy");
            std::vector<float> expected;
            for (std::size_t i = 0; i < ab.size(); ++i) {
                expected.push_back(2 * ab[i] - 0.5f * c[i]);
            }
            EXPECT_EQ(read_npy("d.npy"), expected);
        }
    }
    // In f16, 2048 * 1 + 1 is a tie and goes to even.
    write_npy("a.npy", "1, 2", {2048, 1});
    write_npy("b.npy", "1, 2", {1, 1});
    expect_pass(program, "--a a.npy --b b.npy --out d.npy --out-type f16");
    EXPECT_EQ(read_npy("d.npy"), std::vector<float>{2048});
    write_npy("a.npy", "1, 2", {257, 1});
    expect_pass(program, "--a a.npy --b b.npy --out d.npy --out-type bf16");
    EXPECT_EQ(read_npy("d.npy"), std::vector<float>{258});
    write_npy("a.npy", "1, 2", {258, 1});
    expect_pass(program, "--a a.npy --b b.npy --out d.npy --out-type bf16");
    EXPECT_EQ(read_npy("d.npy"), std::vector<float>{260});
}

TEST_F(gemm_block, says_what_is_wrong) {
    write_npy("c.npy", "2, 3", {1, 2, 3, 4, 5, 6});
    expect_refusal(program, "--tile 32", "--tile is '32': it must be 128 or 64");
    expect_refusal(program, "--out-type f64", "--out-type is 'f64': it must be f32, f16 or bf16");
    expect_refusal(program, "--type f32", "--type is 'f32': it must be f16 or bf16");
    expect_refusal(program, "--alpha inf", "--alpha is 'inf': it must be a finite number");
    expect_refusal(program, "--beta 1x", "--beta is '1x': it must be a finite number");
    expect_refusal(program, "--c c.npy", "--c without --beta: C would not be used");
    expect_refusal(program, "--c c.npy --beta 1 -m 2 -n 4",
                   "-n 4 contradicts c.npy, where it is 3");
    const outcome o = run(program, "-m 2 -n 3 -k 4 --alpha 2 --beta 0.5");
    EXPECT_TRUE(o.has("D[2, 3] = 2 * A[2, 4] * B[3, 4]^T + 0.5 * C[2, 3]\n")) << o.out;
}

}  // namespace
