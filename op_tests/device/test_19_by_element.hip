// The functions by element, in kernels: of scalars, vectors, arrays and arrays of vectors, against one
// element after the other on the host.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "common/device.hpp"
#include "opus/opus_plus.hpp"
#include "vector_values.hpp"

namespace {

using namespace opus;
using examples::device_buffer;

struct call_max {
    template <class X, class T>
    __device__ void operator()(const X& a, const X& b, const X& c, T s, X* out) const {
        out[0] = max(a, b);
        out[1] = min(a, b);
        out[2] = max3(a, b, c);
        out[3] = min3(a, b, c);
        out[4] = med3(a, b, c);
        out[5] = maximum{}(a, b);
        out[6] = minimum{}(a, b);
        if constexpr (!is_same_v<X, T>) {
            out[7] = max(a, s);
            out[8] = min(a, s);
            out[9] = med3(a, T(-3), s);
        }
    }
    static double expected(int which, double a, double b, double c, double s) {
        switch (which) {
            case 0:
            case 5:
                return std::max(a, b);
            case 1:
            case 6:
                return std::min(a, b);
            case 2:
                return std::max(std::max(a, b), c);
            case 3:
                return std::min(std::min(a, b), c);
            case 4: {
                double sorted[] = {a, b, c};
                std::sort(sorted, sorted + 3);
                return sorted[1];
            }
            case 7:
                return std::max(a, s);
            case 8:
                return std::min(a, s);
            default: {
                double sorted[] = {a, -3, s};
                std::sort(sorted, sorted + 3);
                return sorted[1];
            }
        }
    }
    static constexpr int results = 7;
    static constexpr int results_with_scalar = 10;
};
struct call_fma {
    template <class X, class T>
    __device__ void operator()(const X& a, const X& b, const X& c, T s, X* out) const {
        out[0] = opus::fma(a, b, c);
        out[1] = opus::abs(a);
        if constexpr (!is_same_v<X, T>) {
            out[2] = opus::fma(a, s, c);
            out[3] = opus::fma(a, b, s);
            out[4] = opus::fma(a, s, T(7));
        }
    }
    static double expected(int which, double a, double b, double c, double s) {
        switch (which) {
            case 0:
                return a * b + c;
            case 1:
                return std::fabs(a);
            case 2:
                return a * s + c;
            case 3:
                return a * b + s;
            default:
                return a * s + 7;
        }
    }
    static constexpr int results = 2;
    static constexpr int results_with_scalar = 5;
};

template <class Call, class X, class T>
__global__ void call_each(const X* x, const T* s, X* out) {
    const int lane = thread_id_x();
    Call{}(x[lane], x[lanes + lane], x[2 * lanes + lane], s[lane], out + 10 * lane);
}

template <class Call, class X>
void check_by_element(int range) {
    using T = typename shape_of<X>::scalar;
    std::mt19937 random(2);
    const auto value = [&](int) {
        return static_cast<int>(random() % static_cast<unsigned>(2 * range)) - range;
    };
    std::vector<X> x;
    for (int operand = 0; operand < 3; operand++) {
        const auto more = filled<X>(value);
        x.insert(x.end(), more.begin(), more.end());
    }
    const auto s = filled<T>(value);
    device_buffer<X> device_x(x);
    device_buffer<T> device_s(s);
    device_buffer<X> out(10 * lanes);
    out.fill_bytes(0x55);
    call_each<Call><<<1, lanes>>>(device_x.data(), device_s.data(), out.data());
    finish();
    auto result = out.to_host();
    const int results = is_same_v<X, T> ? Call::results : Call::results_with_scalar;
    for (size_t n = 0; n < lanes; n++) {
        for (int r = 0; r < results; r++) {
            for (int i = 0; i < shape_of<X>::count; i++) {
                const auto operand = [&](size_t which) {
                    return static_cast<double>(shape_of<X>::at(x[which * lanes + n], i));
                };
                const double expected = Call::expected(r, operand(0), operand(1), operand(2),
                                                       static_cast<double>(s[n]));
                X& own = result[10 * n + static_cast<size_t>(r)];
                ASSERT_EQ(static_cast<double>(shape_of<X>::at(own, i)), expected)
                    << "result " << r << " lane " << n << " element " << i;
            }
        }
    }
}
template <class Call, class T>
void check_some_by_element_of(int range) {
    check_by_element<Call, T>(range);
    check_by_element<Call, vector_t<T, 3>>(range);
    check_by_element<Call, array<vector_t<T, 4>, 3>>(range);
}
template <class Call, class T>
void check_by_element_of(int range) {
    check_some_by_element_of<Call, T>(range);
    check_by_element<Call, vector_t<T, 1>>(range);
    check_by_element<Call, vector_t<T, 8>>(range);
    check_by_element<Call, array<T, 5>>(range);
}

TEST(by_element, order) {
    check_by_element_of<call_max, fp32_t>(100);
    check_by_element_of<call_max, fp16_t>(100);
    check_some_by_element_of<call_max, fp64_t>(100);
    check_some_by_element_of<call_max, i32_t>(1000);
    check_some_by_element_of<call_max, i16_t>(1000);
    check_some_by_element_of<call_max, i8_t>(100);
}
TEST(by_element, fma_and_abs_of_integers) {
    check_by_element_of<call_fma, fp32_t>(1000);
    check_by_element_of<call_fma, fp16_t>(30);
    check_some_by_element_of<call_fma, fp64_t>(1000);
}

// Rounded once: (1 + e)^2 - 1 = 2 e + e^2, of which a rounded product would lose the second half.
template <class X>
__global__ void square_less_one(X* x) {
    const auto one = static_cast<typename shape_of<X>::scalar>(1);
    x[0] = opus::fma(x[0], x[0], X{} - one);
    x[1] = opus::abs(X{} - x[1]);
}
template <class X>
void check_fma_rounds_once(double e) {
    std::vector<X> x(2);
    for (X& all : x) {
        for (int i = 0; i < shape_of<X>::count; i++) {
            set(all, i, 1 + e);
        }
    }
    device_buffer<X> device(x);
    square_less_one<<<1, 1>>>(device.data());
    finish();
    auto result = device.to_host();
    for (int i = 0; i < shape_of<X>::count; i++) {
        EXPECT_EQ(static_cast<double>(shape_of<X>::at(result[0], i)), 2 * e + e * e);
        EXPECT_EQ(static_cast<double>(shape_of<X>::at(result[1], i)), 1 + e);
    }
}
TEST(by_element, fma_rounds_once) {
    check_fma_rounds_once<float>(0x1p-12);
    check_fma_rounds_once<vector_t<float, 4>>(0x1p-12);
    check_fma_rounds_once<vector_t<_Float16, 4>>(0x1p-6);
    check_fma_rounds_once<_Float16>(0x1p-6);
}

struct call_exp2 {
    template <class X>
    __device__ X operator()(const X& x) const {
        return opus::exp2(x);
    }
    static double expected(double x) { return std::exp2(x); }
};
struct call_log2 {
    template <class X>
    __device__ X operator()(const X& x) const {
        return opus::log2(x);
    }
    static double expected(double x) { return std::log2(x); }
};
struct call_rsqrt {
    template <class X>
    __device__ X operator()(const X& x) const {
        return opus::rsqrt(x);
    }
    static double expected(double x) { return 1 / std::sqrt(x); }
};
struct call_rcp {
    template <class X>
    __device__ X operator()(const X& x) const {
        return opus::rcp(x);
    }
    static double expected(double x) { return 1 / x; }
};

template <class Call, class X>
__global__ void call_one(const X* x, X* out) {
    out[thread_id_x()] = Call{}(x[thread_id_x()]);
}

// To 1 ulp, from the formula in double; -1 and denormals of fp32 by themselves.
template <class Call, class X>
void check_one_instruction(double low, double high) {
    using T = typename shape_of<X>::scalar;
    constexpr bool is_fp32 = is_same_v<T, float>;
    std::mt19937 random(3);
    const auto x = filled<X>([&](int i) {
        const double share = static_cast<double>(random()) / 0x1p32;
        return i == 0 ? 1.0 : i == 1 ? 2.0 : low + (high - low) * share;
    });
    device_buffer<X> device_x(x);
    device_buffer<X> out(lanes);
    out.fill_bytes(0x55);
    call_one<Call><<<1, lanes>>>(device_x.data(), out.data());
    finish();
    auto result = out.to_host();
    for (size_t n = 0; n < lanes; n++) {
        for (int i = 0; i < shape_of<X>::count; i++) {
            X own = x[n];
            const double from = static_cast<double>(shape_of<X>::at(own, i));
            const double expected = Call::expected(from);
            const double got = static_cast<double>(shape_of<X>::at(result[n], i));
            const double ulp = std::max(
                std::ldexp(1.0, std::ilogb(expected == 0 ? 1 : expected) - (is_fp32 ? 23 : 10)),
                is_fp32 ? 0x1p-149 : 0x1p-24);
            ASSERT_LE(std::fabs(got - expected), ulp) << "of " << from << ", lane " << n;
            // What T has is exact; beside that the guide promises 1 ulp.
            if ((from == 1 || from == 2) &&
                expected == static_cast<double>(static_cast<T>(expected))) {
                ASSERT_LE(std::fabs(got - expected), ulp / 2) << "of " << from;
            }
        }
    }
}
template <class Call>
void check_one_instruction_of_all(double low, double high) {
    check_one_instruction<Call, fp32_t>(low, high);
    check_one_instruction<Call, vector_t<fp32_t, 3>>(low, high);
    check_one_instruction<Call, vector_t<fp32_t, 8>>(low, high);
    check_one_instruction<Call, array<vector_t<fp32_t, 4>, 2>>(low, high);
    check_one_instruction<Call, fp16_t>(low, high);
    check_one_instruction<Call, vector_t<fp16_t, 8>>(low, high);
    check_one_instruction<Call, array<fp16_t, 3>>(low, high);
}
TEST(by_element, one_instruction) {
    check_one_instruction_of_all<call_exp2>(-14, 15);
    check_one_instruction_of_all<call_log2>(1e-3, 1000);
    check_one_instruction_of_all<call_rsqrt>(1e-3, 1000);
    check_one_instruction_of_all<call_rcp>(-100, 100);
}

__global__ void specials(const float* x, float* out) {
    const float own = x[thread_id_x()];
    out[thread_id_x()] = opus::exp2(own);
    out[16 + thread_id_x()] = opus::rcp(own);
    out[32 + thread_id_x()] = opus::rsqrt(own);
    out[48 + thread_id_x()] = opus::log2(own);
}
TEST(by_element, infinities_and_denormals) {
    constexpr float inf = INFINITY;
    std::vector<float> x(16, 1.0f);
    const float first[] = {-inf, inf, 0, 0x1p-140f, -140};
    std::copy(first, first + 5, x.begin());
    device_buffer<float> device_x(x);
    device_buffer<float> out(64);
    specials<<<1, 16>>>(device_x.data(), out.data());
    finish();
    const auto result = out.to_host();
    EXPECT_EQ(std::vector<float>(result.begin(), result.begin() + 5),
              (std::vector<float>{0, inf, 1, 1, 0}));
    EXPECT_EQ(std::vector<float>(result.begin() + 17, result.begin() + 20),
              (std::vector<float>{0, inf, inf}));
    EXPECT_EQ(std::vector<float>(result.begin() + 33, result.begin() + 36),
              (std::vector<float>{0, inf, inf}));
    EXPECT_EQ(std::vector<float>(result.begin() + 49, result.begin() + 52),
              (std::vector<float>{inf, -inf, -inf}));
}

}  // namespace
