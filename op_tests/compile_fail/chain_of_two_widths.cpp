// expect: opus::chain_a, chain_b: an operand of the second mma must have 4 elements in
#include "opus/opus_plus.hpp"

using namespace opus;
using opus::operator""_I;

auto x = chain_b(
    make_tiled_mma<fp16_t, fp16_t, fp32_t>(seq<8, 1, 1>{}, seq<1, 1, 1>{}, seq<16, 16, 16>{}),
    make_mfma<fp8_t, fp4_t, fp32_t>(16_I, 16_I, 128_I));
