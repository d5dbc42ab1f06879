// expect: opus::gmem, opus::smem: an offset is an integer
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;

__global__ void k(float* p, float x) {
    p[0] = make_gmem(p).load(x)[0];
}
