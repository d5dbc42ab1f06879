// expect: opus::readlane: the lane is 0 .. 63
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

__global__ void k(float* p) {
    *p = readlane(*p, 64_I);
}
