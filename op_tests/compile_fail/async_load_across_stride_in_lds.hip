// expect: opus: an access of vec elements takes them side by side
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

__global__ void k(fp16_t* p) {
    __shared__ fp16_t lds[512];
    auto u = make_layout(make_tuple(4_I), make_tuple(1_I), make_tuple(_));
    auto u_lds = make_layout(make_tuple(4_I), make_tuple(8_I), make_tuple(_));
    make_gmem(p).async_load<2>(lds, u, u_lds);
}
