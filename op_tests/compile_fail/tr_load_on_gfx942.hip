// expect: opus::tr_load: needs gfx950, or elements of 16 or 8 bits and gfx942; the target is gfx942
// target: gfx942
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

__global__ void k(fp4_t* p) {
    __shared__ fp4_t lds[256];
    make_gmem(p).store<16>(make_smem(lds).tr_load<16>(0), 0);
}
