// expect: opus::array: index out of range
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

void f(array<int, 2>& a) {
    a[2_I] = 1;
}
