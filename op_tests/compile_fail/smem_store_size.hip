// expect: opus::store: the value must have vec elements
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

__global__ void k(float* p) {
    __shared__ float lds[256];
    make_smem(lds).store<4>(fp32x2_t{p[0], p[1]}, 0);
}
