// expect: mfma_row<_BitInt.8., _BitInt.8., float, 16, 16, 16>::exists.: opus::mfma: no target has an instruction of these types
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

auto x = make_mfma<fp8_t, fp8_t, fp32_t>(16_I, 16_I, 16_I).shape_a();
