#include <gtest/gtest.h>

#include "opus/opus.hpp"

namespace {

using namespace opus;
using opus::operator""_I;

static_assert(is_same_v<decltype(slice(fp32x4_t{}, 2_I)), fp32x2_t>);
static_assert(is_same_v<decltype(slice(fp32x4_t{}, 1_I, 2_I)), fp32x1_t>);
static_assert(slice(5, 1_I) == 5);
static_assert(slice(make_array(1, 2, 3, 4, 5), 1_I, 5_I, 2_I) == make_array(2, 4));
static_assert(is_same_v<decltype(slice(make_tuple(1_I, 2, 3.5f), 1_I, 3_I)), tuple<int, float>>);
static_assert(opus::get<1>(slice(make_tuple(1_I, 2, 3.5f), 1_I, 3_I)) == 3.5f);

// A type by name: GoogleTest wants the type_info of its parameters, and _Float16 has none.
template <class T>
struct of {
    using type = T;
};
template <class T>
class slice_of : public testing::Test {};
using element_types = testing::Types<of<fp64_t>, of<fp32_t>, of<fp16_t>, of<i16_t>, of<i8_t>>;
TYPED_TEST_SUITE(slice_of, element_types);

template <class T, index_t N>
vector_t<T, N> counting() {
    vector_t<T, N> v{};
    for (int i = 0; i < N; i++) {
        v[i] = static_cast<T>(i);
    }
    return v;
}

// For every range of a vector: element i of slice(v, start, end, step) is v[start + i * step].
template <class T, index_t N, index_t Start, index_t Step>
void expect_slices_from() {
    const auto v = counting<T, N>();
    static_for(
        [&](auto end) {
            const auto s = slice(v, number<Start>{}, end, number<Step>{});
            ASSERT_EQ(opus::size(s), (end - Start + Step - 1) / Step);
            for (int i = 0; i < opus::size(s); i++) {
                EXPECT_EQ(static_cast<int>(s[i]), Start + i * Step)
                    << "start " << Start << " end " << end << " step " << Step;
            }
        },
        number<Start + 1>{}, number<N + 1>{});
}

TYPED_TEST(slice_of, vectors) {
    static_for<8>([&](auto start) {
        expect_slices_from<typename TypeParam::type, 8, start, 1>();
        expect_slices_from<typename TypeParam::type, 8, start, 3>();
    });
}

// set_slice changes exactly the elements that slice selects.
TYPED_TEST(slice_of, set) {
    using T = typename TypeParam::type;
    static_for<6>([&](auto start) {
        auto v = counting<T, 8>();
        vector_t<T, 2> src;
        src[0] = 50;
        src[1] = 51;
        set_slice(v, src, start, start + 3_I, 2_I);
        for (int i = 0; i < 8; i++) {
            const int expected = i == start ? 50 : i == start + 2 ? 51 : i;
            EXPECT_EQ(static_cast<int>(v[i]), expected) << i;
        }
    });
}

TEST(slice, set_of_array_and_tuple) {
    auto a = make_array(1, 2, 3, 4);
    set_slice(a, make_array(8, 9), 2_I);
    EXPECT_TRUE(a == make_array(8, 9, 3, 4));
    auto t = make_tuple(1, 2.5f, 3);
    set_slice(t, make_tuple(4.5f, 5), 1_I, 3_I);
    EXPECT_EQ(opus::get<1>(t), 4.5f);
    EXPECT_EQ(opus::get<2>(t), 5);
}

// An integer may be set to a constant, a constant to itself; between a tuple and another container
// the types are compared for each element.
TEST(slice, set_of_tuples_and_constants) {
    auto t = opus::make_tuple(1, 2_I, 3.5f, i64_t{4});
    set_slice(t, opus::make_tuple(10_I, 2_I), 2_I);
    EXPECT_EQ(opus::get<0>(t), 10);
    set_slice(t, opus::make_tuple(40_I), 3_I, 4_I);
    EXPECT_EQ(opus::get<3>(t), 40);
    set_slice(t, make_vector(4.5f), 2_I, 3_I);
    EXPECT_EQ(opus::get<2>(t), 4.5f);
    auto a = make_array(1, 2, 3);
    set_slice(a, opus::make_tuple(8, 9_I), 0_I, 3_I, 2_I);
    EXPECT_TRUE(a == make_array(8, 2, 9));
    // With a step each element gets a value of its own type.
    auto apart = opus::make_tuple(u32_t{1}, 2.5f, i64_t{3}, 4);
    set_slice(apart, opus::make_tuple(5u, number<-1>{}), 0_I, 3_I, 2_I);
    EXPECT_EQ(opus::get<0>(apart), 5u);
    EXPECT_EQ(opus::get<1>(apart), 2.5f);
    EXPECT_EQ(opus::get<2>(apart), -1);
    EXPECT_EQ(opus::get<3>(apart), 4);
}

// Each integer from 4 bytes on, set to the constants around 0.
template <class T>
constexpr bool sets_small_constants() {
    array<T, 4> a{T{7}, T{7}, T{7}, T{7}};
    set_slice(a, opus::make_tuple(0_I, 1_I), 1_I, 3_I);
    auto t = opus::make_tuple(T{7}, T{7}, T{7});
    set_slice(t, opus::make_tuple(1_I, 2_I, 0_I), 3_I);
    return a == array<T, 4>{T{7}, T{0}, T{1}, T{7}} && opus::get<0>(t) == 1 &&
           opus::get<1>(t) == 2 && opus::get<2>(t) == 0;
}
static_assert(sets_small_constants<i32_t>() && sets_small_constants<u32_t>());
static_assert(sets_small_constants<i64_t>() && sets_small_constants<u64_t>());

template <class T>
constexpr bool sets_minus_one() {
    auto t = opus::make_tuple(T{7}, T{7});
    set_slice(t, opus::make_tuple(number<-1>{}), 1_I, 2_I);
    return opus::get<0>(t) == 7 && opus::get<1>(t) == -1;
}
static_assert(sets_minus_one<i32_t>() && sets_minus_one<i64_t>());
// What an integer does not hold is refused: compile_fail/08_slice.cpp.

static_assert(slice<2>(make_array(1, 2, 3, 4, 5), 1, 5, 2) == make_array(2, 4));
static_assert(slice<3>(make_array(1, 2, 3, 4, 5), 3) == make_array(1, 2, 3));

TYPED_TEST(slice_of, run_time_bounds) {
    using T = typename TypeParam::type;
    const auto v = counting<T, 8>();
    for (int start = 0; start <= 5; start++) {
        const auto s = slice<3>(v, start, start + 3);
        static_assert(is_same_v<decltype(s), const vector_t<T, 3>>);
        for (int i = 0; i < 3; i++) {
            EXPECT_EQ(static_cast<int>(s[i]), start + i);
        }
    }
    const auto every_third = slice<3>(v, 1, 8, 3);
    EXPECT_EQ(static_cast<int>(every_third[2]), 7);
}

}  // namespace
