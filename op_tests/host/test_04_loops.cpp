#include <gtest/gtest.h>

#include <vector>

#include "opus/opus.hpp"

namespace {

using namespace opus;
using opus::operator""_I;
using indices = std::vector<int>;

TEST(loops, static_for_gives_numbers) {
    indices seen;
    static_for<4>([&](auto i) {
        static_assert(is_constant_v<decltype(i)>);
        seen.push_back(i);
    });
    EXPECT_EQ(seen, (indices{0, 1, 2, 3}));
    static_for<0>([&](auto) { ADD_FAILURE() << "an empty loop must not call"; });
}

TEST(loops, static_for_with_bounds_as_template_arguments) {
    indices seen;
    const auto note = [&](auto i) {
        static_assert(is_constant_v<decltype(i)>);
        seen.push_back(i);
    };
    static_for<1, 4>(note);
    static_for<-2, 0>(note);
    static_for<1, 8, 3>(note);
    static_for<4, 4>([&](auto) { ADD_FAILURE() << "an empty loop must not call"; });
    static_for<4, 1>([&](auto) { ADD_FAILURE() << "an empty loop must not call"; });
    EXPECT_EQ(seen, (indices{1, 2, 3, -2, -1, 1, 4, 7}));
}

TEST(loops, static_for_with_constant_bounds_is_unrolled) {
    indices seen;
    const auto note = [&](auto i) {
        static_assert(is_constant_v<decltype(i)>);
        seen.push_back(i);
    };
    static_for(note, 3_I);
    static_for(note, 5_I, 7_I);
    static_for(note, 1_I, 8_I, 3_I);
    EXPECT_EQ(seen, (indices{0, 1, 2, 5, 6, 1, 4, 7}));
}

TEST(loops, static_for_with_integers_is_a_loop) {
    indices seen;
    const auto note = [&](auto i) {
        static_assert(is_same_v<decltype(i), index_t>);
        seen.push_back(i);
    };
    static_for(note, 3);
    static_for(note, 5, 7);
    static_for(note, 1, 8, 3);
    static_for(note, 0_I, 10, 4_I);
    EXPECT_EQ(seen, (indices{0, 1, 2, 5, 6, 1, 4, 7, 0, 4, 8}));
}

TEST(loops, static_ford_runs_the_last_index_fastest) {
    indices seen;
    const auto note = [&](auto i, auto j, auto k) {
        static_assert(is_constant_v<decltype(i)> && is_constant_v<decltype(k)>);
        seen.push_back(i * 100 + j * 10 + k);
    };
    const indices expected{0, 1, 10, 11, 20, 21, 100, 101, 110, 111, 120, 121};
    static_ford<2, 3, 2>(note);
    EXPECT_EQ(seen, expected);
    seen.clear();
    static_ford(seq<2, 3, 2>{}, note);
    EXPECT_EQ(seen, expected);
    seen.clear();
    static_ford(make_tuple(2_I, 3_I, 2_I), note);
    EXPECT_EQ(seen, expected);
}

TEST(loops, static_ford_without_extents_calls_once) {
    int calls = 0;
    static_ford<>([&] { calls++; });
    EXPECT_EQ(calls, 1);
    static_ford<3, 0>([&](auto, auto) { calls++; });
    EXPECT_EQ(calls, 1);
}

}  // namespace
