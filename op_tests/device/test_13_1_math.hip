// max, min and med3 against the host, and division by mdiv.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "common/device.hpp"
#include "opus/opus.hpp"
#include "vector_values.hpp"

namespace {

using namespace opus;
using examples::device_buffer;

// ---- max, min, med3: the same functions on both sides ----

template <class T>
OPUS_H_D void order_triple(const T& a, const T& b, const T& c, T* out) {
    out[0] = max(a, b);
    out[1] = min(a, b);
    out[2] = max3(a, b, c);
    out[3] = min3(a, b, c);
    out[4] = med3(a, b, c);
}

template <class T>
__global__ void order_triples(const T* x, int n, T* out) {
    const int i = block_id_x() * block_size_x() + thread_id_x();
    if (i < n * n * n) {
        order_triple(x[i / n / n], x[i / n % n], x[i % n], out + 5 * i);
    }
}

template <class T>
void check_order(const std::vector<T>& x) {
    const size_t triples = x.size() * x.size() * x.size();
    device_buffer<T> device_x(x);
    device_buffer<T> out(5 * triples);
    order_triples<<<static_cast<unsigned>((triples + 63) / 64), 64>>>(
        device_x.data(), static_cast<int>(x.size()), out.data());
    finish();
    const auto result = out.to_host();
    for (size_t i = 0; i < triples; i++) {
        T expected[5];
        order_triple(x[i / x.size() / x.size()], x[i / x.size() % x.size()], x[i % x.size()],
                     expected);
        for (size_t k = 0; k < 5; k++) {
            const T r = result[5 * i + k];
            ASSERT_TRUE(r == expected[k] || (r != r && expected[k] != expected[k]))
                << "triple " << i << " function " << k << ": " << static_cast<double>(r)
                << ", on the host " << static_cast<double>(expected[k]);
        }
    }
}

template <class T>
std::vector<T> floats_in_order() {
    std::vector<T> values;
    for (const double v : {-1e30, -65504.0, -2.5, -1.0, -6e-8, 0.0, 6e-8, 1e-4, 1.0, 3.0, 1e30,
                           static_cast<double>(NAN), static_cast<double>(INFINITY)}) {
        values.push_back(static_cast<T>(v));
    }
    return values;
}

TEST(order, is_that_of_the_host) {
    check_order(floats_in_order<float>());
    check_order(floats_in_order<fp16_t>());
    check_order(floats_in_order<double>());
    check_order<int>({std::numeric_limits<int>::min(), -5, -1, 0, 1, 5, 1 << 30,
                      std::numeric_limits<int>::max()});
    check_order<unsigned>({0, 1, 5, 0x7fffffff, 0x80000000, 0xffffffff});
    check_order<short>({-32768, -1, 0, 1, 32767});
    check_order<unsigned char>({0, 1, 127, 128, 255});
    check_order<long>({-(1l << 40), -1, 0, 1l << 32, 1l << 62});
}

// ---- mdiv ----

__global__ void divide(const u32_t* dividends, int n, mdiv m, u32_t d, u32_t* out) {
    const int i = block_id_x() * block_size_x() + thread_id_x();
    if (i < n) {
        out[2 * i] = m.div(dividends[i]);
        const auto [quotient, remainder] = mdiv(d).divmod(dividends[i]);  // made on the device
        out[2 * i + 1] = quotient * 7 + remainder;
    }
}
// out[4 * i] to [4 * i + 3]: in[i] / d, the quotient and the remainder, and d.
__global__ void divide_int(const int* dividends, int n, mdiv m, u32_t* out) {
    const int i = block_id_x() * block_size_x() + thread_id_x();
    if (i < n) {
        out[4 * i] = m.div(dividends[i]);
        m.divmod(dividends[i], out[4 * i + 1], out[4 * i + 2]);
        out[4 * i + 3] = m.get();
    }
}

TEST(mdiv, on_the_device) {
    std::mt19937 random(13);
    std::vector<u32_t> dividends = {0, 1, 2, 0x7fffffff, 0x80000000, 0x80000001, 0xffffffff};
    while (dividends.size() < 1024) {
        dividends.push_back(static_cast<u32_t>(random()));
    }
    device_buffer<u32_t> in(dividends);
    device_buffer<u32_t> out(2 * dividends.size());
    for (const u32_t d : {1u, 2u, 3u, 7u, 1000u, 65537u, 0x7fffffffu, 0x80000001u, 0xffffffffu}) {
        divide<<<4, 256>>>(in.data(), static_cast<int>(dividends.size()), mdiv(d), d, out.data());
        finish();
        const auto result = out.to_host();
        for (size_t i = 0; i < dividends.size(); i++) {
            ASSERT_EQ(result[2 * i], dividends[i] / d) << dividends[i] << " / " << d;
            ASSERT_EQ(result[2 * i + 1], dividends[i] / d * 7 + dividends[i] % d)
                << dividends[i] << " / " << d;
        }
    }
}

TEST(mdiv, of_ints) {
    std::mt19937 random(14);
    std::vector<u32_t> divisors = {1, 2, 3, 7, 1000, 65537, 0x40000001, 0x7fffffff, 0x80000000};
    for (int i = 0; i < 40; i++) {
        divisors.push_back((static_cast<u32_t>(random()) >> (1 + i % 31)) | 1);
    }
    for (const u32_t d : divisors) {
        std::vector<int> dividends = {0, 1, 2, 0x7ffffffe, 0x7fffffff};
        while (dividends.size() < 256) {
            // At a multiple of d, or next to it.
            const uint64_t any = random() >> 1;
            const uint64_t near = any / d * d + random() % 3;
            dividends.push_back(static_cast<int>(near > 0 && near <= 0x80000000 ? near - 1 : any));
        }
        const device_buffer<int> in(dividends);
        device_buffer<u32_t> out(4 * dividends.size());
        divide_int<<<1, 256>>>(in.data(), static_cast<int>(dividends.size()), d, out.data());
        finish();
        const auto result = out.to_host();
        for (size_t i = 0; i < dividends.size(); i++) {
            const u32_t n = static_cast<u32_t>(dividends[i]);
            ASSERT_EQ(result[4 * i], n / d) << n << " / " << d;
            ASSERT_EQ(result[4 * i + 1], n / d) << n << " / " << d;
            ASSERT_EQ(result[4 * i + 2], n % d) << n << " / " << d;
            ASSERT_EQ(result[4 * i + 3], d);
        }
    }
}

}  // namespace
