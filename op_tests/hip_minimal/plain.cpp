// SPDX-License-Identifier: MIT
// opus/hip_minimal.hpp in a file that is not HIP: the host half, and the keywords as nothing.
#include "opus/hip_minimal.hpp"

__global__ void kernel(int*, size_t);  // declared in a header that host files share

struct __align__(16) aligned_pair {
    int x, y;
};
static_assert(sizeof(aligned_pair) == 16 && alignof(aligned_pair) == 16);

static __noinline__ unsigned twice(unsigned x) {
    return 2 * x;
}

__host__ __device__ __forceinline__ unsigned volume(const dim3& d) {
    return d.x * d.y * d.z;
}

#if defined(threadIdx) || defined(__syncthreads)
#error "kernel built-ins where there are no kernels"
#endif

int main() {
    const hipError_t status = hipSuccess;
    hipStream_t stream = nullptr;
    return volume(dim3(2, 3, 4)) == 24 && twice(3) == 6 && status == 0 && stream == nullptr ? 0 : 1;
}
