// expect: opus::smem: atomic_add, atomic_max and atomic_min take i32, u32 and fp32,
// target: gfx942
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;

__global__ void k(fp16x2_t* p) {
    __shared__ fp16_t lds[64];
    *p = make_smem(lds).atomic_add<2>(*p, 0);
}
