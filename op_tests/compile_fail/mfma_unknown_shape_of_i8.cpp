// expect: mfma_row<signed char, signed char, int, 16, 16, 6>::exists.: opus::mfma: no target has an instruction of these types
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

auto x = make_mfma<i8_t, i8_t, i32_t>(16_I, 16_I, 6_I).shape_a();
