// expect: opus::partition_layout_a, _b, _c, layout_a, _b, _c: where the lane is must be the index
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

constexpr auto mma =
    make_tiled_mma<fp16_t, fp16_t, fp32_t>(seq<2, 2, 1>{}, seq<2, 2, 1>{}, seq<16, 16, 16>{});
auto x = mma.layout_b(make_tuple(64, 1_I), make_tuple(0, 0));
