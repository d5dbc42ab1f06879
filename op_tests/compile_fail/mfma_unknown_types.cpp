// expect: mfma_row<_Float16, __bf16, float, 32, 32, 8>::exists.: opus::mfma: no target has an instruction of these types
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

auto x = make_mfma<fp16_t, bf16_t, fp32_t>(32_I, 32_I, 8_I).shape_a();
