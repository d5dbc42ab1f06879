// expect: opus::async_load: 12 bytes leave gaps in LDS, which a swizzled destination cannot have
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

__global__ void k(fp6_t* p) {
    __shared__ __attribute__((aligned(16))) u32_t lds[1024];
    const auto u = make_layout(make_tuple(2_I, 64_I, 16_I), make_tuple(1024_I, 16_I, 1_I),
                               make_tuple(_, lane_id(), _));
    make_gmem(p).async_load<16>(lds, u, composition(swizzle<2, 4, 3>{}, u));
}
