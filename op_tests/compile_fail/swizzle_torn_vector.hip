// expect: opus::swizzle: it would tear apart the vec elements of an access: vec must be a power of two
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

__global__ void k(float* p) {
    __shared__ float lds[1024];
    const auto u = composition(swizzle<3, 1, 4>{}, make_layout(16_I, 64_I));
    p[0] = make_smem(lds).load<4>(u)[0];
}
