// expect: opus::store: the element type must be the memory.s
// target: gfx942
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

__global__ void k(float* p) {
    make_gmem(p).store<2>(i32x4_t{}, make_layout(make_tuple(4_I), make_tuple(1_I), make_tuple(_)));
}
