// expect: opus::slice: the range is empty
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

auto f(fp32x4_t x) {
    return slice(x, 2_I, 2_I);
}
