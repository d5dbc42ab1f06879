#include <gtest/gtest.h>

#include "../laws/layout_laws.hpp"
#include "opus/opus.hpp"

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
    static_for<60>([&](auto seed) {
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

}  // namespace
