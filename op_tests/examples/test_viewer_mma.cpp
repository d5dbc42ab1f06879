// SPDX-License-Identifier: MIT
// The operands of every matrix instruction and of tiled mmas as layout_viewer shows them, by the
// formulas of the ISA guide (7.1.4 and 7.1.5.1).
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <string>
#include <vector>

#include "layout_viewer/mma.hpp"
#include "run_viewer.hpp"

namespace {

using namespace viewer_test;

// What the guide says of an instruction. Blocks of an operand are below each other.
struct guide {
    std::string types;
    int m;
    int n;
    int k;
    int blocks;
    int bits;

    std::string option() const {
        return "--mma " + types + "," + std::to_string(m) + "," + std::to_string(n) + "," +
               std::to_string(k);
    }
};

std::vector<guide> guide_of_all() {
    std::vector<guide> all{
        {"f64", 16, 16, 4, 1, 64}, {"f64", 4, 4, 4, 4, 64},    {"f32", 32, 32, 2, 1, 32},
        {"f32", 16, 16, 4, 1, 32}, {"f32", 32, 32, 1, 2, 32},  {"f32", 16, 16, 1, 4, 32},
        {"f32", 4, 4, 1, 16, 32},  {"xf32", 32, 32, 4, 1, 32}, {"xf32", 16, 16, 8, 1, 32},
        {"i8", 32, 32, 16, 1, 8},  {"i8", 16, 16, 32, 1, 8},   {"i8", 32, 32, 32, 1, 8},
        {"i8", 16, 16, 64, 1, 8},  {"i8", 32, 32, 4, 2, 8},    {"i8", 16, 16, 4, 4, 8},
        {"i8", 4, 4, 4, 16, 8},
    };
    for (const char* type : {"f16", "bf16"}) {
        for (const auto& [m, k, blocks] : std::vector<std::array<int, 3>>{{32, 8, 1},
                                                                          {16, 16, 1},
                                                                          {32, 16, 1},
                                                                          {16, 32, 1},
                                                                          {32, 4, 2},
                                                                          {16, 4, 4},
                                                                          {4, 4, 16}}) {
            all.push_back({type, m, m, k, blocks, 16});
        }
    }
    for (const std::string a : {"fp8", "bf8", "fp6", "bf6", "fp4"}) {
        for (const std::string b : {"fp8", "bf8", "fp6", "bf6", "fp4"}) {
            const std::string types = a == b ? a : a + "," + b;
            all.push_back({types, 16, 16, 128, 1, 0});
            all.push_back({types, 32, 32, 64, 1, 0});
            if (a[2] == '8' && b[2] == '8') {
                all.push_back({types, 32, 32, 16, 1, 0});
                all.push_back({types, 16, 16, 32, 1, 0});
            }
        }
    }
    return all;
}

// Row and column of item i of lane l.
struct place {
    int row;
    int column;
};
// A, and B with n for m.
place place_in_a(int m, int k, int blocks, int bits, int l, int i) {
    const int items = m * k * blocks / 64;
    const int group = l / (m * blocks);
    const int row = l / m % blocks * m + l % m;
    if (bits == 8 && items == 32) {
        return {row, i / 16 * (k / 2) + group * 16 + i % 16};
    }
    return {row, group * items + i};
}
place place_in_c(int n, int bits_a, int l, int i, int blocks = 1) {
    if (bits_a == 64 && blocks == 4) {
        // Not as the guide has it: lane 16 i + 4 b + j has C[b, i, j].
        return {l / 4 % 4 * 4 + l / 16, l % 4};
    }
    if (bits_a == 64) {
        return {i * (64 / n) + l / n, l % n};
    }
    return {i / 4 * (256 / n) + l / n * 4 + i % 4, l % n};
}

int bits_of(const guide& g, bool of_a) {
    if (g.bits != 0) {
        return g.bits;
    }
    const std::string type = of_a ? g.types.substr(0, 3) : g.types.substr(g.types.size() - 3);
    return type[2] - '0';
}

// Every operand of every instruction, element by element.
TEST_F(layout_viewer_test, operands_of_every_instruction) {
    EXPECT_EQ(guide_of_all().size(), viewer::instructions().size());
    for (const guide& g : guide_of_all()) {
        for (const std::string operand : {"a", "b", "c", "c --swap"}) {
            SCOPED_TRACE(g.option() + " " + operand);
            const auto shown = cells(table(g.option() + " --full --operand " + operand));
            const bool of_c = operand[0] == 'c';
            const bool swap = operand.size() > 1;
            const int rows = operand == "b" ? g.n : g.m;
            const int columns = of_c ? g.n : g.k;
            ASSERT_EQ(shown.size(), static_cast<std::size_t>(rows * g.blocks));
            const int items = rows * columns * g.blocks / 64;
            for (int l = 0; l < 64; ++l) {
                for (int i = 0; i < items; ++i) {
                    place p{};
                    if (swap) {
                        // The guide's C is n x m here, block below block.
                        const place t = place_in_c(g.m, g.bits, l, i, g.blocks);
                        p = {t.row / g.n * g.m + t.column, t.row % g.n};
                    } else if (of_c) {
                        p = place_in_c(g.n, g.bits, l, i, g.blocks);
                    } else {
                        p = place_in_a(rows, g.k, g.blocks, bits_of(g, operand == "a"), l, i);
                    }
                    const auto& row = shown[static_cast<std::size_t>(p.row)];
                    ASSERT_EQ(row.size(), static_cast<std::size_t>(columns));
                    ASSERT_EQ(row[static_cast<std::size_t>(p.column)],
                              std::to_string(l) + ":" + std::to_string(i))
                        << p.row << " " << p.column;
                }
            }
        }
    }
}

// Wave (tm * TN + tn) * TK + tk has repeat (im, in, ik) at ((im * TM + tm) * M, ...); the operands
// of a wave are one behind the other, im first.
TEST_F(layout_viewer_test, operands_of_tiled_mmas) {
    const auto number = [](int x) { return static_cast<std::size_t>(x); };
    for (const guide& g : {guide{"bf16", 32, 32, 8, 1, 16}, guide{"f64", 16, 16, 4, 1, 64},
                           guide{"fp8", 16, 16, 128, 1, 8}, guide{"f16", 16, 16, 32, 1, 16}}) {
        const std::array<int, 3> e{2, 3, 2};
        const std::array<int, 3> t{2, 1, 2};
        for (const std::string operand : {"a", "b", "c", "c --swap"}) {
            SCOPED_TRACE(g.option() + " " + operand);
            const auto shown = cells(
                table(g.option() + " --expand 2,3,2 --tile 2,1,2 --full --operand " + operand));
            const bool of_c = operand[0] == 'c';
            const std::size_t x = operand == "b" ? 1 : 0;  // M, N, K of the rows
            const std::size_t y = of_c ? 1 : 2;            // and of the columns
            const std::array<int, 3> w{g.m, g.n, g.k};
            ASSERT_EQ(shown.size(), number(e[x] * t[x] * w[x]));
            const int items = w[x] * w[y] / 64;
            for (int wave = 0; wave < t[x] * t[y]; ++wave) {
                for (int l = 0; l < 64; ++l) {
                    for (int i = 0; i < e[x] * e[y] * items; ++i) {
                        place p{};
                        if (operand == "c --swap") {
                            const place transposed = place_in_c(g.m, g.bits, l, i % items);
                            p = {transposed.column, transposed.row};
                        } else if (of_c) {
                            p = place_in_c(g.n, g.bits, l, i % items);
                        } else {
                            p = place_in_a(w[x], g.k, 1, g.bits, l, i % items);
                        }
                        const int row = (i / items / e[y] * t[x] + wave / t[y]) * w[x] + p.row;
                        const int column =
                            (i / items % e[y] * t[y] + wave % t[y]) * w[y] + p.column;
                        // TN is 1, and of C the first wave along K is shown.
                        const int in_block = of_c ? wave * t[2] : wave;
                        ASSERT_EQ(shown[number(row)][number(column)],
                                  std::to_string(in_block * 64 + l) + ":" + std::to_string(i))
                            << row << " " << column;
                    }
                }
            }
        }
    }
}

// Named layouts are short-hands; opus's names of types are understood, too.
TEST_F(layout_viewer_test, names_and_options_show_the_same) {
    const auto tail = [&](const std::string& arguments) {  // without the title
        const std::string out = table(arguments);
        std::size_t end = out.find('\n');
        while (out[end + 1] == ' ') {
            end = out.find('\n', end + 1);
        }
        return out.substr(end);
    };
    EXPECT_EQ(tail("mfma_32x32x8_c_swap_ab --pitch 40"),
              tail("--mma fp16,32,32,8 --operand c --swap --pitch 40"));
    EXPECT_EQ(tail("--mma fp8,fp8,16,16,128 --operand a"), tail("mfma_16x16x128_fp8_a"));
    EXPECT_EQ(tail("tiled_64x32x16_b --thread 70"),
              tail("--mma f16,16,16,16 --operand b --expand 2,1,1 --tile 2,2,1 --thread 70"));
    EXPECT_EQ(tail("lds_read_b64_padded --access 2"),
              tail("--mma f16,32,32,8 --expand 1,1,8 --operand a --lds read_b64 --pitch 68 "
                   "--access 2"));
    const std::string out = table("--mma f64,16,16,4 --operand c --swap");
    EXPECT_EQ(out.substr(0, out.find('\n')),
              "--mma f64,16,16,4 --operand c: C[M, N] of mfma_f64_16x16x4_f64, A and B swapped");
}

// The names of the instructions are those that the header gives them.
TEST(layout_viewer, instruction_names) {
    const auto name = [](const char* types, const viewer::indices& mnk) {
        const viewer::instruction& i = viewer::find_instruction(types, mnk);
        return i.name() + i.targets();
    };
    EXPECT_EQ(name("f64", {4, 4, 4}), "mfma_f64_4x4x4_4b_f64");
    EXPECT_EQ(name("xf32", {16, 16, 8}), "mfma_f32_16x16x8_xf32 (gfx942)");
    EXPECT_EQ(name("i8", {32, 32, 32}), "mfma_i32_32x32x32_i8 (gfx950)");
    EXPECT_EQ(name("bf8,fp8", {16, 16, 32}), "mfma_f32_16x16x32_bf8_fp8");
    EXPECT_EQ(name("fp6", {32, 32, 64}), "mfma_f32_32x32x64_f8f6f4<fp6_t, fp6_t> (gfx950)");
    EXPECT_EQ(name("fp4,bf8", {16, 16, 128}), "mfma_f32_16x16x128_f8f6f4<fp4_t, bf8_t> (gfx950)");
    EXPECT_EQ(name("fp4", {32, 32, 64}), "mfma_f32_32x32x64_fp4_fp4 (gfx950)");
    EXPECT_EQ(name("bf16", {32, 32, 4}), "mfma_f32_32x32x4_2b_bf16");
}

// Scales: lane l has those of row l % M and of the 32 k from 32 * (l / M) on (ISA guide, 7.2.1).
TEST_F(layout_viewer_test, scales) {
    for (const auto& [option, rows] :
         std::map<std::string, int>{{"--mma fp4,bf8,16,16,128 --operand scale_a", 16},
                                    {"--mma fp4,bf8,16,16,128 --operand scale_b", 16},
                                    {"--mma fp6,32,32,64 --operand scale_b", 32}}) {
        const auto shown = cells(table(option + " --full"));
        for (int l = 0; l < 64; ++l) {
            EXPECT_EQ(shown[static_cast<std::size_t>(l % rows)][static_cast<std::size_t>(l / rows)],
                      std::to_string(l) + ":0")
                << option;
        }
    }
}

}  // namespace
