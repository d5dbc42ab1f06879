// expect: opus::finfo: a floating-point type, e8m0_t or i8_t is required
#include "opus/opus.hpp"

float a = opus::finfo<opus::i32_t>::max;
