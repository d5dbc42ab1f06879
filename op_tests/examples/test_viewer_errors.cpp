// SPDX-License-Identifier: MIT
// Every way in which layout_viewer is told what is wrong, and what it leaves behind then.
#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "run_viewer.hpp"

namespace {

using namespace viewer_test;

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
        {"--shape 3,4 --operand a", "--operand, --swap, --chained, .* go with --mma"},
        {"--shape 3,4 --swap", "--operand, --swap, --chained, .* go with --mma"},
        {"--shape 3,4 --chained", "--operand, --swap, --chained, .* go with --mma"},
        {"mfma_16x16x16_a --chained", "a name stands for a layout: --shape, --mma and .*"},
        {"--mma f16,32,32,8 --operand a --dims p,y", "--dims .* go with --shape"},
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
         "--mma is 'f16,32,32': it must be one to three types, M, N and K, such as f16,32,32,8"},
        {"--mma f16 --operand a", "--mma is 'f16': it must be one to three types, .*"},
        {"--mma ,32,32,8 --operand a", "--mma is ',32,32,8': it must be one to three types, .*"},
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
        {"tile_48x32 --swizzle 8,2", "--swizzle is '8,2': it must be 3 integers .*"},
        {"tile_48x32 --swizzle 3,3,31", "--swizzle is '31': it must be an integer from -30 to 30"},
        {"tile_48x32 --swizzle 3,3,2", "--swizzle is '3,3,2': BITS and BASE must not be .*"},
        {"tile_48x32 --swizzle 3,3,-2", "--swizzle is '3,3,-2': BITS and BASE must not .*"},
        {"tile_48x32 --swizzle 1,-1,4", "--swizzle is '1,-1,4': BITS and BASE must not .*"},
        {"--shape 8 --swizzle -1,0,4", "--swizzle is '-1,0,4': BITS and BASE must not .*"},
        {"tile_48x32 --swizzle 10,5,16",
         "--swizzle is '10,5,16': .*, and BITS [+] BASE [+] .SHIFT. less than 31"},
        {"tile_48x32 --transposed --pitch 47", "--pitch is 47, but a row in memory has 48 .*"},
        {"--shape 8,8 --dims p,y --stride 8,1 --pitch 9",
         "--pitch and --transposed do not go with --stride: .*"},
        {"--mma f16,32,32,8 --operand a --stride 8,1 --transposed",
         "--pitch and --transposed do not go with --stride: .*"},
        {"--shape 8 --dims p --transposed", "--pitch and --transposed are for two .*"},
        {"--mma f16,16,16,16 --operand a --stride 8", "--stride has 1 entries; .* 2 dimensions"},
        {"--mma f32,32,32,2 --operand a --expand 64,1,1 --tile 16,1,1 --stride 65536,65536",
         "--stride: offsets would exceed 2.31"},
        {"--mma f16,f16,f16,32,32,8 --operand a",
         "--mma: C of mfma_f32_32x32x8_f16 is f32, not f16"},
        {"--mma f16,f16,f32,f32,32,32,8 --operand a", "--mma: there is no instruction for .*"},
        {"--mma f16,32,32,8 --operand c --chained", "--chained is for --operand a and b: .*"},
        {"--mma fp8,16,16,128 --operand scale_a --chained", "--chained is for --operand a .*"},
        {"--mma f32,16,16,4 --operand a --chained", "--chained: .* mfma_f32_16x16x4_f32, but .*"},
        {"--mma fp6,16,16,128 --operand a --chained", "--chained: chain_a and chain_b do not .*"},
        {"--mma fp8,fp4,16,16,128 --operand b --chained", "--chained: chain_a and chain_b .*"},
        {"--mma f16,4,4,4 --operand a --chained", "--chained: chain_a and chain_b do not take .*"},
        {"--mma f16,16,16,16 --operand a --tile 1,1,2 --chained", "--chained: all K must be .*"},
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
        {"--shape 3,4 --dims p,y --stride 1",
         "--stride has 1 entries; with --dims or --mma it has .* 2 .*"},
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
