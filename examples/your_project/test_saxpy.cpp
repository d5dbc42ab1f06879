// A test is a program that returns 0; GoogleTest and others fit in as usual.
#include <cstdio>
#include <vector>

#include "saxpy.hpp"

#define CHECK(call)                                                                          \
    if (const hipError_t error = (call); error != hipSuccess) {                              \
        std::printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, hipGetErrorString(error)); \
        return 1;                                                                            \
    }

int main() {
    constexpr size_t count = 5003;  // no multiple of anything
    constexpr float a = 3.0f;
    constexpr float guard = -1.0f;
    std::vector<float> x(count + 1);
    std::vector<float> y(count + 1);
    for (size_t i = 0; i < count; ++i) {
        x[i] = static_cast<float>(i);
        y[i] = static_cast<float>(i % 7);
    }
    y[count] = guard;

    float* on_gpu_x = nullptr;
    float* on_gpu_y = nullptr;
    const size_t bytes = (count + 1) * sizeof(float);
    CHECK(hipMalloc(&on_gpu_x, bytes));
    CHECK(hipMalloc(&on_gpu_y, bytes));
    CHECK(hipMemcpy(on_gpu_x, x.data(), bytes, hipMemcpyHostToDevice));
    CHECK(hipMemcpy(on_gpu_y, y.data(), bytes, hipMemcpyHostToDevice));
    CHECK(saxpy(a, on_gpu_x, on_gpu_y, count));
    std::vector<float> result(count + 1);
    CHECK(hipMemcpy(result.data(), on_gpu_y, bytes, hipMemcpyDeviceToHost));
    CHECK(hipFree(on_gpu_x));
    CHECK(hipFree(on_gpu_y));

    for (size_t i = 0; i <= count; ++i) {
        const float expected = i < count ? a * x[i] + y[i] : guard;
        if (result[i] != expected) {
            std::printf("element %zu is %g instead of %g\n", i, result[i], expected);
            return 1;
        }
    }
    std::printf("%zu elements are right\n", count);
    return 0;
}
