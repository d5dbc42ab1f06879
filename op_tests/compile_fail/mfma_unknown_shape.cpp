// expect: opus::mfma: there is no instruction with these operand types
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

auto x = make_mfma<fp16_t, fp16_t, fp32_t>(8_I, 8_I, 8_I).shape_a();
