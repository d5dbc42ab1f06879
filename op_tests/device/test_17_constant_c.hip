// C as one number: the same as a vector (a tile) of it, for each way to call an mma.
#include <gtest/gtest.h>

#include <cmath>

#include "common/device.hpp"
#include "opus/opus.hpp"

namespace {

using namespace opus;
using opus::operator""_I;
using examples::device_buffer;

template <class T, class V>
__device__ V small_values(int lane) {
    array<T, vector_traits<V>::size()> x;
    for (index_t i = 0; i < x.size(); i++) {
        x[i] = cast<T>(static_cast<float>((lane * 7 + i * 3) % 5 - 2));
    }
    return to_vector(x);
}

// Counts what differs, and notes the lane's first result.
template <class V>
__device__ void compare(const V& got, const V& expected, int* differ, float* first) {
    const auto words = __builtin_bit_cast(array<int, sizeof(V) / 4>, got);
    const auto expected_words = __builtin_bit_cast(array<int, sizeof(V) / 4>, expected);
    for (index_t i = 0; i < words.size(); i++) {
        *differ += words[i] != expected_words[i];
    }
    *first = static_cast<float>(got[0]);
}

// The results of a * b + c and of a * b, with c as a number and as a tile.
template <class Mma, class T, class C>
__device__ void check(const Mma& mma, C number, T, int* differ, float* first) {
    using A = typename Mma::vtype_a;
    using B = typename Mma::vtype_b;
    using V = typename Mma::vtype_c;
    const A a = small_values<T, A>(lane_id());
    const B b = small_values<T, B>(lane_id() + 1);
    V c;
    fill(c, static_cast<get_value_t<V>>(number));
    compare<V>(mma(a, b, number), mma(a, b, c), differ, first);
}

constexpr int cases = 8;

__global__ void numbers(int* differ, float* first) {
    const int lane = lane_id();
    differ += lane * cases;
    first += lane * cases;
    const auto wave = make_mfma<fp16_t, fp16_t, fp32_t>(32_I, 32_I, 8_I);
    const auto swapped = make_mfma<fp16_t, fp16_t, fp32_t>(32_I, 32_I, 8_I, mfma_adaptor_swap_ab{});
    const auto tiled =
        make_tiled_mma<fp16_t, fp16_t, fp32_t>(seq<2, 2, 2>{}, seq<1, 1, 1>{}, seq<16, 16, 16>{});
    check(mfma_f32_32x32x8_f16{}, 1.5f, fp16_t{}, differ, first);
    check(wave, 1.5f, fp16_t{}, differ + 1, first + 1);
    check(swapped, 0.0f, fp16_t{}, differ + 2, first + 2);
    check(tiled, 1.5, fp16_t{}, differ + 3, first + 3);
    check(make_mfma<i8_t, i8_t, i32_t>(32_I, 32_I, 16_I), 7, i8_t{}, differ + 4, first + 4);
    check(tiled, 0, fp16_t{}, differ + 5, first + 5);

    using tile = remove_cvref_t<decltype(tiled)>;
    const auto a = small_values<fp16_t, tile::vtype_a>(lane);
    const auto b = small_values<fp16_t, tile::vtype_b>(lane + 1);
    tile::vtype_c c;
    fill(c, 1.5f);
    compare(tiled.step_k(1_I, a, b, 1.5f), tiled.step_k(1_I, a, b, c), differ + 6, first + 6);
#if defined(__gfx950__)
    const auto scaled =
        make_tiled_mma<fp8_t, fp8_t, fp32_t>(seq<2, 1, 1>{}, seq<1, 1, 1>{}, seq<16, 16, 128>{});
    using scaled_tile = remove_cvref_t<decltype(scaled)>;
    const auto sa = small_values<fp8_t, scaled_tile::vtype_a>(lane);
    const auto sb = small_values<fp8_t, scaled_tile::vtype_b>(lane + 1);
    scaled_tile::vtype_c sc;
    fill(sc, 1.5f);
    compare(scaled(sa, sb, 1.5f, 128, 127), scaled(sa, sb, sc, 128, 127), differ + 7, first + 7);
#else
    first[7] = 1.5f;
#endif
}

TEST(mma, c_as_one_number) {
    device_buffer<int> differ(std::vector<int>(64 * cases));
    device_buffer<float> first(64 * cases);
    numbers<<<1, 64>>>(differ.data(), first.data());
    examples::check(hipGetLastError(), "launch");
    examples::check(hipDeviceSynchronize(), "hipDeviceSynchronize");
    const auto differences = differ.to_host();
    const auto values = first.to_host();
    for (size_t i = 0; i < differences.size(); i++) {
        EXPECT_EQ(differences[i], 0) << "lane " << i / cases << " case " << i % cases;
        // The numbers above are added to integers, and in each case they count.
        const size_t n = i % cases;
        const float whole = n == 2 || n == 4 || n == 5 ? 0.0f : 0.5f;
        EXPECT_EQ(values[i] - std::floor(values[i]), whole)
            << "lane " << i / cases << " case " << n;
    }
}

}  // namespace
