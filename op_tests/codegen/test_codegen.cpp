// What the generated code must look like: kernels written with opus beside the same kernels written
// with the compiler's builtins, and instructions that must stand in the assembly.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "isa.hpp"

namespace {

using codegen::kernel_isa;
using codegen::read_kernel;

std::string isa_file(const std::string& name) {
    return std::string(OPUS_ISA_DIRECTORY) + "/" + name + ".s";
}

class kernel_on : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(targets, kernel_on, testing::Values("gfx942", "gfx950"),
                         [](const auto& info) { return std::string(info.param); });

// ---- kernel_x.hip ----

void print_header() {
    std::printf("%-28s %6s %6s %6s %6s %6s %6s %6s %8s\n", "kernel", "total", "VALU", "MFMA",
                "loop", "VALU", "VGPR", "SGPR", "scratch");
}
void print_row(const std::string& name, const kernel_isa& k) {
    const kernel_isa loop = k.inner_loops.empty() ? kernel_isa{} : k.hot_loop();
    std::printf("%-28s %6d %6d %6d %6d %6d %6d %6d %8d\n", name.c_str(), k.total(), k.valu(),
                k.mfma(), loop.total(), loop.valu(), k.vgprs, k.sgprs, k.scratch_bytes);
}

struct twins {
    kernel_isa with_opus;
    kernel_isa raw;
};

// Prints the figures of kernel `name` of `file`, which are opus's at most those of the raw twin and
// `more_valu` vector instructions.
twins compare_twins(const std::string& name, const std::string& file, const std::string& kernel,
                    const std::string& arch, int more_valu = 0) {
    const twins k{read_kernel(isa_file(file + "_opus_" + arch), kernel),
                  read_kernel(isa_file(file + "_raw_" + arch), kernel)};
    print_header();
    print_row(name + ", opus, " + arch, k.with_opus);
    print_row(name + ", builtins, " + arch, k.raw);
    EXPECT_GT(k.raw.total(), 0);
    EXPECT_LE(k.with_opus.total(), k.raw.total() + more_valu);
    EXPECT_LE(k.with_opus.valu(), k.raw.valu() + more_valu);
    EXPECT_EQ(k.with_opus.mfma(), k.raw.mfma());
    EXPECT_LE(k.with_opus.vgprs, k.raw.vgprs);
    EXPECT_LE(k.with_opus.sgprs, k.raw.sgprs);
    EXPECT_EQ(k.with_opus.scratch_bytes, 0);
    EXPECT_EQ(k.with_opus.spilled_registers, 0);
    EXPECT_EQ(k.raw.scratch_bytes, 0);
    EXPECT_EQ(k.raw.spilled_registers, 0);
    return k;
}
twins compare_twins(const std::string& name, const std::string& arch) {
    return compare_twins(name, "kernel_" + name, "kernel", arch);
}

// The same for the hot loop, in which all `mfma` matrix instructions of the kernel stand. It leaves
// nothing for the vector ALU to do.
void compare_loops(const twins& k, int mfma) {
    const kernel_isa with_opus = k.with_opus.hot_loop();
    const kernel_isa raw = k.raw.hot_loop();
    EXPECT_EQ(k.raw.mfma(), mfma);
    EXPECT_EQ(with_opus.mfma(), mfma);
    EXPECT_EQ(raw.mfma(), mfma);
    EXPECT_LE(with_opus.total(), raw.total());
    EXPECT_EQ(with_opus.valu(), 0);
    EXPECT_EQ(raw.valu(), 0);
    EXPECT_EQ(with_opus.count_prefix("v_readfirstlane"), 0);
}

TEST_P(kernel_on, a_equals_its_raw_twin) {
    const twins k = compare_twins("a", GetParam());
    EXPECT_EQ(k.with_opus.total(), k.raw.total());
    EXPECT_EQ(k.with_opus.valu(), k.raw.valu());
    EXPECT_EQ(k.with_opus.vgprs, k.raw.vgprs);
    EXPECT_EQ(k.with_opus.sgprs, k.raw.sgprs);
    EXPECT_EQ(k.with_opus.count_prefix("buffer_load_dwordx4"), 2);
    EXPECT_EQ(k.with_opus.count_prefix("buffer_store_dwordx4"), 1);
}

TEST_P(kernel_on, b_is_no_more_than_its_raw_twin) {
    const twins k = compare_twins("b", GetParam());
    compare_loops(k, 1);
    EXPECT_EQ(k.with_opus.hot_loop().count_prefix("buffer_load_dwordx2"), 2);
    EXPECT_EQ(k.with_opus.count_prefix("buffer_store_dword "), 16);
}

// The twin computes lane / 32 * 4 once for A, B and C, so that the compiler leaves each address a
// sum of elements, shifted (v_add_lshl_u32). A layout comes out of its functions as one aggregate,
// of which the compiler sees the parts only while it simplifies each address on its own: the three
// products are not the same one yet, and the shift goes into the sum. lane / 32 * 8 is good for A
// and B, which have 2 bytes an element, not for C, which has 4. That is one shift.
TEST_P(kernel_on, b_swapped_is_one_shift_more_than_its_raw_twin) {
    const twins k =
        compare_twins("b_swapped", "kernel_b_swapped", "kernel", GetParam(), /*more_valu=*/1);
    compare_loops(k, 1);
    EXPECT_EQ(k.with_opus.hot_loop().count_prefix("buffer_load_dwordx2"), 2);
    EXPECT_EQ(k.with_opus.count_prefix("buffer_store_dwordx4"), 4);
}

TEST_P(kernel_on, c_is_no_more_than_its_raw_twin) {
    const twins k = compare_twins("c_32", GetParam());
    compare_loops(k, 16);
    EXPECT_EQ(k.with_opus.hot_loop().count_prefix("buffer_load_dwordx4"), 4);
    EXPECT_EQ(k.with_opus.hot_loop().count_prefix("ds_write_b128"), 4);
    EXPECT_EQ(k.with_opus.hot_loop().count_prefix("ds_read2_b64"), 8);
    EXPECT_EQ(k.with_opus.count_prefix("buffer_store_dword "), 64);
}

TEST_P(kernel_on, c_of_64_is_no_more_than_its_raw_twin) {
    const twins k = compare_twins("c_64", GetParam());
    compare_loops(k, 32);
    EXPECT_EQ(k.with_opus.hot_loop().count_prefix("buffer_load_dwordx4"), 8);
    EXPECT_EQ(k.with_opus.hot_loop().count_prefix("ds_write_b128"), 8);
    EXPECT_EQ(k.with_opus.hot_loop().count_prefix("ds_read2_b64"), 16);
    EXPECT_EQ(k.with_opus.count_prefix("buffer_store_dword "), 64);
}

TEST_P(kernel_on, c_swapped_is_no_more_than_its_raw_twin) {
    const twins k = compare_twins("c_32_swapped", GetParam());
    compare_loops(k, 16);
    EXPECT_EQ(k.with_opus.count_prefix("buffer_store_dwordx4"), 16);
    const twins of_64 = compare_twins("c_64_swapped", GetParam());
    compare_loops(of_64, 32);
    EXPECT_EQ(of_64.with_opus.count_prefix("buffer_store_dwordx4"), 16);
}

TEST_P(kernel_on, d_is_no_more_than_its_raw_twin) {
    const twins k = compare_twins("d", GetParam());
    compare_loops(k, 4);
    EXPECT_EQ(k.with_opus.hot_loop().count_prefix("buffer_load_dwordx4"), 2);
    EXPECT_EQ(k.with_opus.hot_loop().count_prefix("ds_write_b128"), 2);
    EXPECT_EQ(k.with_opus.hot_loop().count_prefix("ds_read2_b64"), 4);
    EXPECT_EQ(k.with_opus.count_prefix("buffer_store_dword "), 4);
}

// The loops of kernels whose layouts move along K: as many vector instructions as in the twin, and
// `more_valu` for its documented exceptions.
void compare_moved_loops(const twins& k, int valu, int more_valu = 0) {
    const kernel_isa with_opus = k.with_opus.hot_loop();
    const kernel_isa raw = k.raw.hot_loop();
    EXPECT_EQ(raw.valu(), valu);
    EXPECT_LE(with_opus.valu(), valu + more_valu);
    EXPECT_LE(with_opus.total(), raw.total() + more_valu);
    EXPECT_EQ(with_opus.mfma(), raw.mfma());
    EXPECT_EQ(with_opus.count_prefix("v_readfirstlane"), 0);
}

TEST_P(kernel_on, moved_layouts_are_no_more_than_the_raw_twins) {
    compare_moved_loops(compare_twins("b_moved", GetParam()), 2);
    compare_moved_loops(compare_twins("d_moved", GetParam()), 1);
    // Computed offsets are in elements, and each is shifted to bytes. The twin adds rows in bytes to
    // the first one.
    compare_moved_loops(
        compare_twins("c_32_moved", "kernel_c_32_moved", "kernel", GetParam(), /*more_valu=*/3), 2,
        2);
    compare_moved_loops(
        compare_twins("c_64_moved", "kernel_c_64_moved", "kernel", GetParam(), /*more_valu=*/7), 4,
        4);
}

// The tile of A, which the loop carries, is copied two registers at a time, as in the twin. That of B
// has 16 registers, which are copied one by one, 8 instructions more. Layouts move by elements: where
// one has two bytes, the compiler adds a part of six addresses in the loop, as it does if the twin
// counts elements. The addresses of C take fewer instructions.
TEST_P(kernel_on, split_k_is_no_more_than_its_raw_twin) {
    for (const char* name : {"split_k_fp8", "split_k_bf16"}) {
        SCOPED_TRACE(name);
        const bool is_fp8 = std::string(name) == "split_k_fp8";
        const kernel_isa k = read_kernel(isa_file(std::string("split_k_opus_") + GetParam()), name);
        const kernel_isa raw =
            read_kernel(isa_file(std::string("split_k_raw_") + GetParam()), name);
        print_header();
        print_row(std::string(name) + ", opus", k);
        print_row(std::string(name) + ", builtins", raw);
        EXPECT_LE(k.total(), raw.total() + (is_fp8 ? 3 : 0));
        EXPECT_LE(k.valu(), raw.valu() + (is_fp8 ? 1 : 0));
        EXPECT_EQ(k.mfma(), raw.mfma());
        EXPECT_LE(k.vgprs, raw.vgprs + (is_fp8 ? 4 : 2));
        EXPECT_LE(k.sgprs, raw.sgprs + 2);
        EXPECT_EQ(k.scratch_bytes, 0);
        EXPECT_EQ(k.spilled_registers, 0);
        EXPECT_EQ(k.hot_loop().count_prefix("v_mov_b32"), 16);
        compare_moved_loops({k, raw}, is_fp8 ? 42 : 30, is_fp8 ? 8 : 14);
    }
}

// However a loop moves on through its two layouts, of two accesses each: with the wave-uniform
// offset nothing is left for the vector ALU, else one addition for each access, and one more where
// the compiler keeps a run-time step in a vector register.
TEST_P(kernel_on, layouts_advance_as_in_the_raw_twins) {
    const std::pair<const char*, int> ways[] = {{"by_scalar", 0},        {"by_scalar_multiple", 0},
                                                {"by_counter", 4},       {"by_multiple", 5},
                                                {"by_constant_step", 4}, {"by_run_time_step", 5}};
    for (const auto& [name, valu] : ways) {
        SCOPED_TRACE(name);
        const twins k = compare_twins(name, "advance", name, GetParam());
        const kernel_isa loop = k.with_opus.hot_loop();
        EXPECT_LE(loop.total(), k.raw.hot_loop().total());
        EXPECT_EQ(k.raw.hot_loop().valu(), valu);
        EXPECT_EQ(loop.valu(), valu);
        EXPECT_EQ(loop.mfma(), 4);
        EXPECT_EQ(loop.count_prefix("buffer_load_dwordx2"), 4);
    }
}

// A tile of 256 accumulators a lane stays in registers, as do its operands.
TEST_P(kernel_on, eight_by_eight_repeats_need_no_memory) {
    print_header();
    for (const int repeats_k : {1, 2}) {
        const std::string file =
            isa_file("tiled_mma_" + std::to_string(repeats_k) + "_" + GetParam());
        for (const char* name : {"plain", "swapped"}) {
            const kernel_isa k = read_kernel(file, name);
            print_row("8x8x" + std::to_string(repeats_k) + ", " + name + ", " + GetParam(), k);
            EXPECT_EQ(k.mfma(), 64 * repeats_k);
            EXPECT_EQ(k.hot_loop().mfma(), 64 * repeats_k);
            EXPECT_EQ(k.count_prefix("scratch_"), 0);
            EXPECT_EQ(k.scratch_bytes, 0);
            EXPECT_EQ(k.spilled_registers, 0);
        }
    }
}

// Besides the two shifts of addresses, nothing but moves of whole registers.
TEST_P(kernel_on, parts_of_vectors_move_as_whole_registers) {
    const std::string file = isa_file(std::string("slices_") + GetParam());
    for (const char* name :
         {"slice_fp16", "slice_i8", "set_slice_fp16", "set_slice_i8", "concat_i8"}) {
        const kernel_isa k = read_kernel(file, name);
        EXPECT_EQ(k.count_prefix("v_lshl"), 2) << name;
        EXPECT_EQ(k.valu() - k.count_prefix("v_lshl") - k.count_prefix("v_mov_b32"), 0) << name;
        EXPECT_LE(k.count_prefix("v_mov_b32"), 2) << name;
        EXPECT_EQ(k.scratch_bytes, 0) << name;
    }
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
    EXPECT_EQ(only_wait("wait_beyond_lds"), "s_waitcnt lgkmcnt(0)");
    EXPECT_EQ(only_wait("wait_beyond_vector_memory"), "s_waitcnt vmcnt(2)");
    EXPECT_EQ(only_wait("wait_beyond_export"), "s_waitcnt expcnt(1)");
}

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

// Of the six steps all but the first are one instruction; that one is four, two of which quiet NaNs,
// or one where there are none.
TEST_P(kernel_on, wave_maximum_of_floats_is_six_steps_in_place) {
    for (const bool nans : {true, false}) {
        const std::string file =
            isa_file(std::string(nans ? "lanes_" : "lanes_no_nans_") + GetParam());
        const kernel_isa largest = read_kernel(file, "wave_max_fp32");
        EXPECT_EQ(largest.count_prefix("v_max_f32_dpp"), nans ? 5 : 6) << file;
        EXPECT_EQ(largest.count_prefix("v_max_f32"), nans ? 5 + 3 : 6) << file;
        EXPECT_EQ(largest.count_prefix("v_mov_b32_dpp"), nans ? 1 : 0) << file;
        const kernel_isa smallest = read_kernel(file, "wave_min_fp16");
        EXPECT_EQ(smallest.count_prefix("v_min_f16_dpp"), nans ? 5 : 6) << file;
        EXPECT_EQ(smallest.count_prefix("v_max_f16") + smallest.count_prefix("v_min_f16"),
                  nans ? 5 + 3 : 6)
            << file;
        EXPECT_EQ(smallest.count_prefix("v_mov_b32_dpp"), nans ? 1 : 0) << file;
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
            __clang_major__ > 22 && std::string(c.prefix).find("pk") == std::string::npos;
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

TEST_P(kernel_on, another_value_out_of_range_is_one_instruction_and_two_for_each_element) {
    const kernel_isa k =
        read_kernel(isa_file(std::string("vector_") + GetParam()), "load_or_minus_one");
    EXPECT_EQ(k.count_prefix("buffer_load_dwordx4"), 1);
    EXPECT_EQ(k.count_prefix("v_sub_u32"), 1);
    EXPECT_EQ(k.valu() - for_addresses(k), 1 + 2 * 4);
    EXPECT_EQ(k.count_prefix("s_cbranch"), 0);
}

TEST_P(kernel_on, the_largest_of_a_wave_is_found_without_lds) {
    const std::string file = isa_file(std::string("vector_") + GetParam());
    // One comparison, and scalar instructions, more than reduce_wave.
    const kernel_isa lanes = read_kernel(file, "argmax_of_lanes");
    EXPECT_EQ(lanes.count_prefix("v_cmp"), 1);
    EXPECT_EQ(lanes.count_prefix("s_ff1_i32_b64"), 1);
    EXPECT_EQ(lanes.count_prefix("s_cbranch"), 0);
    const kernel_isa indices = read_kernel(file, "argmax_of_indices");
    EXPECT_EQ(indices.count_prefix("v_cmp"), 1);
    EXPECT_EQ(indices.count_prefix("v_min_u32_dpp"), 6);
    for (const char* name : {"argmax_of_lanes", "argmax_of_indices", "top_8_of_256"}) {
        const kernel_isa k = read_kernel(file, name);
        EXPECT_EQ(k.count_prefix("ds_"), 0) << name;
        EXPECT_EQ(k.scratch_bytes, 0) << name;
    }
    EXPECT_LE(read_kernel(file, "top_8_of_256").valu(), 370);
}

// ---- barriers.hip ----

// What stands between the last instruction that begins with `from` and the s_barrier after it.
std::vector<std::string> before_barrier(const kernel_isa& k, const std::string& from) {
    std::vector<std::string> between;
    for (const std::string& i : k.instructions) {
        if (i.rfind(from, 0) == 0) {
            between = {i};
        } else if (i == "s_barrier") {
            return between;
        } else if (!between.empty()) {
            between.push_back(i);
        }
    }
    return {};
}

bool waits_for(const std::vector<std::string>& instructions, const std::string& counter) {
    for (const std::string& i : instructions) {
        if (i.rfind("s_waitcnt", 0) == 0 && i.find(counter) != std::string::npos) {
            return true;
        }
    }
    return false;
}

TEST_P(kernel_on, sync_threads_waits_for_lds_and_the_bare_barrier_does_not) {
    const std::string file = isa_file(std::string("barriers_") + GetParam());
    const auto store = [&](const char* kernel) {
        return before_barrier(read_kernel(file, kernel), "ds_write");
    };
    ASSERT_FALSE(store("bare_barrier").empty());
    ASSERT_FALSE(store("barrier_after_store").empty());
    EXPECT_FALSE(waits_for(store("bare_barrier"), "lgkmcnt"));
    EXPECT_TRUE(waits_for(store("barrier_after_store"), "lgkmcnt(0)"));
}

TEST_P(kernel_on, sync_threads_waits_for_lds_dma) {
    const std::string file = isa_file(std::string("barriers_") + GetParam());
    const auto after_dma = before_barrier(read_kernel(file, "barrier_after_dma"), "buffer_load");
    ASSERT_FALSE(after_dma.empty());
    ASSERT_NE(after_dma[0].find(" lds"), std::string::npos);
    EXPECT_TRUE(waits_for(after_dma, "vmcnt(0)"));
}

// Each barrier has the wait in front of it, in the loop and not before the loop, whatever compiler and
// level.
TEST(barriers, sync_threads_waits_for_lds_dma_in_loops) {
    std::vector<std::string> files;
    for (const std::string arch : {"gfx942", "gfx950"}) {
        for (const char* level : {"_", "_O1_", "_O2_"}) {
            files.push_back("barriers" + (level + arch));
        }
    }
#if OPUS_TEST_CLANG_19
    for (const char* level : {"1", "2", "3"}) {
        files.push_back(std::string("barriers_O") + level + "_clang_19");
    }
#endif
    for (const std::string& file : files) {
        for (const char* name : {"dma_before_each_barrier", "dma_behind_each_barrier"}) {
            SCOPED_TRACE(file + ", " + name);
            const kernel_isa loop = read_kernel(isa_file(file), name).hot_loop();
            EXPECT_EQ(loop.count_containing(" lds"), 1);
            EXPECT_EQ(loop.count_prefix("s_barrier"), name[4] == 'b' && name[6] == 'f' ? 2 : 1);
            // Of what deals with memory, the last in front of a barrier.
            std::string last;
            for (const std::string& i : loop.instructions) {
                if (i == "s_barrier") {
                    EXPECT_EQ(last, "s_waitcnt vmcnt(0) lgkmcnt(0)");
                } else if (i.rfind("v_", 0) != 0 &&
                           (i.rfind("s_", 0) != 0 || i.rfind("s_waitcnt", 0) == 0)) {
                    last = i;
                }
            }
        }
    }
}

// The words that the scalar registers s[n:n+3] of the one buffer_load get, by s_mov.
std::vector<uint32_t> resource_words(const kernel_isa& kernel) {
    std::map<int, uint32_t> scalars;
    std::vector<uint32_t> words;
    for (const std::string& i : kernel.instructions) {
        std::smatch m;
        if (std::regex_match(i, m,
                             std::regex("s_mov(?:_b|k_i)32 s([0-9]+), (-?[0-9]+|0x[0-9a-f]+)"))) {
            scalars[std::stoi(m[1])] = static_cast<uint32_t>(std::stoll(m[2], nullptr, 0));
        } else if (std::regex_match(i, m,
                                    std::regex("buffer_load_dword v[0-9]+, (?:v[0-9]+, "
                                               ")?s\\[([0-9]+):[0-9]+\\], .*"))) {
            for (int word = 0; word < 4; word++) {
                words.push_back(scalars.at(std::stoi(m[1]) + word));
            }
        }
    }
    return words;
}

// ISA guide, 9.1.8: the address has 48 bits, the stride in the upper half of word 1
// is 0, word 2 is the size in bytes, word 3 the rest. async_load_if keeps the last 16 bytes of 4
// GiB out of range.
TEST(codegen, the_resource_of_lds_dma) {
    std::vector<std::string> files = {"resource_gfx942", "resource_gfx950"};
#if OPUS_TEST_CLANG_19
    files.push_back("resource_clang_19");
#endif
    for (const std::string& file : files) {
        SCOPED_TRACE(file);
        const auto words = [&](const char* kernel) {
            return resource_words(read_kernel(isa_file(file), kernel));
        };
        EXPECT_EQ(words("dma_resource"),
                  (std::vector<uint32_t>{0xbcd56780, 0x0000234a, 0x13579bdf, 0x00027fac}));
        for (const char* by_default :
             {"dma_resource_by_default", "dma_resource_of_gmem", "resource_of_buffer"}) {
            EXPECT_EQ(words(by_default),
                      (std::vector<uint32_t>{0xbcd56780, 0x0000234a, 0xffffffff, 0x00020000}))
                << by_default;
        }
        EXPECT_EQ(words("dma_resource_if"),
                  (std::vector<uint32_t>{0xbcd56780, 0x0000234a, 0xfffffff0, 0x00027fac}));
    }
}

TEST_P(kernel_on, lds_barrier_waits_for_lds_alone) {
    const std::string file = isa_file(std::string("barriers_") + GetParam());
    const auto after_load = before_barrier(read_kernel(file, "lds_barrier_after_load"), "ds_write");
    ASSERT_FALSE(after_load.empty());
    EXPECT_EQ(after_load.back(), "s_waitcnt lgkmcnt(0)");
    const kernel_isa load = read_kernel(file, "lds_barrier_after_load");
    int vm_waits = 0;
    for (const std::string& i : load.instructions) {
        if (i == "s_barrier") {
            break;
        }
        vm_waits += i.find("vmcnt") != std::string::npos;
    }
    EXPECT_EQ(vm_waits, 0);
    EXPECT_EQ(load.count_containing(" lds"), 1);
    const auto after_read = before_barrier(read_kernel(file, "lds_barrier_after_read"), "ds_read");
    ASSERT_FALSE(after_read.empty());
    EXPECT_EQ(after_read.back(), "s_waitcnt lgkmcnt(0)");
}

TEST_P(kernel_on, wait_async_leaves_the_latest_in_flight) {
    const kernel_isa k =
        read_kernel(isa_file(std::string("barriers_") + GetParam()), "async_left_in_flight");
    std::vector<std::string> order;
    for (const std::string& i : k.instructions) {
        if (i.find(" lds") != std::string::npos) {
            order.push_back("load");
        } else if (i.rfind("ds_read", 0) == 0) {
            order.push_back("read");
        } else if (i.find("vmcnt") != std::string::npos) {
            order.push_back(i);
        }
    }
    EXPECT_EQ(order, (std::vector<std::string>{"load", "load", "s_waitcnt vmcnt(1)", "read"}));
}

TEST_P(kernel_on, order_and_priority_cost_what_they_say) {
    const std::string file = isa_file(std::string("barriers_") + GetParam());
    const kernel_isa k = read_kernel(file, "order_is_kept");
    std::vector<std::string> order;
    for (const std::string& i : k.instructions) {
        if (i.rfind("global_load", 0) == 0) {
            order.push_back("load");
        } else if (i.rfind("v_mad", 0) == 0 || i.rfind("v_mul", 0) == 0) {
            order.push_back("multiply");
        } else if (i.rfind("s_setprio", 0) == 0) {
            order.push_back(i);
        }
    }
    EXPECT_EQ(order,
              (std::vector<std::string>{"load", "multiply", "s_setprio 3", "load", "s_setprio 0"}));
    EXPECT_EQ(k.count_prefix("s_barrier"), 0);

    // Of the matrix instructions and reads from the barrier on.
    const auto mixed = [&](const char* name) {
        std::string kinds;
        bool behind = false;
        for (const std::string& i : read_kernel(file, name).instructions) {
            behind = behind || i == "s_barrier";
            if (behind && (i.rfind("v_mfma", 0) == 0 || i.rfind("ds_read", 0) == 0)) {
                kinds += i[0];
            }
        }
        return kinds;
    };
    EXPECT_EQ(mixed("interleaved"), "dvdvdvdvdvdvdvdvdvvvvvvvv");
    EXPECT_EQ(mixed("interleaved_by_three").substr(0, 9), "dvdddvddd");  // and the last two
    EXPECT_FALSE(read_kernel(file, "interleaved").hints.empty());
    EXPECT_TRUE(read_kernel(file, "interleaved_with_none").hints.empty());
}

TEST_P(kernel_on, lds_is_read_again_behind_what_keeps_the_order) {
    const std::string file = isa_file(std::string("barriers_") + GetParam());
    for (const std::string name : {"keep_order", "wait_async", "lds_barrier", "sync_threads"}) {
        const kernel_isa k = read_kernel(file, ("read_around_" + name).c_str());
        EXPECT_EQ(k.count_prefix("ds_read"), 2) << name;
    }
}

// A wait stays a loop in which the counter is loaded, and the wave sleeps between two loads.
TEST_P(kernel_on, the_first_thread_of_a_group_acts_between_two_barriers) {
    const std::string file = isa_file(std::string("barriers_") + GetParam());
    for (const std::string name : {"groups_inc", "groups_wait_eq", "groups_wait_lt"}) {
        std::string order;
        for (const std::string& i : read_kernel(file, name.c_str()).instructions) {
            if (i == "s_barrier") {
                order += "b";
            } else if (i.rfind("global_", 0) == 0 && (order.empty() || order.back() != 'g')) {
                order += "g";
            }
        }
        EXPECT_EQ(order, "bgb") << name;
        EXPECT_EQ(read_kernel(file, name.c_str()).count_prefix("s_sleep"), name != "groups_inc")
            << name;
    }
}

// ---- casts.hip ----

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

// Limits are literals of instructions, not loads.
TEST_P(kernel_on, limits_are_constants) {
    const kernel_isa k = read_kernel(isa_file(std::string("casts_") + GetParam()), "limits");
    EXPECT_EQ(k.count_prefix("s_load"), 1);
    EXPECT_EQ(k.count_prefix("s_getpc"), 0);
}

// ---- memory.hip ----

std::string memory_file(const std::string& arch) {
    return isa_file("memory_" + arch);
}

// The instructions that begin with `prefix`.
std::vector<std::string> instructions_of(const kernel_isa& kernel, const std::string& prefix) {
    std::vector<std::string> found;
    for (const std::string& i : kernel.instructions) {
        if (i.compare(0, prefix.size(), prefix) == 0) {
            found.push_back(i);
        }
    }
    return found;
}

bool ends_with(const std::string& text, const std::string& end) {
    return text.size() >= end.size() &&
           text.compare(text.size() - end.size(), end.size(), end) == 0;
}

TEST_P(kernel_on, an_access_of_any_width_is_one_instruction) {
    struct width {
        const char* kernel;
        const char* buffer_load;
        const char* buffer_store;
        const char* ds_read;
        const char* ds_write;
    };
    const width widths[] = {
        {"width_1", "buffer_load_ubyte ", "buffer_store_byte ", "ds_read_u8 ", "ds_write_b8 "},
        {"width_2", "buffer_load_ushort ", "buffer_store_short ", "ds_read_u16 ", "ds_write_b16 "},
        {"width_4", "buffer_load_dword ", "buffer_store_dword ", "ds_read_b32 ", "ds_write_b32 "},
        {"width_8", "buffer_load_dwordx2 ", "buffer_store_dwordx2 ", "ds_read_b64 ",
         "ds_write_b64 "},
        {"width_12", "buffer_load_dwordx3 ", "buffer_store_dwordx3 ", "ds_read_b96 ",
         "ds_write_b96 "},
        {"width_16", "buffer_load_dwordx4 ", "buffer_store_dwordx4 ", "ds_read_b128 ",
         "ds_write_b128 "},
    };
    for (const width& w : widths) {
        const kernel_isa k = read_kernel(memory_file(GetParam()), w.kernel);
        EXPECT_EQ(k.count_prefix("buffer_load"), 1) << w.kernel;
        EXPECT_EQ(k.count_prefix(w.buffer_load), 1) << w.kernel;
        EXPECT_EQ(k.count_prefix("buffer_store"), 1) << w.kernel;
        EXPECT_EQ(k.count_prefix(w.buffer_store), 1) << w.kernel;
        EXPECT_EQ(k.count_prefix("ds_read"), 1) << w.kernel;
        EXPECT_EQ(k.count_prefix(w.ds_read), 1) << w.kernel;
        EXPECT_EQ(k.count_prefix("ds_write"), 1) << w.kernel;
        EXPECT_EQ(k.count_prefix(w.ds_write), 1) << w.kernel;
        EXPECT_EQ(k.scratch_bytes, 0) << w.kernel;
    }
}

// The immediate of a buffer instruction has 12 bits: accesses within the same 4 KiB, loads and
// stores alike, share a register for their address.
TEST_P(kernel_on, far_accesses_share_registers) {
    const kernel_isa k = read_kernel(memory_file(GetParam()), "far_apart");
    std::set<int> bases;
    for (int i = 0; i < 16; i++) {
        bases.insert(i * 2560 / 4096);
    }
    EXPECT_EQ(k.count_prefix("buffer_load_dwordx4 "), 16);
    EXPECT_EQ(k.count_prefix("buffer_store_dwordx4 "), 16);
    EXPECT_EQ(k.count_prefix("v_or_b32") + k.count_prefix("v_add"),
              static_cast<int>(bases.size()) - 1);
    EXPECT_EQ(k.valu(), 3 + static_cast<int>(bases.size()) - 1);  // and the lane, times 16
}

TEST_P(kernel_on, constant_steps_are_in_the_immediate) {
    const kernel_isa k = read_kernel(memory_file(GetParam()), "immediates");
    for (const char* prefix : {"buffer_load_dwordx4", "buffer_store_dwordx4", "ds_write_b128"}) {
        const auto found = instructions_of(k, prefix);
        ASSERT_EQ(found.size(), 4u) << prefix;
        EXPECT_EQ(found[0].find("offset:"), std::string::npos) << found[0];
        for (size_t i = 1; i < 4; i++) {
            EXPECT_TRUE(ends_with(found[i], " offset:" + std::to_string(1024 * i))) << found[i];
        }
    }
    const auto reads = instructions_of(k, "ds_read_b128");
    ASSERT_EQ(reads.size(), 4u);
    for (size_t i = 0; i < 4; i++) {
        EXPECT_TRUE(ends_with(reads[i], " offset:" + std::to_string(4096 + 1024 * i))) << reads[i];
    }
}

TEST_P(kernel_on, resources_stay_in_scalar_registers) {
    const kernel_isa k = read_kernel(memory_file(GetParam()), "resources");
    EXPECT_EQ(k.count_prefix("buffer_load_dword "), 2);
    EXPECT_EQ(k.count_prefix("v_readfirstlane"), 0);
}

TEST_P(kernel_on, a_size_of_64_bits_is_clamped_by_scalar_instructions) {
    const kernel_isa k = read_kernel(memory_file(GetParam()), "size_of_64_bits");
    EXPECT_EQ(k.count_prefix("v_cmp"), 0);
    EXPECT_EQ(k.count_prefix("s_cmp"), 1);
    EXPECT_EQ(k.count_prefix("s_cselect"), 1);
}

TEST_P(kernel_on, cache_policies_are_bits_of_the_instruction) {
    const kernel_isa k = read_kernel(memory_file(GetParam()), "policies");
    EXPECT_TRUE(ends_with(instructions_of(k, "buffer_load").at(0), " offen sc0 nt"));
    EXPECT_TRUE(ends_with(instructions_of(k, "buffer_store").at(0), " offen sc0 sc1"));
}

TEST_P(kernel_on, cache_policies_of_every_width) {
    const kernel_isa k = read_kernel(memory_file(GetParam()), "policies_of_widths");
    for (const char* width : {"byte", "short", "dword", "dwordx2", "dwordx3", "dwordx4"}) {
        const std::string small = width[0] == 'd' ? "" : "u";
        const auto loads = instructions_of(k, "buffer_load_" + small + width + " ");
        const auto stores = instructions_of(k, std::string("buffer_store_") + width + " ");
        ASSERT_EQ(loads.size(), 1u) << width;
        ASSERT_EQ(stores.size(), 1u) << width;
        EXPECT_TRUE(ends_with(loads[0], " nt sc1")) << loads[0];
        EXPECT_EQ(loads[0].find(" sc0"), std::string::npos) << loads[0];
        EXPECT_TRUE(ends_with(stores[0], " sc1")) << stores[0];
        EXPECT_EQ(stores[0].find(" sc0"), std::string::npos) << stores[0];
        EXPECT_EQ(stores[0].find(" nt"), std::string::npos) << stores[0];
    }
}

TEST_P(kernel_on, cache_policies_of_every_form) {
    for (const char* name : {"policies_of_forms", "policies_of_wide_forms", "policies_of_dma"}) {
        const kernel_isa k = read_kernel(memory_file(GetParam()), name);
        const auto loads = instructions_of(k, "buffer_load");
        const auto stores = instructions_of(k, "buffer_store");
        const bool is_dma = std::string(name) == "policies_of_dma";
        EXPECT_EQ(loads.size(), is_dma ? 12u : 10u) << name;
        EXPECT_EQ(stores.size(), is_dma ? 0u : 10u) << name;
        for (const auto& all : {loads, stores}) {
            for (const std::string& i : all) {
                EXPECT_TRUE(ends_with(i, is_dma ? " sc0 nt lds" : " sc0 nt")) << name << ": " << i;
            }
        }
    }
}

TEST_P(kernel_on, no_cache_policy_unless_given) {
    const kernel_isa k = read_kernel(memory_file(GetParam()), "no_policies");
    EXPECT_EQ(k.count_prefix("buffer_load"), 10);
    EXPECT_EQ(k.count_prefix("buffer_store"), 6);
    for (const std::string& i : instructions_of(k, "buffer_")) {
        for (const char* policy : {" sc0", " nt", " sc1"}) {
            EXPECT_EQ(i.find(policy), std::string::npos) << i;
        }
    }
}

TEST_P(kernel_on, dma_needs_one_scalar_base) {
    const kernel_isa k = read_kernel(memory_file(GetParam()), "dma_tile");
    const auto loads = instructions_of(k, "buffer_load_dword ");
    ASSERT_EQ(loads.size(), 5u);
    for (const std::string& load : loads) {
        EXPECT_TRUE(ends_with(load, " lds")) << load;
    }
    EXPECT_TRUE(ends_with(loads[4], " offset:4092 lds")) << loads[4];
    EXPECT_EQ(k.count_prefix("v_readfirstlane"),
              2);  // the tile's base, and that of the last load
    EXPECT_EQ(read_kernel(memory_file(GetParam()), "plain_read").count_prefix("s_cselect"), 0);
}

// An address in LDS that is the same for all lanes stays in scalar registers, and is one of LDS: no
// bits of a pointer to any memory are read, and nothing is compared with null. One that may differ
// by lane is read once for all accesses of a tile.
TEST_P(kernel_on, dma_in_loops_reads_no_lane_of_a_uniform_address) {
    for (const char* name : {"dma_in_turns", "dma_by_counter", "dma_by_wave"}) {
        SCOPED_TRACE(name);
        const kernel_isa k = read_kernel(memory_file(GetParam()), name);
        const bool differs = std::string(name) == "dma_by_wave";
        EXPECT_EQ(k.hot_loop().count_prefix("buffer_load_dword "), 4);
        EXPECT_EQ(k.count_prefix("v_readfirstlane"), differs ? 1 : 0);
        EXPECT_EQ(k.hot_loop().count_prefix("v_readfirstlane"), differs ? 1 : 0);
        EXPECT_EQ(k.count_containing("src_shared_base"), 0);
        EXPECT_EQ(k.hot_loop().count_prefix("s_cselect"), 0);
    }
}

// The number of waits for all vector memory before the read of LDS.
int waits_for_all(const kernel_isa& k) {
    int waits = 0;
    for (const std::string& i : k.instructions) {
        if (i.compare(0, 7, "ds_read") == 0) {
            return waits;
        }
        waits += i.find("vmcnt(0)") != std::string::npos;
    }
    ADD_FAILURE() << "no read of LDS";
    return -1;
}

TEST_P(kernel_on, reads_of_lds_and_dma_in_flight) {
    const std::string arch = GetParam();
    const auto kernel = [&](const char* name) { return read_kernel(memory_file(arch), name); };
    for (const char* name : {"plain_read", "plain_read_apart", "plain_read_96"}) {
        EXPECT_EQ(waits_for_all(kernel(name)), 0) << name;
        EXPECT_EQ(kernel(name).count_prefix("s_waitcnt vmcnt(1)"), 1) << name;
    }
    if (arch == "gfx942") {
        return;
    }
    EXPECT_EQ(waits_for_all(kernel("transposed_read")), 1);
    for (const char* name : {"transposed_read_apart", "transposed_read_apart_8",
                             "transposed_read_apart_6", "transposed_read_apart_4"}) {
        EXPECT_EQ(waits_for_all(kernel(name)), 0) << name;
        // The compiler still waits for the result.
        const kernel_isa k = kernel(name);
        const auto find = [&](const char* prefix) {
            size_t i = 0;
            while (i < k.instructions.size() && k.instructions[i].rfind(prefix, 0) != 0) {
                i++;
            }
            return i;
        };
        const size_t store = find("buffer_store");
        ASSERT_LT(store, k.instructions.size()) << name;
        bool waits = false;
        for (size_t i = find("ds_read"); i < store; i++) {
            waits = waits || k.instructions[i] == "s_waitcnt lgkmcnt(0)";
        }
        EXPECT_TRUE(waits) << name;
    }
    const auto reads = instructions_of(kernel("transposed_immediates"), "ds_read_b64_tr_b16");
    ASSERT_EQ(reads.size(), 2u);
    EXPECT_TRUE(ends_with(reads[0], " offset:0x400")) << reads[0];
    EXPECT_TRUE(ends_with(reads[1], " offset:0x480")) << reads[1];
    const kernel_isa wide = kernel("dma_wide");
    EXPECT_EQ(wide.count_prefix("buffer_load_dwordx4 "), 1);
    EXPECT_EQ(wide.count_prefix("buffer_load_dwordx3 "), 1);
}

// ---- swizzled.hip ----

// A swizzle takes part in the address of a lane once, and in those of other bits that it changes by
// one xor each; what does not meet it stays in the immediates. Nothing of it is in a loop.
TEST_P(kernel_on, swizzles_are_no_more_than_by_hand) {
    const auto offsets = [](const kernel_isa& k, const char* prefix) {
        std::multiset<std::string> found;
        for (const std::string& i : instructions_of(k, prefix)) {
            const size_t at = i.find(" offset:");
            found.insert(at == std::string::npos ? "0" : i.substr(at + 8));
        }
        return found;
    };
    // In vector instructions and registers, and with no vector instruction in the loop.
    const auto compare = [&](const char* name, int more_valu = 0) {
        const twins k{read_kernel(isa_file(std::string("swizzled_3_opus_") + GetParam()), name),
                      read_kernel(isa_file(std::string("swizzled_3_raw_") + GetParam()), name)};
        print_row(std::string(name) + ", opus, " + GetParam(), k.with_opus);
        print_row(std::string(name) + ", builtins, " + GetParam(), k.raw);
        EXPECT_LE(k.with_opus.total(), k.raw.total()) << name;
        EXPECT_LE(k.with_opus.valu(), k.raw.valu() + more_valu) << name;
        EXPECT_LE(k.with_opus.vgprs, k.raw.vgprs) << name;
        EXPECT_EQ(k.with_opus.count_prefix("ds_"), k.raw.count_prefix("ds_")) << name;
        EXPECT_EQ(k.with_opus.scratch_bytes, 0) << name;
        return k;
    };
    print_header();
    const kernel_isa through = compare("through_registers").with_opus;
    EXPECT_EQ(offsets(through, "ds_write_b128"), (std::multiset<std::string>{"8192", "12288"}));
    EXPECT_EQ(offsets(through, "ds_read_b128"),
              (std::multiset<std::string>{"8192", "8192", "8192", "8192", "12288", "12288", "12288",
                                          "12288"}));
    const twins loops = compare("in_a_loop");
    EXPECT_LE(loops.with_opus.hot_loop().total(), loops.raw.hot_loop().total());
    EXPECT_EQ(loops.with_opus.hot_loop().valu(), 0);
    // LDS-DMA through layouts reads its destination with one v_readfirstlane_b32, swizzled or not. Of
    // 8 accesses on gfx942 the offsets take two vector instructions more, in front of the loop.
    const bool many = std::string(GetParam()) == "gfx942";
    const kernel_isa dma = compare("by_dma", many ? 3 : 0).with_opus.hot_loop();
    EXPECT_EQ(dma.valu(), 1);
    EXPECT_EQ(dma.count_prefix("v_readfirstlane_b32"), 1);
    const kernel_isa plain =
        read_kernel(isa_file(std::string("swizzled_0_opus_") + GetParam()), "by_dma").hot_loop();
    EXPECT_EQ(plain.valu(), 1);
    EXPECT_EQ(dma.count_prefix("buffer_load"), plain.count_prefix("buffer_load"));
    if (std::string(GetParam()) == "gfx950") {
        EXPECT_EQ(compare("transposed").with_opus.count_prefix("ds_read_b64_tr_b16"), 16);
    }
}

// ---- transposed.hip ----

bool is_transposed_read(const std::string& instruction) {
    return instruction.find("_tr_b") != std::string::npos;
}

const char* const transposed_files[] = {"transposed_0_O2", "transposed_0_O3", "transposed_1_O2",
                                        "transposed_1_O3"};
const char* const transposed_pipelines[] = {"tile_f16",  "tile_bf16", "tile_fp8",  "tile_fp8_wide",
                                            "tiles_f16", "tiles_fp8", "tiles_fp4", "halves_f16"};

// No instruction reads or writes a register while a transposed read may still write it. Waits in
// order: s_waitcnt lgkmcnt(n) leaves the last n LDS or scalar memory instructions in flight.
void expect_results_untouched(const kernel_isa& k) {
    std::vector<std::set<std::string>> in_flight;  // what each of them writes, if that matters
    int reads = 0;
    for (const std::string& i : k.instructions) {
        const size_t lgkm = i.find("lgkmcnt(");
        if (i.rfind("s_waitcnt", 0) == 0) {
            if (lgkm != std::string::npos) {
                const size_t left = std::stoul(i.substr(lgkm + 8));
                while (in_flight.size() > left) {
                    in_flight.erase(in_flight.begin());
                }
            }
            continue;
        }
        const std::set<std::string> touched = codegen::vector_registers(i);
        bool any = false;
        for (const auto& result : in_flight) {
            any = any || !result.empty();
            for (const std::string& r : result) {
                EXPECT_EQ(touched.count(r), 0u) << r << " is in flight at " << i;
            }
        }
        EXPECT_FALSE(any && (i.rfind("s_cbranch", 0) == 0 || i.rfind("s_branch", 0) == 0 ||
                             i.rfind("s_endpgm", 0) == 0))
            << "a read is in flight at the end of its block";
        if (is_transposed_read(i)) {
            reads++;
            in_flight.push_back(codegen::vector_registers(i.substr(0, i.find(','))));
        } else if (i.rfind("ds_", 0) == 0 || i.rfind("s_load", 0) == 0) {
            in_flight.push_back({});
        }
    }
    EXPECT_GT(reads, 0);
    EXPECT_EQ(k.spilled_registers, 0);
    EXPECT_EQ(k.scratch_bytes, 0);
}

TEST(transposed_reads, nothing_touches_a_result_before_the_wait) {
    for (const char* file : transposed_files) {
        for (const char* name : transposed_pipelines) {
            SCOPED_TRACE(std::string(file) + ", " + name);
            expect_results_untouched(read_kernel(isa_file(file), name));
        }
        for (const char* name : {"arithmetic", "at_sync_threads", "at_lds_barrier", "far_apart"}) {
            SCOPED_TRACE(std::string(file) + ", " + name);
            expect_results_untouched(read_kernel(isa_file(file), name));
        }
    }
}

// In the loop: all reads between the two barriers, off one address, no wait but those that the
// kernel has, and nothing that moves registers.
TEST(transposed_reads, stay_in_place_while_dma_is_in_flight) {
    for (const char* file : transposed_files) {
        for (const char* name : transposed_pipelines) {
            SCOPED_TRACE(std::string(file) + ", " + name);
            const kernel_isa kernel = read_kernel(isa_file(file), name);
            const kernel_isa loop = kernel.hot_loop();
            const bool halves = std::string(name) == "halves_f16";
            // The order is kept by the waits of the kernel, and not by each read.
            EXPECT_EQ(kernel.hints.size(), halves ? 2u : 1u);
            std::vector<std::string> order;
            std::set<std::string> addresses;
            std::set<std::string> immediates;
            int reads = 0;
            for (const std::string& i : loop.instructions) {
                if (is_transposed_read(i)) {
                    const size_t address = i.find(", v");
                    const size_t offset = i.find(" offset:");
                    ASSERT_NE(offset, std::string::npos) << i;
                    addresses.insert(i.substr(address, offset - address));
                    immediates.insert(i.substr(offset));
                    reads++;
                } else if (i.rfind("s_waitcnt", 0) == 0 || i == "s_barrier") {
                    if (reads > 0) {
                        order.push_back(std::to_string(reads) + " reads");
                    }
                    order.push_back(i);
                    reads = 0;
                }
            }
            std::vector<std::string> expected{"s_waitcnt vmcnt(4)", "s_barrier",
                                              halves ? "24 reads" : "32 reads"};
            if (halves) {
                expected.push_back("s_waitcnt lgkmcnt(12)");
            }
            expected.insert(expected.end(), {"s_waitcnt lgkmcnt(0)", "s_barrier"});
            EXPECT_EQ(order, expected);
            EXPECT_EQ(reads, 0);
            EXPECT_EQ(addresses.size(), 1u);
            EXPECT_EQ(immediates.size(), halves ? 24u : 32u);
            EXPECT_EQ(loop.count_containing(" lds"), 4);
            EXPECT_EQ(loop.count_prefix("v_mov") + loop.count_prefix("v_accvgpr"), 0);
        }
    }
}

// Where the compiler would store the results to memory at once.
TEST(transposed_reads, are_waited_for_at_once_if_optimised_for_size) {
    for (const char* name : transposed_pipelines) {
        SCOPED_TRACE(name);
        const kernel_isa k = read_kernel(isa_file("transposed_0_Os"), name);
        int reads = 0;
        for (size_t i = 0; i + 1 < k.instructions.size(); i++) {
            if (is_transposed_read(k.instructions[i])) {
                EXPECT_EQ(k.instructions[i + 1], "s_waitcnt lgkmcnt(0)") << i;
                reads++;
            }
        }
        EXPECT_GE(reads, 24);
    }
}

TEST(transposed_reads, stay_between_stores) {
    for (const char* file : transposed_files) {
        std::string order;
        for (const std::string& i : read_kernel(isa_file(file), "overwritten").instructions) {
            order += is_transposed_read(i) ? "r" : i.rfind("ds_write", 0) == 0 ? "w" : "";
        }
        EXPECT_EQ(order, "wrw") << file;
    }
}

// What has to be waited for at once has the wait behind it.
TEST(transposed_reads, predicates_and_6_bits_wait_behind_each_read) {
    for (const char* file : transposed_files) {
        for (const char* name : {"with_a_predicate", "tiles_fp6"}) {
            SCOPED_TRACE(std::string(file) + ", " + name);
            const kernel_isa k = read_kernel(isa_file(file), name);
            int reads = 0;
            for (size_t i = 0; i + 1 < k.instructions.size(); i++) {
                if (is_transposed_read(k.instructions[i])) {
                    reads++;
                    EXPECT_EQ(k.instructions[i + 1], "s_waitcnt lgkmcnt(0)");
                }
            }
            EXPECT_EQ(reads, name[0] == 't' ? 32 : 4);
        }
    }
}

TEST(transposed_reads, auto_wait_waits_for_all) {
    const kernel_isa k = read_kernel(isa_file("transposed_0_O3"), "automatic");
    EXPECT_EQ(waits_for_all(k), 1);
    expect_results_untouched(k);
}

// ---- chain.hip ----

// Of C of the first product nothing is moved on its way into the second one: between the matrix
// instructions stand conversions, the loads of V, waits and the addresses for the stores.
TEST_P(kernel_on, c_is_an_operand_where_it_is) {
    const std::string arch = GetParam();
    const std::string file = isa_file("chain_" + arch);
    struct expectation {
        const char* name;
        int converted;     // elements of C
        int instructions;  // matrix instructions, where both targets have K of the second product
    };
    const expectation kernels[] = {
        {"a_f16_16", 16, 12},     {"a_f16_16_wide", 16, 10}, {"a_f16_32", 32, 12},
        {"a_f16_32_wide", 32, 8}, {"a_bf16_32_wide", 32, 8}, {"a_fp8_16", 16, 10},
        {"a_fp8_32", 32, 8},      {"b_f16_16_wide", 16, 10}, {"b_bf16_32_wide", 32, 8},
        {"b_fp8_16", 16, 10},
    };
    for (const auto& x : kernels) {
        SCOPED_TRACE(x.name);
        const std::string name = x.name;
        const bool fp8 = name.find("fp8") != std::string::npos;
        const bool bf16 = name.find("bf16") != std::string::npos;
        const kernel_isa all = read_kernel(file, name);
        kernel_isa between;
        size_t first = 0;
        size_t last = 0;
        for (size_t i = all.instructions.size(); i > 0; i--) {
            if (all.instructions[i - 1].rfind("v_mfma", 0) == 0) {
                first = i - 1;
                last = last == 0 ? i : last;
            }
        }
        for (size_t i = first; i < last; i++) {
            between.instructions.push_back(all.instructions[i]);
        }
        EXPECT_EQ(between.mfma(), all.mfma());
        if (arch == "gfx950") {
            EXPECT_EQ(between.mfma(), x.instructions);
        }
        // bf16 is cut off on gfx942, two in one v_perm_b32; f16 is converted there one by one.
        const bool cut = bf16 && arch == "gfx942";
        const bool one_by_one = !bf16 && !fp8 && arch == "gfx942";
        EXPECT_EQ(between.count_prefix("v_perm"), cut ? x.converted / 2 : 0);
        EXPECT_EQ(between.count_prefix("v_cvt_"), cut          ? 0
                                                  : one_by_one ? x.converted
                                                               : x.converted / 2);
        EXPECT_EQ(between.count_prefix("v_pack_b32_f16"), one_by_one ? x.converted / 2 : 0);
        // v_cvt_pk_fp8_f32 writes one half of a register, and the compiler does not find places for
        // all pairs of them; a cast alone has as many.
        EXPECT_LE(between.count_prefix("v_mov"), fp8 ? x.converted / 8 : 0);
        for (const char* move : {"ds_", "v_swap", "v_accvgpr", "v_readlane", "v_readfirstlane",
                                 "v_writelane", "v_cndmask", "v_alignb", "v_bfi", "scratch_"}) {
            EXPECT_EQ(between.count_prefix(move), 0) << move;
        }
        for (const char* move : {"_dpp", "_sdwa"}) {
            EXPECT_EQ(between.count_containing(move), 0) << move;
        }
        EXPECT_EQ(all.spilled_registers, 0);
        EXPECT_EQ(all.scratch_bytes, 0);
    }
}

// The layout that the mma makes costs no more than one that is written by hand for it. On gfx942 a
// read is four words, of which the compiler takes those of two reads in one instruction.
TEST_P(kernel_on, transposed_operands_are_as_by_hand) {
    const std::string file = isa_file(std::string("chain_") + GetParam());
    const kernel_isa k = read_kernel(file, "columns_opus");
    const kernel_isa by_hand = read_kernel(file, "columns_by_hand");
    print_header();
    print_row(std::string("columns, opus, ") + GetParam(), k);
    print_row(std::string("columns, by hand, ") + GetParam(), by_hand);
    EXPECT_LE(k.total(), by_hand.total());
    EXPECT_LE(k.valu(), by_hand.valu());
    EXPECT_LE(k.vgprs, by_hand.vgprs);
    EXPECT_EQ(k.scratch_bytes, 0);
    if (std::string(GetParam()) == "gfx950") {
        EXPECT_EQ(k.count_prefix("ds_"), 4);
        EXPECT_EQ(k.count_prefix("ds_read_b64_tr_b16"), 4);
    } else {
        EXPECT_EQ(k.count_prefix("ds_bpermute_b32"), 4);
        EXPECT_EQ(k.count_prefix("ds_read2"), 8);
        EXPECT_EQ(k.count_prefix("ds_"), 12);
        EXPECT_EQ(k.count_prefix("v_perm_b32"), 8);
    }
}

TEST_P(kernel_on, atomics_are_instructions) {
    const kernel_isa k = read_kernel(memory_file(GetParam()), "atomics");
    EXPECT_EQ(k.count_prefix("global_atomic"), 4);
    EXPECT_TRUE(ends_with(instructions_of(k, "global_atomic_add_f32 ").at(0), " sc0"));
    EXPECT_EQ(k.count_prefix("global_atomic_pk_add_f16 "), 1);
    EXPECT_EQ(k.count_prefix("global_atomic_pk_add_bf16 "), 1);
    EXPECT_EQ(k.count_prefix("global_atomic_add "), 1);
    EXPECT_EQ(k.count_prefix("s_cbranch_scc0"), 0);  // no loops
}

}  // namespace
