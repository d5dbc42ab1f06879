// Layouts by the index of a thread, the coordinates of the items of a tile, masks and parts, against
// the definition of the matrix instructions.
#include <gtest/gtest.h>

#include <array>
#include <set>
#include <string>
#include <utility>
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

TEST(select, elements_by_mask) {
    const auto odd = [](auto i) { return i % 2 != 0; };
    constexpr fp32x4_t x{1, 2, 3, 4};
    const auto some = select(odd, x, 0);
    EXPECT_TRUE(some[0] == 0 && some[1] == 2 && some[2] == 0 && some[3] == 4);
    const auto other = select(odd, x, fp32x4_t{5, 6, 7, 8});
    EXPECT_TRUE(other[0] == 5 && other[1] == 2 && other[2] == 7 && other[3] == 4);
    // The items of an array of vectors are counted through.
    const auto late = [](auto i) { return i >= 3; };
    const auto tile =
        select(late, array<fp32x2_t, 3>{fp32x2_t{1, 2}, fp32x2_t{3, 4}, fp32x2_t{5, 6}}, -1.0f);
    EXPECT_TRUE(tile[0][0] == -1 && tile[0][1] == -1 && tile[1][0] == -1 && tile[1][1] == 4 &&
                tile[2][0] == 5 && tile[2][1] == 6);
    const auto two =
        select(late, tile, array<fp32x2_t, 3>{fp32x2_t{7, 7}, fp32x2_t{8, 9}, fp32x2_t{0, 0}});
    EXPECT_TRUE(two[0][0] == 7 && two[1][0] == 8 && two[1][1] == 4 && two[2][1] == 6);
}

// == parts of tiles ===============================================================================

template <class Tile, class Mma>
void check_parts(const Mma& mma) {
    using part = typename Mma::MMA::vtype_c;
    Tile tile{};
    static_for<2>([&](auto im) {
        static_for<3>([&](auto in) {
            part x{};
            for (index_t i = 0; i < 4; i++) {
                x[i] = static_cast<float>(im.value * 100 + in.value * 10 + i);
            }
            tile_part_c(mma, tile, im, in) = x;
        });
    });
    // Through the order of the registers: C is im * EN + in.
    const auto flat = [&] {
        if constexpr (is_array_v<Tile>) {
            return to_vector(tile);
        } else {
            return tile;
        }
    }();
    for (index_t i = 0; i < 24; i++) {
        EXPECT_EQ(flat[i], static_cast<float>(i / 12 * 100 + i / 4 % 3 * 10 + i % 4));
    }
    const Tile& fixed = tile;
    static_assert(is_same_v<decltype(tile_part_c(mma, fixed, 1_I, 2_I)), part>);
    static_assert(is_same_v<decltype(tile_part_c(mma, Tile{}, 1_I, 2_I)), part>);
    EXPECT_EQ(tile_part_c(mma, fixed, 1_I, 2_I)[3], 123);
    EXPECT_EQ(tile_part_c(mma, tile, 1_I, 0_I)[3], 103);
    tile_part_c(mma, tile, 0_I, 0_I) = tile_part_c(mma, tile, 1_I, 2_I);
    tile_part_c(mma, tile, 0_I, 1_I) = tile_part_c(mma, fixed, 1_I, 1_I);
    EXPECT_EQ(tile_part_c(mma, fixed, 0_I, 0_I)[1], 121);
    EXPECT_EQ(tile_part_c(mma, fixed, 0_I, 1_I)[1], 111);
    EXPECT_EQ(tile_part_c(mma, fixed, 0_I, 2_I)[1], 21);
}

TEST(tile_part, of_vectors_and_arrays) {
    constexpr auto mma =
        make_tiled_mma<fp16_t, fp16_t, fp32_t>(seq<2, 3, 4>{}, seq<1, 1, 1>{}, seq<16, 16, 16>{});
    check_parts<vector_t<fp32_t, 24>>(mma);
    check_parts<array<fp32x4_t, 6>>(mma);
    array<i16x4_t, 8> codes{};
    for (index_t i = 0; i < 8; i++) {
        codes[i] = static_cast<i16_t>(i);
    }
    const auto a = __builtin_bit_cast(array<fp16x4_t, 8>, codes);
    const auto bits = [](const auto& x) { return __builtin_bit_cast(i16x4_t, x)[0]; };
    EXPECT_EQ(bits(tile_part_a(mma, a, 1_I, 3_I)), 7);  // im * EK + ik
    EXPECT_EQ(bits(tile_part_a(mma, a, 0_I, 2_I)), 2);
    array<fp16x4_t, 12> b{};
    b[7] = a[5];
    EXPECT_EQ(bits(tile_part_b(mma, b, 1_I, 3_I)), 5);  // in * EK + ik
}

// Scales: lane l has that of row l % M and of block l / M of 32 k of its instruction (ISA guide,
// 7.2.1), whatever part of the operand it holds.
template <index_t M, index_t K, class Mma, class Rows, class Blocks>
void check_scales(const Mma& mma, Rows row_stride, Blocks block_stride, std::array<int, 3> repeats,
                  std::array<int, 3> waves) {
    const int em = repeats[0], en = repeats[1], ek = repeats[2];
    const int tm = waves[0], tn = waves[1], tk = waves[2];
    const auto stride = make_tuple(row_stride, block_stride);
    for (int thread = 0; thread < 64 * tm * tn * tk; thread++) {
        const int lane = thread % 64, wave = thread / 64;
        const int wave_k = wave % tk, wave_n = wave / tk % tn, wave_m = wave / tk / tn;
        const auto check = [&](const auto& u, const auto& f, int e, int t, int of_wave) {
            const auto offsets = layout_to_offsets<1>(u);
            ASSERT_EQ(offsets.size(), e * ek);
            ASSERT_EQ(f.items, e * ek);
            for (int i = 0; i < e; i++) {
                for (int ik = 0; ik < ek; ik++) {
                    const int row = (i * t + of_wave) * M + lane % M;
                    const int block = (ik * tk + wave_k) * (K / 32) + lane / M;
                    const int item = i * ek + ik;
                    ASSERT_EQ(offsets[item], row * static_cast<int>(row_stride) +
                                                 block * static_cast<int>(block_stride))
                        << "thread " << thread << " item " << item;
                    ASSERT_EQ(static_cast<int>(get<0>(f(item))), row) << thread;
                    ASSERT_EQ(static_cast<int>(get<1>(f(item))), block) << thread;
                }
            }
        };
        check(partition_layout_scale_a(mma, stride, thread), tile_coordinates_scale_a(mma, thread),
              em, tm, wave_m);
        check(partition_layout_scale_b(mma, stride, thread), tile_coordinates_scale_b(mma, thread),
              en, tn, wave_n);
    }
}
TEST(scales, layouts_and_coordinates) {
    constexpr auto wide = make_mfma<fp8_t, fp4_t, fp32_t>(32_I, 32_I, 64_I);
    constexpr auto long_k =
        make_mfma<fp4_t, fp4_t, fp32_t>(16_I, 16_I, 128_I, mfma_adaptor_swap_ab{});
    check_scales<32, 64>(wide, 7, 1_I, {1, 1, 1}, {1, 1, 1});
    check_scales<16, 128>(long_k, 1_I, 40, {1, 1, 1}, {1, 1, 1});
    check_scales<32, 64>(make_tiled_mma(wide, seq<2, 1, 3>{}, seq<1, 2, 2>{}), 24_I, 1_I, {2, 1, 3},
                         {1, 2, 2});
    check_scales<16, 128>(make_tiled_mma(long_k, seq<2, 3, 2>{}, seq<2, 4, 1>{}), 9, 1_I, {2, 3, 2},
                          {2, 4, 1});
}
TEST(scales, words) {
    const u8x4_t first{1, 2, 0x83, 4}, second{5, 6, 7, 0xff};
    const auto one = mma_scale_words(first);
    const auto two = mma_scale_words(first, second);
    const auto four = mma_scale_words(first, second, first, second);
    static_assert(is_same_v<decltype(one), const array<int, 4>>);
    EXPECT_EQ(one[2], 0x83);
    EXPECT_EQ(two[0], 0x0501);
    EXPECT_EQ(two[3], 0xff04);
    EXPECT_EQ(static_cast<unsigned>(four[3]), 0xff04ff04u);
    EXPECT_EQ(mma_scale_words(vector_t<u8_t, 1>{7}, vector_t<u8_t, 1>{9}), 0x0907);
    EXPECT_EQ((mma_scale_words(array<e8m0_t, 2>{e8m0_t{127}, e8m0_t{128}})[1]), 128);
}

TEST(tile_part, below_a_byte) {
    constexpr auto mma =
        make_tiled_mma<fp4_t, fp4_t, fp32_t>(seq<2, 1, 1>{}, seq<1, 1, 1>{}, seq<16, 16, 128>{});
    vector_t<fp4_t, 64> tile{};
    vector_t<fp4_t, 32> part{};
    for (index_t i = 0; i < 32; i++) {
        part[i] = fp4_t{static_cast<unsigned char>(i % 16)};
    }
    tile_part_a(mma, tile, 1_I, 0_I) = part;
    for (index_t i = 0; i < 64; i++) {
        EXPECT_EQ(fp4_t(tile[i]).value, i < 32 ? 0 : i % 16) << i;
    }
    EXPECT_EQ(fp4_t(tile_part_a(mma, std::as_const(tile), 1_I, 0_I)[7]).value, 7);
}

}  // namespace
