// expect: opus::chain_a, chain_b: of the first mma the registers of C must run along K
#include "opus/opus_plus.hpp"

using namespace opus;
using opus::operator""_I;

auto mma = make_mfma<fp16_t, fp16_t, fp32_t>(16_I, 16_I, 16_I, mfma_adaptor_swap_ab{});
auto x = chain_b(mma, mma);
