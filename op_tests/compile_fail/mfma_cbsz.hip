// expect: opus::mfma: 2.cbsz blocks get the same part of A
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

__global__ void k(const fp16x4_t* a, fp32x16_t* c) {
    *c = mfma_f32_32x32x8_f16{}(*a, *a, *c, 1_I, 0_I);
}
