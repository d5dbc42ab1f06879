// expect: opus::reduce_wave, reduce_block: a function object is required .maximum
#include "opus/hip_minimal.hpp"
#include "opus/opus_plus.hpp"

using namespace opus;

__global__ void k(float* p) {
    *p = reduce_wave(*p, max);
}
