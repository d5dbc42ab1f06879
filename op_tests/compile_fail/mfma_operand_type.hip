// expect: opus::mfma: an operand must be the instruction.s vector
// target: gfx942
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;

__global__ void k(const bf16x4_t* a, const fp16x4_t* b, fp32x16_t* c) {
    *c = mfma_f32_32x32x8_f16{}(*a, *b, *c);
}
