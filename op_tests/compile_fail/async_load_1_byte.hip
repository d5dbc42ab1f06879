// expect: opus::async_load: moves 4 bytes for each lane
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

__global__ void k(u8_t* p) {
    __shared__ float lds[256];
    make_gmem(p).async_load(lds, 0);
}
