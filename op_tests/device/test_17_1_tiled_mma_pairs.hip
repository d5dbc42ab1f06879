// Tiled mma with each of 1, 2 and 3 in every place of expand and waves, and every pair of them in every
// two places.
#include "tiled_product.hpp"

namespace {

using namespace tiled_product;

TEST(tiled_mma, expand_and_waves) {
    const auto f16 = [](auto expand, auto waves) {
        check<fp16_t, fp16_t, fp32_t, 16, 16, 16>(expand, waves);
    };
    f16(seq<1, 1, 1>{}, seq<1, 3, 3>{});
    f16(seq<1, 1, 2>{}, seq<2, 2, 1>{});
    f16(seq<1, 2, 3>{}, seq<2, 3, 2>{});
    f16(seq<1, 3, 3>{}, seq<3, 1, 1>{});
    f16(seq<2, 1, 1>{}, seq<3, 3, 1>{});
    f16(seq<2, 1, 2>{}, seq<2, 1, 2>{});
    f16(seq<2, 2, 3>{}, seq<1, 2, 3>{});
    f16(seq<2, 3, 1>{}, seq<2, 1, 3>{});
    f16(seq<2, 3, 2>{}, seq<1, 3, 1>{});
    f16(seq<3, 1, 3>{}, seq<1, 1, 2>{});
    f16(seq<3, 2, 1>{}, seq<2, 3, 1>{});
    f16(seq<3, 2, 2>{}, seq<3, 1, 3>{});
    f16(seq<3, 3, 1>{}, seq<3, 2, 2>{});
    EXPECT_EQ(tiles_walked(), 26);
}

}  // namespace
