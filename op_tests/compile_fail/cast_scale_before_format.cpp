// expect: opus::cast: one scale may follow, after the format
#include "opus/opus.hpp"

using namespace opus;

auto x = cast<fp8_t>(1.0f, 2.0f, fp8_fnuz{});
