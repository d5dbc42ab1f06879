// Tiled mma, with tiles as flat vectors.
#include "tiled_product.hpp"

namespace {

using namespace tiled_product;

// Each of 1, 2 and 3 in every place; every pair of them in every two: test_17_1_tiled_mma_pairs.hip.
TEST(tiled_mma, expand_and_waves) {
    const auto f16 = [](auto expand, auto waves) {
        check<fp16_t, fp16_t, fp32_t, 16, 16, 16>(expand, waves);
    };
    f16(seq<1, 2, 3>{}, seq<2, 1, 3>{});
    f16(seq<2, 3, 1>{}, seq<3, 2, 1>{});
    f16(seq<3, 1, 2>{}, seq<1, 3, 2>{});
    EXPECT_EQ(tiles_walked(), 6);
}

TEST(tiled_mma, other_types) {
    tiles_walked() = 0;
    check<bf16_t, bf16_t, fp32_t, 32, 32, 8>(seq<2, 1, 2>{}, seq<1, 2, 1>{});
    check<fp64_t, fp64_t, fp64_t, 16, 16, 4>(seq<1, 2, 2>{}, seq<2, 1, 2>{});
    check<fp8_t, bf8_t, fp32_t, 16, 16, 32>(seq<2, 2, 1>{}, seq<1, 2, 2>{});
    // Made of two instructions each on gfx942.
    check<fp16_t, fp16_t, fp32_t, 32, 32, 16>(seq<1, 2, 2>{}, seq<1, 1, 2>{});
    check<fp4_t, fp4_t, fp32_t, 16, 16, 128>(seq<2, 3, 2>{}, seq<1, 2, 2>{}, false, true);
    check<fp6_t, fp4_t, fp32_t, 32, 32, 64>(seq<1, 2, 1>{}, seq<2, 1, 1>{}, false, true);
    EXPECT_EQ(tiles_walked(), target() == 942 ? 8 : 12);
}

}  // namespace
