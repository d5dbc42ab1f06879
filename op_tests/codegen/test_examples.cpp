// The hot loops of the examples: what they consist of, and what share of their time the matrix core
// is busy.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <ostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "isa.hpp"
#include "opus/opus.hpp"
#include "pins.hpp"

namespace {

using codegen::kernel_isa;
using codegen::kernel_with;
using codegen::labels_with;

// Clocks of one SIMD. A matrix instruction occupies it for its passes of 4 clocks. Any other
// instruction is taken for 4 clocks, waits and barriers too, and nothing for hidden behind another.
double mfma_share(int total, int mfma, int passes) {
    const double busy = mfma * passes * 4;
    return busy / (busy + (total - mfma) * 4);
}

struct target {
    const char* name;
    const char* mfma;  // the one instruction, up to the types of its operands
    int passes;
    int steps;         // of a tile along K
    int dmas;          // async_loads for A, and as many for B
    const char* load;  // what they are
    double share;      // at least
    int others;        // instructions that are no matrix instructions, at most
    int run;           // LDS reads and async_loads between two matrix instructions, at most: two
                       // reads begin a phase, behind two loads of the one before
    int vgprs;
    int published_mfma;  // the best published kernel (of 16 x 16 x 32 instructions on gfx950)
    int published_passes;
    int published_total;
    int published_valu;  // -1: unknown
};

// The published shares are 0.80 (gfx950) and 0.91 (gfx942), in a count of clocks that was not
// published; here both sides are counted in the same way. On gfx942 the 32 async_loads and 24 reads
// that a 256 x 256 block takes with 4 bytes for each lane leave no more than 0.90.
const target targets[] = {
    {"gfx942", "v_mfma_f32_32x32x8", opus::mfma_f32_32x32x8_f16::row::passes_on_gfx942, 2, 8,
     "buffer_load_dword ", 0.875, 73, 4, 198, 64, 8, 137, -1},
    {"gfx950", "v_mfma_f32_32x32x16", opus::mfma_f32_32x32x16_f16::row::passes_on_gfx950, 4, 4,
     "buffer_load_dwordx4 ", 0.857, 85, 4, 204, 128, 4, 287, 20},
};

void PrintTo(const target& t, std::ostream* out) {
    *out << t.name;
}

class gemm_fast_on : public testing::TestWithParam<target> {};
INSTANTIATE_TEST_SUITE_P(targets, gemm_fast_on, testing::ValuesIn(targets),
                         [](const auto& info) { return std::string(info.param.name); });

TEST_P(gemm_fast_on, hot_loop_is_matrix_instructions_and_what_they_need) {
    const target t = GetParam();
    const std::string file =
        std::string(OPUS_ISA_DIRECTORY) + "/example_gemm_fast_" + t.name + ".s";
    const std::vector<std::string> kernels = labels_with(file, "gemm_fast_kernelI");
    ASSERT_EQ(kernels.size(), 12u);  // two types of A and B, two of D, three epilogues
    std::printf("%-20s %5s %5s %4s %3s %4s %5s %6s %5s %5s\n", "hot loop (two tiles)", "total",
                "MFMA", "VALU", "DS", "VMEM", "other", "share", "VGPR", "SGPR");
    const double published = mfma_share(t.published_total, t.published_mfma, t.published_passes);
    std::printf("%-20s %5d %5d %36.3f\n", "published", t.published_total, t.published_mfma,
                published);
    int of_f16 = 0;
    for (const std::string& name : kernels) {
        const kernel_isa k = codegen::read_kernel(file, name);
        const kernel_isa loop = k.hot_loop();
        const int ds = loop.count_prefix("ds_read_b128 ");
        const int vmem = loop.count_prefix("buffer_");
        const bool is_f16 = loop.count_prefix(std::string(t.mfma) + "_f16") > 0;
        const int total =
            loop.total() - std::min(loop.count_prefix("s_branch "), codegen::spare_instructions);
        const double share = mfma_share(total, loop.mfma(), t.passes);
        of_f16 += is_f16;
        std::printf("%-20s %5d %5d %4d %3d %4d %5d %6.3f %5d %5d\n",
                    (std::string(is_f16 ? "f16" : "bf16") + ", " + t.name).c_str(), loop.total(),
                    loop.mfma(), loop.valu(), ds, vmem,
                    loop.total() - loop.mfma() - loop.valu() - ds - vmem, share, k.vgprs, k.sgprs);

        EXPECT_EQ(loop.mfma(), 64);
        EXPECT_EQ(loop.count_prefix(t.mfma), 64);
        EXPECT_EQ(loop.valu(), 0);
        EXPECT_EQ(ds, 2 * t.steps * 6);
        EXPECT_EQ(loop.count_prefix("ds_"), ds);
        EXPECT_EQ(vmem, 2 * 2 * t.dmas);
        EXPECT_EQ(loop.count_prefix(t.load), vmem);
        EXPECT_EQ(loop.count_containing(" lds"), vmem);
        EXPECT_EQ(loop.count_prefix("global_") + loop.count_prefix("scratch_"), 0);
        EXPECT_LE(total - loop.mfma(), t.others);
        EXPECT_GE(share, t.share);

        // Two waves share a SIMD and its 512 registers.
        EXPECT_LE(k.vgprs, codegen::registers_at_most(t.vgprs));
        EXPECT_LE(k.sgprs, 102);
        EXPECT_EQ(k.scratch_bytes, 0);
        EXPECT_EQ(k.spilled_registers, 0);

        // At least as good as what was published.
        EXPECT_GE(share, published);
        EXPECT_LE(total, t.published_total);
        if (t.published_valu >= 0) {
            EXPECT_LE(loop.valu(), t.published_valu);
        }
    }
    EXPECT_EQ(of_f16, 6);
}

// Waits and barriers in this order and no others; above all no vmcnt(0).
TEST_P(gemm_fast_on, waits_are_counted) {
    const target t = GetParam();
    const std::string file =
        std::string(OPUS_ISA_DIRECTORY) + "/example_gemm_fast_" + t.name + ".s";
    std::vector<std::string> expected;
    for (int tile = 0; tile < 2; tile++) {
        for (int step = 0; step + 1 < t.steps; step++) {
            expected.insert(expected.end(), {"6 reads", "s_waitcnt lgkmcnt(0)"});
        }
        const std::string loads = std::to_string(t.dmas) + " loads";
        expected.insert(expected.end(),
                        {"s_barrier", loads, "s_waitcnt vmcnt(" + std::to_string(t.dmas) + ")",
                         "s_barrier", "6 reads", loads, "s_waitcnt lgkmcnt(0)"});
    }
    const std::vector<std::string> kernels = labels_with(file, "gemm_fast_kernelI");
    ASSERT_EQ(kernels.size(), 12u);
    for (const std::string& name : kernels) {
        std::vector<std::string> found;
        int reads = 0;
        int loads = 0;
        const auto end_run = [&](int& count, const char* what) {
            if (count > 0) {
                found.push_back(std::to_string(count) + what);
            }
            count = 0;
        };
        for (const std::string& i : codegen::read_kernel(file, name).hot_loop().instructions) {
            const bool is_read = i.rfind("ds_", 0) == 0;
            const bool is_load = i.rfind("buffer_", 0) == 0;
            const bool is_wait = i.rfind("s_waitcnt", 0) == 0 || i.rfind("s_barrier", 0) == 0;
            if (is_load || is_wait) {
                end_run(reads, " reads");
            }
            if (is_read || is_wait) {
                end_run(loads, " loads");
            }
            reads += is_read;
            loads += is_load;
            if (is_wait) {
                found.push_back(i);
            }
        }
        EXPECT_EQ(found, expected) << name;
    }
}

// What goes to memory stands among the matrix instructions, where there is time to issue it.
TEST_P(gemm_fast_on, memory_instructions_do_not_bunch) {
    const target t = GetParam();
    const std::string file =
        std::string(OPUS_ISA_DIRECTORY) + "/example_gemm_fast_" + t.name + ".s";
    const std::vector<std::string> kernels = labels_with(file, "gemm_fast_kernelI");
    ASSERT_EQ(kernels.size(), 12u);
    for (const std::string& name : kernels) {
        int run = 0;
        int longest = 0;
        for (const std::string& i : codegen::read_kernel(file, name).hot_loop().instructions) {
            run = i.rfind("v_mfma", 0) == 0 ? 0 : run;
            run += i.rfind("ds_", 0) == 0 || i.rfind("buffer_", 0) == 0;
            longest = std::max(longest, run);
        }
        EXPECT_LE(longest, t.run) << name;
    }
}

// == the other GEMMs ==============================================================================

// The kernels of one example on one target whose names contain `part`, and what their hot loops are
// at most. Where the loads of the next tile are behind a branch, they count as well.
struct gemm_loop {
    const char* example;
    const char* arch;
    const char* part;
    int kernels;       // so many have such a name
    const char* mfma;  // the one matrix instruction
    int mfmas;
    int valu;
    int ds_reads;
    int ds_writes;
    int vmem;
    int total;
    int vgprs;
};

const gemm_loop gemm_loops[] = {
    // 32 x 32 instructions along the K of a tile; all loads and stores are of 16 bytes. On gfx942
    // two kernels need many registers behind the loop, to round to bf16 without an instruction.
    {"block", "gfx942", "block_tileILi128ELi64EEELi8ELi", 12, "v_mfma_f32_32x32x8_", 32, 0, 16, 8,
     8, 82, 256},
    {"block", "gfx950", "block_tileILi128ELi64EEELi8ELi", 12, "v_mfma_f32_32x32x16_", 16, 0, 16, 8,
     8, 67, 138},
    {"block", "gfx942", "block_tileILi64ELi128EEELi8ELi", 12, "v_mfma_f32_32x32x8_", 16, 0, 16, 8,
     8, 68, 80},
    {"block", "gfx950", "block_tileILi64ELi128EEELi8ELi", 12, "v_mfma_f32_32x32x16_", 8, 0, 16, 8,
     8, 60, 80},
    // gemm_pipelined: two tiles of 256 x 256, on gfx950 32 instructions of 32 x 32 x 64 or as much
    // work. Scales are read, two at a time, and of mx shifted, by one instruction for each word. Six
    // registers of a 6-bit operand come in a read of four and one of two. Of the latter the compiler
    // joins 8 pairs and moves two registers of each.
    {"pipelined", "gfx950", "kernelIDB8_LN8examples7scalingE0E", 1, "v_mfma_f32_32x32x64_f8f6f4 ",
     32, 0, 48, 0, 16, 117, 206},
    {"pipelined", "gfx950", "kernelIDU8_LN8examples7scalingE0E", 1, "v_mfma_f32_32x32x64_f8f6f4 ",
     32, 0, 48, 0, 16, 117, 206},
    {"pipelined", "gfx950", "5fp6_tELN8examples7scalingE0E", 1, "v_mfma_f32_32x32x64_f8f6f4 ", 32,
     16, 40, 0, 16, 127, 216},
    {"pipelined", "gfx950", "5fp4_tELN8examples7scalingE0E", 1, "v_mfma_f32_32x32x64_f8f6f4 ", 64,
     0, 48, 0, 16, 149, 222},
    {"pipelined", "gfx950", "kernelIaLN8examples7scalingE0E", 1, "v_mfma_i32_32x32x32_i8 ", 64, 0,
     48, 0, 16, 149, 220},
    {"pipelined", "gfx950", "kernelIDB8_LN8examples7scalingE1E", 1,
     "v_mfma_scale_f32_32x32x64_f8f6f4 ", 32, 12, 54, 0, 18, 144, 224},
    {"pipelined", "gfx950", "5fp6_tELN8examples7scalingE1E", 1, "v_mfma_scale_f32_32x32x64_f8f6f4 ",
     32, 32, 46, 0, 18, 158, 236},
    {"pipelined", "gfx950", "5bf6_tELN8examples7scalingE1E", 1, "v_mfma_scale_f32_32x32x64_f8f6f4 ",
     32, 32, 46, 0, 18, 158, 236},
    {"pipelined", "gfx950", "5fp4_tELN8examples7scalingE1E", 1, "v_mfma_scale_f32_32x32x64_f8f6f4 ",
     64, 24, 60, 0, 20, 204, 256},
    {"pipelined", "gfx942", "kernelIDB8_LN8examples7scalingE0E", 1, "v_mfma_f32_32x32x16_fp8_fp8 ",
     64, 0, 24, 0, 32, 137, 220},
    {"pipelined", "gfx942", "kernelIaLN8examples7scalingE0E", 1, "v_mfma_i32_32x32x16_i8 ", 64, 0,
     24, 0, 32, 137, 220},
    // gemm_block_scale: 64 sums are scaled and added, two at a time, for each quarter of a tile, with
    // 8 products of scales for each tile. Six loads are of scales, for each tile on gfx950.
    {"block_scale", "gfx950", "kernelIDB8_", 1, "v_mfma_f32_32x32x64_f8f6f4 ", 32, 198, 48, 0, 28,
     387, 255},
    {"block_scale", "gfx950", "kernelIDU8_", 1, "v_mfma_f32_32x32x64_f8f6f4 ", 32, 198, 48, 0, 28,
     387, 255},
    {"block_scale", "gfx942", "kernelIDB8_", 1, "v_mfma_f32_32x32x16_fp8_fp8 ", 64, 175, 24, 0, 38,
     363, 224},
    {"block_scale", "gfx942", "kernelIDU8_", 1, "v_mfma_f32_32x32x16_bf8_bf8 ", 64, 175, 24, 0, 38,
     363, 224},
};

void PrintTo(const gemm_loop& l, std::ostream* out) {
    *out << l.example << " " << l.arch << " " << l.part;
}

class gemm_hot_loop : public testing::TestWithParam<gemm_loop> {};
INSTANTIATE_TEST_SUITE_P(examples, gemm_hot_loop, testing::ValuesIn(gemm_loops));

TEST_P(gemm_hot_loop, has_nothing_that_it_does_not_need) {
    const gemm_loop l = GetParam();
    const std::string file =
        std::string(OPUS_ISA_DIRECTORY) + "/example_gemm_" + l.example + "_" + l.arch + ".s";
    const std::vector<std::string> kernels = labels_with(file, l.part);
    EXPECT_EQ(kernels.size(), static_cast<std::size_t>(l.kernels));
    for (const std::string& name : kernels) {
        SCOPED_TRACE(name);
        const kernel_isa k = codegen::read_kernel(file, name);
        const kernel_isa loop = k.hot_loop();
        const int reads = loop.count_prefix("ds_read_b128 ") + loop.count_prefix("ds_read_b96 ") +
                          loop.count_prefix("ds_read_b64 ") +
                          loop.count_prefix("ds_read2st64_b64 ") +
                          loop.count_prefix("ds_read2st64_b32 ");
        const int writes = loop.count_prefix("ds_write_b128 ");
        const int vmem = loop.count_prefix("buffer_load");
        std::printf(
            "%-6s %-7s total %4d MFMA %3d VALU %3d reads %3d writes %3d VMEM %3d VGPR %4d "
            "SGPR %4d\n",
            l.example, l.arch, loop.total(), loop.mfma(), loop.valu(), reads, writes, vmem, k.vgprs,
            k.sgprs);
        EXPECT_EQ(loop.mfma(), l.mfmas);
        EXPECT_EQ(loop.count_prefix(l.mfma), l.mfmas);
        EXPECT_LE(loop.valu(), l.valu == 0 ? 0 : codegen::at_most(l.valu));
        EXPECT_EQ(reads, l.ds_reads);
        EXPECT_EQ(writes, l.ds_writes);
        EXPECT_EQ(loop.count_prefix("ds_"), reads + writes);
        EXPECT_EQ(vmem, l.vmem);
        EXPECT_EQ(loop.count_prefix("buffer_"), vmem);
        EXPECT_EQ(loop.count_prefix("global_") + loop.count_prefix("scratch_") +
                      loop.count_prefix("flat_"),
                  0);
        EXPECT_LE(loop.total(),
                  l.valu == 0 ? l.total + codegen::spare_instructions : codegen::at_most(l.total));
        EXPECT_LE(k.vgprs, codegen::registers_at_most(l.vgprs));
        EXPECT_EQ(k.scratch_bytes, 0);
        EXPECT_EQ(k.spilled_registers, 0);
    }
}

// == kernels of rows ==============================================================================

// The instructions of the loop with this header.
kernel_isa loop_of(const kernel_isa& kernel, const std::string& header) {
    kernel_isa loop;
    for (size_t i = 0; i < kernel.instructions.size(); i++) {
        if (kernel.loops[i] == header) {
            loop.instructions.push_back(kernel.instructions[i]);
        }
    }
    return loop;
}

struct rmsnorm_row {
    // A part of its name: norm (0: rms, 1: layer), types, threads, elements of a thread, of an access.
    const char* kernel;
    const char* load;
    int accesses;     // to bring a row
    int valu_gfx942;  // at most, as the rest
    int valu_gfx950;
    int others;  // neither VALU nor memory
    int vgprs;
};

const rmsnorm_row rmsnorm_rows[] = {
    {"normE0EDF16bDB8_Li64ELi8ELi8EE", "buffer_load_dwordx4 ", 1, 197, 141, 60, 56},
    {"normE0EDF16bDB8_Li256ELi16ELi8EE", "buffer_load_dwordx4 ", 2, 335, 225, 63, 89},
    {"normE0EDhDB8_Li256ELi16ELi8EE", "buffer_load_dwordx4 ", 2, 241, 225, 62, 74},
    {"normE0EDhaLi1024ELi16ELi8EE", "buffer_load_dwordx4 ", 2, 309, 276, 67, 74},
    {"normE0EDhDB8_Li1024ELi16ELi1EE", "buffer_load_ushort ", 16, 265, 265, 77, 92},
    {"normE1EDF16bDB8_Li64ELi8ELi8EE", "buffer_load_dwordx4 ", 1, 213, 157, 80, 55},
    {"normE1EDF16bDB8_Li256ELi16ELi8EE", "buffer_load_dwordx4 ", 2, 378, 266, 91, 120},
    {"normE1EDhDB8_Li256ELi16ELi8EE", "buffer_load_dwordx4 ", 2, 282, 266, 91, 92},
    {"normE1EDhaLi1024ELi16ELi8EE", "buffer_load_dwordx4 ", 2, 362, 330, 99, 92},
    {"normE1EDhDB8_Li1024ELi16ELi1EE", "buffer_load_ushort ", 16, 320, 320, 115, 112},
};

// The loop over rows: it loads the next row of a and r, stores the sum and the codes, and has a
// barrier for each reduction of a group, one or three; weights and bias are loaded before it. No wait
// in it is for all loads.
TEST(rmsnorm_quant, hot_loops_bring_the_next_row) {
    for (const char* arch : {"gfx942", "gfx950"}) {
        const std::string file =
            std::string(OPUS_ISA_DIRECTORY) + "/example_rmsnorm_quant_" + arch + ".s";
        for (const rmsnorm_row& row : rmsnorm_rows) {
            SCOPED_TRACE(std::string(row.kernel) + ", " + arch);
            const kernel_isa k = kernel_with(file, row.kernel);
            const kernel_isa loop = k.hot_loop();
            const int memory = loop.count_prefix("buffer_") + loop.count_prefix("ds_") +
                               loop.count_prefix("global_store_dword ");
            const int others = loop.total() - loop.valu() - memory;
            std::printf("%-48s %s total %4d VALU %4d others %3d VGPR %3d\n", row.kernel, arch,
                        loop.total(), loop.valu(), others, k.vgprs);
            EXPECT_EQ(loop.count_prefix(row.load), 2 * row.accesses);
            EXPECT_EQ(loop.count_prefix("buffer_load"), 2 * row.accesses);
            EXPECT_EQ(loop.count_prefix("buffer_store"), 2 * row.accesses);
            EXPECT_EQ(loop.count_prefix("global_"), 1);  // the scale
            const std::string name = row.kernel;
            const int reductions = name.find("normE0") == 0 ? 1 : 3;
            EXPECT_EQ(loop.count_prefix("s_barrier"),
                      name.find("Li64E") == std::string::npos ? reductions : 0);
            EXPECT_EQ(loop.count_containing("vmcnt(0)"), 0);
            EXPECT_LE(loop.valu(),
                      codegen::at_most(std::string(arch) == "gfx942" ? row.valu_gfx942
                                                                     : row.valu_gfx950));
            EXPECT_LE(others, codegen::at_most(row.others));
            EXPECT_LE(k.vgprs, codegen::registers_at_most(row.vgprs));
        }
    }
}

// Of a kernel that holds rows: four waves on a SIMD, nothing in memory, buffers in scalar registers
// (else each access would be a loop), as the results of its sums.
void expect_registers_do(const kernel_isa& k, int sums = 2) {
    EXPECT_EQ(k.scratch_bytes, 0);
    EXPECT_EQ(k.spilled_registers, 0);
    EXPECT_EQ(k.count_prefix("scratch_"), 0);
    EXPECT_LE(k.count_prefix("v_readfirstlane"), sums);
    EXPECT_LE(k.vgprs, 128);
}

TEST(rmsnorm_quant, no_kernel_spills) {
    for (const char* arch : {"gfx942", "gfx950"}) {
        const std::string file =
            std::string(OPUS_ISA_DIRECTORY) + "/example_rmsnorm_quant_" + arch + ".s";
        const std::vector<std::string> kernels = labels_with(file, "rmsnorm_quant_kernelI");
        EXPECT_EQ(kernels.size(), 40u);  // 5 for each norm and each of 2 types of a and of codes
        for (const std::string& name : kernels) {
            SCOPED_TRACE(name);
            const bool is_layer = name.find("normE1") != std::string::npos;
            expect_registers_do(codegen::read_kernel(file, name), is_layer ? 3 : 2);
        }
    }
}

struct softmax_row {
    const char* kernel;  // a part of its name: type, threads, elements of a thread and of an access
    int items;
    int accesses;  // loads, and as many stores
    const char* load;
    int valu_gfx942;  // at most, as the rest
    int valu_gfx950;
    int vgprs;
};

const softmax_row softmax_rows[] = {
    {"softmax_kernelIfLi64ELi16ELi4EE", 16, 4, "buffer_load_dwordx4 ", 131, 131, 25},
    {"softmax_kernelIfLi1024ELi64ELi4EE", 64, 16, "buffer_load_dwordx4 ", 452, 452, 92},
    {"softmax_kernelIDhLi1024ELi64ELi8EE", 64, 8, "buffer_load_dwordx4 ", 612, 548, 88},
    {"softmax_kernelIDF16bLi1024ELi64ELi8EE", 64, 8, "buffer_load_dwordx4 ", 677, 548, 88},
    {"softmax_kernelIDF16bLi1024ELi64ELi1EE", 64, 64, "buffer_load_ushort ", 707, 579, 88},
};

// A row is in registers: each element is loaded once, is the argument of one exp, and is stored.
TEST(softmax, one_pass_kernels_hold_a_row_in_registers) {
    for (const char* arch : {"gfx942", "gfx950"}) {
        const std::string file =
            std::string(OPUS_ISA_DIRECTORY) + "/example_softmax_" + arch + ".s";
        for (const softmax_row& row : softmax_rows) {
            SCOPED_TRACE(std::string(row.kernel) + ", " + arch);
            const kernel_isa k = kernel_with(file, row.kernel);
            std::printf("%-40s %s total %4d VALU %4d VGPR %3d\n", row.kernel, arch, k.total(),
                        k.valu(), k.vgprs);
            EXPECT_TRUE(k.inner_loops.empty());
            EXPECT_EQ(k.count_prefix(row.load), row.accesses);
            EXPECT_EQ(k.count_prefix("buffer_load"), row.accesses);
            EXPECT_EQ(k.count_prefix("buffer_store"), row.accesses);
            EXPECT_EQ(k.count_prefix("v_exp_f32"), row.items);
            EXPECT_LE(k.valu(), codegen::at_most(std::string(arch) == "gfx942" ? row.valu_gfx942
                                                                               : row.valu_gfx950));
            EXPECT_LE(k.vgprs, codegen::at_most(row.vgprs));
        }
    }
}

struct softmax_loops {
    const char* kernel;
    int accesses;
    int first_valu;  // of the pass that reads alone, on both targets
    int second_valu_gfx942;
    int second_valu_gfx950;
    int total;  // of either loop
};

const softmax_loops online_rows[] = {
    {"softmax_online_kernelIfLi1024ELi16ELi4EE", 4, 98, 83, 83, 121},
    {"softmax_online_kernelIDhLi1024ELi16ELi8EE", 2, 114, 124, 108, 147},
    {"softmax_online_kernelIDF16bLi1024ELi16ELi8EE", 2, 114, 140, 108, 163},
};

// 16 elements of a thread: in the first loop 17 exp, as the sum so far is scaled by one.
TEST(softmax, hot_loops_of_two_passes) {
    for (const char* arch : {"gfx942", "gfx950"}) {
        const std::string file =
            std::string(OPUS_ISA_DIRECTORY) + "/example_softmax_" + arch + ".s";
        for (const softmax_loops& row : online_rows) {
            SCOPED_TRACE(std::string(row.kernel) + ", " + arch);
            const kernel_isa k = kernel_with(file, row.kernel);
            ASSERT_EQ(k.inner_loops.size(), 2u);
            const kernel_isa first = loop_of(k, k.inner_loops[0]);
            const kernel_isa second = loop_of(k, k.inner_loops[1]);
            std::printf("%-46s %s total %4d %4d VALU %4d %4d VGPR %3d\n", row.kernel, arch,
                        first.total(), second.total(), first.valu(), second.valu(), k.vgprs);
            for (const kernel_isa& loop : {first, second}) {
                EXPECT_EQ(loop.count_prefix("buffer_load_dwordx4 "), row.accesses);
                EXPECT_EQ(loop.count_prefix("buffer_load"), row.accesses);
                EXPECT_LE(loop.total(), row.total + codegen::spare_instructions);
                EXPECT_EQ(loop.count_prefix("ds_") + loop.count_prefix("s_barrier"), 0);
            }
            EXPECT_EQ(first.count_prefix("buffer_store"), 0);
            EXPECT_EQ(second.count_prefix("buffer_store_dwordx4 "), row.accesses);
            EXPECT_EQ(first.count_prefix("v_exp_f32"), 17);
            EXPECT_EQ(second.count_prefix("v_exp_f32"), 16);
            EXPECT_LE(first.valu(), row.first_valu + codegen::spare_instructions);
            EXPECT_LE(second.valu(), (std::string(arch) == "gfx942" ? row.second_valu_gfx942
                                                                    : row.second_valu_gfx950) +
                                         codegen::spare_instructions);
        }
    }
}

TEST(softmax, no_kernel_spills) {
    for (const char* arch : {"gfx942", "gfx950"}) {
        const std::string file =
            std::string(OPUS_ISA_DIRECTORY) + "/example_softmax_" + arch + ".s";
        const std::vector<std::string> kernels = labels_with(file, "_kernelI");
        EXPECT_EQ(kernels.size(), 21u);  // 5 for each type, 3 more for f16 and bf16
        for (const std::string& name : kernels) {
            SCOPED_TRACE(name);
            expect_registers_do(codegen::read_kernel(file, name));
        }
    }
}

// == topk_gate ====================================================================================

// Each round chooses one expert: the largest of a lane's registers, of the wave, and the register
// and the lane that have it. The search ends at that register, so a round executes fewer
// instructions than the loop has. There is no LDS, and but for the rounds no loop. (The same branches
// take clang 23 up to half as many instructions again, scalar ones nearly all.)
TEST(topk_gate, a_round_for_each_expert) {
    struct round {
        const char* name;  // part of the kernel's
        int items;         // of a lane
        int instructions;
        int valu;
    };
    const round rounds[] = {{"Li1ELb0E", 1, 31, 18},
                            {"Li2ELb0E", 2, 46, 24},
                            {"Li4ELb0E", 4, 66, 31},
                            {"Li8ELb0E", 8, 111, 49}};
    for (const char* arch : {"gfx942", "gfx950"}) {
        const std::string file =
            std::string(OPUS_ISA_DIRECTORY) + "/example_topk_gate_" + arch + ".s";
        int found = 0;
        int sorting = 0;
        for (const std::string& name : labels_with(file, "topk_gate_kernelI")) {
            const kernel_isa k = codegen::read_kernel(file, name);
            if (name.find("Lb1E") != std::string::npos) {  // sorts
                SCOPED_TRACE(std::string(arch) + " " + name);
                sorting++;
                EXPECT_EQ(k.inner_loops.size(), 0u);
                EXPECT_EQ(k.scratch_bytes, 0);
                EXPECT_LE(k.vgprs, 32);
                if (std::string(arch) == "gfx950") {
                    EXPECT_EQ(k.count_prefix("ds_"), 0);
                }
            }
            for (const round& r : rounds) {
                if (name.find(r.name) == std::string::npos) {
                    continue;
                }
                SCOPED_TRACE(std::string(arch) + " " + name);
                found++;
                ASSERT_EQ(k.inner_loops.size(), 1u);
                EXPECT_GE(k.hot_loop().count_prefix("s_cbranch_"), r.items);
                if (codegen::is_pinned_compiler) {
                    EXPECT_LE(k.hot_loop().total(), r.instructions);
                    EXPECT_LE(k.hot_loop().valu(), r.valu);
                }
                EXPECT_EQ(k.count_prefix("ds_"), 0);
                EXPECT_EQ(k.scratch_bytes, 0);
                EXPECT_LE(k.vgprs, 32);
            }
        }
        EXPECT_EQ(found, 12);   // for each of three types
        EXPECT_EQ(sorting, 8);  // for each of two
    }
}

// == gemm_skinny ==================================================================================

// Its inner loop with the most matrix instructions.
kernel_isa busiest_loop(const kernel_isa& kernel) {
    kernel_isa best;
    for (const std::string& header : kernel.inner_loops) {
        kernel_isa loop;
        for (size_t i = 0; i < kernel.instructions.size(); i++) {
            if (kernel.loops[i] == header) {
                loop.instructions.push_back(kernel.instructions[i]);
            }
        }
        if (loop.mfma() > best.mfma()) {
            best = loop;
        }
    }
    return best;
}

struct skinny_loop {
    const char* kernel;  // a part of its name: type, whole vectors, tiles
    int mfma_gfx942;
    int mfma_gfx950;
    int loads;   // of 16 bytes for each lane, of X and of Y
    int lds;     // reads and writes
    int valu;    // at most, as the rest
    int others;  // that are no matrix instructions
    int vgprs;
};

// Steps of 32 (f16), 16 (f32) or 8 (f64) along K, of 1 to 4 instructions, times the tiles of D.
// Each load has its address, and whether it is beyond the end of the row.
const skinny_loop skinny_loops[] = {
    {"cache_persistent_kernelIDhLb1ELi1ELi1EE", 4 * 2, 4, 4 + 1, 4 + 1, 20, 51, 36},
    {"cache_persistent_kernelIDhLb1ELi1ELi4EE", 4 * 4 * 2, 4 * 4, 16 + 1, 4 + 1, 44, 92, 100},
    {"cache_persistent_kernelIDhLb1ELi4ELi10EE", 40 * 2, 40, 10 + 1, 4 + 1, 26, 71, 226},
    {"cache_persistent_kernelIDF16bLb1ELi4ELi10EE", 40 * 2, 40, 10 + 1, 4 + 1, 26, 71, 226},
    {"cache_persistent_kernelIfLb1ELi4ELi10EE", 40 * 4, 40 * 4, 10 + 1, 4 + 1, 26, 71, 226},
    {"cache_persistent_kernelIdLb1ELi3ELi8EE", 24 * 2, 24 * 2, 8 + 1, 3 + 1, 22, 64, 252},
    {"wave_parallel_kernelIDhLb1ELi4EE", 4 * 4 * 2, 4 * 4, 16 + 4, 0, 44, 78, 108},
    {"wave_parallel_kernelIDhLb1ELi20EE", 20 * 2, 20, 20 + 1, 0, 62, 107, 192},
    {"wave_parallel_kernelIfLb1ELi20EE", 20 * 4, 20 * 4, 20 + 1, 0, 62, 107, 194},
    {"wave_parallel_kernelIdLb1ELi12EE", 12 * 2, 12 * 2, 12 + 1, 0, 38, 67, 170},
};

TEST(gemm_skinny, hot_loops_load_16_bytes_at_a_time) {
    for (const char* arch : {"gfx942", "gfx950"}) {
        const std::string file =
            std::string(OPUS_ISA_DIRECTORY) + "/example_gemm_skinny_" + arch + ".s";
        for (const skinny_loop& row : skinny_loops) {
            SCOPED_TRACE(std::string(row.kernel) + ", " + arch);
            const kernel_isa kernel = kernel_with(file, row.kernel);
            const kernel_isa loop = busiest_loop(kernel);
            EXPECT_EQ(loop.mfma(),
                      std::string(arch) == "gfx942" ? row.mfma_gfx942 : row.mfma_gfx950);
            EXPECT_EQ(loop.count_prefix("buffer_load_dwordx4 "), row.loads);
            EXPECT_EQ(loop.count_prefix("buffer_"), row.loads);
            EXPECT_EQ(loop.count_prefix("ds_"), row.lds);
            EXPECT_LE(loop.valu(), row.valu + codegen::spare_instructions);
            EXPECT_LE(loop.total() - loop.mfma(), row.others + codegen::spare_instructions);
            EXPECT_LE(kernel.vgprs, row.vgprs + codegen::spare_registers);
            EXPECT_EQ(loop.count_prefix("global_") + loop.count_prefix("scratch_"), 0);
            // Buffers are in scalar registers, else each load would be a loop with four of these.
            EXPECT_EQ(loop.count_prefix("v_readfirstlane"), 0);
            std::printf("%-42s %s %4d %4d MFMA %3d VALU %2d LDS %2d loads %4d VGPRs\n", row.kernel,
                        arch, loop.total(), loop.mfma(), loop.valu(), loop.count_prefix("ds_"),
                        row.loads, kernel.vgprs);
        }
    }
}

TEST(gemm_skinny, no_kernel_spills) {
    for (const char* arch : {"gfx942", "gfx950"}) {
        const std::string file =
            std::string(OPUS_ISA_DIRECTORY) + "/example_gemm_skinny_" + arch + ".s";
        const std::vector<std::string> kernels = labels_with(file, "_kernelI");
        EXPECT_EQ(kernels.size(), 56u);  // 7 for each of 4 types, with whole vectors and without
        for (const std::string& name : kernels) {
            const kernel_isa k = codegen::read_kernel(file, name);
            EXPECT_EQ(k.scratch_bytes, 0) << name;
            EXPECT_EQ(k.spilled_registers, 0) << name;
            EXPECT_LE(k.vgprs, 256) << name;
        }
    }
}

// == attention ====================================================================================

// Two tiles of 64 keys, of 32 with d = 192 on gfx942. `total` and `valu` are with the code that raises the reference m, 52 and 48
// instructions for each tile, which few tiles execute (test_profiles.cpp counts what they do).
struct attention_loop {
    const char* arch;
    const char* part;  // of the kernel's name
    const char* mfma;
    int mfmas;
    int ds_reads_k;
    const char* read_v;
    int ds_reads_v;
    int vmem;
    int valu;  // at most, as the rest
    int nops;
    int total;
    int vgprs;
};

// bf16 without an instruction for it, on gfx942, takes more of the VALU than f16.
const attention_loop attention_loops[] = {
    {"gfx942", "Li64ELi64E", "f16", 64, 16, "ds_read2_b32 ", 32, 16, 410, 11, 585, 170},
    {"gfx942", "Li64ELi64E", "bf16", 64, 16, "ds_read2_b32 ", 32, 16, 472, 17, 653, 174},
    {"gfx942", "Li128ELi128E", "f16", 128, 32, "ds_read2_b64 ", 32, 32, 521, 41, 826, 230},
    {"gfx942", "Li128ELi128E", "bf16", 128, 32, "ds_read2_b64 ", 32, 32, 590, 31, 885, 232},
    {"gfx942", "Li192ELi128E", "f16", 80, 24, "ds_read2_b64 ", 16, 20, 311, 27, 527, 192},
    {"gfx942", "Li192ELi128E", "bf16", 80, 24, "ds_read2_b64 ", 16, 20, 346, 11, 546, 191},
    {"gfx950", "Li64ELi64E", "f16", 32, 16, "ds_read_b64_tr_b16 ", 32, 4, 274, 7, 397, 162},
    {"gfx950", "Li64ELi64E", "bf16", 32, 16, "ds_read_b64_tr_b16 ", 32, 4, 274, 7, 397, 162},
    {"gfx950", "Li128ELi128E", "f16", 64, 32, "ds_read_b64_tr_b16 ", 64, 8, 323, 11, 538, 228},
    {"gfx950", "Li128ELi128E", "bf16", 64, 32, "ds_read_b64_tr_b16 ", 64, 8, 323, 11, 538, 228},
    {"gfx950", "Li192ELi128E", "f16", 80, 48, "ds_read_b64_tr_b16 ", 64, 10, 337, 14, 602, 246},
    {"gfx950", "Li192ELi128E", "bf16", 80, 48, "ds_read_b64_tr_b16 ", 64, 10, 337, 14, 602, 246},
};

// The loop over the tiles that need no mask is the shorter one.
kernel_isa shortest_loop(const kernel_isa& kernel) {
    kernel_isa best;
    for (const std::string& header : kernel.inner_loops) {
        kernel_isa loop;
        for (size_t i = 0; i < kernel.instructions.size(); i++) {
            if (kernel.loops[i] == header) {
                loop.instructions.push_back(kernel.instructions[i]);
            }
        }
        if (best.total() == 0 || loop.total() < best.total()) {
            best = loop;
        }
    }
    return best;
}

TEST(attention, hot_loops_are_matrix_instructions_and_few_others) {
    for (const attention_loop& row : attention_loops) {
        SCOPED_TRACE(std::string(row.arch) + " " + row.part + " " + row.mfma);
        const std::string file =
            std::string(OPUS_ISA_DIRECTORY) + "/example_attention_" + row.arch + ".s";
        int found = 0;
        for (const std::string& name : labels_with(file, std::string("attention_kernelI"))) {
            const bool is_bf16 = name.find("attention_kernelIDF16b") != std::string::npos;
            if (name.find(row.part) == std::string::npos || is_bf16 != (row.mfma[0] == 'b')) {
                continue;
            }
            ++found;
            const kernel_isa k = codegen::read_kernel(file, name);
            EXPECT_EQ(k.inner_loops.size(), 2u);
            const kernel_isa loop = shortest_loop(k);
            std::printf(
                "attention %-7s %-6s %-4s total %4d MFMA %3d VALU %3d LDS %3d VMEM %2d nops %2d "
                "VGPR %4d\n",
                row.arch, row.part, row.mfma, loop.total(), loop.mfma(), loop.valu(),
                loop.count_prefix("ds_"), loop.count_prefix("buffer_load"),
                loop.count_prefix("s_nop"), k.vgprs);
            EXPECT_EQ(loop.mfma(), row.mfmas);
            EXPECT_EQ(
                loop.count_containing(std::string(row.arch[4] == '4' ? "x8_" : "x16_") + row.mfma),
                row.mfmas);
            EXPECT_EQ(loop.count_prefix("ds_read_b128 "), row.ds_reads_k);
            EXPECT_EQ(loop.count_prefix(row.read_v), row.ds_reads_v);
            // On gfx942 the lanes of a row ask each other through LDS where m is raised.
            EXPECT_EQ(loop.count_prefix("ds_") - loop.count_prefix("ds_bpermute_b32 "),
                      row.ds_reads_k + row.ds_reads_v);
            EXPECT_EQ(loop.count_prefix("buffer_load_dword"), row.vmem);
            EXPECT_EQ(loop.count_prefix("buffer_"), row.vmem);
            EXPECT_EQ(loop.count_prefix("global_") + loop.count_prefix("scratch_") +
                          loop.count_prefix("flat_"),
                      0);
            EXPECT_EQ(loop.count_prefix("s_barrier"), 2);
            EXPECT_LE(loop.valu(), codegen::at_most(row.valu));
            EXPECT_LE(loop.count_prefix("s_nop"), codegen::at_most(row.nops));
            EXPECT_LE(loop.total(), codegen::at_most(row.total));
            EXPECT_LE(k.vgprs, row.vgprs + codegen::spare_registers);
            EXPECT_LE(k.vgprs, 256);  // two waves for each SIMD
            EXPECT_EQ(k.scratch_bytes, 0);
            EXPECT_EQ(k.spilled_registers, 0);
        }
        EXPECT_EQ(found, 1);
    }
}

// Published for 64 matrix instructions of 16 x 16 x 32, or as much work, on gfx950, not causal: 491
// and 530 instructions, 278 and 283 of the VALU. That is one tile of d 128.
TEST(attention, hot_loop_is_shorter_than_published_ones) {
    const std::string file = std::string(OPUS_ISA_DIRECTORY) + "/example_attention_gfx950.s";
    const std::vector<std::string> names = labels_with(file, "Li128ELi128E");
    EXPECT_EQ(names.size(), 2u);
    for (const std::string& name : names) {
        const kernel_isa loop = shortest_loop(codegen::read_kernel(file, name));
        EXPECT_EQ(loop.count_prefix("v_mfma_f32_32x32x16_"), 64);
        EXPECT_LT(loop.total(), 2 * 320);
        EXPECT_LT(loop.valu(), 2 * 170);
    }
}

// == transpose_load ===============================================================================

// The instructions that the example counts: for 8 matrix instructions, which make one tile. (The
// compiler may have two copies of the loop's body.)
TEST(transpose_load, lds_instructions_are_those_that_it_counts) {
    struct {
        const char* orders;  // in memory, in LDS; 0: rows, 1: columns
        const char* write;
        int writes;
        const char* read;
        int reads;
        bool on_gfx942;
    } const rows[] = {
        {"LNS_5orderE0ELS1_0EE", "ds_write2_b64 ", 4, "ds_read2_b64 ", 4, true},
        {"LNS_5orderE1ELS1_0EE", "ds_write_b8", 64, "ds_read2_b64 ", 4, true},
        {"LNS_5orderE0ELS1_1EE", "ds_write_b8", 64, "ds_read_b64_tr_b8 ", 8, false},
        {"LNS_5orderE1ELS1_1EE", "ds_write2st64_b64 ", 4, "ds_read_b64_tr_b8 ", 8, false}};
    for (const char* arch : {"gfx942", "gfx950"}) {
        const std::string file =
            std::string(OPUS_ISA_DIRECTORY) + "/example_transpose_load_" + arch + ".s";
        for (const auto& row : rows) {
            if (std::string(arch) == "gfx942" && !row.on_gfx942) {
                continue;
            }
            SCOPED_TRACE(std::string(row.orders) + ", " + arch);
            const std::vector<std::string> names =
                labels_with(file, std::string("transpose_load_kernelI") + row.orders);
            ASSERT_EQ(names.size(), 1u);
            const kernel_isa k = codegen::read_kernel(file, names[0]);
            const int tiles = k.mfma() / 8;
            ASSERT_GE(tiles, 1);
            EXPECT_EQ(k.mfma(), tiles * 8);
            EXPECT_EQ(k.count_prefix(row.write), tiles * row.writes);
            EXPECT_EQ(k.count_prefix(row.read), tiles * row.reads);
            EXPECT_EQ(k.count_prefix("ds_"), tiles * (row.writes + row.reads));
            EXPECT_EQ(k.scratch_bytes, 0);
            EXPECT_EQ(k.spilled_registers, 0);
        }
    }
}

// == weights of 4 bits, and experts ===============================================================

// Two rounds, in each of which a wave takes tiles * steps times 16 rows and 128 codes, that is 1 KiB.
struct gemv_row {
    const char* kernel;  // a part of its name: int4 or mxfp4, tiles, steps
    int items;           // in the loop
    int mfma_gfx942;
    int mfma_gfx950;
    int valu_gfx942;  // at most, as the rest
    int valu_gfx950;
    int total_gfx942;
    int total_gfx950;
    int vgprs;
};

const gemv_row gemv_rows[] = {
    {"weightsE0ELi1ELi4EE", 8, 128, 64, 369, 368, 695, 641, 128},
    {"weightsE0ELi4ELi1EE", 8, 80, 40, 328, 330, 543, 501, 128},
    {"weightsE0ELi12ELi1EE", 24, 208, 104, 938, 941, 1419, 1306, 229},
    {"weightsE1ELi1ELi4EE", 8, 64, 32, 598, 198, 863, 428, 128},
    {"weightsE1ELi4ELi1EE", 8, 64, 32, 562, 173, 742, 326, 128},
    {"weightsE1ELi12ELi1EE", 24, 192, 96, 1634, 477, 2046, 792, 219},
};

// Each code is loaded once, 16 bytes a lane; a word for 128 of them by a lane of four.
TEST(gemv_w4, hot_loops_decode_in_few_instructions) {
    for (const char* arch : {"gfx942", "gfx950"}) {
        const bool is_gfx942 = std::string(arch) == "gfx942";
        const std::string file =
            std::string(OPUS_ISA_DIRECTORY) + "/example_gemv_w4_" + arch + ".s";
        for (const gemv_row& row : gemv_rows) {
            SCOPED_TRACE(std::string(row.kernel) + ", " + arch);
            const kernel_isa k = kernel_with(file, row.kernel);
            const kernel_isa loop = k.hot_loop();
            const bool is_mxfp4 = std::string(row.kernel).find("E1E") != std::string::npos;
            std::printf("gemv_w4 %-20s %s total %4d MFMA %3d VALU %4d VGPR %3d\n", row.kernel, arch,
                        loop.total(), loop.mfma(), loop.valu(), k.vgprs);
            EXPECT_EQ(loop.mfma(), is_gfx942 ? row.mfma_gfx942 : row.mfma_gfx950);
            EXPECT_EQ(loop.count_prefix("ds_bpermute_b32 "), row.items);
            EXPECT_EQ(loop.count_prefix("s_barrier"), 2);
            EXPECT_EQ(loop.count_prefix("v_readfirstlane"), 0);
            EXPECT_EQ(loop.count_prefix("global_") + loop.count_prefix("scratch_"), 0);
            if (is_mxfp4) {
                EXPECT_EQ(loop.count_prefix("v_cvt_scalef32_pk_bf16_fp4 "),
                          is_gfx942 ? 0 : 16 * row.items);
            } else {
                EXPECT_EQ(loop.count_prefix("v_and_or_b32 "), 16 * row.items);
            }
            EXPECT_LE(loop.valu(), codegen::at_most(is_gfx942 ? row.valu_gfx942 : row.valu_gfx950));
            EXPECT_LE(loop.total(),
                      codegen::at_most(is_gfx942 ? row.total_gfx942 : row.total_gfx950));
            EXPECT_LE(k.vgprs, codegen::registers_at_most(row.vgprs));
            EXPECT_EQ(k.scratch_bytes, 0);
            EXPECT_EQ(k.spilled_registers, 0);
        }
    }
}

// The loop over K of all four kernels: types, with and without gate.
TEST(moe_gemm, hot_loops_have_no_valu) {
    for (const char* arch : {"gfx942", "gfx950"}) {
        const bool is_gfx942 = std::string(arch) == "gfx942";
        const std::string file =
            std::string(OPUS_ISA_DIRECTORY) + "/example_moe_gemm_" + arch + ".s";
        const std::vector<std::string> kernels = labels_with(file, "moe_gemm_kernelI");
        EXPECT_EQ(kernels.size(), 4u);
        for (const std::string& name : kernels) {
            SCOPED_TRACE(name + ", " + arch);
            const kernel_isa k = codegen::read_kernel(file, name);
            const kernel_isa loop = k.hot_loop();
            const bool is_fp8 = name.find("kernelIDB8_") != std::string::npos;
            std::printf("moe_gemm %-4s %s total %4d MFMA %3d VALU %d VGPR %3d SGPR %3d\n",
                        is_fp8 ? "fp8" : "bf16", arch, loop.total(), loop.mfma(), loop.valu(),
                        k.vgprs, k.sgprs);
            EXPECT_EQ(loop.mfma(), is_gfx942 ? 32 : is_fp8 ? 8 : 16);
            EXPECT_EQ(loop.valu(), 0);
            EXPECT_EQ(loop.count_prefix("ds_read_b128 "), 16);
            EXPECT_EQ(loop.count_prefix("ds_write_b128 "), 8);
            EXPECT_EQ(loop.count_prefix("ds_"), 24);
            EXPECT_EQ(loop.count_prefix("buffer_load_dwordx4 "), 8);
            EXPECT_EQ(loop.count_prefix("buffer_"), 8);
            EXPECT_EQ(loop.count_prefix("s_barrier"), 2);
            EXPECT_LE(loop.total(), (is_gfx942 ? 81
                                     : is_fp8  ? 52
                                               : 65) +
                                        codegen::spare_instructions);
            EXPECT_LE(k.vgprs, 256);  // two groups on a compute unit
            EXPECT_EQ(k.scratch_bytes, 0);
            EXPECT_EQ(k.spilled_registers, 0);
        }
    }
}

}  // namespace
