// expect: opus::mfma: abid is 0 .. 2.cbsz - 1
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

__global__ void k(const fp16x4_t* a, fp32x16_t* c) {
    *c = mfma_f32_16x16x4_4b_f16{}(*a, *a, *c, 1_I, 2_I);
}
