// What the flags of libraries change in kernels: nothing that matters. Each kernel of flags.hip has
// with each flag no more registers, spilled registers and scratch than without, and its matrix
// instructions between the same barriers.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "isa.hpp"

namespace {

using codegen::kernel_isa;
using codegen::kernel_with;

struct flag {
    const char* name;  // of the assembly
    const char* options;
};

const flag flags[] = {
    {"early_inline", "-mllvm -amdgpu-early-inline-all=true"},
    {"no_calls", "-mllvm -amdgpu-function-calls=false"},
    {"early_inline_no_calls",
     "-mllvm -amdgpu-early-inline-all=true -mllvm -amdgpu-function-calls=false"},
    {"lsr_drop", "-mllvm --lsr-drop-solution=1"},
    {"post_misched", "-mllvm -enable-post-misched=1"},
    {"no_post_misched", "-mllvm -enable-post-misched=0"},
#if OPUS_TEST_COERCES
    {"coerce", "-mllvm -amdgpu-coerce-illegal-types=1"},
#endif
    {"flush_denormals", "-fgpu-flush-denormals-to-zero"},
    {"cxx20", "-std=c++20"},
};

struct kernel {
    const char* name;
    const char* label;  // a part of it
    bool multiplies;
};

const kernel kernels[] = {
    {"gemm_of_one_wave", "gemm_of_one_wave:", true},
    {"gemm", "gemm:", true},
    {"phases", "phases:", true},
    {"gemm_skinny", "shallow_k_kernel", true},
    {"moe_gemm", "moe_gemm_kernel", true},
    {"topk_gate", "topk_gate_kernel", false},
    {"paged_attention", "paged_attention_kernel", true},
    {"rope_cache", "rope_cache_kernel", false},
    {"rmsnorm_quant", "rmsnorm_quant_kernel", false},
    {"softmax_of_wave", "softmax_kernelIDhLi64E", false},
    {"softmax_of_waves", "softmax_kernelIfLi256E", false},
    {"conversion", "conversion:", false},
};

// The matrix instructions up to each barrier, s_setprio or sched_barrier, and behind the last.
std::vector<int> regions(const kernel_isa& k) {
    std::vector<int> counts{0};
    for (const std::string& i : k.order) {
        const auto is = [&](const char* prefix) { return i.rfind(prefix, 0) == 0; };
        if (is("v_mfma")) {
            counts.back()++;
        } else if (is("s_barrier") || is("s_setprio") || is("sched_barrier")) {
            counts.push_back(0);
        }
    }
    return counts;
}

std::string shown(const std::vector<int>& counts) {
    std::string text;
    for (const int n : counts) {
        text += (text.empty() ? "" : " ") + std::to_string(n);
    }
    return text;
}

kernel_isa read(const kernel& k, const std::string& flag, const std::string& target) {
    return kernel_with(std::string(OPUS_ISA_DIRECTORY) + "/flags_" + flag + "_" + target + ".s",
                       k.label);
}

// A SIMD has 512 registers for each lane, which waves get in groups of 8.
int waves_of_a_simd(int vgprs) {
    return std::min(8, 512 / ((vgprs + 7) / 8 * 8));
}

class flags_on : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(targets, flags_on, testing::Values("gfx942", "gfx950"),
                         [](const auto& info) { return std::string(info.param); });

TEST_P(flags_on, change_no_figure) {
    const std::string target = GetParam();
    std::printf("%-17s %-22s %5s %5s %6s %8s %6s  %s\n", "kernel", "flag", "VGPR", "SGPR", "spills",
                "scratch", "total", "MFMA between barriers");
    for (const kernel& k : kernels) {
        const kernel_isa plain = read(k, "plain", target);
        const auto print = [&](const char* flag, const kernel_isa& x) {
            std::printf("%-17s %-22s %5d %5d %6d %8d %6d  %s\n", k.name, flag, x.vgprs, x.sgprs,
                        x.spilled_registers, x.scratch_bytes, x.total(),
                        x.mfma() > 0 ? shown(regions(x)).c_str() : "");
        };
        print("", plain);
        EXPECT_EQ(plain.mfma() > 0, k.multiplies) << k.name << ", " << target;
        EXPECT_GT(plain.vgprs, 0) << k.name << ", " << target;
        for (const flag& f : flags) {
            const kernel_isa flagged = read(k, f.name, target);
            print(f.name, flagged);
            const std::string row = std::string(k.name) + ", " + f.options + ", " + target + ": ";
            const auto compare = [&](const char* figure, int without, int with) {
                EXPECT_LE(with, without)
                    << row << figure << " " << without << " without the flag, " << with << " with";
            };
            // Scheduling of moe_gemm takes two more with two of the flags: no wave less fits a SIMD.
            compare("VGPR and AGPR", plain.vgprs + 2, flagged.vgprs);
            EXPECT_EQ(waves_of_a_simd(flagged.vgprs), waves_of_a_simd(plain.vgprs)) << row;
            compare("SGPR", plain.sgprs, flagged.sgprs);
            compare("spilled registers", plain.spilled_registers, flagged.spilled_registers);
            compare("bytes of scratch", plain.scratch_bytes, flagged.scratch_bytes);
            EXPECT_EQ(shown(regions(flagged)), shown(regions(plain)))
                << row << "matrix instructions between barriers '" << shown(regions(plain))
                << "' without the flag, '" << shown(regions(flagged)) << "' with";
        }
    }
}

// What the rows are compared with: nothing spills, and the two products of `phases` are between
// s_setprio 1 and s_setprio 0, each in front of a barrier, a sched_barrier and another barrier.
TEST_P(flags_on, plain_kernels_are_right) {
    const std::string target = GetParam();
    for (const kernel& k : kernels) {
        const kernel_isa plain = read(k, "plain", target);
        EXPECT_EQ(plain.spilled_registers, 0) << k.name << ", " << target;
        EXPECT_EQ(plain.scratch_bytes, 0) << k.name << ", " << target;
        if (k.name == std::string("phases")) {
            EXPECT_EQ(shown(regions(plain)), "0 4 0 0 0 0 4 0 0 0 0 0 0");
        }
    }
}

}  // namespace
