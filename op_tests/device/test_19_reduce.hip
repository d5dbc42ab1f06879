// Reductions over the elements of a value, the lanes of a wave, groups of lanes, and the threads of a
// group, against one element after the other on the host.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "common/device.hpp"
#include "opus/opus_plus.hpp"
#include "vector_values.hpp"

namespace {

using namespace opus;
using examples::device_buffer;

// ---- elements ----

struct exclusive_or {
    __device__ int operator()(int a, int b) const { return a ^ b; }
};

template <class X, class Op, class T>
__global__ void reduce_each(const X* x, const T* first, T* out) {
    const int lane = thread_id_x();
    out[lane] = reduce(x[lane], Op{});
    out[lanes + lane] = reduce(x[lane], Op{}, first[lane]);
}

// Sums are of small integers and products of powers of two, so that the order does not matter.
template <class X, class Op, class Step>
void check_reduce(int low, int high, const Step& step) {
    using T = typename shape_of<X>::scalar;
    std::mt19937 random(1);
    const auto value = [&](int) {
        const int v = low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1));
        return is_same_v<Op, multiplies> ? (v < 0 ? 0.5 : v == 0 ? 1.0 : 2.0) : v;
    };
    const auto x = filled<X>(value);
    const auto first = filled<T>(value);
    device_buffer<X> device_x(x);
    device_buffer<T> device_first(first);
    device_buffer<T> out(2 * lanes);
    out.fill_bytes(0x55);
    reduce_each<X, Op><<<1, lanes>>>(device_x.data(), device_first.data(), out.data());
    finish();
    const auto result = out.to_host();
    for (size_t n = 0; n < lanes; n++) {
        X own = x[n];
        double expected = static_cast<double>(shape_of<X>::at(own, 0));
        for (int i = 1; i < shape_of<X>::count; i++) {
            expected = step(expected, static_cast<double>(shape_of<X>::at(own, i)));
        }
        ASSERT_EQ(static_cast<double>(result[n]), expected)
            << shape_of<X>::count << " elements, lane " << n;
        ASSERT_EQ(static_cast<double>(result[lanes + n]),
                  step(expected, static_cast<double>(first[n])))
            << shape_of<X>::count << " elements and one, lane " << n;
    }
}
// How the elements are paired is the same for each operation that takes two or three.
template <class X>
void check_order_of_reductions() {
    check_reduce<X, plus>(-3, 3, [](double a, double b) { return a + b; });
    check_reduce<X, maximum>(-100, 100, [](double a, double b) { return a > b ? a : b; });
}
template <class X>
void check_reductions_of() {
    check_order_of_reductions<X>();
    check_reduce<X, minimum>(-100, 100, [](double a, double b) { return a < b ? a : b; });
    if constexpr (!__is_integral(typename shape_of<X>::scalar)) {
        check_reduce<X, multiplies>(-1, 1, [](double a, double b) { return a * b; });
    }
}
template <class T>
void check_some_reductions() {
    check_reductions_of<T>();
    check_reductions_of<vector_t<T, 3>>();
    check_reductions_of<vector_t<T, 8>>();
    check_reductions_of<array<vector_t<T, 3>, 3>>();
}
template <class T>
void check_all_reductions() {
    check_some_reductions<T>();
    check_order_of_reductions<vector_t<T, 1>>();
    check_order_of_reductions<vector_t<T, 2>>();
    check_order_of_reductions<vector_t<T, 4>>();
    check_order_of_reductions<vector_t<T, 5>>();
    check_order_of_reductions<vector_t<T, 7>>();
    check_order_of_reductions<vector_t<T, 32>>();
    check_order_of_reductions<array<T, 6>>();
    check_order_of_reductions<array<T, 9>>();
    check_order_of_reductions<array<vector_t<T, 4>, 3>>();
}

TEST(reduce, fp32) {
    check_all_reductions<fp32_t>();
}
TEST(reduce, fp16) {
    check_all_reductions<fp16_t>();
    check_reductions_of<vector_t<_Float16, 8>>();
}
TEST(reduce, fp64) {
    check_some_reductions<fp64_t>();
}
TEST(reduce, i32) {
    check_some_reductions<i32_t>();
}
TEST(reduce, i16_and_i8) {
    check_some_reductions<i16_t>();
    check_some_reductions<i8_t>();
}
TEST(reduce, a_functor_of_ones_own) {
    const auto step = [](double a, double b) {
        return static_cast<double>(static_cast<int>(a) ^ static_cast<int>(b));
    };
    check_reduce<vector_t<int, 11>, exclusive_or>(-100, 100, step);
    check_reduce<array<vector_t<int, 4>, 4>, exclusive_or>(-100, 100, step);
    check_reduce<array<int, 3>, exclusive_or>(-100, 100, step);
}

// One number among quiet NaNs, at each place: the others count as missing.
template <class X>
void check_reduce_with_nans() {
    using T = typename shape_of<X>::scalar;
    const auto x = filled<X>([](int i) {
        const int lane = i / shape_of<X>::count;
        return i % shape_of<X>::count == lane % shape_of<X>::count ? static_cast<float>(lane) : NAN;
    });
    const std::vector<T> first(lanes, static_cast<T>(NAN));
    device_buffer<X> device_x(x);
    device_buffer<T> device_first(first);
    device_buffer<T> out(2 * lanes);
    reduce_each<X, maximum><<<1, lanes>>>(device_x.data(), device_first.data(), out.data());
    finish();
    const auto result = out.to_host();
    for (size_t n = 0; n < 2 * lanes; n++) {
        ASSERT_EQ(static_cast<double>(result[n]), static_cast<double>(n % lanes)) << n;
    }
}
TEST(reduce, a_nan_counts_as_missing) {
    check_reduce_with_nans<vector_t<float, 8>>();
    check_reduce_with_nans<vector_t<float, 9>>();
    check_reduce_with_nans<vector_t<fp16_t, 8>>();
    check_reduce_with_nans<vector_t<double, 4>>();
}

// ---- groups of lanes ----

template <class Op, class X, int... Masks>
__global__ void reduce_groups(const X* x, X* out, seq<Masks...>) {
    const int lane = thread_id_x();
    ((out[lane] = reduce_lanes(x[lane], Op{}, number<Masks>{}), out += lanes), ...);
}
template <class X, class Op, class Step>
void check_reduce_lanes(const Step& step) {
    std::mt19937 random(4);
    const auto x = filled<X>([&](int) { return static_cast<int>(random() % 31) - 15; });
    device_buffer<X> device_x(x);
    device_buffer<X> out(lanes * lanes);
    reduce_groups<Op><<<1, lanes>>>(device_x.data(), out.data(), make_index_seq<lanes>{});
    finish();
    const auto result = out.to_host();
    for (size_t mask = 0; mask < lanes; mask++) {
        for (size_t n = 0; n < lanes; n++) {
            for (int e = 0; e < shape_of<X>::count; e++) {
                const auto at = [&](size_t lane) {
                    X own = x[lane];
                    return static_cast<double>(shape_of<X>::at(own, e));
                };
                double expected = at(n);
                for (size_t other = 0; other < lanes; other++) {
                    if (other != n && ((other ^ n) & ~mask) == 0) {
                        expected = step(expected, at(other));
                    }
                }
                X own = result[mask * lanes + n];
                ASSERT_EQ(static_cast<double>(shape_of<X>::at(own, e)), expected)
                    << "mask " << mask << " lane " << n;
            }
        }
    }
}
TEST(reduce_lanes, by_every_mask) {
    const auto add = [](double a, double b) { return a + b; };
    const auto larger = [](double a, double b) { return a > b ? a : b; };
    const auto smaller = [](double a, double b) { return a < b ? a : b; };
    check_reduce_lanes<float, plus>(add);
    check_reduce_lanes<float, maximum>(larger);
    check_reduce_lanes<float, minimum>(smaller);
    check_reduce_lanes<int, plus>(add);
    check_reduce_lanes<int, minimum>(smaller);
    check_reduce_lanes<double, maximum>(larger);
    check_reduce_lanes<fp16_t, plus>(add);
    check_reduce_lanes<fp16_t, maximum>(larger);
    check_reduce_lanes<fp32x4_t, plus>(add);
    check_reduce_lanes<fp32x4_t, maximum>(larger);
}

// C of a matrix instruction, whose registers are being written when the reduction begins.
__global__ void reduce_product(const fp16x4_t* a, const fp16x4_t* b, float* out) {
    const int lane = thread_id_x();
    constexpr auto mma =
        make_mfma<fp16_t, fp16_t, fp32_t>(number<16>{}, number<16>{}, number<16>{});
    const fp32x4_t c = mma(a[lane], b[lane], fp32x4_t{});
    out[lane] = reduce_lanes(c[0], maximum{}, number<15>{});
    out[lanes + lane] = reduce_lanes(c[3], minimum{}, number<63>{});
    out[2 * lanes + lane] = reduce_lanes(reduce(c, maximum{}), maximum{}, number<48>{});
}
TEST(reduce_lanes, of_what_a_matrix_instruction_gives) {
    std::mt19937 random(5);
    const auto value = [&](int) { return static_cast<int>(random() % 15) - 7; };
    const auto a = filled<fp16x4_t>(value);
    const auto b = filled<fp16x4_t>(value);
    device_buffer<fp16x4_t> device_a(a);
    device_buffer<fp16x4_t> device_b(b);
    device_buffer<float> out(3 * lanes);
    reduce_product<<<1, lanes>>>(device_a.data(), device_b.data(), out.data());
    finish();
    const auto result = out.to_host();
    // Lane l has a[l % 16][4 * (l / 16) + i], b alike, and c[4 * (l / 16) + i][l % 16].
    double c[16][16] = {};
    for (size_t row = 0; row < 16; row++) {
        for (size_t column = 0; column < 16; column++) {
            for (size_t k = 0; k < 16; k++) {
                c[row][column] += static_cast<double>(a[k / 4 * 16 + row][k % 4]) *
                                  static_cast<double>(b[k / 4 * 16 + column][k % 4]);
            }
        }
    }
    for (size_t n = 0; n < lanes; n++) {
        double of_row = -1e9;
        double of_last = 1e9;
        double of_column = -1e9;
        for (size_t i = 0; i < 16; i++) {
            of_row = std::max(of_row, c[n / 16 * 4][i]);
            of_column = std::max(of_column, c[i][n % 16]);
            for (size_t row = 3; row < 16; row += 4) {
                of_last = std::min(of_last, c[row][i]);
            }
        }
        ASSERT_EQ(result[n], of_row) << n;
        ASSERT_EQ(result[lanes + n], of_last) << n;
        ASSERT_EQ(result[2 * lanes + n], of_column) << n;
    }
}

// ---- waves and blocks ----

template <class T, class Op>
__global__ void reduce_waves(const T* x, T* out) {
    const int i = block_id_x() * block_size_x() + thread_id_x();
    out[i] = reduce_wave(x[i], Op{});
}

template <class T, class Op>
__global__ void reduce_blocks(const T* x, T* out) {
    __shared__ T smem[16];
    const int threads = block_size_x() * block_size_y() * block_size_z();
    const int thread =
        (thread_id_z() * block_size_y() + thread_id_y()) * block_size_x() + thread_id_x();
    // Two in a row with the same LDS.
    const int i = block_id_x() * threads + thread;
    out[2 * i] = reduce_block(x[i], Op{}, smem);
    out[2 * i + 1] = reduce_block(x[block_id_x() * threads + (thread + 1) / 2], Op{}, smem);
}

// op over `count` values in order. Sums of fp16 and fp32 are of small integers and so exact.
template <class T, class Op>
T reduced(const T* x, size_t count) {
    T result = x[0];
    for (size_t i = 1; i < count; i++) {
        result = static_cast<T>(Op{}(result, x[i]));
    }
    return result;
}

template <class T>
std::vector<T> reduction_values(size_t count, bool is_sum) {
    std::mt19937 random(8);
    std::vector<T> values;
    for (size_t i = 0; i < count; i++) {
        const uint32_t bits = static_cast<uint32_t>(random());
        if constexpr (is_any_of_v<T, int, unsigned>) {
            // Signed sums must not overflow.
            values.push_back(
                static_cast<T>(is_same_v<T, int> && is_sum ? bits % 2000000 - 1000000 : bits));
        } else if (is_sum) {
            values.push_back(static_cast<T>(static_cast<int>(bits % 5) - 2));
        } else {
            values.push_back(static_cast<T>(static_cast<int>(bits % 4001) - 2000));
        }
    }
    return values;
}

template <class T, class Op>
void check_reduce_wave() {
    constexpr bool is_sum = is_same_v<Op, plus>;
    // 64 waves in which one lane decides, and 64 with random values.
    std::vector<T> x;
    for (int wave = 0; wave < lanes; wave++) {
        for (int lane = 0; lane < lanes; lane++) {
            const int background = is_sum ? 0 : is_same_v<Op, maximum> ? 2 : 200;
            x.push_back(static_cast<T>(lane == wave ? 100 + lane : background));
        }
    }
    const auto more = reduction_values<T>(64 * lanes, is_sum);
    x.insert(x.end(), more.begin(), more.end());
    device_buffer<T> device_x(x);
    device_buffer<T> out(x.size());
    out.fill_bytes(0x55);
    reduce_waves<T, Op><<<32, 4 * lanes>>>(device_x.data(), out.data());
    finish();
    const auto result = out.to_host();
    for (size_t i = 0; i < x.size(); i++) {
        const T expected = reduced<T, Op>(&x[i / lanes * lanes], lanes);
        ASSERT_TRUE(result[i] == expected)
            << "wave " << i / lanes << " lane " << i % lanes << ": "
            << static_cast<double>(result[i]) << ", not " << static_cast<double>(expected);
    }
}

template <class T, class Op>
void check_reduce_block() {
    struct {
        dim3 block;
        unsigned threads;
    } const cases[] = {{dim3(64), 64},        {dim3(128), 128}, {dim3(192), 192},
                       {dim3(16, 4, 5), 320}, {dim3(448), 448}, {dim3(8, 64), 512},
                       {dim3(576), 576},      {dim3(960), 960}, {dim3(1024), 1024}};
    for (const auto& c : cases) {
        constexpr unsigned blocks = 3;
        const auto x = reduction_values<T>(blocks * c.threads, is_same_v<Op, plus>);
        device_buffer<T> device_x(x);
        device_buffer<T> out(2 * x.size());
        out.fill_bytes(0x55);
        reduce_blocks<T, Op><<<blocks, c.block>>>(device_x.data(), out.data());
        finish();
        const auto result = out.to_host();
        for (size_t b = 0; b < blocks; b++) {
            const T* const own = &x[b * c.threads];
            std::vector<T> halves;
            for (size_t t = 0; t < c.threads; t++) {
                halves.push_back(own[(t + 1) / 2]);
            }
            const T first = reduced<T, Op>(own, c.threads);
            const T second = reduced<T, Op>(halves.data(), c.threads);
            for (size_t t = 0; t < c.threads; t++) {
                const size_t i = 2 * (b * c.threads + t);
                ASSERT_TRUE(result[i] == first)
                    << c.threads << " threads, block " << b << " thread " << t << ": "
                    << static_cast<double>(result[i]) << ", not " << static_cast<double>(first);
                ASSERT_TRUE(result[i + 1] == second)
                    << "second, " << c.threads << " threads, block " << b << " thread " << t;
            }
        }
    }
}

template <class T>
void check_reductions() {
    check_reduce_wave<T, plus>();
    check_reduce_wave<T, maximum>();
    check_reduce_wave<T, minimum>();
    check_reduce_block<T, plus>();
    check_reduce_block<T, maximum>();
    check_reduce_block<T, minimum>();
}

TEST(reductions, i32) {
    check_reductions<i32_t>();
}
TEST(reductions, u32) {
    check_reductions<u32_t>();
}
TEST(reductions, fp32) {
    check_reductions<fp32_t>();
}
TEST(reductions, fp16) {
    check_reductions<fp16_t>();
}

// ---- maximum and minimum of floats: a NaN counts as missing ----

template <class T, class Op>
void check_reduce_wave_with_nans(T quiet, T signalling) {
    const T infinity = static_cast<T>(INFINITY);
    std::mt19937 random(10);
    std::vector<T> x;
    for (int wave = 0; wave < 64; wave++) {
        for (int lane = 0; lane < lanes; lane++) {
            const T number = static_cast<T>(static_cast<int>(random() % 2001) - 1000);
            const T nan = random() % 2 == 0 ? quiet : signalling;
            // Without a number; with one; with infinities only; with NaNs in half of the lanes.
            T value = random() % 2 == 0 ? number : nan;
            if (wave < 2) {
                value = nan;
            } else if (wave < 34) {
                value = lane == 2 * wave - 4 || lane == 2 * wave - 3 ? number : nan;
            } else if (wave < 36) {
                value = wave == 34 ? infinity : -infinity;
            }
            x.push_back(value);
        }
    }
    device_buffer<T> device_x(x);
    device_buffer<T> out(x.size());
    reduce_waves<T, Op><<<16, 4 * lanes>>>(device_x.data(), out.data());
    finish();
    const auto result = out.to_host();
    for (size_t wave = 0; wave < 64; wave++) {
        bool found = false;
        double expected = 0;
        for (size_t lane = 0; lane < lanes; lane++) {
            const double value = static_cast<double>(x[wave * lanes + lane]);
            if (!std::isnan(value)) {
                const bool better = is_same_v<Op, maximum> ? value > expected : value < expected;
                expected = !found || better ? value : expected;
                found = true;
            }
        }
        ASSERT_EQ(found, wave >= 2);
        for (size_t lane = 0; lane < lanes; lane++) {
            const double value = static_cast<double>(result[wave * lanes + lane]);
            ASSERT_TRUE(found ? value == expected : std::isnan(value))
                << "wave " << wave << " lane " << lane << ": " << value << ", not " << expected;
        }
    }
}

TEST(reductions, a_nan_counts_as_missing) {
    const auto fp32 = [](uint32_t bits) { return __builtin_bit_cast(float, bits); };
    const auto fp16 = [](uint16_t bits) { return __builtin_bit_cast(fp16_t, bits); };
    check_reduce_wave_with_nans<float, maximum>(fp32(0x7fc00000), fp32(0xff800001));
    check_reduce_wave_with_nans<float, minimum>(fp32(0xffc00000), fp32(0x7f800001));
    check_reduce_wave_with_nans<fp16_t, maximum>(fp16(0xfe00), fp16(0x7c01));
    check_reduce_wave_with_nans<fp16_t, minimum>(fp16(0x7e00), fp16(0xfc01));
}

// What a matrix instruction is still writing.
__global__ void reduce_matrix_result(const float* x, float* out) {
    const int lane = lane_id();
    const fp16x4_t a = {static_cast<fp16_t>(x[lane])};
    const fp32x16_t c = mfma<fp16_t, fp16_t, fp32_t, 32, 32, 8>{}(a, a);
    out[lane] = reduce_wave(c[15], maximum{});
    out[lanes + lane] = reduce_wave(c[14], minimum{});
}

TEST(reductions, of_what_a_matrix_instruction_gives) {
    std::vector<float> x;
    for (int lane = 0; lane < lanes; lane++) {
        x.push_back(static_cast<float>(lane % 7 - 3));
    }
    device_buffer<float> device_x(x);
    device_buffer<float> out(2 * lanes);
    reduce_matrix_result<<<1, lanes>>>(device_x.data(), out.data());
    finish();
    // Lane l of a has row l % 32 and the first of 4 columns from l / 32 * 4 on, as column l % 32 of
    // its other operand; register r of c is row r % 4 + r / 4 * 8 + l / 32 * 4, column l % 32.
    const auto expected = [&](int r, bool largest) {
        float result = 0;
        for (int l = 0; l < lanes; l++) {
            const int row = r % 4 + r / 4 * 8 + l / 32 * 4;
            float sum = 0;
            for (const int half : {0, 32}) {
                sum += x[static_cast<size_t>(row + half)] * x[static_cast<size_t>(l % 32 + half)];
            }
            result = l == 0 || (largest ? sum > result : sum < result) ? sum : result;
        }
        return result;
    };
    const auto result = out.to_host();
    for (size_t lane = 0; lane < lanes; lane++) {
        ASSERT_EQ(result[lane], expected(15, true));
        ASSERT_EQ(result[lanes + lane], expected(14, false));
    }
}

// ---- groups of a known size ----

// Four in a row, which take two buffers in turns.
template <class T, class Op, int... shape>
__global__ void reduce_known_blocks(const T* x, T* out) {
    __shared__ T smem[2][16];
    constexpr int threads = (shape * ...);
    const int i = (thread_id_z() * block_size_y() + thread_id_y()) * block_size_x() + thread_id_x();
    const T* const own = x + block_id_x() * threads;
    T* const at = out + 4 * block_id_x() * threads + i;
    for (int k = 0; k < 4; k++) {
        at[k * threads] = reduce_block<shape...>(own[(i + k) / (k + 1)], Op{}, smem[k % 2]);
    }
}

template <class T, class Op, int... shape>
void check_reduce_known_block() {
    constexpr int sizes[] = {shape..., 1, 1};
    constexpr unsigned blocks = 3;
    constexpr size_t threads = static_cast<size_t>((shape * ...));
    const auto x = reduction_values<T>(blocks * threads, is_same_v<Op, plus>);
    device_buffer<T> device_x(x);
    device_buffer<T> out(4 * x.size());
    out.fill_bytes(0x55);
    reduce_known_blocks<T, Op, shape...>
        <<<blocks, dim3(static_cast<unsigned>(sizes[0]), static_cast<unsigned>(sizes[1]),
                        static_cast<unsigned>(sizes[2]))>>>(device_x.data(), out.data());
    finish();
    const auto result = out.to_host();
    for (size_t b = 0; b < blocks; b++) {
        for (size_t k = 0; k < 4; k++) {
            std::vector<T> own;
            for (size_t t = 0; t < threads; t++) {
                own.push_back(x[b * threads + (t + k) / (k + 1)]);
            }
            const T expected = reduced<T, Op>(own.data(), threads);
            for (size_t t = 0; t < threads; t++) {
                ASSERT_TRUE(result[(b * 4 + k) * threads + t] == expected)
                    << threads << " threads, block " << b << " thread " << t << " reduction " << k
                    << ": " << static_cast<double>(result[(b * 4 + k) * threads + t]) << ", not "
                    << static_cast<double>(expected);
            }
        }
    }
}

TEST(reductions, of_groups_of_a_known_size) {
    check_reduce_known_block<float, plus, 64>();
    check_reduce_known_block<float, maximum, 256>();
    check_reduce_known_block<int, minimum, 192>();
    check_reduce_known_block<int, plus, 1024>();
    check_reduce_known_block<unsigned, plus, 8, 64>();
    check_reduce_known_block<fp16_t, maximum, 16, 4, 5>();
    check_reduce_known_block<double, plus, 32, 4>();
}

// Twice with one buffer and nothing in between: a wave may still read what another one overwrites.
__global__ void reduce_too_soon(const int* x, int* out) {
    __shared__ int smem[2];
    const int i = thread_id_x();
    const int first = reduce_block<128>(x[i], plus{}, smem);
    out[i] = reduce_block<128>(x[i] + first, plus{}, smem);
}

TEST(reductions, two_in_one_buffer_are_a_race) {
    if (!examples::is_emulated()) {
        GTEST_SKIP() << "the emulator finds it";
    }
    testing::FLAGS_gtest_death_test_style = "threadsafe";
    const auto run = [] {
        device_buffer<int> x(reduction_values<int>(128, true));
        device_buffer<int> out(128);
        reduce_too_soon<<<1, 128>>>(x.data(), out.data());
        finish();
    };
    EXPECT_EXIT(run(), testing::ExitedWithCode(70), "race: .* without a barrier between");
}

// An operation of one's own on a wide type: the largest value and where it is.
struct candidate {
    float value;
    int index;
};

__global__ void find_largest(const float* x, candidate* out) {
    __shared__ candidate smem[4];
    const int i = thread_id_x();
    const auto larger = [](const candidate& a, const candidate& b) {
        return b.value > a.value || (b.value == a.value && b.index < a.index) ? b : a;
    };
    out[i] = reduce_block(candidate{x[i], i}, larger, smem);
}

TEST(reductions, of_structures) {
    std::vector<float> x;
    for (int i = 0; i < 256; i++) {
        x.push_back(static_cast<float>(i * 37 % 101));
    }
    device_buffer<float> device_x(x);
    device_buffer<candidate> out(256);
    find_largest<<<1, 256>>>(device_x.data(), out.data());
    finish();
    int largest = 0;
    for (int i = 0; i < 256; i++) {
        largest = x[static_cast<size_t>(i)] > x[static_cast<size_t>(largest)] ? i : largest;
    }
    for (const candidate& c : out.to_host()) {
        ASSERT_EQ(c.value, x[static_cast<size_t>(largest)]);
        ASSERT_EQ(c.index, largest);
    }
}

}  // namespace
