// Layouts by the index of a thread, the coordinates of the items of a tile, and masks, against the
// definition of the matrix instructions.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "operand_places.hpp"
#include "opus/opus_plus.hpp"

namespace {

using namespace opus;
using opus::operator""_I;
using namespace operand_places;

template <class Coordinates>
int offset_of(const Coordinates& at) {
    if constexpr (Coordinates::size() == 2) {
        return get<0>(at) * row_stride + get<1>(at);
    } else {
        return get<0>(at) * block_stride + get<1>(at) * row_stride + get<2>(at);
    }
}

// What a thread's items are by the coordinates and by the layout of the operand, both by thread; the
// items are the same for numbers and integers, and for the thread as a number.
template <class Coordinates, class Layout>
std::vector<int> items_of(const Coordinates& f, const Layout& u) {
    std::vector<int> items;
    const auto offsets = layout_to_offsets<1>(u);
    EXPECT_EQ(offsets.size(), f.items);
    static_for<Coordinates::items>([&](auto i) {
        items.push_back(offset_of(f(i)));
        EXPECT_EQ(items.back(), offset_of(f(i.value))) << "item " << i.value;
        EXPECT_EQ(items.back(), offsets[i.value]) << "item " << i.value;
    });
    return items;
}

// == one instruction ==============================================================================

template <class Mma, class Where>
void expect_items(const Mma&, const std::vector<int>& items, int lane, Where where) {
    for (size_t item = 0; item < items.size(); item++) {
        const int offset = items[item];
        const laws::place p =
            where(offset / block_stride, offset % block_stride / row_stride, offset % row_stride);
        ASSERT_EQ(p.lane, lane) << "offset " << offset;
        ASSERT_EQ(p.item, static_cast<int>(item)) << "offset " << offset;
    }
}
template <bool swapped, class A, class B, class C, index_t M, index_t N, index_t K>
void check_instruction(mfma<A, B, C, M, N, K>) {
    using adaptor = __type_pack_element<swapped, mfma_adaptor, mfma_adaptor_swap_ab>;
    const auto mma = make_mfma<A, B, C>(number<M>{}, number<N>{}, number<K>{}, adaptor{});
    using mma_t = remove_cv_t<decltype(mma)>;
    constexpr index_t blocks = mma_t::blocks;
    constexpr auto stride = x_stride<blocks>();
    SCOPED_TRACE(std::to_string(M) + "x" + std::to_string(N) + "x" + std::to_string(K) +
                 ", blocks " + std::to_string(blocks) + ", bits " +
                 std::to_string(sizeof_bits_v<A>) + (swapped ? ", swapped" : ""));
    // Threads of any wave: the lane counts.
    for (int thread = 0; thread < 192; thread += thread % 64 == 63 ? 1 : 1 + thread / 64 * 20) {
        const int lane = thread % 64;
        expect_items(
            mma, items_of(tile_coordinates_a(mma, thread), partition_layout_a(mma, stride, thread)),
            lane, [](int block, int row, int k) {
                return laws::operand_place(element_of<A>(), M, K, blocks, block, row, k);
            });
        expect_items(
            mma,
            items_of(tile_coordinates_b(mma, thread), partition_layout_b<-1>(mma, stride, thread)),
            lane, [](int block, int column, int k) {
                return laws::operand_place(element_of<B>(), N, K, blocks, block, column, k);
            });
        expect_items(
            mma, items_of(tile_coordinates_c(mma, thread), partition_layout_c(mma, stride, thread)),
            lane, [](int block, int row, int column) {
                return swapped
                           ? laws::result_place(element_of<C>(), N, M, blocks, block, column, row)
                           : laws::result_place(element_of<C>(), M, N, blocks, block, row, column);
            });
    }
}
template <class... Instruction>
int check_all(tuple<Instruction...>) {
    (check_instruction<false>(Instruction{}), ...);
    (check_instruction<true>(Instruction{}), ...);
    return sizeof...(Instruction);
}

TEST(by_thread, every_kind_of_instruction) {
    check_all(tuple<mfma_f64_16x16x4_f64, mfma_f64_4x4x4_4b_f64, mfma_f32_32x32x2_f32,
                    mfma_f32_32x32x1_2b_f32, mfma_f32_16x16x1_4b_f32, mfma_f32_4x4x1_16b_f32,
                    mfma_f32_32x32x8_f16, mfma_f32_16x16x16_f16, mfma_f32_16x16x32_bf16,
                    mfma_f32_32x32x4_2b_f16, mfma_f32_16x16x4_4b_f16, mfma_f32_4x4x4_16b_f16,
                    mfma_i32_16x16x64_i8, mfma_f32_32x32x16_fp8_bf8,
                    mfma_f32_16x16x128_f8f6f4<fp8_t, fp4_t>, mfma_f32_32x32x64_f8f6f4<fp4_t, fp8_t>,
                    mfma_f32_16x16x128_f8f6f4<fp6_t, fp4_t>>{});
}

TEST(by_thread, transposed_reads_and_packed_layouts) {
    const auto mma =
        make_tiled_mma<fp16_t, fp16_t, fp32_t>(seq<1, 2, 2>{}, seq<2, 2, 1>{}, seq<16, 16, 16>{});
    for (int thread = 0; thread < 256; thread++) {
        const int lane = thread % 64;
        const auto a = make_tuple(thread / 128, lane % 16, 0, lane / 16);
        const auto b = make_tuple(thread / 64 % 2, lane % 16, 0, lane / 16);
        const auto c = make_tuple(thread / 128, lane / 16, thread / 64 % 2, lane % 16);
        const auto stride = make_tuple(1_I, 100);
        EXPECT_EQ(layout_to_offsets<4>(partition_layout_a_tr(mma, stride, thread)),
                  layout_to_offsets<4>(partition_layout_a_tr(mma, stride, a)));
        EXPECT_EQ(layout_to_offsets<4>(partition_layout_b_tr<4>(mma, stride, thread)),
                  layout_to_offsets<4>(partition_layout_b_tr(mma, stride, b)));
        EXPECT_EQ(layout_to_offsets<4>(partition_layout_a_packed(mma, thread)),
                  layout_to_offsets<4>(partition_layout_a_packed(mma, a)));
        EXPECT_EQ(layout_to_offsets<4>(partition_layout_b_packed<4>(mma, thread)),
                  layout_to_offsets<4>(partition_layout_b_packed(mma, b)));
        EXPECT_EQ(layout_to_offsets<1>(partition_layout_c_packed(mma, thread)),
                  layout_to_offsets<1>(partition_layout_c_packed(mma, c)));
    }
}

// == tiles ========================================================================================

// A dimension of a tile: waves * extent elements lie side by side, and this wave has part `wave`.
struct along {
    int extent;
    int waves;
    int wave;

    int inside(int x) const { return x % extent; }
    int repeat(int x) const { return x / extent / waves; }
};
// Each item is where place(row in the instruction, column in it, repeats) says; adds them to `seen`.
template <class Place>
void expect_tile(std::set<int>& seen, const std::vector<int>& items, int lane, along rows,
                 along columns, Place place) {
    for (size_t item = 0; item < items.size(); item++) {
        const int x = items[item] / row_stride;
        const int y = items[item] % row_stride;
        EXPECT_EQ(x / rows.extent % rows.waves, rows.wave);
        EXPECT_EQ(y / columns.extent % columns.waves, columns.wave);
        const laws::place p =
            place(rows.inside(x), columns.inside(y), rows.repeat(x), columns.repeat(y));
        ASSERT_EQ(p.lane, lane) << "row " << x << ", column " << y;
        ASSERT_EQ(p.item, static_cast<int>(item)) << "row " << x << ", column " << y;
        seen.insert(items[item]);
    }
}
template <bool swapped, index_t EM, index_t EN, index_t EK, index_t TM, index_t TN, index_t TK,
          index_t WM, index_t WN, index_t WK>
void check_tile(seq<EM, EN, EK> expand, seq<TM, TN, TK> tile, seq<WM, WN, WK> wave) {
    using adaptor = __type_pack_element<swapped, mfma_adaptor, mfma_adaptor_swap_ab>;
    const auto mma = make_tiled_mma<fp16_t, fp16_t, fp32_t>(expand, tile, wave, adaptor{});
    const auto stride = make_tuple(row_stride, 1_I);
    std::set<int> a, b, c;
    for (int thread = 0; thread < 64 * TM * TN * TK; thread++) {
        const int lane = thread % 64;
        const along m{WM, TM, thread / 64 / TK / TN};
        const along n{WN, TN, thread / 64 / TK % TN};
        const along k{WK, TK, thread / 64 % TK};
        expect_tile(
            a, items_of(tile_coordinates_a(mma, thread), partition_layout_a(mma, stride, thread)),
            lane, m, k, [&](int i, int j, int im, int ik) {
                auto p = laws::operand_place(element::f16, WM, WK, 1, 0, i, j);
                p.item += (im * EK + ik) * mma.mma_a_len;
                return p;
            });
        expect_tile(
            b, items_of(tile_coordinates_b(mma, thread), partition_layout_b(mma, stride, thread)),
            lane, n, k, [&](int i, int j, int in, int ik) {
                auto p = laws::operand_place(element::f16, WN, WK, 1, 0, i, j);
                p.item += (in * EK + ik) * mma.mma_b_len;
                return p;
            });
        expect_tile(
            c, items_of(tile_coordinates_c(mma, thread), partition_layout_c(mma, stride, thread)),
            lane, m, n, [&](int i, int j, int im, int in) {
                auto p = swapped ? laws::result_place(element::f32, WN, WM, 1, 0, j, i)
                                 : laws::result_place(element::f32, WM, WN, 1, 0, i, j);
                p.item += (im * EN + in) * mma.mma_c_len;
                return p;
            });
    }
    EXPECT_EQ(a.size(), static_cast<size_t>(EM * TM * WM * EK * TK * WK));
    EXPECT_EQ(b.size(), static_cast<size_t>(EN * TN * WN * EK * TK * WK));
    EXPECT_EQ(c.size(), static_cast<size_t>(EM * TM * WM * EN * TN * WN));
}

TEST(by_thread, tiles) {
    check_tile<false>(seq<2, 1, 3>{}, seq<3, 2, 1>{}, seq<16, 16, 16>{});
    check_tile<false>(seq<3, 2, 1>{}, seq<1, 3, 2>{}, seq<32, 32, 8>{});
    check_tile<false>(seq<1, 1, 2>{}, seq<1, 1, 4>{}, seq<32, 32, 8>{});
    check_tile<true>(seq<1, 3, 2>{}, seq<2, 1, 3>{}, seq<16, 16, 16>{});
    check_tile<true>(seq<3, 2, 2>{}, seq<2, 2, 2>{}, seq<32, 32, 8>{});
    check_tile<true>(seq<2, 2, 1>{}, seq<4, 1, 1>{}, seq<16, 16, 32>{});
}

TEST(by_thread, chained) {
    const auto first = make_mfma<fp16_t, fp16_t, fp32_t>(32_I, 32_I, 8_I, mfma_adaptor_swap_ab{});
    const auto second = chain_a(first, make_tiled_mma<fp16_t, fp16_t, fp32_t>(
                                           seq<1, 1, 2>{}, seq<1, 1, 1>{}, seq<32, 32, 16>{}));
    for (int thread = 0; thread < 128; thread++) {
        // C of the first is A of the second, item by item.
        const auto c = tile_coordinates_c(first, thread);
        const auto a = tile_coordinates_a(second, thread);
        static_assert(c.items == 16 && a.items == 16);
        for (int i = 0; i < 16; i++) {
            EXPECT_EQ(offset_of(c(i)), offset_of(a(i))) << "thread " << thread << ", item " << i;
        }
    }
}

// == what is constant =============================================================================

TEST(coordinates, constants_stay_constants) {
    constexpr auto mma =
        make_tiled_mma<fp16_t, fp16_t, fp32_t>(seq<2, 2, 1>{}, seq<2, 2, 1>{}, seq<32, 32, 8>{});
    // Thread 70 is lane 6 of the wave at (0, 1).
    static_assert(
        is_same_v<decltype(tile_coordinates_a(mma, 70_I)(3_I)), tuple<number<6>, number<3>>>);
    static_assert(is_same_v<decltype(tile_coordinates_b(mma, 70_I)(4_I)),
                            tuple<number<64 + 32 + 6>, number<0>>>);
    static_assert(is_same_v<decltype(tile_coordinates_c(mma, 70_I)(21_I)),
                            tuple<number<9>, number<64 + 32 + 6>>>);
    static_assert(
        is_same_v<decltype(partition_layout_a(mma, make_tuple(8_I, 1_I), 70_I)(0_I, 0_I, 0_I, 2_I)),
                  index_t>);
    static_assert(is_same_v<decltype(partition_layout_a<-1>(mma, make_tuple(8_I, 1_I), 70_I)(
                                0_I, 0_I, 0_I, 2_I)),
                            number<6 * 8 + 2>>);
    // A lane of 4x4x4 has all of k, whichever it is.
    constexpr mfma_adaptor::type<fp16_t, fp16_t, fp32_t, 4, 4, 4> blocks{};
    static_assert(is_same_v<decltype(tile_coordinates_a(blocks, 5)(2_I)),
                            tuple<index_t, index_t, number<2>>>);
    static_assert(is_same_v<decltype(tile_coordinates_c(blocks, 5)(2_I)),
                            tuple<index_t, number<2>, index_t>>);
    EXPECT_EQ(offset_of(tile_coordinates_c(blocks, 5)(2)), 1 * block_stride + 2 * row_stride + 1);
    // In a constant expression, an integer as well.
    constexpr auto f = tile_coordinates_c(mma, 70);
    static_assert(get<0>(f(21)) == 9 && get<1>(f(21_I)) == 102);
}

// == masks ========================================================================================

TEST(within, items_below_both_limits) {
    const auto mma =
        make_tiled_mma<fp16_t, fp16_t, fp32_t>(seq<2, 1, 1>{}, seq<1, 2, 1>{}, seq<16, 16, 16>{});
    for (const int rows : {-1, 0, 1, 13, 17, 32}) {
        for (const int columns : {0, 5, 31, 32, 100}) {
            int inside = 0;
            for (int thread = 0; thread < 128; thread++) {
                const auto f = tile_coordinates_c(mma, thread);
                const auto mask = within(f, rows, columns);
                for (int i = 0; i < 8; i++) {
                    EXPECT_EQ(mask(i), get<0>(f(i)) < rows && get<1>(f(i)) < columns);
                    inside += mask(i);
                }
                EXPECT_EQ(mask(3_I), mask(3));
            }
            EXPECT_EQ(inside, max(0, rows) * min(32, columns));
        }
    }
    // _ is no limit.
    const auto f = tile_coordinates_c(mma, 70);
    for (int i = 0; i < 8; i++) {
        EXPECT_EQ(within(f, _, 23)(i), get<1>(f(i)) < 23);
        EXPECT_EQ(within(f, 14, _)(i), get<0>(f(i)) < 14);
        EXPECT_TRUE(within(f, _, _)(i));
    }
    static_assert(within(tile_coordinates_c(mma, 0_I), 1_I, 1_I)(0_I));
    static_assert(!within(tile_coordinates_c(mma, 0_I), 1_I, 1_I)(1_I));
}

}  // namespace
