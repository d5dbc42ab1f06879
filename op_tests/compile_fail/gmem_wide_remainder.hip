// expect: more than 16 bytes must be a multiple of 4 bytes
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

__global__ void k(const _Float16* p, _Float16* q) {
    q[0] = make_gmem(p).load<9>(0)[0];
}
