// expect: opus::swizzle: it would tear apart the vec elements of an access
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

__global__ void k(float* p, int stride) {
    __shared__ float lds[4096];
    const int lane = lane_id();
    const auto from = make_layout(make_tuple(8_I, 64_I, 4_I), make_tuple(256_I, 4_I, 1_I),
                                  make_tuple(_, lane, _));
    const auto to = composition(swizzle<3, 1, 4>{},
                                make_layout(make_tuple(8_I, 64_I, 4_I), make_tuple(256_I, 4_I, 1_I),
                                            make_tuple(_, lane, _)));
    make_gmem(p).async_load<4>(lds, from, to);
}
