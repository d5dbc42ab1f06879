// expect: opus::cast: there is no such conversion.*wider integers to fp32, int4 and uint4 only
#include "opus/opus.hpp"

auto a = opus::cast<opus::bf16_t>(opus::i32_t{1});
