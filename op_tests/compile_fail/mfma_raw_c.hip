// expect: opus::mfma: operand C must be the instruction.s vector
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

__global__ void k(fp32x4_t* c, const fp16x4_t* a) {
    *c = mfma_f32_16x16x16_f16{}(*a, *a, fp32x2_t{});
}
