#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

namespace {

__global__ void kernel(int* x) {
    auto g = opus::make_gmem(x, 4u);
    g.store<1>(g.load<1>(opus::thread_id_x()) + 10, opus::thread_id_x());
}

}  // namespace

// x + 10, by a kernel; -1 if that fails.
extern "C" int add_ten(int x) {
    int* on_gpu = nullptr;
    if (hipMalloc(&on_gpu, sizeof(x)) != hipSuccess ||
        hipMemcpy(on_gpu, &x, sizeof(x), hipMemcpyHostToDevice) != hipSuccess) {
        return -1;
    }
    kernel<<<1, 64>>>(on_gpu);
    const bool ok = hipGetLastError() == hipSuccess &&
                    hipMemcpy(&x, on_gpu, sizeof(x), hipMemcpyDeviceToHost) == hipSuccess &&
                    hipFree(on_gpu) == hipSuccess;
    return ok ? x : -1;
}
