// expect: opus: the last open dimension of the layout must have a multiple of vec
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

__global__ void k(fp16_t* p) {
    const auto u = make_layout(make_tuple(2_I, 4_I), make_tuple(4_I, 1_I), make_tuple(_, _));
    p[0] = load_or<8>(make_gmem(p), fp16_t{}, u)[0];
}
