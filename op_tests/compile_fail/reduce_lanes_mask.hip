// expect: opus::reduce_lanes: the mask has bits of lane numbers, 0 .. 63
#include "opus/hip_minimal.hpp"
#include "opus/opus_plus.hpp"

using namespace opus;
using opus::operator""_I;

__global__ void k(float* p) {
    *p = reduce_lanes(*p, plus{}, 64_I);
}
