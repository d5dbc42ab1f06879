// expect: opus::smem: atomic_add, atomic_max and atomic_min take i32, u32 and fp32,
// target: gfx942
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;

__global__ void k(double* p) {
    __shared__ double lds[64];
    *p = make_smem(lds).atomic_add(*p, 0)[0];
}
