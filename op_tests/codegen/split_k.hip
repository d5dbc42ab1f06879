// A split-K GEMM as users of the library write it: C[part][M,N] = A[M,K] * B[N,K]^T for a part of K
// for each blockIdx.z, in blocks of 128 x 64 x 128 of 4 waves (bf16: x 64). Operands come straight
// from global memory to registers, the next ones while the matrix cores work; rows are run-time
// strides apart, and what is left of K is no whole block. k_part is a multiple of the block, and no
// part is empty. With opus, or with the compiler's builtins alone (RAW=1).
#include "opus/hip_minimal.hpp"

#if !RAW
#include "opus/opus.hpp"

namespace {
using namespace opus;
using opus::operator""_I;

template <class T, index_t K, index_t Vec>
OPUS_D void split_k(const T* a, const T* b, float* c, int m, int n, int k, int k_part, int stride_a,
                    int stride_b, int stride_c) {
    constexpr index_t block_k = 2 * K;
    const auto mma = make_tiled_mma<T, T, fp32_t>(seq<4, 2, 2>{}, seq<2, 2, 1>{}, seq<16, 16, K>{});
    const int lane = thread_id_x() % 64;
    const int wave = readfirstlane(thread_id_x() / 64);
    const int row = block_id_y() * 128;
    const int col = block_id_x() * 64;
    const int begin = block_id_z() * k_part;
    const int end = min(begin + k_part, k);
    const auto g_a =
        make_gmem(a + row * stride_a, (m - row) * stride_a * static_cast<int>(sizeof(T)));
    const auto g_b =
        make_gmem(b + col * stride_b, (n - col) * stride_b * static_cast<int>(sizeof(T)));
    const auto g_c =
        make_gmem(c + block_id_z() * m * stride_c, m * stride_c * static_cast<int>(sizeof(float)));

    auto u_a = partition_layout_a(mma, make_tuple(stride_a, 1_I),
                                  make_tuple(wave / 2, lane % 16, 0_I, lane / 16));
    auto u_b = partition_layout_b(mma, make_tuple(stride_b, 1_I),
                                  make_tuple(wave % 2, lane % 16, 0_I, lane / 16));
    u_a += begin;
    u_b += begin;
    typename decltype(mma)::vtype_c acc;
    clear(acc);
    auto x = g_a.template load<Vec>(u_a);
    auto y = g_b.template load<Vec>(u_b);
    int i = begin;
    for (; i + 2 * block_k <= end; i += block_k) {
        u_a += block_k;
        u_b += block_k;
        const auto next_x = g_a.template load<Vec>(u_a);
        const auto next_y = g_b.template load<Vec>(u_b);
        acc = mma(x, y, acc);
        x = next_x;
        y = next_y;
    }
    acc = mma(x, y, acc);
    i += block_k;
    if (i < end) {
        u_a += block_k;
        u_b += block_k;
        // The issue indices are those of M or N, of K and of what a lane has in a row.
        const auto inside = [&](auto, auto step, auto...) {
            return i + step.value * K + lane / 16 * (K / 4) < end;
        };
        acc = mma(g_a.template load_if<Vec>(inside, u_a), g_b.template load_if<Vec>(inside, u_b),
                  acc);
    }
    const auto u_c = partition_layout_c(mma, make_tuple(stride_c, 1_I),
                                        make_tuple(wave / 2, lane / 16, wave % 2, lane % 16));
    g_c.template store<1>(acc, u_c + (row * stride_c + col));
}
}  // namespace
extern "C" {
__global__ __launch_bounds__(256) void split_k_fp8(const fp8_t* a, const fp8_t* b, float* c, int m,
                                                   int n, int k, int k_part, int stride_a,
                                                   int stride_b, int stride_c) {
    split_k<fp8_t, 64, 16>(a, b, c, m, n, k, k_part, stride_a, stride_b, stride_c);
}
__global__ __launch_bounds__(256) void split_k_bf16(const bf16_t* a, const bf16_t* b, float* c,
                                                    int m, int n, int k, int k_part, int stride_a,
                                                    int stride_b, int stride_c) {
    split_k<bf16_t, 32, 8>(a, b, c, m, n, k, k_part, stride_a, stride_b, stride_c);
}
}
#else
namespace {
using fp8_t = unsigned char;
using bf16_t = __bf16;
using u32x4 = __attribute__((ext_vector_type(4))) unsigned;
using i64x2 = __attribute__((ext_vector_type(2))) long;
using bf16x8 = __attribute__((ext_vector_type(8))) __bf16;
using i16x4 = __attribute__((ext_vector_type(4))) short;
using i16x8 = __attribute__((ext_vector_type(8))) short;
using fp32x4 = __attribute__((ext_vector_type(4))) float;

__device__ inline auto buffer(const void* p, int bytes) {
    return __builtin_amdgcn_make_buffer_rsrc(const_cast<void*>(p), 0, bytes, 0x00020000);
}
template <class T>
__device__ inline fp32x4 multiply(u32x4 x, u32x4 y, fp32x4 c) {
    if constexpr (sizeof(T) == 1) {
        const auto a = __builtin_bit_cast(i64x2, x);
        const auto b = __builtin_bit_cast(i64x2, y);
        c = __builtin_amdgcn_mfma_f32_16x16x32_fp8_fp8(a[0], b[0], c, 0, 0, 0);
        return __builtin_amdgcn_mfma_f32_16x16x32_fp8_fp8(a[1], b[1], c, 0, 0, 0);
    } else {
#if defined(__gfx950__)
        return __builtin_amdgcn_mfma_f32_16x16x32_bf16(__builtin_bit_cast(bf16x8, x),
                                                       __builtin_bit_cast(bf16x8, y), c, 0, 0, 0);
#else
        const auto a = __builtin_bit_cast(i16x8, x);
        const auto b = __builtin_bit_cast(i16x8, y);
        c = __builtin_amdgcn_mfma_f32_16x16x16bf16_1k(a.lo, b.lo, c, 0, 0, 0);
        return __builtin_amdgcn_mfma_f32_16x16x16bf16_1k(a.hi, b.hi, c, 0, 0, 0);
#endif
    }
}
template <class T>
__device__ inline void multiply(const u32x4 (&x)[4][2], const u32x4 (&y)[2][2], fp32x4 (&c)[4][2]) {
#pragma unroll
    for (int step = 0; step < 2; step++) {
#pragma unroll
        for (int row = 0; row < 4; row++) {
#pragma unroll
            for (int column = 0; column < 2; column++) {
                c[row][column] = multiply<T>(x[row][step], y[column][step], c[row][column]);
            }
        }
    }
}
template <int Rows>
__device__ inline void load(u32x4 (&x)[Rows][2], __amdgpu_buffer_rsrc_t from, int bytes,
                            int row_bytes) {
#pragma unroll
    for (int row = 0; row < Rows; row++) {
        x[row][0] = __builtin_amdgcn_raw_buffer_load_b128(from, bytes, 0, 0);
        x[row][1] = __builtin_amdgcn_raw_buffer_load_b128(from, bytes + 64, 0, 0);
        bytes += row_bytes;
    }
}
template <int Rows>
__device__ inline void load(u32x4 (&x)[Rows][2], __amdgpu_buffer_rsrc_t from, int bytes,
                            int row_bytes, bool first, bool second) {
#pragma unroll
    for (int row = 0; row < Rows; row++) {
        x[row][0] = u32x4{0};
        x[row][1] = u32x4{0};
        if (first) {
            x[row][0] = __builtin_amdgcn_raw_buffer_load_b128(from, bytes, 0, 0);
        }
        if (second) {
            x[row][1] = __builtin_amdgcn_raw_buffer_load_b128(from, bytes + 64, 0, 0);
        }
        bytes += row_bytes;
    }
}

template <class T, int K>
__device__ inline void split_k(const T* a, const T* b, float* c, int m, int n, int k, int k_part,
                               int stride_a, int stride_b, int stride_c) {
    constexpr int size = sizeof(T);
    constexpr int block_k = 2 * K;
    const int lane = static_cast<int>(threadIdx.x) % 64;
    const int wave = __builtin_amdgcn_readfirstlane(static_cast<int>(threadIdx.x) / 64);
    const int row = static_cast<int>(blockIdx.y) * 128;
    const int col = static_cast<int>(blockIdx.x) * 64;
    const int part = static_cast<int>(blockIdx.z);
    const int begin = part * k_part;
    const int end = begin + k_part < k ? begin + k_part : k;
    const auto ra = buffer(a + row * stride_a, (m - row) * stride_a * size);
    const auto rb = buffer(b + col * stride_b, (n - col) * stride_b * size);
    const auto rc = buffer(c + part * m * stride_c, m * stride_c * 4);

    // A lane has 16 bytes of each 32nd row of A and B, counted from its wave's 16 rows on.
    const int a_row = wave / 2 * 16 + lane % 16;
    const int b_row = wave % 2 * 16 + lane % 16;
    int a_at = (a_row * stride_a + lane / 16 * (K / 4) + begin) * size;
    int b_at = (b_row * stride_b + lane / 16 * (K / 4) + begin) * size;
    fp32x4 acc[4][2] = {};
    u32x4 x[4][2];
    u32x4 y[2][2];
    load(x, ra, a_at, stride_a * 32 * size);
    load(y, rb, b_at, stride_b * 32 * size);
    int i = begin;
    for (; i + 2 * block_k <= end; i += block_k) {
        u32x4 next_x[4][2];
        u32x4 next_y[2][2];
        a_at += block_k * size;
        b_at += block_k * size;
        load(next_x, ra, a_at, stride_a * 32 * size);
        load(next_y, rb, b_at, stride_b * 32 * size);
        multiply<T>(x, y, acc);
        __builtin_memcpy(x, next_x, sizeof(x));
        __builtin_memcpy(y, next_y, sizeof(y));
    }
    multiply<T>(x, y, acc);
    i += block_k;
    if (i < end) {
        a_at += block_k * size;
        b_at += block_k * size;
        const bool first = i + lane / 16 * (K / 4) < end;
        const bool second = i + K + lane / 16 * (K / 4) < end;
        load(x, ra, a_at, stride_a * 32 * size, first, second);
        load(y, rb, b_at, stride_b * 32 * size, first, second);
        multiply<T>(x, y, acc);
    }
    // A lane has 4 elements of one column of each 16 x 16: rows 4 * (lane / 16) + e.
    const int c_at =
        ((row + wave / 2 * 16 + lane / 16 * 4) * stride_c + col + wave % 2 * 16 + lane % 16) * 4;
#pragma unroll
    for (int r = 0; r < 4; r++) {
#pragma unroll
        for (int column = 0; column < 2; column++) {
#pragma unroll
            for (int e = 0; e < 4; e++) {
                const float sum = acc[r][column][e];
                __builtin_amdgcn_raw_buffer_store_b32(
                    __builtin_bit_cast(unsigned, sum), rc,
                    c_at + (r * 32 + e) * stride_c * 4 + column * 128, 0, 0);
            }
        }
    }
}
}  // namespace
extern "C" {
__global__ __launch_bounds__(256) void split_k_fp8(const fp8_t* a, const fp8_t* b, float* c, int m,
                                                   int n, int k, int k_part, int stride_a,
                                                   int stride_b, int stride_c) {
    split_k<fp8_t, 64>(a, b, c, m, n, k, k_part, stride_a, stride_b, stride_c);
}
__global__ __launch_bounds__(256) void split_k_bf16(const bf16_t* a, const bf16_t* b, float* c,
                                                    int m, int n, int k, int k_part, int stride_a,
                                                    int stride_b, int stride_c) {
    split_k<bf16_t, 32>(a, b, c, m, n, k, k_part, stride_a, stride_b, stride_c);
}
}
#endif
