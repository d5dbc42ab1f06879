// expect: opus::set_slice: the range reaches beyond the destination
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

void f(fp32x4_t& v) {
    set_slice(v, fp32x2_t{}, 3_I, 5_I);
}
