// expect: opus::bitonic_sort_wave, bitonic_merge_wave: keys are fp32, i32 or u32
#include "opus/hip_minimal.hpp"
#include "opus/opus_plus.hpp"

using namespace opus;

__global__ void k(fp16_t* p) {
    *p = bitonic_sort_wave(*p);
}
