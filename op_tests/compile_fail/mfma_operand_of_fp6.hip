// expect: operand B has elements of another floating-point type
// target: gfx950
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

__global__ void k(const vector_t<fp6_t, 32>* a, const vector_t<fp6_t, 32>* b, fp32x4_t* c) {
    *c = mfma_f32_16x16x128_f8f6f4<fp6_t, bf6_t>{}(*a, *b, *c);
}
