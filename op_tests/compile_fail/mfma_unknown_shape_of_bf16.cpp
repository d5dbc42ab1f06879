// expect: mfma_row<__bf16, __bf16, float, 32, 32, 6>::exists.: opus::mfma: no target has an instruction of these types
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

auto x = make_mfma<bf16_t, bf16_t, fp32_t>(32_I, 32_I, 6_I).shape_a();
