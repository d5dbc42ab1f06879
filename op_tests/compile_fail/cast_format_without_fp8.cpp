// expect: opus::cast: fp8_ocp, fp8_fnuz, bf8_ocp and bf8_fnuz are for conversions
#include "opus/opus.hpp"

using namespace opus;

auto x = cast<bf16_t>(1.0f, fp8_fnuz{});
