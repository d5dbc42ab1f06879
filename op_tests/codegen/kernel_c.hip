// Kernel c of the performance table: C[M,N] = A[M,K] * B[N,K]^T in blocks of 128 x 128 x BLOCK_K,
// bf16 to f32, 256 threads as 2 x 2 waves of 64 x 64 (2 x 2 instructions 32 x 32 x 8). A tile goes
// through registers, where the next one waits, to LDS. M and N are multiples of 128, k a positive
// multiple of BLOCK_K (32 or 64). With opus, or with the compiler's builtins alone (RAW=1).
// SWAP_AB=1: A and B go to the instruction swapped, so that registers run along rows of C and are
// stored four at once. MOVED=1: the layout of A and B, with computed offsets, moves along K, in place
// of the wave-uniform offset.
#include "opus/hip_minimal.hpp"
#ifndef KERNEL
#define KERNEL kernel
#endif
#ifndef BLOCK_K
#define BLOCK_K 32
#endif
#ifndef SWAP_AB
#define SWAP_AB 0
#endif
#ifndef MOVED
#define MOVED 0
#endif
#if !RAW
#include "opus/opus.hpp"

extern "C" __global__ __launch_bounds__(256) void KERNEL(const opus::bf16_t* a,
                                                         const opus::bf16_t* b, float* c, int n,
                                                         int k) {
    using namespace opus;
    constexpr index_t pitch = BLOCK_K + 8;  // of a row in LDS
    constexpr index_t threads_k = BLOCK_K / 8;
    constexpr index_t rows = 256 / threads_k;
    __shared__ bf16_t lds_a[128 * pitch];
    __shared__ bf16_t lds_b[128 * pitch];
    const int thread = thread_id_x();
    const int lane = thread % 64;

    // A thread moves 8 elements of each rows-th row.
    const auto tile_of = [=](auto stride) {
        return make_layout<MOVED * 8>(
            make_tuple(number<128 / rows>{}, number<rows>{}, number<threads_k>{}, 8_I),
            make_tuple(number<rows>{} * stride, stride, 8_I, 1_I),
            make_tuple(_, thread / threads_k, thread % threads_k, _));
    };
    auto u_global = tile_of(k);
    const auto u_lds = tile_of(number<pitch>{});
    const auto g_a = make_gmem(a + block_id_y() * k * 128);
    auto next_a = g_a.load<8>(u_global);
    const auto g_b = make_gmem(b + block_id_x() * k * 128);
    auto next_b = g_b.load<8>(u_global);

    const int wave = readfirstlane(thread / 64);
    const int wave_m = wave / 2 * 64;
    const int wave_n = wave % 2 * 64;
    const auto s_a = make_smem(lds_a);
    const auto s_b = make_smem(lds_b);

    const auto r_a = make_smem(lds_a + wave_m * pitch);
    const auto r_b = make_smem(lds_b + wave_n * pitch);
#if SWAP_AB
    const auto wave_mma =
        make_mfma<bf16_t, bf16_t, fp32_t>(32_I, 32_I, 8_I, mfma_adaptor_swap_ab{});
    const auto coord_c = make_tuple(lane % 32, lane / 32);
    constexpr index_t vec_c = 4;
#else
    const auto wave_mma = make_mfma<bf16_t, bf16_t, fp32_t>(32_I, 32_I, 8_I);
    const auto coord_c = make_tuple(lane / 32, lane % 32);
    constexpr index_t vec_c = 1;
#endif
    const auto mma = make_tiled_mma(wave_mma, seq<2, 2, BLOCK_K / 8>{}, seq<1, 1, 1>{});
    const auto stride = make_tuple(number<pitch>{}, 1_I);
    const auto coord = make_tuple(0_I, lane % 32, 0_I, lane / 32);
    const auto u_a = mma.layout_a(stride, coord);
    const auto u_b = mma.layout_b(stride, coord);

    typename decltype(mma)::vtype_c acc;
    clear(acc);
    int i = 0;
    do {
        sync_threads();
        s_a.store<8>(next_a, u_lds);
        s_b.store<8>(next_b, u_lds);
        sync_threads();
        i += BLOCK_K;
        if (i != k) {
            u_global += MOVED * BLOCK_K;
            next_a = g_a.load<8>(u_global, MOVED ? 0 : i);
            next_b = g_b.load<8>(u_global, MOVED ? 0 : i);
        }
        acc = mma(r_a.load<4>(u_a), r_b.load<4>(u_b), acc);
    } while (i != k);

    const auto g_c =
        make_gmem(c + (block_id_y() * 128 * n + block_id_x() * 128 + (wave_m * n + wave_n)));
    const auto u_c = wave_mma.layout_c(make_tuple(n, 1_I), coord_c);
    static_ford<2, 2>([&](auto row, auto column) {
        g_c.store<vec_c>(slice(acc, (row * 2_I + column) * 16_I, (row * 2_I + column + 1_I) * 16_I),
                         u_c, row * 32_I * n + column * 32_I);
    });
}
#else
extern "C" __global__ __launch_bounds__(256) void KERNEL(const __bf16* a, const __bf16* b, float* c,
                                                         int n, int k) {
    using i16x4 = __attribute__((ext_vector_type(4))) short;
    using u32x4 = __attribute__((ext_vector_type(4))) unsigned;
    using fp32x16 = __attribute__((ext_vector_type(16))) float;
    constexpr int pitch = BLOCK_K + 8;  // of a row in LDS
    constexpr int threads_k = BLOCK_K / 8;
    constexpr int rows = 256 / threads_k;
    constexpr int issues = 128 / rows;
    __shared__ __attribute__((aligned(16))) short lds_a[128 * pitch];
    __shared__ __attribute__((aligned(16))) short lds_b[128 * pitch];
    const int thread = static_cast<int>(threadIdx.x);
    const int lane = thread % 64;
    const int wave = __builtin_amdgcn_readfirstlane(thread / 64);
    const int wave_m = wave / 2 * 64;
    const int wave_n = wave % 2 * 64;
    const int block_m = static_cast<int>(blockIdx.y) * 128;
    const int block_n = static_cast<int>(blockIdx.x) * 128;

    // A thread moves 8 elements of each rows-th row. All in bytes.
    const int tile_row = thread / threads_k;
    const int tile_k = thread % threads_k * 16;
    int g_at[issues];
    g_at[0] = tile_row * (k * 2) + tile_k;
    for (int j = 1; j < issues; j++) {
        g_at[j] = g_at[j - 1] + rows * k * 2;
    }
    char* const to_a = reinterpret_cast<char*>(lds_a) + (tile_row * (pitch * 2) + tile_k);
    char* const to_b = reinterpret_cast<char*>(lds_b) + (tile_row * (pitch * 2) + tile_k);
    const int lane_at = lane % 32 * (pitch * 2) + lane / 32 * 8;
    const char* const from_a = reinterpret_cast<char*>(lds_a) + (lane_at + wave_m * (pitch * 2));
    const char* const from_b = reinterpret_cast<char*>(lds_b) + (lane_at + wave_n * (pitch * 2));
    const auto ra =
        __builtin_amdgcn_make_buffer_rsrc(const_cast<__bf16*>(a + block_m * k), 0, -1, 0x00020000);
    const auto rb =
        __builtin_amdgcn_make_buffer_rsrc(const_cast<__bf16*>(b + block_n * k), 0, -1, 0x00020000);

    fp32x16 acc[2][2] = {};
    u32x4 next_a[issues];
    u32x4 next_b[issues];
#pragma unroll
    for (int j = 0; j < issues; j++) {
        next_a[j] = __builtin_amdgcn_raw_buffer_load_b128(ra, g_at[j], 0, 0);
    }
#pragma unroll
    for (int j = 0; j < issues; j++) {
        next_b[j] = __builtin_amdgcn_raw_buffer_load_b128(rb, g_at[j], 0, 0);
    }
    int i = 0;
    do {
        __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup", "local");
        __builtin_amdgcn_s_barrier();
        __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup", "local");
#pragma unroll
        for (int j = 0; j < issues; j++) {
            *reinterpret_cast<u32x4*>(to_a + j * (rows * pitch * 2)) = next_a[j];
        }
#pragma unroll
        for (int j = 0; j < issues; j++) {
            *reinterpret_cast<u32x4*>(to_b + j * (rows * pitch * 2)) = next_b[j];
        }
        __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup", "local");
        __builtin_amdgcn_s_barrier();
        __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup", "local");
        i += BLOCK_K;
        if (i != k) {
            const int s_bytes = MOVED ? 0 : i * 2;
#pragma unroll
            for (int j = 0; j < issues; j++) {
                g_at[j] += MOVED * BLOCK_K * 2;
                next_a[j] = __builtin_amdgcn_raw_buffer_load_b128(ra, g_at[j], s_bytes, 0);
            }
#pragma unroll
            for (int j = 0; j < issues; j++) {
                next_b[j] = __builtin_amdgcn_raw_buffer_load_b128(rb, g_at[j], s_bytes, 0);
            }
        }
#pragma unroll
        for (int step = 0; step < BLOCK_K; step += 8) {
#pragma unroll
            for (int row = 0; row < 2; row++) {
#pragma unroll
                for (int column = 0; column < 2; column++) {
                    const auto x =
                        *reinterpret_cast<const i16x4*>(from_a + (row * 32 * pitch + step) * 2);
                    const auto y =
                        *reinterpret_cast<const i16x4*>(from_b + (column * 32 * pitch + step) * 2);
#if SWAP_AB
                    acc[row][column] =
                        __builtin_amdgcn_mfma_f32_32x32x8bf16_1k(y, x, acc[row][column], 0, 0, 0);
#else
                    acc[row][column] =
                        __builtin_amdgcn_mfma_f32_32x32x8bf16_1k(x, y, acc[row][column], 0, 0, 0);
#endif
                }
            }
        }
    } while (i != k);

    const auto rc = __builtin_amdgcn_make_buffer_rsrc(
        c + ((block_m + wave_m) * n + block_n + wave_n), 0, -1, 0x00020000);
#if SWAP_AB
    // A lane has 16 elements of one row of each 32 x 32: columns 8 * (e / 4) + 4 * (lane / 32) +
    // e % 4.
    using fp32x4 = __attribute__((ext_vector_type(4))) float;
    const int c_at = (lane % 32 * n + lane / 32 * 4) * 4;
#pragma unroll
    for (int row = 0; row < 2; row++) {
#pragma unroll
        for (int column = 0; column < 2; column++) {
#pragma unroll
            for (int e = 0; e < 16; e += 4) {
                const fp32x16& sums = acc[row][column];
                const fp32x4 x{sums[e], sums[e + 1], sums[e + 2], sums[e + 3]};
                __builtin_amdgcn_raw_buffer_store_b128(__builtin_bit_cast(u32x4, x), rc,
                                                       c_at + e * 8,
                                                       (row * 32 * n + column * 32) * 4, 0);
            }
        }
    }
#else
    // A lane has 16 elements of one column of each 32 x 32: rows 8 * (e / 4) + 4 * (lane / 32) +
    // e % 4.
    int c_at[16];
    c_at[0] = lane / 32 * (4 * n * 4) + lane % 32 * 4;
#pragma unroll
    for (int e = 1; e < 16; e++) {
        c_at[e] = c_at[e - 1] + (e % 4 == 0 ? 5 : 1) * n * 4;
    }
#pragma unroll
    for (int row = 0; row < 2; row++) {
#pragma unroll
        for (int column = 0; column < 2; column++) {
#pragma unroll
            for (int e = 0; e < 16; e++) {
                const float x = acc[row][column][e];
                __builtin_amdgcn_raw_buffer_store_b32(__builtin_bit_cast(unsigned, x), rc, c_at[e],
                                                      (row * 32 * n + column * 32) * 4, 0);
            }
        }
    }
#endif
}
#endif
