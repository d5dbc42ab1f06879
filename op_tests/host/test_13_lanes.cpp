#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "opus/opus_plus.hpp"

namespace {

using namespace opus;

static_assert(max(2, 3) == 3 && min(2, 3) == 2);
static_assert(max(-2, 1) == 1 && max(~0u, 1u) == ~0u, "by the sign of the type");
static_assert(max(1.5f, -2.0f) == 1.5f && min(1.5, -2.0) == -2.0);
static_assert(max3(1, 9, 4) == 9 && min3(5u, 3u, 4u) == 3u);
static_assert(max(fp16_t(0.5f), fp16_t(2)) == fp16_t(2));
static_assert(med3(7, 0, 5) == 5 && med3(-7.0f, 0.0f, 5.0f) == 0.0f && med3(2.0, 0.0, 5.0) == 2.0);
static_assert(maximum{}(3, 4) == 4 && minimum{}(3, 4) == 3);

static_assert(is_same_v<decltype(max(fp16_t(1), fp16_t(2))), fp16_t>);
static_assert(is_same_v<decltype(med3(u8_t{1}, u8_t{2}, u8_t{3})), u8_t>);

static_assert(abs(-2.5f) == 2.5f && abs(2.5) == 2.5 && abs(fp16_t(-2)) == fp16_t(2));
static_assert(is_same_v<decltype(abs(fp16_t(-2))), fp16_t>);

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

// All triples of some values against a sort.
template <class T, size_t N>
void check_order(const T (&values)[N]) {
    for (const T a : values) {
        for (const T b : values) {
            EXPECT_EQ(max(a, b), std::max(a, b));
            EXPECT_EQ(min(a, b), std::min(a, b));
            for (const T c : values) {
                T sorted[] = {a, b, c};
                std::sort(sorted, sorted + 3);
                EXPECT_EQ(min3(a, b, c), sorted[0]);
                EXPECT_EQ(med3(a, b, c), sorted[1]);
                EXPECT_EQ(max3(a, b, c), sorted[2]);
            }
        }
    }
}

TEST(order, is_that_of_a_sort) {
    check_order<int>(
        {std::numeric_limits<int>::min(), -7, -1, 0, 1, 7, std::numeric_limits<int>::max()});
    check_order<unsigned>({0, 1, 7, 0x7fffffff, 0x80000000, 0xffffffff});
    check_order<signed char>({-128, -1, 0, 1, 127});
    check_order<long long>({std::numeric_limits<long long>::min(), -1, 0, 1ll << 40});
    check_order<float>({-INFINITY, -2.5f, -1e-40f, 0, 1e-40f, 1, 3e38f, INFINITY});
    check_order<double>({-INFINITY, -2.5, 0, 1e-310, 1, INFINITY});
    check_order<_Float16>(
        {static_cast<_Float16>(-INFINITY), -2, 0, static_cast<_Float16>(6e-8f), 1, 65504});
}

template <class T>
void check_nan() {
    const T nan = static_cast<T>(NAN);
    const T a = 2;
    const T b = 3;
    EXPECT_EQ(max(nan, a), a);
    EXPECT_EQ(max(a, nan), a);
    EXPECT_EQ(min(nan, a), a);
    EXPECT_EQ(min(a, nan), a);
    EXPECT_EQ(med3(nan, b, a), a);
    EXPECT_EQ(med3(b, nan, a), a);
    EXPECT_EQ(med3(b, a, nan), a);
    EXPECT_EQ(max3(nan, a, b), b);
    EXPECT_NE(max(nan, nan), max(nan, nan));
    EXPECT_NE(med3(nan, nan, nan), med3(nan, nan, nan));
}

TEST(order, a_nan_counts_as_missing) {
    check_nan<float>();
    check_nan<double>();
    check_nan<_Float16>();
}

TEST(dpp, names_are_the_controls_of_the_isa) {
    EXPECT_EQ((dpp::quad_perm<0, 1, 2, 3>), 0xe4);
    EXPECT_EQ((dpp::quad_perm<3, 0, 0, 0>), 0x03);
    EXPECT_EQ(dpp::row_shl<1>, 0x101);
    EXPECT_EQ(dpp::row_shr<15>, 0x11f);
    EXPECT_EQ(dpp::row_ror<8>, 0x128);
    EXPECT_EQ(dpp::wave_shl, 0x130);
    EXPECT_EQ(dpp::wave_rol, 0x134);
    EXPECT_EQ(dpp::wave_shr, 0x138);
    EXPECT_EQ(dpp::wave_ror, 0x13c);
    EXPECT_EQ(dpp::row_mirror, 0x140);
    EXPECT_EQ(dpp::row_half_mirror, 0x141);
    EXPECT_EQ(dpp::row_bcast15, 0x142);
    EXPECT_EQ(dpp::row_bcast31, 0x143);
    EXPECT_EQ(dpp::row_newbcast<0>, 0x150);
    EXPECT_EQ(dpp::row_newbcast<15>, 0x15f);
}

}  // namespace
