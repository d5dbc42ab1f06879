// expect: opus::make_smem: a pointer to LDS is required; this one is to another kind of memory
// target: gfx942
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;

__global__ void k(__attribute__((address_space(4))) const float* p, float* out) {
    *out = make_smem(p).load(0)[0];
}
