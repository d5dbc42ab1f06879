// expect: opus::mfma: the fp64 instructions have no cbsz and abid
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

__global__ void k(const double* a, double* c) {
    *c = mfma_f64_4x4x4_4b_f64{}(*a, *a, fp64x1_t{*c}, 1_I, 0_I)[0];
}
