// expect: opus::mfma: for kernels; compile this file as HIP, with -x hip and --offload-arch=
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

__global__ void kernel() {
    using namespace opus;
    auto mma = make_mfma<fp16_t, fp16_t, fp32_t>(32_I, 32_I, 8_I);
    mma(typename decltype(mma)::vtype_a{}, typename decltype(mma)::vtype_b{});
}
