// expect: opus::mfma: the f8f6f4 instructions have no cbsz, abid and blgp
// target: gfx950
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

__global__ void k(const i32x8_t* a, fp32x4_t* c) {
    *c = mfma_f32_16x16x128_fp4_fp4{}(*a, *a, *c, 0_I, 0_I, 1_I);
}
