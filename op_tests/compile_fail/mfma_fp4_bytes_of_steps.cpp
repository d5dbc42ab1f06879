// expect: opus::mfma: with OPUS_FP4_OPERANDS_OF_32_BYTES = 1 an fp4 operand is of one instruction
#define OPUS_FP4_OPERANDS_OF_32_BYTES 1
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

auto mma = make_mfma<fp4_t, fp4_t, fp32_t>(16_I, 16_I, 256_I);
