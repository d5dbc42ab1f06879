// expect: opus::array: index out of range
#include "opus/opus.hpp"

using namespace opus;

int f(const array<int, 2>& a) {
    return opus::get<2>(a);
}
