// expect: opus::unfold_p_coord: one entry for each p_dim
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

auto x = unfold_p_coord(tuple<tuple<y_dim, p_dim>>{}, opus::make_tuple(1, 2));
