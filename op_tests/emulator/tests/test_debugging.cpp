// What reports say about variables of LDS, values and elements of matrices, and OPUS_EMU_STOP. What
// debug information names is tested with compiled kernels (debugging.hip).
#include <gmock/gmock.h>

#include <array>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "debugging/stop.hpp"
#include "debugging/variables.hpp"
#include "isa/lds_names.hpp"
#include "isa/matrix_elements.hpp"
#include "isa/values.hpp"
#include "lint/assembly.hpp"
#include "matrix_instructions.hpp"
#include "twins.hpp"

namespace emu {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// ---- the layout of LDS ----

// "b:0 a:1024 | ..." of variables with these symbols; sizes and alignments of arrays of `natural`.
struct named_variable {
    std::string symbol;
    uint64_t size;
    uint64_t alignment;
    uint64_t natural;
};

std::string layouts(const std::vector<named_variable>& named, uint64_t bytes) {
    std::vector<impl::lds_variable> variables;
    for (const named_variable& v : named) {
        variables.push_back({v.symbol, v.size, v.alignment, v.natural, variables.size()});
    }
    std::string text;
    for (const auto& layout : impl::lds_layouts(variables, bytes)) {
        text += text.empty() ? "" : "| ";
        for (const auto& placed : layout) {
            text += named[placed.index].symbol + ":" + std::to_string(placed.offset) + " ";
        }
    }
    return text;
}

// The offsets are those of the instructions that clang 22 makes.
TEST(lds_layout, alignment_then_size_then_symbol) {
    EXPECT_EQ(layouts({{"1a", 256, 16, 4}, {"1b", 1024, 16, 4}}, 1280), "1b:0 1a:1024 ");
    EXPECT_EQ(layouts({{"2zz", 256, 16, 4},
                       {"11bcdefghijkl", 256, 16, 4},
                       {"1b", 256, 16, 4},
                       {"2aa", 256, 16, 4},
                       {"1c", 256, 16, 4}},
                      1280),
              "11bcdefghijkl:0 1b:256 1c:512 2aa:768 2zz:1024 ");
    EXPECT_EQ(layouts({{"s", 6, 8, 2},
                       {"q", 80, 16, 4},
                       {"d", 48, 16, 8},
                       {"global_scope", 128, 16, 4},
                       {"inner", 512, 16, 4}},
                      776),
              "inner:0 global_scope:512 q:640 d:720 s:768 ");
}

TEST(lds_layout, local_variables_that_are_none_of_lds) {
    EXPECT_EQ(layouts({{"lds", 256, 16, 4}, {"i", 4, 4, 4}, {"sum", 4, 4, 4}}, 256), "lds:0 ");
    EXPECT_EQ(layouts({{"lds", 256, 16, 4}, {"i", 4, 4, 4}, {"sum", 4, 4, 4}}, 260),
              "lds:0 i:256 | lds:0 sum:256 ");
}

TEST(lds_layout, what_is_not_certain) {
    EXPECT_EQ(layouts({{"a", 256, 16, 4}}, 512), "");
    EXPECT_EQ(layouts({}, 16), "");
    EXPECT_EQ(layouts({{"a", 256, 16, 4}, {"b", 256, 16, 4}}, 256), "a:0 | b:0 ");
    // The structure is 8 bytes longer than `d`, with either of the others or with both.
    EXPECT_EQ(layouts({{"s", 6, 8, 2}, {"flag", 1, 1, 1}, {"d", 48, 16, 8}}, 56),
              "d:0 s:48 flag:54 | d:0 s:48 | d:0 flag:48 ");
    // LLVM fills the hole with what is smaller: not followed.
    EXPECT_EQ(layouts({{"x", 20, 16, 4}, {"y", 28, 16, 4}, {"z", 3, 4, 1}}, 52), "");
    std::vector<named_variable> many;
    for (int n = 0; n < 64; ++n) {
        many.push_back({std::to_string(n), 4, 4, 4});
    }
    EXPECT_EQ(layouts(many, 128), "");
}

// ---- elements of matrices ----

const instruction& decoded(gfx_target target, const std::string& source) {
    static std::vector<std::unique_ptr<program>> programs;
    const auto& bytes = assemble(target, source);
    programs.push_back(
        std::make_unique<program>(target, bytes.data(), bytes.size(), machine::base));
    return programs.back()->at(machine::base);
}

// Of the CDNA4 guide's 7.1.4.1 and 7.1.4.2, by hand.
TEST(matrix_elements, of_the_guide) {
    const struct {
        const char* source;
        uint32_t reg;
        int lane;
        bool is_write;
        const char* elements;
    } rows[] = {
        {"v_mfma_f32_16x16x16_f16 v[0:3], v[8:9], v[10:11], v[0:3]", 8, 0, false, "A[0][0..1]"},
        {"v_mfma_f32_16x16x16_f16 v[0:3], v[8:9], v[10:11], v[0:3]", 9, 19, false, "A[3][6..7]"},
        {"v_mfma_f32_16x16x16_f16 v[0:3], v[8:9], v[10:11], v[0:3]", 11, 37, false, "B[10..11][5]"},
        {"v_mfma_f32_16x16x16_f16 v[0:3], v[8:9], v[10:11], v[0:3]", 2, 37, false, "C[10][5]"},
        {"v_mfma_f32_16x16x16_f16 v[0:3], v[8:9], v[10:11], v[0:3]", 3, 63, true, "D[15][15]"},
        {"v_mfma_f32_16x16x16_f16 v[0:3], v[8:9], v[8:9], 0", 8, 5, false,
         "A[5][0..1] and B[0..1][5]"},
        {"v_mfma_f32_16x16x16_f16 v[0:3], v[8:9], v[10:11], 0", 12, 0, false, ""},
        {"v_mfma_f32_16x16x16_f16 v[0:3], a[8:9], v[10:11], 0", first_agpr + 9, 1, false,
         "A[1][2..3]"},
        {"v_mfma_f32_32x32x8_f16 v[0:15], v[16:17], v[18:19], 0", 17, 40, false, "A[8][6..7]"},
        {"v_mfma_f32_32x32x8_f16 v[0:15], v[16:17], v[18:19], 0", 6, 35, true, "D[14][3]"},
        {"v_mfma_f32_4x4x1_16b_f32 v[0:3], v8, v9, 0", 8, 13, false, "block 3: A[1][0]"},
        {"v_mfma_f32_4x4x1_16b_f32 v[0:3], v8, v9, 0", 2, 13, true, "block 3: D[2][1]"},
        {"v_mfma_f32_4x4x1_16b_f32 v[8:11], v8, v9, 0", 8, 13, false, "block 3: A[1][0]"},
        {"v_mfma_f32_4x4x1_16b_f32 v[8:11], v8, v9, 0", 8, 13, true, "block 3: D[0][1]"},
        {"v_mfma_f32_32x32x1_2b_f32 v[0:31], v32, v33, 0", 20, 3, true, "block 1: D[8][3]"},
        {"v_mfma_f64_16x16x4_f64 v[0:7], v[8:9], v[10:11], 0", 9, 33, false, "A[1][2]"},
        {"v_mfma_f64_16x16x4_f64 v[0:7], v[8:9], v[10:11], 0", 4, 33, true, "D[10][1]"},
        {"v_mfma_i32_16x16x32_i8 v[0:3], v[8:9], v[10:11], 0", 9, 16, false, "A[0][12..15]"},
        // Blocks of A are shared: what is held is not what is used.
        {"v_mfma_f32_4x4x1_16b_f32 v[0:3], v8, v9, 0 cbsz:1", 8, 13, false, ""},
        {"v_add_f32 v0, v8, v9", 8, 0, false, ""},
    };
    for (const auto& row : rows) {
        EXPECT_EQ(matrix_elements(decoded(gfx_target::gfx942, row.source), row.reg, row.lane,
                                  row.is_write),
                  row.elements)
            << row.source << ", register " << row.reg << ", lane " << row.lane;
    }
    // 7.1.5: 8 bits are two runs of 16; of 6 and 4 bits a lane has 32 in order.
    const auto small = [](const std::string& formats, uint32_t reg, int lane) {
        return matrix_elements(
            decoded(gfx_target::gfx950, "v_mfma_f32_16x16x128_f8f6f4 v[0:3], " + formats), reg,
            lane, false);
    };
    EXPECT_EQ(small("v[8:15], v[16:23], 0", 8, 17), "A[1][16..19]");
    EXPECT_EQ(small("v[8:15], v[16:23], 0", 12, 17), "A[1][80..83]");
    EXPECT_EQ(small("v[8:11], v[16:23], 0 cbsz:4", 9, 17), "A[1][40..47]");
    EXPECT_EQ(small("v[8:13], v[16:23], 0 cbsz:2", 9, 17), "A[1][37..42]");
}

// Every register and lane of every instruction, by the formulas of 7.1.4.
TEST(matrix_elements, of_every_instruction) {
    constexpr int d = 0;
    constexpr int a = 64;
    constexpr int b = 96;
    const auto bracket = [](int first, int last) {
        return "[" + std::to_string(first) + (first == last ? "" : ".." + std::to_string(last)) +
               "]";
    };
    for (const gfx_target target : both_targets) {
        for (const matrix_instruction& t : instructions) {
            if (!exists(t, target)) {
                continue;
            }
            const instruction& i = decoded(target, text_of(t, {}, ""));
            const auto block_of = [&](int block) {
                return t.blocks == 1 ? "" : "block " + std::to_string(block) + ": ";
            };
            const int k_l = items_of_a_lane(t);
            for (const bool is_a : {true, false}) {
                const int bits = bits_of(is_a ? t.a : t.b);
                const int rows = is_a ? t.m : t.n;
                for (int lane = 0; lane < lane_count; ++lane) {
                    const std::string block = block_of(lane / rows % t.blocks);
                    const int k = k_l * (lane / (rows * t.blocks));
                    for (int reg = 0; reg < ceil_div(k_l * bits, 32); ++reg) {
                        const std::string ks = bits == 64 ? bracket(k + reg / 2, k + reg / 2)
                                                          : bracket(k + reg * 32 / bits,
                                                                    k + (reg + 1) * 32 / bits - 1);
                        const std::string row = bracket(lane % rows, lane % rows);
                        ASSERT_EQ(matrix_elements(i, static_cast<uint32_t>((is_a ? a : b) + reg),
                                                  lane, false),
                                  block + (is_a ? "A" + row + ks : "B" + ks + row))
                            << i.text << " register " << reg << " lane " << lane;
                    }
                }
            }
            const int dwords = t.a == format::f64 ? 2 : 1;
            for (int block = 0; block < t.blocks; ++block) {
                for (int row = 0; row < t.m; row += 1 + t.m / 8) {
                    for (int column = 0; column < t.n; column += 1 + t.n / 8) {
                        const auto [lane, item] = result_place(t, block, row, column);
                        for (int dword = 0; dword < dwords; ++dword) {
                            const auto reg = static_cast<uint32_t>(d + item * dwords + dword);
                            const std::string element = bracket(row, row) + bracket(column, column);
                            ASSERT_EQ(matrix_elements(i, reg, lane, true),
                                      block_of(block) + "D" + element)
                                << i.text;
                            ASSERT_EQ(matrix_elements(i, reg, lane, false),
                                      block_of(block) + "C" + element)
                                << i.text;
                        }
                    }
                }
            }
            // Beside the operands there are none.
            for (const int reg : {d + t.m * t.n * t.blocks / 64 * dwords, a - 1,
                                  a + ceil_div(k_l * bits_of(t.a), 32), b - 1,
                                  b + ceil_div(k_l * bits_of(t.b), 32)}) {
                ASSERT_EQ(matrix_elements(i, static_cast<uint32_t>(reg), 0, false), "") << i.text;
            }
        }
    }
}

// Of 8, 6 and 4 bits with scales (7.1.5, 7.2.1): a lane has 32 of a row, those of 8 bits in two runs of
// 16 that are half of K apart; its scale is for the 32 with the same k / 32.
TEST(matrix_elements, of_small_formats_and_scales) {
    const struct {
        const char* source;
        uint32_t reg;
        int lane;
        const char* elements;
    } rows[] = {
        {"16x16x128_f8f6f4 v[0:3], v[8:15], v[16:23], v[0:3], v60, v61", 11, 35, "A[3][44..47]"},
        {"16x16x128_f8f6f4 v[0:3], v[8:15], v[16:23], v[0:3], v60, v61", 12, 35, "A[3][96..99]"},
        {"16x16x128_f8f6f4 v[0:3], v[8:15], v[16:23], v[0:3], v60, v61", 23, 63, "B[124..127][15]"},
        {"32x32x64_f8f6f4 v[0:15], v[24:31], v[32:39], v[0:15], v60, v61", 24, 33, "A[1][16..19]"},
        {"32x32x64_f8f6f4 v[0:15], v[24:31], v[32:39], v[0:15], v60, v61", 36, 33, "B[48..51][1]"},
        {"32x32x64_f8f6f4 v[0:15], v[24:29], v[32:39], v[0:15], v60, v61 cbsz:3", 29, 32,
         "A[0][58..63]"},
        {"32x32x64_f8f6f4 v[0:15], v[24:31], v[32:35], v[0:15], v60, v61 blgp:4", 35, 31,
         "B[24..31][31]"},
        {"16x16x128_f8f6f4 v[0:3], v[8:15], v[16:21], v[0:3], v60, v61 blgp:2", 17, 16,
         "B[37..42][0]"},
        {"16x16x128_f8f6f4 v[0:3], v[8:15], v[16:23], v[0:3], v60, v61", 60, 0,
         "the scale of A[0][0..31]"},
        {"16x16x128_f8f6f4 v[0:3], v[8:15], v[16:23], v[0:3], v60, v61", 60, 37,
         "the scale of A[5][64..95]"},
        {"16x16x128_f8f6f4 v[0:3], v[8:15], v[16:23], v[0:3], v60, v61", 61, 63,
         "the scale of B[96..127][15]"},
        {"32x32x64_f8f6f4 v[0:15], v[24:31], v[32:39], v[0:15], v60, v61", 60, 37,
         "the scale of A[5][32..63]"},
        {"32x32x64_f8f6f4 v[0:15], v[24:31], v[32:39], v[0:15], v60, v61", 61, 31,
         "the scale of B[0..31][31]"},
        {"32x32x64_f8f6f4 v[0:15], v[24:31], v[32:39], v[0:15], v60, v60", 60, 1,
         "the scale of A[1][0..31] and the scale of B[0..31][1]"},
        {"32x32x64_f8f6f4 v[0:15], v[24:31], v[32:39], v[0:15], v60, v61", 62, 31, ""},
    };
    for (const auto& row : rows) {
        const std::string source = std::string("v_mfma_scale_f32_") + row.source;
        EXPECT_EQ(matrix_elements(decoded(gfx_target::gfx950, source), row.reg, row.lane, false),
                  row.elements)
            << source << ", register " << row.reg << ", lane " << row.lane;
    }
    // Formats that do not exist.
    for (const char* format : {" cbsz:5", " blgp:5"}) {
        const std::string source =
            "v_mfma_f32_16x16x128_f8f6f4 v[0:3], v[8:15], v[16:23], v[0:3]" + std::string(format);
        EXPECT_EQ(matrix_elements(decoded(gfx_target::gfx950, source), 8, 0, false), "") << source;
    }
    // Of what exchanges lanes of B it is not said.
    const instruction& permuted =
        decoded(gfx_target::gfx942, "v_mfma_f32_16x16x4_f32 v[0:3], v8, v9, v[0:3] blgp:1");
    EXPECT_EQ(matrix_elements(permuted, 9, 1, false), "");
    const instruction& negated = decoded(
        gfx_target::gfx942, "v_mfma_f64_16x16x4_f64 v[0:7], v[8:9], v[10:11], v[0:7] neg:[0,1,0]");
    EXPECT_EQ(matrix_elements(negated, 11, 1, false), "B[0][1]");
}

// The instructions of all shapes, with one element of A and one of B that are not 0: the one element of
// the product that is not 0 has the row and the column of those two.
TEST(matrix_elements, are_those_that_the_product_comes_from) {
    const struct {
        const char* mnemonic;
        int a;  // registers
        int b;
        int d;
        uint32_t one;
    } shapes[] = {
        {"v_mfma_f32_16x16x4_f32", 1, 1, 4, 0x3f800000},
        {"v_mfma_f32_32x32x2_f32", 1, 1, 16, 0x3f800000},
        {"v_mfma_f32_32x32x1_2b_f32", 1, 1, 32, 0x3f800000},
        {"v_mfma_f32_16x16x1_4b_f32", 1, 1, 16, 0x3f800000},
        {"v_mfma_f32_4x4x1_16b_f32", 1, 1, 4, 0x3f800000},
        {"v_mfma_f32_16x16x16_f16", 2, 2, 4, 0x3c003c00},
        {"v_mfma_f32_32x32x8_f16", 2, 2, 16, 0x3c003c00},
        {"v_mfma_f32_32x32x4_2b_f16", 2, 2, 32, 0x3c003c00},
        {"v_mfma_i32_16x16x32_i8", 2, 2, 4, 0x01010101},
        {"v_mfma_f64_16x16x4_f64", 2, 2, 8, 0x3ff00000},
        {"v_mfma_f64_4x4x4_4b_f64", 2, 2, 2, 0x3ff00000},
    };
    const auto range = [](int first, int count) {
        return "v[" + std::to_string(first) + ":" + std::to_string(first + count - 1) + "]";
    };
    for (const auto& s : shapes) {
        const std::string source = std::string(s.mnemonic) + " " + range(0, s.d) + ", " +
                                   range(64, s.a) + ", " + range(72, s.b) + ", 0";
        const instruction& i = decoded(gfx_target::gfx942, source);
        const bool is_f64 = s.mnemonic[9] == '6';
        int found = 0;
        for (int lane_a = 0; lane_a < lane_count; lane_a += 5) {
            for (int lane_b = 0; lane_b < lane_count; lane_b += 3) {
                machine m(gfx_target::gfx942);
                const int reg_a = 64 + s.a - 1;
                const int reg_b = 72 + s.b - 1;
                m.v(reg_a)[static_cast<size_t>(lane_a)] = s.one;
                m.v(reg_b)[static_cast<size_t>(lane_b)] = s.one;
                m.run(source);
                const std::string a =
                    matrix_elements(i, static_cast<uint32_t>(reg_a), lane_a, false);
                const std::string b =
                    matrix_elements(i, static_cast<uint32_t>(reg_b), lane_b, false);
                // "block 1: A[3][4..5]" -> its block, row and k.
                const size_t at_a = a.find("A[");
                const size_t at_b = b.find("B[");
                ASSERT_NE(at_a, std::string::npos);
                ASSERT_NE(at_b, std::string::npos);
                const std::string row = a.substr(at_a + 1, a.find(']') - at_a);
                const std::string k_a = a.substr(a.find(']') + 1);
                const std::string k_b = b.substr(at_b + 1, b.find(']') - at_b);
                const std::string column = b.substr(b.find(']') + 1);
                const bool meet = a.substr(0, at_a) == b.substr(0, at_b) && k_a == k_b;
                const std::string wanted = meet ? a.substr(0, at_a) + "D" + row + column : "";
                std::string product;
                for (int reg = is_f64 ? 1 : 0; reg < s.d; reg += is_f64 ? 2 : 1) {
                    for (int lane = 0; lane < lane_count; ++lane) {
                        if (m.v(reg)[static_cast<size_t>(lane)] != 0) {
                            product += matrix_elements(i, static_cast<uint32_t>(reg), lane, true);
                        }
                    }
                }
                EXPECT_EQ(product, wanted) << source << ": " << a << ", " << b;
                found += meet ? 1 : 0;
            }
        }
        EXPECT_GT(found, 0) << source;
    }
}

// ---- values and elements in reports ----

std::vector<twin> value_twins() {
    const std::string product = "v_mfma_f32_16x16x16_f16 v[12:15], v[8:9], v[10:11], 0\n";
    const std::string zeros = "v_mov_b32 v8, 0\n v_mov_b32 v9, 0\n v_mov_b32 v10, 0\n";
    const std::string written = zeros + "v_mov_b32 v11, 0\n s_nop 7\n";
    return {
        {"a register", check::uninitialized_registers, "v_add_f32 v5, v1, v9",
         "v_mov_b32 v9, 0\n v_add_f32 v5, v1, v9",
         "lane 0: v9 is read before anything is written there .the value is 0x00000000 .0 as "
         "f32.."},
        {"a matrix operand", check::uninitialized_registers, zeros + "s_nop 7\n" + product,
         written + product,
         "lane 0: v11 is read before anything is written there, which is B.2\\.\\.3..0. .the "
         "value"},
        {"a lane of a matrix operand", check::lanes,
         zeros + "s_mov_b64 exec, 0xff\n v_mov_b32 v11, 0\n s_mov_b64 exec, -1\n s_nop 7\n" +
             product,
         written + product, "lane 8 of v11 was never written.*reads it, which is B.2\\.\\.3..8."},
        {"a lane that is off", check::exec,
         written + "s_mov_b64 exec, 0xff\n" + product + "s_mov_b64 exec, -1\n", written + product,
         "lane 8 is switched off.*: v8 A.8..0\\.\\.1., v10 B.0\\.\\.1..8."},
        {"a load of a matrix operand", check::waits,
         "global_load_dwordx2 v[8:9], v1, s[0:1]\n" + product,
         "global_load_dwordx2 v[8:9], v1, s[0:1]\n s_waitcnt vmcnt(0)\n" + product,
         "v.8:9. is read while the load that writes v.8:9. is pending .vmcnt., v8: A.0..0\\.\\.1. "
         "in lane 0 to A.15..12\\.\\.13. in lane 63"},
        {"a race of writes", check::races, "v_mov_b32 v5, s2\n ds_write_b32 v1, v5",
         "v_mov_b32 v5, 3\n ds_write_b32 v1, v5",
         "wave 1 writes what wave 0 writes without a barrier between .0x00000001 "
         ".1.4013e-45|1.40129846e-45 as f32. over 0x00000000",
         2},
        {"a race of a read", check::races,
         "v_mov_b32 v5, 1.0\n s_cmp_eq_u32 s2, 0\n s_cbranch_scc0 1f\n ds_write_b32 v1, v5\n"
         "s_branch 2f\n 1: ds_read_b32 v6, v1\n 2:\n",
         "v_mov_b32 v5, 1.0\n ds_write_b32 v2, v5\n ds_read_b32 v6, v2",
         "wave 1 reads what wave 0 writes without a barrier between .0x3f800000 .1 as f32..", 2},
        {"a byte within a dword", check::races,
         "v_mov_b32 v5, 0x12\n v_add_u32 v5, s2, v5\n v_mov_b32 v6, 5\n ds_write_b8 v6, v5",
         "v_mov_b32 v5, 0x12\n v_mov_b32 v6, 5\n ds_write_b8 v6, v5",
         "LDS byte 5 of 1024: wave 1 writes .*.0x00001300 .* over 0x00001200 ", 2},
        {"LDS that nobody wrote", check::uninitialized_lds, "ds_read_b32 v5, v1",
         "ds_write_b32 v1, v0\n ds_read_b32 v5, v1",
         "LDS byte 0 of 1024 is read before anything is written there .the value is 0x00000000 "},
        {"a global store", check::none, "v_mov_b32 v5, 0x2000\n global_store_dword v5, v1, s[0:1]",
         "global_store_dword v1, v1, s[0:1]", "lane 0: store of .*, writing 0x00000000 .0 as f32"},
        {"a half", check::none,
         "v_mov_b32 v5, 0x2000\n v_mov_b32 v6, 0x12345678\n"
         "global_store_short_d16_hi v5, v6, s[0:1]",
         "global_store_short_d16_hi v1, v6, s[0:1]", "store of 2 bytes .*, writing 0x1234\n"},
        {"the second of two LDS writes", check::none,
         "v_mov_b32 v5, 8\n v_mov_b32 v6, 9\n v_mov_b32 v7, 0\n"
         "ds_write2st64_b32 v7, v5, v6 offset0:1 offset1:4",
         "v_mov_b32 v7, 0\n ds_write2st64_b32 v7, v0, v1 offset0:1 offset1:3",
         "LDS access of 4 bytes at 1024, the group has 1024 bytes of LDS, writing 0x00000009"},
        {"the first of two LDS writes", check::none,
         "v_mov_b32 v5, 8\n v_mov_b32 v6, 9\n v_mov_b32 v7, 0\n"
         "ds_write2st64_b32 v7, v5, v6 offset0:4 offset1:1",
         "v_mov_b32 v7, 0\n ds_write2st64_b32 v7, v0, v1 offset0:3 offset1:1",
         "LDS access of 4 bytes at 1024, the group has 1024 bytes of LDS, writing 0x00000008"},
        {"two dwords to private memory", check::none,
         "v_mov_b32 v5, 60\n v_mov_b32 v6, 1\n v_mov_b32 v7, 2\n scratch_store_dwordx2 v5, v[6:7], "
         "off",
         "v_mov_b32 v5, 56\n scratch_store_dwordx2 v5, v[6:7], off",
         "private access of 8 bytes at 60.*, writing 0x00000001 0x00000002"},
        {"a load", check::none, "v_mov_b32 v5, 0x1000\n global_load_dword v6, v5, s[0:1]",
         "global_load_dword v6, v1, s[0:1]",
         "lane 0: load of 4 bytes at .* allocation at 0x[0-9a-f]+, too small by 1 element of 4 "
         "bytes\n"},
        {"memory that nobody wrote", check::uninitialized_memory,
         "global_load_dword v3, v1, s[10:11] offset:256\n s_waitcnt vmcnt(0)\n v_add_u32 v4, v3, 1",
         "global_load_dword v3, v1, s[10:11]\n s_waitcnt vmcnt(0)\n v_add_u32 v4, v3, 1",
         "lane 0: uses v3 = 0xffffffff .-nan as f32., loaded from byte 256"},
    };
}

TEST(values, twins) {
    check_twins("values", value_twins());
}

// What a write of each width brings to the dword that it races for, its last bytes included.
TEST(values, of_writes_of_every_width) {
    struct {
        const char* write;
        uint32_t address;
        std::vector<const char*> values;  // of each dword that it writes to, over 0xaabbccdd
    } const cases[] = {
        {"ds_write_b8 v4, v8", 3, {"0x22bbccdd"}},
        {"ds_write_b8_d16_hi v4, v8", 2, {"0xaa12ccdd"}},
        {"ds_write_b16 v4, v8", 2, {"0x1122ccdd"}},
        {"ds_write_b16 v4, v8", 0, {"0xaabb1122"}},
        {"ds_write_b32 v4, v8", 4, {"0x77121122"}},
        {"ds_write_b64 v4, v[8:9]", 0, {"0x77121122", "0x33333333"}},
        {"ds_write_b96 v4, v[8:10]", 0, {"0x77121122", "0x33333333", "0x44444444"}},
        {"ds_write_b128 v4, v[8:11]", 16, {"0x77121122", "0x33333333", "0x44444444", "0x55555555"}},
    };
    const std::string start =
        "s_mov_b64 exec, 1\n v_mov_b32 v6, 0xaabbccdd\n v_mov_b32 v8, 0x77121122\n"
        "v_mov_b32 v9, 0x33333333\n v_mov_b32 v10, 0x44444444\n v_mov_b32 v11, 0x55555555\n"
        "s_cmp_eq_u32 s2, 0\n s_cbranch_scc0 1f\n v_mov_b32 v4, ";
    for (const gfx_target target : both_targets) {
        for (const auto& c : cases) {
            for (size_t d = 0; d < c.values.size(); ++d) {
                const std::string first =
                    std::to_string(c.address / 4 * 4 + 4 * d) +
                    "\n ds_write_b32 v4, v6\n s_branch 2f\n 1: v_mov_b32 v4, ";
                const std::string source =
                    start + first + std::to_string(c.address) + "\n " + c.write + "\n 2:\n";
                EXPECT_REPORT(run_kernel(target, source, 2, check::races),
                              std::string("wave 1 writes what wave 0 writes.*.") + c.values[d] +
                                  " .*over 0xaabbccdd");
            }
        }
    }
}

// Registers of each file, the last of each and one beyond it.
TEST(values, of_registers) {
    machine m(gfx_target::gfx942);
    m.w().vgpr.resize(512);
    m.w().agpr.resize(8);
    m.v(0)[5] = 0x11;
    m.v(511)[5] = 0x22;
    m.a(0)[5] = 0x33;
    m.a(7)[5] = 0x44;
    m.s(0) = 0x55;
    m.s(127) = 0x66;
    const auto value = [&](uint32_t reg) {
        const std::string text = register_value(m.w(), reg, 5);
        return text.substr(0, text.find(' '));
    };
    EXPECT_EQ(value(0), "0x00000011");
    EXPECT_EQ(value(511), "0x00000022");
    EXPECT_EQ(value(first_agpr), "0x00000033");
    EXPECT_EQ(value(first_agpr + 7), "0x00000044");
    EXPECT_EQ(value(first_agpr + 8), "none");
    EXPECT_EQ(value(first_sgpr), "0x00000055");
    EXPECT_EQ(value(first_sgpr + 127), "0x00000066");
    m.w().vgpr.resize(4);
    EXPECT_EQ(value(3), "0x00000000");
    EXPECT_EQ(value(4), "none");
    m.s(0) = bits(-2.5f);
    EXPECT_EQ(register_value(m.w(), first_sgpr, 5), "0xc0200000 (-2.5 as f32)");
}

// Dwords one after the other, the last one with as many digits as it has bytes.
TEST(values, of_bytes) {
    std::array<std::byte, 12> bytes;
    for (size_t n = 0; n < bytes.size(); ++n) {
        bytes[n] = static_cast<std::byte>(n + 1);
    }
    const std::pair<size_t, const char*> rows[] = {
        {1, "0x01"},
        {2, "0x0201"},
        {3, "0x030201"},
        {4, "0x04030201 (1.53998961e-36 as f32)"},
        {5, "0x04030201 0x05"},
        {6, "0x04030201 0x0605"},
        {8, "0x04030201 0x08070605"},
        {12, "0x04030201 0x08070605 0x0c0b0a09"},
    };
    for (const auto& [count, text] : rows) {
        EXPECT_EQ(value_text(std::span(bytes).first(count)), text);
    }
}

// Which register a store writes, of every kind, and nothing of what stores nothing.
TEST(values, of_stores) {
    machine m(gfx_target::gfx942, 64);
    for (int n = 0; n < 16; ++n) {
        m.fill(n, 0x11111111 * static_cast<uint32_t>(n));
        m.w().agpr[static_cast<size_t>(n)].lane.fill(0xa0000000 + static_cast<uint32_t>(n));
    }
    m.v(1)[3] = 256;  // an address
    const struct {
        const char* source;
        uint64_t address;
        int bytes;
        const char* text;
    } rows[] = {
        {"buffer_store_dword v4, v1, s[0:3], 0 offen", 0, 4, "0x44444444 ("},
        {"buffer_store_dwordx3 v[4:6], v1, s[0:3], 0 offen", 0, 12,
         "0x44444444 0x55555555 0x66666666"},
        {"buffer_store_dword a4, v1, s[0:3], 0 offen", 0, 4, "0xa0000004 ("},
        {"buffer_store_byte v4, v1, s[0:3], 0 offen", 0, 1, "0x44"},
        {"buffer_store_byte_d16_hi a4, v1, s[0:3], 0 offen", 0, 1, "0x00"},
        {"buffer_store_short_d16_hi a4, v1, s[0:3], 0 offen", 0, 2, "0xa000"},
        {"global_store_dwordx2 v1, v[4:5], s[0:1]", 0, 8, "0x44444444 0x55555555"},
        {"global_store_dwordx2 v1, a[4:5], s[0:1]", 0, 8, "0xa0000004 0xa0000005"},
        {"flat_store_dwordx4 v[2:3], v[4:7]", 0, 16, "0x44444444 0x55555555 0x66666666 0x77777777"},
        {"scratch_store_short v1, v4, off", 0, 2, "0x4444"},
        {"ds_write_b64 v1, v[4:5]", 0, 8, "0x44444444 0x55555555"},
        {"ds_write_b16_d16_hi v1, a4", 0, 2, "0xa000"},
        {"ds_write_b8 v1, v4", 0, 1, "0x44"},
        {"ds_write2_b32 v1, v4, v5 offset0:2 offset1:5", 256 + 8, 4, "0x44444444 ("},
        {"ds_write2_b32 v1, v4, v5 offset0:2 offset1:5", 256 + 20, 4, "0x55555555 ("},
        {"ds_write2_b64 v1, v[4:5], v[6:7] offset0:2 offset1:5", 256 + 16, 8,
         "0x44444444 0x55555555"},
        {"ds_write2_b64 v1, v[4:5], v[6:7] offset0:2 offset1:5", 256 + 40, 8,
         "0x66666666 0x77777777"},
        {"ds_write2st64_b32 v1, v4, v5 offset0:1 offset1:2", 256 + 256, 4, "0x44444444 ("},
        {"ds_write2st64_b32 v1, v4, v5 offset0:1 offset1:2", 256 + 512, 4, "0x55555555 ("},
        {"ds_write2st64_b64 v1, v[4:5], v[6:7] offset0:1 offset1:2", 256 + 512, 8,
         "0x44444444 0x55555555"},
        {"ds_write2st64_b64 v1, v[4:5], v[6:7] offset0:1 offset1:2", 256 + 1024, 8,
         "0x66666666 0x77777777"},
        {"ds_write_addtid_b32 v4", 0, 4, "0x44444444 ("},
        {"ds_read_b32 v4, v1", 0, 4, nullptr},
        {"global_load_dword v4, v1, s[0:1]", 0, 4, nullptr},
        {"global_atomic_add v1, v4, s[0:1]", 0, 4, nullptr},
        {"v_mov_b32 v4, v5", 0, 4, nullptr},
    };
    for (const auto& row : rows) {
        const std::string text = written_value(m.w(), decoded(gfx_target::gfx942, row.source), 3,
                                               row.address, row.bytes);
        if (row.text == nullptr) {
            EXPECT_EQ(text, "") << row.source;
        } else {
            EXPECT_THAT(text + " ", ::testing::StartsWith(std::string(", writing ") + row.text))
                << row.source;
        }
    }
}

TEST(values, a_nan_names_the_element) {
    // An infinity in A[2][0] and 0 in B: the row of the result.
    const std::string source =
        "v_mov_b32 v8, 0\n v_mov_b32 v9, 0\n v_mov_b32 v10, 0\n v_mov_b32 v11, 0\n"
        "s_mov_b64 exec, 4\n v_mov_b32 v8, 0x7bff\n v_mov_b32 v10, 0x7bff\n s_mov_b64 exec, -1\n"
        "s_nop 7\n v_mfma_f32_16x16x16_f16 v[12:15], v[8:9], v[10:11], v[16:19]\n";
    const std::string largest = "v_mov_b32 v18, 0x7f7fffff\n";
    EXPECT_NO_REPORT(run_kernel(gfx_target::gfx942, largest + source, 1, check::nan));
    const std::string doubled =
        "v_mov_b32 v8, 0\n v_mov_b32 v9, 0\n v_mov_b32 v10, 0\n v_mov_b32 v11, 0\n"
        "v_mov_b32 v18, 0x7f7fffff\n s_mov_b64 exec, 4\n v_mov_b32 v8, 0x7f7f\n"
        "v_mov_b32 v10, 0x7f7f\n s_mov_b64 exec, -1\n s_nop 7\n"
        "v_mfma_f32_16x16x16_bf16 v[12:15], v[8:9], v[10:11], v[16:19]\n";
    EXPECT_REPORT(run_kernel(gfx_target::gfx942, doubled, 1, check::nan),
                  "lane 2: an infinity from operands without one, in D.2..2.: v.12:15. = ");
}

// ---- OPUS_EMU_STOP ----

TEST(stop, what_it_means) {
    std::string problem;
    const stop_request line = parse_stop("kernels/gemm.hip:42,group=1:2:3,wave=1,count=3", problem);
    EXPECT_EQ(problem, "");
    EXPECT_EQ(line.kind, stop_kind::line);
    EXPECT_EQ(line.file, "kernels/gemm.hip");
    EXPECT_EQ(line.line, 42u);
    EXPECT_EQ(line.group, (std::array<uint32_t, 3>{1, 2, 3}));
    EXPECT_EQ(line.wave, 1);
    EXPECT_EQ(line.count, 3u);
    EXPECT_EQ(line.offset, 0u);
    EXPECT_TRUE(line.dump.vgpr && line.dump.sgpr && line.dump.lds) << "all that there is";
    const stop_request address = parse_stop("+0x1c,kernel=gemm,group=5", problem);
    EXPECT_EQ(problem, "");
    EXPECT_EQ(address.kind, stop_kind::address);
    EXPECT_EQ(address.offset, 0x1cu);
    EXPECT_EQ(address.kernel, "gemm");
    EXPECT_EQ(address.group, (std::array<uint32_t, 3>{5, 0, 0}));
    EXPECT_EQ(address.count, 1u);
    EXPECT_EQ(address.line, 0u);
    EXPECT_EQ(parse_stop("42", problem).line, 42u);
    EXPECT_EQ(parse_stop("report", problem).kind, stop_kind::report);
    EXPECT_EQ(problem, "");
    const dump_parts parts = parse_dump("lds,vgpr", problem);
    EXPECT_EQ(problem, "");
    EXPECT_TRUE(parts.lds && parts.vgpr && !parts.sgpr);
}

TEST(stop, what_means_nothing) {
    const struct {
        const char* text;
        const char* problem;
    } rows[] = {
        {"", "a line"},
        {"gemm.hip", "a line"},
        {":42", "a line"},
        {"gemm.hip:", "a line"},
        {"0", "a line"},
        {"0x", "a line"},
        {"0xg", "a line"},
        {"reports", "a line"},
        {"42,", "'': kernel="},
        {"42,lane=1", "'lane=1': kernel="},
        {"42,wave", "wave= needs"},
        {"42,wave=-1", "wave= needs"},
        {"42,group=1:", "group= needs"},
        {"42,group=1:2:3:4", "group= needs"},
        {"42,count=0", "count= needs"},
        {"42,kernel=", "kernel= needs"},
        {"report,wave=1", "with report only kernel="},
    };
    for (const auto& [text, wanted] : rows) {
        std::string problem;
        parse_stop(text, problem);
        EXPECT_THAT(problem, ::testing::StartsWith(wanted)) << text;
    }
    for (const char* text : {"", "vgpr,", "vgprs", "vgpr,lds,all"}) {
        std::string problem;
        parse_dump(text, problem);
        EXPECT_THAT(problem, HasSubstr("a list of vgpr, sgpr and lds is needed")) << text;
    }
}

// What is printed while the kernel runs, with the stop's last word.
std::string output_of(const std::string& source, const std::string& stop, int waves = 2,
                      const std::string& dump = "vgpr,sgpr,lds",
                      std::array<uint32_t, 3> groups = {1, 1, 1}) {
    testing::internal::CaptureStderr();
    {
        std::string problem;
        stop_request request = parse_stop(stop, problem);
        request.dump = parse_dump(dump, problem);
        EXPECT_EQ(problem, "");
        wave_stop place(request);
        kernel_run(gfx_target::gfx942, source, waves, check::none, check_mode::stop, groups)
            .run(10000, &place);
    }
    return testing::internal::GetCapturedStderr();
}

const std::string loop =
    "v_mov_b32 v5, 7\n s_mov_b32 s9, 0\n ds_write_b32 v2, v2\n"      // +0x0, +0x4, +0x8
    "1: s_add_u32 s9, s9, 1\n v_add_u32 v5, s9, v5\n"                // +0x10, +0x14
    "s_cmp_lt_u32 s9, 5\n s_cbranch_scc1 1b\n ds_read_b32 v6, v2\n"  // +0x18, +0x1c, +0x20
    "v_mov_b32 v5, 0\n";                                             // +0x28

TEST(stop, state_before_the_instruction_of_one_arrival) {
    const std::string text = output_of(loop, "0x14,wave=1,count=3");
    EXPECT_THAT(text, HasSubstr("opus emulator: stop at 0x14,wave=1,count=3\n  kernel      kernel\n"
                                "  pc          +0x14 from its first instruction\n"
                                "  instruction v_add_u32_e32 v5, s9, v5\n"
                                "  group       (0, 0, 0), wave 1\n"
                                "  exec        ffffffffffffffff\nvariables: none"));
    EXPECT_THAT(text, HasSubstr("\n  s8   00000000 00000003 "));
    EXPECT_THAT(text, HasSubstr("\n  v5 = 0000000a\n"));  // 7 + 1 + 2
    EXPECT_THAT(text, HasSubstr("  v2 =\n    lane  0: 00000100 00000104 "));
    EXPECT_THAT(text, HasSubstr("\n  v6 to v63 = 0\n"));
    EXPECT_THAT(text,
                HasSubstr("lds, 1024 bytes:\n  00000  00000000 00000004 00000008 0000000c\n"));
    EXPECT_THAT(text, HasSubstr("\n  001f0  000001f0 000001f4 000001f8 000001fc\n"
                                "  00200  00000000 00000000 00000000 00000000\n  *\n"
                                "last instructions"));
    EXPECT_THAT(text, ::testing::EndsWith("  +0x14  v_add_u32_e32 v5, s9, v5\n"
                                          "  +0x18  s_cmp_lt_u32 s9, 5\n"
                                          "  +0x1c  s_cbranch_scc1 65532\n"
                                          "  +0x10  s_add_u32 s9, s9, 1\n"));
    EXPECT_EQ(text.find("stop at"), text.rfind("stop at"));
}

// From the first one on, those in a row that are 0 in one line.
TEST(stop, vector_registers) {
    const std::string text = output_of(
        "v_mov_b32 v63, 0x12345678\n v_mov_b32 v0, 1\n"
        "v_mov_b32 v1, 0\n v_mov_b32 v2, 0\n s_nop 1\n",
        "0x18", 1, "vgpr");
    EXPECT_THAT(text, HasSubstr("vgpr:\n  v0 = 00000001\n  v1 to v62 = 0\n  v63 = 12345678\n"));
    const std::string zeros =
        output_of("v_mov_b32 v0, 0\n v_mov_b32 v1, 3\n s_nop 1\n", "0x8", 1, "vgpr");
    EXPECT_THAT(zeros, HasSubstr("vgpr:\n  v0 = 00000000\n  v1 = 00000003\n"));
    const std::string two = output_of(
        "v_mov_b32 v0, 0\n v_mov_b32 v1, 0\n v_mov_b32 v2, 3\n s_nop 1\n", "0xc", 1, "vgpr");
    EXPECT_THAT(two, HasSubstr("vgpr:\n  v0 to v1 = 0\n  v2 = 00000003\n"));
}

// Some reports come later than the instruction that they are about.
TEST(stop, says_where_the_wave_is) {
    machine m(gfx_target::gfx942);
    const std::vector<std::byte>& bytes =
        assemble(m.target(), "s_nop 0\ns_mov_b32 s0, 0x12345678\ns_nop 1\ns_endpgm");
    program code(m.target(), bytes.data(), bytes.size(), machine::base);
    const std::string name = "k";
    workgroup& group = *m.w().group;
    group.code = &code;
    group.kernel_name = &name;
    group.entry = machine::base;
    for (const unsigned at : {0u, 4u, 12u, 16u}) {
        m.w().pc = machine::base + at;
        const std::string text = dump_of(m.w(), machine::base + 4, {});
        const bool is_there = at == 4 || at == 12;
        EXPECT_THAT(text, HasSubstr("\n  pc          +0x4 from its first instruction\n"
                                    "  instruction s_mov_b32 s0, 0x12345678\n"));
        EXPECT_EQ(text.find("gone on") == std::string::npos, is_there) << text;
        if (!is_there) {
            EXPECT_THAT(text, HasSubstr("\n  (the wave has gone on to +0x" +
                                        std::string(at == 0 ? "0" : "10") +
                                        "; what follows is its state there)\n"));
        }
    }
}

TEST(stop, scalar_registers) {
    const auto dump = [](const std::string& before) {
        return output_of(before + "s_nop 1\n", "0x8", 1, "sgpr");
    };
    EXPECT_THAT(dump("s_mov_b32 s9, 0x1234567\n"), HasSubstr("\n  s8   00000000 01234567 "));
    EXPECT_THAT(dump("s_mov_b32 s9, 0x1234567\n"),
                HasSubstr(" 00020000\n  s16 to s101 = 0\n  vcc "));
    EXPECT_THAT(dump("s_mov_b32 s16, 0x1234567\n"),
                HasSubstr(" 00020000\n  s16  01234567\n  s17 to s101 = 0\n  vcc "));
    EXPECT_THAT(
        dump("s_mov_b32 s101, 0x1234567\n"),
        HasSubstr("\n  s96  00000000 00000000 00000000 00000000 00000000 01234567\n  vcc "));
    std::string zeros;
    for (int n = 0; n < 16; n += 2) {
        zeros += "s_mov_b64 s[" + std::to_string(n) + ":" + std::to_string(n + 1) + "], 0\n";
    }
    EXPECT_THAT(output_of(zeros + "s_nop 1\n", "0x20", 1, "sgpr"),
                HasSubstr("sgpr:\n  s0   00000000 00000000 00000000 00000000 00000000 00000000 "
                          "00000000 00000000\n  s8 to s101 = 0\n"));
    EXPECT_THAT(dump("s_mov_b32 m0, 0x1234567\n"),
                HasSubstr("\n  vcc 0000000000000000, m0 01234567, scc 0, mode 0x3f0\n"));
}

TEST(stop, in_one_of_several_groups) {
    const std::string text =
        output_of(loop, "0x14,group=1:2:3,wave=1,count=2", 2, "sgpr", {2, 3, 4});
    EXPECT_THAT(text, HasSubstr("\n  group       (1, 2, 3), wave 1\n"));
    EXPECT_THAT(text, HasSubstr("\n  s8   00000002 00000002 "));  // its y, and how often
    EXPECT_THAT(output_of(loop, "0x14,group=1:2:3,count=6", 2, "sgpr", {2, 3, 4}),
                HasSubstr("wave 0 of group (1, 2, 3) came there 5 times"));
}

// The values of lanes that are on; in one line if they are the same.
TEST(stop, values_by_lane) {
    std::array<std::string, 64> values;
    values.fill("7");
    EXPECT_EQ(by_lane(values, ~uint64_t{0}, "  "), " 7");
    EXPECT_EQ(by_lane(values, 0, "  "), " (no lane is on)");
    values[9] = "9";
    EXPECT_EQ(by_lane(values, ~(uint64_t{1} << 9), "  "), " 7");
    EXPECT_EQ(by_lane(values, uint64_t{1} << 9, "  "), " 9");
    EXPECT_EQ(by_lane(values, 0x8000000000000700, "  "),
              "\n  lane  8: 7 9 7 - - - - -\n  lane 56: - - - - - - - 7");
    EXPECT_EQ(by_lane(values, 0x10280, ">"),
              "\n>lane  0: - - - - - - - 7\n>lane  8: - 9 - - - - - -\n>lane 16: 7 - - - - - - -");
}

TEST(stop, the_part_of_lds_that_an_instruction_uses) {
    const std::string text = output_of(loop, "0x20,wave=1", 2, "lds");
    EXPECT_THAT(text,
                HasSubstr("lds, 1024 bytes; those between what the instruction uses:\n  00100 "));
    EXPECT_THAT(text, HasSubstr("\n  001f0 "));
    EXPECT_THAT(text, Not(HasSubstr("\n  00000 ")));
    EXPECT_THAT(text, Not(HasSubstr("\n  00200 ")));
    EXPECT_THAT(text, Not(HasSubstr("vgpr")));
    EXPECT_THAT(text, Not(HasSubstr("sgpr")));
}

TEST(stop, every_byte_of_lds) {
    const std::string text =
        output_of("v_mov_b32 v5, 0x87654321\n ds_write_b32 v2, v5\n s_nop 0\n", "0x10", 1, "lds");
    EXPECT_THAT(text, HasSubstr("\n  00000  87654321 87654321 87654321 87654321\n  *\n  00100 "));
}

// Of the first lane and of the last one alone.
TEST(stop, the_part_of_lds_that_one_lane_uses) {
    const struct {
        const char* exec;
        const char* place;  // of the read, behind 8 bytes and 8 or 12
        const char* row;
        const char* next;
    } cases[] = {
        {"s_mov_b32 exec_lo, 1\n s_mov_b32 exec_hi, 0\n", "0x10,wave=1", "00100", "00110"},
        {"s_mov_b32 exec_lo, 0\n s_mov_b32 exec_hi, 0x80000000\n", "0x14,wave=1", "001f0", "00200"},
    };
    for (const auto& c : cases) {
        const std::string source =
            std::string("ds_write_b32 v2, v2\n ") + c.exec + "ds_read_b32 v6, v2\n";
        const std::string text = output_of(source, c.place, 2, "lds");
        EXPECT_THAT(text, HasSubstr("what the instruction uses:\n  " + std::string(c.row) + " "));
        EXPECT_THAT(text, Not(HasSubstr("\n  " + std::string(c.next) + " ")));
    }
}

TEST(stop, no_more_than_the_last_twenty_instructions) {
    std::string many;
    for (int n = 0; n < 400; ++n) {
        many += "s_mov_b32 s9, " + std::to_string(n % 64) + "\n";
    }
    const std::string text = output_of(many, "0x63c", 1, "sgpr");  // the last of them
    const std::string last = text.substr(text.find("last instructions of the wave:\n"));
    EXPECT_EQ(std::ranges::count(last, '\n'), 21);
    EXPECT_THAT(last, HasSubstr("wave:\n  +0x5ec "));
    EXPECT_THAT(last, HasSubstr("  +0x638 "));
}

TEST(stop, is_not_made_and_says_why) {
    EXPECT_EQ(output_of(loop, "0x14,count=6"),
              "opus emulator: OPUS_EMU_STOP=0x14,count=6: no stop: wave 0 of group (0, 0, 0) came "
              "there 5 times\n");
    EXPECT_THAT(output_of(loop, "0x14,group=1"), HasSubstr("group (1, 0, 0) came there 0 times"));
    EXPECT_THAT(output_of(loop, "0x16"), HasSubstr("came there 0 times"));
    EXPECT_THAT(output_of(loop, "0x14,kernel=other"),
                HasSubstr("no kernel was launched that has other"));
    EXPECT_THAT(output_of(loop, "42"), HasSubstr("no instruction of the kernels is of that line"));
    EXPECT_THAT(output_of(loop, "report"), HasSubstr("no stop: nothing was reported"));
}

// Code with lines, one for each of its instructions, which are s_nop with their number.
class code_with_lines {
public:
    explicit code_with_lines(const std::vector<int>& lines) {
        std::string plain;
        std::string text = ".text\n.file 1 \"/home/me/k.hip\"\n";
        for (size_t n = 0; n < lines.size(); ++n) {
            const std::string instruction = "s_nop " + std::to_string(n) + "\n";
            plain += instruction;
            text += ".loc 1 " + std::to_string(lines[n]) + "\n" + instruction;
        }
        // A unit without children: where its lines and its code are (DWARF 5, 7.5).
        text +=
            ".section .debug_abbrev,\"\",@progbits\n"
            ".byte 1, 0x11, 0, 0x10, 0x17, 0x11, 1, 0x12, 6, 0, 0, 0\n"
            ".section .debug_info,\"\",@progbits\n"
            ".long 25\n.short 5\n.byte 1, 8\n.long 0\n.byte 1\n.long 0\n.quad 0\n.long " +
            std::to_string(4 * lines.size()) + "\n.section .debug_line,\"\",@progbits\n";
        const std::vector<std::byte>& bytes = assemble(gfx_target::gfx942, plain);
        code_.emplace(gfx_target::gfx942, bytes.data(), bytes.size(), machine::base);
        code_->set_source_lines(source_lines(assemble_object(gfx_target::gfx942, text)),
                                machine::base);
        bytes_ = bytes.size();
    }

    // What is printed while a wave executes all of it.
    std::string run(wave_stop& stop) {
        const std::string name = "k";
        machine m(gfx_target::gfx942);
        workgroup& group = *m.w().group;
        group.code = &*code_;
        group.kernel_name = &name;
        group.entry = machine::base;
        testing::internal::CaptureStderr();
        EXPECT_TRUE(stop.prepare(*code_, name));
        for (uint64_t pc = machine::base; pc < machine::base + bytes_; pc += 4) {
            stop.note(m.w(), code_->at(pc));
        }
        return testing::internal::GetCapturedStderr();
    }

private:
    std::optional<program> code_;
    size_t bytes_ = 0;
};

// Those of a line that follow each other are one arrival. Each kernel has its own lines.
TEST(stop, at_a_line) {
    const auto stop_of = [](const char* text) {
        std::string problem;
        return parse_stop(text, problem);
    };
    code_with_lines first({41, 42, 42, 43, 42, 42});
    code_with_lines second({42, 41, 41, 41, 41, 42, 41});
    const struct {
        const char* text;
        std::string in_first, in_second;  // instructions, "" for none
    } rows[] = {
        {"k.hip:41", "s_nop 0", ""},         {"k.hip:42", "s_nop 1", ""},
        {"k.hip:43", "s_nop 3", ""},         {"k.hip:42,count=2", "s_nop 4", ""},
        {"k.hip:42,count=4", "", "s_nop 5"}, {"k.hip:41,count=2", "", "s_nop 1"},
        {"k.hip:41,count=3", "", "s_nop 6"}, {"other.hip:41", "", ""},
    };
    for (const auto& [text, in_first, in_second] : rows) {
        wave_stop stop(stop_of(text));
        const auto expected = [&](const std::string& instruction) {
            return instruction.empty() ? testing::Matcher<std::string>(testing::IsEmpty())
                                       : HasSubstr("\n  instruction " + instruction + "\n");
        };
        EXPECT_THAT(first.run(stop), expected(in_first)) << text;
        if (in_first.empty()) {
            EXPECT_THAT(second.run(stop), expected(in_second)) << text;
        }
        // At the end the last word is said once, if it was not said.
        const bool is_made = !in_first.empty() || !in_second.empty();
        for (const bool is_first : {true, false}) {
            testing::internal::CaptureStderr();
            stop.finish();
            EXPECT_EQ(testing::internal::GetCapturedStderr().empty(), is_made || !is_first) << text;
        }
    }
}

// What the host has printed is not behind what is said at the end.
TEST(stop_death_test, flushes_what_was_printed) {
    const auto end = [] {
        ::dup2(2, 1);
        std::fputs("printed before", stdout);
        std::string problem;
        {
            const wave_stop place(parse_stop("0x0", problem));
        }
        std::_Exit(3);
    };
    EXPECT_EXIT(end(), ::testing::ExitedWithCode(3),
                "^printed beforeopus emulator: OPUS_EMU_STOP=0x0: no stop: ");
}

TEST(stop, at_the_first_report) {
    const std::string source = "v_mov_b32 v5, 9\n v_mov_b32 v6, v9\n v_mov_b32 v5, v10";
    const auto run = [&](check_mode mode) {
        std::string problem;
        wave_stop* stop = stop_of_process(parse_stop("report", problem));
        kernel_run(gfx_target::gfx942, source, 1, check::uninitialized_registers, mode)
            .run(10000, stop);
        std::exit(0);
    };
    const std::string state =
        "v9 is read before.*the state at the first report.*pc          \\+0x4 .*v5 = "
        "00000009.*last "
        "instructions of the wave:\n  \\+0x0  v_mov_b32_e32 v5, 9\n  \\+0x4  v_mov_b32_e32 v6, "
        "v9\n";
    EXPECT_EXIT(run(check_mode::stop), ::testing::ExitedWithCode(failure_status), state + "$");
    EXPECT_EXIT(run(check_mode::report), ::testing::ExitedWithCode(failure_status),
                state +
                    "opus emulator: lane 0: v10 is read .*\\(0, 0, 0\\), wave 0\n"
                    "opus emulator: 2 reports");
    // A stop at a place has nothing to say about reports.
    const auto run_to_a_place = [&] {
        std::string problem;
        wave_stop* stop = stop_of_process(parse_stop("0x100", problem));
        kernel_run(gfx_target::gfx942, source, 1, check::uninitialized_registers).run(10000, stop);
    };
    EXPECT_EXIT(run_to_a_place(), ::testing::ExitedWithCode(failure_status),
                "v9 is read before.*\\(0, 0, 0\\), wave 0\nopus emulator: OPUS_EMU_STOP=0x100: no "
                "stop: wave 0 of group \\(0, 0, 0\\) came there 0 times\n$");
}

}  // namespace
}  // namespace emu
