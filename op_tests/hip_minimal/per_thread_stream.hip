// SPDX-License-Identifier: MIT
// With -fgpu-default-stream=per-thread, <<<>>> without a stream launches on the host thread's own
// default stream. A copy by the other default stream comes after it.
#include "opus/hip_minimal.hpp"

#ifndef HIP_API_PER_THREAD_DEFAULT_STREAM
#error "clang defines this with -fgpu-default-stream=per-thread"
#endif

__global__ void fill(int* out, int value) {
    out[threadIdx.x] = value + static_cast<int>(threadIdx.x);
}

int main() {
    int* device = nullptr;
    int host[64] = {};
    if (hipMalloc(&device, sizeof(host)) != hipSuccess) {
        return 1;
    }
    fill<<<1, 64>>>(device, 100);
    if (hipMemcpy(host, device, sizeof(host), hipMemcpyDeviceToHost) != hipSuccess) {
        return 2;
    }
    for (int i = 0; i < 64; ++i) {
        if (host[i] != 100 + i) {
            return 3;
        }
    }
    return hipFree(device) == hipSuccess ? 0 : 4;
}
