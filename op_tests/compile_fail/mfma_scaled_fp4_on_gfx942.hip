// expect: opus::mfma: this instruction exists on gfx950; the target is gfx942
// target: gfx942
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;

__global__ void k(const array<fp4_t, 32>* a, fp32x4_t* c, int s) {
    *c = mfma_f32_16x16x128_fp4_fp4{}(*a, *a, *c, s, s);
}
