// expect: opus::partition_layout_a_tr, _b_tr: the instruction must have a multiple of 16
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

auto u = partition_layout_a_tr(make_mfma<i8_t, i8_t, i32_t>(16_I, 16_I, 4_I),
                               make_tuple(64_I, 1_I, 64_I), make_tuple(0, 0, 0));
