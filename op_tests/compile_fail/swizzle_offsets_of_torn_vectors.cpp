// expect: opus::swizzle: it would tear apart the vec elements of an access
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

auto u = composition(swizzle<3, 2, 4>{},
                     make_layout(make_tuple(16_I, 64_I), make_tuple(64_I, 1_I), make_tuple(_, _)));
auto x = layout_to_offsets<8>(u);
