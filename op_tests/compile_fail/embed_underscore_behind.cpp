// expect: opus::embed: an underscore has no value
#include "opus/opus.hpp"

using namespace opus;

auto x = embed(make_tuple(8, 1), make_tuple(1, _));
