// expect: opus::scaled_cast: an even number of elements is required
#include "opus/hip_minimal.hpp"
#include "opus/opus_plus.hpp"

using namespace opus;

__global__ void k(const vector_t<float, 3>* p, vector_t<fp8_t, 3>* q) {
    *q = scaled_cast<fp8_t>(*p, 2.0f);
}
