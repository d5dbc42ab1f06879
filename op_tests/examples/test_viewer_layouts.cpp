// SPDX-License-Identifier: MIT
// What layout_viewer shows is what the header's layouts say: partition_layout_a, _b and _c of any
// thread, chained operands, swizzles.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "layout_viewer/mma.hpp"
#include "layout_viewer/views.hpp"
#include "run_viewer.hpp"

namespace {

using namespace opus;
using opus::operator""_I;
using namespace viewer_test;

using viewer_layouts = layout_viewer_test;

// "thread 5, offsets of its registers: 3 4 5", without the runs that are written in short.
std::string offsets_line(index_t thread, const viewer::indices& offsets) {
    std::string line = "thread " + std::to_string(thread) + ", offsets of its registers:";
    for (const index_t offset : offsets) {
        line += " " + std::to_string(offset);
    }
    return line;
}

template <class Layout>
viewer::indices offsets_of(const Layout& u) {
    const auto all = layout_to_offsets<1>(u);
    viewer::indices result;
    for (index_t i = 0; i < static_cast<index_t>(all.size()); ++i) {
        result.push_back(all[i]);
    }
    return result;
}

// == partition layouts ============================================================================

constexpr auto waves = seq<2, 2, 2>{};
constexpr auto repeats = seq<2, 3, 2>{};
constexpr auto tiled_mma =
    make_tiled_mma<fp16_t, fp16_t, fp32_t>(repeats, waves, seq<16, 16, 16>{});
constexpr auto tiled_swapped = make_tiled_mma<fp16_t, fp16_t, fp32_t>(
    repeats, waves, seq<16, 16, 16>{}, mfma_adaptor_swap_ab{});

// The offsets of all registers of every thread of the block.
TEST(viewer_layouts_of_the_header, tiles) {
    viewer::placement place;
    place.strides = {100, 2};
    const auto view_of = [&](const char* operand, bool swap) {
        viewer::mma_operand o;
        o.instr = &viewer::find_instruction("f16", {16, 16, 16});
        o.operand = operand;
        o.swap = swap;
        o.tiled = true;
        o.expand = {2, 3, 2};
        o.tile = {2, 2, 2};
        return viewer::distribute(o, place);
    };
    const auto same = [](const viewer::distribution& view, index_t thread, const auto& layout) {
        const viewer::indices expected = offsets_of(layout);
        ASSERT_EQ(static_cast<index_t>(expected.size()), view.registers);
        for (index_t r = 0; r < view.registers; ++r) {
            ASSERT_EQ(view.offsets[viewer::at(thread * view.registers + r)],
                      expected[viewer::at(r)])
                << "thread " << thread << ", register " << r;
        }
    };
    const auto strides = make_tuple(100, 2_I);
    const auto a = view_of("a", false);
    const auto b = view_of("b", false);
    const auto c = view_of("c", false);
    const auto c_swapped = view_of("c", true);
    for (const auto* view : {&a, &b, &c, &c_swapped}) {
        ASSERT_EQ(view->threads, 512);
        EXPECT_EQ(view->copies, 2);
    }
    for (index_t thread = 0; thread < 512; ++thread) {
        same(a, thread, partition_layout_a(tiled_mma, strides, thread));
        same(b, thread, partition_layout_b(tiled_mma, strides, thread));
        same(c, thread, partition_layout_c(tiled_mma, strides, thread));
        same(c_swapped, thread, partition_layout_c(tiled_swapped, strides, thread));
    }
}

// As the command line has them, with all that can be said.
TEST_F(viewer_layouts, partition_layouts_of_a_thread) {
    const std::string mma =
        "--mma f16,f16,f32,16,16,16 --expand 2,3,2 --tile 2,2,2 --full --operand ";
    for (const index_t thread : {0, 77, 161, 300, 511}) {
        const std::string at = " --thread " + std::to_string(thread);
        EXPECT_TRUE(has_line(table(mma + "a --stride 100,1" + at),
                             offsets_line(thread, offsets_of(partition_layout_a(
                                                      tiled_mma, make_tuple(100, 1_I), thread)))));
        EXPECT_TRUE(has_line(table(mma + "b --stride 1,200" + at),
                             offsets_line(thread, offsets_of(partition_layout_b(
                                                      tiled_mma, make_tuple(1_I, 200), thread)))));
        EXPECT_TRUE(
            has_line(table(mma + "c --swap --stride 0,1" + at),
                     offsets_line(thread, offsets_of(partition_layout_c(
                                              tiled_swapped, make_tuple(0_I, 1_I), thread)))));
        EXPECT_TRUE(has_line(
            table(mma + "a --pitch 128 --swizzle 3,3,4" + at),
            offsets_line(thread,
                         offsets_of(composition(
                             swizzle<3, 3, 4>{},
                             partition_layout_a(tiled_mma, make_tuple(128, 1_I), thread))))));
        EXPECT_TRUE(has_line(
            table(mma + "b --transposed --pitch 128 --swizzle 2,4,-3" + at),
            offsets_line(thread,
                         offsets_of(composition(
                             swizzle<2, 4, -3>{},
                             partition_layout_b(tiled_mma, make_tuple(1_I, 128), thread))))));
    }
    // Three strides where there are blocks.
    EXPECT_TRUE(has_line(table("--mma f16,4,4,4 --operand a --stride 1000,10,1 --full --thread 37"),
                         offsets_line(37, offsets_of(partition_layout_a(
                                              make_mfma<fp16_t, fp16_t, fp32_t>(4_I, 4_I, 4_I),
                                              make_tuple(1000, 10, 1_I), 37)))));
}

// Who else holds an element is said, and who is shown is the first of them.
TEST_F(viewer_layouts, waves_that_have_the_same) {
    const std::string mma = "--mma f16,16,16,16 --tile 2,3,1 --full --operand ";
    const std::string a = table(mma + "a");
    EXPECT_TRUE(has_line(a,
                         "thread = 192*p0 + p1 + 64*p2 + 16*p3 + 64*i for any i below 3, register "
                         "= 4*y0 + 4*y1 + 4*y2 + y3"))
        << a;
    EXPECT_EQ(cells(a)[16][0], "192:0");
    EXPECT_NE(table(mma + "b").find(" + 192*i for any i below 2"), std::string::npos);
    EXPECT_EQ(cells(table(mma + "b"))[33][0], "129:0");
    EXPECT_EQ(table(mma + "c").find("for any"), std::string::npos);
    EXPECT_EQ(cells(table(mma + "c"))[16][32], "320:0");
    EXPECT_EQ(run(mma + "a --thread 383").status, 0);
    EXPECT_EQ(run(mma + "a --thread 384").status, 2);
    // Where the waves along M are one, a wave of A is all of it: its banks.
    const std::string lds = "--mma f16,32,32,16 --expand 1,1,4 --operand a --lds read_b128";
    EXPECT_EQ(cells(table(lds)), cells(table(lds + " --tile 1,2,1")));
}

TEST_F(viewer_layouts, types_as_make_mfma_has_them) {
    for (const char* types : {"f16,f16", "f16,f16,f32", "fp16,fp16,fp32"}) {
        EXPECT_EQ(cells(table("--full --operand c --mma " + std::string(types) + ",32,32,8")),
                  cells(table("--full mfma_32x32x8_c")))
            << types;
    }
    EXPECT_NE(table("--operand a --mma fp8,fp4,f32,16,16,128").find("_f8f6f4<fp8_t, fp4_t> "),
              std::string::npos);
    EXPECT_NE(table("--operand a --mma i8,i8,i32,16,16,32").find("i32_16x16x32_i8\n"),
              std::string::npos);
}

// == chain_a, chain_b =============================================================================

// C has 4 rows in turn in a lane's registers (ISA guide, 7.1.4), of fp64 one: so lane l of group
// g = l / M has these k of the next product.
TEST_F(viewer_layouts, chained_operands_of_every_instruction) {
    int count = 0;
    for (const viewer::instruction& i : viewer::instructions()) {
        const bool f64 = i.type_a == "f64";
        const bool chains =
            i.blocks == 1 && i.bits_a == i.bits_b && i.bits_a != 6 && (i.bits_a <= 16 || f64);
        const std::string option = "--mma " + i.types() + "," + std::to_string(i.m) + "," +
                                   std::to_string(i.n) + "," + std::to_string(i.k) +
                                   " --chained --full --operand ";
        for (const std::string operand : {"a", "b"}) {
            SCOPED_TRACE(option + operand);
            if (!chains) {
                EXPECT_EQ(run(option + operand).status, 2);
                continue;
            }
            ++count;
            const auto shown = cells(table(option + operand));
            const int groups = 64 / i.m;
            const int turn = f64 ? 1 : 4;
            for (int l = 0; l < 64; ++l) {
                for (int item = 0; item < i.k / groups; ++item) {
                    const int k = (item / turn * groups + l / i.m) * turn + item % turn;
                    ASSERT_EQ(shown[static_cast<std::size_t>(l % i.m)][static_cast<std::size_t>(k)],
                              std::to_string(l) + ":" + std::to_string(item));
                }
            }
        }
    }
    // f64, i8 4 times; f16 and bf16 4 times each; of 8 bits 4 pairs of types 4 times, fp4 twice.
    EXPECT_EQ(count, 2 * (1 + 4 + 8 + 16 + 2));
}

// The second product of an attention, P * V, as its kernel has it.
TEST_F(viewer_layouts, chained_tiles_are_those_of_chain_a) {
    constexpr auto qk = make_tiled_mma<bf16_t, bf16_t, fp32_t>(
        seq<1, 2, 2>{}, seq<1, 1, 1>{}, seq<32, 32, 16>{}, mfma_adaptor_swap_ab{});
    constexpr auto pv = chain_a(qk, make_tiled_mma<bf16_t, bf16_t, fp32_t>(
                                        seq<1, 3, 4>{}, seq<1, 1, 1>{}, seq<32, 32, 16>{}));
    const std::string mma = "--mma bf16,32,32,16 --expand 1,3,4 --chained --full --operand ";
    for (const index_t thread : {0, 21, 40, 63}) {
        const std::string at = " --thread " + std::to_string(thread);
        EXPECT_TRUE(has_line(table(mma + "a --stride 64,1" + at),
                             offsets_line(thread, offsets_of(partition_layout_a(
                                                      pv, make_tuple(64_I, 1_I), thread)))));
        EXPECT_TRUE(has_line(table(mma + "b --stride 1,96" + at),
                             offsets_line(thread, offsets_of(partition_layout_b(
                                                      pv, make_tuple(1_I, 96_I), thread)))));
    }
}

// == swizzles =====================================================================================

// Bit by bit, as the reference describes it.
index_t swizzled(index_t offset, index_t bits, index_t base, index_t shift) {
    index_t result = offset;
    for (index_t i = 0; i < bits; ++i) {
        const index_t from = shift < 0 ? base + i : base + i + shift;
        const index_t to = shift < 0 ? base + i - shift : base + i;
        result ^= (offset >> from & 1) << to;
    }
    return result;
}

TEST(viewer_swizzle, of_all_numbers_that_the_header_takes) {
    int valid = 0;
    for (index_t bits = 0; bits < 31; ++bits) {
        for (index_t base = 0; base < 31; ++base) {
            for (index_t shift = -30; shift <= 30; ++shift) {
                const viewer::swizzle s{bits, base, shift};
                const index_t distance = shift < 0 ? -shift : shift;
                ASSERT_EQ(s.is_valid(), distance >= bits && bits + base + distance < 31)
                    << s.name();
                if (!s.is_valid()) {
                    continue;
                }
                ++valid;
                viewer::indices offsets{0, 1, 0x12345678, 0x7fffffff, 0x55555555, 0x2aaaaaaa};
                viewer::indices expected;
                for (const index_t offset : offsets) {
                    expected.push_back(swizzled(offset, bits, base, shift));
                }
                viewer::apply(s, offsets);
                ASSERT_EQ(offsets, expected) << s.name();
            }
        }
    }
    EXPECT_GT(valid, 5000);
    viewer::indices offsets{128 + 8, 584};
    viewer::apply({3, 3, 4}, offsets);
    EXPECT_EQ(offsets, (viewer::indices{swizzle<3, 3, 4>{}(128 + 8), swizzle<3, 3, 4>{}(584)}));
}

TEST_F(viewer_layouts, swizzles_of_any_layout) {
    const std::string plain = table("--shape 8,16 --swizzle 2,2,3 --svg picture.svg");
    EXPECT_EQ(plain.find("shape (8, 16), strides (16, 1), swizzle 2,2,3: "), 0u) << plain;
    const auto offsets = cells(plain);
    EXPECT_EQ(offsets[0][7], "7");
    EXPECT_EQ(offsets[2][0], "36");  // 32 ^ 1 * 4
    EXPECT_EQ(offsets[7][15], "115");
    EXPECT_NE(contents(directory / "picture.svg").find("swizzle 2,2,3"), std::string::npos);
    EXPECT_TRUE(has_line(table("--shape 4,8 --dims py --swizzle 1,0,3 --thread 1"),
                         "thread 1, offsets of its registers: 9 8 11 10 13 12 15 14"));
    EXPECT_TRUE(has_line(table("--shape 4,8 --dims p,y --stride 16,1 --swizzle 1,3,-1 --thread 1"),
                         "thread 1, offsets of its registers: 16-23"));
    EXPECT_TRUE(has_line(table("tile_48x32 --thread 1 --swizzle 1,3,-1"),
                         "thread 1, offsets of its registers: 24-31 536-543 1048-1055"));
}

}  // namespace
