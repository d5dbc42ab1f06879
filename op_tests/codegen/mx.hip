// Products with scales of a wave with 128 registers of sums, while the next step's operands and
// scales are on their way to registers: with opus, or with the compiler's builtins alone (RAW=1).
// by_product: 8 x 4 of 16 x 16 x 128, fp4 and fp4, each by a call of its own with its byte of a
// scale's word. tiled: 2 x 4 of 32 x 32 x 64, fp8 and fp4, by one call with arrays of scales. In
// memory, operands lie as lanes read them: 16 bytes of lane 0, of lane 1, and so on.
#include "opus/hip_minimal.hpp"
#if !RAW
#include "opus/opus.hpp"
#endif

namespace {
template <class Stage, class Read, class Products>
__device__ __attribute__((always_inline)) void each_step(int steps, const Read& read,
                                                         const Products& products) {
    Stage even;
    Stage odd;
    read(even, 0);
    for (int i = 0; i < steps; i += 2) {
        read(odd, i + 1);
        products(even);
        read(even, i + 2);
        products(odd);
    }
}
}  // namespace

#define MX_KERNEL(name)                                                                           \
    extern "C" __global__ __launch_bounds__(256, 2) void name(                                    \
        const unsigned char* a, const unsigned char* b, const int* scales_a, const int* scales_b, \
        float* c, int steps)

#if !RAW
using namespace opus;
using opus::operator""_I;

MX_KERNEL(by_product) {
    using mma = mfma<fp4_t, fp4_t, fp32_t, 16, 16, 128>;
    struct stage {
        mma::vtype_a a[8];
        mma::vtype_b b[4];
        int scales_a[2], scales_b;
    };
    const int lane = thread_id_x() % 64;
    const auto g_a = make_gmem(reinterpret_cast<const fp4_t*>(a));
    const auto g_b = make_gmem(reinterpret_cast<const fp4_t*>(b));
    const auto g_scales_a = make_gmem(scales_a);
    const auto g_scales_b = make_gmem(scales_b);
    mma::vtype_c acc[8][4] = {};
    each_step<stage>(
        steps,
        [&](stage& s, int i) {
            static_for<8>([&](auto m) { s.a[m] = g_a.load<32>(lane * 32 + m * 2048, i * 16384); });
            static_for<4>([&](auto n) { s.b[n] = g_b.load<32>(lane * 32 + n * 2048, i * 8192); });
            s.scales_a[0] = g_scales_a.load<1>(lane, i * 128)[0];
            s.scales_a[1] = g_scales_a.load<1>(lane + 64, i * 128)[0];
            s.scales_b = g_scales_b.load<1>(lane, i * 64)[0];
        },
        [&](const stage& s) {
            static_ford<8, 4>([&](auto m, auto n) {
                acc[m][n] =
                    mma{}(s.a[m], s.b[n], acc[m][n], s.scales_a[m / 4_I], s.scales_b, m % 4_I, n);
            });
        });
    static_ford<8, 4>([&](auto m, auto n) {
        make_gmem(c).store<4>(acc[m][n], lane * 4 + (m * 4_I + n) * 256_I);
    });
}

MX_KERNEL(tiled) {
    constexpr auto mma =
        make_tiled_mma<fp8_t, fp4_t, fp32_t>(seq<2, 4, 1>{}, seq<1, 1, 1>{}, seq<32, 32, 64>{});
    using mma_t = remove_cv_t<decltype(mma)>;
    struct stage {
        mma_t::vtype_a a;
        mma_t::vtype_b b;
        opus::array<int, 2> scales_a;
        opus::array<int, 4> scales_b;
    };
    const int lane = thread_id_x() % 64;
    const auto g_a = make_gmem(reinterpret_cast<const fp8_t*>(a));
    const auto g_b = make_gmem(reinterpret_cast<const fp4_t*>(b));
    const auto g_scales_a = make_gmem(scales_a);
    const auto g_scales_b = make_gmem(scales_b);
    const auto u_a = make_layout(make_tuple(4_I, 64_I, 16_I), make_tuple(1024_I, 16_I, 1_I),
                                 make_tuple(_, lane, _));
    const auto u_b = make_layout(make_tuple(4_I, 64_I, 32_I), make_tuple(2048_I, 32_I, 1_I),
                                 make_tuple(_, lane, _));
    mma_t::vtype_c acc;
    clear(acc);
    each_step<stage>(
        steps,
        [&](stage& s, int i) {
            s.a = __builtin_bit_cast(mma_t::vtype_a, g_a.load<16>(u_a, i * 4096));
            s.b = g_b.load<32>(u_b, i * 8192);
            static_for<2>(
                [&](auto m) { s.scales_a[m] = g_scales_a.load<1>(lane + m * 64, i * 128)[0]; });
            static_for<4>(
                [&](auto n) { s.scales_b[n] = g_scales_b.load<1>(lane + n * 64, i * 256)[0]; });
        },
        [&](const stage& s) { acc = mma(s.a, s.b, acc, s.scales_a, s.scales_b, 1_I, 2_I); });
    const auto u_c = make_layout(make_tuple(32_I, 64_I, 4_I), make_tuple(256_I, 4_I, 1_I),
                                 make_tuple(_, lane, _));
    make_gmem(c).store<4>(acc, u_c);
}
#else
namespace {
using i32x4 = __attribute__((ext_vector_type(4))) int;
using i32x8 = __attribute__((ext_vector_type(8))) int;
using u32x4 = __attribute__((ext_vector_type(4))) unsigned;
using fp32x4 = __attribute__((ext_vector_type(4))) float;
using fp32x16 = __attribute__((ext_vector_type(16))) float;

template <class T>
__device__ auto buffer(T* p) {
    return __builtin_amdgcn_make_buffer_rsrc(const_cast<void*>(static_cast<const void*>(p)), 0, -1,
                                             0x00020000);
}
template <class Buffer>
__device__ i32x4 load(const Buffer& from, int bytes, int scalar_bytes) {
    return __builtin_bit_cast(i32x4,
                              __builtin_amdgcn_raw_buffer_load_b128(from, bytes, scalar_bytes, 0));
}
template <class Buffer>
__device__ int load_word(const Buffer& from, int word, int scalar_words) {
    return static_cast<int>(
        __builtin_amdgcn_raw_buffer_load_b32(from, word * 4, scalar_words * 4, 0));
}
__device__ i32x8 padded(i32x4 x) {
    return {x[0], x[1], x[2], x[3], 0, 0, 0, 0};
}
}  // namespace

MX_KERNEL(by_product) {
    struct stage {
        i32x4 a[8];
        i32x4 b[4];
        int scales_a[2], scales_b;
    };
    const int lane = static_cast<int>(threadIdx.x) % 64;
    const auto g_a = buffer(a);
    const auto g_b = buffer(b);
    const auto g_scales_a = buffer(scales_a);
    const auto g_scales_b = buffer(scales_b);
    fp32x4 acc[8][4] = {};
    each_step<stage>(
        steps,
        [&](stage& s, int i) {
#pragma unroll
            for (int m = 0; m < 8; m++) {
                s.a[m] = load(g_a, lane * 16 + m * 1024, i * 8192);
            }
#pragma unroll
            for (int n = 0; n < 4; n++) {
                s.b[n] = load(g_b, lane * 16 + n * 1024, i * 4096);
            }
            s.scales_a[0] = load_word(g_scales_a, lane, i * 128);
            s.scales_a[1] = load_word(g_scales_a, lane + 64, i * 128);
            s.scales_b = load_word(g_scales_b, lane, i * 64);
        },
        [&](const stage& s) {
#define MX_PRODUCT(m, sel, n)                                     \
    acc[m][n] = __builtin_amdgcn_mfma_scale_f32_16x16x128_f8f6f4( \
        padded(s.a[m]), padded(s.b[n]), acc[m][n], 4, 4, sel, s.scales_a[m / 4], n, s.scales_b)
#define MX_PRODUCTS(m, sel) \
    MX_PRODUCT(m, sel, 0);  \
    MX_PRODUCT(m, sel, 1);  \
    MX_PRODUCT(m, sel, 2);  \
    MX_PRODUCT(m, sel, 3)
#pragma unroll
            for (int m = 0; m < 8; m += 4) {
                MX_PRODUCTS(m, 0);
                MX_PRODUCTS(m + 1, 1);
                MX_PRODUCTS(m + 2, 2);
                MX_PRODUCTS(m + 3, 3);
            }
        });
#pragma unroll
    for (int i = 0; i < 32; i++) {
        __builtin_amdgcn_raw_buffer_store_b128(__builtin_bit_cast(u32x4, acc[i / 4][i % 4]),
                                               buffer(c), lane * 16 + i * 1024, 0, 0);
    }
}

MX_KERNEL(tiled) {
    struct stage {
        i32x8 a[2];
        i32x4 b[4];
        int scales_a[2], scales_b[4];
    };
    const int lane = static_cast<int>(threadIdx.x) % 64;
    const auto g_a = buffer(a);
    const auto g_b = buffer(b);
    const auto g_scales_a = buffer(scales_a);
    const auto g_scales_b = buffer(scales_b);
    fp32x16 acc[2][4] = {};
    each_step<stage>(
        steps,
        [&](stage& s, int i) {
#pragma unroll
            for (int m = 0; m < 2; m++) {
                const auto low = load(g_a, lane * 16 + m * 2048, i * 4096);
                const auto high = load(g_a, lane * 16 + m * 2048 + 1024, i * 4096);
                s.a[m] = __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
            }
#pragma unroll
            for (int n = 0; n < 4; n++) {
                s.b[n] = load(g_b, lane * 16 + n * 1024, i * 4096);
            }
#pragma unroll
            for (int m = 0; m < 2; m++) {
                s.scales_a[m] = load_word(g_scales_a, lane + m * 64, i * 128);
            }
#pragma unroll
            for (int n = 0; n < 4; n++) {
                s.scales_b[n] = load_word(g_scales_b, lane + n * 64, i * 256);
            }
        },
        [&](const stage& s) {
#pragma unroll
            for (int m = 0; m < 2; m++) {
#pragma unroll
                for (int n = 0; n < 4; n++) {
                    acc[m][n] = __builtin_amdgcn_mfma_scale_f32_32x32x64_f8f6f4(
                        s.a[m], padded(s.b[n]), acc[m][n], 0, 4, 1, s.scales_a[m], 2,
                        s.scales_b[n]);
                }
            }
        });
#pragma unroll
    for (int i = 0; i < 32; i++) {
        const fp32x16& x = acc[i / 16][i / 4 % 4];
        const int e = i % 4 * 4;
        const fp32x4 sums{x[e], x[e + 1], x[e + 2], x[e + 3]};
        __builtin_amdgcn_raw_buffer_store_b128(__builtin_bit_cast(u32x4, sums), buffer(c),
                                               lane * 16 + i * 1024, 0, 0);
    }
}
#endif
