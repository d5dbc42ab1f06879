// expect: opus::cast: a scale is .*a rounding mode is a constant such as 0_I
#include "opus/opus.hpp"

auto a = opus::cast<opus::fp4_t>(1.0f, 0);
