// expect: not a constant expression
// compiler's: a constant expression divides by zero
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

auto x = 4_I / 0_I;
