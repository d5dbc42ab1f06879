// Kernel b of the performance table: one wave computes C = A * B^T for 32 x 32 elements, f16 in,
// f32 out, operands straight from global memory to registers. k is a positive multiple of 8. With
// opus, or with the compiler's builtins alone (RAW=1). SWAP_AB=1: A and B go to the instruction
// swapped, so that registers run along rows of C and are stored four at once. MOVED=1: the layouts
// of A and B, with computed offsets, move along K, in place of the wave-uniform offset.
#include "opus/hip_minimal.hpp"
#ifndef KERNEL
#define KERNEL kernel
#endif
#ifndef SWAP_AB
#define SWAP_AB 0
#endif
#ifndef MOVED
#define MOVED 0
#endif
#if !RAW
#include "opus/opus.hpp"

extern "C" __global__ void KERNEL(const opus::fp16_t* a, const opus::fp16_t* b, float* c, int k,
                                  int stride_a, int stride_b, int stride_c) {
    using namespace opus;
    const int lane = lane_id();
#if SWAP_AB
    const auto mma = make_mfma<fp16_t, fp16_t, fp32_t>(32_I, 32_I, 8_I, mfma_adaptor_swap_ab{});
    const auto coord_c = make_tuple(lane % 32, lane / 32);
    constexpr index_t vec_c = 4;
#else
    const auto mma = make_mfma<fp16_t, fp16_t, fp32_t>(32_I, 32_I, 8_I);
    const auto coord_c = make_tuple(lane / 32, lane % 32);
    constexpr index_t vec_c = 1;
#endif
    const int row = block_id_y() * 32;
    const int col = block_id_x() * 32;
    const auto ga = make_gmem(a + row * stride_a);
    const auto gb = make_gmem(b + col * stride_b);
    const auto gc = make_gmem(c + (row * stride_c + col));
    const auto coord = make_tuple(lane % 32, lane / 32);
    auto ua = partition_layout_a<MOVED * 4>(mma, make_tuple(stride_a, 1_I), coord);
    auto ub = partition_layout_b<MOVED * 4>(mma, make_tuple(stride_b, 1_I), coord);
    const auto uc = partition_layout_c(mma, make_tuple(stride_c, 1_I), coord_c);
    fp32x16_t acc{0};
    int i = 0;
    do {
        acc = mma(ga.load<4>(ua, MOVED ? 0 : i), gb.load<4>(ub, MOVED ? 0 : i), acc);
        if constexpr (MOVED) {
            ua += 8;
            ub += 8;
        }
        i += 8;
    } while (i != k);
    gc.store<vec_c>(acc, uc);
}
#else
extern "C" __global__ void KERNEL(const _Float16* a, const _Float16* b, float* c, int k,
                                  int stride_a, int stride_b, int stride_c) {
    using fp16x4 = __attribute__((ext_vector_type(4))) _Float16;
    using fp32x16 = __attribute__((ext_vector_type(16))) float;
    const int lane =
        static_cast<int>(__builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0u)));
    const int row = static_cast<int>(blockIdx.y) * 32;
    const int col = static_cast<int>(blockIdx.x) * 32;
    const auto ra = __builtin_amdgcn_make_buffer_rsrc(const_cast<_Float16*>(a + row * stride_a), 0,
                                                      -1, 0x00020000);
    const auto rb = __builtin_amdgcn_make_buffer_rsrc(const_cast<_Float16*>(b + col * stride_b), 0,
                                                      -1, 0x00020000);
    const auto rc =
        __builtin_amdgcn_make_buffer_rsrc(c + (row * stride_c + col), 0, -1, 0x00020000);
    // A lane has 4 consecutive elements of one row of A and of one row of B.
    int a_bytes = (lane % 32 * stride_a + lane / 32 * 4) * 2;
    int b_bytes = (lane % 32 * stride_b + lane / 32 * 4) * 2;
    fp32x16 acc{0};
    int i = 0;
    do {
        const int s_bytes = MOVED ? 0 : i * 2;
        const auto va = __builtin_bit_cast(
            fp16x4, __builtin_amdgcn_raw_buffer_load_b64(ra, a_bytes, s_bytes, 0));
        const auto vb = __builtin_bit_cast(
            fp16x4, __builtin_amdgcn_raw_buffer_load_b64(rb, b_bytes, s_bytes, 0));
        a_bytes += MOVED * 16;
        b_bytes += MOVED * 16;
#if SWAP_AB
        acc = __builtin_amdgcn_mfma_f32_32x32x8f16(vb, va, acc, 0, 0, 0);
#else
        acc = __builtin_amdgcn_mfma_f32_32x32x8f16(va, vb, acc, 0, 0, 0);
#endif
        i += 8;
    } while (i != k);
#if SWAP_AB
    // And 16 elements of one row of C: columns 8 * (i / 4) + 4 * (lane / 32) + i % 4.
    using fp32x4 = __attribute__((ext_vector_type(4))) float;
    using u32x4 = __attribute__((ext_vector_type(4))) unsigned;
    const int c_bytes = (lane % 32 * stride_c + lane / 32 * 4) * 4;
#pragma unroll
    for (int e = 0; e < 16; e += 4) {
        const fp32x4 four{acc[e], acc[e + 1], acc[e + 2], acc[e + 3]};
        __builtin_amdgcn_raw_buffer_store_b128(__builtin_bit_cast(u32x4, four), rc, c_bytes + e * 8,
                                               0, 0);
    }
#else
    // And 16 elements of one column of C: rows 8 * (i / 4) + 4 * (lane / 32) + i % 4.
    int c_bytes = (lane / 32 * 4 * stride_c + lane % 32) * 4;
#pragma unroll
    for (int e = 0; e < 16; e++) {
        const float x = acc[e];
        __builtin_amdgcn_raw_buffer_store_b32(__builtin_bit_cast(unsigned, x), rc, c_bytes, 0, 0);
        c_bytes += (e % 4 == 3 ? 5 : 1) * stride_c * 4;
    }
#endif
}
#endif
