// expect: opus::mfma: this instruction needs gfx950.*the target is gfx942
// target: gfx942
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

__global__ void k(const fp16x8_t* a, fp32x16_t* c) {
    *c = make_mfma<fp16_t, fp16_t, fp32_t>(32_I, 32_I, 16_I)(*a, *a, *c);
}
