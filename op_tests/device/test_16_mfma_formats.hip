// The f8f6f4 instructions: every pair of formats of the header's table, with and without scales.
#include "mfma_walk.hpp"

namespace {

using namespace mfma_walk;

TEST(mfma_table, every_row) {
    const auto rows = rows_of<true>(mfma_table());
    EXPECT_EQ(rows.size(), 50u);
    check_all(rows, "rows");
    EXPECT_EQ(walked().available, target() == 942 ? 0 : 50);
    EXPECT_EQ(walked().made_of_steps, target() == 942 ? 8 : 0);
}

// fp8 of these shapes is made of several instructions on gfx942, which take no scales.
__global__ void note_scales(int* out) {
    out[0] = mfma_f32_32x32x64_fp8_fp8::available;
    out[1] = mfma_f32_32x32x64_fp8_fp8::has_scales;
    out[2] = decltype(make_mfma<fp4_t, fp4_t, fp32_t>(seq<16, 16, 128>{}))::has_scales;
    out[3] = mfma_f32_32x32x8_f16::has_scales;
}
TEST(mfma_scales, are_known_to_be_there) {
    const int gfx950 = target() == 950;
    const device_buffer<int> out(4);
    note_scales<<<1, 1>>>(const_cast<int*>(out.data()));
    finish();
    EXPECT_EQ(out.to_host(), (std::vector<int>{1, gfx950, gfx950, 0}));
}

// Constant scales are no inline constants of the instruction, which would be read as floats, and
// two zeros are no scales, where one is a scale of 2^-127.
template <int scale_a, int scale_b>
__global__ void multiply_with_constants(const int* a, const int* b, float* d) {
    using mma = mfma_f32_16x16x128_fp4_fp4;
    if constexpr (mma::available) {
        const auto va = from_words<4, mma::vtype_a>(a);
        const auto vb = from_words<4, mma::vtype_b>(b);
        const auto sum = mma{}(va, vb, mma::vtype_c{1, 2, 3, 4}, scale_a, scale_b);
        static_for<4>([&](auto i) { d[lane_id() * 4 + i] = sum[i.value]; });
    }
}

TEST(mfma_scales, constants) {
    if (target() != 950) {
        GTEST_SKIP() << "there are no scales on gfx" << target();
    }
    const std::vector<int> ones(64 * 4, 0x22222222);
    const device_buffer<int> da(ones);
    const device_buffer<int> db(ones);
    device_buffer<float> d(64 * 4);
    const auto check = [&](float product) {
        finish();
        const auto got = d.to_host();
        for (size_t i = 0; i < got.size(); i++) {
            ASSERT_EQ(got[i], static_cast<float>(i % 4 + 1) + product);
        }
    };
    multiply_with_constants<127, 127><<<1, 64>>>(da.data(), db.data(), d.data());
    check(128);
    multiply_with_constants<126, 129><<<1, 64>>>(da.data(), db.data(), d.data());
    check(256);
    multiply_with_constants<64, 64><<<1, 64>>>(da.data(), db.data(), d.data());
    check(0);
    multiply_with_constants<0, 127><<<1, 64>>>(da.data(), db.data(), d.data());
    check(0);
    multiply_with_constants<0, 0><<<1, 64>>>(da.data(), db.data(), d.data());
    check(128);
}

}  // namespace
