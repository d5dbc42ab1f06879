// expect: operand_given<__bf16>, .*operand_wanted<(__fp16|_Float16)>.*operand B has elements of another floating-point type
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

__global__ void k(const fp16x4_t* a, const bf16x4_t* b, fp32x16_t* c) {
    *c = mfma_f32_32x32x8_f16{}(*a, *b, *c);
}
