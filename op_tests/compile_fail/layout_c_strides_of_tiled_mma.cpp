// expect: opus::partition_layout_a, _b, _c, layout_a, _b, _c: the strides must be a tuple
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

constexpr auto mma =
    make_tiled_mma<fp16_t, fp16_t, fp32_t>(seq<2, 2, 1>{}, seq<2, 2, 1>{}, seq<16, 16, 16>{});
auto x = mma.layout_c(64, 0);
