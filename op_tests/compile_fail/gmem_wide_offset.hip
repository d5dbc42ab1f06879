// expect: opus::gmem_wide: the offset that may differ by lane has 32 bits
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

__global__ void k(float* p, long long i) {
    p[0] = make_gmem_wide(p).load(i)[0];
}
