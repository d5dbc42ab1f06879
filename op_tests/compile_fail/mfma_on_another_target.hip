// expect: opus::mfma: this instruction exists on gfx942 and gfx950; the target is gfx90a
// target: gfx90a
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;

__global__ void k(const fp16x4_t* a, fp32x16_t* c) {
    *c = mfma_f32_32x32x8_f16{}(*a, *a, *c);
}
