// The hot loops of the examples around a KV cache.
#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <vector>

#include "isa.hpp"
#include "pins.hpp"

namespace {

using codegen::kernel_isa;
using codegen::kernel_with;
using codegen::labels_with;

struct loop_row {
    const char* arch;
    const char* kernel;  // a part of its name: type of the cache, d, and page or style
    int loads;
    int mfmas;
    int valu;  // at most, as the rest
    int total;
    int vgprs;
};

std::string file_of(const std::string& example, const std::string& arch) {
    return std::string(OPUS_ISA_DIRECTORY) + "/example_" + example + "_" + arch + ".s";
}

void expect_counts(const loop_row& row, const kernel_isa& k, const kernel_isa& loop) {
    std::printf("%-44s %s total %4d VALU %4d MFMA %3d VGPR %3d\n", row.kernel, row.arch,
                loop.total(), loop.valu(), loop.mfma(), k.vgprs);
    EXPECT_EQ(loop.count_prefix("buffer_load"), row.loads);
    EXPECT_EQ(loop.mfma(), row.mfmas);
    EXPECT_LE(loop.valu(), codegen::at_most(row.valu));
    EXPECT_LE(loop.total(), codegen::at_most(row.total));
    EXPECT_LE(k.vgprs, codegen::registers_at_most(row.vgprs));
    EXPECT_EQ(k.scratch_bytes, 0);
    EXPECT_EQ(k.spilled_registers, 0);
}

void expect_loop(const loop_row& row, const kernel_isa& k, const kernel_isa& loop) {
    expect_counts(row, k, loop);
    EXPECT_EQ(loop.count_prefix("global_") + loop.count_prefix("flat_"), 0);
}

const loop_row decode_loops[] = {
    {"gfx942", "paged_attention_kernelIDB8_Li64ELi16EEEv", 10, 16, 146, 253, 100},
    {"gfx942", "paged_attention_kernelIDB8_Li64ELi32EEEv", 10, 16, 153, 239, 100},
    {"gfx942", "paged_attention_kernelIDB8_Li128ELi16EEEv", 12, 32, 221, 354, 152},
    {"gfx942", "paged_attention_kernelIDB8_Li128ELi32EEEv", 12, 32, 222, 332, 162},
    {"gfx942", "paged_attention_kernelIDF16bLi64ELi16EEEv", 12, 16, 99, 201, 90},
    {"gfx942", "paged_attention_kernelIDF16bLi64ELi32EEEv", 12, 16, 100, 181, 96},
    {"gfx942", "paged_attention_kernelIDF16bLi128ELi16EEEv", 16, 32, 124, 250, 148},
    {"gfx942", "paged_attention_kernelIDF16bLi128ELi32EEEv", 16, 32, 124, 228, 156},
    {"gfx950", "paged_attention_kernelIDB8_Li64ELi16EEEv", 10, 8, 138, 236, 102},
    {"gfx950", "paged_attention_kernelIDB8_Li64ELi32EEEv", 10, 8, 143, 217, 102},
    {"gfx950", "paged_attention_kernelIDB8_Li128ELi16EEEv", 12, 16, 210, 324, 164},
    {"gfx950", "paged_attention_kernelIDB8_Li128ELi32EEEv", 12, 16, 210, 301, 162},
    {"gfx950", "paged_attention_kernelIDF16bLi64ELi16EEEv", 12, 8, 91, 183, 98},
    {"gfx950", "paged_attention_kernelIDF16bLi64ELi32EEEv", 12, 8, 100, 170, 98},
    {"gfx950", "paged_attention_kernelIDF16bLi128ELi16EEEv", 16, 16, 115, 222, 166},
    {"gfx950", "paged_attention_kernelIDF16bLi128ELi32EEEv", 16, 16, 114, 200, 150},
};

// A tile of 32 keys: K and V are loaded once, no LDS but where lanes 16 and 32 apart are compared on
// gfx942, no barrier, and no wait for all loads, since V is on its way when K is needed.
TEST(paged_attention, hot_loop_waits_for_one_operand_at_a_time) {
    for (const loop_row& row : decode_loops) {
        SCOPED_TRACE(std::string(row.kernel) + ", " + row.arch);
        const kernel_isa k = kernel_with(file_of("paged_attention", row.arch), row.kernel);
        const kernel_isa loop = k.hot_loop();
        expect_loop(row, k, loop);
        EXPECT_EQ(loop.count_prefix("buffer_store"), 0);
        EXPECT_EQ(loop.count_prefix("ds_"), std::string(row.arch) == "gfx942" ? 2 : 0);
        EXPECT_EQ(loop.count_prefix("s_barrier"), 0);
        EXPECT_EQ(loop.count_containing("vmcnt(0)"), 0);
        EXPECT_EQ(loop.count_prefix("v_exp_f32"), 9);
        // Pages lie in scalar registers.
        EXPECT_LE(loop.count_prefix("v_readfirstlane"), 4);
    }
}

const loop_row rope_loops[] = {
    {"gfx942", "rope_cache_kernelIDB8_Li64ELb1EEEv", 6, 0, 211, 246, 92},
    {"gfx942", "rope_cache_kernelIDB8_Li64ELb0EEEv", 6, 0, 223, 256, 92},
    {"gfx942", "rope_cache_kernelIDB8_Li128ELb1EEEv", 6, 0, 211, 246, 92},
    {"gfx942", "rope_cache_kernelIDB8_Li128ELb0EEEv", 6, 0, 223, 256, 92},
    {"gfx942", "rope_cache_kernelIDF16bLi64ELb1EEEv", 6, 0, 169, 198, 92},
    {"gfx942", "rope_cache_kernelIDF16bLi64ELb0EEEv", 6, 0, 169, 198, 92},
    {"gfx942", "rope_cache_kernelIDF16bLi128ELb1EEEv", 6, 0, 169, 198, 92},
    {"gfx942", "rope_cache_kernelIDF16bLi128ELb0EEEv", 6, 0, 169, 198, 92},
    {"gfx950", "rope_cache_kernelIDB8_Li64ELb1EEEv", 6, 0, 179, 215, 86},
    {"gfx950", "rope_cache_kernelIDB8_Li64ELb0EEEv", 6, 0, 191, 225, 86},
    {"gfx950", "rope_cache_kernelIDB8_Li128ELb1EEEv", 6, 0, 179, 215, 86},
    {"gfx950", "rope_cache_kernelIDB8_Li128ELb0EEEv", 6, 0, 191, 225, 86},
    {"gfx950", "rope_cache_kernelIDF16bLi64ELb1EEEv", 6, 0, 133, 167, 86},
    {"gfx950", "rope_cache_kernelIDF16bLi64ELb0EEEv", 6, 0, 133, 167, 86},
    {"gfx950", "rope_cache_kernelIDF16bLi128ELb1EEEv", 6, 0, 133, 167, 86},
    {"gfx950", "rope_cache_kernelIDF16bLi128ELb0EEEv", 6, 0, 133, 167, 86},
};

// 16 elements of q, k and v of a thread.
TEST(rope_cache, hot_loop_brings_the_next_rows) {
    for (const loop_row& row : rope_loops) {
        SCOPED_TRACE(std::string(row.kernel) + ", " + row.arch);
        const kernel_isa k = kernel_with(file_of("rope_cache", row.arch), row.kernel);
        const kernel_isa loop = k.hot_loop();
        expect_loop(row, k, loop);
        EXPECT_EQ(loop.count_prefix("buffer_load_dwordx4 "), row.loads);
        // Both runs of gptj's codes are one access.
        const std::string name = row.kernel;
        const bool is_joined = name.find("DB8_") != name.npos && name.find("ELb0E") != name.npos;
        EXPECT_EQ(loop.count_prefix("buffer_store"), is_joined ? 4 : 6);
        EXPECT_EQ(loop.count_prefix("ds_") + loop.count_prefix("s_barrier"), 0);
        EXPECT_EQ(loop.count_containing("vmcnt(0)"), 0);
    }
}

// Of several inner loops the one with matrix instructions.
kernel_isa loop_of_products(const kernel_isa& k) {
    kernel_isa loop;
    for (const std::string& header : k.inner_loops) {
        kernel_isa found;
        for (std::size_t i = 0; i < k.instructions.size(); i++) {
            if (k.loops[i] == header) {
                found.instructions.push_back(k.instructions[i]);
            }
        }
        if (found.mfma() > 0) {
            EXPECT_EQ(loop.mfma(), 0) << "two loops with matrix instructions";
            loop = found;
        }
    }
    return loop;
}

// 1024 of K for 16, 32 and 64 rows and 16 columns of a wave. Of A in bf16 a wave quantises a
// quarter.
const loop_row few_rows_loops[] = {
    {"gfx950", "few_rows_kernelIDF16bLi1EEEv", 18, 8, 145, 248, 78},
    {"gfx950", "few_rows_kernelIDF16bLi2EEEv", 26, 16, 286, 429, 108},
    {"gfx950", "few_rows_kernelIDF16bLi4EEEv", 42, 32, 568, 798, 166},
    {"gfx950", "few_rows_kernelIN4opus5fp4_tELi1EEEv", 20, 8, 0, 70, 60},
    {"gfx950", "few_rows_kernelIN4opus5fp4_tELi2EEEv", 30, 16, 0, 107, 86},
    {"gfx950", "few_rows_kernelIN4opus5fp4_tELi4EEEv", 50, 32, 0, 169, 128},
};

TEST(gemm_mxfp4, hot_loop_of_few_rows_quantises_two_at_a_time) {
    for (const loop_row& row : few_rows_loops) {
        SCOPED_TRACE(row.kernel);
        const kernel_isa k = kernel_with(file_of("gemm_mxfp4", row.arch), row.kernel);
        const kernel_isa loop = loop_of_products(k);
        expect_loop(row, k, loop);
        const bool is_bf16 = row.valu > 0;
        const int strips = row.mfmas / 8;
        EXPECT_EQ(loop.count_prefix("v_cvt_scalef32_pk_fp4_bf16"), is_bf16 ? 32 * strips : 0);
        EXPECT_EQ(loop.count_prefix("s_barrier"), is_bf16 ? 2 : 0);
        EXPECT_EQ(loop.count_prefix("ds_write"), is_bf16 ? 4 * strips : 0);
        EXPECT_EQ(loop.count_prefix("ds_read_b128"), is_bf16 ? 8 * strips : 0);
    }
}

// 512 of K: for each 128 of them four loads for the step four steps ahead and one barrier, for all
// one load of scales, and never a wait for all loads.
TEST(gemm_mxfp4, hot_loop_of_many_rows_is_matrix_instructions) {
    const loop_row row{"gfx950", "many_rows_kernelIN4opus5fp4_tEEEv", 17, 128, 8, 261, 250};
    const kernel_isa k = kernel_with(file_of("gemm_mxfp4", row.arch), row.kernel);
    const kernel_isa loop = k.hot_loop();
    expect_loop(row, k, loop);
    EXPECT_EQ(loop.count_prefix("v_mfma_scale_f32_16x16x128_f8f6f4"), 128);
    EXPECT_EQ(loop.count_prefix("ds_read_b128"), 48);
    EXPECT_EQ(loop.count_prefix("s_barrier"), 4);
    EXPECT_EQ(loop.count_containing("vmcnt(0)"), 0);
    EXPECT_EQ(loop.count_prefix("v_readfirstlane"), 0);
}

// A lane has 8 elements of 4 rows. It loads all of them, then stores 4 bytes and one for each row.
const loop_row silu_kernels[] = {
    {"gfx942", "silu_mul_mxfp4_kernelILb1EEEv", 8, 0, 1261, 1455, 50},
    {"gfx942", "silu_mul_mxfp4_kernelILb0EEEv", 4, 0, 1137, 1322, 42},
    {"gfx950", "silu_mul_mxfp4_kernelILb1EEEv", 8, 0, 365, 539, 50},
    {"gfx950", "silu_mul_mxfp4_kernelILb0EEEv", 4, 0, 161, 327, 24},
};

TEST(silu_mul_mxfp4, kernel_converts_two_at_a_time) {
    for (const loop_row& row : silu_kernels) {
        SCOPED_TRACE(std::string(row.kernel) + ", " + row.arch);
        const kernel_isa k = kernel_with(file_of("silu_mul_mxfp4", row.arch), row.kernel);
        expect_loop(row, k, k);
        EXPECT_EQ(k.count_prefix("buffer_load_dwordx4"), row.loads);
        EXPECT_EQ(k.count_prefix("buffer_store_dword "), 4);
        EXPECT_EQ(k.count_prefix("buffer_store_byte "), 4);
        EXPECT_EQ(k.count_prefix("v_cvt_scalef32_pk_fp4"),
                  std::string(row.arch) == "gfx950" ? 16 : 0);
        EXPECT_EQ(k.count_prefix("ds_") + k.count_prefix("s_barrier"), 0);
    }
}

const loop_row mla_loops[] = {
    {"gfx942", "mla_decode_kernelIDB8_Li1EEEv", 5, 44, 135, 292, 168},
    {"gfx942", "mla_decode_kernelIDB8_Li2EEEv", 5, 52, 167, 336, 204},
    {"gfx942", "mla_decode_kernelIDF16bLi1EEEv", 5, 44, 95, 252, 180},
    {"gfx942", "mla_decode_kernelIDF16bLi2EEEv", 5, 52, 127, 296, 212},
    {"gfx950", "mla_decode_kernelIDB8_Li1EEEv", 9, 44, 171, 404, 206},
    {"gfx950", "mla_decode_kernelIDB8_Li2EEEv", 9, 52, 187, 450, 238},
    {"gfx950", "mla_decode_kernelIDF16bLi1EEEv", 9, 44, 99, 332, 222},
    {"gfx950", "mla_decode_kernelIDF16bLi2EEEv", 9, 52, 115, 378, 254},
};

// A tile of 32 keys (gfx942: 16): each row is loaded once, those of a wave and an entry of the table,
// and the rotary parts by one more load. Each load is waited for once, q before the loop.
TEST(mla_decode, hot_loop_loads_each_row_once) {
    for (const loop_row& row : mla_loops) {
        SCOPED_TRACE(std::string(row.kernel) + ", " + row.arch);
        const bool is_gfx950 = std::string(row.arch) == "gfx950";
        const kernel_isa k = kernel_with(file_of("mla_decode", row.arch), row.kernel);
        const kernel_isa loop = k.hot_loop();
        expect_counts(row, k, loop);
        EXPECT_EQ(loop.count_prefix("global_load_dwordx"), 1);
        EXPECT_EQ(loop.count_prefix("global_") + loop.count_prefix("flat_"), 1);
        EXPECT_EQ(loop.count_prefix("buffer_store"), 0);
        EXPECT_EQ(loop.count_prefix("s_barrier"), 2);
        EXPECT_LE(loop.count_containing("vmcnt"), row.loads + 1);
        EXPECT_EQ(loop.count_prefix("v_exp_f32"), is_gfx950 ? 9 : 5);
        EXPECT_EQ(loop.count_prefix("ds_read_b64_tr_b16") > 0, is_gfx950);
        // Rows of the cache lie in scalar registers.
        EXPECT_EQ(loop.count_prefix("v_readlane"), is_gfx950 ? 8 : 4);
        EXPECT_EQ(loop.count_prefix("v_readfirstlane"), 0);
    }
}

TEST(paged_attention, no_kernel_spills) {
    for (const char* arch : {"gfx942", "gfx950"}) {
        for (const std::string example : {"paged_attention", "rope_cache", "mla_decode"}) {
            const std::string file = file_of(example, arch);
            const std::vector<std::string> kernels = labels_with(file, "_kernelI");
            // Two types of the cache, d and pages; of the merge no pages; styles; rows; waves.
            EXPECT_EQ(kernels.size(), example == "rope_cache"   ? 8u
                                      : example == "mla_decode" ? 7u
                                                                : 12u);
            for (const std::string& name : kernels) {
                SCOPED_TRACE(name);
                const kernel_isa k = codegen::read_kernel(file, name);
                EXPECT_EQ(k.scratch_bytes, 0);
                EXPECT_EQ(k.spilled_registers, 0);
                EXPECT_LE(k.vgprs, 256);  // two waves on a SIMD
            }
        }
    }
}

}  // namespace
