// expect: opus::async_load: a swizzled destination takes layouts with coordinates
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

__global__ void k(float* p) {
    __shared__ float lds[4096];
    const int lane = lane_id();
    const auto from = make_layout(make_tuple(64_I), make_tuple(1_I), make_tuple(lane));
    const auto to = composition(swizzle<3, 3, 4>{}, make_layout(64_I));
    make_gmem(p).async_load<1>(lds, from, to);
}
