// expect: opus::async_load: the two layouts must have the same number of accesses
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

__global__ void k(float* p) {
    __shared__ float lds[256];
    make_gmem(p).async_load(
        lds, make_layout(make_tuple(2_I, 1_I), make_tuple(64_I, 1_I), make_tuple(_, _)),
        make_layout(make_tuple(3_I, 1_I), make_tuple(64_I, 1_I), make_tuple(_, _)));
}
