#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

// == conditions_of_slices
// expect: is_constant_v<short>'.*opus::slice: the bounds must be constants
// expect: is_constant_v<int>'.*opus::slice: the bounds must be constants
// expect: is_constant_v<long>'.*opus::slice: the bounds must be constants
// expect: -1>::value >= 0'.*opus::slice: the range reaches beyond the
// expect: 5>::value <= size<.*'.*opus::slice: the range reaches beyond the
// expect: 0 > 0'.*opus::slice: len must be from 1
// expect: 5 <= size<.*'.*opus::slice: len must be from 1
// expect: is_constant_v<short>'.*opus::set_slice: the bounds must be constants
// expect: is_constant_v<int>'.*opus::set_slice: the bounds must be constants
// expect: is_constant_v<long>'.*opus::set_slice: the bounds must be constants
// expect: -2>::value >= 0'.*opus::set_slice: the range reaches beyond the
// expect: is_container_v<int>'.*opus::set_slice: takes a vector, an array
namespace conditions_of_slices {
void f(fp32x4_t& x, short i, int j, long k) {
    slice(x, i, 2_I);
    slice(x, 0_I, j);
    slice(x, 0_I, 2_I, k);
    slice(x, number<-1>{}, 1_I);
    slice(x, 3_I, 5_I);
    slice<0>(x, j, j);
    slice<5>(x, j, j + 5);
    set_slice(x, fp32x2_t{}, i, 2_I);
    set_slice(x, fp32x2_t{}, 0_I, j);
    set_slice(x, fp32x2_t{}, 0_I, 2_I, k);
    set_slice(x, fp32x2_t{}, number<-2>{}, 0_I);
    set_slice(j, fp32x2_t{}, 0_I, 2_I);
}
}  // namespace conditions_of_slices

// == set_slice_below_zero
// expect: opus::set_slice: the element types must be the same \(an integer may be set to a constant
namespace set_slice_below_zero {
// No u32_t is -7.
void f(array<u32_t, 2>& elements) {
    set_slice(elements, opus::make_tuple(number<-7>{}), 0_I, 1_I);
}
}  // namespace set_slice_below_zero

// == set_slice_below_zero_wide
// expect: opus::set_slice: the element types must be the same \(an integer may be set to a constant
namespace set_slice_below_zero_wide {
// No u64_t is -7; its bits are those of an i64_t that is.
void f(array<u64_t, 2>& elements) {
    set_slice(elements, opus::make_tuple(number<-7>{}), 0_I, 1_I);
}
}  // namespace set_slice_below_zero_wide

// == set_slice_code
// expect: opus::set_slice: the element types must be the same \(an integer may be set to a constant
namespace set_slice_code {
// An integer to the compiler, but a code: 7 is not the value 7.
void f(array<fp8_t, 2>& elements) {
    set_slice(elements, opus::make_tuple(7_I), 0_I, 1_I);
}
}  // namespace set_slice_code

// == set_slice_float
// expect: opus::set_slice: the element types must be the same \(an integer may be set to a constant
namespace set_slice_float {
// A constant is an integer.
void f(array<float, 2>& elements) {
    set_slice(elements, opus::make_tuple(7_I), 0_I, 1_I);
}
}  // namespace set_slice_float

// == set_slice_length
// expect: opus::set_slice: the range and the source must have the same length
namespace set_slice_length {
void f(fp32x4_t& v) {
    set_slice(v, fp32x2_t{}, 3_I);
}
}  // namespace set_slice_length

// == set_slice_number
// expect: opus::set_slice: .* an element that is a number stays that number
namespace set_slice_number {
void f(tuple<number<1>, int>& t) {
    set_slice(t, opus::make_tuple(2_I, 3), 2_I);
}
}  // namespace set_slice_number

// == set_slice_number_by_int
// expect: opus::set_slice: the element types must be the same \(an integer may be set to a constant
namespace set_slice_number_by_int {
// An element that is a number takes that number only.
void f(tuple<number<7>, int>& elements) {
    set_slice(elements, opus::make_tuple(7), 0_I, 1_I);
}
}  // namespace set_slice_number_by_int

// == set_slice_range
// expect: opus::set_slice: the range reaches beyond the destination
namespace set_slice_range {
void f(fp32x4_t& v) {
    set_slice(v, fp32x2_t{}, 3_I, 5_I);
}
}  // namespace set_slice_range

// == set_slice_run_time_bound
// expect: opus::set_slice: the bounds must be constants such as 4_I
namespace set_slice_run_time_bound {
void f(fp32x4_t& v, int i) {
    set_slice(v, fp32x2_t{}, i, i + 2);
}
}  // namespace set_slice_run_time_bound

// == set_slice_scalar
// expect: opus::set_slice: takes a vector, an array or a tuple, also as the source
// lines: 16 the one error alone
namespace set_slice_scalar {
void f(fp32x4_t& v) {
    set_slice(v, 9.f, 1_I);
}
}  // namespace set_slice_scalar

// == set_slice_tuple_types
// expect: opus::set_slice: the element types must be the same
namespace set_slice_tuple_types {
void f(tuple<int, float>& t) {
    set_slice(t, opus::make_tuple(2.7, 3), 2_I);
}
}  // namespace set_slice_tuple_types

// == set_slice_types
// expect: opus::set_slice: the element types must be the same
namespace set_slice_types {
void f(fp32x4_t& v) {
    set_slice(v, i32x2_t{}, 2_I);
}
}  // namespace set_slice_types

// == slice_empty
// expect: opus::slice: the range is empty
namespace slice_empty {
auto f(fp32x4_t x) {
    return slice(x, 2_I, 2_I);
}
}  // namespace slice_empty

// == slice_of_seq
// expect: opus::slice: takes a vector, an array, a tuple or a scalar
namespace slice_of_seq {
auto x = slice(seq<1, 2, 3>{}, 1_I);
}  // namespace slice_of_seq

// == slice_range
// expect: opus::slice: the range reaches beyond the container
namespace slice_range {
auto x = slice(fp32x4_t{}, 5_I);
}  // namespace slice_range

// == slice_run_time_bound
// expect: opus::slice: the bounds must be constants
namespace slice_run_time_bound {
auto x = slice(fp32x4_t{}, 2);
}  // namespace slice_run_time_bound

// == slice_run_time_length
// expect: opus::slice: len must be from 1
namespace slice_run_time_length {
auto x = slice<5>(fp32x4_t{}, 0, 5);
}  // namespace slice_run_time_length

// == slice_run_time_mismatch
// expect: must be initialized by a constant expression
// compiler's: a constant expression traps
namespace slice_run_time_mismatch {
constexpr auto x = slice<2>(make_array(1, 2, 3), 0, 3);
}  // namespace slice_run_time_mismatch

// == slice_run_time_tuple
// expect: opus::slice: run-time bounds need a vector or an array
namespace slice_run_time_tuple {
auto f(int i) {
    return slice<2>(make_tuple(1, 2, 3, 4), i, i + 2);
}
}  // namespace slice_run_time_tuple
