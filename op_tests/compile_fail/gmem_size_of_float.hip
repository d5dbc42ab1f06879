// expect: opus::gmem: a size is an integer, in bytes
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;

__global__ void k(float* p, float x) {
    p[0] = make_gmem(p, x).load(0)[0];
}
