// expect: opus::mfma: fp64 has 16x16x4 and 4x4x4
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

auto x = make_mfma<fp64_t, fp64_t, fp64_t>(32_I, 32_I, 4_I).shape_a();
