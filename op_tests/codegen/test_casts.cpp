// What conversions compile to (casts.hip).
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <string>

#include "isa.hpp"
#include "kernel_on.hpp"

namespace {

using codegen::isa_file;
using codegen::kernel_isa;
using codegen::kernel_on;
using codegen::read_kernel;

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

// Two instructions for an element, and at most one that loads a limit.
TEST_P(kernel_on, casts_that_saturate) {
    const std::string file = isa_file(std::string("casts_") + GetParam());
    for (const std::string to : {"fp8", "bf8"}) {
        const std::string prefix = "v_cvt_pk_" + to + "_f32";
        for (const int n : {2, 4}) {
            const std::string name = "fp32x" + std::to_string(n) + "_to_" + to + "_saturated";
            expect_only(file, name.c_str(), prefix.c_str(), n / 2, 2 * n + 1);
            EXPECT_EQ(read_kernel(file, name).count_prefix("s_cbranch"), 0) << name;
        }
    }
}

// A vector that fills no whole words does not go through LDS (clang 23).
TEST_P(kernel_on, casts_of_14_codes_stay_in_registers) {
    const kernel_isa k =
        read_kernel(isa_file(std::string("casts_") + GetParam()), "fp32x14_to_bf8_and_back");
    EXPECT_EQ(k.count_prefix("v_cvt_pk_f32_bf8"), 7);
    EXPECT_EQ(k.count_prefix("ds_") + k.count_prefix("scratch_"), 0);
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
        expect_only(file, "fp32x8_to_bf16_mode_5", "v_cvt_pk_bf16_f32", 4);
    } else {
        expect_only(file, "fp32x8_to_fp16", "v_cvt_f16_f32", 8, 4);
        // One instruction takes the upper halves of two floats.
        expect_only(file, "fp32x8_to_bf16", "v_perm_b32", 4);
        const kernel_isa nearest = read_kernel(file, "fp32x8_to_bf16_nearest");
        EXPECT_EQ(nearest.count_prefix("s_cbranch"), 0);
        EXPECT_LE(nearest.valu(), 2 + 8 * 7);
        // The last bit that stays, one addition of three numbers, and one permutation for two.
        const kernel_isa no_nan = read_kernel(file, "fp32x8_to_bf16_mode_5");
        EXPECT_EQ(no_nan.count_prefix("v_bfe_u32"), 8);
        EXPECT_EQ(no_nan.count_prefix("v_add3_u32"), 8);
        EXPECT_EQ(no_nan.count_prefix("v_perm_b32"), 4);
        EXPECT_EQ(no_nan.valu(), 2 + 8 + 8 + 4);
    }
}

// Inline assembly right behind a matrix instruction would read what that has not written yet: the
// compiler counts no wait states for it.
TEST_P(kernel_on, rounding_modes_without_inline_assembly) {
    const std::string path = isa_file(std::string("casts_") + GetParam());
    EXPECT_EQ(read_kernel(path, "fp32x8_to_bf16_mode_3").instructions,
              read_kernel(path, "fp32x8_to_bf16_nearest").instructions);
    std::ifstream file(path);
    int lines = 0;
    for (std::string line; std::getline(file, line); lines++) {
        EXPECT_EQ(line.find("#ASMSTART"), std::string::npos) << path << ":" << lines + 1;
    }
    EXPECT_GT(lines, 100);
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

// 32 codes below a byte. gfx942: fp4 is 10 instructions for the bytes of eight numbers and one for
// each result (with the bytes of bf16 put into pairs twice); of 6 bits two codes are four
// instructions and a product of fp16, and a conversion of each; a scale is half a product more. A
// 24-byte stride takes three instructions for the address instead of one.
// 4-bit integers are instructions on eight of them: 4 to make bytes of them, 3 without a sign; 2 to
// put the bytes in order where neighbours are to meet; and one for two results in each of two or
// three steps. To bytes they are 4 more to take the sign's offset away, to i32 one for each.
TEST_P(kernel_on, casts_of_codes_below_a_byte) {
    const std::string file = isa_file(std::string("casts_") + GetParam());
    const bool has_instructions = std::string(GetParam()) == "gfx950";
    const auto expect_valu = [&](const std::string& name, int gfx942, int gfx950) {
        const kernel_isa k = read_kernel(file, name);
        std::printf("%s, %s: %d VALU\n", name.c_str(), GetParam(), k.valu());
        EXPECT_GT(k.valu(), 0) << name;
        EXPECT_LE(k.valu(), has_instructions ? gfx950 : gfx942) << name;
        EXPECT_EQ(k.count_prefix("s_cbranch"), 0) << name;
        EXPECT_EQ(k.scratch_bytes, 0) << name;
    };
    expect_valu("fp4x32_to_fp32", 4 * 10 + 32 + 3, 16 + 2);
    expect_valu("fp4x32_to_fp16", 4 * 8 + 16 + 3, 16 + 2);
    expect_valu("fp4x32_to_bf16", 4 * 10 + 2 * 16 + 3, 16 + 2);
    expect_valu("fp4x32_to_fp32_scaled", 4 * 10 + 32 + 16 + 8, 16 + 2);
    expect_valu("fp4x32_to_bf16_scaled", 4 * 10 + 32 + 16 + 16 + 8, 16 + 2);
    expect_valu("int4x32_to_fp32", 4 * (4 + 2 + 8) + 4, 4 * (4 + 2 + 8) + 4);
    expect_valu("int4x32_to_fp16", 4 * (4 + 2 + 8) + 5, 4 * (4 + 2 + 8) + 5);
    expect_valu("int4x32_to_bf16", 4 * (4 + 12) + 4, 4 * (4 + 12) + 4);
    expect_valu("uint4x32_to_fp32", 4 * (3 + 2 + 8) + 3, 4 * (3 + 2 + 8) + 3);
    expect_valu("uint4x32_to_fp16", 4 * (3 + 2 + 8) + 4, 4 * (3 + 2 + 8) + 4);
    expect_valu("uint4x32_to_bf16", 4 * (3 + 12) + 3, 4 * (3 + 12) + 3);
    expect_valu("int4x32_to_i8", 4 * (4 + 2 + 4) + 3, 4 * (4 + 2 + 4) + 3);
    expect_valu("int4x32_to_i32", 32 + 2, 64);
    expect_valu("fp32x32_to_int4", 32 * 6 + 24, 32 * 6 + 24);
    for (const std::string small : {"fp6", "bf6"}) {
        expect_valu(small + "x32_to_fp16", 5 * 16 + 4, 5);
        expect_valu(small + "x32_to_fp32", 5 * 16 + 32 + 4, 5);
        expect_valu(small + "x32_to_bf16", 5 * 16 + 32 + 16 + 4, 5);
        expect_valu(small + "x32_to_fp32_scaled", 5 * 16 + 32 + 16 + 9, 5);
        expect_valu(small + "x32_to_bf16_scaled", 5 * 16 + 32 + 16 + 16 + 9, 5);
    }
}

// To bytes, saturated, beside C++'s conversion, which truncates only: one instruction an element more
// (v_med3_i32) and one of its limits in a register. gfx950 has an instruction for both and the pair.
TEST_P(kernel_on, casts_to_bytes_saturate_in_one_instruction) {
    const std::string file = isa_file(std::string("casts_") + GetParam());
    const bool has_instruction = std::string(GetParam()) == "gfx950";
    for (const std::string byte : {"i8", "u8"}) {
        for (const int n : {1, 2, 4, 8, 16}) {
            const std::string from = n == 1 ? "fp32" : "fp32x" + std::to_string(n);
            const kernel_isa k = read_kernel(file, from + "_to_" + byte);
            const kernel_isa truncated = read_kernel(file, from + "_truncated_to_" + byte);
            const int more = k.valu() - truncated.valu();
            std::printf("%s_to_%s, %s: %d VALU, %+d\n", from.c_str(), byte.c_str(), GetParam(),
                        k.valu(), more);
            EXPECT_EQ(k.count_prefix("v_cvt_"), n) << from;
            EXPECT_LE(more, has_instruction && n > 1 ? 0 : n + 1) << from;
            EXPECT_EQ(k.count_prefix("v_ashr_pk"), has_instruction ? n / 2 : 0) << from;
            // Four bytes join in one instruction behind those that join two, and nothing clears bits.
            // (One more is the address, on gfx942 another a limit.)
            const int joined = n / 2 + n / 4;
            EXPECT_LE(k.valu(), n + joined + (has_instruction ? 0 : n + 1) + (n > 1 ? 2 : 3))
                << from;
            EXPECT_EQ(k.count_prefix("v_and"), 0) << from;
            EXPECT_EQ(k.scratch_bytes, 0) << from;
        }
    }
    expect_only(file, "fp32_to_i32", "v_cvt_i32_f32", 1);
}

// Limits are literals of instructions, not loads.
TEST_P(kernel_on, limits_are_constants) {
    const kernel_isa k = read_kernel(isa_file(std::string("casts_") + GetParam()), "limits");
    EXPECT_EQ(k.count_prefix("s_load"), 1);
    EXPECT_EQ(k.count_prefix("s_getpc"), 0);
}

}  // namespace
