#include <gtest/gtest.h>

#include "opus/opus.hpp"

namespace {

using namespace opus;
using opus::operator""_I;

static_assert(seq<2, 4, 8>::size() == 3 && seq<>::size() == 0);
static_assert(seq<2, 4, 8>{}[1] == 4 && seq<2, 4, 8>{}.at(2) == 8);
static_assert(seq<2, 4, 8>{}.at<0>() == 2 && seq<2, 4, 8>{}.at(1_I) == 4);
static_assert(seq<2, 4, 8>{}[2_I] == 8);
static_assert(opus::get<1>(seq<2, 4, 8>{}) == 4);
static_assert(opus::size(seq<2, 4, 8>{}) == 3 && opus::size<seq<2, 4, 8>>() == 3);
static_assert(is_same_v<seq<2, 4>::value_type, index_t>);
static_assert(is_same_v<seq<2_I, 4_I>, seq<2, 4>>);
static_assert(is_seq_v<const seq<1>&> && !is_seq_v<int>);

static_assert(is_same_v<decltype(seq_pop_front(seq<2, 4, 8>{})), seq<4, 8>>);
static_assert(is_same_v<decltype(seq_pop_front(seq<2>{})), seq<>>);

static_assert(is_same_v<make_index_seq<0>, seq<>>);
static_assert(is_same_v<make_index_seq<5>, seq<0, 1, 2, 3, 4>>);
static_assert(is_same_v<make_index_seq<2, 7>, seq<2, 3, 4, 5, 6>>);
static_assert(is_same_v<make_index_seq<0, 10, 2>, seq<0, 2, 4, 6, 8>>);
static_assert(is_same_v<make_index_seq<0, 10, 4>, seq<0, 4, 8>>);
static_assert(is_same_v<make_index_seq<-3, 3, 3>, seq<-3, 0>>);
static_assert(is_same_v<make_index_seq<4, 4>, seq<>>);
static_assert(is_same_v<make_index_seq<5, 4>, seq<>>);
static_assert(is_same_v<make_repeated_seq<7, 3>, seq<7, 7, 7>>);

static_assert(is_same_v<decltype(concat_seq(seq<1, 2>{}, seq<3, 4>{})), seq<1, 2, 3, 4>>);
static_assert(is_same_v<decltype(concat_seq()), seq<>>);
static_assert(
    is_same_v<decltype(concat_seq(seq<1>{}, seq<>{}, seq<2>{}, seq<3, 4>{})), seq<1, 2, 3, 4>>);

static_assert(is_same_v<decltype(reduce_seq_sum(seq<1, 2, 3>{})), seq<6>>);
static_assert(is_same_v<decltype(reduce_seq_mul(seq<2, 3, 4>{})), seq<24>>);
static_assert(is_same_v<decltype(reduce_seq<minus>(seq<9, 3, 1>{})), seq<5>>);
static_assert(is_same_v<decltype(reduce_seq_mul(seq<>{})), seq<>>);

static_assert(is_same_v<decltype(to_tuple(seq<2, 3>{})), tuple<number<2>, number<3>>>);
static_assert(is_same_v<decltype(seq_to_tuple(seq<2, 3>{})), tuple<number<2>, number<3>>>);

// The law of make_index_seq, for every length that a step leaves.
template <index_t Start, index_t End, index_t Step>
void expect_is_the_range() {
    const auto s = make_index_seq<Start, End, Step>{};
    index_t n = 0;
    for (index_t i = Start; i < End; i += Step, n++) {
        ASSERT_LT(n, s.size());
        EXPECT_EQ(s[n], i) << Start << ' ' << End << ' ' << Step;
    }
    EXPECT_EQ(s.size(), n) << Start << ' ' << End << ' ' << Step;
}

TEST(seq, range_is_start_plus_multiples_of_step_below_end) {
    expect_is_the_range<0, 12, 3>();
    expect_is_the_range<0, 13, 3>();
    expect_is_the_range<0, 14, 3>();
    expect_is_the_range<5, 6, 100>();
    expect_is_the_range<-7, 8, 2>();
}

}  // namespace
