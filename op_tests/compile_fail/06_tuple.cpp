#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

// == concat_tuple_of_a_scalar
// expect: opus::concat_tuple: takes tuples
namespace concat_tuple_of_a_scalar {
auto f() {
    return concat_tuple(make_tuple(1, 2), 3);
}
}  // namespace concat_tuple_of_a_scalar

// == embed_nested_sizes
// expect: opus::embed_nested_tuple: the two tuples must have the same size
namespace embed_nested_sizes {
auto x = embed_nested_tuple(opus::make_tuple(opus::make_tuple(1), opus::make_tuple(2)),
                            opus::make_tuple(opus::make_tuple(3)));
}  // namespace embed_nested_sizes

// == embed_sizes
// expect: opus::embed: the two tuples must have the same size
namespace embed_sizes {
auto x = embed(opus::make_tuple(1, 2), opus::make_tuple(1));
}  // namespace embed_sizes

// == embed_underscore
// expect: opus::embed: an underscore has no value
namespace embed_underscore {
auto x = embed(make_tuple(_, 1), make_tuple(8, 1));
}  // namespace embed_underscore

// == embed_underscore_behind
// expect: opus::embed: an underscore has no value
namespace embed_underscore_behind {
auto x = embed(make_tuple(8, 1), make_tuple(1, _));
}  // namespace embed_underscore_behind

// == merge_peepholed_count
// expect: opus::merge_peepholed_tuple: as many values as underscores
namespace merge_peepholed_count {
auto x = merge_peepholed_tuple(opus::make_tuple(_, 1), opus::make_tuple(1, 2));
}  // namespace merge_peepholed_count

// == pickup_shape_count
// expect: opus::pickup_shape: the shape must have an extent for each dim
namespace pickup_shape_count {
auto x = pickup_shape(opus::make_tuple(1), tuple<tuple<y_dim, p_dim>>{}, y_dim{});
}  // namespace pickup_shape_count

// == tuple_count_of_a_scalar
// expect: opus::tuple_count: takes a tuple
namespace tuple_count_of_a_scalar {
int f() {
    return tuple_count<int, int>();
}
}  // namespace tuple_count_of_a_scalar

// == tuple_element
// expect: opus::tuple: index out of range
namespace tuple_element {
opus::tuple_element_t<2, opus::tuple<int, float>> x;
}  // namespace tuple_element

// == tuple_get_const
// expect: opus::tuple: index out of range
// lines: 16 the one error alone
namespace tuple_get_const {
void f(const opus::tuple<int, float>& t) {
    opus::get<2>(t);
}
}  // namespace tuple_get_const

// == tuple_get_lvalue
// expect: opus::tuple: index out of range
namespace tuple_get_lvalue {
void f(opus::tuple<int, float>& t) {
    opus::get<2>(t) = 1;
}
}  // namespace tuple_get_lvalue

// == tuple_get_rvalue
// expect: opus::tuple: index out of range
namespace tuple_get_rvalue {
auto x = get<2>(make_tuple(1, 2_I));
}  // namespace tuple_get_rvalue

// == tuple_index
// expect: opus::tuple: index out of range
namespace tuple_index {
auto x = get<2>(opus::make_tuple(1, 2));
}  // namespace tuple_index
