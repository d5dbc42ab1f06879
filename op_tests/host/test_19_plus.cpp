// What of opus_plus.hpp runs on the host: functions by element, reductions of one value, parts of
// tiles, and scales.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <set>
#include <utility>
#include <vector>

#include "opus/opus_plus.hpp"

namespace {

using namespace opus;
using opus::operator""_I;

// == by element ===================================================================================

static_assert(maximum{}(3, 4) == 4 && minimum{}(3, 4) == 3);

// By element. Vectors have no elements in constant expressions before clang 20.
static_assert(max(array<int, 2>{1, -5}, array<int, 2>{0, -4})[1] == -4);
static_assert(min(array<int, 2>{1, -5}, -2)[0] == -2 && min(array<int, 2>{1, -5}, -2)[1] == -5);
static_assert(med3(array<float, 2>{9, -9}, -1.0f, 1.0f)[1] == -1);
static_assert(abs(array<float, 3>{1, -2, -3})[2] == 3);
static_assert(reduce(array<int, 5>{1, 2, 3, 4, 5}, plus{}) == 15);
static_assert(reduce(array<int, 5>{1, 2, 3, 4, 5}, multiplies{}, 10) == 1200);
static_assert(reduce(array<int, 4>{-1, -2, 3, -4}, maximum{}) == 3);
static_assert(reduce(array<unsigned, 4>{4, 2, 3, 5}, minimum{}, 1u) == 1);
static_assert(reduce(7, plus{}) == 7 && reduce(7, plus{}, 1) == 8, "a scalar is one element");
static_assert(is_same_v<decltype(reduce(array<u8_t, 2>{200, 100}, plus{})), u8_t>);
static_assert(reduce(array<u8_t, 2>{200, 100}, plus{}) == 44, "in the type of the elements");
#if __clang_major__ >= 20
static_assert(max(fp32x2_t{1, -2}, 0.0f)[1] == 0 && min(fp32x2_t{1, -2}, fp32x2_t{0, 1})[1] == -2);
static_assert(max3(i32x2_t{1, 2}, i32x2_t{5, 0}, i32x2_t{3, 3})[0] == 5);
static_assert(med3(fp64x2_t{1, 2}, fp64x2_t{5, 0}, fp64x2_t{3, 3})[1] == 2);
static_assert(abs(array<fp32x2_t, 2>{fp32x2_t{1, -2}, fp32x2_t{-3, 4}})[1][0] == 3);
static_assert(reduce(fp32x4_t{1, 2, 3, 4}, plus{}) == 10);
static_assert(reduce(fp32x4_t{1, 2, 3, 4}, plus{}, 0.5f) == 10.5f);
static_assert(reduce(vector_t<float, 7>{1, 2, 3, 4, 5, 6, 7}, multiplies{}) == 5040);
static_assert(reduce(vector_t<float, 7>{1, 2, 9, 4, 5, 6, 7}, maximum{}) == 9);
static_assert(reduce(array<fp32x2_t, 2>{fp32x2_t{1, -2}, fp32x2_t{-3, 4}}, minimum{}) == -3);
#endif

// Each element in the tree once, at each size, and what is left in the next level.
template <class T, index_t Size, index_t... Is>
constexpr bool takes_each_once(seq<Is...>) {
    return reduce(array<T, Size>{static_cast<T>(1ull << Is)...}, plus{}) ==
           static_cast<T>((1ull << Size) - 1);
}
template <index_t... Sizes>
constexpr bool takes_each_once_of(seq<Sizes...>) {
    return (takes_each_once<long long, Sizes>(make_index_seq<Sizes>{}) && ...);
}
static_assert(takes_each_once_of(make_index_seq<1, 41>{}));

// The largest at each place of an array of each size.
template <index_t Size>
void check_largest() {
    for (index_t at = 0; at < Size; at++) {
        array<float, Size> x;
        x.fill(-2);
        x[at] = 3;
        EXPECT_EQ(reduce(x, maximum{}), 3) << Size << " elements, " << at;
        EXPECT_EQ(reduce(x, minimum{}), Size == 1 ? 3 : -2);
        EXPECT_EQ(reduce(x, plus{}), 5 - 2 * Size) << Size << " elements, " << at;
    }
}
template <index_t... Sizes>
void check_largest_of(seq<Sizes...>) {
    (check_largest<Sizes>(), ...);
}
TEST(reduce, sees_each_place) {
    check_largest_of(make_index_seq<1, 34>{});
}

// Functions of the same name stay what they are where all of opus is visible.
TEST(by_element, names_of_the_standard_library_stay) {
    EXPECT_EQ(abs(-3), 3);
    EXPECT_EQ(abs(-3.5), 3.5);
    EXPECT_EQ(exp2(3.0), 8.0);
    EXPECT_EQ(fma(2.0, 3.0, 1.0), 7.0);
}

// == masks ========================================================================================

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

// == swizzle_for ==================================================================================

// The lanes that LDS serves together, and the bytes after which its banks repeat.
struct lds_phases {
    std::vector<std::vector<int>> lanes;
    int span;
};
std::vector<int> lanes_of(int first, std::initializer_list<std::pair<int, int>> ranges) {
    std::vector<int> all;
    for (const auto& [from, to] : ranges) {
        for (int lane = from; lane <= to; lane++) {
            all.push_back(first + lane);
        }
    }
    return all;
}
lds_phases phases(bool on_gfx950, int bytes) {
    lds_phases result{{}, on_gfx950 ? 256 : 128};
    for (const int half : {0, 32}) {
        if (bytes == 8 && on_gfx950) {
            result.lanes.push_back(lanes_of(half, {{0, 31}}));
        } else if (bytes == 8) {
            result.lanes.push_back(lanes_of(half, {{0, 15}}));
            result.lanes.push_back(lanes_of(half, {{16, 31}}));
        } else if (on_gfx950) {
            result.lanes.push_back(lanes_of(half, {{0, 3}, {12, 15}, {20, 27}}));
            result.lanes.push_back(lanes_of(half, {{4, 11}, {16, 19}, {28, 31}}));
        } else {
            result.lanes.push_back(lanes_of(half, {{0, 3}, {20, 23}}));
            result.lanes.push_back(lanes_of(half, {{4, 7}, {16, 19}}));
            result.lanes.push_back(lanes_of(half, {{8, 11}, {28, 31}}));
            result.lanes.push_back(lanes_of(half, {{12, 15}, {24, 27}}));
        }
    }
    return result;
}
// How many dwords find their bank taken when lane l reads column l / rows of row l % rows.
template <class T, class Swizzle>
int conflicts(const lds_phases& lds, Swizzle swizzled, int row_elements, int bytes, int rows) {
    int result = 0;
    const int bits = sizeof_bits_v<T>;
    for (const auto& phase : lds.lanes) {
        std::set<int> banks;
        for (const int lane : phase) {
            const int element = lane % rows * row_elements + lane / rows * (bytes * 8 / bits);
            for (int byte = 0; byte < bytes; byte += 4) {
                const int place = swizzled(element) * bits / 8 + byte;
                result += !banks.insert(place / 4 % (lds.span / 4)).second;
            }
        }
    }
    return result;
}
template <class T, int RowBytes, int Bytes, int Rows>
void expect_no_conflicts(bool& any_without) {
    if constexpr (RowBytes >= 64 / Rows * Bytes) {
        constexpr int elements = RowBytes * 8 / sizeof_bits_v<T>;
        const auto old = phases(false, Bytes), recent = phases(true, Bytes);
        constexpr auto on_gfx942 = swizzle_for<T, elements, Bytes, Rows, 7>();
        constexpr auto on_gfx950 = swizzle_for<T, elements, Bytes, Rows, 8>();
        EXPECT_EQ(conflicts<T>(old, on_gfx942, elements, Bytes, Rows), 0)
            << RowBytes << " " << Bytes << " " << Rows;
        EXPECT_EQ(conflicts<T>(recent, on_gfx950, elements, Bytes, Rows), 0)
            << RowBytes << " " << Bytes << " " << Rows;
        static_assert((1 << on_gfx950.base) * sizeof_bits_v<T> >= 8 * Bytes, "reads stay whole");
        static_assert((1 << on_gfx942.base) * sizeof_bits_v<T> >= 8 * Bytes, "reads stay whole");
        any_without |= conflicts<T>(recent, swizzle<0, 0, 0>{}, elements, Bytes, Rows) > 0;
    }
}
template <class T, int RowBytes>
void expect_no_conflicts() {
    bool any_without = false;
    expect_no_conflicts<T, RowBytes, 16, 16>(any_without);
    expect_no_conflicts<T, RowBytes, 16, 32>(any_without);
    expect_no_conflicts<T, RowBytes, 8, 16>(any_without);
    expect_no_conflicts<T, RowBytes, 8, 32>(any_without);
    EXPECT_TRUE(any_without || RowBytes < 32) << RowBytes;
    if constexpr (RowBytes < 4096) {
        expect_no_conflicts<T, 2 * RowBytes>();
    }
}
TEST(swizzle_for, has_no_conflicts) {
    expect_no_conflicts<fp32_t, 16>();
    expect_no_conflicts<fp16_t, 16>();
    expect_no_conflicts<fp8_t, 16>();
    expect_no_conflicts<fp4_t, 16>();
    static_assert(is_same_v<decltype(swizzle_for<fp16_t, 64>()), swizzle<3, 3, 4>>, "as on gfx950");
    static_assert(is_same_v<decltype(swizzle_for<fp16_t, 64, 16, 16, 7>()), swizzle<3, 3, 3>>);
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
