// expect: opus::slice: takes a vector, an array, a tuple or a scalar
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

auto x = slice(seq<1, 2, 3>{}, 1_I);
