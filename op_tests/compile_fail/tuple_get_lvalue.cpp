// expect: opus::tuple: index out of range
#include "opus/opus.hpp"

using namespace opus;

void f(opus::tuple<int, float>& t) {
    opus::get<2>(t) = 1;
}
