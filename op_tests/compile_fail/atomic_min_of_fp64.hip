// expect: opus::atomic_max, atomic_min: of global memory i32 and u32
// target: gfx942
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;

__global__ void k(double* p) {
    *p = make_gmem(p).atomic_min(1.0, 0)[0];
}
