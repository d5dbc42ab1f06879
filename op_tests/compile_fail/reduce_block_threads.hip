// expect: opus::reduce_block: the number of threads that count is 1 .. 1024
#include "opus/hip_minimal.hpp"
#include "opus/opus_plus.hpp"

using namespace opus;

__global__ void k(float* p) {
    *p = reduce_block<1025>(*p, plus{}, p + 1);
}
