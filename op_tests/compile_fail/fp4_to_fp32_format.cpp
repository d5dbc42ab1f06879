// expect: opus::cast: fp8_ocp and fp8_fnuz are formats of fp8
#include "opus/opus.hpp"

using namespace opus;

auto x = fp4_to_fp32(fp4_t{1}, fp8_ocp{});
