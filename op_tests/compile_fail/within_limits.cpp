// expect: is_limit_v<float>.*opus::within: the number of rows and of columns are integers, numbers or _
// expect: is_limit_v<double>.*opus::within: the number of rows and of columns are integers, numbers or _
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

constexpr auto mma =
    make_tiled_mma<fp16_t, fp16_t, fp32_t>(seq<2, 2, 1>{}, seq<1, 1, 1>{}, seq<32, 32, 8>{});
auto rows = within(tile_coordinates_c(mma, 0), 1.5f, 64);
auto columns = within(tile_coordinates_c(mma, 0), 64_I, 2.5);
