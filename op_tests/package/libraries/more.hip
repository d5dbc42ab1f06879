#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

namespace {

__global__ void kernel(int* x) {
    auto g = opus::make_gmem(x, 4u);
    g.store<1>(g.load<1>(opus::thread_id_x()) * 7, opus::thread_id_x());
}

}  // namespace

// 7 * x, by a kernel of the same name as another file's; -1 if that fails.
extern "C" int seven_times(int x) {
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
