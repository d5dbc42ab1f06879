// expect: opus::cast: a scale is for conversions
#include "opus/opus.hpp"

auto a = opus::cast<opus::fp16_t>(1.0f, 2.0f);
