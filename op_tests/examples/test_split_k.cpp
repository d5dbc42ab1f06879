// examples/gemm_pipelined/split_k.hpp: how many parts of K a GEMM gets.
#include <gtest/gtest.h>

#include <algorithm>

#include "gemm_pipelined/split_k.hpp"

namespace {

using examples::plan_of_splits;
using examples::plan_splits;
using examples::split_plan;
using examples::split_shape;

constexpr long long units = 256;

split_plan plan(long long m, long long n, long long k, long long batch = 1) {
    return plan_splits(split_shape{m, n, k, batch, 256, 128, units});
}

TEST(split_k, a_full_device_needs_none) {
    for (const split_plan p : {plan(4096, 4096, 8192), plan(8192, 8192, 1 << 20),
                               plan(256, 256, 8192, 256), plan(1, 1, 100000, 256)}) {
        EXPECT_EQ(p.splits, 1);
        EXPECT_EQ(p.workgroups, 256 * (p.workgroups / 256));
    }
}

TEST(split_k, a_short_k_has_none) {
    EXPECT_EQ(plan(256, 256, 1).splits, 1);
    EXPECT_EQ(plan(256, 256, 128).splits, 1);
    EXPECT_EQ(plan(1, 1, 256).splits, 1);
}

TEST(split_k, few_blocks_and_a_long_k_are_split) {
    const split_plan p = plan(256, 256, 16384);
    EXPECT_GE(p.splits, 16);
    EXPECT_EQ(p.workgroups, p.splits);
    const split_plan half = plan(2048, 4096, 16384);  // 128 blocks
    EXPECT_EQ(half.splits, 2);
    EXPECT_EQ(half.workgroups, 256);
    EXPECT_EQ(plan(256, 512, 16384, 64).splits, 2);
}

// 129 blocks in two parts would be two rounds of half the work each; they are not worth the sums.
TEST(split_k, splits_that_make_another_round_are_not_taken) {
    EXPECT_EQ(plan(256, 256, 1024, 255).splits, 1);
    EXPECT_EQ(plan(256, 256, 1024, 256).splits, 1);
}

TEST(split_k, never_more_than_steps_nor_the_most) {
    for (const long long k : {1, 127, 128, 129, 1000, 5000, 1 << 20}) {
        for (const long long splits : {1, 2, 3, 7, 64, 1000}) {
            const split_plan p =
                plan_of_splits(split_shape{300, 500, k, 3, 256, 128, units}, splits);
            const long long steps = k / 128 + (k % 128 != 0);
            EXPECT_EQ(p.splits, std::min({splits, steps, 64LL})) << k << " " << splits;
            EXPECT_EQ(p.workgroups, 2 * 2 * 3 * p.splits);
        }
        EXPECT_LE(plan(1, 1, k).splits, k / 128 + 1);
    }
}

TEST(split_k, more_units_never_take_fewer_splits_for_one_block) {
    int before = 1;
    for (const long long of : {1, 2, 4, 8, 16, 32, 64}) {
        const int splits = plan_splits(split_shape{256, 256, 65536, 1, 256, 128, of}).splits;
        EXPECT_GE(splits, before) << of;
        EXPECT_LE(splits, of);
        before = splits;
    }
    EXPECT_GT(before, 8);
}

}  // namespace
