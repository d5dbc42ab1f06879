// Sums that are read behind a loop, with and without settle().
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

using namespace opus;
using opus::operator""_I;

namespace {
// One wave: `count` tiles of 32 x 32 below each other.
template <index_t count, bool settles>
__device__ void product(const fp16_t* a, const fp16_t* b, float* c, int k) {
    const auto mma = make_tiled_mma<fp16_t, fp16_t, fp32_t>(seq<count, 1, 1>{}, seq<1, 1, 1>{},
                                                            seq<32, 32, 8>{});
    auto u_a = partition_layout_a(mma, make_tuple(k, 1_I), thread_id_x());
    auto u_b = partition_layout_b(mma, make_tuple(k, 1_I), thread_id_x());
    const auto u_c = partition_layout_c(mma, make_tuple(32_I, 1_I), thread_id_x());
    typename remove_cv_t<decltype(mma)>::vtype_c sum{0};
    int i = 0;
    do {
        sum = mma(make_gmem(a).load<4>(u_a), make_gmem(b).load<4>(u_b), sum);
        u_a += 8;
        u_b += 8;
    } while ((i += 8) < k);
    if constexpr (settles) {
        settle(sum);
    }
    make_gmem(c).store<1>(sum * 0.5f, u_c);
}

// Two sums.
template <bool settles>
__device__ void products(const fp16x4_t* a, float* c, int k) {
    const mfma<fp16_t, fp16_t, fp32_t, 16, 16, 16> mma;
    array<fp32x4_t, 2> sum{};
    int i = 0;
    do {
        sum[0] = mma(a[i * 128 + thread_id_x()], a[i * 128 + thread_id_x()], sum[0]);
        sum[1] = mma(a[i * 128 + 64 + thread_id_x()], a[i * 128 + thread_id_x()], sum[1]);
    } while (++i < k);
    if constexpr (settles) {
        settle(sum[0], sum[1]);
    }
    make_gmem(c).store<4>(sum[0] * sum[1], thread_id_x() * 4);
}
}  // namespace

extern "C" {
__global__ void sum_of_16(const fp16_t* a, const fp16_t* b, float* c, int k) {
    product<1, false>(a, b, c, k);
}
__global__ void sum_of_16_settled(const fp16_t* a, const fp16_t* b, float* c, int k) {
    product<1, true>(a, b, c, k);
}
__global__ void sum_of_64(const fp16_t* a, const fp16_t* b, float* c, int k) {
    product<4, false>(a, b, c, k);
}
__global__ void sum_of_64_settled(const fp16_t* a, const fp16_t* b, float* c, int k) {
    product<4, true>(a, b, c, k);
}
__global__ void two_sums(const fp16x4_t* a, float* c, int k) {
    products<false>(a, c, k);
}
__global__ void two_sums_settled(const fp16x4_t* a, float* c, int k) {
    products<true>(a, c, k);
}
}
