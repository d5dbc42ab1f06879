// expect: opus::swizzle: it would tear apart the vec elements of an access: vec must be a power of two
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

__global__ void k(fp16_t* p) {
    __shared__ fp16_t lds[1024];
    const auto u =
        composition(swizzle<3, 1, 4>{}, make_layout(make_tuple(64_I, 4_I), make_tuple(4_I, 1_I),
                                                    make_tuple(static_cast<int>(threadIdx.x), _)));
    p[0] = make_smem(lds).tr_load<4>(u, auto_wait{})[0];
}
