// expect: 0 > 0'.*opus: elements below a byte must be accessed in whole bytes
// target: gfx942
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

__global__ void k(const float* p) {
    __shared__ float lds[64];
    opus::make_gmem(p).async_load<0>(lds, 0);
}
