// SPDX-License-Identifier: MIT
// examples/layout_viewer as a user runs it: tables, pictures, banks, and every way to be told what
// is wrong. Expected elements, offsets and banks are worked out by hand, those of matrix
// instructions by the formulas of the ISA guide (7.1.4 and 7.1.5.1).
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "layout_viewer/lds.hpp"
#include "layout_viewer/mma.hpp"
#include "layout_viewer/views.hpp"

namespace {

namespace fs = std::filesystem;

std::string contents(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

struct outcome {
    int status;
    std::string out;
    std::string err;
};

// The cells of a --full table: of the lines after the first empty one, without the headings.
std::vector<std::vector<std::string>> cells(const std::string& out) {
    std::istringstream lines(out.substr(out.find("\n\n") + 2));
    std::string line;
    std::getline(lines, line);  // column numbers
    std::vector<std::vector<std::string>> result;
    while (std::getline(lines, line) && !line.empty()) {
        std::istringstream words(line);
        result.emplace_back(std::istream_iterator<std::string>(words),
                            std::istream_iterator<std::string>());
        result.back().erase(result.back().begin());
    }
    return result;
}

bool has_line(const std::string& out, const std::string& line) {
    return ("\n" + out).find("\n" + line + "\n") != std::string::npos;
}

class layout_viewer_test : public testing::Test {
protected:
    void SetUp() override {
        std::string name = (fs::temp_directory_path() / "opus_viewer_XXXXXX").string();
        ASSERT_NE(::mkdtemp(name.data()), nullptr);
        directory = name;
    }

    void TearDown() override { fs::remove_all(directory); }

    // Runs a command of the shell with this directory as the current one.
    int shell(const std::string& command) const {
        const int status = std::system(("cd '" + directory.string() + "' && " + command).c_str());
        EXPECT_TRUE(WIFEXITED(status)) << command;
        return WEXITSTATUS(status);
    }

    outcome run(const std::string& arguments) const {
        const int status = shell("'" OPUS_LAYOUT_VIEWER "' " + arguments + " > .out 2> .err");
        return {status, contents(directory / ".out"), contents(directory / ".err")};
    }

    // What it prints where nothing is wrong.
    std::string table(const std::string& arguments) const {
        const outcome o = run(arguments);
        EXPECT_EQ(o.status, 0) << arguments;
        EXPECT_EQ(o.err, "") << arguments;
        EXPECT_EQ(o.out.find('\033'), std::string::npos) << "colours without a terminal";
        return o.out;
    }

    std::vector<std::string> names() const {
        std::vector<std::string> result;
        std::istringstream lines(table("--list"));
        for (std::string line; std::getline(lines, line);) {
            if (line[0] != ' ') {
                result.push_back(line.substr(0, line.find(' ')));
            }
        }
        return result;
    }

    std::size_t files() const {
        return static_cast<std::size_t>(
            std::count_if(fs::directory_iterator(directory), fs::directory_iterator(),
                          [](const auto& e) { return e.path().filename().string()[0] != '.'; }));
    }

    fs::path directory;
};

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
        EXPECT_EQ(owners.rbegin()->first, threads - 1);
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
        // Rows and columns 16 on are those of the next wave, rows 32 on the wave's second operand.
        {"tiled_64x32x16_a", {{17, 9, "97:1"}, {33, 0, "1:4"}, {63, 15, "127:7"}}},
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

// == matrix instructions ==========================================================================

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

// Wave (tm, tn, tk) has repeat (im, in, ik) at ((im * TM + tm) * M, ...); the operands of a wave
// are one behind the other, im first.
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
                        ASSERT_EQ(shown[number(row)][number(column)],
                                  std::to_string(wave * 64 + l) + ":" + std::to_string(i))
                            << row << " " << column;
                    }
                }
            }
        }
    }
}

// The viewer's tiles are those of make_tiled_mma: the offsets of all registers of all threads.
TEST(layout_viewer, tiles_are_those_of_the_header) {
    using namespace opus;
    const auto view_of = [](const char* operand, bool swap, index_t pitch) {
        viewer::placement place;
        place.pitch = pitch;
        return viewer::distribute(
            viewer::mma_operand{&viewer::find_instruction("f16", {16, 16, 16}),
                                operand,
                                swap,
                                true,
                                {2, 3, 2},
                                {2, 2, 1}},
            place);
    };
    const auto same = [](const viewer::distribution& view, index_t thread, const auto& layout) {
        const auto offsets = layout_to_offsets<1>(layout);
        ASSERT_EQ(static_cast<index_t>(offsets.size()), view.registers);
        for (index_t r = 0; r < view.registers; ++r) {
            EXPECT_EQ(view.offsets[viewer::at(thread * view.registers + r)], offsets[r])
                << "thread " << thread << ", register " << r;
        }
    };
    const auto mma =
        make_tiled_mma<fp16_t, fp16_t, fp32_t>(seq<2, 3, 2>{}, seq<2, 2, 1>{}, seq<16, 16, 16>{});
    const auto swapped = make_tiled_mma<fp16_t, fp16_t, fp32_t>(
        seq<2, 3, 2>{}, seq<2, 2, 1>{}, seq<16, 16, 16>{}, mfma_adaptor_swap_ab{});
    const auto stride = make_tuple(100, number<1>{});
    const auto a = view_of("a", false, 100);
    const auto b = view_of("b", false, 100);
    const auto c = view_of("c", false, 100);
    const auto c_swapped = view_of("c", true, 100);
    EXPECT_EQ(a.threads, 128);
    EXPECT_EQ(c.threads, 256);
    for (index_t wave = 0; wave < 4; ++wave) {
        for (index_t lane = 0; lane < 64; ++lane) {
            const index_t row = lane % 16;
            const index_t group = lane / 16;
            const index_t thread = wave * 64 + lane;
            if (wave < 2) {  // of the waves along M or N
                same(a, thread, mma.layout_a(stride, make_tuple(wave, row, 0, group)));
                same(b, thread, mma.layout_b(stride, make_tuple(wave, row, 0, group)));
            }
            same(c, thread, mma.layout_c(stride, make_tuple(wave / 2, group, wave % 2, row)));
            same(c_swapped, thread,
                 swapped.layout_c(stride, make_tuple(wave / 2, row, wave % 2, group)));
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
    EXPECT_EQ(name("fp6", {32, 32, 64}), "mfma_f32_32x32x64_fp6_fp6 (gfx950)");
    EXPECT_EQ(name("fp4,bf8", {16, 16, 128}), "mfma_f32_16x16x128_fp4_bf8 (gfx950)");
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

// == LDS ==========================================================================================

TEST_F(layout_viewer_test, banks_of_a_lane) {
    // Row 5 of pitch 68 begins at byte 5 * 136 = 680, dword 170: bank 10 of 32 and 42 of 64.
    EXPECT_TRUE(has_line(table("lds_read_b64_padded --arch gfx942"),
                         "   5     0   5      0  680 10-11                1"));
    EXPECT_TRUE(has_line(table("lds_read_b64_padded --arch gfx950"),
                         "   5     0   5      0  680 42-43                1"));
    // Lane 37 reads the second half of K: 4 elements, 2 banks on.
    EXPECT_TRUE(has_line(table("lds_read_b64 --arch gfx942"),
                         "  37     2   5      4  648   2-3               16 conflict"));
    // Access 3 is 24 elements further.
    EXPECT_TRUE(has_line(table("lds_read_b64_padded --access 3"),
                         "   5     0   5     24  728 22-23                1"));
    EXPECT_TRUE(has_line(table("tile_48x32 --lds read_b32 --element-bits 32"),
                         "   9     0   2      8  288     8                8 conflict"));
}

// The swizzle of examples/gemm_pipelined.hip, with its phases: chunk c of row r of 8 f16 is in
// place c ^ (r / 2 % chunks).
TEST_F(layout_viewer_test, a_swizzle_takes_conflicts_away) {
    const std::string k64 =
        "--mma f16,32,32,16 --expand 1,1,4 --operand a --lds read_b128 "
        "--arch gfx950";
    const std::string k32 =
        "--mma f16,32,32,16 --expand 1,1,2 --operand a --lds read_b128 "
        "--arch gfx942";
    for (const std::string& tile : {k64, k32}) {
        EXPECT_TRUE(has_line(table(tile + " --swizzle 8,2"), "this access: no conflict"));
        EXPECT_FALSE(has_line(table(tile), "this access: no conflict"));
        EXPECT_FALSE(has_line(table(tile + " --swizzle 8,16"), "this access: no conflict"));
    }
    // Row 5 has its chunk 0 in place 0 ^ 2: byte 5 * 128 + 2 * 16 = 672, dword 168.
    EXPECT_TRUE(has_line(table("lds_read_b128_swizzled --arch gfx950"),
                         "   5     1   5      0  672 40-43                1"));
    // And chunk 3 of row 7 in place 3 ^ 3, with rows of 40 dwords: 280. Row 18 has it in place 2 of
    // 720 to 759, which is bank 24, too.
    EXPECT_TRUE(has_line(table("lds_read_b128_swizzled --arch gfx950 --pitch 80 --access 1"),
                         "  39     3   7     24 1120 24-27                2 conflict"));
    // Offsets of registers, where the chunks of two rows change places.
    EXPECT_TRUE(has_line(table("--shape 4,2,4 --dims p,yy --swizzle 4,1 --thread 1"),
                         "thread 1, offsets of its registers: 12-15 8-11"));
}

// Where the lanes of a transposed read point to: docs/memory.md, transposed reads. Lane s of 16
// points to row s / (16 / E), columns E * (s % (16 / E)) on of the memory. What they get by that is
// k = 8 * (l / 16) on for f16, and so on.
TEST_F(layout_viewer_test, transposed_reads) {
    const auto bytes = [&](const std::string& arguments) {
        std::vector<int> result;
        for (const auto& row : cells(table(arguments + " --arch gfx950"))) {
            result.push_back(std::stoi(row[3]));
        }
        return result;
    };
    struct kind {
        std::string arguments;
        int elements;  // of a read
        int bits;
        int pitch;
        std::vector<std::vector<int>> first_k;  // [access][lane / 16]
    };
    const std::vector<kind> kinds{
        {"--mma f16,16,16,32 --operand b --lds read_b64_tr_b16",
         4,
         16,
         16,
         {{0, 8, 16, 24}, {4, 12, 20, 28}}},
        {"--mma bf16,16,16,16 --operand a --lds read_b64_tr_b16 --pitch 20",
         4,
         16,
         20,
         {{0, 4, 8, 12}}},
        {"--mma fp8,16,16,32 --operand a --lds read_b64_tr_b8", 8, 8, 16, {{0, 8, 16, 24}}},
        {"--mma fp4,16,16,128 --operand b --lds read_b64_tr_b4",
         16,
         4,
         16,
         {{0, 32, 64, 96}, {16, 48, 80, 112}}},
        {"--mma fp6,16,16,128 --operand b --lds read_b96_tr_b6",
         16,
         6,
         16,
         {{0, 32, 64, 96}, {16, 48, 80, 112}}},
    };
    for (const kind& x : kinds) {
        const int lanes_of_row = 16 / x.elements;
        for (std::size_t access = 0; access < x.first_k.size(); ++access) {
            const auto at = bytes(x.arguments + " --transposed --access " + std::to_string(access));
            ASSERT_EQ(at.size(), 64u);
            for (int l = 0; l < 64; ++l) {
                const int s = l % 16;
                const int k =
                    x.first_k[access][static_cast<std::size_t>(l / 16)] + s / lanes_of_row;
                EXPECT_EQ(at[static_cast<std::size_t>(l)],
                          (k * x.pitch + s % lanes_of_row * x.elements) * x.bits / 8)
                    << x.arguments << " access " << access << ", lane " << l;
            }
        }
    }
    const std::string out = table("lds_read_b64_tr_b16 --svg picture.svg");
    EXPECT_NE(out.find("\n[I] inferred"), std::string::npos);
    EXPECT_TRUE(has_line(out, "this access: conflict: up to 2 dwords in one bank"));
    // Rows of 10 dwords, of which 8 are used: dwords 14 and 15 are in banks of their own.
    EXPECT_TRUE(has_line(table("lds_read_b64_tr_b16 --pitch 20"),
                         "   6     0   8      1   56 14-15                1"));
}

// Elements of less than a byte.
TEST_F(layout_viewer_test, small_elements_in_lds) {
    // Lane 17 has row 1 from k = 32 on: (128 + 32) / 2 = 80 bytes. Rows are 16 dwords, and
    // row 13 of lane 29, in the same phase, has the same banks.
    EXPECT_TRUE(has_line(table("--mma fp4,16,16,128 --operand a --lds read_b128 --arch gfx950"),
                         "  17     1   1     32   80 20-23                2 conflict"));
    // And of 6 bits, in two reads of 12 bytes: 160 * 6 / 8 = 120.
    const std::string out = table("--mma bf6,16,16,128 --operand a --lds read_b96 --arch gfx950");
    EXPECT_NE(out.find("\n  17     1   1     32  120  30-0 "), std::string::npos) << out;
}

// Rows of LDS that an access does not hit are not drawn.
TEST_F(layout_viewer_test, the_picture_has_the_rows_in_use) {
    table("tile_48x32 --lds read_b128 --svg all.svg --access 1");  // bytes 1024 to 2047
    const std::string svg = contents(directory / "all.svg");
    EXPECT_EQ(svg.find(">896</text>"), std::string::npos);
    EXPECT_NE(svg.find(">1024</text>"), std::string::npos);
    EXPECT_NE(svg.find(">1920</text>"), std::string::npos);
    EXPECT_EQ(svg.find(">2048</text>"), std::string::npos);
    EXPECT_NE(svg.find(">Of the 24 rows those are shown that this access hits.</text>"),
              std::string::npos);
}

TEST_F(layout_viewer_test, padding_takes_conflicts_away) {
    const auto ends = [&](const std::string& arguments, const std::string& result) {
        const std::string out = table(arguments);
        EXPECT_TRUE(has_line(out, "this access: " + result)) << arguments << "\n" << out;
        EXPECT_NE(out.find("accesses: " + result), std::string::npos) << arguments;
    };
    for (const std::string arch : {" --arch gfx942", " --arch gfx950"}) {
        ends("lds_read_b64" + arch, "conflict: up to 16 dwords in one bank");
        ends("lds_read_b64_padded" + arch, "no conflict");
        ends("lds_read_b64 --pitch 68" + arch, "no conflict");
        ends("lds_read_b128" + arch, "conflict: up to 8 dwords in one bank");
        ends("lds_read_b128_padded" + arch, "no conflict");
        ends("lds_write_b128" + arch, "no conflict");
        ends("lds_write_b128_padded" + arch, "no conflict");
    }
    // The same dword for several lanes is none.
    const std::string out = table("--shape 64,2 --dims p,y --stride 0,1 --lds read_b32");
    EXPECT_TRUE(has_line(out, "this access: no conflict"));
    EXPECT_TRUE(has_line(out,
                         "access 0 of 1: registers 0 to 1 of each lane, 16 bits an element, "
                         "strides 0, 1"))
        << out;
}

TEST_F(layout_viewer_test, the_picture_shows_conflicts) {
    table("lds_read_b64 --svg bad.svg");
    table("lds_read_b64_padded --svg good.svg");
    const std::string bad = contents(directory / "bad.svg");
    const std::string good = contents(directory / "good.svg");
    EXPECT_NE(bad.find(">conflict: up to 16 dwords in one bank</text>"), std::string::npos);
    EXPECT_NE(good.find(">no conflict</text>"), std::string::npos);
    EXPECT_EQ(good.find(">conflict"), std::string::npos);
}

// The phase tables: every lane once, and how each of them is known.
TEST(layout_viewer, phase_tables) {
    std::map<std::string, std::string> known;
    for (const viewer::lds_rule& rule : viewer::lds_rules()) {
        viewer::indices lanes;
        for (const viewer::indices& phase : rule.phases) {
            EXPECT_EQ(phase.size(), 64 / rule.phases.size()) << rule.arch << rule.operation;
            lanes.insert(lanes.end(), phase.begin(), phase.end());
        }
        std::sort(lanes.begin(), lanes.end());
        ASSERT_EQ(lanes.size(), 64u);
        for (int lane = 0; lane < 64; ++lane) {
            EXPECT_EQ(lanes[static_cast<std::size_t>(lane)], lane) << rule.arch << rule.operation;
        }
        known[rule.arch + " " + rule.operation] = std::to_string(rule.banks) + " " +
                                                  std::to_string(rule.phases.size()) + " " +
                                                  rule.certainty;
    }
    const std::map<std::string, std::string> expected{
        {"gfx942 read_b32", "32 2 I"},        {"gfx942 read_b64", "32 4 I"},
        {"gfx942 read_b128", "32 8 I"},       {"gfx942 write_b128", "32 8 D"},
        {"gfx950 read_b32", "32 2 I"},        {"gfx950 read_b64", "64 2 H"},
        {"gfx950 read_b96", "32 8 H"},        {"gfx950 read_b128", "64 4 H"},
        {"gfx950 write_b64", "32 4 H"},       {"gfx950 write_b128", "32 8 I"},
        {"gfx950 read_b64_tr_b16", "64 2 I"}, {"gfx950 read_b64_tr_b8", "64 2 I"},
        {"gfx950 read_b64_tr_b4", "64 2 I"},  {"gfx950 read_b96_tr_b6", "32 8 I"},
    };
    EXPECT_EQ(known, expected);
    EXPECT_EQ(viewer::lanes_text(viewer::find_rule("read_b128", "gfx942").phases[5]),
              "36-39, 48-51");
    EXPECT_EQ(viewer::lanes_text(viewer::find_rule("read_b128", "gfx950").phases[2]),
              "32-35, 44-47, 52-59");
    EXPECT_EQ(viewer::lanes_text(viewer::find_rule("write_b128", "gfx942").phases[1]), "8-15");
}

TEST_F(layout_viewer_test, says_how_the_phases_are_known) {
    EXPECT_NE(table("lds_read_b64 --arch gfx942").find("\n[I] inferred"), std::string::npos);
    EXPECT_NE(table("lds_read_b64 --arch gfx950").find("\n[H] reported"), std::string::npos);
    EXPECT_NE(table("lds_write_b128 --arch gfx942").find("\n[D] documented"), std::string::npos);
}

// == what is wrong ================================================================================

TEST_F(layout_viewer_test, wrong_input_is_one_line_and_status_2) {
    const std::vector<std::pair<std::string, std::string>> wrong{
        {"", "either the name of a layout, --shape or --mma is required; --list prints names"},
        {"tile_48x32 --shape 3,3", "either the name of a layout, --shape or --mma is .*"},
        {"--mma f16,32,32,8 --operand a --shape 3,3", "either the name of a layout, --shape .*"},
        {"nothing", "there is no layout 'nothing'; --list prints their names"},
        {"--list --arch gfx942", "--list goes alone"},
        {"--bogus", ".*--bogus.*"},
        {"tile_48x32 --dims yp,py", "a name stands for a layout: --shape, --mma and .*"},
        {"mfma_16x16x16_c --swap", "a name stands for a layout: --shape, --mma and .*"},
        {"--shape 3,4 --operand a", "--operand, --swap, --expand and --tile go with --mma"},
        {"--shape 3,4 --swap", "--operand, --swap, --expand and --tile go with --mma"},
        {"--mma f16,32,32,8 --operand a --stride 1,8", "--stride, --dims .* go with --shape"},
        {"--mma f17,32,32,8 --operand a",
         "--mma: there is no instruction for f17; there are f64, f32, xf32, f16, bf16, i8, fp8, "
         "bf8, fp6, bf6, fp4, and mixes of fp8, bf8, fp6, bf6 and fp4"},
        {"--mma f16,bf16,32,32,8 --operand a", "--mma: there is no instruction for f16,bf16; .*"},
        {"--mma f16,32,32,9 --operand a",
         "--mma: there is no 32x32x9 for f16; there are 32x32x8, 16x16x16, 32x32x16, 16x16x32, "
         "32x32x4, 16x16x4, 4x4x4"},
        {"--mma fp8,fp4,32,32,16 --operand a",
         "--mma: there is no 32x32x16 for fp8,fp4; there are 16x16x128, 32x32x64"},
        {"--mma f16,32,32 --operand a",
         "--mma is 'f16,32,32': it must be one or two types, M, N and K, such as f16,32,32,8"},
        {"--mma f16 --operand a", "--mma is 'f16': it must be one or two types, .*"},
        {"--mma ,32,32,8 --operand a", "--mma is ',32,32,8': it must be one or two types, .*"},
        {"--mma f16,32,x,8 --operand a", "--mma is 'x': it must be an integer .*"},
        {"--mma f16,32,32,8", "--operand is '': it must be a, b, c, scale_a or scale_b"},
        {"--mma f16,32,32,8 --operand d", "--operand is 'd': it must be a, b, c, scale_a .*"},
        {"--mma f16,32,32,8 --operand a --swap", "--swap is for --operand c: .*"},
        {"--mma f16,32,32,8 --operand scale_a",
         "--operand scale_a: mfma_f32_32x32x8_f16 takes no scales"},
        {"--mma fp8,16,16,128 --operand scale_b --tile 2,1,1",
         "--operand scale_b: scales are shown of a single instruction"},
        {"--mma f16,4,4,4 --operand a --expand 1,1,1",
         "--expand and --tile: a tile is made of instructions of one block, and "
         "mfma_f32_4x4x4_16b_f16 has 16"},
        {"--mma f16,32,32,8 --operand a --expand 1,1",
         "--expand is '1,1': it must be 3 integers with commas between them"},
        {"--mma f16,32,32,8 --operand a --tile 1,0,1", "--tile is '0': it must be an integer .*"},
        {"--mma f16,32,32,8 --operand c --expand 16,16,1",
         "the operand has more than 65536 elements"},
        {"--mma f16,32,32,8 --operand a --element-bits 8", "--element-bits is for --shape: .*"},
        {"--mma f16,4,4,4 --operand c --waves", "--waves is for C of an mma of one block"},
        {"--mma f16,32,32,8 --operand c --lds read_b32 --waves", "--waves shows C .*"},
        {"tile_48x32 --swizzle 8", "--swizzle is '8': it must be 2 integers .*"},
        {"tile_48x32 --swizzle 0,1", "--swizzle is '0': it must be an integer from 1 to 16384"},
        {"tile_48x32 --swizzle 5,1",
         "--swizzle: a row in memory has 32 elements, which is not .* chunks of 5"},
        {"--shape 8,24 --dims p,y --swizzle 8,1", "--swizzle: a row in memory has 24 elements, .*"},
        {"tile_48x32 --transposed --pitch 47", "--pitch is 47, but a row in memory has 48 .*"},
        {"--shape 8,8 --dims p,y --stride 8,1 --swizzle 8,1",
         "--pitch, --transposed and --swizzle do not go with --stride: .*"},
        {"--shape 8 --dims p --transposed", "--pitch, --transposed and --swizzle are for two .*"},
        {"--mma f16,16,16,32 --operand b --lds read_b64_tr_b16 --arch gfx950",
         "ds_read_b64_tr_b16 needs 4 consecutive .*; see --transposed"},
        {"--mma f16,16,16,32 --operand b --transposed --lds read_b64_tr_b8 --arch gfx950",
         "ds_read_b64_tr_b8 transposes elements of 8 bits, those here have 16"},
        {"lds_read_b64_tr_b16 --arch gfx942",
         "--lds read_b64_tr_b16: its phases are not known on gfx942; .*"},
        {"--shape 64,4 --dims p,y --transposed --lds read_b64",
         "ds_read_b64 needs 4 consecutive elements, but the registers 0 and 1 .*"},
        {"--shape 8,8,4 --dims p,py --transposed --lds read_b64_tr_b16 --arch gfx950",
         "ds_read_b64_tr_b16 gives 16 lanes the same 4 columns of 16 rows, but the registers 0 .*"},
        {"--shape 64,16 --dims p,y --pitch 17 --lds read_b64 --element-bits 4",
         "lane 1 begins within a byte: element 17 of 4 bits"},
        {"tile_48x32 --pitch 31", "--pitch is 31, but a row in memory has 32 elements"},
        {"tile_48x32 --pitch 0", "--pitch is '0': it must be an integer from 1 to 65536"},
        {"tile_48x32 --thread 64", "--thread is '64': it must be an integer from 0 to 63"},
        {"tile_48x32 --arch gfx942", "--arch and --access are for --lds"},
        {"tile_48x32 --element-bits 32", "--element-bits is for --lds"},
        {"--shape 3,x", "--shape is 'x': it must be an integer from 1 to 16384"},
        {"--shape 3,", "--shape is '': .*"},
        {"--shape 0", "--shape is '0': .*"},
        {"--shape 200,200", "--shape 200,200 has more than 16384 elements"},
        {"--shape 1,1,1,1,1,1,1,1,1", "--shape has 9 entries, at most 8 are possible"},
        {"--shape 3,4 --stride 1", "--stride has 1 entries, --shape has 2"},
        {"--shape 3,4 --pitch 9", ".*--dims says how the layout is spread over them"},
        {"--shape 3,4 --lds read_b32", ".*--dims says how the layout is spread over them"},
        {"--shape 3,4 --dims p,x", "--dims is 'p,x': it must be letters p and y .*"},
        {"--shape 3,4 --dims p,y,", "--dims is 'p,y,': .*"},
        {"--shape 3,4 --dims py,", "--dims is 'py,': .*"},
        {"--shape 3,4 --dims ,py", "--dims is ',py': .*"},
        {"--shape 3,4 --dims p", "--dims p has 1 parts, --shape has 2 extents"},
        {"--shape 3,4 --dims p,y --stride 1", "--stride has 1 entries; with --dims it has .* 2 .*"},
        {"--shape 3,4 --dims p,p --thread-stride 1", "--thread-stride has 1 entries, .* 2 times p"},
        {"--shape 2,2 --dims p,p --thread-stride 1,1", "--thread-stride .*: two are thread 1"},
        {"--shape 2,2 --dims p,p --thread-stride 1,4", "--thread-stride .*: there is a thread 4"},
        {"lds_read_b64 --arch gfx900", "--arch is 'gfx900': it must be gfx942 or gfx950"},
        {"lds_read_b64 --lds read_b48", "--lds is 'read_b48': .* known on gfx942: read_b32, .*"},
        {"lds_read_b64 --lds write_b64", "--lds write_b64: its phases are not known on gfx942; .*"},
        {"lds_read_b64 --lds read_b96", "--lds read_b96: its phases are not known on gfx942; .*"},
        {"lds_read_b64 --thread 1",
         "--thread and --full are for a picture of registers, not of --lds"},
        {"lds_read_b64 --access 8", "--access is 8: a lane makes 8 of ds_read_b64, .*"},
        {"lds_read_b64 --pitch 66", "lane 1 begins at byte 132, but ds_read_b64 needs a .* 8"},
        {"lds_write_b128 --element-bits 3",
         "--element-bits is 3: it must be 4, 6, 8, 16, 32 or 64"},
        {"lds_read_b64 --element-bits 32", "--element-bits is for --shape: --mma has types"},
        {"lds_read_b64 --pitch 4096", "the layout needs 254080 bytes of LDS, gfx942 has 65536"},
        {"mfma_32x32x8_c --lds read_b64",
         "ds_read_b64 needs 2 consecutive elements, .* 0 and 1 .*"},
        {"mfma_32x32x8_a --lds read_b128", "ds_read_b128 moves 8 elements, no divisor of the 4 .*"},
        {"mfma_16x16x128_fp6_a --lds read_b128", "ds_read_b128 moves 16 bytes, no .* 6 bits"},
        {"lds_write_b128 --lds read_b32 --element-bits 64",
         "ds_read_b32 moves 4 bytes, no .* 64 bits"},
        {"tile_48x32 --waves", "--waves is for C of an mma of one block"},
        {"tiled_64x32x16_a --waves", "--waves is for C of an mma of one block"},
        {"tiled_64x32x16_c --waves --thread 3", "--waves shows C of an mma without --thread, .*"},
        {"tiled_64x32x16_c --waves --full", "--waves shows C of an mma without --thread, .*"},
        {"--shape 3,4 --waves", "--waves is for C of an mma of one block"},
        {"--shape 3,4 --dims p,y --waves", "--waves is for C of an mma of one block"},
        {"--shape 8,4 --dims p,y --lds read_b64", "--lds shows .* 64 lanes, .* has 8 threads"},
    };
    for (const auto& [arguments, message] : wrong) {
        const outcome o = run(arguments + " --svg picture.svg");
        EXPECT_EQ(o.status, 2) << arguments;
        EXPECT_EQ(o.out, "") << arguments;
        EXPECT_TRUE(std::regex_match(o.err, std::regex("layout_viewer: " + message + "\n")))
            << arguments << ": " << o.err;
        EXPECT_EQ(files(), 0u) << arguments;
    }
}

TEST_F(layout_viewer_test, a_picture_is_complete_or_not_there) {
    outcome o = run("tile_48x32 --svg nowhere/picture.svg");
    EXPECT_EQ(o.status, 2);
    EXPECT_EQ(o.out, "");
    EXPECT_EQ(o.err,
              "layout_viewer: nowhere/picture.svg: cannot write: No such file or directory\n");
    o = run("tile_48x32 --svg .");
    EXPECT_EQ(o.status, 2);
    EXPECT_EQ(o.err, "layout_viewer: .: cannot write: is not a regular file\n");

    std::ofstream(directory / "picture.svg") << "what was there";
    EXPECT_EQ(run("nothing --svg picture.svg").status, 2);
    EXPECT_EQ(contents(directory / "picture.svg"), "what was there");

    // A disk that is full half way (4 KiB), and an output that nobody can print on.
    const std::string viewer = "'" OPUS_LAYOUT_VIEWER "' ";
    EXPECT_EQ(shell("(trap '' XFSZ; ulimit -f 8; " + viewer +
                    "mfma_32x32x8_c --svg picture.svg > /dev/null 2> .err)"),
              2);
    EXPECT_NE(contents(directory / ".err").find("File too large"), std::string::npos);
    EXPECT_EQ(contents(directory / "picture.svg"), "what was there");
    EXPECT_EQ(shell(viewer + "tile_48x32 --svg new.svg > /dev/full 2> .err"), 2);
    EXPECT_EQ(contents(directory / ".err"), "layout_viewer: standard output: cannot write\n");
    EXPECT_EQ(files(), 1u);
    EXPECT_EQ(run("tile_48x32 --svg picture.svg").status, 0);
    EXPECT_EQ(contents(directory / "picture.svg").compare(0, 4, "<svg"), 0);
}

// Colours on a terminal (script(1) makes one), unless NO_COLOR or TERM say otherwise.
TEST_F(layout_viewer_test, colours_on_a_terminal) {
    if (shell("script -qec true .log > .out 2>&1") != 0) {
        GTEST_SKIP() << "script(1) cannot make a terminal here";
    }
    const auto on_terminal = [&](const std::string& environment) {
        shell("env " + environment +
              " script -qec '" OPUS_LAYOUT_VIEWER " tile_48x32' .log > .out");
        return contents(directory / ".out").find("\033[30;48;5;") != std::string::npos;
    };
    EXPECT_TRUE(on_terminal("-u NO_COLOR TERM=xterm"));
    EXPECT_FALSE(on_terminal("NO_COLOR=1 TERM=xterm"));
    EXPECT_FALSE(on_terminal("-u NO_COLOR TERM=dumb"));
    // It is the output that counts, not what else is a terminal.
    shell("env -u NO_COLOR TERM=xterm script -qec '" OPUS_LAYOUT_VIEWER
          " tile_48x32 > .table' .log > .out");
    EXPECT_EQ(contents(directory / ".table"), table("tile_48x32"));
}

}  // namespace
