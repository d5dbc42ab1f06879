// expect: opus::tr_load: a lane gets 8 bytes, that is 4, 8 or 16 elements
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

__global__ void k(fp16_t* p) {
    __shared__ fp16_t lds[256];
    make_gmem(p).store<8>(make_smem(lds).tr_load<8>(0), 0);
}
