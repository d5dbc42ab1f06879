// The kernels of examples/gemm_skinny, by every plan there is, and the plan. That the bytes which
// it counts are those that move is in test_profiles.cpp.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "small.hpp"

#define main gemm_skinny_main
#include "gemm_skinny.hip"
#undef main

namespace {

using examples::element;

constexpr strategy strategies[] = {strategy::shallow_k, strategy::cache_persistent,
                                   strategy::wave_parallel};

// == products =====================================================================================

class gemm_skinny_types : public testing::TestWithParam<element> {};

std::string name_of_type(const testing::TestParamInfo<element>& type) {
    return name_of(type.param);
}

INSTANTIATE_TEST_SUITE_P(types, gemm_skinny_types,
                         testing::Values(element::f16, element::bf16, element::f32, element::f64),
                         name_of_type);

examples::gemm_problem random_problem(element type, int m, int n, int k, double alpha,
                                      double beta) {
    std::mt19937_64 random(3);
    const auto matrix = [&](int rows, int columns) {
        return examples::random_values(examples::shape_of({rows, columns}), type, random);
    };
    examples::gemm_problem p;
    p.m = m;
    p.n = n;
    p.k = k;
    p.type = type;
    p.out_type = type;
    p.alpha = alpha;
    p.beta = beta;
    p.product_error = examples::size_of(type) > 2 ? 1 : 0;
    p.a = matrix(m, k);
    p.b = matrix(n, k);
    p.c = beta != 0 ? matrix(m, n) : std::vector<double>();
    return p;
}

TEST_P(gemm_skinny_types, all_plans_at_every_edge) {
    const std::tuple<int, int, int, double, double> shapes[] = {
        {1, 1, 1, 1, 0},      {3, 5, 7, 2, 0.5},     {16, 16, 32, 1, 0},    {17, 33, 31, -1, 1},
        {70, 9, 20, 1, -0.5}, {65, 400, 24, 0.5, 1}, {400, 65, 24, 1, 0},   {5, 130, 200, 1, 0},
        {130, 5, 131, 1, 2},  {66, 300, 258, 1, 0},  {2, 64, 1100, 1, 0.5}, {40, 1290, 72, 1, 0},
        {1285, 64, 49, 1, 1}};
    int plans = 0;
    for (const auto& [m, n, k, alpha, beta] : shapes) {
        const examples::gemm_problem p = random_problem(GetParam(), m, n, k, alpha, beta);
        for (const plan& candidate : candidates(shape_of(p), strategy::automatic)) {
            SCOPED_TRACE(testing::Message()
                         << m << " x " << n << " x " << k << ", " << name_of(candidate.how) << " "
                         << candidate.tile_p << " x " << candidate.tile_q);
            testing::internal::CaptureStdout();
            const bool pass = examples::detail::check_product(p, gemm_skinny(p, candidate).d);
            const std::string report = testing::internal::GetCapturedStdout();
            EXPECT_TRUE(pass) << report;
            ++plans;
        }
    }
    EXPECT_GT(plans, 13 * 5);
}

// == the plan =====================================================================================

TEST(gemm_skinny_plan, moved_bytes_by_hand) {
    const shape s{10, 100, 7, 2, false};
    EXPECT_EQ(least_bytes(s), (10 * 7 + 100 * 7 + 10 * 100) * 2);
    EXPECT_EQ(moved_bytes(s, 16, 64), (2 * 10 * 7 + 100 * 7 + 10 * 100) * 2);
    EXPECT_EQ(moved_bytes(s, 4, 100), (10 * 7 + 3 * 100 * 7 + 10 * 100) * 2);
    EXPECT_EQ(least_bytes({10, 100, 7, 8, true}), (10 * 7 + 100 * 7 + 2 * 10 * 100) * 8);
}

TEST(gemm_skinny_plan_rest, stays_within_5_percent_of_the_least) {
    for (const int bytes : {2, 4, 8}) {
        for (const bool reads_c : {false, true}) {
            for (const auto& [p, q, k] : {std::tuple(1, 4096, 4096),
                                          {8, 8192, 1024},
                                          {1, 1, 100000},
                                          {16, 64, 65536},
                                          {24, 10000, 512},
                                          {48, 100000, 2048},
                                          {4096, 4096, 8},
                                          {4096, 4096, 16},
                                          {2000, 3000, 32},
                                          {8192, 8192, 32},
                                          {64, 1000, 31},
                                          {5, 70000, 129},
                                          {16, 16, 1 << 19}}) {
                const shape s{p, q, k, bytes, reads_c};
                const plan chosen = make_plan(s, strategy::automatic);
                EXPECT_LE(chosen.extra(s), 0.05)
                    << p << " x " << q << " x " << k << ": " << name_of(chosen.how);
            }
        }
    }
}

// Of f64 up to 48 rows, of the others up to 64, whatever the other two sizes are.
TEST(gemm_skinny_plan_rest, has_tiles_for_as_many_rows_as_registers_hold) {
    for (const int bytes : {2, 4, 8}) {
        const int most = bytes == 8 ? 48 : 64;
        for (int p = 1; p <= most; ++p) {
            for (const int q : {p, 100, 1279, 1281, 5000, 100000, 1 << 20}) {
                for (const int k : {33, 100, 5000, 1 << 20}) {
                    const shape s{std::min(p, q), std::max(p, q), k, bytes, false};
                    EXPECT_LE(make_plan(s, strategy::automatic).extra(s), 0.05)
                        << p << " x " << q << " x " << k << ", " << bytes << " bytes";
                }
            }
        }
        const shape more{most + 1, 100000, 5000, bytes, false};
        EXPECT_GT(make_plan(more, strategy::automatic).extra(more), 0.05);
    }
}

TEST(gemm_skinny_plan_rest, takes_the_strategy_that_is_made_for_the_shape) {
    const auto how = [](int p, int q, int k) {
        return make_plan({p, q, k, 2, false}, strategy::automatic).how;
    };
    EXPECT_EQ(how(4096, 4096, 16), strategy::shallow_k);
    EXPECT_EQ(how(4096, 4096, 32), strategy::shallow_k);
    EXPECT_EQ(how(32, 8192, 4096), strategy::cache_persistent);
    EXPECT_EQ(how(48, 8192, 128), strategy::cache_persistent);
    EXPECT_EQ(how(1, 64, 65536), strategy::wave_parallel);
    EXPECT_EQ(how(16, 16, 4096), strategy::wave_parallel);
    // What is asked for, where it can be had.
    for (const strategy s : strategies) {
        EXPECT_EQ(make_plan({16, 100, 32, 2, false}, s).how, s);
    }
    EXPECT_TRUE(candidates({16, 100, 33, 2, false}, strategy::shallow_k).empty());
}

// Within the 5 %, more waves; behind it, fewer bytes.
TEST(gemm_skinny_plan_rest, takes_the_best_of_the_candidates) {
    for (const shape& s : {shape{16384, 16384, 8, 2, false},
                           {4096, 4096, 16, 2, false},
                           {1, 8192, 1024, 4, true},
                           {1000, 1000, 300, 2, false},
                           {64, 64, 64, 8, false}}) {
        const plan chosen = make_plan(s, strategy::automatic);
        for (const plan& other : candidates(s, strategy::automatic)) {
            const bool within = other.extra(s) <= allowed_extra;
            if (chosen.extra(s) > allowed_extra || (within && other.waves_busy >= enough_waves)) {
                EXPECT_LE(chosen.bytes, other.bytes);
            }
            if (chosen.extra(s) <= allowed_extra && within) {
                EXPECT_GE(chosen.waves_busy, std::min(other.waves_busy, enough_waves));
            }
        }
    }
}

static_assert(vector_width<fp16_t> == 8 && vector_width<bf16_t> == 8 && vector_width<fp32_t> == 4 &&
              vector_width<fp64_t> == 2);

// == the analysis =================================================================================

TEST(gemm_skinny_analysis, finds_the_limit) {
    const examples::machine_peaks& m = *examples::find_peaks("AMD Instinct MI300X");
    const analysis skinny = analyse({16, 4096, 4096, 2, false}, m);
    EXPECT_EQ(skinny.flop, 2.0 * 16 * 4096 * 4096);
    EXPECT_EQ(skinny.bytes, 2.0 * (16 * 4096 + 4096 * 4096 + 16 * 4096));
    EXPECT_TRUE(skinny.memory_bound);
    EXPECT_NEAR(skinny.balance, 1307 / 5.3, 0.1);
    EXPECT_NEAR(analyse({16, 4096, 4096, 4, false}, m).balance, 163.4 / 5.3, 0.1);
    EXPECT_NEAR(analyse({16, 4096, 4096, 8, false}, *examples::find_peaks("MI355X")).balance,
                78.6 / 8, 0.1);
    EXPECT_FALSE(analyse({4096, 4096, 4096, 2, false}, m).memory_bound);
    EXPECT_TRUE(analyse({4096, 4096, 4, 4, false}, m).memory_bound);
}

}  // namespace
