// expect: opus: the immediate offset is out of range .0 .. 4095 bytes
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

__global__ void k(float* p) {
    make_gmem(p).atomic_add(1.0f, 0, 0, 4096_I);
}
