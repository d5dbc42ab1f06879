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

// The exponent by std::frexp, and the nearest of fp4's numbers, ties to even codes.
TEST(patterns, quantise_mxfp4) {
    constexpr int blocks = 150;
    std::vector<bf16_t> x;
    std::mt19937 random(14);
    for (int i = 0; i < blocks * 32; ++i) {
        const int exponent = i / 32 == 0 ? -133 : i / 32 % 40 - 20;  // the first: denormals, too
        const float mantissa = static_cast<float>(random() % 255) - 127;
        x.push_back(static_cast<bf16_t>(i / 32 == 1 ? 0.0f : std::ldexp(mantissa, exponent)));
    }
    x[2 * 32 + 5] = static_cast<bf16_t>(INFINITY);
    const device_buffer<bf16_t> on_x(x);
    const device_buffer<u8_t> codes(blocks * 16), scales(blocks);
    quantise_mxfp4<<<3, 64>>>(on_x.data(), reinterpret_cast<fp4_t*>(codes.data()), scales.data(),
                              blocks);
    finish();
    const auto got_codes = codes.to_host(), got_scales = scales.to_host();
    constexpr double numbers_of_fp4[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
    for (std::size_t block = 0; block < blocks; ++block) {
        double largest = 0;
        for (std::size_t i = 0; i < 32; ++i) {
            largest = std::max(largest, std::fabs(static_cast<double>(x[block * 32 + i])));
        }
        if (block == 2) {
            EXPECT_EQ(got_scales[block], 255);
            continue;
        }
        int exponent = -125;  // of zeros
        if (largest > 0) {
            std::frexp(largest, &exponent);  // largest < 2^exponent
            exponent = std::max(exponent - 1, -125);
        }
        ASSERT_EQ(got_scales[block], exponent - 2 + 127) << block;
        for (std::size_t i = 0; i < 32; ++i) {
            const double value = std::ldexp(static_cast<double>(x[block * 32 + i]), 2 - exponent);
            int nearest = 0;
            for (int code = 1; code < 8; ++code) {
                const double to_this = std::fabs(numbers_of_fp4[code] - std::fabs(value));
                const double to_that = std::fabs(numbers_of_fp4[nearest] - std::fabs(value));
                nearest =
                    to_this < to_that || (to_this == to_that && code % 2 == 0) ? code : nearest;
            }
            const int code = got_codes[(block * 32 + i) / 2] >> (i % 2 * 4) & 15;
            ASSERT_EQ(code & 7, nearest) << block << ", " << i << ": " << value;
            ASSERT_TRUE(nearest == 0 || code >> 3 == (value < 0)) << block << ", " << i;
        }
    }
}

TEST(patterns, block_scales) {
    constexpr int m = 128, n = 64, k = 384;
    const bool is_fnuz = examples::device_name().find("gfx942") != std::string::npos;
    const auto codes = [&](const std::vector<float>& values) {
        std::vector<fp8_t> result;
        for (const float x : values) {
            result.push_back(is_fnuz ? cast<fp8_t>(x, fp8_fnuz{}) : cast<fp8_t>(x, fp8_ocp{}));
        }
        return result;
    };
    const auto powers = [](int count, unsigned seed) {
        auto values = numbers<float>(count, 2, seed);
        for (float& x : values) {
            x = std::ldexp(1.0f, static_cast<int>(x));
        }
        return values;
    };
    const auto a = numbers<float>(m * k, 2, 16), b = numbers<float>(n * k, 2, 17);
    const auto scales_a = powers(m * k / 128, 18), scales_b = powers(k / 128, 19);
    const device_buffer<fp8_t> on_a(codes(a)), on_b(codes(b));
    const device_buffer<float> on_scales_a(scales_a), on_scales_b(scales_b), c(m * n);
    gemm_block_scales<<<1, 256>>>(on_a.data(), on_b.data(), on_scales_a.data(), on_scales_b.data(),
                                  c.data(), k);
    finish();
    const auto scaled_a = [&](int i, int l) {
        return by_rows(a, k)(i, l) * by_rows(scales_a, k / 128)(i, l / 128);
    };
    const auto scaled_b = [&](int j, int l) {
        return by_rows(b, k)(j, l) * by_rows(scales_b, 0)(0, l / 128);
    };
    EXPECT_EQ(c.to_host(), product(m, n, k, scaled_a, scaled_b));
}

}  // namespace
