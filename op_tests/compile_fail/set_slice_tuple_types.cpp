// expect: opus::set_slice: the element types must be the same
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

void f(tuple<int, float>& t) {
    set_slice(t, opus::make_tuple(2.7, 3), 2_I);
}
