// expect: opus::cast: there is no such conversion.*wider ones and fp64 to fp32 only
#include "opus/opus.hpp"

auto a = opus::cast<opus::bf16_t>(opus::i32_t{1});
