// expect: not a constant expression
// compiler's: a constant expression overflows
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

auto x = 2147483647_I + 1_I;
