// What host code of users leans on: traits that they specialise, members that they read, names in
// symbols and the bytes of types that go into kernel arguments.
#include "../laws/users_macros.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <random>
#include <string>
#include <type_traits>
#include <typeinfo>

#include "opus/dtypes.hpp"

// -- the types of opus/dtypes.hpp -----------------------------------------------------------------

static_assert(__is_same(opus::dtypes::fp32, float));
static_assert(__is_same(opus::dtypes::fp16, opus::fp16_t));
static_assert(__is_same(opus::dtypes::bf16, opus::bf16_t));
static_assert(__is_same(opus::dtypes::fp8, opus::fp8_t));
static_assert(__is_same(opus::dtypes::bf8, opus::bf8_t));
static_assert(__is_same(opus::dtypes::fp4, opus::fp4_t));
static_assert(__is_same(opus::dtypes::i32, int));
static_assert(__is_same(opus::dtypes::i8, signed char));
static_assert(__is_same(opus::dtypes::u8, unsigned char));

// -- traits are class templates that users specialise ---------------------------------------------

namespace users {

struct seven {
    using value_type = int;
    static constexpr int value = 7;
    constexpr operator int() const { return value; }
};
struct hole {};
struct list {};
struct block {};
struct pack {};
struct grid {
    static constexpr bool has_coord = false;
    static constexpr int rank = 2;
};
struct register_pair {};
struct nibble : opus::impl::dpacks<opus::u8_t, 4, false> {};
struct coded {
    int bits;
};
struct number_type {};
template <class T>
struct my_memory {};
struct wrapped {};

}  // namespace users

namespace opus {

template <>
struct is_constant<users::seven> : true_type {};
template <>
struct is_underscore<users::hole> : true_type {};
template <>
struct is_seq<users::list> : true_type {};
template <>
struct is_array<users::block> : true_type {};
template <>
struct is_tuple<users::pack> : true_type {};
template <>
struct is_static_tuple<users::pack> : true_type {};
template <>
struct is_layout<users::grid> : true_type {};
template <>
struct is_vector<users::register_pair> : true_type {};
template <>
struct is_packs<users::nibble> : true_type {};
template <>
struct num_packs<users::coded> {
    static constexpr index_t value = 3;
};
template <>
struct sizeof_bits<users::coded> {
    static constexpr index_t value = 11;
};
template <>
struct is_dtype<users::number_type> : true_type {};
template <class T>
struct is_gmem<users::my_memory<T>> : true_type {};
template <>
struct is_smem<users::wrapped> : true_type {};
template <>
struct get_value_type<users::wrapped> {
    using type = short;
};
REGISTER_DTYPE(whole, long long)

}  // namespace opus

namespace {

using namespace opus;
using opus::operator""_I;

// Each as the template says and as the _v form says of a const reference, and false for another.
#define EXPECT_TRAIT(trait, type)                                                   \
    static_assert(trait<type>::value && trait##_v<type> && trait##_v<const type&>); \
    static_assert(!trait<void*>::value && !trait##_v<void*>)
EXPECT_TRAIT(is_constant, users::seven);
EXPECT_TRAIT(is_constant, number<3>);
EXPECT_TRAIT(is_underscore, users::hole);
EXPECT_TRAIT(is_underscore, underscore);
EXPECT_TRAIT(is_seq, users::list);
EXPECT_TRAIT(is_seq, seq<1>);
EXPECT_TRAIT(is_array, users::block);
using three = array<int, 3>;
EXPECT_TRAIT(is_array, three);
EXPECT_TRAIT(is_tuple, users::pack);
EXPECT_TRAIT(is_tuple, tuple<int>);
EXPECT_TRAIT(is_static_tuple, users::pack);
EXPECT_TRAIT(is_static_tuple, tuple<tuple<underscore>>);
EXPECT_TRAIT(is_layout, users::grid);
EXPECT_TRAIT(is_vector, users::register_pair);
EXPECT_TRAIT(is_vector, fp32x4_t);
EXPECT_TRAIT(is_packs, users::nibble);
EXPECT_TRAIT(is_packs, fp4_t);
EXPECT_TRAIT(is_dtype, users::number_type);
EXPECT_TRAIT(is_dtype, fp8_t);
EXPECT_TRAIT(is_gmem, users::my_memory<int>);
EXPECT_TRAIT(is_smem, users::wrapped);
static_assert(is_mem_v<users::my_memory<int>> && is_mem_v<users::wrapped&> && !is_mem_v<int>);

static_assert(is_any_of<int, char, int>() && !is_any_of<int, char>() && !is_any_of<int>::value);
static_assert(num_packs<fp4_t>::value == 2 && num_packs<fp6_t>::value == 1 &&
              num_packs<float>::value == 1 && num_packs_v<const users::coded&> == 3);
static_assert(sizeof_bits<void>::value == 0 && sizeof_bits_v<void> == 0 &&
              sizeof_bits<fp6_t>::value == 6 && sizeof_bits<short>::value == 16 &&
              sizeof_bits_v<const users::coded&> == 11);
static_assert(std::is_same_v<get_value_type<fp16x8_t>::type, fp16_t> &&
              std::is_same_v<get_value_type<array<int, 3>>::type, int> &&
              std::is_same_v<get_value_t<const users::wrapped&>, short>);

// The library's own use follows them.
static_assert(is_static_tuple_v<tuple<users::seven, users::hole, users::pack>>);
static_assert(packed_bytes_v<users::coded, 3> == 5);
static_assert(sizeof(array<users::nibble, 6>) == 3 && sizeof(vector_t<users::nibble, 8>) == 4);
static_assert(array<users::nibble, 3>{users::nibble{5}, users::nibble{9}}[1].value == 9);
static_assert(
    std::is_same_v<decltype(embed(make_tuple(users::seven{}), make_tuple(2_I))), number<14>>);

// -- members that are read ------------------------------------------------------------------------

using rows =
    decltype(make_layout<-1>(make_tuple(4_I, 8_I), make_tuple(8_I, 1_I), make_tuple(_, 3)));
static_assert(std::is_same_v<rows::Shape, tuple<number<4>, number<8>>> &&
              std::is_same_v<rows::Stride, tuple<number<8>, number<1>>> &&
              std::is_same_v<rows::Coord, tuple<underscore, int>>);
// make_layout<cached_vec> makes the same kind again.
template <index_t vec>
using of_vec = decltype(make_layout<vec>(make_tuple(4_I, 8_I)));
static_assert(rows::cached_vec == -1 && of_vec<0>::cached_vec == 0 && of_vec<4>::cached_vec == 4);
static_assert(decltype(of_vec<2>{} + 3_I)::cached_vec == 2 &&
              decltype(composition(swizzle<1, 2, 3>{}, of_vec<4>{}))::cached_vec == 4);
using moved = decltype(make_layout<4>(make_tuple(4_I, 8_I)) + 3_I);
static_assert(std::is_same_v<moved::Shape, rows::Shape> &&
              std::is_same_v<moved::Coord, false_type>);

static_assert(std::is_same_v<array<float, 3>::const_reference, const float&> &&
              !array<float, 3>::is_packed && array<float, 3>::nstore == 3);
static_assert(std::is_same_v<array<fp4_t, 5>::const_reference, fp4_t> &&
              array<fp4_t, 5>::is_packed && array<fp4_t, 5>::nstore == 3);
static_assert(!array<e8m0_t, 5>::is_packed && array<e8m0_t, 5>::nstore == 5);

static_assert(numeric_limits<fp16_t>::bin_min == 0x0400 &&
              numeric_limits<fp16_t>::bin_max == 0x7bff &&
              numeric_limits<fp16_t>::bin_lowest == 0xfbff &&
              numeric_limits<fp16_t>::bin_qnan == 0x7e00 &&
              numeric_limits<fp16_t>::bin_inf == 0x7c00);

using tiled = decltype(make_tiled_mma<fp16_t, fp16_t, fp32_t>(seq<2, 1, 1>{}, seq<1, 1, 1>{},
                                                              seq<32, 32, 8>{}));
static_assert(tiled::MMA::wave_m == 32 && tiled::MMA::elem_c == 16);
static_assert(
    std::is_same_v<tiled::MMA, decltype(make_mfma<fp16_t, fp16_t, fp32_t>(seq<32, 32, 8>{}))>);

// mfma_type is the instruction of a wave without layouts; swapped or not, its operands keep their
// names.
template <class Adaptor>
using fp8_by_bf8 = decltype(make_mfma<fp8_t, bf8_t, fp32_t>(seq<32, 32, 16>{}, Adaptor{}));
static_assert(std::is_same_v<tiled::mfma_type, mfma<fp16_t, fp16_t, fp32_t, 32, 32, 8>> &&
              std::is_same_v<tiled::MMA::mfma_type, tiled::mfma_type>);
static_assert(std::is_same_v<fp8_by_bf8<mfma_adaptor>::mfma_type, mfma_f32_32x32x16_fp8_bf8> &&
              std::is_same_v<fp8_by_bf8<mfma_adaptor_swap_ab>::mfma_type::vtype_b, bf8x8_t>);

TEST(users_code, rounds_to_nearest_even_by_every_name) {
    const auto bits = [](unsigned x) { return __builtin_bit_cast(float, x); };
    static_assert(std::is_same_v<decltype(fp32_to_bf16_rtn_raw(1.0f)), unsigned short>);
    static_assert(std::is_same_v<decltype(fp32_to_bf16_rtn_asm(1.0f)), bf16_t>);
    const struct {
        unsigned from, to;
    } cases[] = {{0x3f808000, 0x3f80}, {0x3f818000, 0x3f82}, {0x3f808001, 0x3f81},
                 {0x7f7fffff, 0x7f80}, {0x80000000, 0x8000}, {0xff800000, 0xff80}};
    for (const auto& c : cases) {
        EXPECT_EQ(fp32_to_bf16_rtn_raw(bits(c.from)), c.to) << std::hex << c.from;
        const bf16_t rounded = fp32_to_bf16_rtn_asm(bits(c.from));
        unsigned short code = 0;
        std::memcpy(&code, &rounded, 2);
        EXPECT_EQ(code, c.to) << std::hex << c.from;
    }
}

// -- written and meant ----------------------------------------------------------------------------

static_assert(make_layout(seq<4, 8>{})(3, 5) == 29);
static_assert(std::is_same_v<decltype(make_layout<-1>(seq<4, 8>{})),
                             layout<tuple<number<4>, number<8>>, tuple<number<8>, number<1>>>>);

// The host has OCP's formats.
static_assert(finfo<bf8_t>::eps == 0.25f && finfo<fp8_t>::eps == 0.125f);

// -- names in symbols, and bytes ------------------------------------------------------------------

TEST(users_code, packed_types_have_their_names_in_symbols) {
    EXPECT_STREQ(typeid(fp4_t).name(), "N4opus5fp4_tE");
    EXPECT_STREQ(typeid(fp6_t).name(), "N4opus5fp6_tE");
    EXPECT_STREQ(typeid(bf6_t).name(), "N4opus5bf6_tE");
    EXPECT_STREQ(typeid(e8m0_t).name(), "N4opus6e8m0_tE");
    EXPECT_STREQ(typeid(int4_t).name(), "N4opus6int4_tE");
    EXPECT_STREQ(typeid(uint4_t).name(), "N4opus7uint4_tE");
}
// Names that user code may build types on (docs/migration.md), though they stand in impl.
static_assert(std::is_base_of_v<impl::fpacks<u8_t, 4, 2, 1, true>, fp4_t> &&
              std::is_base_of_v<impl::fpacks<u8_t, 6, 2, 3, true>, fp6_t> &&
              std::is_base_of_v<impl::fpacks<u8_t, 6, 3, 2, true>, bf6_t> &&
              std::is_base_of_v<impl::fpacks<u8_t, 8, 8, 0, false>, e8m0_t> &&
              std::is_base_of_v<impl::dpacks<u8_t, 4, true>, int4_t> &&
              std::is_base_of_v<impl::dpacks<u8_t, 4, false>, uint4_t>);
static_assert(sizeof(fp4_t) == 1 && std::is_trivially_copyable_v<fp4_t> && fp4_t{7}.value == 7);

static_assert(sizeof(mdiv) == 12 && std::is_standard_layout_v<mdiv> &&
              offsetof(mdiv, divisor) == 0 && offsetof(mdiv, multiplier) == 4 &&
              offsetof(mdiv, shift) == 8);
static_assert(mdiv(12).divisor == 12 && mdiv(12).shift == 4 && mdiv(8).shift == 3 &&
              mdiv(8).multiplier == 1);

TEST(users_code, mdiv_of_its_three_words_divides) {
    std::mt19937 random(5);
    for (int i = 0; i < 20000; i++) {
        const u32_t some = static_cast<u32_t>(random());
        const u32_t d = i < 40 ? static_cast<u32_t>(i + 1) : (some >> i % 32) | 1;
        const mdiv m(d);
        const u32_t words[3] = {m.divisor, m.multiplier, m.shift};
        mdiv by_hand;
        std::memcpy(&by_hand, words, sizeof(words));
        for (const u32_t n : {0u, 1u, d - 1, d, d + 1, 0x7fffffffu, 0xffffffffu, ~some}) {
            ASSERT_EQ(by_hand.div(n), n / d) << n << " / " << d;
        }
        // What a host computes that packs the words by hand.
        const u32_t n = some >> 1;
        const u64_t high = u64_t{n} * words[1] >> 32;
        ASSERT_EQ((high + n) >> words[2], n / d) << n << " / " << d;
    }
}

// -- macros ---------------------------------------------------------------------------------------

static_assert(is_dtype_v<whole_t> && std::is_same_v<whole_t, long long> &&
              std::is_same_v<wholex4_t, vector_t<long long, 4>>);

// 1.005 lies between 0x3f80 and 0x3f81, nearer to the latter; mode 2 cuts it off.
TEST(users_code, chooses_how_bf16_is_rounded_by_default) {
    const auto bits = [](bf16_t x) { return __builtin_bit_cast(unsigned short, x); };
#if defined(__HIPCC_RTC__)  // compiled with -DOPUS_FP32_to_BF16_DEFAULT=0
    const int expected = 0x3f81;
#else
    const int expected = 0x3f80;
#endif
    EXPECT_EQ(bits(fp32_to_bf16(1.005f)), expected);
    EXPECT_EQ(bits(cast<bf16_t>(1.005f)), expected);
}

// Word 3 of a raw buffer resource.
static_assert(buffer_default_config() == 0x00020000);

}  // namespace
