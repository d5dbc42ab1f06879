// Swizzled tiles in LDS: with opus, where the swizzle is a property of the layout, or with the
// compiler's builtins and the swizzle written by hand (RAW=1). A tile is 64 rows of 64 f16, and chunk
// c, of 8 elements, of row r is in place c ^ (r / 2 % 8). With SWIZZLE_BITS=0 there is none. 256
// threads.
#include "opus/hip_minimal.hpp"
#if !RAW
#include "opus/opus.hpp"

namespace {
using namespace opus;
using opus::operator""_I;
using chunk_t = fp16x8_t;

constexpr swizzle<SWIZZLE_BITS, 3, 4> swizzled{};

// The tile's rows for each thread: chunk t % 8 of rows t / 8 and t / 8 + 32.
OPUS_D auto whole_rows(int stride, int t) {
    return make_layout(make_tuple(2_I, 32_I, 8_I, 8_I), make_tuple(32 * stride, stride, 8_I, 1_I),
                       make_tuple(_, t / 8, t % 8, _));
}
// The same in LDS.
OPUS_D auto rows_in_lds(int t) {
    return composition(
        swizzled, make_layout(make_tuple(2_I, 32_I, 8_I, 8_I), make_tuple(2048_I, 64_I, 8_I, 1_I),
                              make_tuple(_, t / 8, t % 8, _)));
}
// A of four matrix instructions of 32 x 32 x 16, for 2 x 32 rows.
OPUS_D auto operand_a(int lane) {
    return composition(swizzled, make_layout(make_tuple(2_I, 32_I, 4_I, 2_I, 8_I),
                                             make_tuple(2048_I, 64_I, 16_I, 8_I, 1_I),
                                             make_tuple(_, lane % 32, _, lane / 32, _)));
}
// One matrix instruction's, to be moved along K.
OPUS_D auto step_of_a(int lane) {
    return composition(swizzled, make_layout(make_tuple(32_I, 2_I, 8_I), make_tuple(64_I, 8_I, 1_I),
                                             make_tuple(lane % 32, lane / 32, _)));
}
#if defined(__gfx950__)
// Rows of 64 elements for transposed reads of 4 x 16: 16 lanes point to 4 rows.
OPUS_D auto columns(int lane) {
    return composition(swizzled,
                       make_layout(make_tuple(4_I, 4_I, 4_I, 4_I, 4_I, 4_I),
                                   make_tuple(1024_I, 256_I, 64_I, 16_I, 4_I, 1_I),
                                   make_tuple(_, lane / 16, lane % 16 / 4, _, lane % 4, _)));
}
#endif
template <class S>
OPUS_D void multiply(const S& s, int lane, fp32x16_t& c) {
    static_for<4>([&](auto step) {
        const auto a = s.template load<8>(step_of_a(lane) + number<16 * step.value>{});
        const auto b = s.template load<8>(step_of_a(lane) + number<2048 + 16 * step.value>{});
        c = mfma<fp16_t, fp16_t, fp32_t, 32, 32, 16>{}(a, b, c);
    });
}
OPUS_D void keep(float* to, int t, const fp32x16_t& c) {
    make_gmem(to).store<4>(c, make_layout(make_tuple(4_I, 256_I, 4_I), make_tuple(1024_I, 4_I, 1_I),
                                          make_tuple(_, t, _)));
}
OPUS_D void keep(float* to, int t, const fp16x64_t& x) {
    static_for<8>([&](auto i) {
        make_gmem(reinterpret_cast<fp16_t*>(to))
            .store<8>(slice(x, number<8 * i.value>{}, number<8 * i.value + 8>{}),
                      t * 64 + 8 * i.value);
    });
}
}  // namespace

extern "C" {
__global__ __launch_bounds__(256) void through_registers(const fp16_t* from, float* to,
                                                         int stride) {
    __shared__ __attribute__((aligned(16))) fp16_t lds[2 * 4096];
    const int t = thread_id_x();
    const auto s = make_smem(lds);
    s.store<8>(make_gmem(from).load<8>(whole_rows(stride, t)), rows_in_lds(t) + 4096_I);
    sync_threads();
    keep(to, t, s.load<8>(operand_a(t % 64) + 4096_I));
}

// n tiles along K, and one matrix instruction after the other.
__global__ __launch_bounds__(256) void in_a_loop(const fp16_t* from, float* to, int stride, int n) {
    __shared__ __attribute__((aligned(16))) fp16_t lds[2 * 4096];
    const int t = thread_id_x();
    const auto s = make_smem(lds);
    const auto g = make_gmem(from);
    const auto u = whole_rows(stride, t);
    fp32x16_t c{0};
    int i = 0;
    do {
        s.store<8>(g.load<8>(u, i * 64), rows_in_lds(t));
        sync_threads();
        multiply(s, t % 64, c);
        s_barrier();
    } while (++i != n);
    keep(to, t, c);
}
// The same by LDS-DMA, of 4 or 16 bytes for each lane. Wave w brings the rows from 16 * w on.
__global__ __launch_bounds__(256) void by_dma(const fp16_t* from, float* to, int stride, int n) {
    __shared__ __attribute__((aligned(16))) fp16_t lds[4096];
    const int t = thread_id_x();
    const int wave = readfirstlane(t / 64);
    const int lane = t % 64;
    const auto s = make_smem(lds);
    const auto g = make_gmem(from);
    constexpr index_t vec = OPUS_HAS_LDS_DMA_WIDE ? 8 : 2;
    constexpr index_t lanes = 64 / vec;  // for a row
    constexpr auto shape = make_tuple(4_I, number<16 * lanes / 64>{}, number<64 / lanes>{},
                                      number<lanes>{}, number<vec>{});
    const auto part = [&](auto row) {
        return make_layout(
            shape, make_tuple(16_I * row, number<64 / lanes>{} * row, row, number<vec>{}, 1_I),
            make_tuple(wave, _, lane / lanes, lane % lanes, _));
    };
    fp32x16_t c{0};
    int i = 0;
    do {
        g.async_load<vec>(lds, part(stride), composition(swizzled, part(64_I)), i * 64);
        sync_threads();
        multiply(s, lane, c);
        s_barrier();
    } while (++i != n);
    keep(to, t, c);
}
#if defined(__gfx950__)
__global__ __launch_bounds__(256) void transposed(const fp16_t* from, float* to, int stride) {
    __shared__ __attribute__((aligned(16))) fp16_t lds[2 * 4096];
    const int t = thread_id_x();
    const auto s = make_smem(lds);
    s.store<8>(make_gmem(from).load<8>(whole_rows(stride, t)), rows_in_lds(t) + 4096_I);
    sync_threads();
    const auto x = s.tr_load<4>(columns(t % 64) + 4096_I);
    s_waitcnt_lgkmcnt(0_I);
    keep(to, t, x);
}
#endif
}
#else
namespace {
using fp16_t = _Float16;
using bits_t = __attribute__((ext_vector_type(4))) unsigned;
using fp16x8_t = __attribute__((ext_vector_type(8))) _Float16;
using fp32x16_t = __attribute__((ext_vector_type(16))) float;
using fp32x4_t = __attribute__((ext_vector_type(4))) float;
using lds_t = __attribute__((address_space(3))) char*;

__device__ inline auto buffer(const void* p) {
    return __builtin_amdgcn_make_buffer_rsrc(const_cast<void*>(p), 0, -1, 0x00020000);
}
__device__ inline int byte_of(int row, int chunk) {
    return row * 128 + (chunk ^ (row / 2 % 8)) * 16;
}
__device__ inline bits_t read(lds_t p) {
    return *(__attribute__((address_space(3))) bits_t*)p;
}
__device__ inline void write(lds_t p, bits_t x) {
    *(__attribute__((address_space(3))) bits_t*)p = x;
}
__device__ inline void barrier() {
    __builtin_amdgcn_sched_barrier(0);
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_sched_barrier(0);
}
__device__ inline void wait() {
    __builtin_amdgcn_s_waitcnt(0x0070);  // vmcnt(0) lgkmcnt(0)
    barrier();
}
__device__ inline void keep(float* to, int t, int i, bits_t x) {
    __builtin_amdgcn_raw_buffer_store_b128(x, buffer(to), t * 128 + 16 * i, 0, 0);
}
__device__ inline void multiply(lds_t tile, int lane, fp32x16_t& c) {
#pragma unroll
    for (int step = 0; step < 4; step++) {
        const int at = byte_of(lane % 32, step * 2 + lane / 32);
        const auto a = __builtin_bit_cast(fp16x8_t, read(tile + at));
        const auto b = __builtin_bit_cast(fp16x8_t, read(tile + at + 4096));
#if defined(__gfx950__)
        c = __builtin_amdgcn_mfma_f32_32x32x16_f16(a, b, c, 0, 0, 0);
#else
        c = __builtin_amdgcn_mfma_f32_32x32x8f16(a.lo, b.lo, c, 0, 0, 0);
        c = __builtin_amdgcn_mfma_f32_32x32x8f16(a.hi, b.hi, c, 0, 0, 0);
#endif
    }
}
__device__ inline void keep(float* to, int t, const fp32x16_t& c) {
    const bits_t parts[] = {__builtin_bit_cast(bits_t, fp32x4_t{c[0], c[1], c[2], c[3]}),
                            __builtin_bit_cast(bits_t, fp32x4_t{c[4], c[5], c[6], c[7]}),
                            __builtin_bit_cast(bits_t, fp32x4_t{c[8], c[9], c[10], c[11]}),
                            __builtin_bit_cast(bits_t, fp32x4_t{c[12], c[13], c[14], c[15]})};
#pragma unroll
    for (int i = 0; i < 4; i++) {
        __builtin_amdgcn_raw_buffer_store_b128(parts[i], buffer(to), t * 16 + 4096 * i, 0, 0);
    }
}
// Rows t / 8 and t / 8 + 32, whose swizzle is the same.
__device__ inline void bring(const fp16_t* from, lds_t to, int t, int stride, int s_bytes) {
    const auto r = buffer(from);
    const int bytes = t / 8 * stride * 2 + t % 8 * 16;
    const auto x = __builtin_amdgcn_raw_buffer_load_b128(r, bytes, s_bytes, 0);
    const auto y = __builtin_amdgcn_raw_buffer_load_b128(r, bytes + stride * 64, s_bytes, 0);
    write(to + byte_of(t / 8, t % 8), x);
    write(to + byte_of(t / 8, t % 8) + 4096, y);
}
}  // namespace

extern "C" {
__global__ __launch_bounds__(256) void through_registers(const fp16_t* from, float* to,
                                                         int stride) {
    __shared__ __attribute__((aligned(16))) fp16_t lds[2 * 4096];
    const int t = static_cast<int>(threadIdx.x);
    const lds_t tile = (lds_t)lds + 8192;
    bring(from, tile, t, stride, 0);
    wait();
    const int lane = t % 64;
    bits_t x[8];
#pragma unroll
    for (int i = 0; i < 8; i++) {
        x[i] = read(tile + byte_of(lane % 32, i % 4 * 2 + lane / 32) + i / 4 * 4096);
    }
#pragma unroll
    for (int i = 0; i < 8; i++) {
        keep(to, t, i, x[i]);
    }
}
__global__ __launch_bounds__(256) void in_a_loop(const fp16_t* from, float* to, int stride, int n) {
    __shared__ __attribute__((aligned(16))) fp16_t lds[2 * 4096];
    const int t = static_cast<int>(threadIdx.x);
    const int lane = t % 64;
    const lds_t tile = (lds_t)lds;
    fp32x16_t c{0};
    int i = 0;
    do {
        bring(from, tile, t, stride, i * 128);
        wait();
        multiply(tile, lane, c);
        barrier();
    } while (++i != n);
    keep(to, t, c);
}
__global__ __launch_bounds__(256) void by_dma(const fp16_t* from, float* to, int stride, int n) {
    __shared__ __attribute__((aligned(16))) fp16_t lds[4096];
    const int t = static_cast<int>(threadIdx.x);
    const int wave = __builtin_amdgcn_readfirstlane(t / 64);
    const int lane = t % 64;
    const lds_t tile = (lds_t)lds;
#if defined(__gfx950__)
    constexpr int bytes = 16;
#else
    constexpr int bytes = 4;
#endif
    constexpr int lanes = 128 / bytes;
    constexpr int rows = 64 / lanes;
    int offsets[16 / rows];
#pragma unroll
    for (int j = 0; j < 16 / rows; j++) {
        const int row =
            j * rows + lane / lanes;  // of the wave's: 16 rows do not matter to the swizzle
        const int byte = lane % lanes * bytes;
        const int chunk = byte / 16 ^ (row / 2 % 8);
        offsets[j] = (wave * 16 + row) * stride * 2 + chunk * 16 + byte % 16;
    }
    fp32x16_t c{0};
    int i = 0;
    do {
#pragma unroll
        for (int j = 0; j < 16 / rows; j++) {
            __builtin_amdgcn_raw_ptr_buffer_load_lds(buffer(from),
                                                     tile + wave * 2048 + j * 1024 * bytes / 16,
                                                     bytes, offsets[j], i * 128, 0, 0);
        }
        wait();
        multiply(tile, lane, c);
        barrier();
    } while (++i != n);
    keep(to, t, c);
}
#if defined(__gfx950__)
__global__ __launch_bounds__(256) void transposed(const fp16_t* from, float* to, int stride) {
    using half_t = __attribute__((ext_vector_type(2))) unsigned;
    __shared__ __attribute__((aligned(16))) fp16_t lds[2 * 4096];
    const int t = static_cast<int>(threadIdx.x);
    const lds_t tile = (lds_t)lds + 8192;
    bring(from, tile, t, stride, 0);
    wait();
    const int lane = t % 64;
    half_t x[16];
#pragma unroll
    for (int i = 0; i < 16; i++) {
        // 4 columns of row 4 * (lane / 16) + lane % 16 / 4, in the left or the right half of a chunk.
        const int at = byte_of(lane / 4, i % 4 * 2 + lane % 4 / 2) + lane % 2 * 8;
        asm volatile("ds_read_b64_tr_b16 %0, %1 offset:%2"
                     : "=v"(x[i])
                     : "v"((lds_t)lds + at), "n"(8192 + i / 4 * 2048)
                     : "memory");
    }
    __builtin_amdgcn_s_waitcnt(0xc07f);  // lgkmcnt(0)
    __builtin_amdgcn_sched_barrier(0);
#pragma unroll
    for (int i = 0; i < 8; i++) {
        keep(to, t, i, bits_t{x[2 * i][0], x[2 * i][1], x[2 * i + 1][0], x[2 * i + 1][1]});
    }
}
#endif
}
#endif
