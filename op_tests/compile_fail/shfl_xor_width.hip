// expect: opus::shfl: the width is a power of two, 1 .. 64
#include "opus/hip_minimal.hpp"
#include "opus/opus_plus.hpp"

using namespace opus;
using opus::operator""_I;

__global__ void k(int* p) {
    *p = shfl_xor(*p, 1, 128_I);
}
