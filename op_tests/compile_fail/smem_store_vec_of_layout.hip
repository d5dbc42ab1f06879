// expect: opus: the last open dimension of the layout must have a multiple of vec
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

__global__ void k(fp16x8_t x) {
    __shared__ fp16_t lds[64];
    make_smem(lds).store<8>(
        x, make_layout(make_tuple(2_I, 4_I), make_tuple(4_I, 1_I), make_tuple(_, _)));
}
