// s_waitcnt: what stands in the instruction. A kernel each, because the compiler merges neighbours.
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using opus::operator""_I;

extern "C" {
__global__ void wait_both() {
    opus::s_waitcnt(37_I, 2_I);
}
__global__ void wait_all() {
    opus::s_waitcnt(0_I, 0_I);
}
__global__ void wait_export() {
    opus::s_waitcnt(5_I, 15_I, 3_I);
}
__global__ void wait_vector_memory() {
    opus::s_waitcnt_vmcnt(20_I);
}
__global__ void wait_lds() {
    opus::s_waitcnt_lgkmcnt(4_I);
}
// Counts beyond the bits of the instruction wait for more.
__global__ void wait_beyond_lds() {
    opus::s_waitcnt_lgkmcnt(16_I);
}
__global__ void wait_beyond_vector_memory() {
    opus::s_waitcnt_vmcnt(66_I);
}
__global__ void wait_beyond_export() {
    opus::s_waitcnt(63_I, 31_I, 9_I);
}
}
