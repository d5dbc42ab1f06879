// expect: opus::mfma: fp8 and bf8 to fp32, in any mix, have 32x32x16, 16x16x32
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

auto x = make_mfma<fp8_t, fp8_t, fp32_t>(16_I, 16_I, 16_I).shape_a();
