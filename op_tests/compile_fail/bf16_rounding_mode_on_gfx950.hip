// expect: opus::fp32_to_bf16: the rounding mode is 0.* 5
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

__global__ void k(opus::bf16_t* p, float x) {
    *p = opus::fp32_to_bf16(x, opus::number<-1>{});
}
