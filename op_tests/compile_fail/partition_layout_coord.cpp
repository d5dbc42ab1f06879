// expect: opus::partition_layout: takes a layout without coordinate
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

auto u = partition_layout(make_layout(make_tuple(8_I, 8_I), make_tuple(8_I, 1_I), make_tuple(1, _)),
                          tuple<tuple<y_dim>, tuple<p_dim>>{}, make_tuple(8_I, 8_I), make_tuple(1));
