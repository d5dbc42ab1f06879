#include <gtest/gtest.h>

#include "../laws/layout_laws.hpp"
#include "layout_kinds.hpp"
#include "opus/opus.hpp"

// 1: what is slow, all of each table; else each path once.
#ifndef OPUS_TEST_SLOW
#define OPUS_TEST_SLOW 0
#endif

namespace {

using namespace opus;
using opus::operator""_I;

// -- what the guide and the README say ------------------------------------------------------------

static_assert(make_layout(make_tuple(128, 64))(4, 8) == 264);
static_assert(make_layout(128, 64)(4, 8) == 264);
static_assert(make_layout(128_I, 64_I)(4, 8) == 264);
static_assert(make_layout(make_tuple(128_I, 64_I), make_tuple(64_I, 1_I))(4, 8) == 264);
static_assert(make_layout(make_tuple(128, 64))(make_tuple(4, 8)) == 264);

TEST(layout, run_time_extents_are_kept) {
    const int m = 100;
    const int n = 37;
    EXPECT_EQ(make_layout(make_tuple(m, n))(4, 8), 4 * n + 8);
    EXPECT_EQ(make_layout(m, n)(4, 8), 4 * n + 8);
    EXPECT_EQ(make_layout(3_I, n, 8_I)(1, 2, 3), n * 8 + 2 * 8 + 3);
    const auto u = make_layout(make_tuple(m, n));
    EXPECT_EQ(u.shape<1>(), n);
    EXPECT_EQ(u.stride<0>(), n);
}

// -- types ----------------------------------------------------------------------------------------

template <index_t cached_vec>
using packed_4x8 = decltype(make_layout<cached_vec>(4_I, 8_I));
static_assert(
    is_same_v<packed_4x8<-1>, layout<tuple<number<4>, number<8>>, tuple<number<8>, number<1>>>>);
static_assert(is_same_v<packed_4x8<0>,
                        layout_linear<tuple<number<4>, number<8>>, tuple<number<8>, number<1>>>>);
static_assert(__is_empty(packed_4x8<-1>) && sizeof(packed_4x8<0>) == sizeof(index_t));
static_assert(packed_4x8<-1>::rank == 2 && packed_4x8<-1>::coord_rank == 2);
static_assert(is_layout_v<packed_4x8<-1>> && is_layout_v<const packed_4x8<0>&>);
static_assert(!is_layout_v<int> && !is_layout_v<tuple<int>>);
static_assert(is_same_v<decltype(packed_4x8<-1>{}(1_I, 2_I)), number<10>>);
static_assert(is_same_v<decltype(packed_4x8<-1>{}.shape()), tuple<number<4>, number<8>>>);
static_assert(is_same_v<decltype(packed_4x8<-1>{}.shape<0>()), number<4>>);
static_assert(is_same_v<decltype(packed_4x8<-1>{}.stride<0>()), number<8>>);
static_assert(is_same_v<decltype(packed_shape_to_stride(make_tuple(3_I, 5, 8_I))),
                        tuple<int, number<8>, number<1>>>);
static_assert(opus::get<0>(packed_shape_to_stride(make_tuple(3_I, 5, 8_I))) == 40);
static_assert(coord_to_linear(make_layout(4, 8), make_tuple(1, 2)) == 10);

// -- what is cached -------------------------------------------------------------------------------

constexpr auto two_by_four = make_tuple(2_I, 4_I);
constexpr auto by_rows = make_tuple(4_I, 1_I);
constexpr auto in_row_1 = make_tuple(1_I, _);
static_assert(are(0, make_layout(two_by_four), make_layout(two_by_four, by_rows),
                  make_layout(two_by_four, by_rows, in_row_1), make_layout(2_I, 4),
                  make_layout(seq<2, 4>{}), make_layout_packed(two_by_four),
                  make_layout_packed(two_by_four, in_row_1)));
static_assert(are(-1, make_layout<-1>(two_by_four), make_layout<-1>(two_by_four, by_rows),
                  make_layout<-1>(two_by_four, by_rows, in_row_1), make_layout<-1>(2_I, 4),
                  make_layout<-1>(seq<2, 4>{}), make_layout_packed<-1>(two_by_four),
                  make_layout_packed<-1>(two_by_four, in_row_1)));
static_assert(are(2, make_layout<2>(two_by_four), make_layout<2>(two_by_four, by_rows),
                  make_layout<2>(two_by_four, by_rows, in_row_1), make_layout<2>(2_I, 4),
                  make_layout<2>(seq<2, 4>{}), make_layout_packed<2>(two_by_four),
                  make_layout_packed<2>(two_by_four, in_row_1)));

// -- coordinates ----------------------------------------------------------------------------------

TEST(layout, a_coordinate_leaves_its_underscores_open) {
    const auto u = make_layout<-1>(make_tuple(3_I, 16_I, 4_I, 8_I),
                                   make_tuple(1000, 100, 10_I, 1_I), make_tuple(_, 5, 2_I, _));
    static_assert(decltype(u)::rank == 4 && decltype(u)::coord_rank == 2);
    EXPECT_EQ(u(0, 0), 520);
    EXPECT_EQ(u(2, 7), 2527);
    EXPECT_EQ(u(make_tuple(1_I, 3)), 1523);
    EXPECT_EQ(u.coord<1>(), 5);
    const auto p = make_layout_packed<-1>(make_tuple(2_I, 3_I), make_tuple(1, _));
    EXPECT_EQ(p(2), 5);
    EXPECT_EQ(make_layout_packed(make_tuple(2_I, 3_I))(1, 2), 5);
}

TEST(layout, linear_moves) {
    auto u = make_layout(make_tuple(4, 8));
    u += 100;
    EXPECT_EQ(u(1, 2), 110);
    u.inc(10);
    EXPECT_EQ(u(1, 2), 120);
    const auto v = u + 1000;
    EXPECT_EQ(v(1, 2), 1120);
    EXPECT_EQ(u(1, 2), 120);
    EXPECT_EQ(v.linear_offset, 1110);
}

// -- laws -----------------------------------------------------------------------------------------

TEST(layout, offsets_are_dot_products) {
    const laws::index_space<3> space{{3, 4, 5}};
    const array<index_t, 3> packed{20, 5, 1};
    const array<index_t, 3> strides{7, 1, 50};
    const int three = 3;
    const int five = 5;
    EXPECT_EQ(laws::first_wrong_offset(make_layout<-1>(3_I, 4_I, 5_I), space, packed), -1);
    EXPECT_EQ(laws::first_wrong_offset(make_layout(three, 4_I, five), space, packed), -1);
    EXPECT_EQ(
        laws::first_wrong_offset(make_layout(make_tuple(three, 4_I, five), make_tuple(7, 1_I, 50)),
                                 space, strides),
        -1);
    auto moved = make_layout(make_tuple(3_I, 4_I, 5_I), make_tuple(7_I, 1_I, 50_I));
    moved += 9;
    EXPECT_EQ(laws::first_wrong_offset(moved, space, strides, 9), -1);
    // The checker itself finds a wrong one.
    EXPECT_EQ(laws::first_wrong_offset(moved, space, strides, 8), 0);
    EXPECT_EQ(laws::first_wrong_offset(make_layout(3, 4, 6), space, packed), 5);
}

TEST(layout, issue_offsets_are_those_of_the_loops) {
    const int stride = 100;
    const auto u = make_layout(make_tuple(3_I, 16_I, 4_I, 8_I),
                               make_tuple(16 * stride, stride, 8_I, 1_I), make_tuple(_, 5, 2, _));
    EXPECT_EQ(laws::first_wrong_issue<1>(u), -1);
    EXPECT_EQ(laws::first_wrong_issue<2>(u), -1);
    EXPECT_EQ(laws::first_wrong_issue<4>(u), -1);
    EXPECT_EQ(laws::first_wrong_issue<8>(u), -1);
    const auto four = make_layout(make_tuple(2_I, 3_I, 2_I, 4_I), make_tuple(1000, 100_I, 10, 1_I),
                                  make_tuple(_, _, _, _));
    EXPECT_EQ(laws::first_wrong_issue<1>(four), -1);
    EXPECT_EQ(laws::first_wrong_issue<2>(four + 5), -1);
}

TEST(layout, laws_of_drawn_layouts) {
    const volatile int unknown = 0;
    const int zero = unknown;
    static_for<OPUS_TEST_SLOW ? 60 : 15>([&](auto seed) {
        EXPECT_EQ(laws::first_broken_law<seed.value>(zero), -1) << "seed " << seed;
    });
}

TEST(layout, cached_looks_accesses_up) {
    const int stride = 100;
    auto u = make_layout<4>(make_tuple(3_I, 16_I, 4_I, 8_I),
                            make_tuple(16 * stride, stride, 8_I, 1_I), make_tuple(_, 5, 2, _));
    static_assert(decltype(u)::num_issues == 6);
    EXPECT_EQ(u(0, 0), 516);
    EXPECT_EQ(u(0, 1), 520);  // the second vector of four
    EXPECT_EQ(u(2_I, 1_I), 3720);
    EXPECT_EQ(u.access(2_I, 1_I), 3720);
    EXPECT_EQ(u.access(1, 0), 2116);
    EXPECT_EQ(u(make_tuple(1, 0)), 2116);
    EXPECT_TRUE(layout_to_offsets<4>(u) == u.offsets);
    // Loads and stores of that width read the cache too.
    auto marked = u;
    marked.offsets[3] = 9999;
    EXPECT_EQ(layout_to_offsets<4>(marked)[3], 9999);
    EXPECT_EQ(layout_to_offsets<4>(marked + 5_I)[3], 10004);
    EXPECT_EQ(layout_to_offsets<2>(marked)[3], 522);
    u += 7;
    EXPECT_EQ(u(2, 1), 3727);
    u.inc(3);
    EXPECT_EQ((u + 10)(2, 1), 3740);
    EXPECT_EQ(u(2, 1), 3730);
    EXPECT_TRUE(layout_to_offsets<4>(u) == u.offsets);
}

TEST(layout, shift_stays_in_the_type) {
    const auto u = make_layout<-1>(4_I, 8_I);
    static_assert(is_same_v<decltype((u + 4_I)(1_I, 2_I)), number<14>>);
    using shifted = remove_cv_t<decltype(u + 4_I + 8_I)>;
    static_assert(is_same_v<shifted, layout_shifted<remove_cv_t<decltype(u)>, 12>>);
    static_assert(is_same_v<decltype(u + 0_I), remove_cv_t<decltype(u)>>);
    static_assert(is_layout_v<shifted> && layout_shift_traits<shifted>::value == 12);
    static_assert(is_same_v<layout_shift_traits<shifted>::base, remove_cv_t<decltype(u)>>);
    static_assert(layout_shift_traits<remove_cv_t<decltype(u)>>::value == 0);
    auto moving = make_layout(4_I, 8_I) + 100_I;
    moving += 5;
    EXPECT_EQ(moving(1, 2), 115);
    EXPECT_EQ((moving + 1)(1, 2), 116);
}

// A vectorised issue space over a y-dim longer than the vector addresses 0, vec, 2 * vec, ...
static_assert(layout_to_offsets<4>(make_layout(make_tuple(2_I, 16_I), make_tuple(100, 1_I),
                                               make_tuple(1, _))) ==
              make_array(100, 104, 108, 112));

TEST(layout, load_traits_count_instructions) {
    using coord = tuple<underscore, int, int, underscore>;
    using u = layout<tuple<number<3>, number<16>, number<4>, number<8>>,
                     tuple<int, int, number<8>, number<1>>, coord>;
    static_assert(layout_load_traits<u, 8>::r_elem.value == 3);
    using traits = layout_load_traits<u, 4>;
    static_assert(
        is_same_v<remove_cv_t<decltype(traits::issue_space)>, tuple<number<3>, number<8>>>);
    static_assert(
        is_same_v<remove_cv_t<decltype(traits::issue_space_vec)>, tuple<number<3>, number<2>>>);
    static_assert(layout_load_traits<u, 2>::r_elem.value == 12);
    static_assert(is_same_v<decltype(layout_to_issue_space<u>()), tuple<number<3>, number<8>>>);
    static_assert(
        is_same_v<decltype(layout_to_vectorized_issue_space<4, u>()), tuple<number<3>, number<2>>>);
    // One place is one access of any width, also where there is no dimension at all.
    using place = layout<tuple<number<3>>, tuple<number<8>>, tuple<int>>;
    using no_dims = layout<tuple<>, tuple<>, tuple<>>;
    static_assert(is_same_v<decltype(layout_to_vectorized_issue_space<4, place>()), tuple<>>);
    static_assert(is_same_v<decltype(layout_to_vectorized_issue_space<4, no_dims>()), tuple<>>);
    static_assert(is_same_v<decltype(vectorize_issue_space(make_tuple(3_I, 8_I), 4_I)),
                            tuple<number<3>, number<2>>>);
    using no_coord = layout<tuple<number<3>, int>, tuple<int, int>>;
    static_assert(
        is_same_v<decltype(layout_to_issue_space<no_coord>()), tuple<number<1>, number<1>>>);
    static_assert(layout_load_traits<no_coord, 4>::r_elem.value == 1);
    EXPECT_EQ(layout_to_offsets<4>(make_layout(3, 4) + 17)[0], 17);
    using static_strides =
        layout<tuple<number<2>, number<16>, number<8>>, tuple<number<128>, int, number<1>>,
               tuple<underscore, int, underscore>>;
    static_assert(layout_imm_offsets_v<static_strides, 4> == make_array(0, 4, 128, 132));
}

// -- p, y and x -----------------------------------------------------------------------------------

struct some_tile_adaptor {
    OPUS_H_D constexpr auto shape() { return opus::make_tuple(3_I, 16_I, 4_I, 8_I); }
    OPUS_H_D constexpr auto dim() {
        using namespace opus;
        return tuple<tuple<y_dim, p_dim>, tuple<p_dim, y_dim>>{};
    }
};

template <typename S, typename C>
OPUS_H_D constexpr auto partition_layout(some_tile_adaptor&& a, S&& x_stride, C&& p_coord) {
    return opus::make_layout(a.shape(), opus::unfold_x_stride(a.dim(), a.shape(), x_stride),
                             opus::unfold_p_coord(a.dim(), p_coord));
}

// The README's 48x32 tensor over 64 threads: element (row, column) belongs to the thread of row
// % 16 and column / 8, which holds it at y = (row / 16, column % 8).
TEST(layout, adaptor_of_the_readme) {
    const int row_stride = 50;
    for (int thread = 0; thread < 64; thread++) {
        const auto u = partition_layout(some_tile_adaptor{}, make_tuple(row_stride, 1_I),
                                        make_tuple(thread / 4_I, thread % 4_I));
        for (int y0 = 0; y0 < 3; y0++) {
            for (int y1 = 0; y1 < 8; y1++) {
                const int row = y0 * 16 + thread / 4;
                const int column = thread % 4 * 8 + y1;
                ASSERT_EQ(u(y0, y1), row * row_stride + column) << thread << ' ' << y0 << ' ' << y1;
            }
        }
        EXPECT_EQ(laws::first_wrong_issue<8>(u), -1);
    }
    const auto general = partition_layout<-1>(make_layout(make_tuple(48, 32), make_tuple(50, 1_I)),
                                              some_tile_adaptor{}.dim(),
                                              some_tile_adaptor{}.shape(), make_tuple(7, 2));
    EXPECT_EQ(general(1, 3), (16 + 7) * 50 + 2 * 8 + 3);
}

// A part of a tensor begins where the layout of the tensor was moved or shifted to.
TEST(layout, a_part_of_a_moved_tensor) {
    const auto dims = some_tile_adaptor{}.dim();
    const auto shape = some_tile_adaptor{}.shape();
    const auto coord = make_tuple(7, 2);
    const int at = 7 * 50 + 2 * 8;
    auto x = make_layout(make_tuple(48, 32), make_tuple(50, 1_I));
    x += 1000;
    EXPECT_EQ(partition_layout(x, dims, shape, coord)(1, 3), 1000 + at + 16 * 50 + 3);
    static_assert(kind_v<decltype(partition_layout(x, dims, shape, coord))> == 0);
    static_assert(kind_v<decltype(partition_layout<8>(x, dims, shape, coord))> == 8);
    EXPECT_EQ(partition_layout<-1>(x, dims, shape, coord)(1, 3), 1000 + at + 16 * 50 + 3);
    EXPECT_EQ(partition_layout<8>(x, dims, shape, coord)(1, 0), 1000 + at + 16 * 50);
    const auto shifted = partition_layout(x + 64_I, dims, shape, coord);
    EXPECT_EQ(shifted(0, 0), 1064 + at);
    static_assert(layout_shift_traits<decltype(shifted)>::value == 64);
    const auto plain = make_layout<-1>(make_tuple(48, 32), make_tuple(50, 1_I));
    EXPECT_EQ(partition_layout<-1>(plain + 64_I, dims, shape, coord)(0, 1), 64 + at + 1);
    const auto cached = make_layout<4>(make_tuple(48, 32), make_tuple(50, 1_I)) + 5;
    EXPECT_EQ(partition_layout(cached, dims, shape, coord)(0, 1), 5 + at + 1);
}

// What does not fit 32 bits wraps, also where the compiler checks for overflow: in constants.
constexpr int wrapped(long long x) {
    return static_cast<int>(static_cast<unsigned>(x));
}
constexpr int big = 0x60000000;
constexpr auto far_rows = make_layout<-1>(make_tuple(8_I, 4_I), make_tuple(big, 1_I));
static_assert(far_rows(3, 2) == wrapped(3ll * big + 2));
static_assert(embed(make_tuple(big, big), make_tuple(7, 3_I)) == wrapped(10ll * big));
static_assert(embed(make_tuple(1ll << 62, 5), make_tuple(2, 1)) ==
              static_cast<long long>((1ull << 63) + 5));
constexpr auto moved(int n) {
    auto u = make_layout(make_tuple(8_I, 4_I), make_tuple(big, 1_I));
    u += n;
    u += n;
    return u + 4_I;
}
static_assert(moved(big).linear_offset == wrapped(2ll * big));
static_assert(moved(big)(3, 2) == wrapped(5ll * big + 6));
static_assert(moved(0x3ffffffe)(0, 0) == wrapped(0x80000000));
template <int cached_vec>
constexpr auto far_issues(int n) {
    auto u = make_layout<cached_vec>(make_tuple(8_I, 4_I, 2_I), make_tuple(big, 1_I, big),
                                     make_tuple(_, _, 1));
    u += n;
    return layout_to_offsets<2>(u + 1_I);
}
template <int cached_vec>
constexpr bool far_issues_wrap() {
    const auto offsets = far_issues<cached_vec>(big);
    for (int i = 0; i < 16; i++) {
        if (offsets[i] != wrapped((i / 2 + 2ll) * big + i % 2 * 2 + 1)) {
            return false;
        }
    }
    return offsets.size() == 16;
}
static_assert(far_issues_wrap<0>() && far_issues_wrap<2>() && far_issues_wrap<4>());
constexpr int far_cached(int n) {
    auto u = make_layout<2>(make_tuple(8_I), make_tuple(big));
    u += n;
    return u(3);
}
static_assert(far_cached(big) == wrapped(4ll * big));
static_assert(
    layout_imm_offsets_v<layout<tuple<number<8>>, tuple<number<big>>, tuple<underscore>>, 2>[3] ==
    wrapped(6ll * big));

using shifted_by_12 = decltype(make_layout(4_I, 8_I) + 12_I);
static_assert(layout_shift_traits<const shifted_by_12>::value == 12 &&
              layout_shift_traits<const shifted_by_12&>::value == 12 &&
              is_same_v<layout_shift_traits<const shifted_by_12&>::base,
                        layout_shift_traits<shifted_by_12>::base>);

// Any constants are as good as numbers.
using constants =
    decltype(make_layout<-1>(std::integral_constant<long, 4>{}, std::integral_constant<int, 8>{}));
static_assert(is_same_v<constants::Stride, tuple<number<8>, number<1>>>);
static_assert(is_same_v<decltype(constants{}(1_I, 2_I)), number<10>>);

using readme_dims = tuple<tuple<y_dim, p_dim>, tuple<p_dim, y_dim>>;
// Integers as strides are signed: what is unsigned or small counts as an int, 64 bits as long long.
template <class Extent>
constexpr Extent extent_16{};
template <>
constexpr int extent_16<int> = 16;
template <class Extent, class Row>
using unfolded_by = decltype(unfold_x_stride(
    readme_dims{},
    opus::tuple<number<3>, Extent, number<4>, number<8>>(3_I, extent_16<Extent>, 4_I, 8_I),
    opus::tuple<Row, number<1>>(static_cast<Row>(50), 1_I)));
template <class Extent>
constexpr bool unfolded_strides_are_signed =
    is_same_v<unfolded_by<Extent, unsigned>, tuple<int, int, number<8>, number<1>>> &&
    is_same_v<unfolded_by<Extent, unsigned char>, tuple<int, int, number<8>, number<1>>> &&
    is_same_v<tuple_element_t<0, unfolded_by<Extent, unsigned long>>, long long> &&
    is_same_v<tuple_element_t<0, unfolded_by<Extent, unsigned long long>>, long long>;
static_assert(unfolded_strides_are_signed<number<16>> && unfolded_strides_are_signed<int>);
static_assert(is_same_v<decltype(unfold_x_stride(readme_dims{}, make_tuple(3_I, 16_I, 4_I, 8_I),
                                                 make_tuple(50_I, 1_I))),
                        tuple<number<800>, number<50>, number<8>, number<1>>>);
static_assert(is_same_v<decltype(unfold_x_stride(readme_dims{}, make_tuple(3_I, 16, 4_I, 8_I),
                                                 make_tuple(50, 1_I))),
                        tuple<int, int, number<8>, number<1>>>);
static_assert(is_same_v<decltype(unfold_p_coord(readme_dims{}, make_tuple(7, 2_I))),
                        tuple<underscore, int, number<2>, underscore>>);
static_assert(
    is_same_v<decltype(pickup_shape(make_tuple(3_I, 16, 4_I, 8_I), readme_dims{}, y_dim{})),
              tuple<number<3>, number<8>>>);
static_assert(
    is_same_v<decltype(pickup_shape(make_tuple(3_I, 16, 4_I, 8_I), readme_dims{}, p_dim{})),
              tuple<int, number<4>>>);
static_assert(is_same_v<decltype(unflatten_shape(make_tuple(3_I, 16, 4_I, 8_I), readme_dims{})),
                        tuple<tuple<number<3>, int>, tuple<number<4>, number<8>>>>);

// -- swizzles -------------------------------------------------------------------------------------

// The definition, bit by bit.
constexpr long long swizzled(long long x, int bits, int base, int shift) {
    long long result = x;
    for (int bit = 0; bit < bits; bit++) {
        const int from = base + bit + (shift > 0 ? shift : 0);
        const int to = base + bit - (shift < 0 ? shift : 0);
        result ^= (x >> from & 1) << to;
    }
    return result;
}
static_assert(swizzled(128 + 8 * 5 + 3, 3, 3, 4) == 128 + 8 * (5 ^ 1) + 3);
static_assert(swizzled(64 + 8 * 1, 2, 3, -3) == (64 ^ 64) + 8);

template <index_t Bits, index_t Base, index_t Shift>
void check_swizzle() {
    constexpr swizzle<Bits, Base, Shift> s{};
    SCOPED_TRACE(testing::Message() << Bits << ", " << Base << ", " << Shift);
    for (index_t x = 0; x < 5000; x++) {
        ASSERT_EQ(s(x), swizzled(x, Bits, Base, Shift)) << x;
        ASSERT_EQ(s(s(x)), x);
        ASSERT_EQ(s(x + s.period), s(x) + s.period) << x;
        ASSERT_EQ(s(x) & ~s.changed, x & ~s.changed) << x;
    }
    for (const index_t x : {-1, -4096 + 77, 0x7ffffff1, static_cast<index_t>(0x80000123)}) {
        ASSERT_EQ(s(x), static_cast<index_t>(swizzled(x, Bits, Base, Shift))) << x;
    }
    ASSERT_EQ(s(0x712345679ll), swizzled(0x712345679ll, Bits, Base, Shift));
}
TEST(swizzle, is_what_its_definition_says) {
    check_swizzle<3, 3, 4>();
    check_swizzle<2, 3, 3>();
    check_swizzle<1, 0, 1>();
    check_swizzle<3, 2, 3>();
    check_swizzle<2, 4, 5>();
    check_swizzle<4, 0, 5>();
    check_swizzle<2, 3, -3>();
    check_swizzle<3, 1, -3>();
    check_swizzle<0, 3, 4>();
    check_swizzle<0, 0, 0>();
}
static_assert(is_same_v<decltype(swizzle<3, 3, 4>{}(168_I)), number<160>>);
static_assert(is_same_v<decltype(swizzle<3, 3, 4>{}(5u)), index_t>);
static_assert(is_same_v<decltype(swizzle<3, 3, 4>{}(5ll)), long_index_t>);

using rows_of_64 = decltype(make_layout<-1>(16_I, 64_I));
using swizzled_rows = decltype(composition(swizzle<3, 3, 4>{}, rows_of_64{}));
static_assert(is_layout_v<swizzled_rows> && is_layout_v<const swizzled_rows&> &&
              __is_empty(swizzled_rows));
static_assert(is_same_v<swizzled_rows, layout_swizzled<rows_of_64, swizzle<3, 3, 4>>>);
static_assert(is_same_v<decltype(composition(swizzle<3, 3, 4>{}, rows_of_64{})(2_I, 40_I)),
                        number<static_cast<index_t>(swizzled(168, 3, 3, 4))>>);
// No bits: the layout as it is.
static_assert(is_same_v<decltype(composition(swizzle<0, 3, 4>{}, rows_of_64{})), rows_of_64>);

// All elements of a layout of three dimensions against s(u(i, j, k)), with plain the offsets.
template <class Layout, class Plain>
void check_elements(const Layout& u, int e0, int e1, int e2, const Plain& plain) {
    for (int i = 0; i < e0; i++) {
        for (int j = 0; j < e1; j++) {
            for (int k = 0; k < e2; k++) {
                const long long expected = swizzled(plain(i, j, k), 3, 3, 4);
                ASSERT_EQ(u(i, j, k), expected) << i << ", " << j << ", " << k;
                ASSERT_EQ(u(make_tuple(i, j, k)), expected) << i << ", " << j << ", " << k;
                ASSERT_EQ(coord_to_linear(u, make_tuple(i, j, k)), expected);
            }
        }
    }
}

TEST(swizzle, of_layouts_is_that_of_each_offset) {
    constexpr swizzle<3, 3, 4> s{};
    const int n = 72;
    const auto plain = [](int first) {
        return [=](int i, int j, int k) { return first + i * 500 + j * 64 + k; };
    };
    const auto strided = [=](int i, int j, int k) { return i * 500 + j * n + k; };
    const auto shape = make_tuple(3_I, 5_I, 40_I);
    const auto stride = make_tuple(500_I, 64_I, 1_I);
    check_elements(composition(s, make_layout<-1>(shape, stride)), 3, 5, 40, plain(0));
    check_elements(composition(s, make_layout(shape, stride)), 3, 5, 40, plain(0));
    check_elements(composition(s, make_layout(make_tuple(3, 5, 40), make_tuple(500, n, 1))), 3, 5,
                   40, strided);
    check_elements(composition(s, make_layout<1>(shape, stride, make_tuple(_, _, _))), 3, 5, 40,
                   plain(0));
    // The others of the coordinate are fixed.
    check_elements(
        composition(s, make_layout(make_tuple(3_I, 2_I, 5_I, 40_I),
                                   make_tuple(500_I, 9_I, 64_I, 1_I), make_tuple(_, 1, _, _))),
        3, 5, 40, plain(9));
}

// What moves or shifts a layout does so before the swizzle, whether it comes before the composition
// or after it.
TEST(swizzle, stands_behind_all_moves_and_shifts) {
    constexpr swizzle<3, 3, 4> s{};
    const auto shape = make_tuple(3_I, 5_I, 40_I);
    const auto stride = make_tuple(500_I, 64_I, 1_I);
    const auto plain = [](int first) {
        return [=](int i, int j, int k) { return first + i * 500 + j * 64 + k; };
    };
    const auto u = make_layout(shape, stride);
    check_elements(composition(s, u + 136), 3, 5, 40, plain(136));
    check_elements(composition(s, u) + 136, 3, 5, 40, plain(136));
    check_elements(composition(s, u + 136_I), 3, 5, 40, plain(136));
    check_elements(composition(s, u) + 136_I, 3, 5, 40, plain(136));
    check_elements(composition(s, u + 100_I) + 29_I + 7, 3, 5, 40, plain(136));
    check_elements(composition(s, make_layout<-1>(shape, stride)) + 136_I, 3, 5, 40, plain(136));
    auto moved = composition(s, u);
    moved += 100;
    moved.inc(36);
    check_elements(moved, 3, 5, 40, plain(136));
    auto shifted = moved + 8_I;
    shifted += 56;
    check_elements(shifted, 3, 5, 40, plain(200));
    static_assert(layout_shift_traits<decltype(shifted)>::value == 8);
    auto cached = composition(s, make_layout<1>(shape, stride, make_tuple(_, _, _)) + 6_I) + 2_I;
    cached += 128;
    check_elements(cached, 3, 5, 40, plain(136));
}

// The first elements of the accesses, in the order of the issue space.
template <index_t vec, class Layout, class Plain>
void check_offsets(const Layout& u, int e0, int e1, const Plain& plain) {
    const auto offsets = layout_to_offsets<vec>(u);
    ASSERT_EQ(static_cast<int>(size(offsets)), e0 * e1 / vec);
    for (int i = 0; i < e0; i++) {
        for (int j = 0; j < e1; j += vec) {
            ASSERT_EQ(offsets[(i * e1 + j) / vec], swizzled(plain(i, j), 3, 3, 4))
                << i << ", " << j;
        }
    }
}
TEST(swizzle, of_the_accesses) {
    constexpr swizzle<3, 3, 4> s{};
    const int lane = 37;
    const auto shape = make_tuple(4_I, 16_I, 2_I, 4_I, 16_I);
    const auto stride = make_tuple(1024_I, 64_I, 512_I, 16_I, 1_I);
    const auto coord = make_tuple(_, lane % 16, 1_I, lane / 16, _);
    const auto plain = [=](int i, int j) {
        return i * 1024 + lane % 16 * 64 + 512 + lane / 16 * 16 + j;
    };
    const auto u = composition(s, make_layout(shape, stride, coord));
    check_offsets<8>(u, 4, 16, plain);
    check_offsets<2>(u, 4, 16, plain);
    check_offsets<1>(u, 4, 16, plain);
    check_offsets<4>(composition(s, make_layout<4>(shape, stride, coord)), 4, 16, plain);
    check_offsets<2>(composition(s, make_layout<4>(shape, stride, coord)), 4, 16, plain);
    const auto further = [=](int i, int j) { return plain(i, j) + 24; };
    check_offsets<8>(u + 24, 4, 16, further);
    check_offsets<8>(u + 24_I, 4, 16, further);
    check_offsets<8>(composition(s, make_layout<8>(shape, stride, coord) + 16_I) + 8, 4, 16,
                     further);
    using traits = layout_load_traits<decltype(u), 8>;
    static_assert(traits::r_elem == 8);
}

TEST(swizzle, of_a_tensor_is_that_of_its_parts) {
    constexpr swizzle<3, 3, 4> s{};
    constexpr auto dims = make_tuple(make_tuple(y_dim{}, p_dim{}), make_tuple(p_dim{}, y_dim{}));
    constexpr auto shape = make_tuple(3_I, 16_I, 4_I, 16_I);
    for (int lane = 0; lane < 64; lane++) {
        const auto coord = make_tuple(lane / 4, lane % 4);
        const auto plain = [=](int first) {
            return
                [=](int i, int j) { return first + (i * 16 + lane / 4) * 64 + lane % 4 * 16 + j; };
        };
        const auto whole = make_layout(48_I, 64_I);
        check_offsets<8>(partition_layout(composition(s, whole), dims, shape, coord), 3, 16,
                         plain(0));
        check_offsets<8>(composition(s, partition_layout(whole, dims, shape, coord)), 3, 16,
                         plain(0));
        check_offsets<8>(partition_layout(composition(s, whole + 200) + 16_I, dims, shape, coord),
                         3, 16, plain(216));
        check_offsets<8>(partition_layout<8>(composition(s, whole + 72_I), dims, shape, coord), 3,
                         16, plain(72));
        check_offsets<4>(
            partition_layout<-1>(composition(s, make_layout<-1>(48_I, 64_I)), dims, shape, coord),
            3, 16, plain(0));
    }
}

}  // namespace
