// expect: opus::atomic_add, atomic_max, ...: the cache policy must be 0
// target: gfx942
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;

__global__ void k(float* p) {
    make_gmem(p)._atomic_add<1, 0, float, 2>(1.0f, 0);
}
