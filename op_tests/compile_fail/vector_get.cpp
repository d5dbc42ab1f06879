// expect: opus::vector: index out of range
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

auto x = get<2>(fp32x2_t{1, 2});
