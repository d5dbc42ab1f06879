#include <gtest/gtest.h>

#include <vector>

#include "opus/opus.hpp"

namespace {

using namespace opus;
using opus::operator""_I;

// -- a container is of one kind -------------------------------------------------------------------

template <class T>
constexpr bool is_kind(bool vector, bool array, bool tuple, bool seq) {
    return is_vector_v<T> == vector && is_array_v<T> == array && is_tuple_v<T> == tuple &&
           is_seq_v<T> == seq && is_vector_v<const T&> == vector && is_array_v<const T&> == array &&
           is_tuple_v<const T&> == tuple && is_seq_v<const T&> == seq;
}
static_assert(is_kind<fp32x2_t>(true, false, false, false));
static_assert(is_kind<vector_t<fp16_t, 1>>(true, false, false, false));
static_assert(is_kind<vector_t<fp4_t, 4>>(true, false, false, false));
static_assert(is_kind<opus::array<int, 2>>(false, true, false, false));
static_assert(is_kind<opus::tuple<>>(false, false, true, false));
static_assert(is_kind<opus::tuple<int, float>>(false, false, true, false));
static_assert(is_kind<seq<1, 2>>(false, false, false, true));
static_assert(is_kind<number<3>>(false, false, false, false));
static_assert(is_kind<float>(false, false, false, false));
static_assert(is_kind<underscore>(false, false, false, false));

static_assert(is_same_v<vector_t<float, 4>, fp32x4_t>);
static_assert(is_same_v<vector<float, 4>::type, fp32x4_t>);
static_assert(is_vector_v<const fp32x4_t&> && is_vector_v<fp16x1_t>);
static_assert(!is_vector_v<float> && !is_vector_v<array<float, 4>>);
static_assert(is_same_v<vector_traits<fp32x4_t>::dtype, float>);
static_assert(vector_traits<fp32x4_t>::size() == 4);
static_assert(vector_traits<float>::size() == 1 && is_same_v<vector_traits<float>::dtype, float>);
static_assert(vector_traits<array<int, 3>>::size() == 3);
static_assert(vector_traits<tuple<int, float>>::size() == 2);
static_assert(opus::size<fp16x8_t>() == 8);

static_assert(is_same_v<decltype(make_vector(1.0f, 2.0f)), fp32x2_t>);
static_assert(is_same_v<decltype(make_vector<fp16_t>(1, 2)), fp16x2_t>);
static_assert(is_same_v<decltype(make_repeated_vector<4>(0.5f)), fp32x4_t>);
static_assert(is_same_v<decltype(make_repeated_vector(0.5f, 4_I)), fp32x4_t>);

template <class V>
void expect_counts_from(const V& v, int first) {
    for (int i = 0; i < opus::size<V>(); i++) {
        EXPECT_EQ(static_cast<int>(v[i]), first + i) << i;
    }
}

template <class T, index_t N>
vector_t<T, N> counting(int first) {
    vector_t<T, N> v{};
    for (int i = 0; i < N; i++) {
        v[i] = static_cast<T>(first + i);
    }
    return v;
}

TEST(vector, construction) {
    expect_counts_from(make_vector(1.0f, 2.0f, 3.0f), 1);
    expect_counts_from(make_vector<fp16_t>(1, 2, 3), 1);
    const auto r = make_repeated_vector<3>(7);
    EXPECT_EQ(r[0] + r[1] + r[2], 21);
    EXPECT_EQ(opus::get<2>(make_vector(4, 5, 6)), 6);
}

TEST(vector, fill_and_clear) {
    fp32x4_t v{1, 2, 3, 4};
    fill(v, 2.5f);
    EXPECT_EQ(v[0] + v[1] + v[2] + v[3], 10.0f);
    clear(v);
    EXPECT_EQ(v[0] + v[1] + v[2] + v[3], 0.0f);
}

// Concatenation, slicing and flattening take another way for elements below a dword: every element
// size, aligned to dwords and not.
// A type by name: GoogleTest wants the type_info of its parameters, and _Float16 has none.
template <class T>
struct of {
    using type = T;
};
template <class T>
class vector_of : public testing::Test {};
using element_types =
    testing::Types<of<fp64_t>, of<fp32_t>, of<fp16_t>, of<i16_t>, of<i8_t>, of<u8_t>>;
TYPED_TEST_SUITE(vector_of, element_types);

TYPED_TEST(vector_of, concat) {
    using T = typename TypeParam::type;
    expect_counts_from(concat_vector(counting<T, 4>(1), counting<T, 8>(5)), 1);
    expect_counts_from(concat_vector(counting<T, 1>(1), counting<T, 3>(2), counting<T, 2>(5)), 1);
}

TYPED_TEST(vector_of, array_and_back) {
    using T = typename TypeParam::type;
    expect_counts_from(to_vector(to_array(counting<T, 8>(3))), 3);
    const array<vector_t<T, 4>, 3> pieces{counting<T, 4>(1), counting<T, 4>(5), counting<T, 4>(9)};
    expect_counts_from(to_vector(pieces), 1);
    const array<vector_t<T, 3>, 2> odd{counting<T, 3>(1), counting<T, 3>(4)};
    expect_counts_from(to_vector(odd), 1);
}

// From 512 bytes on vectors are joined in pairs.
template <class T, index_t P, index_t Size>
void check_large_tile() {
    array<vector_t<T, P>, Size> pieces;
    for (int i = 0; i < Size; i++) {
        pieces[i] = counting<T, P>(i * P);
    }
    const auto all = to_vector(pieces);
    static_assert(is_same_v<decltype(all), const vector_t<T, P * Size>>);
    expect_counts_from(all, 0);
}

TEST(vector, large_tiles) {
    check_large_tile<fp32_t, 4, 32>();
    check_large_tile<fp32_t, 4, 48>();
    check_large_tile<fp32_t, 2, 65>();
    check_large_tile<fp64_t, 1, 66>();
}

// Vectors of elements below a byte behave like the others, but are packed.
static_assert(is_vector_v<vector_t<fp4_t, 8>> && !is_array_v<vector_t<fp4_t, 8>>);
static_assert(sizeof(vector_t<fp4_t, 8>) == 4 && sizeof(vector_t<fp6_t, 32>) == 24);
static_assert(opus::size<vector_t<fp6_t, 32>>() == 32);
static_assert(is_same_v<get_value_t<vector_t<fp6_t, 32>>, fp6_t>);

template <class V>
void expect_codes(const V& v, const std::vector<int>& codes) {
    ASSERT_EQ(static_cast<size_t>(opus::size<V>()), codes.size());
    for (size_t i = 0; i < codes.size(); i++) {
        const get_value_t<V> x = v[static_cast<index_t>(i)];
        EXPECT_EQ(x.value, codes[i]) << i;
    }
}

template <class T>
void check_packed_vector() {
    const auto v = make_vector<T>(T{1}, T{2}, T{3});
    static_assert(is_same_v<decltype(v), const vector_t<T, 3>>);
    expect_codes(v, {1, 2, 3});
    EXPECT_EQ(opus::get<1>(v).value, 2);
    expect_codes(concat_vector(v, v), {1, 2, 3, 1, 2, 3});
    expect_codes(make_repeated_vector<3>(T{7}), {7, 7, 7});
    expect_codes(to_vector(to_array(v)), {1, 2, 3});
    expect_codes(to_vector(array<vector_t<T, 3>, 2>{v, v}), {1, 2, 3, 1, 2, 3});
    expect_codes(slice(v, 1_I, 3_I), {2, 3});
    vector_t<T, 3> w;
    fill(w, T{5});
    expect_codes(w, {5, 5, 5});
    set_slice(w, slice(v, 2_I), 1_I, 3_I);
    expect_codes(w, {5, 1, 2});
    clear(w);
    expect_codes(w, {0, 0, 0});
}

TEST(vector, packed) {
    check_packed_vector<fp4_t>();
    check_packed_vector<fp6_t>();
    check_packed_vector<bf6_t>();
    check_packed_vector<uint4_t>();
}

// std::size does not make size ambiguous.
namespace both {
using namespace std;
constexpr auto scales = vector_t<e8m0_t, 3>{};
static_assert(size(make_array(1, 2)) == 2 && size(seq<1, 2, 3>{}) == 3 && size(scales) == 3);
static_assert(size(vector_t<fp4_t, 4>{}) == 4 && size(fp32x4_t{}) == 4);
static_assert(size(opus::tuple<int, number<1>>{}) == 2 && size(1.5f) == 1);
}  // namespace both

}  // namespace
