// expect: opus::atomic_max, atomic_min, atomic_and, atomic_or: of global memory i32 and u32
// target: gfx942
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;

__global__ void k(fp16x2_t* p) {
    *p = make_gmem(p).atomic_or(*p, 0);
}
