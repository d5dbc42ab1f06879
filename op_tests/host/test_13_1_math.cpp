#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <random>
#include <vector>

#include "opus/opus.hpp"

namespace {

using namespace opus;

// ---- max, min, med3, abs ----

static_assert(max(2, 3) == 3 && min(2, 3) == 2);
static_assert(max(-2, 1) == 1 && max(~0u, 1u) == ~0u, "by the sign of the type");
static_assert(max(1.5f, -2.0f) == 1.5f && min(1.5, -2.0) == -2.0);
static_assert(max3(1, 9, 4) == 9 && min3(5u, 3u, 4u) == 3u);
static_assert(max(fp16_t(0.5f), fp16_t(2)) == fp16_t(2));
static_assert(med3(7, 0, 5) == 5 && med3(-7.0f, 0.0f, 5.0f) == 0.0f && med3(2.0, 0.0, 5.0) == 2.0);

static_assert(is_same_v<decltype(max(fp16_t(1), fp16_t(2))), fp16_t>);
static_assert(is_same_v<decltype(med3(u8_t{1}, u8_t{2}, u8_t{3})), u8_t>);

static_assert(abs(-2.5f) == 2.5f && abs(2.5) == 2.5 && abs(fp16_t(-2)) == fp16_t(2));
static_assert(is_same_v<decltype(abs(fp16_t(-2))), fp16_t>);

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

// ---- mdiv ----

constexpr u32_t all_ones = 0xffffffffu;
static_assert(mdiv(7).div(100) == 14);
static_assert(mdiv(7).get() == 7);
static_assert(mdiv().div(all_ones) == all_ones, "without an argument it divides by 1");
static_assert(mdiv(all_ones).div(all_ones) == 1 && mdiv(all_ones).div(all_ones - 1) == 0);
static_assert(get<0>(mdiv(3).divmod(11)) == 3 && get<1>(mdiv(3).divmod(11)) == 2);
static_assert(__is_trivially_copyable(mdiv), "a kernel argument");

// An int or an unsigned becomes an mdiv without being asked to.
static_assert(__is_convertible(int, mdiv) && __is_convertible(u32_t, mdiv));
constexpr u32_t quotient_by(u32_t dividend, mdiv m) {
    return m.div(dividend);
}
constexpr u32_t seven = 7;
constexpr mdiv by_seven = seven;
static_assert(by_seven.get() == 7 && quotient_by(100, seven) == 14 && quotient_by(100, 9) == 11);

// Everything that converts to u32_t is a dividend: also constants, and classes such as HIP's own
// threadIdx.x.
struct coordinate {
    constexpr operator u32_t() const { return all_ones; }
};
static_assert(mdiv(7).div(number<100>{}) == 14 && mdiv(7).div(100L) == 14);
static_assert(mdiv(3).div(coordinate{}) == all_ones / 3);
static_assert(get<0>(mdiv(3).divmod(coordinate{})) == all_ones / 3);
static_assert(mdiv(3).div(static_cast<unsigned short>(65535)) == 21845);
static_assert(is_same_v<decltype(mdiv().div(1)), u32_t> &&
              is_same_v<decltype(mdiv().divmod(1)), tuple<u32_t, u32_t>> &&
              is_same_v<decltype(mdiv().divmod(1u)), tuple<u32_t, u32_t>>);

struct arguments {
    mdiv by_row;
};
static_assert(arguments{}.by_row.div(5) == 5, "a member of an aggregate");

// The law: quotient * divisor + remainder == dividend and remainder < divisor, in 64 bits; also as
// an int where dividend and divisor are in that range.
constexpr u32_t int_max = 0x7fffffffu;
::testing::AssertionResult divides(const mdiv& m, u32_t divisor, u32_t dividend) {
    const bool is_int = dividend <= int_max && divisor <= int_max + 1;
    const uint64_t q = m.div(dividend);
    const uint64_t q_of_int = is_int ? m.div(static_cast<int>(dividend)) : q;
    const uint64_t product = q * divisor;
    if (product <= dividend && dividend - product < divisor && q_of_int == q) {
        return ::testing::AssertionSuccess();
    }
    return ::testing::AssertionFailure()
           << dividend << " / " << divisor << " is " << dividend / divisor << ", not " << q
           << " or, as int, " << q_of_int;
}

// Around 2^k for every k.
std::vector<u32_t> near_powers_of_two(int distance) {
    std::vector<u32_t> values;
    for (int k = 0; k <= 32; k++) {
        for (int d = -distance; d <= distance; d++) {
            const int64_t value = (int64_t{1} << k) + d;
            if (value >= 0 && value <= int64_t{all_ones}) {
                values.push_back(static_cast<u32_t>(value));
            }
        }
    }
    return values;
}

// A wrong multiplier shows first just below and at the multiples of the divisor, the larger the
// dividend the sooner.
void check_at_multiples(u32_t divisor) {
    const mdiv m(divisor);
    ASSERT_EQ(m.get(), divisor);
    const u32_t count = all_ones / divisor;
    // The last multiples in each of the two ranges, and some others.
    for (const u32_t n : {1u, 2u, count / 2, int_max / divisor, count - (count > 1), count}) {
        const u32_t multiple = n * divisor;
        ASSERT_TRUE(divides(m, divisor, multiple - (n > 0)));
        ASSERT_TRUE(divides(m, divisor, multiple));
        ASSERT_TRUE(divides(m, divisor, multiple + (multiple < all_ones)));
    }
    for (const u32_t dividend : {0u, int_max - 1, int_max, int_max + 1, all_ones}) {
        ASSERT_TRUE(divides(m, divisor, dividend));
    }
}

TEST(mdiv, powers_of_two_and_their_neighbours) {
    const std::vector<u32_t> divisors = near_powers_of_two(300);
    const std::vector<u32_t> dividends = near_powers_of_two(9);
    for (const u32_t divisor : divisors) {
        if (divisor == 0) {
            continue;
        }
        check_at_multiples(divisor);
        const mdiv m(divisor);
        for (const u32_t dividend : dividends) {
            ASSERT_TRUE(divides(m, divisor, dividend));
        }
    }
}

TEST(mdiv, all_small_divisors) {
    for (u32_t divisor = 1; divisor <= 200000; divisor++) {
        check_at_multiples(divisor);
    }
}

TEST(mdiv, every_dividend_of_some_16_bit_ranges) {
    for (const u32_t divisor : {1u, 2u, 3u, 7u, 641u, 65535u, 65537u, 0x7fffffffu, 0x80000001u}) {
        const mdiv m(divisor);
        for (const u32_t first : {0u, 0x7fff8000u, 0xffff0000u}) {
            for (u32_t i = 0; i < 65536; i++) {
                ASSERT_TRUE(divides(m, divisor, first + i));
            }
        }
    }
}

TEST(mdiv, random) {
    std::mt19937 random(12);
    for (int i = 0; i < 10000000; i++) {
        // As many small divisors as large ones.
        const u32_t divisor = static_cast<u32_t>(random()) >> (random() % 32);
        const u32_t dividend = static_cast<u32_t>(random());
        if (divisor == 0) {
            continue;
        }
        const mdiv m(divisor);
        ASSERT_TRUE(divides(m, divisor, dividend));
        const u32_t multiple = m.div(dividend) * divisor;
        ASSERT_TRUE(divides(m, divisor, multiple));
        ASSERT_TRUE(divides(m, divisor, multiple - 1));
        if (i % 32 == 0) {
            check_at_multiples(divisor);
        }
    }
}

TEST(mdiv, divmod) {
    for (const u32_t divisor : {1u, 3u, 64u, 1000003u, all_ones}) {
        const mdiv m(divisor);
        for (const u32_t dividend : {0u, 1u, 63u, 64u, 0x80000000u, all_ones}) {
            const auto [q, r] = m.divmod(dividend);
            EXPECT_EQ(q, dividend / divisor);
            EXPECT_EQ(r, dividend % divisor);
            u32_t quotient = 0;
            u32_t remainder = 0;
            m.divmod(dividend, quotient, remainder);
            EXPECT_EQ(quotient, dividend / divisor);
            EXPECT_EQ(remainder, dividend % divisor);
        }
        for (const int dividend : {0, 1, 63, 1000003, 0x7fffffff}) {
            if (divisor > int_max) {
                continue;
            }
            const auto expected = std::div(static_cast<long>(dividend), static_cast<long>(divisor));
            const auto [q, r] = m.divmod(dividend);
            EXPECT_EQ(q, expected.quot);
            EXPECT_EQ(r, expected.rem);
            long quotient = -1;
            int remainder = -1;
            m.divmod(dividend, quotient, remainder);
            EXPECT_EQ(quotient, expected.quot);
            EXPECT_EQ(remainder, expected.rem);
        }
    }
    int quotient = 0;
    long remainder = 0;
    mdiv(10).divmod(123, quotient, remainder);
    EXPECT_EQ(quotient, 12);
    EXPECT_EQ(remainder, 3);
}

}  // namespace
