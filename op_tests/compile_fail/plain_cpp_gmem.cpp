// expect: opus::make_gmem: for kernels; compile this file as HIP, with -x hip and --offload-arch=
// expect: opus::thread_id_x: for kernels; compile this file as HIP, with -x hip and --offload-arch=
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

__global__ void kernel(float* to, const float* from) {
    using namespace opus;
    make_gmem(to).store(make_gmem(from).load<1>(thread_id_x()), thread_id_x());
}
