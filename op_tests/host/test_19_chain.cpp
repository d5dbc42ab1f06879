// Products whose C is an operand of the next one: its order of k, for every pair of instructions.
#include <gtest/gtest.h>

#include <vector>

#include "operand_places.hpp"
#include "opus/opus_plus.hpp"

namespace {

using namespace opus;
using opus::operator""_I;
using namespace operand_places;

// Which of the instruction's k register `item` of lane `lane` is, and which instruction.
struct slot {
    int instruction;
    int k;
    bool operator==(const slot& other) const {
        return instruction == other.instruction && k == other.k;
    }
};
template <class T>
slot slot_of(int rows, int k_extent, int lane, int item) {
    const int length = rows * k_extent / 64;
    for (int k = 0; k < k_extent; k++) {
        const auto p = laws::operand_place(element_of<T>(), rows, k_extent, 1, 0, lane % rows, k);
        if (p.lane == lane && p.item == item % length) {
            return {item / length, k};
        }
    }
    ADD_FAILURE() << "no k";
    return {};
}

// For each k the slot in which the lanes of `rows` rows have it, through layout(lane), of `repeats`
// tiles with `items` registers in all. Each row has all k in the same slots.
template <class T, class Layout>
std::vector<slot> order_of_k(int rows, int wave_k, int k_extent, int repeats, Layout layout) {
    std::vector<slot> order(static_cast<size_t>(k_extent), slot{-1, -1});
    int count = 0;
    for (int lane = 0; lane < 64; lane++) {
        const std::vector<int> items = layout(lane);
        const int per_repeat = static_cast<int>(items.size()) / repeats;
        for (int item = 0; item < static_cast<int>(items.size()); item++, count++) {
            const int row = items[static_cast<size_t>(item)] / row_stride;
            const size_t k = static_cast<size_t>(items[static_cast<size_t>(item)] % row_stride);
            EXPECT_EQ(row, item / per_repeat * rows + lane % rows);
            const slot s = slot_of<T>(rows, wave_k, lane, item % per_repeat);
            if (order[k].instruction < 0) {
                order[k] = s;
            }
            EXPECT_TRUE(order[k] == s) << "lane " << lane << " item " << item;
        }
    }
    EXPECT_EQ(count, rows * repeats * k_extent);
    return order;
}

// C of `first` is in those lanes and registers in which `second`, chained, wants its operand: by
// the definitions of the matrix instructions. And both operands have each k in the same place.
template <bool swapped, class T, index_t W, index_t WK, index_t Rows, index_t Columns,
          index_t Along>
void check_chain() {
    // C of the first: Rows x Along tiles of W x W, or Along x Rows.
    using adaptor = __type_pack_element<swapped, mfma_adaptor, mfma_adaptor_swap_ab>;
    constexpr index_t first_k = is_same_v<T, fp64_t> ? 4 : 256 / W;
    using first_t = __type_pack_element<is_same_v<T, fp64_t>, fp16_t, fp64_t>;
    using sum_t = __type_pack_element<is_same_v<T, fp64_t>, fp32_t, fp64_t>;
    using result_t = __type_pack_element<is_same_v<T, i8_t>, sum_t, i32_t>;
    constexpr index_t steps = Along * W / WK;  // instructions along K of the second
    using first_tiles = seq<swapped ? Rows : Along, swapped ? Along : Rows, 1>;
    using second_tiles = seq<swapped ? Rows : Columns, swapped ? Columns : Rows, steps>;
    const auto first = make_tiled_mma<first_t, first_t, sum_t>(first_tiles{}, seq<1, 1, 1>{},
                                                               seq<W, W, first_k>{}, adaptor{});
    const auto plain =
        make_tiled_mma<T, T, result_t>(second_tiles{}, seq<1, 1, 1>{}, seq<W, W, WK>{});
    const auto second = [&] {
        if constexpr (swapped) {
            return chain_a(first, plain);
        } else {
            return chain_b(first, plain);
        }
    }();
    using second_t = remove_cv_t<decltype(second)>;
    static_assert(is_same_v<typename second_t::vtype_a, typename decltype(plain)::vtype_a> &&
                  is_same_v<typename second_t::vtype_c, typename decltype(plain)::vtype_c>);
    const auto stride = make_tuple(row_stride, 1_I);
    const auto p = [](int lane) { return make_tuple(0_I, lane % W, 0_I, lane / W); };
    const auto a = [&](int lane) {
        return offsets_of<second_t::pack_a>(partition_layout_a(second, stride, p(lane)));
    };
    const auto b = [&](int lane) {
        return offsets_of<second_t::pack_b>(partition_layout_b(second, stride, p(lane)));
    };
    const auto order_a = order_of_k<T>(W, WK, steps * WK, second_t::expd_m, a);
    const auto order_b = order_of_k<T>(W, WK, steps * WK, second_t::expd_n, b);
    EXPECT_TRUE(order_a == order_b);
    for (int lane = 0; lane < 64; lane++) {
        const auto wanted = swapped ? a(lane) : b(lane);
        ASSERT_EQ(wanted.size(), static_cast<size_t>(first.tile_c_len));
        for (int item = 0; item < first.tile_c_len; item++) {
            const int row = wanted[static_cast<size_t>(item)] / row_stride;
            const int k = wanted[static_cast<size_t>(item)] % row_stride;
            // The tile of C in whose registers it is, and that in which (row, k) is.
            const int tile = item / first.mma_c_len;
            EXPECT_EQ(tile, swapped ? row / W * Along + k / W : k / W * Rows + row / W);
            const auto place = laws::result_place(element_of<sum_t>(), W, W, 1, 0, k % W, row % W);
            ASSERT_EQ(place.lane, lane) << "item " << item;
            ASSERT_EQ(place.item, item % first.mma_c_len) << "lane " << lane;
        }
    }
    // Transposed reads give the same.
    if constexpr (has_transposed_reads(element_of<T>(), W, WK, 1)) {
        constexpr index_t e = second_t::pack_b_tr;
        for (int lane = 0; lane < 64; lane++) {
            const auto check = [&](std::vector<int> got, const std::vector<int>& expected) {
                for (int& offset : got) {
                    offset = offset % row_stride * row_stride + offset / row_stride;
                }
                EXPECT_EQ(got, expected) << "lane " << lane;
            };
            const auto columns = make_tuple(1_I, row_stride);
            check(received<e>(lane,
                              [&](int l) {
                                  return starts_of<e>(partition_layout_a_tr(second, columns, p(l)));
                              }),
                  a(lane));
            check(received<e>(lane,
                              [&](int l) {
                                  return starts_of<e>(partition_layout_b_tr(second, columns, p(l)));
                              }),
                  b(lane));
        }
    }
}
template <bool swapped>
void check_chains() {
    check_chain<swapped, fp16_t, 16, 16, 1, 2, 3>();
    check_chain<swapped, bf16_t, 16, 32, 1, 3, 4>();
    check_chain<swapped, fp16_t, 32, 8, 1, 2, 1>();
    check_chain<swapped, bf16_t, 32, 16, 1, 2, 2>();
    check_chain<swapped, bf16_t, 32, 32, 1, 1, 2>();  // two instructions as one
    check_chain<swapped, fp8_t, 16, 32, 1, 2, 4>();
    check_chain<swapped, bf8_t, 32, 16, 1, 1, 1>();
    check_chain<swapped, fp8_t, 16, 128, 1, 2, 8>();
    check_chain<swapped, fp8_t, 32, 64, 1, 2, 4>();
    check_chain<swapped, fp4_t, 16, 128, 1, 2, 16>();
    check_chain<swapped, fp4_t, 32, 64, 1, 2, 2>();
    check_chain<swapped, i8_t, 16, 64, 1, 2, 4>();
    check_chain<swapped, i8_t, 32, 16, 1, 2, 1>();
    check_chain<swapped, fp64_t, 16, 4, 1, 2, 2>();
    check_chain<swapped, bf16_t, 32, 16, 3, 2, 1>();
}
TEST(chain, c_is_a) {
    check_chains<true>();
    check_chain<true, fp16_t, 16, 32, 2, 3, 4>();
    check_chain<true, bf16_t, 32, 16, 2, 1, 3>();
}
TEST(chain, c_is_b) {
    check_chains<false>();
}
// The bare instructions, and waves: their places are not touched.
TEST(chain, of_instructions_and_of_waves) {
    constexpr auto qk = make_mfma<bf16_t, bf16_t, fp32_t>(32_I, 32_I, 16_I, mfma_adaptor_swap_ab{});
    constexpr auto one =
        make_tiled_mma<bf16_t, bf16_t, fp32_t>(seq<1, 1, 2>{}, seq<1, 1, 1>{}, seq<32, 32, 16>{});
    constexpr auto pv = chain_a(qk, one);
    static_assert(pv.pack_a == 4 && pv.rept_a == 2 && one.pack_a == 8 && one.rept_a == 1);
    const auto u = partition_layout_a(pv, make_tuple(row_stride, 1_I), make_tuple(0_I, 7, 0_I, 1));
    const std::vector<int> k = {4, 12, 20, 28};
    for (index_t i = 0; i < 4; i++) {
        EXPECT_EQ(layout_to_offsets<4>(u)[i], 7 * row_stride + k[static_cast<size_t>(i)]);
    }
    // The picture in docs/matrix-cores.md: A of 16x16x32 behind two tiles of 16x16.
    constexpr auto drawn =
        chain_a(make_tiled_mma<fp16_t, fp16_t, fp32_t>(seq<1, 2, 1>{}, seq<1, 1, 1>{},
                                                       seq<16, 16, 32>{}, mfma_adaptor_swap_ab{}),
                make_mfma<fp16_t, fp16_t, fp32_t>(16_I, 16_I, 32_I));
    static_assert(
        is_same_v<decltype(drawn.shape_a()), tuple<number<16>, number<2>, number<4>, number<4>>> &&
        is_same_v<decltype(drawn.dim_a()), tuple<tuple<p_dim>, tuple<y_dim, p_dim, y_dim>>>);
    constexpr auto product =
        chain_a(make_mfma<fp16_t, fp16_t, fp32_t>(16_I, 16_I, 16_I, mfma_adaptor_swap_ab{}),
                make_mfma<fp16_t, fp16_t, fp32_t>(16_I, 16_I, 16_I));
    static_assert(product.pack_a == 4 && product.wave_k == 16);
    constexpr auto waves =
        chain_a(make_tiled_mma<fp16_t, fp16_t, fp32_t>(seq<2, 4, 1>{}, seq<2, 1, 1>{},
                                                       seq<16, 16, 16>{}, mfma_adaptor_swap_ab{}),
                make_tiled_mma<fp16_t, fp16_t, fp32_t>(seq<2, 1, 2>{}, seq<2, 3, 1>{},
                                                       seq<16, 16, 32>{}, mfma_adaptor_swap_ab{}));
    const auto w = partition_layout_a(waves, make_tuple(row_stride, 1_I), make_tuple(1, 0, 0_I, 0));
    EXPECT_EQ(layout_to_offsets<4>(w)[0], 16 * row_stride);
    EXPECT_EQ(layout_to_offsets<4>(w)[4], 48 * row_stride);
}

}  // namespace
