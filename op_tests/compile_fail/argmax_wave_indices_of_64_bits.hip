// expect: opus::argmax_wave, argmin_wave, top_k_wave: indices have at most 32 bits
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;

__global__ void k(float* p, long_index_t i) {
    *p = argmax_wave(*p, i).value;
}
