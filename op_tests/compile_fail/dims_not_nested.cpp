// expect: opus: the dims must be a tuple of tuples
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

auto x =
    unfold_x_stride(tuple<tuple<p_dim>, y_dim>{}, opus::make_tuple(1, 2), opus::make_tuple(1, 2));
