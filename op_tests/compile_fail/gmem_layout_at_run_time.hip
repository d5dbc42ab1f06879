// expect: opus: the extents of a layout's open dimensions must be numbers
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

__global__ void k(float* p, int n) {
    p[0] = load(make_gmem(p), make_layout(make_tuple(n), make_tuple(1_I), make_tuple(_)))[0];
}
