// expect: opus::mfma: takes .a, b., .*cbsz, abid,
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

__global__ void k(fp32x4_t* c, const fp16x4_t* a) {
    *c = mfma_f32_4x4x4_16b_f16{}(*a, *a, *c, 0, 0, 0);
}
