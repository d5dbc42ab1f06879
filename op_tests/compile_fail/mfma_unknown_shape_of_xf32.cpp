// expect: opus::mfma: xf32 has 32x32x4 and 16x16x8, on gfx942
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

auto x = make_mfma<xf32_t, xf32_t, fp32_t>(16_I, 16_I, 4_I).shape_a();
