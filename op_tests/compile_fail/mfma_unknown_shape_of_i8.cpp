// expect: opus::mfma: i8 to i32 has 32x32x16, 16x16x32, on gfx950 32x32x32
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

auto x = make_mfma<i8_t, i8_t, i32_t>(16_I, 16_I, 6_I).shape_a();
