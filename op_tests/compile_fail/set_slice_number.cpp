// expect: opus::set_slice: .* an element that is a number stays that number
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

void f(tuple<number<1>, int>& t) {
    set_slice(t, opus::make_tuple(2_I, 3), 2_I);
}
