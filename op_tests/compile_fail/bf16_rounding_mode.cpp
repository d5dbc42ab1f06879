// expect: opus::fp32_to_bf16: the rounding mode is 0.* 5
#include "opus/opus.hpp"

auto a = opus::fp32_to_bf16(1.0f, opus::number<6>{});
