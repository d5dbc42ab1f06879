// expect: opus::mfma: sel_a and sel_b are bytes 0 .. 3
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

__global__ void k(const i32x8_t* a, fp32x4_t* c, int s) {
    *c = mfma_f32_16x16x128_fp4_fp4{}(*a, *a, *c, s, s, 0_I, 4_I);
}
