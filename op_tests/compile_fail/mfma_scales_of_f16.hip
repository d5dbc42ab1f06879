// expect: opus::mfma: scales are for the f8f6f4 instructions of gfx950.*the target is gfx950
// target: gfx950
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;

__global__ void k(const fp16x8_t* a, fp32x4_t* c, int s) {
    *c = mfma_f32_16x16x32_f16{}(*a, *a, *c, s, s);
}
