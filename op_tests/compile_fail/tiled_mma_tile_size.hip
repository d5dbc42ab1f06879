// expect: operand A of a tile must have tile_a_len
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;

constexpr auto mma =
    make_tiled_mma<fp16_t, fp16_t, fp32_t>(seq<2, 1, 2>{}, seq<1, 1, 1>{}, seq<16, 16, 16>{});

__global__ void k(const fp16x8_t* a, const fp16x8_t* b, fp32x8_t* c) {
    *c = mma(*a, *b, *c);
}
