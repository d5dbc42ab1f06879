// examples/gemm_skinny as a user runs it. What the options do that all GEMMs have is tested with
// gemm_naive; all plans and the choice among them are in gemm_skinny_kernel.hip.
#include "common/gemm_host.hpp"
#include "run_example.hpp"

namespace {

using examples_test::outcome;
using examples_test::part;
using examples_test::product;
using examples_test::shape_text;
using examples_test::small_matrix;
using examples_test::takes;

class gemm_skinny : public examples_test::in_directory {
protected:
    const std::string program = OPUS_GEMM_SKINNY;

    void be_exact_on_small_numbers(part of);
};

class gemm_skinny_rest : public gemm_skinny {};

TEST_F(gemm_skinny, takes_any_size) {
    expect_pass(program, "");
    for (const char* type : {" --type f16", " --type bf16", " --type f32", " --type f64"}) {
        for (const char* rest :
             {"-m 1 -n 1 -k 1", "-m 8 -n 500 -k 333 --beta 0.5 --alpha 2", "-m 500 -n 100 -k 20",
              "-m 33 -n 17 -k 5 --alpha -1.3", "-m 3 -n 40 -k 1000", "-m 130 -n 48 -k 56"}) {
            expect_pass(program, rest + std::string(type));
        }
    }
    expect_pass(program, "-m 500 -n 100 -k 20 --seed 4 --iters 2");
}

// Against a product that is computed here, each strategy and type, with files.
// Paths: each strategy and type with one of the shapes, in turn, with alpha and beta or without.
void gemm_skinny::be_exact_on_small_numbers(part of) {
    int at = 0;
    using examples::element;
    struct {
        int m, n, k;
    } const shapes[] = {{1, 1, 1}, {17, 33, 5}, {70, 20, 32}};
    for (const auto& s : shapes) {
        const std::vector<float> a = small_matrix(s.m, s.k, 0);
        const std::vector<float> b = small_matrix(s.n, s.k, 1);
        const std::vector<float> c = small_matrix(s.m, s.n, 2);
        const std::vector<float> ab = product(a, b, s.m, s.n, s.k);
        write_npy("a.npy", shape_text(s.m, s.k), a);
        write_npy("b.npy", shape_text(s.n, s.k), b);
        write_npy("c.npy", shape_text(s.m, s.n), c);
        for (const element type : {element::f16, element::bf16, element::f32, element::f64}) {
            std::vector<double> expected;
            std::vector<double> scaled;
            for (std::size_t i = 0; i < ab.size(); ++i) {
                const auto sum = static_cast<double>(ab[i]);
                expected.push_back(examples::round_to(type, sum));
                scaled.push_back(
                    examples::round_to(type, 0.5 * sum - 2 * static_cast<double>(c[i])));
            }
            const auto result = [&] {
                return type == element::f64 ? read_npy<double>("d.npy")
                                            : examples::to_doubles(read_npy("d.npy"));
            };
            for (const char* how : {"shallow_k", "cache_persistent", "wave_parallel"}) {
                const std::string arguments = std::string("--a a.npy --b b.npy --out d.npy ") +
                                              "--strategy " + how + " --type " + name_of(type);
                for (const bool is_scaled : {false, true}) {
                    // 24 for each shape, 6 for each type, 2 for each strategy.
                    const int kernel = at % 24 / 2;
                    const bool is_path = (kernel + kernel / 3 + at % 2) % 3 == at / 24;
                    ++at;
                    if (!takes(of, is_path)) {
                        continue;
                    }
                    const std::string more = is_scaled ? " --alpha 0.5 --beta -2 --c c.npy" : "";
                    expect_pass(program, arguments + more);
                    EXPECT_EQ(result(), is_scaled ? scaled : expected) << arguments << more;
                }
            }
        }
    }
}
TEST_F(gemm_skinny, is_exact_on_small_numbers) {
    be_exact_on_small_numbers(part::paths);
}
TEST_F(gemm_skinny_rest, is_exact_on_small_numbers) {
    be_exact_on_small_numbers(part::rest);
}

// 2^53 + 4 needs the sums, the result and the files to be f64.
TEST_F(gemm_skinny, has_f64_from_file_to_file) {
    const std::vector<double> a{0x1p52, 2, 2};
    const std::vector<double> b{2, 1, 1};
    write_npy("a.npy", "1, 3", a);
    write_npy("b.npy", "1, 3", b);
    for (const char* how : {"shallow_k", "cache_persistent", "wave_parallel"}) {
        expect_pass(program,
                    std::string("--a a.npy --b b.npy --out d.npy --type f64 --strategy ") + how);
        EXPECT_EQ(read_npy<double>("d.npy"), std::vector<double>{0x1p53 + 4});
    }
}

TEST_F(gemm_skinny, reports_the_analysis_and_the_plan) {
    const outcome o = run(program, "-m 512 -n 1024 -k 16 --strategy shallow_k");
    EXPECT_TRUE(o.has("16777216 FLOP, at least 1097728 bytes, 15.3 FLOP/byte")) << o.out;
    EXPECT_TRUE(o.has(": memory-bound\n")) << o.out;
    EXPECT_TRUE(o.has("\nplan: shallow_k, blocks of ")) << o.out;
    EXPECT_TRUE(o.has("\ncounted: ")) << o.out;
    EXPECT_TRUE(run(program, "-m 8 -n 64 -k 4096").has("\nplan: wave_parallel (auto), "));
    EXPECT_TRUE(run(program, "--type f32 -m 400 -n 400 -k 400").has(": compute-bound\n"));
    if (examples::is_emulated()) {
        EXPECT_TRUE(o.has("(emulated: times mean nothing)\n")) << o.out;
        const bool gfx942 = examples::emulated_arch() == "gfx942";
        EXPECT_TRUE(o.has(gfx942 ? "of MI300X, 1307 TFLOP/s" : "of MI355X, 2517 TFLOP/s")) << o.out;
        EXPECT_TRUE(run(program, "--type f64").has(gfx942 ? "163.4 TFLOP/s" : "78.6 TFLOP/s"));
    }
}

TEST_F(gemm_skinny, says_what_is_wrong) {
    expect_refusal(program, "-m 0", "-m is '0': it must be an integer from 1 to 1048576");
    expect_refusal(program, "-n -7", "-n is '-7': it must be an integer from 1 to 1048576");
    expect_refusal(program, "-k 0", "-k is '0': it must be an integer from 1 to 1048576");
    expect_refusal(program, "--type fp8", "--type is 'fp8': it must be f16, bf16, f32 or f64");
    expect_refusal(program, "--strategy best",
                   "--strategy is 'best': it must be auto, shallow_k, cache_persistent or "
                   "wave_parallel");
    expect_refusal(program, "--strategy shallow_k -k 33",
                   "--strategy shallow_k needs K of at most 32, it is 33");
    EXPECT_TRUE(run(program, "--help").has("--strategy"));
    EXPECT_FALSE(run(program, "--help").has("--out-type"));
}

}  // namespace
