// expect: opus::layout: shape and stride must be tuples
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

layout<int, int> x(1, 2);
