// expect: opus::reduce: the compiler takes codes for integers
#include "opus/hip_minimal.hpp"
#include "opus/opus_plus.hpp"

using namespace opus;
using opus::operator""_I;

__global__ void k(fp8x4_t* p, fp8_t* q) {
    *q = reduce(*p, maximum{});
}
