// expect: mfma_row<opus::fp4_t, opus::fp4_t, float, 16, 16, 64>::exists.: opus::mfma: no target has an instruction of these types
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

auto x = make_mfma<fp4_t, fp4_t, fp32_t>(16_I, 16_I, 64_I).shape_a();
