// Prefixes over the lanes of a wave and the threads of a group, and reductions over groups that are
// not whole waves.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <type_traits>

#include "common/device.hpp"
#include "opus/opus_plus.hpp"

namespace {

using namespace opus;
using examples::device_buffer;

constexpr int lanes = 64;

void finish() {
    examples::check(hipGetLastError(), "launch");
    examples::check(hipDeviceSynchronize(), "hipDeviceSynchronize");
}

// x -> factor * x + term, modulo 2^32: first a, then b. Not commutative.
struct affine {
    uint32_t factor;
    uint32_t term;

    bool operator==(const affine& other) const {
        return factor == other.factor && term == other.term;
    }
};
struct then {
    __host__ __device__ affine operator()(const affine& a, const affine& b) const {
        return {a.factor * b.factor, a.term * b.factor + b.term};
    }
};
// Floats as integers: NaNs are all one, and -0 is not 0.
template <class T>
auto exact(const T& x) {
    if constexpr (is_any_of_v<T, float, double, fp16_t>) {
        const double number = static_cast<double>(x);
        return std::isnan(number) ? ~uint64_t{0} : __builtin_bit_cast(uint64_t, number);
    } else {
        return x;
    }
}

// Values whose sums are exact in T and do not overflow where that is undefined.
template <class T>
std::vector<T> values(size_t count) {
    std::mt19937 random(3);
    std::vector<T> all;
    for (size_t i = 0; i < count; i++) {
        const uint32_t bits = static_cast<uint32_t>(random());
        if constexpr (is_same_v<T, affine>) {
            all.push_back({bits, static_cast<uint32_t>(random())});
        } else if constexpr (std::is_unsigned_v<T>) {
            all.push_back(static_cast<T>(bits));
        } else {
            all.push_back(static_cast<T>(static_cast<int>(bits % 5) - 2));
        }
    }
    return all;
}
// What the operations are on the host: written here, as in C++.
template <class Op, class T>
T combined(const T& a, const T& b) {
    if constexpr (is_same_v<Op, then>) {
        return then{}(a, b);
    } else if constexpr (is_same_v<Op, plus>) {
        return static_cast<T>(a + b);
    } else if constexpr (is_same_v<Op, multiplies>) {
        return static_cast<T>(a * b);
    } else if constexpr (std::is_integral_v<T>) {
        return is_same_v<Op, maximum> ? (a < b ? b : a) : (b < a ? b : a);
    } else {
        const double x = static_cast<double>(a);
        const double y = static_cast<double>(b);
        return static_cast<T>(is_same_v<Op, maximum> ? std::fmax(x, y) : std::fmin(x, y));
    }
}
// The prefixes of `count` values, with or without the own one.
template <class Op, class T>
std::vector<T> prefixes(const T* x, size_t count, bool exclusive, const T& first) {
    std::vector<T> all;
    T so_far = first;
    for (size_t i = 0; i < count; i++) {
        const T before = so_far;
        so_far = i == 0 && !exclusive ? x[0] : combined<Op>(so_far, x[i]);
        all.push_back(exclusive ? before : so_far);
    }
    return all;
}

// ---- waves ----

template <class T, class Op>
__global__ void scan_waves(const T* x, T first, T* inclusive, T* exclusive) {
    const int i = block_id_x() * block_size_x() + thread_id_x();
    inclusive[i] = scan_wave(x[i], Op{});
    exclusive[i] = scan_wave_exclusive(x[i], Op{}, first);
}

// Groups of `threads`, of which the last wave may not be whole.
template <class T, class Op>
void check_waves(const std::vector<T>& x, const T& first, unsigned threads) {
    const unsigned groups = static_cast<unsigned>(x.size()) / threads;
    const device_buffer<T> device_x(x);
    device_buffer<T> inclusive(x.size());
    device_buffer<T> exclusive(x.size());
    inclusive.fill_bytes(0x55);
    exclusive.fill_bytes(0x55);
    scan_waves<T, Op>
        <<<groups, threads>>>(device_x.data(), first, inclusive.data(), exclusive.data());
    finish();
    const std::vector<T> results[] = {inclusive.to_host(), exclusive.to_host()};
    for (size_t g = 0; g < groups; g++) {
        for (size_t w = 0; w < threads; w += lanes) {
            const size_t start = g * threads + w;
            const size_t count = std::min<size_t>(lanes, threads - w);
            for (const bool is_exclusive : {false, true}) {
                const auto expected = prefixes<Op>(&x[start], count, is_exclusive, first);
                for (size_t lane = 0; lane < count; lane++) {
                    ASSERT_TRUE(exact(results[is_exclusive][start + lane]) == exact(expected[lane]))
                        << (is_exclusive ? "exclusive, " : "inclusive, ") << threads
                        << " threads, group " << g << " wave " << w / lanes << " lane " << lane;
                }
            }
        }
    }
}
template <class T, class Op>
void check_type(const T& first) {
    for (const unsigned threads : {64u, 256u, 1u, 16u, 17u, 37u, 100u}) {
        check_waves<T, Op>(values<T>(8 * threads), first, threads);
    }
}
template <class T>
void check_type() {
    check_type<T, plus>(static_cast<T>(3));
    check_type<T, maximum>(static_cast<T>(-1));
    check_type<T, minimum>(static_cast<T>(1));
}

TEST(scan_wave, of_integers) {
    check_type<int32_t>();
    check_type<uint32_t>();
    check_type<int8_t>();
    check_type<uint8_t>();
    check_type<int16_t>();
    check_type<uint64_t>();
    check_type<int64_t>();
    check_type<uint32_t, multiplies>(5);
}
TEST(scan_wave, of_floats) {
    check_type<float>();
    check_type<fp16_t>();
    check_type<double>();
    check_type<double, multiplies>(-1.0);
}
// The largest and smallest values of a type, each in one lane.
template <class T>
void check_limits() {
    const T edges[] = {std::numeric_limits<T>::lowest(), std::numeric_limits<T>::max()};
    std::vector<T> x;
    for (size_t wave = 0; wave < 2 * lanes; wave++) {
        for (size_t lane = 0; lane < lanes; lane++) {
            const T edge = edges[wave % 2];
            x.push_back(lane == wave / 2 ? edge : edges[(wave + 1) % 2]);
        }
    }
    check_waves<T, maximum>(x, edges[0], lanes);
    check_waves<T, minimum>(x, edges[1], lanes);
}
TEST(scan_wave, of_the_largest_and_the_smallest_values) {
    check_limits<int32_t>();
    check_limits<uint32_t>();
    check_limits<int8_t>();
    check_limits<uint64_t>();
    check_limits<float>();
    check_limits<double>();
}
TEST(scan_wave, in_the_order_of_the_lanes) {
    check_type<affine, then>({3, 7});
}

TEST(scan_wave, of_negative_zeros_and_nans) {
    const auto check = [](auto zero, auto quiet, auto signalling) {
        using T = decltype(zero);
        check_waves<T, plus>(std::vector<T>(lanes, zero), zero, lanes);
        std::mt19937 random(4);
        std::vector<T> x;
        for (int i = 0; i < 32 * lanes; i++) {
            const T numbers[] = {static_cast<T>(static_cast<int>(random() % 99) - 50), quiet,
                                 signalling, static_cast<T>(-INFINITY), static_cast<T>(INFINITY)};
            // A first wave of quiet NaNs, others with few and with many numbers.
            const int kinds = i % lanes < i / lanes * 3 ? 3 : 5;
            const int kind = i < lanes ? 1 : static_cast<int>(random()) % kinds;
            x.push_back(numbers[kind < 0 ? -kind : kind]);
        }
        check_waves<T, maximum>(x, quiet, lanes);
        check_waves<T, minimum>(x, quiet, lanes);
        check_waves<T, maximum>(x, static_cast<T>(10), lanes);
    };
    check(-0.0f, __builtin_bit_cast(float, 0x7fc00000), __builtin_bit_cast(float, 0x7f800001));
    check(static_cast<fp16_t>(-0.0f), __builtin_bit_cast(fp16_t, static_cast<uint16_t>(0xfe00)),
          __builtin_bit_cast(fp16_t, static_cast<uint16_t>(0x7c01)));
}

// Vectors, and what a matrix instruction is still writing.
__global__ void scan_matrix_result(const float* x, float* out) {
    const int lane = lane_id();
    const fp16x4_t a = {static_cast<fp16_t>(x[lane])};
    const fp32x16_t c = mfma<fp16_t, fp16_t, fp32_t, 32, 32, 8>{}(a, a);
    out[lane] = c[15];
    out[lanes + lane] = scan_wave(c[15], plus{});
    out[2 * lanes + lane] = scan_wave(c[15], maximum{});
    const fp32x2_t pair = scan_wave(fp32x2_t{x[lane], c[15]}, plus{});
    out[3 * lanes + lane] = pair[0];
    out[4 * lanes + lane] = pair[1];
}

TEST(scan_wave, of_vectors_and_of_what_a_matrix_instruction_gives) {
    std::vector<float> x;
    for (int lane = 0; lane < lanes; lane++) {
        x.push_back(static_cast<float>(lane % 7 - 3));
    }
    const device_buffer<float> device_x(x);
    device_buffer<float> out(5 * lanes);
    scan_matrix_result<<<1, lanes>>>(device_x.data(), out.data());
    finish();
    const auto result = out.to_host();
    const auto sums = prefixes<plus>(result.data(), lanes, false, 0.0f);
    const auto largest = prefixes<maximum>(result.data(), lanes, false, 0.0f);
    const auto sums_of_x = prefixes<plus>(x.data(), lanes, false, 0.0f);
    for (size_t lane = 0; lane < lanes; lane++) {
        ASSERT_EQ(result[lanes + lane], sums[lane]) << lane;
        ASSERT_EQ(result[2 * lanes + lane], largest[lane]) << lane;
        ASSERT_EQ(result[3 * lanes + lane], sums_of_x[lane]) << lane;
        ASSERT_EQ(result[4 * lanes + lane], sums[lane]) << lane;
    }
    ASSERT_NE(sums[63], 0.0f);
}

// ---- groups ----

__device__ int own_thread() {
    return (thread_id_z() * block_size_y() + thread_id_y()) * block_size_x() + thread_id_x();
}

// Four in a row, which take two buffers in turns; what threads beyond the shape get is not stored.
template <class T, class Op, int... shape>
__global__ void scan_groups(const T* x, T first, T* out) {
    constexpr int threads = (shape * ...);
    __shared__ T smem[2][(threads + lanes - 1) / lanes];
    const int i = own_thread();
    const T own = x[block_id_x() * threads + (i < threads ? i : 0)];
    T results[5];
    results[0] = scan_block<shape...>(own, Op{}, smem[0]);
    results[1] = scan_block_exclusive<shape...>(own, Op{}, first, smem[1]);
    results[2] = scan_block<shape...>(results[0], Op{}, smem[0]);
    results[3] = scan_block_exclusive<shape...>(results[1], Op{}, first, smem[1]);
    results[4] = reduce_block<shape...>(own, Op{}, smem[0]);
    if (i < threads) {
        for (int k = 0; k < 5; k++) {
            out[(block_id_x() * 5 + k) * threads + i] = results[k];
        }
    }
}

template <class T, class Op, int... shape>
void check_groups(const T& first) {
    constexpr unsigned groups = 3;
    constexpr unsigned sizes[] = {static_cast<unsigned>(shape)..., 1, 1};
    constexpr size_t threads = static_cast<size_t>((shape * ...));
    const auto x = values<T>(groups * threads);
    const device_buffer<T> device_x(x);
    // As many threads as count, and all of the last wave.
    for (const bool whole : {false, true}) {
        if (whole && sizeof...(shape) > 1) {
            continue;
        }
        device_buffer<T> out(5 * x.size());
        out.fill_bytes(0x55);
        const dim3 block(whole ? (sizes[0] + lanes - 1) / lanes * lanes : sizes[0], sizes[1],
                         sizes[2]);
        scan_groups<T, Op, shape...><<<groups, block>>>(device_x.data(), first, out.data());
        finish();
        const auto result = out.to_host();
        for (size_t g = 0; g < groups; g++) {
            const auto once = prefixes<Op>(&x[g * threads], threads, false, first);
            const auto exclusive = prefixes<Op>(&x[g * threads], threads, true, first);
            const std::vector<T> expected[] = {once, exclusive,
                                               prefixes<Op>(once.data(), threads, false, first),
                                               prefixes<Op>(exclusive.data(), threads, true, first),
                                               std::vector<T>(threads, once.back())};
            // The order of a reduction is the header's own.
            const size_t results = is_same_v<Op, then> ? 4 : 5;
            for (size_t k = 0; k < results; k++) {
                for (size_t t = 0; t < threads; t++) {
                    ASSERT_TRUE(exact(result[(g * 5 + k) * threads + t]) == exact(expected[k][t]))
                        << "result " << k << " of " << threads << " threads, group " << g
                        << " thread " << t << (whole ? ", whole waves" : "");
                }
            }
        }
    }
}

TEST(scan_block, of_whole_waves) {
    check_groups<int, plus, 64>(4);
    check_groups<int, plus, 128>(4);
    check_groups<float, plus, 256>(-1);
    check_groups<float, maximum, 1024>(1);
    check_groups<fp16_t, minimum, 192>(static_cast<fp16_t>(0));
    check_groups<unsigned, multiplies, 32, 8>(3);
    check_groups<int64_t, plus, 16, 4, 5>(-7);
    check_groups<affine, then, 512>({5, 6});
}
TEST(scan_block, of_groups_that_are_not_whole_waves) {
    check_groups<int, plus, 1>(4);
    check_groups<int, plus, 48>(4);
    check_groups<float, maximum, 63>(1);
    check_groups<float, plus, 65>(1);
    check_groups<float, minimum, 100>(1);
    check_groups<double, plus, 144>(1);
    check_groups<fp16_t, maximum, 1000>(static_cast<fp16_t>(0));
    check_groups<unsigned, multiplies, 10, 7>(3);
    check_groups<int, minimum, 5, 3, 9>(3);
    check_groups<affine, then, 81>({5, 6});
}

// Two in one buffer with nothing in between: a wave may still read what another one overwrites.
__global__ void scan_too_soon(const int* x, int* out) {
    __shared__ int smem[3];
    const int i = thread_id_x();
    const int first = scan_block<192>(x[i], plus{}, smem);
    out[i] = scan_block<192>(x[i] + first, plus{}, smem);
}
TEST(scan_block, two_in_one_buffer_are_a_race) {
    if (!examples::is_emulated()) {
        GTEST_SKIP() << "the emulator finds it";
    }
    testing::FLAGS_gtest_death_test_style = "threadsafe";
    const auto run = [] {
        device_buffer<int> x(values<int>(192));
        device_buffer<int> out(192);
        scan_too_soon<<<1, 192>>>(x.data(), out.data());
        finish();
    };
    EXPECT_EXIT(run(), testing::ExitedWithCode(70), "race: .* without a barrier between");
}

// ---- reductions of a group whose size the kernel reads ----

// Two in a row with one buffer.
template <class T, class Op>
__global__ void reduce_groups(const T* x, T* out) {
    __shared__ T smem[16];
    const int threads = block_size_x() * block_size_y() * block_size_z();
    const int i = block_id_x() * threads + own_thread();
    const T once = reduce_block(x[i], Op{}, smem);
    out[2 * i] = once;
    out[2 * i + 1] = reduce_block(x[block_id_x() * threads], Op{}, smem);
}
template <class T, class Op>
void check_reduce(const dim3& block) {
    constexpr unsigned groups = 2;
    const size_t threads = block.x * block.y * block.z;
    const auto x = values<T>(groups * threads);
    const device_buffer<T> device_x(x);
    device_buffer<T> out(2 * x.size());
    out.fill_bytes(0x55);
    reduce_groups<T, Op><<<groups, block>>>(device_x.data(), out.data());
    finish();
    const auto result = out.to_host();
    for (size_t i = 0; i < x.size(); i++) {
        const T* const own = &x[i / threads * threads];
        const std::vector<T> same(threads, own[0]);
        const T zero = static_cast<T>(0);
        ASSERT_TRUE(exact(result[2 * i]) == exact(prefixes<Op>(own, threads, false, zero).back()))
            << threads << " threads, thread " << i;
        ASSERT_TRUE(exact(result[2 * i + 1]) ==
                    exact(prefixes<Op>(same.data(), threads, false, zero).back()))
            << "second, " << threads << " threads, thread " << i;
    }
}
TEST(reduce_block, of_groups_that_are_not_whole_waves) {
    for (const dim3 block :
         {dim3(1), dim3(15), dim3(16), dim3(17), dim3(33), dim3(48), dim3(63), dim3(64), dim3(65),
          dim3(100), dim3(127), dim3(10, 10), dim3(3, 5, 7), dim3(500), dim3(1000), dim3(1023)}) {
        check_reduce<int, plus>(block);
        check_reduce<float, maximum>(block);
        check_reduce<unsigned, multiplies>(block);
        check_reduce<double, minimum>(block);
        check_reduce<fp16_t, minimum>(block);
    }
}

}  // namespace
