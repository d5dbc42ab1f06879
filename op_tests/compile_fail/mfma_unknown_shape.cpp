// expect: mfma_row<_Float16, _Float16, float, 8, 8, 8>::exists.: opus::mfma: no target has an instruction of these types and M, N and K, or with a K that divides this one .docs/matrix-cores.md lists them
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

auto x = make_mfma<fp16_t, fp16_t, fp32_t>(8_I, 8_I, 8_I).shape_a();
