// expect: opus::swizzle: Base . Bits . |Shift| must be less than 31, the bits of an offset
#include "opus/opus.hpp"

using namespace opus;

auto x = swizzle<3, 14, -14>{}(8);
