// expect: opus::mfma: waves of these targets have 64 lanes
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;

__global__ void k(const fp16x4_t* a, fp32x16_t* c) {
    *c = mfma<fp16_t, fp16_t, fp32_t, 32, 32, 8, 32>{}(*a, *a);
}
