// expect: opus::chain_a, chain_b: all K of the second mma must be in one wave of both
#include "opus/opus_plus.hpp"

using namespace opus;
using opus::operator""_I;

auto x = chain_b(
    make_tiled_mma<fp16_t, fp16_t, fp32_t>(seq<1, 2, 1>{}, seq<1, 1, 1>{}, seq<16, 16, 16>{}),
    make_tiled_mma<fp16_t, fp16_t, fp32_t>(seq<1, 1, 1>{}, seq<1, 2, 1>{}, seq<16, 16, 16>{}));
