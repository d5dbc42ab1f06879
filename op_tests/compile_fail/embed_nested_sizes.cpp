// expect: opus::embed_nested_tuple: the two tuples must have the same size
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

auto x = embed_nested_tuple(opus::make_tuple(opus::make_tuple(1), opus::make_tuple(2)),
                            opus::make_tuple(opus::make_tuple(3)));
