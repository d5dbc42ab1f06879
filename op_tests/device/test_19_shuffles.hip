// Shuffles against a model of what each lane receives, written from the ISA guide's text
// (DS_BPERMUTE_B32).
#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

#include "common/device.hpp"
#include "opus/opus_plus.hpp"
#include "vector_values.hpp"

namespace {

using namespace opus;
using examples::device_buffer;

enum shuffle { direct, by_xor, up, down };

// The lane that lane n reads.
int shuffle_source(shuffle kind, int n, int argument, int width) {
    const int group = n / width * width;
    int from = argument;
    switch (kind) {
        case direct:
            return group + ((argument % width) + width) % width;
        case by_xor:
            from = n ^ argument;
            break;
        case up:
            from = n - argument;
            break;
        case down:
            from = n + argument;
            break;
    }
    return from >= group && from < group + width ? from : n;
}

// OPUS_DEBUG refuses lanes of other groups, which count modulo the width.
__device__ int source_lane(int argument, int width) {
    return OPUS_DEBUG ? argument & (width - 1) : argument;
}
template <class T, class Width>
__device__ void shuffle_four(const T& x, int argument, Width width, T* out) {
    out[direct * lanes] = shfl(x, source_lane(argument, width), width);
    out[by_xor * lanes] = shfl_xor(x, argument, width);
    out[up * lanes] = shfl_up(x, argument, width);
    out[down * lanes] = shfl_down(x, argument, width);
}

// Twice: the width as an integer and, where it is 64, left out; else as a number.
template <class T, int Width>
__global__ void shuffle_lanes(const T* x, const int* arguments, int width, T* out) {
    const int lane = thread_id_x();
    const T own = x[lane];
    const int argument = arguments[lane];
    shuffle_four(own, argument, width, out + lane);
    T* const second = out + 4 * lanes + lane;
    if constexpr (Width == 64) {
        second[direct * lanes] = shfl(own, source_lane(argument, Width));
        second[by_xor * lanes] = shfl_xor(own, argument);
        second[up * lanes] = shfl_up(own, argument);
        second[down * lanes] = shfl_down(own, argument);
    } else {
        shuffle_four(own, argument, number<Width>{}, second);
    }
}

template <class T, int Width>
void check_shuffles() {
    const auto x = random_values<T>(lanes, 4);
    device_buffer<T> device_x(x);
    device_buffer<T> out(8 * lanes);
    std::mt19937 random(5);
    for (int round = 0; round < 40; round++) {
        // The same for all lanes in the first rounds, then different ones, from -64 to 127.
        std::vector<int> arguments(lanes, round);
        if (round >= 16) {
            for (int& a : arguments) {
                a = static_cast<int>(random() % 192) - 64;
            }
        }
        device_buffer<int> device_arguments(arguments);
        out.fill_bytes(0x55);
        shuffle_lanes<T, Width>
            <<<1, lanes>>>(device_x.data(), device_arguments.data(), Width, out.data());
        finish();
        const auto result = out.to_host();
        for (int form = 0; form < 2; form++) {
            for (const shuffle kind : {direct, by_xor, up, down}) {
                for (int n = 0; n < lanes; n++) {
                    const int argument = arguments[static_cast<size_t>(n)];
                    const int from = shuffle_source(kind, n, argument, Width);
                    ASSERT_TRUE(
                        same_bits(result[static_cast<size_t>((4 * form + kind) * lanes + n)],
                                  x[static_cast<size_t>(from)]))
                        << "shuffle " << kind << " form " << form << " width " << Width << " lane "
                        << n << " argument " << argument;
                }
            }
        }
    }
}

TEST(shfl, four_bytes) {
    check_shuffles<int, 1>();
    check_shuffles<int, 2>();
    check_shuffles<int, 4>();
    check_shuffles<int, 8>();
    check_shuffles<int, 16>();
    check_shuffles<int, 32>();
    check_shuffles<int, 64>();
    check_shuffles<float, 16>();
}

// Moved as two words of four.
TEST(shfl, eight_bytes) {
    check_shuffles<uint64_t, 4>();
    check_shuffles<uint64_t, 64>();
    check_shuffles<double, 32>();
}

TEST(shfl, other_sizes) {
    check_shuffles<fp16_t, 64>();
    check_shuffles<signed char, 8>();
    check_shuffles<vector_t<int, 4>, 16>();
}

// The arguments as numbers: each of `arguments` in a row of `out` for every kind but `direct`.
template <class T, int Width, int... arguments>
__global__ void shuffle_by_constants(const T* x, uint64_t active, T* out, seq<arguments...>) {
    const int lane = thread_id_x();
    const T own = x[lane];
    if (active >> lane & 1) {
        T* at = out + lane;
        const auto each = [&](auto argument, auto... width) {
            at[by_xor * lanes] = shfl_xor(own, argument, width...);
            at[up * lanes] = shfl_up(own, argument, width...);
            at[down * lanes] = shfl_down(own, argument, width...);
            at += 4 * lanes;
        };
        if constexpr (Width == 64) {
            (each(number<arguments>{}), ...);
        } else {
            (each(number<arguments>{}, number<Width>{}), ...);
        }
    }
}

template <class T, int Width, int... arguments>
void check_shuffles_by_constants(seq<arguments...> numbers) {
    const auto x = random_values<T>(lanes, 9);
    device_buffer<T> device_x(x);
    device_buffer<T> out(sizeof...(arguments) * 4 * lanes);
    // The second has lanes off, whose neighbours must not need them, alike in the four rows.
    for (const uint64_t active : {~uint64_t{0}, uint64_t{0x9351935193519351}}) {
        out.fill_bytes(0x55);
        shuffle_by_constants<T, Width><<<1, lanes>>>(device_x.data(), active, out.data(), numbers);
        finish();
        const auto result = out.to_host();
        size_t checked = 0;
        size_t row = 0;
        for (const int argument : {arguments...}) {
            for (const shuffle kind : {by_xor, up, down}) {
                for (int n = 0; n < lanes; n++) {
                    const int from = shuffle_source(kind, n, argument, Width);
                    if ((active >> n & active >> from & 1) == 0) {
                        continue;
                    }
                    checked++;
                    ASSERT_TRUE(same_bits(result[(row * 4 + kind) * lanes + static_cast<size_t>(n)],
                                          x[static_cast<size_t>(from)]))
                        << "shuffle " << kind << " by the number " << argument << " width " << Width
                        << " lane " << n;
                }
            }
            row++;
        }
        ASSERT_GT(checked, sizeof...(arguments) * 16);
    }
}

// All that reach another lane, and some that do not.
void check_shuffles_by_all_constants() {
    check_shuffles_by_constants<int, 1>(seq<0, 1, -1, 63>{});
    check_shuffles_by_constants<int, 2>(seq<0, 1, 2, 3>{});
    check_shuffles_by_constants<int, 4>(seq<0, 1, 2, 3, 4, -1>{});
    check_shuffles_by_constants<int, 8>(make_index_seq<-8, 9>{});
    check_shuffles_by_constants<int, 16>(make_index_seq<17>{});
    check_shuffles_by_constants<int, 32>(make_index_seq<1, 34>{});
    check_shuffles_by_constants<int, 64>(make_index_seq<1, 65>{});
}

// Masks that are integers, known to the compiler: each in a row of `out`.
template <class T, int Width, int... masks>
__global__ void shuffle_by_known_integers(const T* x, T* out, seq<masks...>) {
    const int lane = thread_id_x();
    T* at = out + lane;
    ((*at = shfl_xor(x[lane], masks, number<Width>{}), at += lanes), ...);
}
template <class T, int Width, int... masks>
void check_known_integers(seq<masks...> numbers) {
    const auto x = random_values<T>(lanes, 11);
    device_buffer<T> device_x(x);
    device_buffer<T> out(sizeof...(masks) * lanes);
    out.fill_bytes(0x55);
    shuffle_by_known_integers<T, Width><<<1, lanes>>>(device_x.data(), out.data(), numbers);
    finish();
    const auto result = out.to_host();
    size_t row = 0;
    for (const int mask : {masks...}) {
        for (int n = 0; n < lanes; n++) {
            const int from = shuffle_source(by_xor, n, mask, Width);
            ASSERT_TRUE(same_bits(result[row * lanes + static_cast<size_t>(n)],
                                  x[static_cast<size_t>(from)]))
                << "mask " << mask << " width " << Width << " lane " << n;
        }
        row++;
    }
}
TEST(shfl, by_known_integers) {
    constexpr auto all = make_index_seq<-2, 66>{};
    check_known_integers<int, 4>(all);
    check_known_integers<int, 16>(all);
    check_known_integers<int, 64>(all);
    check_known_integers<uint64_t, 32>(all);
    check_known_integers<fp16_t, 64>(all);
}

TEST(shfl, four_bytes_by_every_constant) {
    check_shuffles_by_all_constants();
}

TEST(shfl, other_sizes_by_constants) {
    check_shuffles_by_constants<uint64_t, 8>(seq<1, 3, 4, 7>{});
    check_shuffles_by_constants<uint64_t, 64>(seq<1, 4, 5, 16, 32, 48>{});
    check_shuffles_by_constants<fp16_t, 64>(seq<1, 4, 5, 16, 32, 48>{});
    check_shuffles_by_constants<signed char, 8>(seq<1, 3, 4, 7>{});
    check_shuffles_by_constants<vector_t<int, 4>, 32>(seq<2, 12, 16, 19>{});
}

}  // namespace
