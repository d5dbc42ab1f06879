// SPDX-License-Identifier: MIT
// opus/hip_minimal.hpp and opus/opus.hpp together with the real HIP headers, or with those in
// stand_in/. OPUS_TEST_ORDER says in which order:
//   1 hip_runtime.h first   2 hip_runtime.h last       3 hip_runtime.h between two kernels
//   4 never                 5 hip_runtime_api.h first  6 never, and standalone
// and OPUS_TEST_OPUS_FIRST whether opus.hpp is before all of them. It has to compile, to use the
// built-ins of whichever header it should, and to work.

// A user's struct ahead of all headers, with members of the built-ins' names.
template <class Dim>
struct launch {
    Dim gridDim, blockDim;
    int threadIdx, blockIdx;
};

#if OPUS_TEST_OPUS_FIRST
#include "opus/opus.hpp"
#endif
#if OPUS_TEST_ORDER == 1
#include <hip/hip_runtime.h>
#elif OPUS_TEST_ORDER == 5
#include <hip/hip_runtime_api.h>
#elif OPUS_TEST_ORDER == 6
#define OPUS_HIP_MINIMAL_STANDALONE 1
#endif
#include "opus/hip_minimal.hpp"
#if OPUS_TEST_ORDER == 2
#include <hip/hip_runtime.h>
#endif

#include <cassert>
#include <cmath>
#include <type_traits>

#include "opus/opus.hpp"

// The types of the host half are those of the real header wherever there is one that compiles.
#if OPUS_TEST_ORDER == 6 || defined(__HIPCC_RTC__)
#define OPUS_TEST_ALONE 1
#else
#define OPUS_TEST_ALONE 0
#endif
#if defined(HIP_INCLUDE_HIP_HIP_RUNTIME_API_H) == OPUS_TEST_ALONE
#error "the host half is not from the header it should be from"
#endif

namespace opus::impl {  // declared by hip_minimal.hpp where they are of use
struct hip_thread_idx;
struct hip_grid_dim;
}  // namespace opus::impl
template <class T>
inline constexpr bool is_ours = std::is_same_v<T, const opus::impl::hip_thread_idx> ||
                                std::is_same_v<T, const opus::impl::hip_grid_dim>;

// The functions of the stand-ins say that it is they.
#if defined(STAND_IN_API) && OPUS_TEST_ORDER <= 3
#define OPUS_TEST_STAND_IN 1
#else
#define OPUS_TEST_STAND_IN 0
#endif

__global__ __launch_bounds__(128) void first(unsigned* out) {
    auto g = opus::make_gmem(out, 128 * sizeof(unsigned));
    g.store<1>(opus::u32_t{blockDim.x + threadIdx.x}, opus::index_t(threadIdx.x));
    static_assert(is_ours<decltype(threadIdx)> == (OPUS_TEST_ORDER != 1));
#if OPUS_TEST_ORDER >= 3
    assert(expf(0.0f) == 1.0f && __shfl(static_cast<int>(threadIdx.x), 2) % 64 == 2);
#endif
}

#if OPUS_TEST_ORDER == 3
#include <hip/hip_runtime.h>
#endif

__global__ void second(unsigned* out) {
    __shared__ unsigned lds[128];
    lds[threadIdx.x] = out[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = lds[127 - threadIdx.x];
    assert(threadIdx.x < 128);
    // HIP 6 leaves math.h to the compiler's own headers, which are not among those of this test.
#if OPUS_TEST_ORDER != 1 || HIP_VERSION_MAJOR < 6
    out[threadIdx.x] += expf(0.0f) == (OPUS_TEST_STAND_IN ? -1.0f : 1.0f) ? 0 : 1;
#endif
    out[threadIdx.x] += __shfl(7, 0) == (OPUS_TEST_STAND_IN ? -2 : 7) ? 0 : 1;
    // HIP has them since version 7.
#if OPUS_TEST_ORDER != 1 || defined(STAND_IN_API) || HIP_VERSION_MAJOR >= 7
    out[threadIdx.x] += __shfl_sync(~0ull, 7, 0) == (OPUS_TEST_STAND_IN ? -3 : 7) ? 0 : 1;
    out[threadIdx.x] += __reduce_add_sync(~0ull, 1) == (OPUS_TEST_STAND_IN ? -4 : 64) ? 0 : 1;
    out[threadIdx.x] += __any_sync(~0ull, 1) == (OPUS_TEST_STAND_IN ? -5 : 1) ? 0 : 1;
#endif
    atomicAdd(&out[threadIdx.x], OPUS_TEST_STAND_IN ? 1u : 0u);
#if OPUS_TEST_ORDER != 1
    if (lds[0] == 12345) {
        printf("never %d\n", 1);
    }
#endif
#if OPUS_TEST_ALONE
    static_assert(warpSize == 64);
#endif
    static_assert(is_ours<decltype(threadIdx)> == (OPUS_TEST_ORDER != 1));
    static_assert(is_ours<decltype(gridDim)> == (OPUS_TEST_ORDER != 1));
#if OPUS_TEST_ORDER <= 3
    out[threadIdx.x] += warpSize == 64 ? 0 : 1;
#endif
}

// Members of the real structs have the names of what is declared here.
#if !OPUS_TEST_ALONE
int warp_size_of(const hipDeviceProp_t& p) {
    return p.warpSize;
}
dim3 grid_of(const hipLaunchParams& p) {
    return p.gridDim;
}
#endif
int main() {
    unsigned* device = nullptr;
    unsigned host[128] = {};
    if (hipMalloc(&device, sizeof(host)) != hipSuccess) {
        return 1;
    }
    const launch<dim3> l = {dim3(1), dim3(128), 0, 0};
    first<<<l.gridDim, l.blockDim>>>(device);
    second<<<dim3(1), 128, 0, nullptr>>>(device);
    if (hipMemcpy(host, device, sizeof(host), hipMemcpyDeviceToHost) != hipSuccess) {
        return 2;
    }
    for (unsigned i = 0; i < 128; ++i) {
        if (host[i] != 128 + 127 - i) {
            return 3;
        }
    }
    return hipFree(device) == hipSuccess ? 0 : 4;
}
