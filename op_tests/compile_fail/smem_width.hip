// expect: opus::smem: one instruction moves 1, 2, 4, 8, 12 or 16 bytes
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

__global__ void k(float* p) {
    __shared__ float lds[256];
    p[0] = make_smem(lds)._load<5>(0)[0];
}
