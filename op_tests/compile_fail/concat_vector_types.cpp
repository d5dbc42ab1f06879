// expect: opus::concat_vector: the element types must be the same
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

auto x = concat_vector(fp32x4_t{}, i32x4_t{});
