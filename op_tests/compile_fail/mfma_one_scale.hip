// expect: opus::mfma: takes .a, b., .*both scales
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

__global__ void k(fp32x4_t* c, const i32x8_t* a, int scale) {
    *c = mfma_f32_16x16x128_fp4_fp4{}(*a, *a, *c, scale);
}
