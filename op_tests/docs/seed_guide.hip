// What the guide to the library this one is a clone of shows its users, as far as this header goes:
// the fragments of its sections in their order. Values that it states are checked.
#include <gtest/gtest.h>

#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

OPUS_USING_COMMON_TYPES_ALL

namespace {

// Quick reference: what stands in a kernel.
__global__ void quick_reference(const opus::fp16_t* ptr, opus::fp16_t* out, unsigned num_elements,
                                int row_offset) {
    OPUS_USING_COMMON_TYPES
    using namespace opus;

    auto g = make_gmem(ptr, num_elements * sizeof(fp16_t));
    auto data = g.load<4>(row_offset);
    make_gmem(out).store<4>(data, row_offset);
    auto val = g.load<4, 3>(row_offset + 4);  // non-temporal
    make_gmem(out).store<4>(val, row_offset + 4);

    auto mma = make_mfma<fp16_t, fp16_t, fp32_t>(32_I, 32_I, 8_I);
    auto c = mma(data, val);
    auto c_out = mma(data, val, c, 0_I, 0_I, 0_I);
    make_gmem(reinterpret_cast<float*>(out)).store<16>(c_out, row_offset);

    s_waitcnt(0_I, 0_I);
    s_waitcnt_vmcnt(0_I);
    s_waitcnt_lgkmcnt(0_I);
}

// Section 11: layouts that an adaptor gives.
__global__ void adaptor_layouts(const opus::fp16_t* ptr, int stride_m, float* out) {
    OPUS_USING_COMMON_TYPES
    using namespace opus;
    auto mma = make_mfma<fp16_t, fp16_t, fp32_t>(16_I, 16_I, 16_I);
    auto p_coord = make_tuple(lane_id() % 16_I, lane_id() / 16_I);
    auto u = mma.layout_a(make_tuple(stride_m, 1_I), p_coord);
    auto tile_a = make_gmem(ptr).load<4>(u);
    auto tile_b = make_gmem(ptr).load<4>(mma.layout_b_packed(p_coord));
    auto u_c =
        mma.layout_c(make_tuple(stride_m, 1_I), make_tuple(lane_id() / 16_I, lane_id() % 16_I));
    make_gmem(out).store<1>(mma(tile_a, tile_b), u_c);
    static_assert(is_same_v<decltype(mma.p_shape_a()), tup<num<16>, num<4>>>);
    static_assert(is_same_v<decltype(mma.y_shape_a()), tup<num<1>, num<4>>>);
}

TEST(guide, types) {
    using namespace opus;
    static_assert(is_same_v<vector_t<float, 4>, fp32x4_t>);
    static_assert(sizeof(fp16x4_t) == 8 && sizeof(fp32x8_t) == 32 && sizeof(bf16x16_t) == 32);
    static_assert(is_dtype_v<fp16_t> && is_dtype_v<bf16_t> && !is_dtype_v<fp16x4_t>);
    static_assert(is_vector_v<fp16x4_t> && !is_vector_v<fp16_t>);
    SUCCEED();
}

TEST(guide, constants) {
    auto a = opus::number<4>{};
    auto b = opus::number<8>{};
    static_assert(opus::is_same_v<decltype(a + b), num<12>>);
    static_assert(opus::is_same_v<decltype(a * b), num<32>>);
    static_assert(opus::is_same_v<decltype(b % a), num<0>>);
    auto s = seq<2, 4, 8>{};
    EXPECT_EQ(s[0], 2);
    EXPECT_EQ(s.size(), 3);
}

TEST(guide, containers) {
    using namespace opus;
    auto t = opus::make_tuple(1_I, 2.0f, 3_I);
    auto v0 = get<0>(t);
    static_assert(is_same_v<decltype(v0), num<1>>);
    EXPECT_EQ(get<1>(t), 2.0f);
    EXPECT_EQ(t.size(), 3);
    auto [a, b, c] = opus::make_tuple(1, 2, 3);
    EXPECT_EQ(a + b + c, 6);

    auto array = make_array(1.0f, 2.0f, 3.0f);
    EXPECT_EQ(array[0], 1.0f);
    array.fill(0.5f);
    EXPECT_EQ(array[2], 0.5f);
    array.clear();
    EXPECT_EQ(array[2], 0.0f);
    auto from_array = to_vector(array);
    static_assert(is_same_v<decltype(from_array), vector_t<float, 3>>);

    vector_t<float, 4> v{};
    v[0] = 3.0f;
    EXPECT_EQ(to_array(v)[0], 3.0f);
    fill(v, 1.0f);
    EXPECT_EQ(v[3], 1.0f);
    clear(v);
    EXPECT_EQ(v[3], 0.0f);
    EXPECT_EQ(make_repeated_vector<4>(0.0f)[1], 0.0f);

    auto w = make_vector(1.0f, 2.0f, 3.0f, 4.0f);
    auto first = slice(w, 2_I);
    auto middle = slice(w, 1_I, 3_I);
    EXPECT_EQ(first[1] * 10 + middle[1], 23.0f);
    set_slice(w, first, 2_I, 4_I);
    EXPECT_EQ(w[2] * 10 + w[3], 12.0f);
}

TEST(guide, layouts) {
    using namespace opus;
    auto u = make_layout(opus::make_tuple(128_I, 64_I));
    EXPECT_EQ(u(4, 8), 264);
    EXPECT_EQ(make_layout(opus::make_tuple(128_I, 64_I), opus::make_tuple(64_I, 1_I))(4, 8), 264);
    EXPECT_EQ(make_layout(128_I, 64_I)(4, 8), 264);
    const int stride_m = 70;
    EXPECT_EQ(make_layout(opus::make_tuple(128, 64), opus::make_tuple(stride_m, 1))(4, 8), 288);
    auto sliding = make_layout<0>(opus::make_tuple(128_I, 64_I), opus::make_tuple(64_I, 1_I));
    sliding += 64;
    EXPECT_EQ(sliding(4, 8), 264 + 64);
    static_assert(is_same_v<decltype(u.shape<0>()), num<128>>);
    static_assert(is_same_v<decltype(u.stride<1>()), num<1>>);
    EXPECT_EQ(get<0>(u.shape()) * get<0>(u.stride()), 128 * 64);
}

TEST(guide, loops) {
    int arr[4] = {};
    opus::static_for<4>([&](auto i) { arr[i.value] = i * i; });
    EXPECT_EQ(arr[3], 9);
    int count = 0;
    opus::static_ford<4, 8>([&](auto, auto) { count++; });
    opus::static_for([&](auto) { count++; }, 2, 8);
    opus::static_for([&](auto) { count++; }, 0, 10, 2);
    EXPECT_EQ(count, 32 + 6 + 5);
    constexpr auto ws = opus::get_warp_size();
    EXPECT_EQ(ws, 64);
}

// The kernels above are only compiled; that this test links says that they were.
TEST(guide, kernels_exist) {
    EXPECT_NE(reinterpret_cast<const void*>(&quick_reference), nullptr);
    EXPECT_NE(reinterpret_cast<const void*>(&adaptor_layouts), nullptr);
}

}  // namespace
