// expect: opus::operator""_I: a decimal, 0x or 0b integer
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

auto x = 1.5_I;
