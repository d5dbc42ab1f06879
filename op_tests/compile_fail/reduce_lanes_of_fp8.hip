// expect: opus::reduce_lanes: the compiler takes codes of fp8 and bf8 for integers
#include "opus/hip_minimal.hpp"
#include "opus/opus_plus.hpp"

using namespace opus;
using opus::operator""_I;

__global__ void k(fp8_t* p) {
    *p = reduce_lanes(*p, maximum{}, 15_I);
}
