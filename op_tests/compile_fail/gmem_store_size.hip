// expect: opus::store: the value must have vec elements
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

__global__ void k(float* p) {
    make_gmem(p).store<4>(fp32x2_t{}, 0);
}
