// expect: opus::layout: one index for each dimension
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

auto x = make_layout(4, 8)(1);
