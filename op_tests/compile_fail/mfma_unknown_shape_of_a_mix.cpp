// expect: mfma_row<_BitInt.8., opus::bf6_t, float, 16, 16, 32>::exists.: opus::mfma: no target has an instruction of these types
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

auto x = make_mfma<fp8_t, bf6_t, fp32_t>(16_I, 16_I, 32_I).shape_a();
