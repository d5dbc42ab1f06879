// Kernel d of the performance table: C[64,64] = A[64,128] * B[64,128]^T in blocks of 32 x 32 x 64,
// f16 to f32, 256 threads as 2 x 2 waves of 16 x 16 (instructions 16 x 16 x 16), operands through
// LDS. Any grid: a block in x is 32 rows of A, one in y 32 rows of B, and a row of C has 64
// elements. With opus, or with the compiler's builtins alone (RAW=1). MOVED=1: the loop counter is
// added to the layout of A and B, in place of the wave-uniform offset.
#include "opus/hip_minimal.hpp"
#ifndef KERNEL
#define KERNEL kernel
#endif
#ifndef MOVED
#define MOVED 0
#endif
#if !RAW
#include "opus/opus.hpp"

extern "C" __global__ __launch_bounds__(256) void KERNEL(const opus::fp16_t* a,
                                                         const opus::fp16_t* b, float* c) {
    using namespace opus;
    constexpr index_t n = 64;
    constexpr index_t k = 128;
    constexpr index_t block_k = 64;
    constexpr index_t pitch = block_k + 8;  // of a row in LDS
    __shared__ fp16_t lds_a[32 * pitch];
    __shared__ fp16_t lds_b[32 * pitch];
    const int thread = thread_id_x();
    const int lane = thread % 64;
    const int wave = readfirstlane(thread / 64);
    const int wave_m = wave / 2 * 16;
    const int wave_n = wave % 2 * 16;

    // A thread moves 8 elements of one row.
    const auto tile_of = [=](auto stride) {
        return make_layout(make_tuple(32_I, 8_I, 8_I), make_tuple(stride, 8_I, 1_I),
                           make_tuple(thread / 8, thread % 8, _));
    };
    const auto u_global = tile_of(number<k>{});
    const auto u_lds = tile_of(number<pitch>{});
    const auto g_a = make_gmem(a + block_id_x() * 32 * k);
    const auto g_b = make_gmem(b + block_id_y() * 32 * k);
    const auto s_a = make_smem(lds_a);
    const auto s_b = make_smem(lds_b);

    const auto mma = make_mfma<fp16_t, fp16_t, fp32_t>(16_I, 16_I, 16_I);
    const auto stride = make_tuple(number<pitch>{}, 1_I);
    const auto coord = make_tuple(lane % 16, lane / 16);
    const auto u_a = mma.layout_a(stride, coord) + wave_m * pitch;
    const auto u_b = mma.layout_b(stride, coord) + wave_n * pitch;

    fp32x4_t acc{0};
#pragma clang loop unroll(disable)
    for (int i = 0; i < k; i += block_k) {
        const auto next_a = g_a.load<8>(u_global + MOVED * i, MOVED ? 0 : i);
        const auto next_b = g_b.load<8>(u_global + MOVED * i, MOVED ? 0 : i);
        sync_threads();
        s_a.store<8>(next_a, u_lds);
        s_b.store<8>(next_b, u_lds);
        sync_threads();
        static_for<block_k / 16>([&](auto step) {
            acc = mma(s_a.load<4>(u_a + step * 16_I), s_b.load<4>(u_b + step * 16_I), acc);
        });
    }
    const auto g_c = make_gmem(c + ((block_id_x() * 32 + wave_m) * n + block_id_y() * 32 + wave_n));
    g_c.store<1>(acc, mma.layout_c(make_tuple(number<n>{}, 1_I), make_tuple(lane / 16, lane % 16)));
}
#else
extern "C" __global__ __launch_bounds__(256) void KERNEL(const _Float16* a, const _Float16* b,
                                                         float* c) {
    using fp16x4 = __attribute__((ext_vector_type(4))) _Float16;
    using u32x4 = __attribute__((ext_vector_type(4))) unsigned;
    using fp32x4 = __attribute__((ext_vector_type(4))) float;
    constexpr int n = 64;
    constexpr int k = 128;
    constexpr int block_k = 64;
    constexpr int pitch = block_k + 8;  // of a row in LDS
    __shared__ __attribute__((aligned(16))) _Float16 lds_a[32 * pitch];
    __shared__ __attribute__((aligned(16))) _Float16 lds_b[32 * pitch];
    const int thread = static_cast<int>(threadIdx.x);
    const int lane = thread % 64;
    const int wave = __builtin_amdgcn_readfirstlane(thread / 64);
    const int wave_m = wave / 2 * 16;
    const int wave_n = wave % 2 * 16;
    const int block_m = static_cast<int>(blockIdx.x) * 32;
    const int block_n = static_cast<int>(blockIdx.y) * 32;

    // A thread moves 8 elements of one row. All in bytes.
    const int tile_row = thread / 8;
    const int tile_k = thread % 8 * 16;
    const int g_at = tile_row * (k * 2) + tile_k;
    char* const to_a = reinterpret_cast<char*>(lds_a) + (tile_row * (pitch * 2) + tile_k);
    char* const to_b = reinterpret_cast<char*>(lds_b) + (tile_row * (pitch * 2) + tile_k);
    const int lane_at = lane % 16 * (pitch * 2) + lane / 16 * 8;
    const char* const from_a = reinterpret_cast<char*>(lds_a) + (lane_at + wave_m * (pitch * 2));
    const char* const from_b = reinterpret_cast<char*>(lds_b) + (lane_at + wave_n * (pitch * 2));
    const auto ra = __builtin_amdgcn_make_buffer_rsrc(const_cast<_Float16*>(a + block_m * k), 0, -1,
                                                      0x00020000);
    const auto rb = __builtin_amdgcn_make_buffer_rsrc(const_cast<_Float16*>(b + block_n * k), 0, -1,
                                                      0x00020000);
    fp32x4 acc{0};
#pragma clang loop unroll(disable)
    for (int i = 0; i < k; i += block_k) {
        const int v_bytes = g_at + MOVED * i * 2;
        const int s_bytes = MOVED ? 0 : i * 2;
        const auto next_a = __builtin_amdgcn_raw_buffer_load_b128(ra, v_bytes, s_bytes, 0);
        const auto next_b = __builtin_amdgcn_raw_buffer_load_b128(rb, v_bytes, s_bytes, 0);
        __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup", "local");
        __builtin_amdgcn_s_barrier();
        __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup", "local");
        *reinterpret_cast<u32x4*>(to_a) = next_a;
        *reinterpret_cast<u32x4*>(to_b) = next_b;
        __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup", "local");
        __builtin_amdgcn_s_barrier();
        __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup", "local");
#pragma unroll
        for (int step = 0; step < block_k; step += 16) {
            acc = __builtin_amdgcn_mfma_f32_16x16x16f16(
                *reinterpret_cast<const fp16x4*>(from_a + step * 2),
                *reinterpret_cast<const fp16x4*>(from_b + step * 2), acc, 0, 0, 0);
        }
    }
    const auto rc = __builtin_amdgcn_make_buffer_rsrc(
        c + ((block_m + wave_m) * n + block_n + wave_n), 0, -1, 0x00020000);
    // A lane has 4 elements of one column: rows 4 * (lane / 16) + e.
    const int c_at = lane / 16 * (4 * n * 4) + lane % 16 * 4;
#pragma unroll
    for (int e = 0; e < 4; e++) {
        const float x = acc[e];
        __builtin_amdgcn_raw_buffer_store_b32(__builtin_bit_cast(unsigned, x), rc, c_at + e * n * 4,
                                              0, 0);
    }
}
#endif
