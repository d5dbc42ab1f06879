// expect: opus::make_tiled_mma: an operand must have two x-dims
#include "opus/opus.hpp"

using namespace opus;

auto x = make_tiled_mma<fp16_t, fp16_t, fp32_t>(seq<1, 1, 1>{}, seq<1, 1, 1>{}, seq<16, 16, 4>{})
             .shape_a();
