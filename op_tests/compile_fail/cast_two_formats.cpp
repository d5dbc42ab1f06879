// expect: opus::cast: takes one scale
#include "opus/opus.hpp"

using namespace opus;

auto x = cast<fp8_t>(1.0f, fp8_fnuz{}, fp8_fnuz{}, 1.0f);
