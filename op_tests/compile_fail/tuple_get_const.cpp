// expect: opus::tuple: index out of range
// lines: 16 the one error alone
#include "opus/opus.hpp"

using namespace opus;

void f(const opus::tuple<int, float>& t) {
    opus::get<2>(t);
}
