// expect: opus::cache_policy: the bits are sc0 = 1, nt = 2 and sc1 = 16
// target: gfx942
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

__global__ void k(float* p) {
    p[0] = make_gmem(p).load(0, 0, 4_I)[0];
}
