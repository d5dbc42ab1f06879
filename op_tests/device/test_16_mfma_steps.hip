// Matrix instructions made of several: K is a multiple of an instruction's.
#include "mfma_walk.hpp"

namespace {

using namespace mfma_walk;

template <class A, class B, class C, index_t M, index_t N, index_t K>
subject made_of(int k_on_gfx942, int k_on_gfx950) {
    return subject_of<mfma<A, B, C, M, N, K>>(k_on_gfx942, k_on_gfx950);
}

// Each with the K of its instructions on the two targets.
TEST(mfma_steps, every_way) {
    std::vector<subject> all = {
        made_of<fp16_t, fp16_t, fp32_t, 32, 32, 24>(8, 8),
        made_of<fp16_t, fp16_t, fp32_t, 16, 16, 96>(16, 32),
        made_of<fp16_t, fp16_t, fp32_t, 4, 4, 8>(4, 4),
        made_of<fp16_t, fp16_t, fp32_t, 4, 4, 12>(4, 4),
        made_of<fp16_t, fp16_t, fp32_t, 16, 16, 48>(16, 16),
        made_of<bf16_t, bf16_t, fp32_t, 32, 32, 32>(8, 16),
        made_of<bf16_t, bf16_t, fp32_t, 16, 16, 80>(16, 16),
        made_of<bf16_t, bf16_t, fp32_t, 32, 32, 64>(8, 16),
        made_of<fp32_t, fp32_t, fp32_t, 16, 16, 16>(4, 4),
        made_of<fp32_t, fp32_t, fp32_t, 32, 32, 6>(2, 2),
        made_of<fp32_t, fp32_t, fp32_t, 4, 4, 2>(1, 1),
        made_of<xf32_t, xf32_t, fp32_t, 16, 16, 24>(8, 0),
        made_of<xf32_t, xf32_t, fp32_t, 32, 32, 8>(4, 0),
        made_of<fp64_t, fp64_t, fp64_t, 16, 16, 12>(4, 4),
        made_of<fp64_t, fp64_t, fp64_t, 4, 4, 8>(4, 4),
        made_of<i8_t, i8_t, i32_t, 16, 16, 96>(32, 32),
        made_of<i8_t, i8_t, i32_t, 32, 32, 96>(16, 32),
        made_of<i8_t, i8_t, i32_t, 4, 4, 16>(4, 4),
        made_of<fp8_t, fp8_t, fp32_t, 16, 16, 64>(32, 32),
        made_of<bf8_t, fp8_t, fp32_t, 32, 32, 96>(16, 16),
        made_of<fp4_t, fp4_t, fp32_t, 16, 16, 256>(0, 128),
        made_of<fp4_t, fp4_t, fp32_t, 32, 32, 128>(0, 64),
        made_of<fp6_t, fp6_t, fp32_t, 16, 16, 256>(0, 128),
        made_of<bf6_t, fp4_t, fp32_t, 32, 32, 128>(0, 64),
        made_of<fp8_t, bf8_t, fp32_t, 16, 16, 256>(32, 128),
        made_of<fp4_t, fp8_t, fp32_t, 32, 32, 128>(0, 64),
    };
    check_all(all, "multiples of K");
    EXPECT_EQ(walked().available, 0);
    EXPECT_EQ(walked().made_of_steps, target() == 942 ? 21 : 24);
}

}  // namespace
