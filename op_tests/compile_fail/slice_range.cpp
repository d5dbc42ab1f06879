// expect: opus::slice: the range reaches beyond the container
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

auto x = slice(fp32x4_t{}, 5_I);
