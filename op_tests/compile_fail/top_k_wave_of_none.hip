// expect: opus::top_k_wave: k is 1 .. 64
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

__global__ void k(float* p) {
    *p = top_k_wave<0>(*p, 1).value;
}
