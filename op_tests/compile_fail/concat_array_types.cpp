// expect: opus::concat_array: the element types must be the same
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

auto f(array<int, 2> a, array<float, 2> b) {
    return concat_array(a, b);
}
