// expect: opus::mfma: fp4, fp6 and bf6, in any mix .* have 32x32x64 and 16x16x128
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

auto x = make_mfma<fp4_t, fp4_t, fp32_t>(16_I, 16_I, 64_I).shape_a();
