// expect: opus::embed: the two tuples must have the same size
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

auto x = embed(opus::make_tuple(1, 2), opus::make_tuple(1));
