#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

// == conditions_of_indices
// expect: -1 >= 0'.*opus::seq: index out of range
// expect: -2 >= 0'.*opus::array: index out of range
// expect: -3 >= 0'.*opus::array: index out of range
// expect: -4 >= 0'.*opus::array: index out of range
// expect: -5 >= 0'.*opus::tuple: index out of range
// expect: -6 >= 0'.*opus::tuple: index out of range
// expect: -7 >= 0'.*opus::vector: index out of range
// expect: 2 < 2'.*opus::vector: index out of range
// expect: -8 >= 0'.*opus::tuple: index out of range
// expect: 2 < .*'.*opus::tuple: index out of range
namespace conditions_of_indices {
void f(array<int, 2>& a, const array<int, 2>& b, tuple<int, int>& t, fp32x2_t v) {
    auto s = seq<1, 2>{}[number<-1>{}];
    a[number<-2>{}];
    b[number<-3>{}];
    array<int, 2>{}[number<-4>{}];
    opus::get<-5>(t);
    opus::get<-6>(static_cast<const tuple<int, int>&>(t));
    opus::get<-7>(v);
    opus::get<2>(v);
}
using below = tuple_element_t<-8, tuple<int, int>>;
using behind = tuple_element_t<2, tuple<int, int>>;
}  // namespace conditions_of_indices

// == static_for_step
// expect: opus::make_index_seq: the step must be positive
namespace static_for_step {
void f() {
    opus::static_for<4, 1, -1>([](auto) {});
}
}  // namespace static_for_step

// == static_ford_extent
// expect: opus::static_ford: extents must not be negative
namespace static_ford_extent {
void f() {
    static_ford<2, -1>([](auto, auto) {});
}
}  // namespace static_ford_extent
