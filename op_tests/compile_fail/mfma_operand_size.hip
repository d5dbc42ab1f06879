// expect: 'A' != 'A'.*operand_given<.*ext_vector_type.8.*operand_wanted<.*ext_vector_type.4.*opus::mfma: operand A must be the instruction's vector
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

__global__ void k(fp32x4_t* c, const fp16x8_t* a, const fp16x4_t* b) {
    *c = make_mfma<fp16_t, fp16_t, fp32_t>(16_I, 16_I, 16_I)(*a, *b, *c);
}
