// expect: operand A has elements of another floating-point type
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

__global__ void k(const bf16x4_t* a, const fp16x4_t* b, fp32x16_t* c) {
    auto mma = make_mfma<fp16_t, fp16_t, fp32_t>(32_I, 32_I, 8_I, mfma_adaptor_swap_ab{});
    *c = mma(*a, *b, *c);
}
