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
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

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
