// SPDX-License-Identifier: MIT
// examples/gemm_skinny as a user runs it; its kernels and plan are in gemm_skinny_kernel.hip.
#include <cstdlib>

#include "run_example.hpp"

namespace {

using examples_test::outcome;

outcome run(const std::string& arguments) {
    return examples_test::run_program(OPUS_GEMM_SKINNY, arguments);
}

TEST(gemm_skinny_program, passes) {
    for (const char* arguments :
         {"", "-m 1 -n 1 -k 1 --type f64", "-m 8 -n 500 -k 333 --type bf16 --beta 0.5 --alpha 2",
          "-m 500 -n 100 -k 20 --seed 4 --iters 2", "-m 3 -n 40 -k 1000 --type f32"}) {
        const outcome o = run(arguments);
        EXPECT_EQ(o.status, 0) << arguments << "\n" << o.out;
        EXPECT_TRUE(o.has("\nPASS\n")) << arguments << "\n" << o.out;
        EXPECT_TRUE(o.has("\ncounted: ")) << o.out;
    }
    const outcome o = run("--verify 0");
    EXPECT_EQ(o.status, 0);
    EXPECT_TRUE(o.has("\nnot verified\n") && !o.has("PASS")) << o.out;
}

TEST(gemm_skinny_program, reports_the_analysis_and_the_plan) {
    const outcome o = run("-m 512 -n 1024 -k 16 --strategy shallow_k");
    EXPECT_TRUE(o.has("16777216 FLOP, at least 1097728 bytes, 15.3 FLOP/byte")) << o.out;
    EXPECT_TRUE(o.has(": memory-bound\n")) << o.out;
    EXPECT_TRUE(o.has("\nplan: shallow_k, blocks of ")) << o.out;
    EXPECT_TRUE(run("-m 8 -n 64 -k 4096").has("\nplan: wave_parallel (auto), ")) << o.out;
    if (const char* const arch = std::getenv("OPUS_EMU_ARCH")) {
        EXPECT_TRUE(o.has(std::string(arch) + ", emulated")) << o.out;
        EXPECT_TRUE(o.has("(emulated: times mean nothing)\n")) << o.out;
        EXPECT_TRUE(o.has(std::string(arch) == "gfx942" ? "of MI300X" : "of MI355X")) << o.out;
    }
}

TEST(gemm_skinny_program, says_what_is_wrong) {
    const auto refused = [](const std::string& arguments, const std::string& message) {
        const outcome o = run(arguments);
        EXPECT_EQ(o.status, 2) << arguments;
        EXPECT_EQ(o.out, "gemm_skinny: " + message + "\n");
    };
    refused("-m 0", "-m is '0': it must be an integer from 1 to 524288");
    refused("-n -7", "-n is '-7': it must be an integer from 1 to 524288");
    refused("-k 0", "-k is '0': it must be an integer from 1 to 524288");
    refused("-k 524289", "-k is '524289': it must be an integer from 1 to 524288");
    refused("--type fp8", "--type is 'fp8': it must be one of f16, bf16, f32, f64");
    refused("--strategy best",
            "--strategy is 'best': it must be one of auto, shallow_k, cache_persistent, "
            "wave_parallel");
    refused("--strategy shallow_k -k 33", "--strategy shallow_k needs -k of at most 32, it is 33");
    refused("--alpha inf", "--alpha is 'inf': it must be a finite number");
    EXPECT_EQ(run("--unknown").status, 2);
    EXPECT_EQ(run("--help").status, 0);
}

}  // namespace
