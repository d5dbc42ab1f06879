// expect: opus::mfma: fp16 to fp32 has 32x32x8, 16x16x16, on gfx950 32x32x16 and 16x16x32
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

auto x = make_mfma<fp16_t, fp16_t, fp32_t>(8_I, 8_I, 8_I).shape_a();
