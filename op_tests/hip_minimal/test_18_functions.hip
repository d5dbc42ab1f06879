// SPDX-License-Identifier: MIT
// Section 18, opus/hip_minimal.hpp: what kernels call. Mathematics against the host's, in double;
// atomics of many groups, lanes and bits against what their definitions say.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "opus/hip_minimal.hpp"

namespace {

void check(hipError_t status) {
    ASSERT_EQ(status, hipSuccess) << hipGetErrorString(status);
}

template <class T>
class buffer {
public:
    explicit buffer(const std::vector<T>& values) : size_(values.size()) {
        check(hipMalloc(&data_, size_ * sizeof(T)));
        check(hipMemcpy(data_, values.data(), size_ * sizeof(T), hipMemcpyHostToDevice));
    }
    buffer(const buffer&) = delete;
    buffer& operator=(const buffer&) = delete;
    ~buffer() { check(hipFree(data_)); }

    T* data() const { return data_; }
    std::vector<T> to_host() const {
        std::vector<T> result(size_);
        check(hipMemcpy(result.data(), data_, size_ * sizeof(T), hipMemcpyDeviceToHost));
        return result;
    }

private:
    T* data_ = nullptr;
    std::size_t size_;
};

// == mathematics ==================================================================================

// device() in a kernel, host() on the host; `ulp` is the error that docs/reference.md states.
#define OPUS_TEST_FUNCTION(name, expression, ulps)                            \
    struct name##_function {                                                  \
        static constexpr double ulp = ulps;                                   \
        __device__ static float device(float x, float) { return name##f(x); } \
        static double host(double x, double) { return expression; }           \
    }
OPUS_TEST_FUNCTION(fabs, std::fabs(x), 0);
OPUS_TEST_FUNCTION(sqrt, std::sqrt(x), 0.5);
OPUS_TEST_FUNCTION(rsqrt, 1 / std::sqrt(x), 1);
OPUS_TEST_FUNCTION(exp, std::exp(x), 1);
OPUS_TEST_FUNCTION(exp2, std::exp2(x), 1);
OPUS_TEST_FUNCTION(log, std::log(x), 1.5);
OPUS_TEST_FUNCTION(log2, std::log2(x), 1);
OPUS_TEST_FUNCTION(sin, std::sin(x), 0.51);
OPUS_TEST_FUNCTION(cos, std::cos(x), 0.51);
OPUS_TEST_FUNCTION(tanh, std::tanh(x), 0.51);
#undef OPUS_TEST_FUNCTION
#define OPUS_TEST_FUNCTION(name, expression, ulps)                                 \
    struct name##_function {                                                       \
        static constexpr double ulp = ulps;                                        \
        __device__ static float device(float x, float y) { return name##f(x, y); } \
        static double host(double x, double y) { return expression; }              \
    }
OPUS_TEST_FUNCTION(pow, std::pow(x, y), 0.51);
OPUS_TEST_FUNCTION(fmin, std::fmin(x, y), 0);
OPUS_TEST_FUNCTION(fmax, std::fmax(x, y), 0);
#undef OPUS_TEST_FUNCTION

template <class Function>
__global__ void apply(float* result, const float* x, const float* y, unsigned count) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        result[i] = Function::device(x[i], y[i]);
    }
}

// Distance in units of the last place that a float of the exact result's size has.
double error_in_ulp(float value, double exact) {
    if (std::isnan(exact) || std::isnan(value)) {
        return std::isnan(exact) && std::isnan(value) ? 0 : HUGE_VAL;
    }
    const auto rounded = static_cast<float>(exact);
    if (std::isinf(value) || std::isinf(rounded) || rounded == 0) {
        // What rounds to 0 or to infinity may be the last number before it.
        return value == rounded && std::signbit(value) == std::signbit(rounded) ? 0
               : std::isfinite(value) && std::isfinite(exact)
                   ? std::fabs(value - exact) / std::ldexp(1.0, rounded == 0 ? -149 : 104)
                   : HUGE_VAL;
    }
    const int exponent = std::max(std::ilogb(exact), -126);
    return std::fabs(value - exact) / std::ldexp(1.0, exponent - 23);
}

// All kinds of numbers: each exponent and sign, its ends and some between, and what is special.
std::vector<float> sweep(unsigned step) {
    std::vector<float> values;
    for (std::uint64_t bits = 0; bits < (std::uint64_t{1} << 32); bits += step) {
        const auto pattern = static_cast<std::uint32_t>(bits);
        values.push_back(0);
        std::memcpy(&values.back(), &pattern, sizeof pattern);
    }
    for (const float x :
         {0.0f, 1.0f, 2.0f, 0.5f, 3.0f, 4.0f, 87.5f, 104.0f, 128.0f, 149.0f, 1e30f,
          std::numeric_limits<float>::max(), std::numeric_limits<float>::min(),
          std::numeric_limits<float>::denorm_min(), std::numeric_limits<float>::infinity()}) {
        for (const float nearby : {std::nextafter(x, 0.0f), x, std::nextafter(x, HUGE_VALF)}) {
            values.push_back(nearby);
            values.push_back(-nearby);
        }
    }
    for (const double quarter : {1.0, 2.0, 3.0, 4.0, 355.0, 1e6, 1e12, 1e25, 1e37}) {
        const auto near_zero = static_cast<float>(quarter * 1.57079632679489661923);
        values.push_back(near_zero);
        values.push_back(-std::nextafter(near_zero, 0.0f));
    }
    values.push_back(16367173.0f * std::ldexp(1.0f, 72));  // the closest to a multiple of pi/2
    values.push_back(std::numeric_limits<float>::quiet_NaN());
    return values;
}

template <class Function>
class mathematics : public testing::Test {
protected:
    static void expect_errors_of(const std::vector<float>& x, const std::vector<float>& y) {
        const buffer<float> x_on_device(x);
        const buffer<float> y_on_device(y);
        const buffer<float> result(std::vector<float>(x.size(), 12345.0f));
        const auto count = static_cast<unsigned>(x.size());
        apply<Function><<<(count + 255) / 256, 256>>>(result.data(), x_on_device.data(),
                                                      y_on_device.data(), count);
        const std::vector<float> values = result.to_host();
        double worst = 0;
        std::size_t at = 0;
        for (std::size_t i = 0; i < values.size(); ++i) {
            const double error = error_in_ulp(values[i], Function::host(x[i], y[i]));
            if (error > worst) {
                worst = error;
                at = i;
            }
        }
        RecordProperty("ulp", std::to_string(worst));
        EXPECT_LE(worst, Function::ulp)
            << "of (" << x[at] << ", " << y[at] << "), which is " << values[at] << " and not "
            << Function::host(x[at], y[at]);
    }
};

using functions =
    testing::Types<fabs_function, sqrt_function, rsqrt_function, exp_function, exp2_function,
                   log_function, log2_function, sin_function, cos_function, tanh_function,
                   pow_function, fmin_function, fmax_function>;
TYPED_TEST_SUITE(mathematics, functions);

TYPED_TEST(mathematics, is_as_exact_as_stated) {
    std::vector<float> x = sweep(8209);
    std::vector<float> y = x;
    std::mt19937 random(1);
    std::shuffle(y.begin(), y.end(), random);
    this->expect_errors_of(x, y);
}

// Numbers of everyday sizes, whose powers are numbers too; and special ones with each other.
TYPED_TEST(mathematics, is_as_exact_as_stated_for_ordinary_numbers) {
    std::mt19937 random(2);
    std::uniform_real_distribution<float> exponent(-6, 6);
    std::vector<float> x;
    std::vector<float> y;
    for (int n = 0; n < 300000; ++n) {
        x.push_back(std::exp2(exponent(random)));
        y.push_back(exponent(random) * 3);
    }
    for (int n = 0; n < 100000; ++n) {
        x.push_back(1 + exponent(random) / 1000);
        y.push_back(exponent(random) * 10000);
    }
    const float special[] = {0, 1, 2, 3, 0.5f, 2.5f, 16777215.0f, 1e10f, HUGE_VALF, NAN};
    for (const float a : special) {
        for (const float b : special) {
            for (const int signs : {0, 1, 2, 3}) {
                x.push_back((signs & 1) != 0 ? -a : a);
                y.push_back((signs & 2) != 0 ? -b : b);
            }
        }
    }
    this->expect_errors_of(x, y);
}

// A function of host and device has the host's functions there.
__host__ __device__ float of_both_sides(float x) {
    return expf(x) + sqrtf(x) + fmaxf(x, 3.0f);
}

TEST(mathematics, names_are_the_hosts_on_the_host) {
    EXPECT_EQ(of_both_sides(4), std::exp(4.0f) + 2 + 4);
}

// == atomics ======================================================================================

constexpr unsigned groups = 37;
constexpr unsigned threads = 192;

// add, max and min of one global and one shared variable of each group; every lane exchanges and
// compares once.
template <class T>
struct atomic_results {
    T sum, largest, smallest, exchanged, old_of_exchange, counted, largest_in_lds, smallest_in_lds;
};

template <class T>
__device__ T number_of(unsigned i) {
    return static_cast<T>(i % 1009) - static_cast<T>(std::is_signed<T>::value ? 500 : 0);
}

template <class T>
__global__ void atomics(atomic_results<T>* results, unsigned* tickets) {
    __shared__ T lds[4];
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0) {
        lds[0] = 0;
        lds[1] = number_of<T>(0);
        lds[2] = number_of<T>(1008);
        lds[3] = 0;
    }
    __syncthreads();
    const T value = number_of<T>(i);
    atomicAdd(&results->sum, 1);
    atomicMax(&results->largest, value);
    atomicMin(&results->smallest, value);
    atomicAdd(&results->old_of_exchange, atomicExch(&results->exchanged, static_cast<T>(i)));
    atomicMax(&lds[1], value);
    atomicMin(&lds[2], value);
    // Each old value occurs once.
    const T ticket = atomicAdd(&lds[0], 1);
    atomicAdd(&tickets[static_cast<unsigned>(ticket)], 1u);
    atomicAdd(&lds[3], atomicExch(&lds[3], 0) == 12345 ? 1 : 0);
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicAdd(&results->counted, lds[0]);
        atomicMax(&results->largest_in_lds, lds[1]);
        atomicMin(&results->smallest_in_lds, lds[2]);
    }
}

template <class T>
class atomic : public testing::Test {};
using numbers = testing::Types<int, unsigned, unsigned long, unsigned long long, float, double>;
TYPED_TEST_SUITE(atomic, numbers);

TYPED_TEST(atomic, of_many_groups) {
    using T = TypeParam;
    constexpr unsigned count = groups * threads;
    const buffer<atomic_results<T>> results({{0, 0, 0, 0, 0, 0, 0, 0}});
    const buffer<unsigned> tickets(std::vector<unsigned>(threads, 0));
    atomics<T><<<groups, threads>>>(results.data(), tickets.data());
    const atomic_results<T> r = results.to_host()[0];
    T largest = 0;
    T smallest = 0;
    double all = 0;
    for (unsigned i = 0; i < count; ++i) {
        const T value = static_cast<T>(static_cast<T>(i % 1009) - (std::is_signed_v<T> ? 500 : 0));
        largest = std::max(largest, value);
        smallest = std::min(smallest, value);
        all += i;
    }
    EXPECT_EQ(r.sum, static_cast<T>(count));
    EXPECT_EQ(r.counted, static_cast<T>(count));
    EXPECT_EQ(r.largest, largest);
    EXPECT_EQ(r.smallest, smallest);
    EXPECT_EQ(r.largest_in_lds, largest);
    EXPECT_EQ(r.smallest_in_lds, smallest);
    // What every exchange has put in came out of another one, or is still there.
    const double exchanged =
        static_cast<double>(r.old_of_exchange) + static_cast<double>(r.exchanged);
    EXPECT_NEAR(exchanged, all, (std::is_same_v<T, float> ? all * 1e-4 : 0));
    EXPECT_EQ(tickets.to_host(), std::vector<unsigned>(threads, groups));
}

// An addition by comparing and swapping.
template <class T>
__global__ void compare_and_swap(T* sum, T* kept) {
    T old = *sum;
    for (T expected = old + 1; expected != old;) {
        expected = old;
        old = atomicCAS(sum, expected, expected + 3);
    }
    atomicCAS(kept, 1, 77);  // it is not 1
}

template <class T>
class atomic_of_integers : public testing::Test {};
using integers = testing::Types<int, unsigned, unsigned long, unsigned long long>;
TYPED_TEST_SUITE(atomic_of_integers, integers);

TYPED_TEST(atomic_of_integers, compare_and_swap) {
    const buffer<TypeParam> memory({0, 2});
    compare_and_swap<<<5, 128>>>(memory.data(), memory.data() + 1);
    EXPECT_EQ(memory.to_host(), (std::vector<TypeParam>{5 * 128 * 3, 2}));
}

// == lanes ========================================================================================

template <class T>
__global__ void shuffles(T* out, const T* in, int argument, int width) {
    const unsigned lane = threadIdx.x;
    const T value = __ldg(in + lane);
    out[lane] = __shfl(value, argument, width);
    out[64 + lane] = __shfl_up(value, static_cast<unsigned>(argument), width);
    out[128 + lane] = __shfl_down(value, static_cast<unsigned>(argument), width);
    out[192 + lane] = __shfl_xor(value, argument, width);
    out[256 + lane] = __shfl(value, static_cast<int>(lane) + argument);
}

template <class T>
class shuffle : public testing::Test {};
using shuffled = testing::Types<int, unsigned, long, unsigned long, long long, unsigned long long,
                                float, double>;
TYPED_TEST_SUITE(shuffle, shuffled);

TYPED_TEST(shuffle, follows_its_definition) {
    using T = TypeParam;
    std::vector<T> in;
    for (int lane = 0; lane < 64; ++lane) {
        in.push_back(static_cast<T>(sizeof(T) == 8 ? lane * 4294967297.0 + 5 : lane * 3 + 5));
    }
    const buffer<T> from(in);
    for (const int width : {2, 4, 16, 32, 64}) {
        for (const int argument : {0, 1, 3, 15, 31, 32, 63}) {
            const buffer<T> to(std::vector<T>(320));
            shuffles<T><<<1, 64>>>(to.data(), from.data(), argument, width);
            const std::vector<T> out = to.to_host();
            for (int lane = 0; lane < 64; ++lane) {
                const int first = lane / width * width;
                const int place = lane - first;
                const int up = place >= argument ? lane - argument : lane;
                const int down = place + argument < width ? lane + argument : lane;
                const int crossed = (lane ^ argument) < first + width ? lane ^ argument : lane;
                const auto at = [&](int row) { return out[static_cast<std::size_t>(row + lane)]; };
                const auto value = [&](int n) { return in[static_cast<std::size_t>(n)]; };
                ASSERT_EQ(at(0), value(first + argument % width)) << lane << " of " << width;
                ASSERT_EQ(at(64), value(up)) << lane << " of " << width << " by " << argument;
                ASSERT_EQ(at(128), value(down)) << lane << " of " << width << " by " << argument;
                ASSERT_EQ(at(192), value(crossed)) << lane << " of " << width << " by " << argument;
                ASSERT_EQ(at(256), value((lane + argument) % 64)) << lane << " by " << argument;
            }
        }
    }
}

struct votes {
    unsigned long long odd, odd_below_40;
    int any, none, all, not_all, nobody, all_below_40;
};

__global__ void vote(votes* out) {
    const unsigned lane = threadIdx.x;
    const unsigned long long odd = __ballot(static_cast<int>(lane & 1) * 256);
    const int any = __any(lane == 63);
    const int none = __any(lane == 64);
    const int all = __all(lane < 64);
    const int not_all = __all(lane != 63);
    const int nobody = __all(lane > 63);
    if (lane < 40) {
        *out = {odd, __ballot(lane % 2 == 1), any, none, all, not_all, nobody, __all(lane < 40)};
    }
}

TEST(lanes, vote) {
    const buffer<votes> out({{}});
    vote<<<1, 64>>>(out.data());
    const votes v = out.to_host()[0];
    EXPECT_EQ(v.odd, 0xaaaaaaaaaaaaaaaaull);
    EXPECT_EQ(v.odd_below_40, 0x000000aaaaaaaaaaull);
    EXPECT_NE(v.any, 0);
    EXPECT_EQ(v.none, 0);
    EXPECT_NE(v.all, 0);
    EXPECT_EQ(v.not_all, 0);
    EXPECT_EQ(v.nobody, 0);
    EXPECT_NE(v.all_below_40, 0);
}

// What each lane gets from the functions of a mask.
template <class T>
struct of_mask {
    T shfl, up, down, crossed;
    unsigned long long odd, of_value, of_same_value, of_negative;
    int any, none, all, not_all, is_same, is_not_same;
};

// Lanes below `border` call with one mask, the others with another one.
template <class T>
__global__ void call_with_masks(of_mask<T>* out, const T* in, unsigned border) {
    const unsigned lane = threadIdx.x;
    const unsigned long long low = (1ull << border) - 1;
    const unsigned long long mask = lane < border ? low : __activemask() & ~low;
    const T value = in[lane];
    const bool is_low = lane < border;
    of_mask<T>& o = out[lane];
    __syncwarp();
    o.shfl = __shfl_sync(mask, value, is_low ? 1 : 61);
    o.up = __shfl_up_sync(mask, value, 1, 8);
    o.down = __shfl_down_sync(mask, value, 3, 16);
    o.crossed = __shfl_xor_sync(mask, value, 1);
    o.odd = __ballot_sync(mask, lane & 1);
    o.of_value = __match_any_sync(mask, value);
    o.of_same_value = __match_all_sync(mask, is_low ? T(7) : T(9), &o.is_same);
    o.of_negative = __match_all_sync(mask, lane % 8 == 2 ? T(7) : T(9), &o.is_not_same);
    o.any = __any_sync(mask, lane == 0 || lane == 63);
    o.none = __any_sync(mask, is_low ? 0 : lane < border);
    o.all = __all_sync(mask, is_low == (lane < border));
    o.not_all = __all_sync(mask, lane % 8 != 2);
    __syncwarp(mask);
}

TYPED_TEST(shuffle, and_votes_of_masks_follow_their_definitions) {
    using T = TypeParam;
    std::vector<T> in;
    for (int lane = 0; lane < 64; ++lane) {
        in.push_back(static_cast<T>(sizeof(T) == 8 ? lane % 5 * 4294967297.0 : lane % 5 * 3.0));
    }
    const buffer<T> from(in);
    for (const int border : {16, 32, 48}) {
        const buffer<of_mask<T>> to(std::vector<of_mask<T>>(64));
        call_with_masks<T><<<1, 64>>>(to.data(), from.data(), static_cast<unsigned>(border));
        const std::vector<of_mask<T>> out = to.to_host();
        for (int lane = 0; lane < 64; ++lane) {
            const of_mask<T>& o = out[static_cast<std::size_t>(lane)];
            const unsigned long long low = (1ull << border) - 1;
            const unsigned long long mask = lane < border ? low : ~low;
            const auto value = [&](int n) { return in[static_cast<std::size_t>(n)]; };
            unsigned long long same = 0;
            for (int other = 0; other < 64; ++other) {
                same |= value(other) == value(lane) ? 1ull << other : 0;
            }
            ASSERT_EQ(o.shfl, value(lane < border ? 1 : 61)) << lane;
            ASSERT_EQ(o.up, value(lane % 8 == 0 ? lane : lane - 1)) << lane;
            ASSERT_EQ(o.down, value(lane % 16 < 13 ? lane + 3 : lane)) << lane;
            ASSERT_EQ(o.crossed, value(lane ^ 1)) << lane;
            ASSERT_EQ(o.odd, 0xaaaaaaaaaaaaaaaaull & mask) << lane;
            ASSERT_EQ(o.of_value, same & mask) << lane;
            ASSERT_EQ(o.of_same_value, mask) << lane;
            ASSERT_EQ(o.of_negative, 0) << lane;
            ASSERT_EQ(o.is_same, 1) << lane;
            ASSERT_EQ(o.is_not_same, 0) << lane;
            ASSERT_EQ(o.any, 1) << lane;
            ASSERT_EQ(o.none, 0) << lane;
            ASSERT_EQ(o.all, 1) << lane;
            ASSERT_EQ(o.not_all, 0) << lane;
        }
    }
}

// A NaN has its own bits only; without a mask they are of the lanes that are on.
__global__ void match_numbers(unsigned long long* out, const float* in) {
    const unsigned lane = threadIdx.x;
    if (lane >= 8) {
        int is_same = -1;
        out[lane] = __match_any(in[lane]);
        out[lane] |= __match_all(1, &is_same) == ~0xffull && is_same == 1 ? 0 : 1;
    }
}

TEST(lanes, match_numbers) {
    std::vector<float> in(64, 1.0f);
    in[20] = 0.0f;
    in[21] = -0.0f;
    in[30] = in[31] = std::numeric_limits<float>::quiet_NaN();
    const buffer<float> from(in);
    const buffer<unsigned long long> to(std::vector<unsigned long long>(64));
    match_numbers<<<1, 64>>>(to.data(), from.data());
    const std::vector<unsigned long long> out = to.to_host();
    EXPECT_EQ(out[0], 0);
    EXPECT_EQ(out[20], 3ull << 20);
    EXPECT_EQ(out[21], 3ull << 20);
    EXPECT_EQ(out[30], 3ull << 30);
    EXPECT_EQ(out[8], ~0xffull & ~(3ull << 20) & ~(3ull << 30));
}

template <class T>
struct reductions {
    T sum, smallest, largest, all_ones, some_ones, odd_ones;
};

template <class T>
__device__ reductions<T> reduce(unsigned long long mask, T value) {
    reductions<T> r = {__reduce_add_sync(mask, value),
                       __reduce_min_sync(mask, value),
                       __reduce_max_sync(mask, value),
                       0,
                       0,
                       0};
    if constexpr (std::is_integral_v<T>) {
        r.all_ones = __reduce_and_sync(mask, value);
        r.some_ones = __reduce_or_sync(mask, value);
        r.odd_ones = __reduce_xor_sync(mask, value);
    }
    return r;
}

// By all lanes, then lanes 0, 3, 6, ... and the others together, then 40 of them.
template <class T>
__global__ void reduce_masks(reductions<T>* out, const T* in) {
    const unsigned lane = threadIdx.x;
    out[lane] = reduce(~0ull, in[lane]);
    constexpr unsigned long long thirds = 0x9249249249249249ull;
    out[64 + lane] = reduce(lane % 3 == 0 ? thirds : ~thirds, in[lane]);
    if (lane < 40) {
        out[128 + lane] = reduce(__activemask(), in[lane]);
    }
}

template <class T>
class reduction : public testing::Test {};
using reduced = testing::Types<int, unsigned, long long, unsigned long long, float, double>;
TYPED_TEST_SUITE(reduction, reduced);

TYPED_TEST(reduction, follows_its_definition) {
    using T = TypeParam;
    std::vector<T> in;
    for (int lane = 0; lane < 64; ++lane) {
        const int n = lane * 29 % 64;
        in.push_back(static_cast<T>(std::is_signed_v<T> ? n - 20 : n + 3));
        in.back() *= static_cast<T>(sizeof(T) == 8 ? 4294967297.0 : 1.0);
    }
    const buffer<T> from(in);
    const buffer<reductions<T>> to(std::vector<reductions<T>>(192));
    reduce_masks<T><<<1, 64>>>(to.data(), from.data());
    const std::vector<reductions<T>> out = to.to_host();
    for (std::size_t i = 0; i < 168; ++i) {
        const std::size_t lane = i % 64;
        reductions<T> expected = {};
        bool is_first = true;
        for (std::size_t other = 0; other < (i < 128 ? 64 : 40); ++other) {
            if (i / 64 == 1 && (other % 3 == 0) != (lane % 3 == 0)) {
                continue;
            }
            const T x = in[other];
            expected.sum += x;
            expected.smallest = is_first ? x : std::min(expected.smallest, x);
            expected.largest = is_first ? x : std::max(expected.largest, x);
            if constexpr (std::is_integral_v<T>) {
                expected.all_ones = is_first ? x : expected.all_ones & x;
                expected.some_ones |= x;
                expected.odd_ones ^= x;
            }
            is_first = false;
        }
        ASSERT_EQ(out[i].sum, expected.sum) << i;
        ASSERT_EQ(out[i].smallest, expected.smallest) << i;
        ASSERT_EQ(out[i].largest, expected.largest) << i;
        ASSERT_EQ(out[i].all_ones, expected.all_ones) << i;
        ASSERT_EQ(out[i].some_ones, expected.some_ones) << i;
        ASSERT_EQ(out[i].odd_ones, expected.odd_ones) << i;
    }
}

struct counts {
    int ones, ones_of_64, leading, leading_of_64, first, first_of_64;
};

__global__ void count_bits(counts* out, const unsigned long long* in) {
    const unsigned long long x = in[threadIdx.x];
    const auto low = static_cast<unsigned>(x);
    out[threadIdx.x] = {__popc(low),
                        __popcll(x),
                        __clz(static_cast<int>(low)),
                        __clzll(static_cast<long long>(x)),
                        __ffs(static_cast<int>(low)),
                        __ffsll(static_cast<long long>(x))};
}

// Bit by bit, of the lower `bits` bits.
counts counts_of(unsigned long long x, int bits) {
    counts result = {0, 0, bits, 0, 0, 0};
    for (int bit = 0; bit < bits; ++bit) {
        if ((x >> bit & 1) != 0) {
            ++result.ones;
            result.leading = bits - 1 - bit;
            result.first = result.first == 0 ? bit + 1 : result.first;
        }
    }
    return result;
}

TEST(bits, are_counted) {
    std::vector<unsigned long long> in = {0, ~0ull, 0xffffffff00000000ull, 0x80000000ull};
    std::mt19937_64 random(3);
    while (in.size() < 256) {
        in.push_back((random() | 1) << random() % 64 >> random() % 64);
    }
    const buffer<unsigned long long> from(in);
    const buffer<counts> to(std::vector<counts>(in.size()));
    count_bits<<<1, 256>>>(to.data(), from.data());
    const std::vector<counts> out = to.to_host();
    for (std::size_t i = 0; i < in.size(); ++i) {
        const counts low = counts_of(in[i] & 0xffffffff, 32);
        const counts all = counts_of(in[i], 64);
        const counts expected = {low.ones,    all.ones,  low.leading,
                                 all.leading, low.first, all.first};
        ASSERT_EQ(std::memcmp(&out[i], &expected, sizeof expected), 0) << std::hex << in[i];
    }
}

// == runtime ======================================================================================

TEST(runtime, properties) {
    hipDeviceProp_t properties;
    std::memset(&properties, 0xff, sizeof properties);
    check(hipGetDeviceProperties(&properties, 0));
    EXPECT_EQ(std::string(properties.gcnArchName).substr(0, 4), "gfx9");
    EXPECT_EQ(properties.warpSize, 64);
    EXPECT_EQ(properties.maxThreadsPerBlock, 1024);
    const auto expect = [](int value, hipDeviceAttribute_t attribute) {
        int expected = -1;
        check(hipDeviceGetAttribute(&expected, attribute, 0));
        EXPECT_EQ(value, expected) << attribute;
    };
    expect(properties.multiProcessorCount, hipDeviceAttributeMultiprocessorCount);
    expect(static_cast<int>(properties.sharedMemPerBlock),
           hipDeviceAttributeMaxSharedMemoryPerBlock);
    expect(properties.clockRate, hipDeviceAttributeClockRate);
    expect(properties.l2CacheSize, hipDeviceAttributeL2CacheSize);
    expect(properties.maxThreadsPerMultiProcessor, hipDeviceAttributeMaxThreadsPerMultiProcessor);
    expect(properties.maxGridSize[0], hipDeviceAttributeMaxGridDimX);
    expect(properties.memoryClockRate, hipDeviceAttributeMemoryClockRate);
    EXPECT_EQ(hipGetDeviceProperties(&properties, 77), hipErrorInvalidDevice);
}

// Each group adds what all groups wrote in the same round, and writes for the next one.
__global__ void sum_of_all_groups(unsigned* written, unsigned* sums, unsigned rounds) {
    const auto grid = cooperative_groups::this_grid();
    const unsigned group_count = grid.group_dim().x * grid.group_dim().y;
    const unsigned group = grid.thread_rank() / (grid.size() / group_count);
    for (unsigned round = 0; round < rounds; ++round) {
        if (threadIdx.x == 0 && threadIdx.y == 0) {
            written[group] = (round + 1) * (group + 1);
        }
        grid.sync();
        if (threadIdx.x == 1 && threadIdx.y == 1) {
            for (unsigned other = 0; other < group_count; ++other) {
                sums[group] += written[other];
            }
        }
        grid.sync();
    }
    if (grid.thread_rank() == grid.num_threads() - 1) {
        sums[group_count] = grid.is_valid() ? grid.num_threads() : 0;
    }
}

__global__ void is_cooperative(int* out) {
    *out = cooperative_groups::this_grid().is_valid() ? 1 : 0;
}

TEST(runtime, groups_that_wait_for_all) {
    int is_there = -1;
    check(hipDeviceGetAttribute(&is_there, hipDeviceAttributeCooperativeLaunch, 0));
    ASSERT_EQ(is_there, 1);
    constexpr unsigned group_count = 40;
    unsigned rounds = 3;
    const buffer<unsigned> written(std::vector<unsigned>(group_count, 0));
    const buffer<unsigned> sums(std::vector<unsigned>(group_count + 1, 0));
    unsigned* p = written.data();
    unsigned* q = sums.data();
    void* arguments[] = {&p, &q, &rounds};
    check(hipLaunchCooperativeKernel(sum_of_all_groups, dim3(8, 5), dim3(48, 4), arguments, 0,
                                     nullptr));
    std::vector<unsigned> expected(group_count, (1 + 2 + 3) * group_count * (group_count + 1) / 2);
    expected.push_back(group_count * 48 * 4);
    EXPECT_EQ(sums.to_host(), expected);

    int units = 0;
    int of_unit = 0;
    check(hipDeviceGetAttribute(&units, hipDeviceAttributeMultiprocessorCount, 0));
    check(hipOccupancyMaxActiveBlocksPerMultiprocessor(&of_unit, sum_of_all_groups, 192, 0));
    ASSERT_GT(of_unit, 0);
    EXPECT_EQ(
        hipLaunchCooperativeKernel(sum_of_all_groups, static_cast<unsigned>(units * of_unit + 1),
                                   192, arguments, 0, nullptr),
        hipErrorCooperativeLaunchTooLarge);
    EXPECT_EQ(hipGetLastError(), hipErrorCooperativeLaunchTooLarge);

    const buffer<int> cooperative({-1});
    is_cooperative<<<1, 1>>>(cooperative.data());
    EXPECT_EQ(cooperative.to_host()[0], 0) << "an ordinary launch";
}

TEST(runtime, streams_and_events) {
    hipStream_t stream = nullptr;
    hipEvent_t event = nullptr;
    check(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    check(hipEventCreateWithFlags(&event, hipEventDisableTiming));
    const buffer<int> memory({1, 2, 3, 4});
    int copied[4] = {};
    check(hipMemcpyAsync(copied, memory.data(), sizeof copied, hipMemcpyDeviceToHost, stream));
    check(hipEventRecord(event, stream));
    check(hipStreamWaitEvent(nullptr, event));
    check(hipStreamSynchronize(stream));
    EXPECT_EQ(hipStreamQuery(stream), hipSuccess);
    EXPECT_EQ(copied[3], 4);
    check(hipEventDestroy(event));
    check(hipStreamDestroy(stream));
}

}  // namespace
