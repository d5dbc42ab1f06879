// expect: opus::gmem, opus::smem: an offset has 32 bits .static_cast<int> where it fits; gmem_wide
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;

__global__ void k(float* p) {
    p[0] = make_gmem(p).load(std::integral_constant<long long, 0x100000000>{})[0];
}
