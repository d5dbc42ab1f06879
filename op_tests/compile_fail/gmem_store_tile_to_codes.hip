// expect: opus::store: the element type must be the memory's, or both must be arithmetic
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

__global__ void k(fp8_t* p) {
    make_gmem(p).store<4>(fp32x8_t{}, make_layout(make_tuple(8_I), make_tuple(1_I), make_tuple(_)));
}
