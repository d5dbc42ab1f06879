// What the generated code must look like: kernels written with opus beside the same kernels written
// with the compiler's builtins, and instructions that must stand in the assembly.
#include <gtest/gtest.h>

#include <cstdio>

#include "isa.hpp"

namespace {

using codegen::kernel_isa;
using codegen::read_kernel;

std::string isa_file(const std::string& name) {
    return std::string(OPUS_ISA_DIRECTORY) + "/" + name + ".s";
}

void print_row(const std::string& name, const kernel_isa& k) {
    std::printf("%-28s %6d %6d %6d %6d %6d %8d\n", name.c_str(), k.total(), k.valu(), k.mfma(),
                k.vgprs, k.sgprs, k.scratch_bytes);
}

class kernel_on : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(targets, kernel_on, testing::Values("gfx942", "gfx950"),
                         [](const auto& info) { return std::string(info.param); });

TEST_P(kernel_on, a_equals_its_raw_twin) {
    const std::string arch = GetParam();
    const kernel_isa with_opus = read_kernel(isa_file("kernel_a_opus_" + arch), "kernel");
    const kernel_isa raw = read_kernel(isa_file("kernel_a_raw_" + arch), "kernel");
    std::printf("%-28s %6s %6s %6s %6s %6s %8s\n", "kernel", "total", "VALU", "MFMA", "VGPR",
                "SGPR", "scratch");
    print_row("a, opus, " + arch, with_opus);
    print_row("a, builtins, " + arch, raw);
    EXPECT_GT(raw.total(), 0);
    EXPECT_EQ(with_opus.total(), raw.total());
    EXPECT_EQ(with_opus.valu(), raw.valu());
    EXPECT_EQ(with_opus.vgprs, raw.vgprs);
    EXPECT_EQ(with_opus.sgprs, raw.sgprs);
    EXPECT_EQ(with_opus.count_prefix("buffer_load_dwordx4"), 2);
    EXPECT_EQ(with_opus.count_prefix("buffer_store_dwordx4"), 1);
    EXPECT_EQ(with_opus.scratch_bytes, 0);
    EXPECT_EQ(with_opus.spilled_registers, 0);
}

TEST_P(kernel_on, waits_are_encoded) {
    const std::string file = isa_file(std::string("waits_") + GetParam());
    const auto only_wait = [&](const char* kernel) {
        return read_kernel(file, kernel).instructions.at(0);
    };
    EXPECT_EQ(only_wait("wait_both"), "s_waitcnt vmcnt(37) lgkmcnt(2)");
    EXPECT_EQ(only_wait("wait_all"), "s_waitcnt vmcnt(0) lgkmcnt(0)");
    EXPECT_EQ(only_wait("wait_export"), "s_waitcnt vmcnt(5) expcnt(3)");
    EXPECT_EQ(only_wait("wait_vector_memory"), "s_waitcnt vmcnt(20)");
    EXPECT_EQ(only_wait("wait_lds"), "s_waitcnt lgkmcnt(4)");
}

}  // namespace
