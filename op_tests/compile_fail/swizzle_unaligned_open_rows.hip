// expect: opus::swizzle: an access of vec elements must begin at a multiple of vec
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

__global__ void k(float* p) {
    const auto u = composition(swizzle<2, 3, 3>{},
                               make_layout(make_tuple(64_I, 2_I, 4_I), make_tuple(16_I, 10_I, 1_I),
                                           make_tuple(lane_id(), _, _)));
    p[0] = make_gmem(p).load<4>(u)[0];
}
