// expect: opus::smem: atomic_add, atomic_max and atomic_min take i32, u32 and fp32, .*atomic_and and atomic_or i32 and u32
// lines: 16 the one error alone
// target: gfx942
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;

__global__ void k(float* p) {
    __shared__ float lds[64];
    *p = make_smem(lds).atomic_and(*p, 0)[0];
}
