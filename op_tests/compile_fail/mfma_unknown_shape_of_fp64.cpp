// expect: mfma_row<double, double, double, 32, 32, 4>::exists.: opus::mfma: no target has an instruction of these types
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

auto x = make_mfma<fp64_t, fp64_t, fp64_t>(32_I, 32_I, 4_I).shape_a();
