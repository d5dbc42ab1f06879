// expect: opus::tile_part_a, _b, _c: repeats are constants .write 0_I, not 0
#include "opus/opus_plus.hpp"

using namespace opus;
using opus::operator""_I;

constexpr auto mma =
    make_tiled_mma<fp16_t, fp16_t, fp32_t>(seq<2, 2, 1>{}, seq<1, 1, 1>{}, seq<16, 16, 16>{});
auto x = tile_part_c(mma, decltype(mma)::vtype_c{}, 0, 0);
