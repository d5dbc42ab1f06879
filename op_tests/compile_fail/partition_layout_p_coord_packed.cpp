// expect: opus::partition_layout_a, _b, _c, layout_a, _b, _c: where the lane is must be the index
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

auto x =
    partition_layout_b_packed(make_mfma<fp16_t, fp16_t, fp32_t>(16_I, 16_I, 16_I), make_tuple(1));
