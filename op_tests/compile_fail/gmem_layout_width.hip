// expect: is_access<6>.*opus: an access must have 1, 2, 4, 8, 12 or 16 bytes
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

__global__ void k(fp16_t* p) {
    p[0] = load<3>(make_gmem(p), make_layout(make_tuple(6_I), make_tuple(1_I), make_tuple(_)))[0];
}
