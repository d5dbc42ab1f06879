// expect: opus::atomic_add: fp32, i32 and u32, and fp16 and bf16 in pairs
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

__global__ void k(u8_t* p) {
    make_gmem(p).atomic_add<4>(u8x4_t{}, 0);
}
