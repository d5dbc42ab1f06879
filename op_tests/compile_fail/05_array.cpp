#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

// == array_get
// expect: opus::array: index out of range
namespace array_get {
void f(array<int, 2>& a) {
    opus::get<2>(a) = 1;
}
}  // namespace array_get

// == array_get_const
// expect: opus::array: index out of range
namespace array_get_const {
int f(const array<int, 2>& a) {
    return opus::get<2>(a);
}
}  // namespace array_get_const

// == array_get_rvalue
// expect: opus::array: index out of range
namespace array_get_rvalue {
auto x = get<2>(array<int, 2>{1, 2});
}  // namespace array_get_rvalue

// == array_index
// expect: opus::array: index out of range
namespace array_index {
int x = array<int, 2>{1, 2}[2_I];
}  // namespace array_index

// == array_index_const
// expect: opus::array: index out of range
namespace array_index_const {
int f(const array<int, 2>& a) {
    return a[2_I];
}
}  // namespace array_index_const

// == array_index_lvalue
// expect: opus::array: index out of range
namespace array_index_lvalue {
void f(array<int, 2>& a) {
    a[2_I] = 1;
}
}  // namespace array_index_lvalue

// == array_index_negative
// expect: opus::array: index out of range
namespace array_index_negative {
int f(const array<int, 2>& a) {
    return a[number<-1>{}];
}
}  // namespace array_index_negative

// == array_of_const_fp4
// expect: opus::array: const elements below a byte are not available
namespace array_of_const_fp4 {
opus::array<const opus::fp4_t, 8> a;
}  // namespace array_of_const_fp4

// == array_size
// expect: opus::array: the size must not be negative
namespace array_size {
array<int, -1> x;
}  // namespace array_size

// == array_too_many_values
// expect: opus::array: takes as many values as it has elements, or fewer
namespace array_too_many_values {
array<int, 2> x{1, 2, 3};
}  // namespace array_too_many_values

// == concat_array_of_a_scalar
// expect: opus::concat_array: takes arrays, at least one
namespace concat_array_of_a_scalar {
auto f(array<int, 2> a) {
    return concat_array(a, 3);
}
}  // namespace concat_array_of_a_scalar

// == concat_array_of_none
// expect: opus::concat_array: takes arrays, at least one
namespace concat_array_of_none {
auto a = opus::concat_array();
}  // namespace concat_array_of_none

// == concat_array_types
// expect: opus::concat_array: the element types must be the same
namespace concat_array_types {
auto f(array<int, 2> a, array<float, 2> b) {
    return concat_array(a, b);
}
}  // namespace concat_array_types

// == make_array_of_none
// expect: opus::make_array: at least one value is required
namespace make_array_of_none {
auto f() {
    return make_array();
}
}  // namespace make_array_of_none
