// expect: opus::reduce_block: the number of threads is a multiple of 64, 64 .. 1024
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;

__global__ void k(float* p) {
    *p = reduce_block<100>(*p, plus{}, p + 1);
}
