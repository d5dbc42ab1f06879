// What operations over lanes and by element compile to (lanes.hip, vector.hip).
#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "isa.hpp"
#include "kernel_on.hpp"
#include "pins.hpp"

namespace {

using codegen::isa_file;
using codegen::kernel_isa;
using codegen::kernel_on;
using codegen::read_kernel;

// ---- lanes.hip ----

TEST_P(kernel_on, dpp_is_one_instruction_for_each_register) {
    const std::string file = isa_file(std::string("lanes_") + GetParam());
    const kernel_isa one = read_kernel(file, "move_one");
    EXPECT_EQ(one.count_prefix("v_mov_b32_dpp"), 1);
    EXPECT_EQ(one.count_containing("row_shr:1 row_mask:0xf bank_mask:0xf bound_ctrl:1"), 1);
    EXPECT_EQ(one.count_prefix("ds_"), 0);
    const kernel_isa two = read_kernel(file, "move_two");
    EXPECT_EQ(two.count_prefix("v_mov_b32_dpp"), 2);
    const kernel_isa masked = read_kernel(file, "update_masked");
    EXPECT_EQ(masked.count_prefix("v_mov_b32_dpp"), 1);
    EXPECT_EQ(masked.count_containing("quad_perm:[3,2,1,0] row_mask:0x5 bank_mask:0x6"), 1);
    EXPECT_EQ(masked.count_containing("bound_ctrl"), 0);
    const kernel_isa added = read_kernel(file, "move_and_add");
    EXPECT_EQ(added.count_prefix("v_add_f32_dpp"), 1);
    EXPECT_EQ(added.count_prefix("v_mov_b32_dpp"), 0);
}

TEST_P(kernel_on, wave_reductions_are_six_dpp_operations) {
    const std::string file = isa_file(std::string("lanes_") + GetParam());
    const std::pair<const char*, const char*> kernels[] = {{"wave_sum_fp32", "v_add_f32_dpp"},
                                                           {"wave_sum_fp16", "v_add_f16_dpp"},
                                                           {"wave_max_i32", "v_max_i32_dpp"}};
    for (const auto& [kernel, operation] : kernels) {
        const kernel_isa k = read_kernel(file, kernel);
        EXPECT_EQ(k.count_prefix(operation), 6) << kernel;
        EXPECT_EQ(k.count_prefix("v_mov_b32_dpp"), 0) << kernel;
        EXPECT_EQ(k.count_prefix("v_readlane_b32"), 1) << kernel;
        EXPECT_EQ(k.count_prefix("ds_"), 0) << kernel;
    }
}

// Lane ^ 7 and lane ^ 15 serve for bits 4 and 8 where the lower bits are reduced already.
TEST_P(kernel_on, reductions_in_a_row_use_no_lds) {
    const std::string file = isa_file(std::string("lanes_") + GetParam());
    const kernel_isa row = read_kernel(file, "row_max_i32");
    EXPECT_EQ(row.count_prefix("v_max_i32_dpp"), 4);
    EXPECT_EQ(row.count_prefix("v_mov_b32_dpp"), 0);
    EXPECT_EQ(row.count_prefix("ds_"), 0);
    const kernel_isa quads = read_kernel(file, "max_of_four_quads_i32");
    EXPECT_LE(quads.count_containing("_dpp"), 4);
    EXPECT_EQ(quads.count_prefix("ds_"), 0);
}

// Of the six steps all but the first are one instruction; that one is four, two of which quiet NaNs,
// or one where there are none.
TEST_P(kernel_on, wave_maximum_of_floats_is_six_steps_in_place) {
    for (const bool nans : {true, false}) {
        const std::string file =
            isa_file(std::string(nans ? "lanes_" : "lanes_no_nans_") + GetParam());
        for (const std::string type : {"32", "16"}) {
            for (const std::string name : {"max", "min"}) {
                const kernel_isa k = read_kernel(file, "wave_" + name + "_fp" + type);
                const std::string step = "v_" + name + "_f" + type;
                EXPECT_EQ(k.count_prefix(step + "_dpp"), nans ? 5 : 6) << file << step;
                // What quiets is v_max.
                EXPECT_EQ(k.count_prefix("v_max_f") + k.count_prefix("v_min_f"), nans ? 5 + 3 : 6)
                    << file << step;
                EXPECT_EQ(k.count_prefix("v_mov_b32_dpp"), nans ? 1 : 0) << file << step;
            }
        }
    }
}

TEST_P(kernel_on, block_reductions_of_a_known_size_have_one_barrier) {
    const kernel_isa k =
        read_kernel(isa_file(std::string("lanes_") + GetParam()), "block_sum_fp32");
    EXPECT_LE(k.total(), 40);
    EXPECT_EQ(k.count_prefix("s_barrier"), 1);
    EXPECT_EQ(k.count_prefix("ds_write"), 1);
    EXPECT_EQ(k.count_prefix("ds_read"), 1);
    EXPECT_EQ(k.scratch_bytes, 0);
}

// Of floats the first step is a neutral value, a move and the operation (which quiets NaNs in one
// more each), of integers all are one.
TEST_P(kernel_on, wave_scans_are_six_steps) {
    const std::string file = isa_file(std::string("lanes_") + GetParam());
    const kernel_isa sum = read_kernel(file, "wave_scan_fp32");
    EXPECT_EQ(sum.count_prefix("v_add_f32_dpp"), 5);
    EXPECT_EQ(sum.count_prefix("v_add_f32"), 6);
    EXPECT_EQ(sum.count_prefix("v_mov_b32_dpp"), 1);
    EXPECT_LE(sum.total(), 24);
    const kernel_isa floats = read_kernel(file, "wave_scan_max_fp32");
    EXPECT_EQ(floats.count_prefix("v_max_f32_dpp"), 5);
    EXPECT_EQ(floats.count_prefix("v_max_f32"), 5 + 3);
    EXPECT_EQ(floats.count_prefix("v_mov_b32_dpp"), 1);
    EXPECT_LE(floats.total(), 24);
    const kernel_isa integers = read_kernel(file, "wave_scan_max_i32");
    EXPECT_EQ(integers.count_prefix("v_max_i32_dpp"), 6);
    EXPECT_EQ(integers.count_prefix("v_mov_b32"), 0);
    EXPECT_LE(integers.total(), 21);
    const kernel_isa exclusive = read_kernel(file, "wave_scan_exclusive_u32");
    EXPECT_EQ(exclusive.count_prefix("v_add_u32_dpp"), 6);
    EXPECT_EQ(exclusive.count_prefix("v_mov_b32_dpp"), 1);
    EXPECT_LE(exclusive.total(), 24);
    for (const kernel_isa& k : {sum, floats, integers, exclusive}) {
        EXPECT_EQ(k.count_prefix("ds_"), 0);
        EXPECT_EQ(k.count_prefix("v_cndmask"), 0);
    }
}

TEST_P(kernel_on, block_scans_have_one_barrier) {
    const kernel_isa k =
        read_kernel(isa_file(std::string("lanes_") + GetParam()), "block_scan_fp32");
    EXPECT_LE(k.total(), 47);
    EXPECT_EQ(k.count_prefix("s_barrier"), 1);
    EXPECT_EQ(k.count_prefix("ds_write"), 1);
    EXPECT_EQ(k.count_prefix("ds_read"), 1);
    EXPECT_EQ(k.count_prefix("s_cbranch"), 0);
    EXPECT_EQ(k.scratch_bytes, 0);
}

// One instruction each, with a constant distance in it; no loop that compares and swaps.
TEST_P(kernel_on, atomics_of_lds_are_one_instruction) {
    const std::string file = isa_file(std::string("lanes_") + GetParam());
    const std::pair<const char*, std::vector<std::string>> kernels[] = {
        {"lds_atomics_fp32", {"add%_f32", "max%_f32", "min%_f32"}},
        {"lds_atomics_i32", {"add%_u32", "max%_i32", "min%_i32", "and%_b32", "or%_b32"}},
        {"lds_atomics_u32", {"add%_u32", "max%_u32", "min%_u32", "and%_b32", "or%_b32"}}};
    for (const auto& [kernel, operations] : kernels) {
        const kernel_isa k = read_kernel(file, kernel);
        for (const std::string& operation : operations) {
            for (const char* form : {"", "_rtn"}) {
                std::string name = "ds_" + operation + " ";
                name.replace(name.find('%'), 1, form);
                EXPECT_EQ(k.count_prefix(name), 1) << kernel << ' ' << name;
            }
        }
        EXPECT_EQ(k.count_prefix("ds_"), 2 * static_cast<int>(operations.size())) << kernel;
        EXPECT_EQ(k.count_containing(" offset:36"), 1) << kernel;
        EXPECT_EQ(k.count_prefix("s_cbranch"), 0) << kernel;
    }
}

TEST_P(kernel_on, global_atomics_are_one_instruction) {
    const std::string file = isa_file(std::string("lanes_") + GetParam());
    // Besides: where, whether it is in range (4 instructions), and what to compare with.
    const kernel_isa largest = read_kernel(file, "global_max");
    EXPECT_EQ(largest.count_prefix("global_atomic_smax "), 1);
    EXPECT_EQ(largest.count_prefix("global_atomic"), 1);
    EXPECT_LE(largest.total(), 13);
    const kernel_isa all = read_kernel(file, "global_atomics");
    for (const char* name : {"smax ", "smin ", "umax ", "umin "}) {
        EXPECT_EQ(all.count_prefix(std::string("global_atomic_") + name), 1) << name;
    }
    EXPECT_EQ(all.count_prefix("global_atomic"), 4);
    EXPECT_EQ(all.count_containing(" sc0"), 2);
    EXPECT_EQ(all.count_prefix("s_cbranch_execnz"), 0);
}

// How often an instruction that begins with `prefix` occurs in one of the kernels shuffle_*.
struct shuffle_count {
    const char* kernel;
    const char* prefix;
    int gfx942;
    int gfx950;
};

TEST_P(kernel_on, shuffles_by_constants_compute_no_address) {
    const std::string file = isa_file(std::string("lanes_") + GetParam());
    const bool gfx950 = std::string(GetParam()) == "gfx950";
    const shuffle_count counts[] = {
        {"xor_1", "v_mov_b32_dpp", 1, 1},
        {"xor_1", "ds_", 0, 0},
        {"xor_4", "v_mov_b32_dpp", 2, 2},
        {"xor_4", "ds_", 0, 0},
        {"xor_5", "ds_swizzle_b32", 1, 1},
        {"xor_5", "ds_", 1, 1},
        {"xor_8", "v_mov_b32_dpp", 2, 2},
        {"xor_8", "ds_", 0, 0},
        {"xor_12", "v_mov_b32_dpp", 2, 2},
        {"xor_12", "ds_", 0, 0},
        {"xor_16", "v_permlane16_swap_b32_e32 ", 0, 1},
        {"xor_16", "ds_swizzle_b32", 1, 0},
        {"xor_16", "ds_", 1, 0},
        {"xor_32", "v_permlane32_swap_b32_e32 ", 0, 1},
        {"xor_32", "ds_bpermute_b32", 1, 0},
        {"xor_32", "ds_", 1, 0},
        // An integer that is a constant once the loop is unrolled, and one that is none.
        {"xor_in_loop", "v_add_f32_dpp", 3, 3},
        {"xor_in_loop", "v_mov_b32_dpp", 2, 2},
        {"xor_in_loop", "ds_", 0, 0},
        {"xor_unknown", "ds_bpermute_b32", 1, 1},
        {"xor_unknown", "ds_", 1, 1},
        {"xor_unknown", "s_cbranch", 0, 0},
        {"up_1", "v_mov_b32_dpp", 1, 1},
        {"up_1", "v_cndmask", 0, 0},
        {"up_1", "ds_", 0, 0},
        {"up_3_of_8", "v_mov_b32_dpp", 2, 2},
        {"up_3_of_8", "v_cndmask", 0, 0},
        {"up_3_of_8", "ds_", 0, 0},
        {"down_5_of_16", "v_mov_b32_dpp", 1, 1},
        {"down_5_of_16", "v_cndmask", 0, 0},
        {"down_5_of_16", "ds_", 0, 0},
        {"down_7_of_8", "v_mov_b32_dpp", 1, 1},
        {"down_7_of_8", "ds_", 0, 0},
    };
    for (const shuffle_count& c : counts) {
        const kernel_isa k = read_kernel(file, std::string("shuffle_") + c.kernel);
        EXPECT_EQ(k.count_prefix(c.prefix), gfx950 ? c.gfx950 : c.gfx942)
            << c.kernel << " " << c.prefix;
    }
}

TEST_P(kernel_on, shuffles_are_one_permute_for_each_register) {
    const std::string file = isa_file(std::string("lanes_") + GetParam());
    const kernel_isa four = read_kernel(file, "shuffle_four");
    EXPECT_EQ(four.count_prefix("ds_bpermute_b32"), 1);
    EXPECT_EQ(four.count_prefix("ds_"), 1);
    const kernel_isa eight = read_kernel(file, "shuffle_eight");
    EXPECT_EQ(eight.count_prefix("ds_bpermute_b32"), 2);
    EXPECT_EQ(eight.count_prefix("ds_"), 2);
    EXPECT_EQ(eight.scratch_bytes, 0);
}

TEST_P(kernel_on, order_and_division_are_short) {
    const std::string file = isa_file(std::string("lanes_") + GetParam());
    EXPECT_EQ(read_kernel(file, "max_of_three").count_prefix("v_max3_f32"), 1);
    EXPECT_EQ(read_kernel(file, "median_fp32").count_prefix("v_med3_f32"), 1);
    EXPECT_EQ(read_kernel(file, "median_fp16").count_prefix("v_med3_f16"), 1);
    EXPECT_EQ(read_kernel(file, "median_i32").count_prefix("v_med3_i32"), 1);
    const kernel_isa divide = read_kernel(file, "divide");
    EXPECT_EQ(divide.count_prefix("v_mul_hi_u32"), 1);
    EXPECT_EQ(divide.count_prefix("v_rcp"), 0);
    EXPECT_EQ(divide.count_prefix("v_lshl_add_u64"), 1);
    EXPECT_EQ(divide.count_prefix("v_lshrrev_b64"), 1);
    EXPECT_LE(divide.valu(), 3 + 3 + 2);  // the lane's address, and a zero beside a word
    const kernel_isa divide_int = read_kernel(file, "divide_int");
    EXPECT_EQ(divide_int.count_prefix("v_mul_hi_u32"), 1);
    EXPECT_EQ(divide_int.count_prefix("v_add_u32"), 1);
    EXPECT_EQ(divide_int.count_prefix("v_lshrrev_b32"), 1);
    EXPECT_EQ(divide_int.valu(), 3 + 3);
    const kernel_isa all = read_kernel(file, "ask_all");
    EXPECT_EQ(all.count_prefix("v_cmp"), 1);
    EXPECT_EQ(all.count_prefix("s_swappc"), 0);
}

// ---- vector.hip ----

// Of `kernel`: how many instructions begin with `prefix`, and how many vector instructions there
// are beside these and those for addresses.
struct vector_count {
    const char* kernel;
    const char* prefix;
    int count;
    int others;
};
int for_addresses(const kernel_isa& k) {
    return k.count_prefix("v_mbcnt") + k.count_prefix("v_lshl");
}

TEST_P(kernel_on, vectors_are_reduced_in_pairs_and_by_three) {
    const std::string file = isa_file(std::string("vector_") + GetParam());
    const vector_count counts[] = {
        {"sum_of_16_fp32", "v_pk_add_f32", 7, 1},
        {"sum_of_16_fp16", "v_pk_add_f16", 7, 1},
        {"sum_of_array_fp32", "v_pk_add_f32", 7, 1},
        {"sum_of_array_fp16", "v_pk_add_f16", 7, 1},
        {"max_of_16_fp32", "v_max3_f32", 8, 0},
        {"max_of_16_fp32_and_one", "v_max3_f32", 8, 0},
        {"min_of_16_fp32_in_tiles", "v_min3_f32", 8, 0},
        // Eight of them quiet NaNs.
        {"max_of_16_fp16", "v_pk_max_f16", 8 + 7, 1},
        {"max_of_16_i32", "v_max3_i32", 7, 1},
    };
    for (const vector_count& c : counts) {
        const kernel_isa k = read_kernel(file, c.kernel);
        // Clang 23 sees which operand counts twice, so that one v_max3 is a v_max, whose operands
        // it quiets.
        const bool is_newest =
            !codegen::is_pinned_compiler && std::string(c.prefix).find("pk") == std::string::npos;
        EXPECT_GE(k.count_prefix(c.prefix), is_newest ? c.count - 1 : c.count) << c.kernel;
        EXPECT_LE(k.valu() - for_addresses(k), c.count + c.others + (is_newest ? 5 : 0))
            << c.kernel;
        EXPECT_EQ(k.scratch_bytes, 0) << c.kernel;
    }
}

TEST_P(kernel_on, functions_by_element_are_one_instruction_for_one_or_two_elements) {
    const std::string file = isa_file(std::string("vector_") + GetParam());
    const vector_count counts[] = {
        {"fma_of_8_fp32", "v_pk_fma_f32", 4, 0},
        {"fma_of_8_fp16", "v_pk_fma_f16", 4, 0},
        {"fma_of_tiles", "v_pk_fma_f32", 4, 0},
        {"max_of_8_fp16", "v_pk_max_f16", 4, 8},  // the others: v_pk_add_f16
        {"clip_4_fp32", "v_med3_f32", 4, 0},
        {"abs_of_8_fp16", "v_and_b32", 4, 0},
    };
    for (const vector_count& c : counts) {
        const kernel_isa k = read_kernel(file, c.kernel);
        EXPECT_EQ(k.count_prefix(c.prefix), c.count) << c.kernel;
        EXPECT_EQ(k.valu() - for_addresses(k), c.count + c.others) << c.kernel;
    }
    for (const auto& [kernel, type, elements] : {std::tuple{"four_functions_fp32", "f32", 4},
                                                 std::tuple{"four_functions_fp16", "f16", 2}}) {
        const kernel_isa k = read_kernel(file, kernel);
        for (const char* name : {"v_exp_", "v_log_", "v_rsq_", "v_rcp_"}) {
            EXPECT_EQ(k.count_prefix(name + std::string(type)), elements) << kernel << " " << name;
        }
        const int packs = k.count_prefix("v_pack_b32_f16") + k.count_prefix("v_lshrrev");
        EXPECT_EQ(k.valu() - for_addresses(k) - packs, 4 * elements) << kernel;
        EXPECT_LE(packs, 2) << kernel;
    }
}

TEST_P(kernel_on, groups_of_lanes_are_reduced_in_registers) {
    const std::string file = isa_file(std::string("vector_") + GetParam());
    const bool gfx950 = std::string(GetParam()) == "gfx950";
    const auto counts = [&](const char* kernel) {
        const kernel_isa k = read_kernel(file, kernel);
        return std::pair{k.valu() - for_addresses(k), k.count_prefix("ds_")};
    };
    EXPECT_EQ(counts("sum_of_rows"), std::pair(4, 0));
    EXPECT_EQ(read_kernel(file, "sum_of_rows").count_prefix("v_add_f32_dpp"), 4);
    // A copy, a swap and a sum; or on gfx942, where one address is computed, two of LDS.
    EXPECT_EQ(counts("sum_of_columns"), gfx950 ? std::pair(6, 0) : std::pair(3, 2));
    for (const char* swap : {"v_permlane16_swap_b32_e32 ", "v_permlane32_swap_b32_e32 "}) {
        EXPECT_EQ(read_kernel(file, "sum_of_columns").count_prefix(swap), gfx950) << swap;
    }
    // One step of four (two of which quiet NaNs) and three of one.
    EXPECT_EQ(counts("max_of_rows"), std::pair(4 + 3, 0));
    EXPECT_EQ(read_kernel(file, "max_of_rows").count_prefix("v_max_f32_dpp"), 3);
    EXPECT_EQ(counts("max_of_columns").second, gfx950 ? 0 : 2);
    EXPECT_EQ(counts("max_of_32_columns"), gfx950 ? std::pair(4, 0) : std::pair(4, 1));
    const kernel_isa read = read_kernel(file, "read_one_lane");
    EXPECT_EQ(read.count_prefix("v_readlane_b32"), 2);
    EXPECT_EQ(read.count_prefix("ds_"), 0);
}

}  // namespace
