#include <gtest/gtest.h>

#include "opus/opus.hpp"

namespace {

using namespace opus;
using opus::operator""_I;

static_assert(sizeof(tuple<number<1>, int>) == sizeof(int));
static_assert(sizeof(tuple<number<1>, number<1>, int>) == sizeof(int));
static_assert(sizeof(tuple<tuple<number<1>, number<2>>, tuple<int, underscore>, char>) == 8);
static_assert(__is_empty(tuple<number<1>, tuple<number<2>, underscore>>));
static_assert(tuple<int, float>::size() == 2 && tuple<>::size() == 0);
static_assert(opus::size(make_tuple(1, 2, 3)) == 3);

constexpr auto mixed = make_tuple(1_I, 2.5f, 3);
static_assert(is_same_v<decltype(mixed), const tuple<number<1>, float, int>>);
static_assert(opus::get<1>(mixed) == 2.5f && opus::get<2>(mixed) == 3);
static_assert(is_same_v<decltype(opus::get<0>(mixed)), number<1>>);
static_assert(is_same_v<tuple_element_t<1, decltype(mixed)>, float>);
static_assert(opus::get<1, 0>(make_tuple(1, make_tuple(5, 6))) == 5);
static_assert(opus::get<1, 1>(make_tuple(1, make_array(5, 6))) == 6);
static_assert(opus::get<0, 2>(make_tuple(seq<7, 8, 9>{})) == 9);
static_assert(is_same_v<decltype(tuple{1, 2_I}), tuple<int, number<2>>>);
static_assert(is_same_v<tuple_array<int, 3>, tuple<int, int, int>>);
static_assert(is_tuple_v<const tuple<int>&> && !is_tuple_v<int>);

template <class A, class B>
constexpr bool same(const A& a, const B& b);
template <class... A, class... B, index_t... Is>
constexpr bool same_elements(const tuple<A...>& a, const tuple<B...>& b, seq<Is...>) {
    return (true && ... && same(opus::get<Is>(a), opus::get<Is>(b)));
}
// Equal in value and in type, element by element.
template <class A, class B>
constexpr bool same(const A& a, const B& b) {
    if constexpr (!is_same_v<A, B>) {
        return false;
    } else if constexpr (is_tuple_v<A>) {
        return same_elements(a, b, make_index_seq<A::size()>{});
    } else if constexpr (is_underscore_v<A>) {
        return true;
    } else {
        return a == b;
    }
}
static_assert(same(make_tuple(1, make_tuple(2_I)), make_tuple(1, make_tuple(2_I))));
static_assert(!same(make_tuple(1, 2), make_tuple(1, 3)));
static_assert(!same(make_tuple(1, 2), make_tuple(1, 2_I)));

static_assert(is_same_v<decltype(make_tuple("abc", 1)), tuple<const char*, int>>);
static_assert(opus::size<tuple<>>() == 0 && opus::size(tuple<>{}) == 0);
static_assert(same(to_tuple(make_array(1, 2)), make_tuple(1, 2)));
static_assert(same(to_tuple(make_tuple(1_I, 2)), make_tuple(1_I, 2)));
static_assert(same(make_repeated_tuple<3>(7), make_tuple(7, 7, 7)));
static_assert(same(make_repeated_tuple(7_I, 2_I), make_tuple(7_I, 7_I)));

static_assert(same(concat_tuple(), tuple<>{}));
static_assert(same(concat_tuple(make_tuple(1, 2_I), tuple<>{}, make_tuple(3), make_tuple(4.5f)),
                   make_tuple(1, 2_I, 3, 4.5f)));
static_assert(same(explode_tuple(5), make_tuple(5)));
static_assert(same(explode_tuple(make_tuple(1, make_tuple(2, 3))), make_tuple(1, 2, 3)));
static_assert(same(flatten_tuple(make_tuple(make_tuple(1, 2_I), make_tuple(3))),
                   make_tuple(1, 2_I, 3)));
static_assert(same(flatten_tuple(make_tuple(make_tuple(1, make_tuple(2, make_tuple(3))), 4)),
                   make_tuple(1, 2, 3, 4)));
static_assert(same(embed_nested_tuple(make_tuple(make_tuple(1, 2), make_tuple(3)),
                                      make_tuple(make_tuple(4), make_tuple(5, 6))),
                   make_tuple(make_tuple(1, 2, 4), make_tuple(3, 5, 6))));

static_assert(tuple_count<int>(make_tuple(1, 2.5f, 3)) == 2);
static_assert(tuple_count<underscore, tuple<underscore, int, underscore>>() == 2);

static_assert(same(reduce_tuple_sum(make_tuple(1_I, 2_I, 3_I)), make_tuple(6_I)));
static_assert(same(reduce_tuple_sum(make_tuple(1_I, 2, 3_I)), make_tuple(6)));
static_assert(same(reduce_tuple_mul(make_tuple(2_I, 3_I, 4_I)), make_tuple(24_I)));
static_assert(same(reduce_tuple<minus>(make_tuple(9, 3_I, 1_I)), make_tuple(5)));
static_assert(same(reduce_tuple_sum(tuple<>{}), tuple<>{}));

struct doubler {
    template <class T>
    constexpr auto operator()(T x) const {
        return x + x;
    }
};
struct adder {
    template <class T, class I>
    constexpr auto operator()(T x, I i) const {
        static_assert(is_constant_v<I>);
        return x + i;
    }
};
static_assert(same(transform_tuple(doubler{}, make_tuple(1_I, 2.5f)), make_tuple(2_I, 5.0f)));
static_assert(same(transform_tuple_with_idx(adder{}, make_tuple(5_I, 6, 7)),
                   make_tuple(5_I, 7, 9)));

static_assert(same(make_tuple(embed(make_tuple(1_I, 2_I), make_tuple(3_I, 4_I))),
                   make_tuple(11_I)));
static_assert(same(make_tuple(embed(make_tuple(1, 2_I), make_tuple(3_I, 4_I))), make_tuple(11)));
static_assert(same(make_tuple(embed(make_tuple(3u, 2), make_tuple(-3, 4_I))), make_tuple(-1)));
// Of 64 bits as soon as one element has them.
constexpr long_index_t far = 0x100000000;
static_assert(embed(make_tuple(far, 1), make_tuple(3, 5_I)) == 3 * far + 5);
static_assert(embed(make_tuple(2, 1_I), make_tuple(far + 1, 7)) == 2 * far + 9);
static_assert(embed(make_tuple(2.5f, 1.0f), make_tuple(2.0f, 3.0f)) == 8.0f);

static_assert(is_static_tuple_v<tuple<number<1>, tuple<underscore, number<2>>>>);
static_assert(!is_static_tuple_v<tuple<number<1>, tuple<underscore, int>>>);
static_assert(!is_static_tuple_v<number<1>>);

static_assert(same(merge_peepholed_tuple(make_tuple(_, 7, _), make_tuple(1_I, 2)),
                   make_tuple(1_I, 7, 2)));
static_assert(same(merge_peepholed_tuple(make_tuple(7, 8_I), make_tuple(1)), make_tuple(7, 8_I)));
static_assert(same(merge_peepholed_tuple(make_tuple(_), make_tuple(1)), make_tuple(1)));

TEST(tuple, elements_can_be_written_and_bound) {
    auto t = make_tuple(1, 2_I, 3.5f);
    opus::get<0>(t) = 10;
    opus::get<2>(t) = 4.5f;
    auto [a, b, c] = t;
    static_assert(is_same_v<decltype(b), number<2>>);
    EXPECT_EQ(a, 10);
    EXPECT_EQ(b, 2);
    EXPECT_EQ(c, 4.5f);
    auto& [ra, rb, rc] = t;
    ra = 11;
    rc = 5.5f;
    EXPECT_EQ(opus::get<0>(t), 11);
    EXPECT_EQ(opus::get<2>(t), 5.5f);
    EXPECT_EQ(rb, 2);
}

}  // namespace
