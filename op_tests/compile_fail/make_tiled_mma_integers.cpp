// expect: opus::make_tiled_mma: repeats and waves are constants .write 0_I, not 0
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

auto x = make_tiled_mma(make_mfma<fp16_t, fp16_t, fp32_t>(16_I, 16_I, 16_I), 2, 2, 1, 1, 1, 1);
