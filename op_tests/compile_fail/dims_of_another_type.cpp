// expect: opus: a dim must be p_dim or y_dim
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

auto x = unfold_p_coord(tuple<tuple<y_dim, int>>{}, tuple<>{});
