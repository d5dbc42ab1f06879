// expect: opus::set_slice: the element types must be the same \(an integer may be set to a constant
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

// No u64_t is -7; its bits are those of an i64_t that is.
void f(array<u64_t, 2>& elements) {
    set_slice(elements, opus::make_tuple(number<-7>{}), 0_I, 1_I);
}
