// SPDX-License-Identifier: MIT
// examples/gemm_pipelined as a user runs it. What its options do is tested with gemm_naive; the
// kernel's products and banks are in gemm_pipelined_kernel.hip.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

struct outcome {
    int status;
    std::string out;
};

outcome run(const std::string& arguments) {
    const std::string command = "'" OPUS_GEMM_PIPELINED "' " + arguments + " 2>&1";
    FILE* const pipe = popen(command.c_str(), "r");
    if (pipe == nullptr) {
        return {-1, "popen failed"};
    }
    std::string out;
    std::array<char, 4096> part;
    while (std::fgets(part.data(), static_cast<int>(part.size()), pipe) != nullptr) {
        out += part.data();
    }
    const int status = pclose(pipe);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, out};
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
