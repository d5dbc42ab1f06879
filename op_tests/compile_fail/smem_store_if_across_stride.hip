// expect: opus: an access of vec elements takes them side by side
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

__global__ void k() {
    __shared__ float lds[256];
    auto u = make_layout(make_tuple(4_I, 8_I), make_tuple(1_I, 16_I), make_tuple(_, _));
    make_smem(lds).store_if<4>([](auto, auto) { return true; }, 0.0f, u);
}
