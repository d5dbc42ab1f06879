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

// `count` instructions that begin so, and no others in the vector ALU but addresses (at most two,
// or what a 24-byte stride takes) and what `besides` allows.
void expect_only(const std::string& file, const char* name, const char* prefix, int count,
                 int besides = 0) {
    const kernel_isa k = read_kernel(file, name);
    EXPECT_EQ(k.count_prefix(prefix), count) << name << ": " << prefix;
    EXPECT_LE(k.valu() - count, 2 + besides) << name;
    EXPECT_EQ(k.scratch_bytes, 0) << name;
}

TEST_P(kernel_on, casts_to_and_from_fp8_are_packed_conversions) {
    const std::string file = isa_file(std::string("casts_") + GetParam());
    expect_only(file, "fp32x4_to_fp8", "v_cvt_pk_fp8_f32", 2);
    // Four words, three of which move to be stored together.
    expect_only(file, "fp32x16_to_bf8", "v_cvt_pk_bf8_f32", 8, 3);
    expect_only(file, "fp8x8_to_fp32", "v_cvt_pk_f32_fp8", 4);
}

TEST_P(kernel_on, casts_of_16_bits) {
    const std::string file = isa_file(std::string("casts_") + GetParam());
    expect_only(file, "fp16x8_to_fp32", "v_cvt_f32_f16", 8);
    // A shift for the lower half of a word, a mask for the upper one.
    EXPECT_EQ(read_kernel(file, "bf16x8_to_fp32").valu(), 2 + 8);
    for (const char* name : {"fp16x8_to_fp32", "bf16x8_to_fp32", "fp32x8_to_fp16"}) {
        EXPECT_EQ(read_kernel(file, name).count_prefix("v_perm"), 0) << name;
    }
    if (std::string(GetParam()) == "gfx950") {
        expect_only(file, "fp32x8_to_fp16", "v_cvt_pk_f16_f32", 4);
        expect_only(file, "fp32x8_to_bf16", "v_cvt_pk_bf16_f32", 4);
        expect_only(file, "fp32x8_to_bf16_nearest", "v_cvt_pk_bf16_f32", 4);
    } else {
        expect_only(file, "fp32x8_to_fp16", "v_cvt_f16_f32", 8, 4);
        // One instruction takes the upper halves of two floats.
        expect_only(file, "fp32x8_to_bf16", "v_perm_b32", 4);
        const kernel_isa nearest = read_kernel(file, "fp32x8_to_bf16_nearest");
        EXPECT_EQ(nearest.count_prefix("s_cbranch"), 0);
        EXPECT_LE(nearest.valu(), 2 + 8 * 7);
    }
}

TEST_P(kernel_on, casts_with_scale) {
    const std::string file = isa_file(std::string("casts_") + GetParam());
    if (std::string(GetParam()) == "gfx950") {
        expect_only(file, "fp16x4_to_fp8", "v_cvt_scalef32_pk_fp8_f16", 2);
        expect_only(file, "fp8x4_to_fp16", "v_cvt_scalef32_pk_f16_fp8", 2);
        expect_only(file, "fp8x4_to_bf16", "v_cvt_scalef32_pk_bf16_fp8", 2);
        expect_only(file, "fp32x8_to_fp4", "v_cvt_scalef32_pk_fp4_f32", 4);
        expect_only(file, "fp4x8_to_fp32", "v_cvt_scalef32_pk_f32_fp4", 4);
        expect_only(file, "fp16x32_to_fp6", "v_cvt_scalef32_pk32_fp6_f16", 1, 2);
    } else {
        expect_only(file, "fp16x4_to_fp8", "v_cvt_pk_fp8_f32", 2, 4);
        expect_only(file, "fp8x4_to_bf16", "v_cvt_pk_f32_fp8", 2, 2);
        // In software, without branches and without memory.
        for (const char* name : {"fp32x8_to_fp4", "fp4x8_to_fp32", "fp16x32_to_fp6"}) {
            const kernel_isa k = read_kernel(file, name);
            EXPECT_EQ(k.count_prefix("s_cbranch"), 0) << name;
            EXPECT_EQ(k.scratch_bytes, 0) << name;
        }
        EXPECT_LE(read_kernel(file, "fp32x8_to_fp4").valu(), 8 * 32);
    }
}

// Limits are literals of instructions, not loads.
TEST_P(kernel_on, limits_are_constants) {
    const kernel_isa k = read_kernel(isa_file(std::string("casts_") + GetParam()), "limits");
    EXPECT_EQ(k.count_prefix("s_load"), 1);
    EXPECT_EQ(k.count_prefix("s_getpc"), 0);
}

}  // namespace
