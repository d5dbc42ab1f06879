// expect: opus::reduce_wave, reduce_block: the compiler takes codes of fp8 and bf8 for integers
#include "opus/hip_minimal.hpp"
#include "opus/opus_plus.hpp"

using namespace opus;

__global__ void k(bf8x4_t* p) {
    __shared__ bf8x4_t lds[16];
    *p = reduce_block(*p, plus{}, lds);
}
