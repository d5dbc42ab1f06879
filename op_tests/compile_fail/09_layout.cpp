#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

// == conditions_of_layouts
// expect: is_tuple_v<int>'.*opus::layout: shape and stride must be
// expect: is_tuple_v<short>'.*opus::layout: shape and stride must be
// expect: sizeof....Extents. > 0'.*opus::vectorize_issue_space: the space is empty
namespace conditions_of_layouts {
auto a = layout<int, tuple<int>>(1, make_tuple(1));
auto b = layout<tuple<int>, short>(make_tuple(1), 1);
auto c = vectorize_issue_space(tuple<>{}, 2_I);
}  // namespace conditions_of_layouts

// == issue_space_of_no_layout
// expect: opus::layout_to_issue_space: takes a layout
namespace issue_space_of_no_layout {
auto x = layout_to_issue_space<tuple<int>>();
}  // namespace issue_space_of_no_layout

// == issue_space_run_time
// expect: opus::layout_to_issue_space: the extents of the y-dims must be numbers
namespace issue_space_run_time {
auto x = layout_to_offsets<1>(
    make_layout(opus::make_tuple(4), opus::make_tuple(1), opus::make_tuple(_)));
}  // namespace issue_space_run_time

// == issue_space_vector
// expect: opus::vectorize_issue_space: the last y-dim must be a multiple of the vector
namespace issue_space_vector {
auto x = vectorize_issue_space(opus::make_tuple(2_I, 6_I), 4_I);
}  // namespace issue_space_vector

// == layout_cached_index_count
// expect: opus::layout: one index for each dimension
namespace layout_cached_index_count {
auto x = make_layout<1>(opus::make_tuple(6_I), opus::make_tuple(1_I), opus::make_tuple(_))(1, 2);
}  // namespace layout_cached_index_count

// == layout_cached_vector
// expect: opus::vectorize_issue_space: the last y-dim must be a multiple of the vector
namespace layout_cached_vector {
auto x = make_layout<4>(opus::make_tuple(6_I), opus::make_tuple(1_I), opus::make_tuple(_));
}  // namespace layout_cached_vector

// == layout_cached_vector_of_none
// expect: opus::layout_cached: the vector must have at least one element
namespace layout_cached_vector_of_none {
layout_cached<0, tuple<number<2>>, tuple<number<1>>, tuple<underscore>> u(make_tuple(2_I),
                                                                          make_tuple(1_I),
                                                                          make_tuple(_));
}  // namespace layout_cached_vector_of_none

// == layout_coord_size
// expect: opus::layout: shape and coordinate must have the same number of entries
namespace layout_coord_size {
auto x = make_layout(opus::make_tuple(4, 8), opus::make_tuple(8, 1), opus::make_tuple(_));
}  // namespace layout_coord_size

// == layout_imm_offsets_stride
// expect: opus::layout_imm_offsets_v: the strides of the y-dims must be numbers
namespace layout_imm_offsets_stride {
auto x = layout_imm_offsets_v<layout<tuple<number<4>>, tuple<int>, tuple<underscore>>, 1>;
}  // namespace layout_imm_offsets_stride

// == layout_index_count
// expect: opus::layout: one index for each dimension
namespace layout_index_count {
auto x = make_layout(4, 8)(1);
}  // namespace layout_index_count

// == layout_index_underscore
// expect: opus::layout: an index must be an integer or a number
namespace layout_index_underscore {
auto x = make_layout(4, 8)(1, _);
}  // namespace layout_index_underscore

// == layout_no_coord
// expect: opus::layout: this layout has no coordinate
namespace layout_no_coord {
auto x = make_layout(4, 8).coord();
}  // namespace layout_no_coord

// == layout_not_tuples
// expect: is_tuple_v<int>.*opus::layout: shape and stride must be tuples
// expect: is_tuple_v<float>.*opus::layout: shape and stride must be tuples
namespace layout_not_tuples {
layout<int, tuple<number<1>>> x;
layout<tuple<number<4>>, float> y;
}  // namespace layout_not_tuples

// == layout_sizes
// expect: opus::layout: shape and stride must have the same number of entries
namespace layout_sizes {
auto x = make_layout(opus::make_tuple(4, 8), opus::make_tuple(1));
}  // namespace layout_sizes

// == swizzle_base
// expect: opus::swizzle: Bits and Base are not negative, and Shift is at least Bits or at most -Bits
namespace swizzle_base {
auto x = swizzle<3, -1, 3>{}(8);
}  // namespace swizzle_base

// == swizzle_imm_offsets
// expect: opus::layout_imm_offsets_v: between the accesses of a swizzled layout there are no constant distances
namespace swizzle_imm_offsets {
auto u = composition(swizzle<3, 3, 4>{},
                     make_layout(make_tuple(16_I, 64_I), make_tuple(64_I, 1_I), make_tuple(_, _)));
auto x = layout_imm_offsets_v<decltype(u + 8_I), 8>;
}  // namespace swizzle_imm_offsets

// == swizzle_of_31_bits
// expect: opus::swizzle: Base . Bits . |Shift| must be less than 31, the bits of an offset
namespace swizzle_of_31_bits {
auto x = swizzle<3, 14, -14>{}(8);
}  // namespace swizzle_of_31_bits

// == swizzle_offsets_of_torn_vectors
// expect: opus::swizzle: it would tear apart the vec elements of an access
namespace swizzle_offsets_of_torn_vectors {
auto u = composition(swizzle<3, 2, 4>{},
                     make_layout(make_tuple(16_I, 64_I), make_tuple(64_I, 1_I), make_tuple(_, _)));
auto x = layout_to_offsets<8>(u);
}  // namespace swizzle_offsets_of_torn_vectors

// == swizzle_shift
// expect: opus::swizzle: Bits and Base are not negative, and Shift is at least Bits or at most -Bits
namespace swizzle_shift {
auto x = swizzle<3, 3, 2>{}(8);
}  // namespace swizzle_shift

// == swizzle_twice
// expect: opus::composition: the layout has a swizzle already
namespace swizzle_twice {
constexpr swizzle<3, 3, 4> s{};
auto x = composition(s, composition(s, make_layout(16_I, 64_I)) + 8_I);
}  // namespace swizzle_twice

// == unflatten_shape_count
// expect: opus::unflatten_shape: the shape must have an extent for each dim
namespace unflatten_shape_count {
auto x = unflatten_shape(opus::make_tuple(1), tuple<tuple<y_dim, p_dim>>{});
}  // namespace unflatten_shape_count

// == vectorize_empty_space
// expect: opus::vectorize_issue_space: the space is empty
namespace vectorize_empty_space {
auto x = vectorize_issue_space(tuple<>{}, 4_I);
}  // namespace vectorize_empty_space
