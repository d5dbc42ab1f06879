// expect: opus::layout: an index must be an integer or a number
#include "opus/opus.hpp"

using namespace opus;

auto x = make_layout(4, 8)(1, _);
