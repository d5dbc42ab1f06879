// expect: opus::mfma: fp32 has 32x32x2, 16x16x4, 32x32x1
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

auto x = make_mfma<fp32_t, fp32_t, fp32_t>(16_I, 32_I, 4_I).shape_a();
