// OPUS_TILE_CONTAINER=1: a tile in registers is an array with a vector for each access, from the
// load through the matrix instruction to the store.
#define OPUS_TILE_CONTAINER 1
#include "tiled_product.hpp"

namespace {

using namespace tiled_product;

__global__ void multiply_once(const fp16_t* a, const fp16_t* b, float* c, float* untouched) {
    const auto mma = make_mfma<fp16_t, fp16_t, fp32_t>(32_I, 32_I, 8_I, mfma_adaptor_swap_ab{});
    const auto va = make_gmem(a).load<4>(mma.layout_a_packed(lane_id()));
    const auto vb = make_gmem(b).load<4>(mma.layout_b_packed(lane_id()));
    const auto uc = mma.layout_c_packed(lane_id());
    const auto gc = make_gmem(c);
    static_assert(is_same_v<remove_cvref_t<decltype(va)>, array<fp16x4_t, 1>>);
    const auto vc = gc.load<4>(uc);
    static_assert(is_same_v<remove_cvref_t<decltype(vc)>, array<fp32x4_t, 4>>);
    // C goes back as the flat vector that the instruction gives, and once as an array.
    gc.store<4>(mma(va, vb, vc), uc);
    make_gmem(untouched).store<4>(vc, uc);
}

TEST(tile_container, arrays_through_a_multiplication) {
    std::vector<fp16_t> a(32 * 8);
    std::vector<fp16_t> b(32 * 8);
    std::vector<float> c(32 * 32);
    for (size_t i = 0; i < a.size(); i++) {
        a[i] = static_cast<fp16_t>(static_cast<int>(i % 7) - 3);
        b[i] = static_cast<fp16_t>(static_cast<int>(i % 5) - 2);
    }
    for (size_t i = 0; i < c.size(); i++) {
        c[i] = static_cast<float>(i % 11);
    }
    const device_buffer<fp16_t> da(a);
    const device_buffer<fp16_t> db(b);
    const device_buffer<float> dc(c);
    device_buffer<float> untouched(c.size());
    untouched.fill_bytes(0xff);
    multiply_once<<<1, 64>>>(da.data(), db.data(), dc.data(), untouched.data());
    finish();
    const auto got = dc.to_host();
    const auto copied = untouched.to_host();
    for (size_t i = 0; i < 32; i++) {
        for (size_t j = 0; j < 32; j++) {
            float sum = c[i * 32 + j];
            for (size_t k = 0; k < 8; k++) {
                sum += static_cast<float>(a[i * 8 + k]) * static_cast<float>(b[j * 8 + k]);
            }
            ASSERT_EQ(got[i * 32 + j], sum) << "row " << i << " column " << j;
            ASSERT_EQ(copied[i * 32 + j], c[i * 32 + j]) << "row " << i << " column " << j;
        }
    }
}

// Tiles go to the tiled mma as arrays with a vector for each access, and come back from it with a
// vector for each operand of C.
TEST(tile_container, tiles) {
    using mma = decltype(make_tiled_mma<fp16_t, fp16_t, fp32_t>(seq<2, 3, 2>{}, seq<1, 2, 1>{},
                                                                seq<16, 16, 16>{}));
    static_assert(is_same_v<mma::vtype_a, array<fp16x4_t, 4>>);
    static_assert(is_same_v<mma::vtype_b, array<fp16x4_t, 6>>);
    static_assert(is_same_v<mma::vtype_c, array<fp32x4_t, 6>>);
    check<fp16_t, fp16_t, fp32_t, 16, 16, 16>(seq<2, 3, 2>{}, seq<1, 2, 1>{});
    check<fp16_t, fp16_t, fp32_t, 16, 16, 16>(seq<1, 1, 1>{}, seq<2, 1, 2>{});
    check<bf16_t, bf16_t, fp32_t, 32, 32, 8>(seq<2, 1, 2>{}, seq<1, 2, 1>{});
    check<fp64_t, fp64_t, fp64_t, 16, 16, 4>(seq<1, 2, 2>{}, seq<2, 1, 2>{});
    check<fp8_t, bf8_t, fp32_t, 16, 16, 128>(seq<2, 2, 1>{}, seq<1, 1, 1>{}, true, true);
    check<fp4_t, fp6_t, fp32_t, 16, 16, 128>(seq<2, 1, 2>{}, seq<1, 2, 1>{}, false, true);
    EXPECT_EQ(tiles_walked(), target() == 942 ? 10 : 12);
}

}  // namespace
