// expect: opus::slice: len must be from 1
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

auto x = slice<5>(fp32x4_t{}, 0, 5);
