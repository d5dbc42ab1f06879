// expect: operand A has elements of another floating-point type
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

__global__ void k(const bf8x8_t* a, const fp8x8_t* b, fp32x16_t* c) {
    *c = mfma_f32_32x32x16_fp8_fp8{}(*a, *b, *c);
}
