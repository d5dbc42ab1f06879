// expect: opus::array: the size must not be negative
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

array<int, -1> x;
