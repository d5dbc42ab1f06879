// expect: opus::mfma: M, N and K must be at least 1
#include "opus/opus.hpp"

using namespace opus;

mfma<fp16_t, fp16_t, fp32_t, 32, 32, 0> x;
