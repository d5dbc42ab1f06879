// expect: opus::chain_b: the first mma must have one repeat along M or N
#include "opus/opus_plus.hpp"

using namespace opus;
using opus::operator""_I;

auto x = chain_b(
    make_tiled_mma<fp16_t, fp16_t, fp32_t>(seq<2, 2, 1>{}, seq<1, 1, 1>{}, seq<16, 16, 16>{}),
    make_tiled_mma<fp16_t, fp16_t, fp32_t>(seq<1, 2, 2>{}, seq<1, 1, 1>{}, seq<16, 16, 16>{}));
