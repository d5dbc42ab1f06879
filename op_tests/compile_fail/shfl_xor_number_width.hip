// expect: opus::shfl: the width is a power of two, 1 .. 64
#include "opus/hip_minimal.hpp"
#include "opus/opus_plus.hpp"

using namespace opus;

__global__ void k(float* p) {
    *p = shfl_xor(*p, number<1>{}, number<12>{});
}
