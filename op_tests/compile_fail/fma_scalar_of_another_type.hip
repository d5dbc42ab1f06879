// expect: the operands beside a vector are vectors of its type or scalars
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

__global__ void k(fp32x4_t* p) {
    *p = opus::fma(*p, 2.0, p[2]);
}
