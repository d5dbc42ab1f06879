// SPDX-License-Identifier: MIT
// examples/gemm_pipelined as a user runs it. What its options do is tested with gemm_naive; the
// kernel's products and banks are in gemm_pipelined_kernel.hip.
#include "run_example.hpp"

namespace {

using examples_test::outcome;

outcome run(const std::string& arguments) {
    return examples_test::run_program(OPUS_GEMM_PIPELINED, arguments);
}

TEST(gemm_pipelined, passes) {
    for (const char* size :
         {"-m 1 -n 1 -k 1", "-m 257 -n 129 -k 65", "-m 512 -n 512 -k 256",
          "-m 300 -n 500 -k 72 --seed 5", "", "-m 65 -n 130 -k 40 --type bf16 --iters 2"}) {
        const outcome o = run(size);
        EXPECT_EQ(o.status, 0) << size << "\n" << o.out;
        EXPECT_NE(o.out.find("\nPASS\n"), std::string::npos) << size << "\n" << o.out;
    }
}

TEST(gemm_pipelined, says_what_is_wrong) {
    EXPECT_EQ(run("-k 0").status, 2);
    EXPECT_EQ(run("-k 0").out,
              "gemm_pipelined: -k is '0': it must be an integer from 1 to 1048576\n");
    EXPECT_EQ(run("--type f32").status, 2);
    EXPECT_EQ(run("--type f32").out, "gemm_pipelined: --type is 'f32': it must be f16 or bf16\n");
}

}  // namespace
