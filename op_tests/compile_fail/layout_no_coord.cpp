// expect: opus::layout: this layout has no coordinate
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

auto x = make_layout(4, 8).coord();
