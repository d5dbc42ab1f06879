// expect: opus::tr_load: elements of 16, 8, 6 or 4 bits
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

__global__ void k(float* p) {
    __shared__ float lds[256];
    make_gmem(p).store<2>(make_smem(lds).tr_load<2>(0), 0);
}
