// expect: opus::partition_layout_a_tr, _b_tr: the operand must have elements of 16, 8, 6 or 4 bits
#define OPUS_FP4_OPERANDS_OF_32_BYTES 1
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

auto u = partition_layout_b_tr(make_mfma<fp8_t, fp4_t, fp32_t>(16_I, 16_I, 128_I),
                               make_tuple(1_I, 64_I), make_tuple(0, 0));
