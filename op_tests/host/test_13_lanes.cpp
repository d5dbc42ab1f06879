#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "opus/opus.hpp"

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
