// What the generated code must look like: kernels written with opus beside the same kernels written
// with the compiler's builtins. The other files of this executable ask for instructions that must
// stand in the assembly.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <utility>

#include "isa.hpp"
#include "kernel_on.hpp"
#include "pins.hpp"

namespace {

using codegen::instructions_of;
using codegen::isa_file;
using codegen::kernel_isa;
using codegen::kernel_on;
using codegen::print_header;
using codegen::print_row;
using codegen::read_kernel;

INSTANTIATE_TEST_SUITE_P(targets, kernel_on, testing::Values("gfx942", "gfx950"),
                         [](const auto& info) { return std::string(info.param); });

// ---- kernel_x.hip ----

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
    EXPECT_LE(k.with_opus.total(),
              k.raw.total() + more_valu + codegen::states_behind_stores(k.with_opus));
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
    if (codegen::is_pinned_compiler) {
        EXPECT_EQ(raw.valu(), valu);
    }
    EXPECT_LE(with_opus.valu(), raw.valu() + more_valu);
    EXPECT_LE(with_opus.total(), codegen::at_most(raw.total() + more_valu));
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
// counts elements. The addresses of C take fewer instructions, and scalar registers for the multiples
// of its stride.
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
        EXPECT_LE(k.total(), codegen::at_most(raw.total() + (is_fp8 ? 3 : 0)));
        EXPECT_LE(k.valu(), codegen::at_most(raw.valu() + (is_fp8 ? 1 : 0)));
        EXPECT_EQ(k.mfma(), raw.mfma());
        EXPECT_LE(k.vgprs, raw.vgprs + (is_fp8 ? 4 : 2));
        EXPECT_LE(k.sgprs, raw.sgprs + 4);
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
    const auto compare = [&](const char* name, int more_valu = 0, int more = 0,
                             int more_vgprs = 0) {
        const twins k{read_kernel(isa_file(std::string("swizzled_3_opus_") + GetParam()), name),
                      read_kernel(isa_file(std::string("swizzled_3_raw_") + GetParam()), name)};
        print_row(std::string(name) + ", opus, " + GetParam(), k.with_opus);
        print_row(std::string(name) + ", builtins, " + GetParam(), k.raw);
        EXPECT_LE(k.with_opus.total(),
                  k.raw.total() + more + codegen::states_behind_stores(k.with_opus))
            << name;
        EXPECT_LE(k.with_opus.valu(), k.raw.valu() + more_valu) << name;
        EXPECT_LE(k.with_opus.vgprs, k.raw.vgprs + more_vgprs) << name;
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
    // LDS-DMA to a place that the compiler takes for different by lane reads the first lane for each
    // access, swizzled or not. By hand it is read once.
    const bool many = std::string(GetParam()) == "gfx942";
    const int accesses = many ? 8 : 2;
    const kernel_isa dma =
        compare("by_dma", many ? 17 : 1, many ? 2 : 0, many ? 8 : 2).with_opus.hot_loop();
    EXPECT_EQ(dma.valu(), accesses);
    EXPECT_EQ(dma.count_prefix("v_readfirstlane_b32"), accesses);
    const kernel_isa plain =
        read_kernel(isa_file(std::string("swizzled_0_opus_") + GetParam()), "by_dma").hot_loop();
    EXPECT_EQ(plain.valu(), accesses);
    EXPECT_EQ(dma.count_prefix("buffer_load"), plain.count_prefix("buffer_load"));
    if (std::string(GetParam()) == "gfx950") {
        // The reads stay in place: more of their results are there at a time.
        EXPECT_EQ(compare("transposed", 0, 0, 6).with_opus.count_prefix("ds_read_b64_tr_b16"), 16);
    }
}

// ---- chain.hip ----

// Scales that are constants are in registers: the hardware would read an inline constant as a float.
// Two zeros are no scales.
TEST(codegen, constant_scales_are_in_registers) {
    const std::string file = isa_file("chain_gfx950");
    const kernel_isa none = read_kernel(file, "scales_of_0");
    EXPECT_EQ(none.mfma(), 1);
    EXPECT_EQ(none.count_prefix("v_mfma_scale"), 0);
    EXPECT_EQ(none.count_prefix("v_mov"), 0);
    const std::regex in_registers("v_mfma_scale_f32_16x16x128_f8f6f4 .*\\], v[0-9]+, v[0-9]+ .*");
    for (const char* name : {"scale_of_a", "scale_of_b", "two_scales", "scale_at_run_time"}) {
        int scaled = 0;
        for (const std::string& i : read_kernel(file, name).instructions) {
            scaled += std::regex_match(i, in_registers);
        }
        EXPECT_EQ(scaled, 1) << name;
    }
}

// Before clang 22.1 the compiler leaves them where they are, so that it must not see any of them.
#if OPUS_TEST_CLANG_22_0
TEST(codegen, scales_are_hidden_from_old_compilers) {
    std::ifstream file(isa_file("chain_22_0_llvm"));
    std::map<std::string, std::string> scales;  // by kernel: 0, asm for an asm's result, or others
    std::string kernel;
    std::set<std::string> hidden;
    const auto source = [&](const std::string& operand) {
        return hidden.count(operand) != 0 ? "asm" : operand;
    };
    const std::regex asm_call(" *(%[^ ]*) = .* asm \"\", \"=v,0\"\\(.*");
    const std::regex product(
        ".*@llvm.amdgcn.mfma.scale.*, i32 ([^ ,]*), i32 0, i32 ([^ ,)]*)\\).*");
    for (std::string line; std::getline(file, line);) {
        std::smatch m;
        if (line.rfind("define ", 0) == 0) {
            const size_t name = line.find('@') + 1;
            kernel = line.substr(name, line.find('(') - name);
            hidden.clear();
        } else if (std::regex_match(line, m, asm_call)) {
            hidden.insert(m.str(1));
        } else if (std::regex_match(line, m, product)) {
            scales[kernel] = source(m.str(1)) + " " + source(m.str(2));
        }
    }
    EXPECT_EQ(scales["scales_of_0"], "0 0");
    for (const char* name : {"scale_of_a", "scale_of_b", "two_scales", "scale_at_run_time"}) {
        EXPECT_EQ(scales[name], "asm asm") << name;
    }
}
#endif

// A function of 128 products with scales has no basic blocks of theirs, and is inlined.
TEST(codegen, products_with_scales_are_inlined) {
    for (const char* file : {"scaled", OPUS_TEST_CLANG_22_0 ? "scaled_22_0" : "scaled"}) {
        const kernel_isa k = read_kernel(isa_file(file), "two_calls");
        EXPECT_EQ(k.mfma(), 2 * 128) << file;
        EXPECT_EQ(k.count_prefix("s_swappc"), 0) << file;
    }
}

// Products with scales in 128 registers of sums, beside two steps' operands: no more registers than
// the builtins take, and in the loop nothing but loads, products and what counts the steps.
TEST(codegen, products_with_scales_hold_two_steps) {
    struct expectation {
        const char* name;
        int products;  // of two steps
    };
    for (const auto& x : {expectation{"by_product", 64}, expectation{"tiled", 16}}) {
        const kernel_isa raw = read_kernel(isa_file("mx_raw"), x.name);
        EXPECT_EQ(raw.mfma(), x.products) << x.name;
        for (const char* file : {"mx_opus_0", "mx_opus_1"}) {
            SCOPED_TRACE(std::string(file) + ", " + x.name);
            const kernel_isa k = read_kernel(isa_file(file), x.name);
            const kernel_isa loop = k.hot_loop();
            EXPECT_EQ(loop.mfma(), x.products);
            EXPECT_EQ(loop.valu(), 0);
            EXPECT_EQ(k.count_prefix("v_accvgpr"), 0);
            EXPECT_EQ(k.spilled_registers, 0);
            EXPECT_LE(k.valu(), raw.valu());
            EXPECT_LE(k.vgprs, raw.vgprs);
            EXPECT_LE(k.total(), raw.total() + 4 + codegen::states_behind_stores(k));
        }
    }
    // Early inlining leaves the products where they are: the header makes loops in front of them.
    const kernel_isa inlined = read_kernel(isa_file("mx_inlined"), "tiled");
    EXPECT_EQ(inlined.hot_loop().valu(), 0);
    EXPECT_LE(inlined.vgprs, read_kernel(isa_file("mx_raw"), "tiled").vgprs);
}

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

}  // namespace
