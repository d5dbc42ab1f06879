// expect: opus::mfma: scales are for the f8f6f4 instructions of gfx950.*the target is gfx942
// target: gfx942
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;

__global__ void k(const fp8x32_t* a, fp32x4_t* c, int s) {
    *c = mfma_f32_16x16x128_fp8_fp8{}(*a, *a, *c, s, s);
}
