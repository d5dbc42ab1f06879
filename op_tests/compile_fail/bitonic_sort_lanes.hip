// expect: opus::bitonic_sort_wave, bitonic_merge_wave: 2, 4, 8, 16, 32 or 64 lanes
#include "opus/hip_minimal.hpp"
#include "opus/opus_plus.hpp"

using namespace opus;

__global__ void k(float* p) {
    *p = bitonic_sort_wave<12>(*p);
}
