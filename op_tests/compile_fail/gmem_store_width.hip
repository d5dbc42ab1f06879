// expect: opus::gmem: one instruction moves 1, 2, 4, 8, 12 or 16 bytes
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

__global__ void k(const float* p, float* q) {
    make_gmem(q)._store<5>(make_gmem(p).load<5>(0), 0);
}
