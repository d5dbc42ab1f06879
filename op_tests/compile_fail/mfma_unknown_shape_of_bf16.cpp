// expect: opus::mfma: bf16 to fp32 has 32x32x8, 16x16x16, on gfx950 32x32x16
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

auto x = make_mfma<bf16_t, bf16_t, fp32_t>(32_I, 32_I, 6_I).shape_a();
