// expect: opus::cast: write 0_I, not 0: the rounding mode is a constant
#include "opus/opus.hpp"

auto a = opus::cast<opus::bf16_t>(opus::fp32x4_t{1, 2, 3, 4}, 0);
