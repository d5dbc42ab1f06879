// expect: opus::gmem, opus::smem: an offset has 32 bits .static_cast<int> where it fits; gmem_wide
// target: gfx942
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;

__global__ void k(float* p, decltype(sizeof(0)) i) {
    make_gmem(p).store<4>(1.0f, 0, i);
}
