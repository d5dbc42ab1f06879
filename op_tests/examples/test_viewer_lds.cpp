// SPDX-License-Identifier: MIT
// The LDS banks that layout_viewer shows. Expected banks are worked out by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "layout_viewer/lds.hpp"
#include "run_viewer.hpp"

namespace {

using namespace viewer_test;

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

// The swizzle of examples/gemm_fast.hip, with the phases of its reads: chunk c of row r of 8 f16 is in
// place c ^ (r / 2 % chunks).
TEST_F(layout_viewer_test, a_swizzle_takes_conflicts_away) {
    const std::string k64 =
        "--mma f16,32,32,16 --expand 1,1,4 --operand a --lds read_b128 "
        "--arch gfx950";
    const std::string k32 =
        "--mma f16,32,32,16 --expand 1,1,2 --operand a --lds read_b128 "
        "--arch gfx942";
    struct {
        std::string tile;
        std::string right;
        std::string wrong;  // c ^ (r / 16 % chunks)
    } const rows[] = {{k64, "3,3,4", "3,3,7"}, {k32, "2,3,3", "2,3,6"}};
    for (const auto& row : rows) {
        EXPECT_TRUE(
            has_line(table(row.tile + " --swizzle " + row.right), "this access: no conflict"));
        EXPECT_FALSE(has_line(table(row.tile), "this access: no conflict"));
        EXPECT_FALSE(
            has_line(table(row.tile + " --swizzle " + row.wrong), "this access: no conflict"));
    }
    // Row 5 has its chunk 0 in place 0 ^ 2: byte 5 * 128 + 2 * 16 = 672, dword 168.
    EXPECT_TRUE(has_line(table("lds_read_b128_swizzled --arch gfx950"),
                         "   5     1   5      0  672 40-43                1"));
    // It is offsets that are swizzled, not rows: with rows of 80 elements row 7 has element 24 at
    // 584 = 4 * 128 + 9 * 8, and chunk 1 of 8 changes with 1 ^ 4: 616, byte 1232, dword 308.
    EXPECT_NE(table("lds_read_b128_swizzled --arch gfx950 --pitch 80 --access 1")
                  .find("\n  39     3   7     24 1232 52-55 "),
              std::string::npos);
    // Offsets of registers, where the chunks of two rows change places.
    EXPECT_TRUE(has_line(table("--shape 4,2,4 --dims p,yy --swizzle 1,2,1 --thread 1"),
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

}  // namespace
