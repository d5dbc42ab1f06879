// expect: opus::swizzle: an access of vec elements must begin at a multiple of vec
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

__global__ void k(float* p) {
    const auto u = composition(swizzle<3, 2, 4>{},
                               make_layout(make_tuple(64_I, 4_I, 16_I), make_tuple(66_I, 16_I, 1_I),
                                           make_tuple(static_cast<int>(threadIdx.x), 1_I, _)));
    p[0] = make_gmem(p).load<4>(u)[0];
}
