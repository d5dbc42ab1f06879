// expect: opus::cast: a rounding mode is for conversions to bf16
#include "opus/opus.hpp"

auto a = opus::cast<opus::fp8_t>(1.0f, opus::number<0>{});
