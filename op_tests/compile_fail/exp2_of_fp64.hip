// expect: opus::exp2: fp32 or fp16 is required
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

__global__ void k(fp64_t* p) {
    *p = opus::exp2(*p);
}
