// The kernels of op_tests/codegen, those written with opus and their twins written with builtins,
// compared with products computed on the host. Small integers: sums are exact.
#include <gtest/gtest.h>

#include <random>

#include "common/device.hpp"
#include "opus/opus.hpp"

namespace twin_opus {
#define RAW 0
#define KERNEL kernel_b_opus
#include "../codegen/kernel_b.hip"
#undef KERNEL
#define KERNEL kernel_d_opus
#include "../codegen/kernel_d.hip"
#undef KERNEL
#define BLOCK_K 32
#define KERNEL kernel_c_32_opus
#include "../codegen/kernel_c.hip"
#undef KERNEL
#undef BLOCK_K
#define BLOCK_K 64
#define KERNEL kernel_c_64_opus
#include "../codegen/kernel_c.hip"
#undef KERNEL
#undef BLOCK_K
#undef RAW
}  // namespace twin_opus

namespace twin_raw {
#define RAW 1
#define KERNEL kernel_b_raw
#include "../codegen/kernel_b.hip"
#undef KERNEL
#define KERNEL kernel_d_raw
#include "../codegen/kernel_d.hip"
#undef KERNEL
#define BLOCK_K 32
#define KERNEL kernel_c_32_raw
#include "../codegen/kernel_c.hip"
#undef KERNEL
#undef BLOCK_K
#define BLOCK_K 64
#define KERNEL kernel_c_64_raw
#include "../codegen/kernel_c.hip"
#undef KERNEL
#undef BLOCK_K
#undef RAW
}  // namespace twin_raw

namespace {

using examples::device_buffer;
using opus::bf16_t;
using opus::fp16_t;

// bf16 by its bits: not every host's compiler library converts it.
template <class T>
T to_element(int x) {
    if constexpr (opus::is_same_v<T, bf16_t>) {
        const unsigned bits = __builtin_bit_cast(unsigned, static_cast<float>(x));
        return __builtin_bit_cast(bf16_t, static_cast<unsigned short>(bits >> 16));
    } else {
        return static_cast<T>(x);
    }
}

// A row-major matrix of integers from -4 to 4 and the same as T. Rows lie `stride` elements apart.
template <class T>
struct matrix {
    int rows;
    int stride;
    std::vector<int> integers;
    std::vector<T> elements;

    matrix(int rows, int stride, unsigned seed) : rows(rows), stride(stride) {
        std::mt19937 engine{seed};
        for (int i = 0; i < rows * stride; i++) {
            integers.push_back(static_cast<int>(engine() % 9) - 4);
            elements.push_back(to_element<T>(integers.back()));
        }
    }
    int at(int row, int column) const {
        return integers[static_cast<size_t>(row * stride + column)];
    }
};

// Launches with A, B and C, and expects C[i, j] to be the sum over k of A[i, k] * B[j, k]. C has n
// of stride_c elements in a row; the others must stay as they are.
template <class T, class Launch>
void expect_product(const matrix<T>& a, const matrix<T>& b, int k, int stride_c,
                    const Launch& launch) {
    const device_buffer<T> da(a.elements);
    const device_buffer<T> db(b.elements);
    const float untouched = -12345;
    const std::vector<float> before(static_cast<size_t>(a.rows * stride_c), untouched);
    const device_buffer<float> dc(before);
    launch(da.data(), db.data(), dc.data());
    examples::check(hipGetLastError(), "launch");
    examples::check(hipDeviceSynchronize(), "hipDeviceSynchronize");
    const std::vector<float> c = dc.to_host();
    for (int i = 0; i < a.rows; i++) {
        for (int j = 0; j < stride_c; j++) {
            int sum = 0;
            for (int x = 0; j < b.rows && x < k; x++) {
                sum += a.at(i, x) * b.at(j, x);
            }
            const float expected = j < b.rows ? static_cast<float>(sum) : untouched;
            ASSERT_EQ(c[static_cast<size_t>(i * stride_c + j)], expected)
                << "row " << i << " column " << j;
        }
    }
}

// A kernel's own element type: that of the twins has another name for some compilers.
template <class Element>
void check_b(void (*kernel)(const Element*, const Element*, float*, int, int, int, int)) {
    for (const int k : {8, 40}) {
        const matrix<fp16_t> a(64, k + 4, 1);
        const matrix<fp16_t> b(96, k + 12, 2);
        expect_product(a, b, k, 99, [&](auto* pa, auto* pb, float* pc) {
            kernel<<<dim3(3, 2), 64>>>(reinterpret_cast<const Element*>(pa),
                                       reinterpret_cast<const Element*>(pb), pc, k, a.stride,
                                       b.stride, 99);
        });
    }
}
TEST(kernel_b, with_opus) {
    check_b(twin_opus::kernel_b_opus);
}
TEST(kernel_b, with_builtins) {
    check_b(twin_raw::kernel_b_raw);
}

template <class Element>
void check_c(void (*kernel)(const Element*, const Element*, float*, int, int), int block_k) {
    for (const int k : {block_k, 3 * block_k}) {
        const matrix<bf16_t> a(128, k, 3);
        const matrix<bf16_t> b(256, k, 4);
        expect_product(a, b, k, 256, [&](auto* pa, auto* pb, float* pc) {
            kernel<<<dim3(2, 1), 256>>>(reinterpret_cast<const Element*>(pa),
                                        reinterpret_cast<const Element*>(pb), pc, 256, k);
        });
        const matrix<bf16_t> tall(256, k, 5);
        const matrix<bf16_t> narrow(128, k, 6);
        expect_product(tall, narrow, k, 128, [&](auto* pa, auto* pb, float* pc) {
            kernel<<<dim3(1, 2), 256>>>(reinterpret_cast<const Element*>(pa),
                                        reinterpret_cast<const Element*>(pb), pc, 128, k);
        });
    }
}
TEST(kernel_c, of_32_with_opus) {
    check_c(twin_opus::kernel_c_32_opus, 32);
}
TEST(kernel_c, of_64_with_opus) {
    check_c(twin_opus::kernel_c_64_opus, 64);
}
TEST(kernel_c, of_32_with_builtins) {
    check_c(twin_raw::kernel_c_32_raw, 32);
}
TEST(kernel_c, of_64_with_builtins) {
    check_c(twin_raw::kernel_c_64_raw, 64);
}

template <class Element>
void check_d(void (*kernel)(const Element*, const Element*, float*)) {
    const matrix<fp16_t> a(64, 128, 7);
    const matrix<fp16_t> b(64, 128, 8);
    expect_product(a, b, 128, 64, [&](auto* pa, auto* pb, float* pc) {
        kernel<<<dim3(2, 2), 256>>>(reinterpret_cast<const Element*>(pa),
                                    reinterpret_cast<const Element*>(pb), pc);
    });
}
TEST(kernel_d, with_opus) {
    check_d(twin_opus::kernel_d_opus);
}
TEST(kernel_d, with_builtins) {
    check_d(twin_raw::kernel_d_raw);
}

}  // namespace
