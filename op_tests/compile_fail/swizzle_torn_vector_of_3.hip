// expect: opus::swizzle: it would tear apart the vec elements of an access: vec must be a power of two
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

__global__ void k(float* p) {
    __shared__ float lds[1024];
    const auto u =
        composition(swizzle<3, 3, 4>{}, make_layout(make_tuple(16_I, 48_I), make_tuple(64_I, 1_I),
                                                    make_tuple(static_cast<int>(threadIdx.x), _)));
    make_smem(lds).store<3>(
        make_gmem(p).load<3>(make_layout(make_tuple(48_I), make_tuple(1_I), make_tuple(_))), u);
}
