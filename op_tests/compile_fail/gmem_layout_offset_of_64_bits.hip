// expect: opus::gmem, opus::smem: an offset has 32 bits .static_cast<int> where it fits; gmem_wide
// target: gfx942
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

__global__ void k(float* p, long i) {
    auto u = make_layout(make_tuple(4_I), make_tuple(1_I), make_tuple(_));
    p[0] = make_gmem(p).load<4>(u, i)[0];
}
