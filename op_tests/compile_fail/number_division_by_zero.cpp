// expect: not a constant expression
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

auto x = 4_I / 0_I;
