// expect: opus::store: the value.s element type must be the memory.s
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

__global__ void k(float* p) {
    make_gmem(p).store<4>(i32x4_t{}, 0);
}
