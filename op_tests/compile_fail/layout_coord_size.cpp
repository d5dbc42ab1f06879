// expect: opus::layout: shape and coordinate must have the same number of entries
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

auto x = make_layout(opus::make_tuple(4, 8), opus::make_tuple(8, 1), opus::make_tuple(_));
