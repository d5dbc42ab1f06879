// expect: opus::smem: there is no cache policy for LDS
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"
using namespace opus;
__global__ void k(float* p) {
    __shared__ float lds[256];
    p[0] = make_smem(lds).load<1, 3>(0)[0];
}
