// expect: opus::atomic_max, atomic_min: of global memory i32 and u32
// target: gfx942
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;

__global__ void k(float* p) {
    *p = make_gmem(p).atomic_max(1.0f, 0)[0];
}
