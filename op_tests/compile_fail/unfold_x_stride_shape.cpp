// expect: opus::unfold_x_stride: the shape must have an extent for each dim
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

auto x = unfold_x_stride(tuple<tuple<y_dim, p_dim>>{}, opus::make_tuple(1), opus::make_tuple(1));
