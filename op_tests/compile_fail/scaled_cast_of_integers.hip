// expect: opus::scaled_cast: elements of fp32, fp16, bf16 or fp4 are required
#include "opus/hip_minimal.hpp"
#include "opus/opus_plus.hpp"

using namespace opus;

__global__ void k(const i32x2_t* p, fp8x2_t* q) {
    *q = scaled_cast<fp8_t>(*p, 2.0f);
}
