// expect: opus::async_load_if: not to a swizzled layout
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

__global__ void k(float* p, int stride) {
    __shared__ float lds[4096];
    const int lane = lane_id();
    const auto from = make_layout(make_tuple(8_I, 64_I, 1_I), make_tuple(stride, 1_I, 1_I),
                                  make_tuple(_, lane, _));
    const auto to = composition(swizzle<3, 3, 4>{},
                                make_layout(make_tuple(8_I, 64_I, 1_I), make_tuple(64_I, 1_I, 1_I),
                                            make_tuple(_, lane, _)));
    make_gmem(p).async_load_if<1>([&](auto...) { return lane < 5; }, lds, from, to);
}
