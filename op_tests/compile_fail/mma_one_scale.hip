// expect: opus::mfma: takes .a, b., .*both scales
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

__global__ void k(fp32x4_t* c, const i32x8_t* a, int scale) {
    *c = make_mfma<fp8_t, fp8_t, fp32_t>(16_I, 16_I, 128_I)(*a, *a, *c, scale);
}
