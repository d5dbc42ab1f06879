// expect: opus::scan_block: the number of threads is 1 .. 1024
// target: gfx942
#include "opus/hip_minimal.hpp"
#include "opus/opus_plus.hpp"

using namespace opus;

__global__ void k(float* p) {
    *p = scan_block<1025>(*p, plus{}, p + 1);
}
