// expect: opus::cast: fp8_ocp and fp8_fnuz are formats of fp8
#include "opus/opus.hpp"

using namespace opus;

auto x = cast<fp8_t>(1.0f, bf8_fnuz{});
