// expect: opus::store_vector: what a lane stores at a time is a multiple of 4 bytes
#include "opus/hip_minimal.hpp"
#include "opus/opus_plus.hpp"

using namespace opus;

__global__ void k(fp16_t* p, fp16_t x) {
    store_vector<fp16_t, fp16_t, 1>(make_gmem(p), vector_t<fp16_t, 1>{x}, 0);
}
