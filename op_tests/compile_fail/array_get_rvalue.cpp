// expect: opus::array: index out of range
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

auto x = get<2>(array<int, 2>{1, 2});
