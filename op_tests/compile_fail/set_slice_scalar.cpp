// expect: opus::set_slice: takes a vector, an array or a tuple, also as the source
// lines: 16 the one error alone
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

void f(fp32x4_t& v) {
    set_slice(v, 9.f, 1_I);
}
