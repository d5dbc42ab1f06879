// expect: opus::gmem_wide: the offset that may differ by lane has 32 bits
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;

__global__ void k(float* p) {
    p[0] = make_gmem_wide(p).load(std::integral_constant<long long, 0x100000000>{})[0];
}
