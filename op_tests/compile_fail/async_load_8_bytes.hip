// expect: opus::async_load: moves 4 bytes for each lane, on gfx950 also 12 or 16; no other width
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

__global__ void k(float* p) {
    __shared__ float lds[256];
    make_gmem(p).async_load<2>(lds, 0);
}
