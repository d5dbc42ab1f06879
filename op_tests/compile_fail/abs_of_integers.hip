// expect: opus::abs: fp64, fp32 or fp16 is required
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

__global__ void k(i32x4_t* p) {
    *p = opus::abs(*p);
}
