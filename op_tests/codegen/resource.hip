// The four words of the buffer resource that LDS-DMA is given: of a buffer whose address, size and
// configuration are constants, they are constants in the assembly.
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

namespace {
__device__ const float* far_away() {
    return reinterpret_cast<const float*>(0xf001234abcd56780ull);
}
}  // namespace

extern "C" {
__global__ void dma_resource(float* to) {
    __shared__ float lds[64];
    make_gmem(far_away(), 0x13579bdfu, 0x00027fac).async_load(lds, lane_id());
    s_waitcnt_vmcnt(0_I);
    to[thread_id_x()] = lds[thread_id_x()];
}
// Without a size and a configuration.
__global__ void dma_resource_by_default(float* to) {
    __shared__ float lds[64];
    make_gmem(far_away()).async_load(lds, lane_id());
    s_waitcnt_vmcnt(0_I);
    to[thread_id_x()] = lds[thread_id_x()];
}
__global__ void dma_resource_of_gmem(float* to) {
    __shared__ float lds[64];
    gmem<float>(far_away()).async_load(lds, lane_id());
    s_waitcnt_vmcnt(0_I);
    to[thread_id_x()] = lds[thread_id_x()];
}
__global__ void resource_of_buffer(float* to) {
    const auto resource = make_buffer_rsrc(far_away());
    to[thread_id_x()] = __builtin_bit_cast(
        float, __builtin_amdgcn_raw_buffer_load_b32(resource, lane_id() * 4, 0, 0));
}
__global__ void dma_resource_if(float* to, int limit) {
    __shared__ float lds[64];
    const auto u =
        make_layout(make_tuple(64_I, 1_I), make_tuple(1_I, 1_I), make_tuple(lane_id(), _));
    make_gmem(far_away(), 0xfffffffeu, 0x00027fac)
        .async_load_if([&](auto) { return lane_id() < limit; }, lds, u, u);
    s_waitcnt_vmcnt(0_I);
    to[thread_id_x()] = lds[thread_id_x()];
}
}
