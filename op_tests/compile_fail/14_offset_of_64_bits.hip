// expect: opus::gmem, opus::smem: an offset has 32 bits.*static_cast<int> where it fits; gmem_wide
#define OPUS_OFFSETS_OF_64_BITS 2
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;

__global__ void k(float* p, long long i) {
    p[0] = make_gmem(p).load(i)[0];
}
