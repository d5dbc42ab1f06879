// expect: opus::store: the element type must be the memory.s, or both must be arithmetic
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

__global__ void k(float* p) {
    make_gmem(p).store<2>(fp8x4_t{}, make_layout(make_tuple(4_I), make_tuple(1_I), make_tuple(_)));
}
