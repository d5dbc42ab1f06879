// expect: opus::mfma: sel_a and sel_b are bytes 0 .. 3.*each step needs one
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

__global__ void k(const array<fp4_t, 64>* a, fp32x4_t* c, int s) {
    *c = mfma<fp4_t, fp4_t, fp32_t, 16, 16, 256>{}(*a, *a, *c, s, s, 3_I, 0_I);
}
