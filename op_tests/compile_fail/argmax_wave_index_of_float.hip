// expect: opus::argmax_wave, argmin_wave, top_k_wave: as many indices are required
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

__global__ void k(float* p) {
    *p = argmax_wave(*p, 1.0f).value;
}
