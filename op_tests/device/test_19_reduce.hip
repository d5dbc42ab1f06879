// readlane, and reductions over groups of lanes and over the rows and columns of C, against sums of
// one element after the other on the host.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

#include "common/device.hpp"
#include "opus/opus_plus.hpp"
#include "vector_values.hpp"

namespace {

using namespace opus;
using examples::device_buffer;

// ---- lanes ----

template <class T, int... Lanes>
__global__ void read_lanes(const T* x, T* out, const int* from, seq<Lanes...>) {
    const int lane = thread_id_x();
    T own = x[lane];
    ((out[Lanes * lanes + lane] = readlane(own, number<Lanes>{})), ...);
    out += sizeof...(Lanes) * lanes;
    for (int i = 0; i < lanes; i++) {
        // OPUS_DEBUG refuses lanes beyond 63, which count modulo 64.
        out[i * lanes + lane] = readlane(own, OPUS_DEBUG ? from[i] & 63 : from[i]);
    }
}
template <class T>
void check_readlane(const std::vector<T>& x) {
    std::vector<int> from;
    for (int i = 0; i < lanes; i++) {
        from.push_back(i * 37 % 64 + (i % 2 == 0 ? 64 : 0));
    }
    device_buffer<T> device_x(x);
    device_buffer<int> device_from(from);
    device_buffer<T> out(2 * lanes * lanes);
    read_lanes<<<1, lanes>>>(device_x.data(), out.data(), device_from.data(),
                             make_index_seq<lanes>{});
    finish();
    const auto result = out.to_host();
    for (size_t i = 0; i < lanes; i++) {
        for (size_t n = 0; n < lanes; n++) {
            ASSERT_EQ(std::memcmp(&result[i * lanes + n], &x[i], sizeof(T)), 0) << i;
            ASSERT_EQ(std::memcmp(&result[(lanes + i) * lanes + n],
                                  &x[static_cast<size_t>(from[i] % lanes)], sizeof(T)),
                      0)
                << i;
        }
    }
}
TEST(lanes, readlane) {
    check_readlane(filled<int>([](int i) { return i * 1000003; }));
    check_readlane(filled<fp16_t>([](int i) { return i; }));
    check_readlane(filled<double>([](int i) { return 1.0 / (i + 1); }));
    check_readlane(filled<fp32x4_t>([](int i) { return 1.0f / static_cast<float>(i + 1); }));
}

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
TEST(lanes, reduce_lanes_by_every_mask) {
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
TEST(lanes, reduce_lanes_of_what_a_matrix_instruction_gives) {
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

}  // namespace
