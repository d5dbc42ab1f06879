// expect: opus::array: index out of range
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

int x = array<int, 2>{1, 2}[2_I];
