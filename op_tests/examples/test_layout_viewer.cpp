// SPDX-License-Identifier: MIT
// examples/layout_viewer as a user runs it: lists, tables and pictures of registers. Expected
// elements and offsets are worked out by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "run_viewer.hpp"

namespace {

using namespace viewer_test;

// == registers ====================================================================================

TEST_F(layout_viewer_test, lists_names_once) {
    std::set<std::string> list;
    for (const std::string& name : names()) {
        EXPECT_TRUE(list.insert(name).second) << name << " is there twice";
    }
    EXPECT_EQ(list.size(), 38u);
    EXPECT_EQ(list.count("mfma_16x16x32_a_chained"), 1u);
    for (const char* shape : {"16x16x128", "32x32x64"}) {
        EXPECT_EQ(list.count(std::string("scale_") + shape), 1u) << shape;
        for (const char* type : {"_fp8_a", "_fp6_a", "_fp4_a"}) {
            EXPECT_EQ(list.count(std::string("mfma_") + shape + type), 1u) << shape << type;
        }
    }
    for (const char* operand : {"_a", "_b", "_c", "_c_swap_ab"}) {
        EXPECT_EQ(list.count(std::string("tiled_64x32x16") + operand), 1u) << operand;
    }
    for (const char* shape : {"32x32x8", "16x16x16", "32x32x16", "16x16x32"}) {
        for (const char* operand : {"_a", "_b", "_c", "_c_swap_ab"}) {
            EXPECT_EQ(list.count(std::string("mfma_") + shape + operand), 1u) << shape << operand;
        }
    }
}

// Each has a table, and a picture that is SVG and shows every thread.
TEST_F(layout_viewer_test, shows_every_name) {
    for (const std::string& name : names()) {
        SCOPED_TRACE(name);
        const std::string out = table(name + " --svg picture.svg");
        EXPECT_EQ(out.compare(0, name.size() + 2, name + ": "), 0);
        std::istringstream lines(out);
        for (std::string line; std::getline(lines, line);) {
            EXPECT_LE(line.size(), 100u) << line;
        }
        const std::string svg = contents(directory / "picture.svg");
        EXPECT_EQ(svg.compare(0, 38, "<svg xmlns=\"http://www.w3.org/2000/svg"), 0);
        EXPECT_EQ(svg.substr(svg.size() - 7), "</svg>\n");
        EXPECT_NE(svg.find("<title>" + name + ": "), std::string::npos);
        EXPECT_EQ(svg.find("http", 38), std::string::npos) << "something from elsewhere";
        for (int thread = 0; thread < 64; ++thread) {
            EXPECT_NE(svg.find(">" + std::to_string(thread) + "</text>"), std::string::npos)
                << thread;
        }
    }
}

// A thread and a register in each cell, each pair once.
TEST_F(layout_viewer_test, every_register_holds_one_element) {
    for (const std::string& name : names()) {
        if (name.compare(0, 4, "lds_") == 0) {
            continue;
        }
        SCOPED_TRACE(name);
        std::set<std::pair<int, int>> owners;
        std::size_t elements = 0;
        for (const auto& row : cells(table(name + " --full"))) {
            for (const std::string& cell : row) {
                int thread = -1;
                int reg = -1;
                ASSERT_EQ(std::sscanf(cell.c_str(), "%d:%d", &thread, &reg), 2) << cell;
                owners.insert({thread, reg});
                ++elements;
            }
        }
        EXPECT_EQ(owners.size(), elements);
        EXPECT_EQ(owners.begin()->first, 0);
        const int threads = name.compare(0, 16, "tiled_64x32x16_c") == 0 ? 256
                            : name.compare(0, 6, "tiled_") == 0          ? 128
                                                                         : 64;
        // Of A the waves 0 and 2 are shown: 1 and 3, along N, have the same.
        const int not_shown = name == "tiled_64x32x16_a" ? 64 : 0;
        EXPECT_EQ(owners.rbegin()->first, threads + not_shown - 1);
        EXPECT_EQ(static_cast<std::size_t>((owners.rbegin()->second + 1) * threads), elements);
    }
}

TEST_F(layout_viewer_test, tile_48x32) {
    const auto tile = cells(table("tile_48x32 --full"));
    ASSERT_EQ(tile.size(), 48u);
    ASSERT_EQ(tile[0].size(), 32u);
    EXPECT_EQ(tile[0][0], "0:0");
    EXPECT_EQ(tile[0][7], "0:7");
    EXPECT_EQ(tile[0][8], "1:0");
    EXPECT_EQ(tile[1][0], "4:0");
    EXPECT_EQ(tile[5][13], "21:5");
    EXPECT_EQ(tile[16][0], "0:8");
    EXPECT_EQ(tile[47][31], "63:23");
}

TEST_F(layout_viewer_test, offsets_of_a_thread) {
    // Thread 21 has rows 5, 21 and 37 from column 8 on.
    EXPECT_TRUE(
        has_line(table("tile_48x32 --pitch 50 --thread 21 --full"),
                 "thread 21, offsets of its registers: 258 259 260 261 262 263 264 265 1058 "
                 "1059 1060 1061 1062 1063 1064 1065 1858 1859 1860 1861 1862 1863 1864 "
                 "1865"));
    EXPECT_TRUE(has_line(table("mfma_16x16x16_c --pitch 100 --thread 18"),
                         "thread 18, offsets of its registers: 402 502 602 702"));
    EXPECT_TRUE(has_line(table("mfma_16x16x16_c_swap_ab --pitch 100 --thread 18"),
                         "thread 18, offsets of its registers: 204-207"));
}

// Row, column and the cell that belongs there, for every named matrix operand of both shapes.
TEST_F(layout_viewer_test, operands_of_mfma) {
    struct element {
        std::size_t row;
        std::size_t column;
        std::string cell;
    };
    const std::map<std::string, std::vector<element>> expected{
        {"mfma_32x32x8_a", {{0, 3, "0:3"}, {31, 0, "31:0"}, {0, 4, "32:0"}, {31, 7, "63:3"}}},
        {"mfma_32x32x8_b", {{0, 3, "0:3"}, {31, 0, "31:0"}, {0, 4, "32:0"}, {31, 7, "63:3"}}},
        {"mfma_32x32x8_c",
         {{0, 31, "31:0"}, {3, 0, "0:3"}, {4, 0, "32:0"}, {8, 5, "5:4"}, {31, 31, "63:15"}}},
        {"mfma_32x32x8_c_swap_ab",
         {{31, 0, "31:0"}, {0, 3, "0:3"}, {0, 4, "32:0"}, {5, 8, "5:4"}, {31, 31, "63:15"}}},
        {"mfma_16x16x16_a", {{0, 3, "0:3"}, {15, 0, "15:0"}, {2, 9, "34:1"}, {15, 15, "63:3"}}},
        {"mfma_16x16x16_c", {{1, 0, "0:1"}, {4, 0, "16:0"}, {10, 7, "39:2"}, {15, 15, "63:3"}}},
        {"mfma_16x16x16_c_swap_ab", {{0, 1, "0:1"}, {0, 4, "16:0"}, {7, 10, "39:2"}}},
        {"mfma_32x32x16_a", {{0, 7, "0:7"}, {0, 8, "32:0"}, {31, 15, "63:7"}}},
        {"mfma_32x32x16_c", {{4, 0, "32:0"}, {8, 5, "5:4"}}},
        {"mfma_16x16x32_a", {{0, 7, "0:7"}, {0, 8, "16:0"}, {15, 31, "63:7"}}},
        {"mfma_16x16x32_c", {{4, 0, "16:0"}, {10, 7, "39:2"}}},
        // 8 bits: two runs of 16 elements; less: one run of 32 (ISA guide, 7.1.5.1).
        {"mfma_16x16x128_fp8_a",
         {{5, 17, "21:1"}, {5, 64, "5:16"}, {15, 127, "63:31"}, {0, 63, "48:15"}}},
        {"mfma_16x16x128_fp6_a", {{5, 17, "5:17"}, {5, 64, "37:0"}, {15, 127, "63:31"}}},
        {"mfma_16x16x128_fp4_a", {{5, 17, "5:17"}, {5, 64, "37:0"}, {15, 127, "63:31"}}},
        {"mfma_32x32x64_fp8_a", {{5, 16, "37:0"}, {5, 32, "5:16"}, {31, 63, "63:31"}}},
        {"mfma_32x32x64_fp6_a", {{5, 16, "5:16"}, {5, 32, "37:0"}, {31, 63, "63:31"}}},
        {"mfma_32x32x64_fp4_a", {{5, 16, "5:16"}, {5, 32, "37:0"}, {31, 63, "63:31"}}},
        {"scale_16x16x128", {{0, 0, "0:0"}, {0, 1, "16:0"}, {0, 2, "32:0"}, {15, 3, "63:0"}}},
        {"scale_32x32x64", {{0, 0, "0:0"}, {16, 0, "16:0"}, {0, 1, "32:0"}, {31, 1, "63:0"}}},
        // Rows and columns 16 on are those of the next wave along M or N, rows 32 on the wave's
        // second operand. Wave m * 2 + n is at (m, n).
        {"tiled_64x32x16_a", {{17, 9, "161:1"}, {33, 0, "1:4"}, {63, 15, "191:7"}}},
        {"tiled_64x32x16_b", {{17, 9, "97:1"}, {1, 0, "1:0"}, {31, 15, "127:3"}}},
        {"tiled_64x32x16_c",
         {{1, 0, "0:1"}, {4, 0, "16:0"}, {0, 16, "64:0"}, {16, 0, "128:0"}, {42, 7, "39:6"}}},
        {"tiled_64x32x16_c_swap_ab",
         {{1, 0, "1:0"}, {0, 4, "16:0"}, {0, 16, "64:0"}, {16, 0, "128:0"}, {39, 10, "39:6"}}},
    };
    for (const auto& [name, elements] : expected) {
        const auto operand = cells(table(name + " --full"));
        for (const element& e : elements) {
            ASSERT_LT(e.row, operand.size());
            ASSERT_LT(e.column, operand[e.row].size());
            EXPECT_EQ(operand[e.row][e.column], e.cell) << name << " " << e.row << " " << e.column;
        }
    }
}

// Which wave of 2 x 2 has what: in text, and a box for each in the picture.
TEST_F(layout_viewer_test, waves_of_a_tiled_mma) {
    for (const std::string name : {"tiled_64x32x16_c", "tiled_64x32x16_c_swap_ab"}) {
        const std::string out = table(name + " --waves --pitch 40 --svg waves.svg");
        EXPECT_TRUE(has_line(out, "wave 0, registers 0 to 3: M 0 to 15, N 0 to 15")) << out;
        EXPECT_TRUE(has_line(out, "wave 0, registers 4 to 7: M 32 to 47, N 0 to 15")) << out;
        EXPECT_TRUE(has_line(out, "wave 1, registers 0 to 3: M 0 to 15, N 16 to 31")) << out;
        EXPECT_TRUE(has_line(out, "wave 2, registers 0 to 3: M 16 to 31, N 0 to 15")) << out;
        EXPECT_TRUE(has_line(out, "wave 3, registers 4 to 7: M 48 to 63, N 16 to 31")) << out;
        const std::string svg = contents(directory / "waves.svg");
        for (const char* text : {">wave 0</text>", ">wave 3</text>", ">registers 4 to 7</text>"}) {
            const std::size_t first = svg.find(text);
            ASSERT_NE(first, std::string::npos) << text;
            EXPECT_NE(svg.find(text, first + 1), std::string::npos) << text;
        }
        // Wave 3's second tile is 48 rows and 16 columns from the first one of wave 0. Both have 16
        // rows and columns.
        const auto box = [&](const std::string& label, bool last) {
            const std::size_t text = last ? svg.rfind(label) : svg.find(label);
            std::array<int, 4> r{};
            EXPECT_EQ(std::sscanf(svg.c_str() + svg.rfind("<rect", text),
                                  R"(<rect x="%d" y="%d" width="%d" height="%d")", &r[0], &r[1],
                                  &r[2], &r[3]),
                      4);
            return r;
        };
        const auto first = box(">wave 0<", false);
        const auto second = box(">wave 3<", true);
        EXPECT_EQ(second[0] - first[0], first[2]);
        EXPECT_EQ(second[1] - first[1], 3 * first[3]);
    }
}

// A line for each run of a thread's registers, or a column of cells; all in 100 columns.
TEST_F(layout_viewer_test, the_table_has_runs) {
    std::string out = table("tile_48x32");
    EXPECT_TRUE(has_line(out, "        0-7     8-15    16-23    24-31")) << out;
    EXPECT_TRUE(has_line(out, " 5   20:0-7   21:0-7   22:0-7   23:0-7")) << out;
    EXPECT_TRUE(has_line(out, "47 60:16-23 61:16-23 62:16-23 63:16-23")) << out;
    EXPECT_TRUE(has_line(table("tile_48x32 --pitch 50 --thread 21"),
                         "thread 21, offsets of its registers: 258-265 1058-1065 1858-1865"));
    out = table("mfma_32x32x8_c");
    EXPECT_TRUE(has_line(
        out, "  4-7   32:0-3   33:0-3   34:0-3   35:0-3   36:0-3   37:0-3   38:0-3   39:0-3"))
        << out;
    EXPECT_TRUE(has_line(
        out, "28-31 56:12-15 57:12-15 58:12-15 59:12-15 60:12-15 61:12-15 62:12-15 63:12-15"))
        << out;
    EXPECT_TRUE(has_line(table("--shape 2,2,2 --dims py,p"), "0-1 0:0-1 1:0-1"));
    out = table("--mma f32,4,4,1 --operand c");  // 16 blocks
    EXPECT_TRUE(has_line(out, " 3,0-3 12:0-3 13:0-3 14:0-3 15:0-3")) << out;
    for (const char* wide : {"--mma fp8,fp4,16,16,128 --operand b --full", "--shape 4,64"}) {
        std::istringstream lines(table(wide));
        std::size_t longest = 0;
        for (std::string line; std::getline(lines, line);) {
            longest = std::max(longest, line.size());
        }
        EXPECT_EQ(longest > 100, std::string(wide).find("--full") != std::string::npos) << wide;
    }
}

// == from the command line ========================================================================

TEST_F(layout_viewer_test, shape_and_stride) {
    auto offsets = cells(table("--shape 48,32 --stride 50,1 --full"));
    ASSERT_EQ(offsets.size(), 48u);
    ASSERT_EQ(offsets[0].size(), 32u);
    EXPECT_EQ(offsets[4][8], "208");
    EXPECT_EQ(offsets[47][31], "2381");
    offsets = cells(table("--shape 2,3,4 --svg picture.svg --full"));  // packed
    ASSERT_EQ(offsets.size(), 6u);
    EXPECT_EQ(offsets[5][3], "23");
    EXPECT_NE(contents(directory / "picture.svg").find(">1,2</text>"), std::string::npos);
    EXPECT_EQ(cells(table("--shape 4 --stride 7 --full"))[0][2], "21");
    EXPECT_EQ(cells(table("--shape 1,1,1,1,1,1,1,2 --stride 0,0,0,0,0,0,0,9 --full"))[0][1], "9");
}

// The same view from a name and from its parts.
TEST_F(layout_viewer_test, split_views) {
    const auto same = [&](const std::string& name, const std::string& parts) {
        const std::string a = table(name + " --full");
        const std::string b = table(parts + " --full");
        EXPECT_EQ(cells(a), cells(b)) << name;
        const auto last = [](const std::string& text) {
            return text.substr(text.rfind("\nthread"));
        };
        EXPECT_EQ(last(a), last(b)) << name;
    };
    same("tile_48x32 --pitch 50 --thread 7",
         "--shape 3,16,4,8 --dims yp,py --stride 50,1 --thread 7");
    same("mfma_32x32x8_a --thread 40",
         "--shape 32,1,2,4 --dims p,ypy --thread-stride 1,32 --thread 40");
    same("mfma_32x32x8_c --pitch 99 --thread 40",
         "--shape 4,2,4,32 --dims ypy,p --stride 99,1 --thread 40");
    const auto row = cells(table("--shape 2,3,2 --dims pyp --full"));  // one dimension
    ASSERT_EQ(row.size(), 1u);
    const std::vector<std::string> expected{"0:0", "1:0", "0:1", "1:1", "0:2", "1:2",
                                            "2:0", "3:0", "2:1", "3:1", "2:2", "3:2"};
    EXPECT_EQ(row[0], expected);
}

}  // namespace
