// Passes bf16 by value and converts to it, from float and double, in code that is not optimised.
#include <cstdio>

#include "kernels.hpp"

using opus::bf16_t;

bf16_t doubled_on_host(float x) {
    return opus::fp32_to_bf16(2 * x, opus::number<0>{});
}

template <class T>
bf16_t rounded(T x) {
#if __clang_major__ >= 20
    return static_cast<bf16_t>(x);
#else
    return opus::fp32_to_bf16(static_cast<float>(x), opus::number<0>{});
#endif
}

int main() {
    constexpr int count = 8;
    // The one before the last is beyond the middle of two bf16 by less than fp32 can say.
    const double values[count] = {0, -1.0, 3.14159, 1e30, -1e-40, 257, 1.00390625 + 0x1p-40, 1e39};
    float x[count];
    for (int i = 0; i < count; ++i) {
        x[i] = static_cast<float>(values[i]);
    }
    float* on_gpu_x = nullptr;
    bf16_t* on_gpu_y = nullptr;
    bf16_t y[count];
    if (hipMalloc(&on_gpu_x, sizeof(x)) != hipSuccess ||
        hipMalloc(&on_gpu_y, sizeof(y)) != hipSuccess ||
        hipMemcpy(on_gpu_x, x, sizeof(x), hipMemcpyHostToDevice) != hipSuccess ||
        doubled(on_gpu_x, on_gpu_y, count) != hipSuccess ||
        hipMemcpy(y, on_gpu_y, sizeof(y), hipMemcpyDeviceToHost) != hipSuccess) {
        return 1;
    }
    int right = 0;
    for (int i = 0; i < count; ++i) {
        const bf16_t expected = doubled_on_host(x[i]);
        right += __builtin_memcmp(&y[i], &expected, 2) == 0 ? 1 : 0;
    }
    const bf16_t from_float = rounded(2 * x[2]);
    const bf16_t from_double = rounded(values[6]);
    const bf16_t expected[2] = {doubled_on_host(x[2]), opus::fp32_to_bf16(1.0078125f)};
    if (__builtin_memcmp(&from_float, &expected[0], 2) != 0 ||
        (__clang_major__ >= 20 && __builtin_memcmp(&from_double, &expected[1], 2) != 0)) {
        std::printf("the host rounds to another bf16\n");
        return 1;
    }
    std::printf("%d of %d are right\n", right, count);
    return right == count ? 0 : 1;
}
