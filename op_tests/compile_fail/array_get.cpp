// expect: opus::array: index out of range
#include "opus/opus.hpp"

using namespace opus;

void f(array<int, 2>& a) {
    opus::get<2>(a) = 1;
}
