// expect: opus::tr_load: needs gfx950; the target is gfx942
// target: gfx942
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

__global__ void k(fp16_t* p) {
    __shared__ fp16_t lds[256];
    make_gmem(p).store<4>(make_smem(lds).tr_load<4>(0), 0);
}
