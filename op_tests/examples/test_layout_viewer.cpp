// SPDX-License-Identifier: MIT
// examples/layout_viewer as a user runs it: tables, pictures, banks, and every way to be told what
// is wrong. Expected elements, offsets and banks are worked out by hand.
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>

#include <algorithm>
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

// The cells of a table: of the lines after the first empty one, without the headings.
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
            result.push_back(line.substr(0, line.find(' ')));
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

TEST_F(layout_viewer_test, lists_names_with_one_line_each) {
    std::set<std::string> list;
    for (const std::string& name : names()) {
        EXPECT_TRUE(list.insert(name).second) << name << " is there twice";
    }
    EXPECT_EQ(list.size(), 35u);
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
        for (const auto& row : cells(table(name))) {
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
    const auto tile = cells(table("tile_48x32"));
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
        has_line(table("tile_48x32 --pitch 50 --thread 21"),
                 "thread 21, offsets of its registers: 258 259 260 261 262 263 264 265 1058 "
                 "1059 1060 1061 1062 1063 1064 1065 1858 1859 1860 1861 1862 1863 1864 "
                 "1865"));
    EXPECT_TRUE(has_line(table("mfma_16x16x16_c --pitch 100 --thread 18"),
                         "thread 18, offsets of its registers: 402 502 602 702"));
    EXPECT_TRUE(has_line(table("mfma_16x16x16_c_swap_ab --pitch 100 --thread 18"),
                         "thread 18, offsets of its registers: 204 205 206 207"));
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
        const auto operand = cells(table(name));
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
        // Wave 3's second tile: 48 rows of 6 pixels and 16 columns of 12 from the corner of the
        // first tile of wave 0, both 16 rows and columns large.
        const std::size_t corner = svg.find(R"(" width="192" height="96" fill="#)");
        ASSERT_NE(corner, std::string::npos);
        int x = 0;
        int y = 0;
        const std::size_t begin = svg.rfind("<rect", corner);
        ASSERT_EQ(std::sscanf(svg.c_str() + begin, R"(<rect x="%d" y="%d)", &x, &y), 2);
        EXPECT_NE(svg.find("<rect x=\"" + std::to_string(x + 192) + "\" y=\"" +
                           std::to_string(y + 288) + "\" width=\"192\" height=\"96\""),
                  std::string::npos);
    }
}

// == from the command line ========================================================================

TEST_F(layout_viewer_test, shape_and_stride) {
    auto offsets = cells(table("--shape 48,32 --stride 50,1"));
    ASSERT_EQ(offsets.size(), 48u);
    ASSERT_EQ(offsets[0].size(), 32u);
    EXPECT_EQ(offsets[4][8], "208");
    EXPECT_EQ(offsets[47][31], "2381");
    offsets = cells(table("--shape 2,3,4 --svg picture.svg"));  // packed
    ASSERT_EQ(offsets.size(), 6u);
    EXPECT_EQ(offsets[5][3], "23");
    EXPECT_NE(contents(directory / "picture.svg").find(">1,2</text>"), std::string::npos);
    EXPECT_EQ(cells(table("--shape 4 --stride 7"))[0][2], "21");
    EXPECT_EQ(cells(table("--shape 1,1,1,1,1,1,1,2 --stride 0,0,0,0,0,0,0,9"))[0][1], "9");
}

// The same view from a name and from its parts.
TEST_F(layout_viewer_test, split_views) {
    const auto same = [&](const std::string& name, const std::string& parts) {
        const std::string a = table(name);
        const std::string b = table(parts);
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
    const auto row = cells(table("--shape 2,3,2 --dims pyp"));  // one dimension
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
    EXPECT_TRUE(has_line(table("tile_48x32 --lds read_b32 --element-bytes 4"),
                         "   9     0   2      8  288     8                8 conflict"));
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
    EXPECT_TRUE(has_line(table("--shape 64,4 --dims p,y --stride 0,1 --lds read_b64"),
                         "this access: no conflict"));
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
        {"gfx942 read_b32", "32 2 I"},  {"gfx942 read_b64", "32 4 I"},
        {"gfx942 read_b128", "32 8 I"}, {"gfx942 write_b128", "32 8 D"},
        {"gfx950 read_b32", "32 2 I"},  {"gfx950 read_b64", "64 2 H"},
        {"gfx950 read_b96", "32 8 H"},  {"gfx950 read_b128", "64 4 H"},
        {"gfx950 write_b64", "32 4 H"}, {"gfx950 write_b128", "32 8 I"},
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
        {"", "either the name of a layout or --shape is required; --list prints names"},
        {"tile_48x32 --shape 3,3", "either the name of a layout or --shape is required; .*"},
        {"nothing", "there is no layout 'nothing'; --list prints their names"},
        {"--list --arch gfx942", "--list goes alone"},
        {"--bogus", ".*--bogus.*"},
        {"tile_48x32 --dims yp,py", ".* go with --shape, not with a name"},
        {"tile_48x32 --pitch 31", "--pitch is 31, but a row has 32 elements"},
        {"tile_48x32 --pitch 0", "--pitch is '0': it must be an integer from 1 to 65536"},
        {"tile_48x32 --thread 64", "--thread is '64': it must be an integer from 0 to 63"},
        {"tile_48x32 --arch gfx942", "--arch and --access are for --lds"},
        {"tile_48x32 --element-bytes 4", "--element-bytes is for --lds"},
        {"--shape 3,x", "--shape is 'x': it must be an integer from 1 to 16384"},
        {"--shape 3,", "--shape is '': .*"},
        {"--shape 0", "--shape is '0': .*"},
        {"--shape 200,200", "--shape 200,200 has more than 16384 elements"},
        {"--shape 1,1,1,1,1,1,1,1,1", "--shape has 9 entries, at most 8 are possible"},
        {"--shape 3,4 --stride 1", "--stride has 1 entries, --shape has 2"},
        {"--shape 3,4 --pitch 9", ".*--dims says how the layout is spread over them"},
        {"--shape 3,4 --lds read_b32", ".*--dims says how the layout is spread over them"},
        {"--shape 3,4 --dims p,y --pitch 9", "--pitch goes with a name; .*"},
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
        {"lds_read_b64 --thread 1", "--thread is for a picture of registers, not of --lds"},
        {"lds_read_b64 --access 8", "--access is 8: a lane makes 8 of ds_read_b64, .*"},
        {"lds_read_b64 --pitch 66", "lane 1 begins at byte 132, but ds_read_b64 needs a .* 8"},
        {"lds_read_b64 --element-bytes 3", "--element-bytes is 3: it must be 1, 2, 4 or 8"},
        {"lds_read_b64 --pitch 4096", "the layout needs 254080 bytes of LDS, gfx942 has 65536"},
        {"mfma_32x32x8_c --lds read_b64",
         "ds_read_b64 needs 2 consecutive elements, .* 0 and 1 .*"},
        {"mfma_32x32x8_a --lds read_b128", "ds_read_b128 moves 8 elements, no divisor of the 4 .*"},
        {"lds_read_b64 --lds read_b32 --element-bytes 8", "ds_read_b32 moves 4 bytes, no .* 8"},
        {"mfma_16x16x128_fp4_a --lds read_b128", "--lds counts bytes, .* is less than one"},
        {"mfma_16x16x128_fp4_a --lds read_b128 --element-bytes 1", "--lds counts bytes, .*"},
        {"tile_48x32 --waves", "--waves is for C of a tiled mma, .*"},
        {"tiled_64x32x16_a --waves", "--waves is for C of a tiled mma, .*"},
        {"tiled_64x32x16_c --waves --thread 3", "--waves goes with a name and --pitch alone"},
        {"--shape 3,4 --waves", "--waves goes with a name and --pitch alone"},
        {"--shape 3,4 --dims p,y --waves", "--waves goes with a name and --pitch alone"},
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
