// expect: opus::mfma: operand B must be the instruction's vector
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

__global__ void k(fp32x4_t* c, const fp16x4_t* a, const fp16x2_t* b) {
    *c = make_mfma<fp16_t, fp16_t, fp32_t>(16_I, 16_I, 16_I, mfma_adaptor_swap_ab{})(*a, *b);
}
