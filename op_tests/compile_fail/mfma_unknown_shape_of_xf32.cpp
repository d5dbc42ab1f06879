// expect: mfma_row<opus::xf32_t, opus::xf32_t, float, 16, 16, 4>::exists.: opus::mfma: no target has an instruction of these types
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

auto x = make_mfma<xf32_t, xf32_t, fp32_t>(16_I, 16_I, 4_I).shape_a();
