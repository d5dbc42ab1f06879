// expect: opus::layout_imm_offsets_v: the strides of the y-dims must be numbers
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

auto x = layout_imm_offsets_v<layout<tuple<number<4>>, tuple<int>, tuple<underscore>>, 1>;
