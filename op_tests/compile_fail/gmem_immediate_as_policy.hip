// expect: opus: a cache policy is required here
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

__global__ void k(float* p) {
    p[0] = make_gmem(p).load(0, 0, imm_offset<8>{})[0];
}
