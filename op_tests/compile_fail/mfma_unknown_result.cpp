// expect: opus::mfma: there is no instruction with these operand types
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

auto x = make_mfma<fp16_t, fp16_t, fp16_t>(32_I, 32_I, 8_I).shape_a();
