// expect: opus::vector: index out of range
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

auto x = get<4>(fp32x4_t{});
