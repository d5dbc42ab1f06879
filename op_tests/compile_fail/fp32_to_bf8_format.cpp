// expect: opus::cast: fp8_ocp and fp8_fnuz are formats of fp8
#include "opus/opus.hpp"

using namespace opus;

auto x = fp32_to_bf8(1.0f, fp8_ocp{});
