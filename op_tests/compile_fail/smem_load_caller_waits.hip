// expect: opus::smem: the last argument is auto_wait or no_dma_wait
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

__global__ void k(float* p) {
    __shared__ float lds[256];
    p[0] = make_smem(lds).load(0, caller_waits{})[0];
}
