// What the README of the library this one is a clone of shows its users, compiled and run: the
// fragments of its sections in their order, in kernels.
#include <gtest/gtest.h>

#include <numeric>

#include "common/device.hpp"
#include "opus/opus.hpp"

namespace {

using opus::operator""_I;
using examples::device_buffer;

void finish() {
    examples::check(hipGetLastError(), "launch");
    examples::check(hipDeviceSynchronize(), "hipDeviceSynchronize");
}

// -- 1. vectorized load and store: four ways to the same four elements ----------------------------

__global__ void four_loads(const void* ptr_a, int stride_a, opus::fp16x4_t* out) {
    using opus::fp16_t;
    using opus::fp16x4_t;
    opus::fp16x4_t* mine = out + threadIdx.x * 3;
    {
        int offset_a = static_cast<int>((threadIdx.x / 32 * 4) +
                                        (threadIdx.x % 32 * static_cast<unsigned>(stride_a)));
        fp16x4_t v_a =
            *reinterpret_cast<const fp16x4_t*>(reinterpret_cast<const fp16_t*>(ptr_a) + offset_a);
        mine[0] = v_a;
    }
    const int thread = static_cast<int>(threadIdx.x);
    {
        auto g_a = opus::make_gmem(reinterpret_cast<const opus::fp16_t*>(ptr_a));
        auto v_a = g_a.load<4>((thread / 32 * 4) + (thread % 32 * stride_a));
        mine[1] = v_a;
    }
    {
        auto g_a = opus::make_gmem(reinterpret_cast<const opus::fp16x4_t*>(ptr_a));
        auto v_a = g_a.load(((thread / 32 * 4) + (thread % 32 * stride_a)) / 4_I);
        mine[2] = v_a;
    }
}

TEST(readme, section_1_four_loads) {
    constexpr int stride = 16;
    std::vector<short> bits(32 * stride);
    std::iota(bits.begin(), bits.end(), short{1});
    const device_buffer<short> in(bits);
    const device_buffer<short> out(64 * 3 * 4);
    four_loads<<<1, 64>>>(in.data(), stride, reinterpret_cast<opus::fp16x4_t*>(out.data()));
    finish();
    const auto got = out.to_host();
    for (size_t thread = 0; thread < 64; thread++) {
        for (size_t way = 0; way < 3; way++) {
            for (size_t i = 0; i < 4; i++) {
                EXPECT_EQ(got[(thread * 3 + way) * 4 + i],
                          bits[thread / 32 * 4 + thread % 32 * stride + i])
                    << "thread " << thread << " way " << way;
            }
        }
    }
}

// -- 2. layout for index calculation --------------------------------------------------------------

TEST(readme, section_2_layout) {
    auto u = opus::make_layout(opus::make_tuple(128, 64));
    int offset = u(4, 8);  // returns 4 * 64 + 8 * 1
    EXPECT_EQ(offset, 4 * 64 + 8 * 1);
}

// -- 3. x-dim, p-dim, y-dim: a 48x32 tile over 64 threads -----------------------------------------

struct some_tile_adaptor {
    OPUS_H_D constexpr auto shape() { return opus::make_tuple(3_I, 16_I, 4_I, 8_I); }
    OPUS_H_D constexpr auto dim() {
        using namespace opus;
        return tuple<tuple<y_dim, p_dim>, tuple<p_dim, y_dim>>{};
    }
};

template <typename S, typename C>
OPUS_H_D constexpr auto partition_layout(some_tile_adaptor&& a, S&& x_stride, C&& p_coord) {
    return opus::make_layout(a.shape(), opus::unfold_x_stride(a.dim(), a.shape(), x_stride),
                             opus::unfold_p_coord(a.dim(), p_coord));
}

__global__ void load_tile(const float* ptr, int some_row_stride, float* out) {
    using some_vec_type = opus::fp32x8_t;
    auto lane_id = threadIdx.x % 64;
    auto s = opus::make_tuple(some_row_stride, 1_I);
    auto c = opus::make_tuple(lane_id / 4_I, lane_id % 4_I);
    auto u = partition_layout(some_tile_adaptor{}, s, c);

    auto g = opus::make_gmem(ptr);
    some_vec_type by_hand[3];
    for (auto i = 0; i < 3; i++) {
        by_hand[i] = g.load<8>(u(i, 0));
    }
    auto v = g.load<8>(u);

    float* mine = out + lane_id * 48;
    for (auto i = 0; i < 24; i++) {
        mine[i] = by_hand[i / 8][i % 8];
        mine[24 + i] = v[i];
    }
}

TEST(readme, section_3_both_forms_load_the_tile) {
    constexpr int stride = 40;
    std::vector<float> tensor(48 * stride);
    std::iota(tensor.begin(), tensor.end(), 0.0f);
    const device_buffer<float> in(tensor);
    device_buffer<float> out(64 * 48);
    load_tile<<<1, 64>>>(in.data(), stride, out.data());
    finish();
    const auto got = out.to_host();
    for (int thread = 0; thread < 64; thread++) {
        for (int i = 0; i < 24; i++) {
            const int row = i / 8 * 16 + thread / 4;
            const int column = thread % 4 * 8 + i % 8;
            const float expected = static_cast<float>(row * stride + column);
            EXPECT_EQ(got[static_cast<size_t>(thread * 48 + i)], expected) << "by hand";
            EXPECT_EQ(got[static_cast<size_t>(thread * 48 + 24 + i)], expected) << "layout form";
        }
    }
}

// -- 4. warp GEMM ---------------------------------------------------------------------------------

__global__ void warp_gemm(const opus::fp16_t* a, const opus::fp16_t* b, float* c,
                          float* c_swapped) {
    using namespace opus;
    const int lane = lane_id();
    // 32x32x8 f16 matrix core
    auto mma = make_mfma<fp16_t, fp16_t, fp32_t>(32_I, 32_I, 8_I);
    // 32x32x8 f16 matrix core, with A/B swapped
    auto swapped = make_mfma<fp16_t, fp16_t, fp32_t>(32_I, 32_I, 8_I, mfma_adaptor_swap_ab{});

    auto v_a = make_gmem(a).load<4>(mma.layout_a_packed(make_tuple(lane % 32, lane / 32)));
    auto v_b = make_gmem(b).load<4>(mma.layout_b_packed(make_tuple(lane % 32, lane / 32)));
    decltype(mma)::vtype_c v_c{0};
    v_c = mma(v_a, v_b, v_c);
    make_gmem(c).store<1>(v_c, mma.layout_c_packed(make_tuple(lane / 32, lane % 32)));
    v_c = swapped(v_a, v_b);
    make_gmem(c_swapped).store<4>(v_c, swapped.layout_c_packed(make_tuple(lane % 32, lane / 32)));
}

TEST(readme, section_4_warp_gemm) {
    std::vector<opus::fp16_t> a(32 * 8);
    std::vector<opus::fp16_t> b(32 * 8);
    for (size_t i = 0; i < a.size(); i++) {
        a[i] = static_cast<opus::fp16_t>(i % 7);
        b[i] = static_cast<opus::fp16_t>(i % 5);
    }
    const device_buffer<opus::fp16_t> da(a);
    const device_buffer<opus::fp16_t> db(b);
    device_buffer<float> dc(32 * 32);
    device_buffer<float> dd(32 * 32);
    warp_gemm<<<1, 64>>>(da.data(), db.data(), dc.data(), dd.data());
    finish();
    const auto c = dc.to_host();
    const auto d = dd.to_host();
    for (size_t i = 0; i < 32; i++) {
        for (size_t j = 0; j < 32; j++) {
            float sum = 0;
            for (size_t k = 0; k < 8; k++) {
                sum += static_cast<float>(a[i * 8 + k]) * static_cast<float>(b[j * 8 + k]);
            }
            ASSERT_EQ(c[i * 32 + j], sum) << "row " << i << " column " << j;
            ASSERT_EQ(d[i * 32 + j], sum) << "swapped, row " << i << " column " << j;
        }
    }
}

}  // namespace
