// expect: opus::set_slice: the element types must be the same \(an integer may be set to a constant
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

// No u32_t is -7.
void f(array<u32_t, 2>& elements) {
    set_slice(elements, opus::make_tuple(number<-7>{}), 0_I, 1_I);
}
