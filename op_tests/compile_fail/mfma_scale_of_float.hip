// expect: opus::mfma: a scale is a word of E8M0 bytes
// target: gfx950
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;

__global__ void k(const i32x8_t* a, fp32x4_t* c, float s) {
    *c = mfma_f32_16x16x128_fp4_fp4{}(*a, *a, *c, s, s);
}
