// expect: opus::async_load: 12 and 16 bytes need gfx950.*the target is gfx942
// target: gfx942
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

__global__ void k(float* p) {
    __shared__ float lds[256];
    make_gmem(p).async_load<4>(lds, 0);
}
