// expect: opus: the predicate must take an index for each open dimension of the layout
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

__global__ void k(float* p, fp32x4_t x) {
    const auto u = make_layout(make_tuple(4_I, 4_I), make_tuple(4_I, 1_I), make_tuple(1, _));
    make_smem(p).store_if<4>([](int i, int j) { return i < j; }, x, u);
}
