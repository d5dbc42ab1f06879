// expect: 1 == 2|strides == rank.*opus::partition_layout_a, _b, _c, layout_a, _b, _c: the strides must be a tuple
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

auto x =
    partition_layout_a(make_mfma<fp16_t, fp16_t, fp32_t>(16_I, 16_I, 16_I), make_tuple(1_I), 0);
