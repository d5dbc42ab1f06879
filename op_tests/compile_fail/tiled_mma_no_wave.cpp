// expect: opus::make_tiled_mma: repeats and waves must be at least 1
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

constexpr auto wave = make_mfma<fp16_t, fp16_t, fp32_t>(16_I, 16_I, 16_I);
auto x = make_tiled_mma(wave, 1_I, 1_I, 1_I, 1_I, 1_I, 0_I).shape_a();
