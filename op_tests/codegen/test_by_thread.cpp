// Layouts by the index of a thread cost not an instruction more than those by a p_coord.
#include <gtest/gtest.h>

#include <cstdio>
#include <string>

#include "isa.hpp"

namespace {

using codegen::kernel_isa;

kernel_isa read(const std::string& form, int scalar, const std::string& arch, const char* kernel) {
    return codegen::read_kernel(std::string(OPUS_ISA_DIRECTORY) + "/by_" + form + "_" +
                                    std::to_string(scalar) + "_" + arch + ".s",
                                kernel);
}

class by_thread : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(targets, by_thread, testing::Values("gfx942", "gfx950"),
                         [](const auto& info) { return std::string(info.param); });

TEST_P(by_thread, is_what_is_written_by_hand) {
    std::printf("%-16s %-8s %20s %20s\n", "kernel", "wave in", "by thread: VALU", "by hand: VALU");
    for (const char* kernel : {"one", "one_swapped", "tiled", "tiled_swapped", "transposed"}) {
        for (const int scalar : {0, 1}) {
            const kernel_isa thread = read("thread", scalar, GetParam(), kernel);
            const kernel_isa hand = read("hand", scalar, GetParam(), kernel);
            std::printf("%-16s %-8s %14d %5d %14d %5d\n", kernel, scalar ? "SGPR" : "VGPR",
                        thread.total(), thread.valu(), hand.total(), hand.valu());
            EXPECT_GT(hand.mfma(), 0);
            EXPECT_LE(thread.total(), hand.total()) << kernel;
            EXPECT_LE(thread.valu(), hand.valu()) << kernel;
            EXPECT_LE(thread.vgprs, hand.vgprs) << kernel;
            EXPECT_LE(thread.sgprs, hand.sgprs) << kernel;
        }
    }
}

}  // namespace
