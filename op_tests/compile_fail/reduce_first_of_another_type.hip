// expect: opus::reduce: takes a vector or array with elements
#include "opus/hip_minimal.hpp"
#include "opus/opus_plus.hpp"

using namespace opus;
using opus::operator""_I;

__global__ void k(fp32x4_t* p, float* q) {
    *q = reduce(*p, plus{}, 0);
}
