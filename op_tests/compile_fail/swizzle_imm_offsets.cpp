// expect: opus::layout_imm_offsets_v: between the accesses of a swizzled layout there are no constant distances
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

auto u = composition(swizzle<3, 3, 4>{},
                     make_layout(make_tuple(16_I, 64_I), make_tuple(64_I, 1_I), make_tuple(_, _)));
auto x = layout_imm_offsets_v<decltype(u + 8_I), 8>;
