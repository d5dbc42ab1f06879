// expect: opus::cast: takes one scale \(a float\) or one rounding mode
#include "opus/opus.hpp"

auto a = opus::cast<opus::fp4_t>(1.0f, 1.0f, 2.0f);
