// expect: opus::rcp: fp32 or fp16 is required
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

__global__ void k(bf16x4_t* p) {
    *p = rcp(*p);
}
