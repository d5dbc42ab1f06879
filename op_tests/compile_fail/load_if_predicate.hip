// expect: opus: the predicate must take an index for each open dimension of the layout
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

__global__ void k(float* p) {
    const auto u = make_layout(make_tuple(4_I, 8_I), make_tuple(8_I, 1_I), make_tuple(_, _));
    const auto v = load_if<4>(make_gmem(p), [](auto i) { return i < 2; }, u);
    p[0] = v[0];
}
