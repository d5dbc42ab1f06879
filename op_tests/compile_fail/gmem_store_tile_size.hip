// expect: opus::store: the value must have as many elements as the layout stores
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

__global__ void k(float* p) {
    make_gmem(p).store<1>(fp32x4_t{}, make_layout(make_tuple(2_I), make_tuple(1_I), make_tuple(_)));
}
