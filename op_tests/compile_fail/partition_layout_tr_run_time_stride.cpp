// expect: opus::partition_layout_a_tr, _b_tr: the stride of M .of N. must be 1_I
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

auto u = partition_layout_b_tr(make_mfma<fp16_t, fp16_t, fp32_t>(16_I, 16_I, 16_I),
                               make_tuple(1, 64_I), make_tuple(0, 0));
