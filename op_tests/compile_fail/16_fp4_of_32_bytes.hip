// expect: 'B' != 'B'.*operand_given<.*fp4_t, 32.*opus::mfma: operand B must be the instruction's vector
// target: gfx950
#define OPUS_FP4_OPERANDS_OF_32_BYTES 1
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

__global__ void k(fp32x4_t* c, const fp8x32_t* a, const vector_t<fp4_t, 32>* b) {
    *c = make_mfma<fp8_t, fp4_t, fp32_t>(16_I, 16_I, 128_I)(*a, *b, *c);
}
