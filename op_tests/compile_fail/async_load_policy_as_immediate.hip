// expect: opus: an immediate offset is required here
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

__global__ void k(float* p) {
    __shared__ float lds[256];
    make_gmem(p).async_load(lds, 0, 0, cache_group_nt);
}
