// SPDX-License-Identifier: MIT
// examples/gemm_pipelined as a user runs it. What its options do is tested with gemm_naive; the
// kernel's products and banks are in gemm_pipelined_kernel.hip.
#include "run_example.hpp"

namespace {

class gemm_pipelined : public examples_test::in_directory {
protected:
    const std::string program = OPUS_GEMM_PIPELINED;
};

TEST_F(gemm_pipelined, passes) {
    for (const char* size :
         {"-m 1 -n 1 -k 1", "-m 257 -n 129 -k 65", "-m 512 -n 512 -k 256",
          "-m 300 -n 500 -k 72 --seed 5", "", "-m 65 -n 130 -k 40 --type bf16 --iters 2"}) {
        expect_pass(program, size);
    }
}

TEST_F(gemm_pipelined, says_what_is_wrong) {
    expect_refusal(program, "-k 0", "-k is '0': it must be an integer from 1 to 1048576");
    expect_refusal(program, "--type f32", "--type is 'f32': it must be f16 or bf16");
}

}  // namespace
