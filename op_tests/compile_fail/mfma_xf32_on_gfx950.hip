// expect: opus::mfma: this instruction exists on gfx942; the target is gfx950
// target: gfx950
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;

__global__ void k(const fp32x2_t* a, fp32x4_t* c) {
    *c = mfma_f32_16x16x8_xf32{}(*a, *a, *c);
}
