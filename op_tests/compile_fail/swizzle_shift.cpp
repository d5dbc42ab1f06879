// expect: opus::swizzle: Bits and Base are not negative, and Shift is at least Bits or at most -Bits
#include "opus/opus.hpp"

using namespace opus;

auto x = swizzle<3, 3, 2>{}(8);
