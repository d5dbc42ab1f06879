// Where tiles of several waves put the elements of A, B and C: pure arithmetic, no device.
#include <gtest/gtest.h>

#include <set>

#include "operand_places.hpp"

namespace {

using namespace opus;
using opus::operator""_I;
using namespace operand_places;

// Of the guide: 64x32x16 for four waves.
TEST(tiled_mma, shapes_of_64x32x16) {
    constexpr auto mma =
        make_tiled_mma<fp16_t, fp16_t, fp32_t>(seq<2, 1, 1>{}, seq<2, 2, 1>{}, seq<16, 16, 16>{});
    static_assert(mma.expd_m == 2 && mma.expd_n == 1 && mma.expd_k == 1);
    static_assert(mma.tile_m == 2 && mma.tile_n == 2 && mma.tile_k == 1);
    static_assert(mma.mma_a_len == 4 && mma.mma_b_len == 4 && mma.mma_c_len == 4);
    static_assert(mma.tile_a_len == 8 && mma.tile_b_len == 4 && mma.tile_c_len == 8);
    static_assert(is_same_v<decltype(mma)::vtype_a, fp16x8_t>);
    static_assert(is_same_v<decltype(mma)::vtype_b, fp16x4_t>);
    static_assert(is_same_v<decltype(mma)::vtype_c, fp32x8_t>);
    // What describes the wave's mma is still there.
    static_assert(mma.elem_a == 4 && mma.grpm_a == 16 && mma.wave_k == 16 && mma.pack_c == 4);

    static_assert(
        is_same_v<decltype(mma.shape_a()), tuple<number<2>, number<2>, number<16>, number<1>,
                                                 number<1>, number<1>, number<4>, number<4>>>);
    static_assert(
        is_same_v<decltype(mma.shape_b()), tuple<number<1>, number<2>, number<16>, number<1>,
                                                 number<1>, number<1>, number<4>, number<4>>>);
    static_assert(
        is_same_v<decltype(mma.shape_c()), tuple<number<2>, number<2>, number<1>, number<4>,
                                                 number<4>, number<1>, number<2>, number<16>>>);
    static_assert(
        is_same_v<decltype(mma.dim_a()),
                  tuple<tuple<y_dim, p_dim, p_dim>, tuple<y_dim, p_dim, y_dim, p_dim, y_dim>>>);
    static_assert(is_same_v<decltype(mma.dim_b()), decltype(mma.dim_a())>);
    static_assert(
        is_same_v<decltype(mma.dim_c()),
                  tuple<tuple<y_dim, p_dim, y_dim, p_dim, y_dim>, tuple<y_dim, p_dim, p_dim>>>);
    static_assert(
        is_same_v<decltype(mma.y_shape_a()), tuple<number<2>, number<1>, number<1>, number<4>>>);
    static_assert(
        is_same_v<decltype(mma.p_shape_a()), tuple<number<2>, number<16>, number<1>, number<4>>>);
    static_assert(
        is_same_v<decltype(mma.p_shape_b()), tuple<number<2>, number<16>, number<1>, number<4>>>);
    static_assert(
        is_same_v<decltype(mma.p_shape_c()), tuple<number<2>, number<4>, number<2>, number<16>>>);
    EXPECT_EQ(mma.y_layout_a()(1, 0, 0, 3), 7);
    // Repeat 1 of wave 1 along M, lane 21 of the wave: row 32 + 16 + 5, k = 4 .. 7.
    EXPECT_EQ(mma.layout_a(make_tuple(100, 1_I), make_tuple(1, 5, 0, 1))(1, 0, 0, 2), 5306);
    EXPECT_EQ(mma.layout_a_packed(make_tuple(1, 5, 0, 1))(1, 0, 0, 2), 53 * 16 + 6);
    EXPECT_EQ(mma.layout_a(make_tuple(100, 1_I))(1, 1, 5, 0, 0, 0, 1, 2), 5306);
}

// The registers of C are open in their order, whatever lies along N.
TEST(tiled_mma, order_of_c) {
    constexpr auto plain =
        make_tiled_mma<fp16_t, fp16_t, fp32_t>(seq<2, 3, 1>{}, seq<1, 1, 1>{}, seq<32, 32, 8>{});
    static_assert(
        is_same_v<decltype(plain.y_shape_c()), tuple<number<2>, number<3>, number<4>, number<4>>>);
    static_assert(
        is_same_v<decltype(plain.shape_c()), tuple<number<2>, number<1>, number<4>, number<2>,
                                                   number<4>, number<3>, number<1>, number<32>>>);
    static_assert(
        is_same_v<decltype(plain.p_shape_c()), tuple<number<1>, number<2>, number<1>, number<32>>>);
    EXPECT_EQ(plain.y_layout_c()(1, 2, 3, 1), 16 * 5 + 13);
    // im 1, in 2, the third group of four rows, its second row; lane 32 + 7.
    EXPECT_EQ(plain.layout_c(make_tuple(1000, 1_I), make_tuple(0, 1, 0, 7))(1, 2, 3, 1),
              (32 + 24 + 4 + 1) * 1000 + 64 + 7);
    constexpr auto swapped = make_tiled_mma<fp16_t, fp16_t, fp32_t>(
        seq<2, 3, 1>{}, seq<1, 1, 1>{}, seq<32, 32, 8>{}, mfma_adaptor_swap_ab{});
    static_assert(is_same_v<decltype(swapped.y_shape_c()),
                            tuple<number<2>, number<3>, number<4>, number<4>>>);
    EXPECT_EQ(swapped.layout_c(make_tuple(1000, 1_I), make_tuple(0, 7, 0, 1))(1, 2, 3, 1),
              (32 + 7) * 1000 + 64 + 24 + 4 + 1);
}

// Made in three ways, from types and from a wave's mma.
TEST(tiled_mma, ways_to_make_it) {
    constexpr auto wave =
        make_mfma<bf16_t, bf16_t, fp32_t>(32_I, 32_I, 8_I, mfma_adaptor_swap_ab{});
    using of_types = decltype(make_tiled_mma<bf16_t, bf16_t, fp32_t>(
        seq<1, 2, 3>{}, seq<4, 5, 6>{}, seq<32, 32, 8>{}, mfma_adaptor_swap_ab{}));
    static_assert(
        is_same_v<decltype(make_tiled_mma(wave, seq<1, 2, 3>{}, seq<4, 5, 6>{})), of_types>);
    static_assert(
        is_same_v<decltype(make_tiled_mma(wave, 1_I, 2_I, 3_I, 4_I, 5_I, 6_I)), of_types>);
    static_assert(
        is_same_v<decltype(make_tiled_mma(wave, 1_I, 2_I, 3_I, 4_I, 5_I, 6_I, tiled_mma_adaptor{})),
                  of_types>);
    static_assert(is_same_v<decltype(make_tiled_mma<bf16_t, bf16_t, fp32_t>(
                                seq<1, 2, 3>{}, seq<4, 5, 6>{}, seq<32, 32, 8>{},
                                mfma_adaptor_swap_ab{}, tiled_mma_adaptor{})),
                            of_types>);
    static_assert(is_same_v<of_types::MMA, remove_cv_t<decltype(wave)>>);
    static_assert(of_types::expd_m == 1 && of_types::expd_n == 2 && of_types::expd_k == 3);
    static_assert(of_types::tile_m == 4 && of_types::tile_n == 5 && of_types::tile_k == 6);
    static_assert(of_types::tile_a_len == 3 * 4 && of_types::tile_b_len == 6 * 4 &&
                  of_types::tile_c_len == 2 * 16);
}

// The place of an item of the tile: operand by operand, each as the wave's mma has it.
template <bool swapped, index_t EM, index_t EN, index_t EK, index_t TM, index_t TN, index_t TK,
          index_t WM, index_t WN, index_t WK>
void check_tile(seq<EM, EN, EK> expand, seq<TM, TN, TK> tile, seq<WM, WN, WK> wave) {
    using adaptor = __type_pack_element<swapped, mfma_adaptor, mfma_adaptor_swap_ab>;
    const auto mma = make_tiled_mma<fp16_t, fp16_t, fp32_t>(expand, tile, wave, adaptor{});
    using mma_t = remove_cv_t<decltype(mma)>;
    const auto stride = make_tuple(row_stride, 1_I);
    const auto row_of = [](int offset) { return offset / row_stride; };
    const auto column_of = [](int offset) { return offset % row_stride; };
    std::set<int> a, b, c;
    for (int thread = 0; thread < 64 * TM * TN * TK; thread++) {
        const int lane = thread % 64;
        const int w_m = thread / 64 % TM;
        const int w_n = thread / (64 * TM) % TN;
        const int w_k = thread / (64 * TM * TN);
        // Of A or B: `rows` are those of one operand, of which the wave has number `w` of `tiles`.
        const auto check_operand = [&](const auto& items, int operand_len, int rows, int tiles,
                                       int w, std::set<int>& seen) {
            for (size_t n = 0; n < items.size(); n++) {
                const int item = static_cast<int>(n);
                const int offset = items[n];
                const int operand = item / operand_len;
                EXPECT_EQ(row_of(offset) / rows, operand / EK * tiles + w);
                EXPECT_EQ(column_of(offset) / WK, operand % EK * TK + w_k);
                const auto p = laws::operand_place(element::f16, rows, WK, 1, 0,
                                                   row_of(offset) % rows, column_of(offset) % WK);
                ASSERT_EQ(p.lane, lane);
                ASSERT_EQ(p.item, item % operand_len);
                seen.insert(offset);
            }
        };
        const auto items_a = offsets_of<mma_t::pack_a>(partition_layout_a(
            mma, stride, make_tuple(w_m, lane % mma.grpm_a, w_k, lane / mma.grpm_a)));
        ASSERT_EQ(items_a.size(), static_cast<size_t>(mma.tile_a_len));
        check_operand(items_a, mma.mma_a_len, WM, TM, w_m, a);
        const auto items_b = offsets_of<mma_t::pack_b>(partition_layout_b(
            mma, stride, make_tuple(w_n, lane % mma.grpn_b, w_k, lane / mma.grpn_b)));
        ASSERT_EQ(items_b.size(), static_cast<size_t>(mma.tile_b_len));
        check_operand(items_b, mma.mma_b_len, WN, TN, w_n, b);
        const auto items_c = [&] {
            if constexpr (swapped) {
                return offsets_of<mma_t::pack_c>(partition_layout_c(
                    mma, stride, make_tuple(w_m, lane % mma.grpn_c, w_n, lane / mma.grpn_c)));
            } else {
                return offsets_of<1>(partition_layout_c(
                    mma, stride, make_tuple(w_m, lane / mma.grpn_c, w_n, lane % mma.grpn_c)));
            }
        }();
        ASSERT_EQ(items_c.size(), static_cast<size_t>(mma.tile_c_len));
        for (int item = 0; item < mma.tile_c_len; item++) {
            const int offset = items_c[static_cast<size_t>(item)];
            const int operand = item / mma.mma_c_len;
            EXPECT_EQ(row_of(offset) / WM, operand / EN * TM + w_m);
            EXPECT_EQ(column_of(offset) / WN, operand % EN * TN + w_n);
            const int i = row_of(offset) % WM;
            const int j = column_of(offset) % WN;
            const auto p = swapped ? laws::result_place(element::f32, WN, WM, 1, 0, j, i)
                                   : laws::result_place(element::f32, WM, WN, 1, 0, i, j);
            ASSERT_EQ(p.lane, lane);
            ASSERT_EQ(p.item, item % mma.mma_c_len);
            c.insert(offset);
        }
    }
    EXPECT_EQ(a.size(), static_cast<size_t>(EM * TM * WM * EK * TK * WK));
    EXPECT_EQ(b.size(), static_cast<size_t>(EN * TN * WN * EK * TK * WK));
    EXPECT_EQ(c.size(), static_cast<size_t>(EM * TM * WM * EN * TN * WN));
}

TEST(tiled_mma, items_of_the_tile) {
    check_tile<false>(seq<2, 1, 3>{}, seq<3, 2, 1>{}, seq<16, 16, 16>{});
    check_tile<false>(seq<3, 2, 1>{}, seq<1, 3, 2>{}, seq<32, 32, 8>{});
    check_tile<true>(seq<1, 3, 2>{}, seq<2, 1, 3>{}, seq<16, 16, 16>{});
    check_tile<true>(seq<3, 2, 2>{}, seq<2, 2, 2>{}, seq<32, 32, 8>{});
}

}  // namespace
