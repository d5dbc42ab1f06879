// expect: opus::slice: run-time bounds need a vector or an array
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

auto f(int i) {
    return slice<2>(make_tuple(1, 2, 3, 4), i, i + 2);
}
