// expect: opus::load_vector_nbytes: vec_size elements are whole chunks of chunk_bytes
#include "opus/hip_minimal.hpp"
#include "opus/opus_plus.hpp"

using namespace opus;

__global__ void k(const float* p, float* q) {
    *q = load_vector_nbytes<float, 6, 16>(make_gmem(p), 0)[0];
}
