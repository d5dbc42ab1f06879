// expect: opus: an access of vec elements takes them side by side
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

__global__ void k(float* p) {
    auto u = make_layout<4>(make_tuple(4_I, 8_I), make_tuple(1_I, 16_I), make_tuple(_, _));
    *p = make_gmem(p).load<4>(u)[0];
}
