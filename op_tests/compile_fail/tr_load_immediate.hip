// expect: opus: the immediate offset is out of range .0 .. 4095 bytes .*, 0 .. 65535 for LDS
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;

__global__ void k(fp16x4_t* out) {
    __shared__ fp16_t lds[256];
    *out = make_smem(lds)._tr_load<4, 65536>(0);
}
