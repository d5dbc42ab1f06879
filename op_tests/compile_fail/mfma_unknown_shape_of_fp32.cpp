// expect: mfma_row<float, float, float, 16, 32, 4>::exists.: opus::mfma: no target has an instruction of these types
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

auto x = make_mfma<fp32_t, fp32_t, fp32_t>(16_I, 32_I, 4_I).shape_a();
