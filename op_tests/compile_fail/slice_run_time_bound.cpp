// expect: opus::slice: the bounds must be constants
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

auto x = slice(fp32x4_t{}, 2);
