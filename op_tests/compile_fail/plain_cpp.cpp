// Plain C++: what is for kernels alone says that the file must be compiled as HIP.
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

// == gmem_in_plain_cpp
// expect: opus::make_gmem: for kernels; compile this file as HIP, with -x hip and --offload-arch=
// expect: opus::thread_id_x: for kernels; compile this file as HIP, with -x hip and --offload-arch=
namespace gmem_in_plain_cpp {
__global__ void kernel(float* to, const float* from) {
    using namespace opus;
    make_gmem(to).store(make_gmem(from).load<1>(thread_id_x()), thread_id_x());
}
}  // namespace gmem_in_plain_cpp

// == mfma_in_plain_cpp
// expect: opus::mfma: for kernels; compile this file as HIP, with -x hip and --offload-arch=
namespace mfma_in_plain_cpp {
__global__ void kernel() {
    using namespace opus;
    auto mma = make_mfma<fp16_t, fp16_t, fp32_t>(32_I, 32_I, 8_I);
    mma(typename decltype(mma)::vtype_a{}, typename decltype(mma)::vtype_b{});
}
}  // namespace mfma_in_plain_cpp

// == smem_in_plain_cpp
// expect: opus::make_smem: for kernels; compile this file as HIP, with -x hip and --offload-arch=
namespace smem_in_plain_cpp {
__global__ void kernel(float* p) {
    using namespace opus;
    make_smem(p);
}
}  // namespace smem_in_plain_cpp
