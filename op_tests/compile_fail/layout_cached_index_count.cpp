// expect: opus::layout: one index for each dimension
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

auto x = make_layout<1>(opus::make_tuple(6_I), opus::make_tuple(1_I), opus::make_tuple(_))(1, 2);
