// expect: opus::gmem: gfx942 and gfx950 only; the target is gfx90a
// target: gfx90a
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

__global__ void k(float* p) {
    opus::make_gmem(p).store(1.0f, 0);
}
