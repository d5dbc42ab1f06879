// expect: opus::chain_a, chain_b: C of the first mma must have the extents of the operand
#include "opus/opus_plus.hpp"

using namespace opus;
using opus::operator""_I;

auto mma = make_mfma<fp16_t, fp16_t, fp32_t>(16_I, 16_I, 16_I, mfma_adaptor_swap_ab{});
auto x = chain_a(
    mma, make_tiled_mma<fp16_t, fp16_t, fp32_t>(seq<2, 1, 1>{}, seq<1, 1, 1>{}, seq<16, 16, 16>{}));
