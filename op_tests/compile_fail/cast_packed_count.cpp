// expect: opus::fp32_to_fp8_packed_x4: takes 4 values of fp32
#include "opus/opus.hpp"

auto a = opus::fp32_to_fp8_packed_x4(opus::fp32x2_t{1, 2});
