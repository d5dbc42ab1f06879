// Kernels in the style of this library's users, with what they rely on: tiled products with
// layouts of run-time strides, a K loop through registers or LDS, rounding modes, predicates,
// slices, layouts made by hand.
#include <gtest/gtest.h>

#include "common/device.hpp"
#include "opus/opus.hpp"

namespace {

using namespace opus;
using opus::operator""_I;
using examples::device_buffer;

// C = A * B^T in blocks of 128 x 128, four waves, operands straight to registers; in bf16, rounded
// to nearest even. K is a multiple of 64.
__global__ __launch_bounds__(256) void block_gemm(const bf16_t* ptr_a, const bf16_t* ptr_b,
                                                  bf16_t* ptr_c, int k, int stride_a, int stride_b,
                                                  int stride_c) {
    auto mma = make_tiled_mma<bf16_t, bf16_t, fp32_t>(seq<2, 2, 4>{}, seq<2, 2, 1>{},
                                                      seq<32, 32, 8>{}, mfma_adaptor_swap_ab{});
    using V = typename decltype(mma)::vtype_c;
    static_assert(decltype(mma)::tile_c_len == 64 && sizeof(V) == 256);
    const int lane = static_cast<int>(threadIdx.x % 64);
    const int wave_m = static_cast<int>(threadIdx.x / 128);
    const int wave_n = static_cast<int>(threadIdx.x / 64 % 2);
    const int row = static_cast<int>(blockIdx.y) * 128;
    const int col = static_cast<int>(blockIdx.x) * 128;

    auto ga = make_gmem(ptr_a + row * stride_a);
    auto gb = make_gmem(ptr_b + col * stride_b);
    auto gc = make_gmem(ptr_c + row * stride_c + col);
    auto ua = partition_layout_a<4>(mma, make_tuple(stride_a, 1_I),
                                    make_tuple(wave_m, lane % mma.grpm_a, 0_I, lane / mma.grpm_a));
    auto ub = partition_layout_b<4>(mma, make_tuple(stride_b, 1_I),
                                    make_tuple(wave_n, lane % mma.grpn_b, 0_I, lane / mma.grpn_b));
    V acc;
    clear(acc);
    for (int i = 0; i < k; i += 64) {
        auto a0 = ga.load<4>(ua);
        auto b0 = gb.load<4>(ub);
        auto a1 = ga.template load<4>(ua, 32);  // the wave-uniform offset
        auto b1 = gb.template load<4>(ub, 32);
        static_assert(is_same_v<decltype(a0), typename decltype(mma)::vtype_a>);
        acc = mma(a0, b0, acc);
        static_for<4>([&](auto step) { acc = mma.step_k(step, a1, b1, acc); });
        ua += 64;
        ub += 64;
    }
    auto uc = partition_layout_c(mma, make_tuple(stride_c, 1_I),
                                 make_tuple(wave_m, lane % mma.grpn_c, wave_n, lane / mma.grpn_c));
    auto out = cast<bf16_t>(acc, 0_I);
    gc.store<4>(out, uc);
}

// The same product of one wave by LDS, 32 x 32 x 32, which global loads fill without registers;
// rows beyond m and columns beyond n are left alone.
__global__ void wave_gemm(const fp16_t* ptr_a, const fp16_t* ptr_b, float* ptr_c, int m, int n) {
    __shared__ fp16_t lds[2 * 32 * 32];
    auto mma = make_mfma<fp16_t, fp16_t, fp32_t>(32_I, 32_I, 8_I);
    const int lane = lane_id();

    // Two elements are what gfx942 moves for each lane: 8 instructions, 4 rows each.
    auto u_gmem = make_layout(make_tuple(8_I, 4_I, 16_I, 2_I), make_tuple(128_I, 32_I, 2_I, 1_I),
                              make_tuple(_, lane / 16, lane % 16, _));
    auto u_smem = make_layout(make_tuple(8_I, 2_I), make_tuple(128_I, 1_I), make_tuple(_, _));
    make_gmem(ptr_a, 32 * 32 * 2).async_load<2>(lds, u_gmem, u_smem);
    make_gmem(ptr_b, 32 * 32 * 2).async_load<2>(lds + 1024, u_gmem, u_smem);
    s_waitcnt_vmcnt(0_I);
    sync_threads();

    auto s = make_smem(lds);
    auto coord = make_tuple(lane % mma.grpm_a, lane / mma.grpm_a);
    auto us = mma.layout_a(make_tuple(32_I, 1_I), coord);
    auto acc = mma(s.load<4>(us), s.load<4>(us + 1024_I));
    static_for([&](auto i) { acc = mma(s.load<4>(us + i), s.load<4>(us + (i + 1024_I)), acc); },
               8_I, 32_I, 8_I);

    auto uc = partition_layout_c(mma, make_tuple(32_I, 1_I), make_tuple(lane / 32, lane % 32));
    const int column = lane % 32;
    make_gmem(ptr_c).store_if<1>(
        [&](auto rept, auto pack) { return rept * 8 + lane / 32 * 4 + pack < m && column < n; },
        acc, uc);
}

// Layouts made by hand, slices and bits.
__global__ void fragments(const fp16_t* ptr, int stride, float* out) {
    const int tid = thread_id_x();
    constexpr auto shape = make_tuple(3_I, 16_I, 4_I, 8_I);
    constexpr auto dim = make_tuple(make_tuple(y_dim{}, p_dim{}), make_tuple(p_dim{}, y_dim{}));
    auto u = make_layout<8>(shape, unfold_x_stride(dim, shape, tuple{stride, 1_I}),
                            unfold_p_coord(dim, tuple{tid / 4, tid % 4}));
    constexpr index_t issues = layout_load_traits<decltype(u), 8>::r_elem.value;
    static_assert(issues == 3);
    auto offs = layout_to_offsets<8>(u);
    static_assert(size<decltype(offs)>() == issues);
    seq<2_I, 4_I> from_literals;
    static_assert(is_same_v<decltype(from_literals), seq<2, 4>>);

    auto g = make_gmem(ptr);
    auto a2 = load<8>(g, offs[2], 0, number<3>{});
    i32x4_t raw = __builtin_bit_cast(i32x4_t, a2);
    auto wide = cast<fp32_t>(__builtin_bit_cast(fp16x8_t, raw));
    auto q = slice(wide, number<4>{}, number<8>{});
    set_slice(wide, q, number<0>{}, number<4>{});
    make_gmem(out).store<8>(wide, 8_I * tid);
}

int small(size_t i) {
    return static_cast<int>(i * 2654435761u >> 13) % 5 - 2;
}
bf16_t to_bf16(float x) {
    return __builtin_bit_cast(bf16_t,
                              static_cast<unsigned short>(__builtin_bit_cast(unsigned, x) >> 16));
}
// To nearest even; of integers beyond 256 bf16 has only every second.
float round_to_bf16(float x) {
    const unsigned bits = __builtin_bit_cast(unsigned, x);
    return __builtin_bit_cast(float, (bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000);
}
float from_bf16(bf16_t x) {
    return __builtin_bit_cast(float, unsigned{__builtin_bit_cast(unsigned short, x)} << 16);
}

TEST(users_kernels, block_gemm) {
    const size_t m = 256;
    const size_t n = 128;
    const size_t k = 128;
    const size_t pitch = k + 8;
    std::vector<bf16_t> a(m * pitch);
    std::vector<bf16_t> b(n * pitch);
    for (size_t i = 0; i < a.size(); i++) {
        a[i] = to_bf16(static_cast<float>(small(i)));
    }
    for (size_t i = 0; i < b.size(); i++) {
        b[i] = to_bf16(static_cast<float>(small(i + 7)));
    }
    const device_buffer<bf16_t> da(a);
    const device_buffer<bf16_t> db(b);
    device_buffer<bf16_t> dc(m * (n + 4));
    dc.fill_bytes(0);
    block_gemm<<<dim3(n / 128, m / 128), 256>>>(da.data(), db.data(), dc.data(), k, pitch, pitch,
                                                n + 4);
    examples::check(hipGetLastError(), "launch");
    const std::vector<bf16_t> c = dc.to_host();
    for (size_t i = 0; i < m; i++) {
        for (size_t j = 0; j < n; j++) {
            float sum = 0;
            for (size_t x = 0; x < k; x++) {
                sum += from_bf16(a[i * pitch + x]) * from_bf16(b[j * pitch + x]);
            }
            ASSERT_EQ(from_bf16(c[i * (n + 4) + j]), round_to_bf16(sum))
                << "row " << i << " column " << j;
        }
        ASSERT_EQ(from_bf16(c[i * (n + 4) + n]), 0.0f) << "behind row " << i;
    }
}

TEST(users_kernels, wave_gemm) {
    std::vector<fp16_t> a(32 * 32);
    std::vector<fp16_t> b(32 * 32);
    for (size_t i = 0; i < a.size(); i++) {
        a[i] = static_cast<fp16_t>(small(i));
        b[i] = static_cast<fp16_t>(small(i + 3));
    }
    const device_buffer<fp16_t> da(a);
    const device_buffer<fp16_t> db(b);
    const std::vector<float> untouched(32 * 32, -1.0f);
    const device_buffer<float> dc(untouched);
    const size_t m = 21;
    const size_t n = 30;
    wave_gemm<<<1, 64>>>(da.data(), db.data(), const_cast<float*>(dc.data()), m, n);
    examples::check(hipGetLastError(), "launch");
    const std::vector<float> c = dc.to_host();
    for (size_t i = 0; i < 32; i++) {
        for (size_t j = 0; j < 32; j++) {
            float sum = 0;
            for (size_t x = 0; x < 32; x++) {
                sum += static_cast<float>(a[i * 32 + x]) * static_cast<float>(b[j * 32 + x]);
            }
            ASSERT_EQ(c[i * 32 + j], i < m && j < n ? sum : -1.0f)
                << "row " << i << " column " << j;
        }
    }
}

TEST(users_kernels, fragments) {
    const size_t stride = 40;
    std::vector<fp16_t> x(48 * stride);
    for (size_t i = 0; i < x.size(); i++) {
        x[i] = static_cast<fp16_t>(static_cast<int>(i % 512));
    }
    const device_buffer<fp16_t> dx(x);
    device_buffer<float> out(64 * 8);
    fragments<<<1, 64>>>(dx.data(), stride, out.data());
    examples::check(hipGetLastError(), "launch");
    const std::vector<float> got = out.to_host();
    for (size_t thread = 0; thread < 64; thread++) {
        for (size_t e = 0; e < 8; e++) {
            const size_t at = (32 + thread / 4) * stride + thread % 4 * 8 + (e % 4 + 4);
            ASSERT_EQ(got[thread * 8 + e], static_cast<float>(at % 512)) << thread << " " << e;
        }
    }
}

}  // namespace
