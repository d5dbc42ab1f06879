// expect: opus::set_slice: the element types must be the same
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

void f(fp32x4_t& v) {
    set_slice(v, i32x2_t{}, 2_I);
}
