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
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

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
