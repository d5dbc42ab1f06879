// expect: not a constant expression
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

auto x = 2147483647_I + 1_I;
