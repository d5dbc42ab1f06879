// expect: opus::set_slice: the element types must be the same \(an integer may be set to a constant
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

// An element that is a number takes that number only.
void f(tuple<number<7>, int>& elements) {
    set_slice(elements, opus::make_tuple(7), 0_I, 1_I);
}
