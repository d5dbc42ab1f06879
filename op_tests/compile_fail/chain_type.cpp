// expect: opus::chain_a, chain_b: an operand of the second mma must have 4 elements in
#include "opus/opus_plus.hpp"

using namespace opus;
using opus::operator""_I;

auto x = chain_b(make_mfma<fp16_t, fp16_t, fp32_t>(16_I, 16_I, 16_I),
                 make_mfma<fp32_t, fp32_t, fp32_t>(16_I, 16_I, 4_I));
