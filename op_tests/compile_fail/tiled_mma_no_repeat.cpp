// expect: opus::make_tiled_mma: repeats and waves must be at least 1
#include "opus/opus.hpp"

using namespace opus;

auto x = make_tiled_mma<fp16_t, fp16_t, fp32_t>(seq<1, 0, 1>{}, seq<1, 1, 1>{}, seq<16, 16, 16>{})
             .shape_a();
