// The kernels of docs/patterns.md, run. Elements are small whole numbers, so every sum is exact.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "common/device.hpp"
#include "patterns_blocks.hpp"  // what the page shows

namespace {

using examples::device_buffer;

void finish() {
    examples::check(hipGetLastError(), "launch");
    examples::check(hipDeviceSynchronize(), "hipDeviceSynchronize");
}

template <class T>
std::vector<T> numbers(int count, int limit, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<T> values(static_cast<std::size_t>(count));
    for (T& value : values) {
        const auto below = static_cast<int>(random() % static_cast<unsigned>(2 * limit + 1));
        value = static_cast<T>(static_cast<float>(below - limit));
    }
    return values;
}

// C (m x n), row by row: sum over k of a(i, k) * b(j, k).
template <class A, class B>
std::vector<float> product(int m, int n, int k, const A& a, const B& b) {
    std::vector<float> c;
    for (int i = 0; i < m; ++i) {
        for (int j = 0; j < n; ++j) {
            float sum = 0;
            for (int l = 0; l < k; ++l) {
                sum += a(i, l) * b(j, l);
            }
            c.push_back(sum);
        }
    }
    return c;
}

// The element of row i and column l of a matrix with rows of k.
template <class T>
auto by_rows(const std::vector<T>& values, int k) {
    return [&values, k](int i, int l) {
        return static_cast<float>(values[static_cast<std::size_t>(i * k + l)]);
    };
}

TEST(patterns, edges) {
    for (const auto& [m, n, k] :
         {std::tuple(45, 70, 37), std::tuple(32, 32, 8), std::tuple(1, 33, 1)}) {
        const auto a = numbers<fp16_t>(m * k, 4, 1);
        const auto b = numbers<fp16_t>(n * k, 4, 2);
        const device_buffer<fp16_t> on_a(a), on_b(b);
        const device_buffer<float> c(static_cast<std::size_t>(m * n));
        gemm_edges<<<dim3(static_cast<unsigned>(n + 31) / 32, static_cast<unsigned>(m + 31) / 32),
                     64>>>(on_a.data(), on_b.data(), c.data(), m, n, k);
        finish();
        EXPECT_EQ(c.to_host(), product(m, n, k, by_rows(a, k), by_rows(b, k))) << m << n << k;
    }
}

TEST(patterns, odd_tail) {
    for (const int n : {1, 2, 255, 256, 257}) {
        const auto x = numbers<bf16_t>(n, 100, 3);
        const device_buffer<bf16_t> on_x(x), y(x.size());
        twice<<<3, 64>>>(on_x.data(), y.data(), n);
        finish();
        const auto got = y.to_host();
        for (std::size_t i = 0; i < x.size(); ++i) {
            EXPECT_EQ(static_cast<float>(got[i]), 2 * static_cast<float>(x[i])) << i << " of " << n;
        }
    }
}

TEST(patterns, requantise) {
    constexpr int m = 3, n = 300;
    const auto sums = numbers<int>(m * n, 1000, 4);
    std::vector<float> scales(n);
    for (std::size_t j = 0; j < n; ++j) {
        scales[j] = j % 3 == 0 ? 0.5f : j % 3 == 1 ? 0.125f : 0.03f;  // halves, too
    }
    const device_buffer<int> on_sums(sums);
    const device_buffer<float> on_scales(scales);
    const device_buffer<i8_t> q(m * n);
    requantise<<<m, 64>>>(on_sums.data(), on_scales.data(), q.data(), 3, n);
    finish();
    const auto got = q.to_host();
    for (std::size_t i = 0; i < m * n; ++i) {
        const float x = std::nearbyint(static_cast<float>(sums[i]) * scales[i % n]) + 3;
        EXPECT_EQ(got[i], static_cast<int>(std::clamp(x, -128.0f, 127.0f))) << i;
    }
}

TEST(patterns, bias) {
    const auto c = numbers<float>(32 * 32, 50, 5);
    const auto column = numbers<float>(32, 50, 6);
    const auto row = numbers<float>(32, 50, 7);
    const device_buffer<float> on_c(c), on_column(column), on_row(row);
    add_bias<<<1, 64>>>(on_c.data(), on_column.data(), on_row.data());
    finish();
    const auto got = on_c.to_host();
    for (std::size_t i = 0; i < got.size(); ++i) {
        EXPECT_EQ(got[i], c[i] + column[i % 32] + row[i / 32]) << i;
    }
}

#if !defined(__gfx942__)  // which has no scales
TEST(patterns, scales_over_waves) {
    if (examples::device_name().find("gfx950") == std::string::npos) {
        GTEST_SKIP() << "gfx950 only";
    }
    constexpr int size = 64, k = 256;
    std::vector<fp8_t> a, b;
    const auto a_values = numbers<float>(size * k, 2, 8), b_values = numbers<float>(size * k, 2, 9);
    std::transform(a_values.begin(), a_values.end(), std::back_inserter(a),
                   [](float x) { return cast<fp8_t>(x, fp8_ocp{}); });
    std::transform(b_values.begin(), b_values.end(), std::back_inserter(b),
                   [](float x) { return cast<fp8_t>(x, fp8_ocp{}); });
    auto scales = [](unsigned seed) {
        auto bytes = numbers<float>(size * k / 32, 1, seed);  // 2^-1, 1, 2
        std::vector<u8_t> codes;
        std::transform(bytes.begin(), bytes.end(), std::back_inserter(codes),
                       [](float x) { return static_cast<u8_t>(127 + static_cast<int>(x)); });
        return codes;
    };
    const auto scales_a = scales(10), scales_b = scales(11);
    const device_buffer<fp8_t> on_a(a), on_b(b);
    const device_buffer<u8_t> on_scales_a(scales_a), on_scales_b(scales_b);
    const device_buffer<float> c(size * size);
    gemm_mx<<<1, 256>>>(on_a.data(), on_b.data(), on_scales_a.data(), on_scales_b.data(), c.data(),
                        k);
    finish();
    const auto scaled = [](const std::vector<float>& values, const std::vector<u8_t>& codes) {
        return [&](int i, int l) {
            return std::ldexp(values[static_cast<std::size_t>(i * k + l)],
                              codes[static_cast<std::size_t>(i * (k / 32) + l / 32)] - 127);
        };
    };
    EXPECT_EQ(c.to_host(),
              product(size, size, k, scaled(a_values, scales_a), scaled(b_values, scales_b)));
}
#endif

TEST(patterns, split_k) {
    constexpr int n = 64, k = 200;
    const auto a = numbers<fp16_t>(32 * k, 4, 12), b = numbers<fp16_t>(n * k, 4, 13);
    const device_buffer<fp16_t> on_a(a), on_b(b);
    const device_buffer<float> c(std::vector<float>(32 * n, 0.0f));
    gemm_split_k<<<dim3(n / 32, 1, 3), 64>>>(on_a.data(), on_b.data(), c.data(), n, k, 72);
    finish();
    EXPECT_EQ(c.to_host(), product(32, n, k, by_rows(a, k), by_rows(b, k)));
}

TEST(patterns, two_buffers) {
    constexpr int n = 128;
    for (const int k : {32, 64, 160}) {
        const auto a = numbers<fp16_t>(64 * k, 4, 14), b = numbers<fp16_t>(n * k, 4, 15);
        const device_buffer<fp16_t> on_a(a), on_b(b);
        const device_buffer<float> c(64 * n);
        gemm_two_buffers<<<n / 64, 256>>>(on_a.data(), on_b.data(), c.data(), n, k);
        finish();
        EXPECT_EQ(c.to_host(), product(64, n, k, by_rows(a, k), by_rows(b, k))) << k;
    }
}

}  // namespace
