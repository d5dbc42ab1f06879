// expect: opus::mfma: operand B is an array that must have the operand.s elements, all of them
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;

__global__ void k(const array<fp16_t, 8>* a, const fp16x4_t* b, fp32x16_t* c) {
    *c = mfma_f32_32x32x8_f16{}(*b, *a, *c);
}
