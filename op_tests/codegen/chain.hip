// Two products, C of the first as an operand of the second: between the matrix instructions there is
// nothing but the conversion. And operands by transposed reads, with the layout of the header and
// with one written by hand.
#include "opus/hip_minimal.hpp"
#include "opus/opus_plus.hpp"

using namespace opus;
using opus::operator""_I;

#if defined(__gfx950__)
namespace {
using scaled = mfma<fp8_t, fp8_t, fp32_t, 16, 16, 128>;
template <class A, class B>
__device__ void multiply_scaled(const scaled::vtype_a* a, const scaled::vtype_b* b,
                                scaled::vtype_c* c, A scale_a, B scale_b) {
    const int t = thread_id_x();
    c[t] = scaled{}(a[t], b[t], c[t], scale_a, scale_b);
}
}  // namespace
#define OPUS_SCALED_KERNEL(name, scale_a, scale_b)                                      \
    extern "C" __global__ void name(const scaled::vtype_a* a, const scaled::vtype_b* b, \
                                    scaled::vtype_c* c, [[maybe_unused]] int s) {       \
        multiply_scaled(a, b, c, scale_a, scale_b);                                     \
    }
OPUS_SCALED_KERNEL(scales_of_0, 0, 0)
OPUS_SCALED_KERNEL(scale_of_a, 32, 0)
OPUS_SCALED_KERNEL(scale_of_b, 0, 64)
OPUS_SCALED_KERNEL(two_scales, 16, 127)
OPUS_SCALED_KERNEL(scale_at_run_time, 0, s)
#endif

namespace {

template <class Mma>
__device__ auto coordinate(const Mma& mma) {
    const int lane = lane_id();
    return make_tuple(0_I, lane % mma.grpm_a, 0_I, lane / mma.grpm_a);
}
template <index_t vec, class T, class Layout>
__device__ auto operand(const void* p, const Layout& u) {
    return make_gmem(static_cast<const T*>(p)).template load<vec>(u);
}

// S = Q * K^T for 64 rows of K and O = S * V, or the transposed products.
template <bool is_a, class T, index_t W, index_t FirstK, index_t WaveK>
__device__ void two_products(const void* q, const void* k, const void* v, float* o) {
    using adaptor = __type_pack_element<is_a, mfma_adaptor, mfma_adaptor_swap_ab>;
    constexpr index_t repeats = 64 / W;
    const auto qk =
        make_tiled_mma<fp16_t, fp16_t, fp32_t>(seq<is_a ? 1 : repeats, is_a ? repeats : 1, 2>{},
                                               seq<1, 1, 1>{}, seq<W, W, FirstK>{}, adaptor{});
    const auto second = make_tiled_mma<T, T, fp32_t>(seq<1, 1, 64 / WaveK>{}, seq<1, 1, 1>{},
                                                     seq<W, W, WaveK>{}, mfma_adaptor_swap_ab{});
    const auto pv = [&] {
        if constexpr (is_a) {
            return chain_a(qk, second);
        } else {
            return chain_b(qk, second);
        }
    }();
    const auto strides = make_tuple(64_I, 1_I);
    const auto a = operand<qk.pack_a, fp16_t>(q, partition_layout_a(qk, strides, coordinate(qk)));
    const auto b = operand<qk.pack_b, fp16_t>(k, partition_layout_b(qk, strides, coordinate(qk)));
    const auto other = [&] {
        if constexpr (is_a) {
            return operand<pv.pack_b, T>(v, partition_layout_b(pv, strides, coordinate(pv)));
        } else {
            return operand<pv.pack_a, T>(v, partition_layout_a(pv, strides, coordinate(pv)));
        }
    }();
    const auto u_c = partition_layout_c(pv, strides, coordinate(pv));
    const auto s = cast<T>(qk(a, b));
    if constexpr (is_a) {
        make_gmem(o).template store<4>(pv(s, other), u_c);
    } else {
        make_gmem(o).template store<4>(pv(other, s), u_c);
    }
}

// 64 rows of W columns in LDS, as B.
template <bool by_hand>
__device__ void columns(float* o) {
    extern __shared__ __attribute__((aligned(16))) fp16_t dynamic_lds[];
    const int lane = lane_id();
    const auto mma =
        make_tiled_mma<fp16_t, fp16_t, fp32_t>(seq<1, 1, 2>{}, seq<1, 1, 1>{}, seq<32, 32, 16>{});
    const auto u = [&] {
        if constexpr (by_hand) {
            // instruction, k of two groups, read, row, columns 16 apart, 4 apart, element
            return make_layout(
                make_tuple(2_I, 2_I, 2_I, 4_I, 2_I, 4_I, 4_I),
                make_tuple(1152_I, 576_I, 288_I, 72_I, 16_I, 4_I, 1_I),
                make_tuple(_, lane / 32, _, lane % 16 / 4, lane / 16 % 2, lane % 4, _));
        } else {
            return partition_layout_b_tr(mma, make_tuple(1_I, 72_I), coordinate(mma));
        }
    }();
    const auto tile = make_smem(dynamic_lds).template tr_load<4>(u);
    s_waitcnt_lgkmcnt(0_I);
    const auto sum = mma(tile, tile);
    make_gmem(o).template store<4>(
        sum, make_layout(make_tuple(4_I, 64_I, 4_I), make_tuple(256_I, 4_I, 1_I),
                         make_tuple(_, lane, _)));
}

}  // namespace

#define OPUS_TEST_CHAIN(name, is_a, type, w, first_k, k)                                     \
    __global__ __launch_bounds__(64) void name(const void* q, const void* kk, const void* v, \
                                               float* o) {                                   \
        two_products<is_a, type, w, first_k, k>(q, kk, v, o);                                \
    }

extern "C" {
OPUS_TEST_CHAIN(a_f16_16, true, fp16_t, 16, 16, 16)
OPUS_TEST_CHAIN(a_f16_16_wide, true, fp16_t, 16, 32, 32)
OPUS_TEST_CHAIN(a_f16_32, true, fp16_t, 32, 8, 8)
OPUS_TEST_CHAIN(a_f16_32_wide, true, fp16_t, 32, 16, 16)
OPUS_TEST_CHAIN(a_bf16_32_wide, true, bf16_t, 32, 16, 16)
OPUS_TEST_CHAIN(a_fp8_16, true, fp8_t, 16, 32, 32)
OPUS_TEST_CHAIN(a_fp8_32, true, fp8_t, 32, 16, 16)
OPUS_TEST_CHAIN(b_f16_16_wide, false, fp16_t, 16, 32, 32)
OPUS_TEST_CHAIN(b_bf16_32_wide, false, bf16_t, 32, 16, 16)
OPUS_TEST_CHAIN(b_fp8_16, false, fp8_t, 16, 32, 32)

__global__ __launch_bounds__(64) void columns_opus(float* o) {
    columns<false>(o);
}
__global__ __launch_bounds__(64) void columns_by_hand(float* o) {
    columns<true>(o);
}
}
