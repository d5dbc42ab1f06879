// expect: opus::load_vector_nbytes, store_vector_nbytes: a chunk has 1, 2, 4, 8, 12 or 16 bytes
#include "opus/hip_minimal.hpp"
#include "opus/opus_plus.hpp"

using namespace opus;

__global__ void k(const fp16_t* p, fp16_t* q) {
    *q = load_vector_nbytes<fp16_t, 6, 6>(make_gmem(p), 0)[0];
}
