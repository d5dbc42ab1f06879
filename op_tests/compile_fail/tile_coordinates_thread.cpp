// expect: layout_a, _b, _c: where the lane is must be the index of a thread
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

auto x = tile_coordinates_c(make_mfma<fp16_t, fp16_t, fp32_t>(16_I, 16_I, 16_I), 1.5f);
