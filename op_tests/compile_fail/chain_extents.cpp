// expect: opus::chain_a, chain_b: C of the first mma must have the extents of the operand
#include "opus/opus_plus.hpp"

using namespace opus;
using opus::operator""_I;

auto x = chain_b(make_mfma<fp16_t, fp16_t, fp32_t>(16_I, 16_I, 16_I),
                 make_mfma<fp16_t, fp16_t, fp32_t>(16_I, 16_I, 32_I));
