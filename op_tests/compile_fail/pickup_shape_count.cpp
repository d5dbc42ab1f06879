// expect: opus::pickup_shape: the shape must have an extent for each dim
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

auto x = pickup_shape(opus::make_tuple(1), tuple<tuple<y_dim, p_dim>>{}, y_dim{});
