// expect: opus::tuple: index out of range
#include "opus/opus.hpp"

using namespace opus;

int f(const opus::tuple<int, float>& t) {
    return opus::get<2>(t);
}
