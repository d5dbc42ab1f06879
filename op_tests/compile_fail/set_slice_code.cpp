// expect: opus::set_slice: the element types must be the same \(an integer may be set to a constant
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

// An integer to the compiler, but a code: 7 is not the value 7.
void f(array<fp8_t, 2>& elements) {
    set_slice(elements, opus::make_tuple(7_I), 0_I, 1_I);
}
