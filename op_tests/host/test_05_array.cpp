#include <gtest/gtest.h>

#include "opus/opus.hpp"

namespace {

using namespace opus;
using opus::operator""_I;

static_assert(sizeof(array<float, 3>) == 12);
static_assert(array<int, 3>::size() == 3 && !array<int, 3>::empty() && array<int, 0>::empty());
static_assert(is_same_v<array<int, 3>::value_type, int>);
static_assert(array<int, 3>{} == array<int, 3>{0, 0, 0});
static_assert(array<int, 3>{7} == array<int, 3>{7, 0, 0});
static_assert(array<int, 2>{1, 2} != array<int, 2>{1, 3});
static_assert(array<int, 3>{4, 5, 6}[1] == 5 && array<int, 3>{4, 5, 6}[2_I] == 6);
static_assert(opus::get<0>(array<int, 3>{4, 5, 6}) == 4);
static_assert(array<float, 2>{1, 2.5}.content[1] == 2.5f);

static_assert(is_same_v<decltype(make_array(1, 2.5f)), array<float, 2>>);
static_assert(is_same_v<decltype(make_array(1_I, 2_I)), array<index_t, 2>>);
static_assert(is_same_v<decltype(make_array<double>(1, 2)), array<double, 2>>);
static_assert(make_array(1, 2.5f)[1] == 2.5f);
static_assert(concat_array(make_array(1, 2), make_array(3), make_array(4, 5)) ==
              make_array(1, 2, 3, 4, 5));
static_assert(is_array_v<const array<int, 2>&> && !is_array_v<int>);
static_assert(is_same_v<get_value_t<array<float, 2>>, float>);
static_assert(opus::size(make_array(1, 2)) == 2 && opus::size<array<int, 5>>() == 5);

TEST(array, elements_can_be_written) {
    array<int, 4> a{1, 2, 3, 4};
    a[1] = 20;
    a[2_I] = 30;
    opus::get<3>(a) = 40;
    EXPECT_TRUE(a == make_array(1, 20, 30, 40));
    a.fill(7);
    EXPECT_TRUE(a == make_array(7, 7, 7, 7));
    a.clear();
    EXPECT_TRUE(a == make_array(0, 0, 0, 0));
    fill(a, 9);
    EXPECT_TRUE(a == make_array(9, 9, 9, 9));
    clear(a);
    EXPECT_TRUE(a == make_array(0, 0, 0, 0));
}

}  // namespace
