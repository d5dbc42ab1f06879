// expect: opus::shfl: the width is a power of two, 1 .. 64
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;

__global__ void k(float* p) {
    *p = shfl(*p, static_cast<int>(thread_id_x()), number<12>{});
}
