// expect: opus::tile_part_a, _b, _c: the mma must be tiled
#include "opus/opus_plus.hpp"

using namespace opus;
using opus::operator""_I;

auto x = tile_part_a(make_mfma<fp16_t, fp16_t, fp32_t>(16_I, 16_I, 16_I), fp16x4_t{}, 0_I, 0_I);
