// How a loop moves on through a layout: one wave computes C = A * B^T for 32 x 32 elements, f16 in,
// f32 out, as in kernel_b.hip, but of four products of 16 x 16. k is a positive multiple of 16. A
// kernel for each way; with opus, or with the compiler's builtins alone (RAW=1).
#include "opus/hip_minimal.hpp"

namespace {
enum class way {
    counter,         // the layout + the loop counter
    multiple,        // the layout + a multiple of the loop counter
    constant_step,   // the layout += 16
    run_time_step,   // the layout += step
    scalar,          // the loop counter as the wave-uniform offset
    scalar_multiple  // a multiple of it
};
}

#if !RAW
#include "opus/opus.hpp"

namespace {
using opus::fp16_t;

template <way Way>
OPUS_D void multiply(const fp16_t* a, const fp16_t* b, float* c, int k, int stride_a, int stride_b,
                     int step) {
    using namespace opus;
    const auto mma =
        make_tiled_mma<fp16_t, fp16_t, fp32_t>(seq<2, 2, 1>{}, seq<1, 1, 1>{}, seq<16, 16, 16>{});
    const int lane = lane_id();
    const auto ga = make_gmem(a);
    const auto gb = make_gmem(b);
    const auto coord = make_tuple(0_I, lane % 16, 0_I, lane / 16);
    auto ua = partition_layout_a(mma, make_tuple(stride_a, 1_I), coord);
    auto ub = partition_layout_b(mma, make_tuple(stride_b, 1_I), coord);
    auto acc = typename decltype(mma)::vtype_c{0};
    int i = 0;
    do {
        if constexpr (Way == way::counter) {
            acc = mma(ga.load<4>(ua + i), gb.load<4>(ub + i), acc);
        } else if constexpr (Way == way::multiple) {
            acc = mma(ga.load<4>(ua + i * step), gb.load<4>(ub + i * step), acc);
        } else if constexpr (Way == way::scalar) {
            acc = mma(ga.load<4>(ua, i), gb.load<4>(ub, i), acc);
        } else if constexpr (Way == way::scalar_multiple) {
            acc = mma(ga.load<4>(ua, i * step), gb.load<4>(ub, i * step), acc);
        } else {
            acc = mma(ga.load<4>(ua), gb.load<4>(ub), acc);
            ua += Way == way::constant_step ? 16 : step;
            ub += Way == way::constant_step ? 16 : step;
        }
        i += 16;
    } while (i != k);
    static_for<4>([&](auto tile) {
        make_gmem(c).store<4>(slice(acc, number<4 * tile.value>{}, number<4 * tile.value + 4>{}),
                              lane * 16 + 4 * tile.value);
    });
}
}  // namespace
#else
namespace {
using fp16_t = _Float16;
using fp16x4 = __attribute__((ext_vector_type(4))) _Float16;
using fp32x4 = __attribute__((ext_vector_type(4))) float;
using u32x4 = __attribute__((ext_vector_type(4))) unsigned;

__device__ inline fp16x4 load(__amdgpu_buffer_rsrc_t from, int v_bytes, int s_bytes) {
    return __builtin_bit_cast(fp16x4,
                              __builtin_amdgcn_raw_buffer_load_b64(from, v_bytes, s_bytes, 0));
}

template <way Way>
__device__ inline void multiply(const fp16_t* a, const fp16_t* b, float* c, int k, int stride_a,
                                int stride_b, int step) {
    const int lane =
        static_cast<int>(__builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0u)));
    const auto ra = __builtin_amdgcn_make_buffer_rsrc(const_cast<fp16_t*>(a), 0, -1, 0x00020000);
    const auto rb = __builtin_amdgcn_make_buffer_rsrc(const_cast<fp16_t*>(b), 0, -1, 0x00020000);
    const auto rc = __builtin_amdgcn_make_buffer_rsrc(c, 0, -1, 0x00020000);
    int a_bytes = (lane % 16 * stride_a + lane / 16 * 4) * 2;
    int b_bytes = (lane % 16 * stride_b + lane / 16 * 4) * 2;
    fp32x4 acc[2][2] = {};
    int i = 0;
    do {
        int v_bytes = 0;
        int s_bytes = 0;
        if constexpr (Way == way::counter) {
            v_bytes = i * 2;
        } else if constexpr (Way == way::multiple) {
            v_bytes = i * step * 2;
        } else if constexpr (Way == way::scalar) {
            s_bytes = i * 2;
        } else if constexpr (Way == way::scalar_multiple) {
            s_bytes = i * step * 2;
        }
        fp16x4 va[2];
        fp16x4 vb[2];
#pragma unroll
        for (int t = 0; t < 2; t++) {
            va[t] = load(ra, a_bytes + t * stride_a * 32 + v_bytes, s_bytes);
            vb[t] = load(rb, b_bytes + t * stride_b * 32 + v_bytes, s_bytes);
        }
        if constexpr (Way == way::constant_step || Way == way::run_time_step) {
            a_bytes += Way == way::constant_step ? 32 : step * 2;
            b_bytes += Way == way::constant_step ? 32 : step * 2;
        }
#pragma unroll
        for (int m = 0; m < 2; m++) {
#pragma unroll
            for (int n = 0; n < 2; n++) {
                acc[m][n] = __builtin_amdgcn_mfma_f32_16x16x16f16(va[m], vb[n], acc[m][n], 0, 0, 0);
            }
        }
        i += 16;
    } while (i != k);
#pragma unroll
    for (int tile = 0; tile < 4; tile++) {
        __builtin_amdgcn_raw_buffer_store_b128(__builtin_bit_cast(u32x4, acc[tile / 2][tile % 2]),
                                               rc, lane * 64 + 16 * tile, 0, 0);
    }
}
}  // namespace
#endif

#define OPUS_TEST_ADVANCE(name)                                                             \
    extern "C" __global__ void by_##name(const fp16_t* a, const fp16_t* b, float* c, int k, \
                                         int stride_a, int stride_b, int step) {            \
        multiply<way::name>(a, b, c, k, stride_a, stride_b, step);                          \
    }
OPUS_TEST_ADVANCE(counter)
OPUS_TEST_ADVANCE(multiple)
OPUS_TEST_ADVANCE(constant_step)
OPUS_TEST_ADVANCE(run_time_step)
OPUS_TEST_ADVANCE(scalar)
OPUS_TEST_ADVANCE(scalar_multiple)
