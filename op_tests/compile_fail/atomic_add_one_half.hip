// expect: opus::atomic_add: fp16 and bf16 are added in pairs
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

__global__ void k(fp16_t* p) {
    make_gmem(p).atomic_add(static_cast<fp16_t>(1.0f), 0);
}
