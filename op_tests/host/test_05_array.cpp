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
static_assert(!(array<int, 3>{1, 2, 3} == array<int, 3>{1, 2, 4}));
// Codes of a whole byte are compared as codes.
constexpr array<e8m0_t, 2> two_scales{e8m0_t{1}, e8m0_t{255}};
static_assert(two_scales == array<e8m0_t, 2>{e8m0_t{1}, e8m0_t{255}});
static_assert(!(two_scales == array<e8m0_t, 2>{e8m0_t{1}, e8m0_t{254}}));
static_assert(!__is_convertible(int, array<int, 3>) && __is_convertible(int, array<int, 1>));
static_assert(array<int, 2>{1, 2} != array<int, 2>{1, 3});
constexpr array<int, 3> two_of_three = {1, 2};
static_assert(two_of_three == array<int, 3>{1, 2, 0});
static_assert(array<array<int, 2>, 2>{array<int, 2>{1, 2}, array<int, 2>{3}}[1][0] == 3);
static_assert(array<int, 3>{4, 5, 6}[1] == 5 && array<int, 3>{4, 5, 6}[2_I] == 6);
static_assert(opus::get<0>(array<int, 3>{4, 5, 6}) == 4);
static_assert(array<float, 2>{1, 2.5}.content[1] == 2.5f);

static_assert(is_same_v<decltype(make_array(1, 2.5f)), array<float, 2>>);
static_assert(is_same_v<decltype(make_array(1_I, 2_I)), array<index_t, 2>>);
static_assert(is_same_v<decltype(make_array<double>(1, 2)), array<double, 2>>);
static_assert(is_same_v<decltype(make_array<double>()), array<double, 0>>);
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

static_assert(is_same_v<decltype(make_array<float>(1.0f, 2)), array<float, 2>>);

// -- elements below a byte ------------------------------------------------------------------------

static_assert(sizeof(array<fp4_t, 8>) == 4 && array<fp4_t, 8>::size() == 8);
static_assert(sizeof(array<fp4_t, 3>) == 2 && sizeof(array<fp6_t, 4>) == 3);
static_assert(sizeof(array<bf6_t, 5>) == 4 && sizeof(array<e8m0_t, 5>) == 5);
static_assert(sizeof(array<int4_t, 1>) == 1 && sizeof(array<uint4_t, 32>) == 16);
static_assert(packed_bytes_v<fp6_t, 32> == 24 && packed_bytes_v<fp4_t, 3> == 2);
static_assert(packed_bytes_v<float, 3> == 12);
static_assert(is_packs_v<fp4_t> && is_packs_v<const e8m0_t&> && !is_packs_v<unsigned char>);
static_assert(sizeof_bits_v<fp4_t> == 4 && sizeof_bits_v<bf6_t> == 6 && sizeof_bits_v<int> == 32);
static_assert(num_packs_v<fp4_t> == 2 && num_packs_v<fp6_t> == 1 && num_packs_v<e8m0_t> == 1);
static_assert(num_packs_v<float> == 1);

// Low nibble first; a 6-bit element crosses into the next byte.
static_assert(__builtin_bit_cast(unsigned,
                                 array<fp4_t, 8>{fp4_t{1}, fp4_t{2}, fp4_t{3}, fp4_t{4}, fp4_t{5},
                                                 fp4_t{6}, fp4_t{7}, fp4_t{15}}) == 0xf7654321);
static_assert(array<fp6_t, 4>{fp6_t{0x3f}, fp6_t{0}, fp6_t{0x2a}, fp6_t{1}}.content[0] == 0x3f);
static_assert(array<fp6_t, 4>{fp6_t{0x3f}, fp6_t{0}, fp6_t{0x2a}, fp6_t{1}}.content[1] == 0xa0);
static_assert(array<fp6_t, 4>{fp6_t{0x3f}, fp6_t{0}, fp6_t{0x2a}, fp6_t{1}}.content[2] == 0x06);
static_assert(__builtin_bit_cast(array<uint4_t, 4>, static_cast<unsigned short>(0x8421))[2].value ==
              4);

template <class T>
class packed_array : public testing::Test {};
using packed_types = testing::Types<fp4_t, int4_t, uint4_t, fp6_t, bf6_t>;
TYPED_TEST_SUITE(packed_array, packed_types);

// Element i is the bits [i * bits, (i + 1) * bits) of the little-endian bit string, and writing it
// changes no other bit.
TYPED_TEST(packed_array, is_a_bit_string) {
    using T = TypeParam;
    constexpr index_t n = 9;
    constexpr index_t bits = sizeof_bits_v<T>;
    const auto bit = [](const auto& bytes, index_t i) { return bytes[i / 8] >> (i % 8) & 1; };
    for (unsigned background : {0u, 0xffu}) {
        for (index_t i = 0; i < n; i++) {
            for (unsigned code = 0; code < 1u << bits; code++) {
                array<T, n> a;
                for (auto& byte : a.content) {
                    byte = static_cast<unsigned char>(background);
                }
                a[i] = T{static_cast<unsigned char>(code)};
                ASSERT_EQ(static_cast<T>(a[i]).value, code);
                for (index_t b = 0; b < static_cast<index_t>(sizeof(a)) * 8; b++) {
                    const bool inside = b >= i * bits && b < (i + 1) * bits;
                    const unsigned expected = inside ? code >> (b - i * bits) & 1 : background & 1;
                    ASSERT_EQ(static_cast<unsigned>(bit(a.content, b)), expected)
                        << "element " << i << " code " << code << " bit " << b;
                }
            }
        }
    }
}

TYPED_TEST(packed_array, references_copy_values) {
    using T = TypeParam;
    array<T, 4> a{T{1}, T{2}, T{3}, T{4}};
    a[0] = a[3];
    a[1_I] = a[2_I];
    EXPECT_TRUE((a == array<T, 4>{T{4}, T{3}, T{3}, T{4}}));
    EXPECT_TRUE((a != array<T, 4>{T{4}, T{3}, T{3}, T{5}}));
    opus::get<3>(a) = T{7};
    EXPECT_EQ(static_cast<T>(opus::get<3>(a)).value, 7);
    a.fill(T{5});
    EXPECT_TRUE((a == array<T, 4>{T{5}, T{5}, T{5}, T{5}}));
    a.clear();
    EXPECT_TRUE((a == array<T, 4>{}));
    EXPECT_TRUE((concat_array(array<T, 3>{T{1}, T{2}, T{3}}, array<T, 2>{T{4}, T{5}}) ==
                 array<T, 5>{T{1}, T{2}, T{3}, T{4}, T{5}}));
}

// An element of a temporary is a value, as from a const array.
static_assert(is_same_v<decltype(array<fp4_t, 8>{}[7]), fp4_t>);
static_assert(is_same_v<decltype(array<fp4_t, 8>{}[7_I]), fp4_t>);
static_assert(is_same_v<decltype(array<int, 2>{}[0]), int>);

TYPED_TEST(packed_array, elements_of_temporaries) {
    using T = TypeParam;
    const auto make = [] { return array<T, 4>{T{1}, T{2}, T{3}, T{7}}; };
    auto x = make()[3];
    auto y = make()[2_I];
    EXPECT_EQ(x.value, 7);
    EXPECT_EQ(y.value, 3);
}

// What elements are put into has elements, not references.
TYPED_TEST(packed_array, references_decay) {
    using T = TypeParam;
    array<T, 4> a{T{1}, T{2}, T{3}, T{4}};
    const auto pair = make_array(a[2], a[3]);
    const auto vector = make_vector(a[1], a[0]);
    const auto repeated = make_repeated_vector<4>(a[1]);
    static_assert(is_same_v<decltype(pair), const array<T, 2>>);
    static_assert(is_same_v<decltype(vector), const vector_t<T, 2>>);
    const auto mixed = make_tuple(a[3], 1);
    static_assert(is_same_v<decltype(repeated), const vector_t<T, 4>>);
    static_assert(is_same_v<decltype(mixed), const tuple<T, int>>);
    a.clear();
    EXPECT_TRUE((pair == array<T, 2>{T{3}, T{4}}));
    EXPECT_TRUE((vector == vector_t<T, 2>{T{2}, T{1}}));
    EXPECT_TRUE((repeated == vector_t<T, 4>{T{2}, T{2}, T{2}, T{2}}));
    EXPECT_EQ(get<0>(mixed).value, 4);
}

// The member `value` of an element, to read and to write.
TYPED_TEST(packed_array, codes_of_references) {
    using T = TypeParam;
    array<T, 3> a{T{1}, T{2}, T{3}};
    const array<T, 3>& b = a;
    EXPECT_EQ(a[2].value, 3);
    EXPECT_EQ(b[2].value, 3);
    EXPECT_EQ(a[1_I].value + 1, 3);
    a[0].value = 5;
    a[1].value = a[2].value;
    const unsigned char code = opus::get<0>(a).value;
    EXPECT_EQ(code, 5);
    EXPECT_TRUE((a == array<T, 3>{T{5}, T{3}, T{3}}));
}

}  // namespace
