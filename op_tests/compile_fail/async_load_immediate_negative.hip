// expect: opus: the immediate offset is out of range .0 .. 4095 bytes
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;

__global__ void k(float* p) {
    __shared__ float lds[256];
    make_gmem(p).async_load(lds, 0, 0, imm_offset<-1>{});
}
