// expect: opus::store: a tile is a vector or an array of vectors
// target: gfx942
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

__global__ void k(float* p) {
    const array<float, 4> x;
    make_gmem(p).store<2>(x, make_layout(make_tuple(4_I), make_tuple(1_I), make_tuple(_)));
}
