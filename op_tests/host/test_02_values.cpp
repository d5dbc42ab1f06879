// Numbers, constants and the small type functions: facts of the compiler, so most are asserted
// where the compiler sees them.
#include <gtest/gtest.h>

#include "opus/opus.hpp"

namespace {

using namespace opus;
using opus::operator""_I;

template <class T, index_t I>
constexpr bool is_number_v = is_same_v<T, number<I>>;

static_assert(is_number_v<decltype(+7_I), 7>);
static_assert(is_number_v<decltype(-7_I), -7>);
static_assert(is_number_v<decltype(~7_I), -8>);
static_assert(is_number_v<decltype(!7_I), 0>);
static_assert(is_number_v<decltype(7_I + 3_I), 10>);
static_assert(is_number_v<decltype(7_I - 3_I), 4>);
static_assert(is_number_v<decltype(7_I * 3_I), 21>);
static_assert(is_number_v<decltype(7_I / 3_I), 2>);
static_assert(is_number_v<decltype(7_I % 3_I), 1>);
static_assert(is_number_v<decltype(7_I & 3_I), 3>);
static_assert(is_number_v<decltype(4_I | 3_I), 7>);
static_assert(is_number_v<decltype(7_I ^ 3_I), 4>);
static_assert(is_number_v<decltype(7_I << 3_I), 56>);
static_assert(is_number_v<decltype(56_I >> 3_I), 7>);
static_assert(is_number_v<decltype(7_I && 0_I), 0>);
static_assert(is_number_v<decltype(7_I || 0_I), 1>);
static_assert(is_number_v<decltype(7_I == 7_I), 1>);
static_assert(is_number_v<decltype(7_I != 7_I), 0>);
static_assert(is_number_v<decltype(3_I < 7_I), 1>);
static_assert(is_number_v<decltype(3_I > 7_I), 0>);
static_assert(is_number_v<decltype(7_I <= 7_I), 1>);
static_assert(is_number_v<decltype(3_I >= 7_I), 0>);

static_assert(is_number_v<decltype(42_I), 42>);
static_assert(is_number_v<decltype(0_I), 0>);
static_assert(is_number_v<decltype(0x2A_I), 42>);
static_assert(is_number_v<decltype(0Xff_I), 255>);
static_assert(is_number_v<decltype(0b101'010_I), 42>);
static_assert(is_number_v<decltype(1'048'576_I), 1048576>);
static_assert(is_number_v<decltype(2147483647_I), 2147483647>);

static_assert(is_same_v<decltype(4_I * 8), int>);
static_assert(4_I * 8 == 32);
static_assert(is_same_v<index_t, int> && is_same_v<long_index_t, long long>);

static_assert(is_constant_v<number<3>>);
static_assert(is_constant_v<const number<3>&>);
static_assert(is_constant_v<true_type>);
static_assert(is_constant_v<std::integral_constant<unsigned, 3>>);
static_assert(!is_constant_v<int> && !is_constant_v<underscore>);
static_assert(is_constant<number<3>>::value && !is_constant<float>::value);

static_assert(is_same_v<remove_reference_t<int&&>, int>);
static_assert(is_same_v<remove_cv_t<const volatile int>, int>);
static_assert(is_same_v<remove_cvref_t<const int&>, int>);
static_assert(is_same_v<remove_cvref<const int&>::type, int>);
static_assert(is_same<int, int>::value && !is_same<int, float>::value);
static_assert(is_any_of_v<int, float, int> && !is_any_of_v<int, float, char>);
static_assert(is_underscore_v<decltype(_)> && !is_underscore_v<int>);

static_assert(plus{}(3, 4.5) == 7.5);
static_assert(minus{}(3, 4.5) == -1.5);
static_assert(multiplies{}(3, 4.5) == 13.5);
static_assert(divides{}(9, 4.5) == 2.0);

TEST(values, numbers_are_integers_where_one_is_wanted) {
    const int runtime = 5;
    const int array[8_I] = {0, 1, 2, 3, 4, 5, 6, 7};
    EXPECT_EQ(8_I * runtime, 40);
    EXPECT_EQ(array[3_I], 3);
    EXPECT_EQ(runtime % 3_I, 2);
}

// Two decimal digits for each of the last two parts, whatever the parts are.
#undef OPUS_VERSION_MAJOR
#undef OPUS_VERSION_MINOR
#undef OPUS_VERSION_PATCH
#define OPUS_VERSION_MAJOR 3
#define OPUS_VERSION_MINOR 14
#define OPUS_VERSION_PATCH 15
static_assert(OPUS_VERSION == 31415);

}  // namespace
