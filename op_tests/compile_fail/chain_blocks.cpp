// expect: opus::chain_a, chain_b: the instructions must have one block
#include "opus/opus_plus.hpp"

using namespace opus;
using opus::operator""_I;

auto mma = make_mfma<fp16_t, fp16_t, fp32_t>(16_I, 16_I, 4_I, mfma_adaptor_swap_ab{});
auto x = chain_a(mma, mma);
