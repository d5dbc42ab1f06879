// expect: opus::gmem: more than 16 bytes must be a multiple of 16 bytes
// target: gfx942
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

__global__ void k(const float* p, float* q) {
    q[0] = make_gmem(p).load<6>(0)[0];
}
