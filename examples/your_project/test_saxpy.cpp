// A test is a program that returns 0; GoogleTest and others fit in as usual.
#include <cmath>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "common/host.hpp"
#include "saxpy.hpp"

int main() try {
    constexpr int count = 5003;  // no multiple of anything
    constexpr float a = 3.0f;
    constexpr float guard = -1.0f;
    std::vector<float> x;
    std::vector<float> y;
    std::vector<float> expected;
    for (int i = 0; i < count; ++i) {
        x.push_back(static_cast<float>(i));
        y.push_back(static_cast<float>(i % 7));
        expected.push_back(a * x.back() + y.back());
    }
    y.push_back(guard);
    expected.push_back(guard);

    const examples::device_buffer<float> on_gpu_x(x);
    const examples::device_buffer<float> on_gpu_y(y);
    examples::check(saxpy(a, on_gpu_x.data(), on_gpu_y.data(), count), "saxpy");
    const std::vector<float> result = on_gpu_y.to_host();

    examples::comparison all;
    for (size_t i = 0; i < result.size(); ++i) {
        if (result[i] != expected[i]) {
            all.add(i, result[i], expected[i], 0, std::fabs(result[i] - expected[i]));
        }
    }
    const bool pass = all.print([](size_t i) { return "y[" + std::to_string(i) + "]"; });
    std::printf(pass ? "all elements are right\n" : "FAIL\n");
    return pass ? 0 : 1;
} catch (const std::exception& e) {
    std::printf("%s\n", e.what());
    return 1;
}
