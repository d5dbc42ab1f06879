// Matrix instructions other than f8f6f4: every row of the header's table
// (which has no public name), with every control.
#include "mfma_walk.hpp"

namespace {

using namespace mfma_walk;

TEST(mfma_table, every_row) {
    const auto rows = rows_of<false>(mfma_table());
    EXPECT_EQ(rows.size(), 38u);
    check_all(rows, "rows");
    EXPECT_EQ(walked().available, target() == 942 ? 32 : 36);
    EXPECT_EQ(walked().made_of_steps, target() == 942 ? 6 : 0);
}

}  // namespace
