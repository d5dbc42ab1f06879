// expect: opus::unflatten_shape: the shape must have an extent for each dim
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

auto x = unflatten_shape(opus::make_tuple(1), tuple<tuple<y_dim, p_dim>>{});
