// expect: opus::max, min, med3: fp64, fp32, fp16 or an integer type is required
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

__global__ void k(bf16_t* p) {
    *p = max(*p, p[1]);
}
