// expect: opus::store: the value must have as many elements as the layout stores
#define OPUS_TILE_CONTAINER 1
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

__global__ void k(float* p) {
    const array<fp32x4_t, 2> x;
    make_gmem(p).store<2>(x, make_layout(make_tuple(4_I), make_tuple(1_I), make_tuple(_)));
}
