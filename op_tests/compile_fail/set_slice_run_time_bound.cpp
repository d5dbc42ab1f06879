// expect: opus::set_slice: the bounds must be constants such as 4_I
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

void f(fp32x4_t& v, int i) {
    set_slice(v, fp32x2_t{}, i, i + 2);
}
