// The kernels of examples/gemm_skinny: products, the plan, and the bytes that it counts.
#include <gtest/gtest.h>

#define main gemm_skinny_main
#include "gemm_skinny.hip"
#undef main

#include <tuple>

namespace {

constexpr strategy strategies[] = {strategy::shallow_k, strategy::cache_persistent,
                                   strategy::wave_parallel};

template <class T>
class gemm_skinny_types : public testing::Test {};
struct f16 {
    using type = fp16_t;
};
struct bf16 {
    using type = bf16_t;
};
struct f32 {
    using type = fp32_t;
};
struct f64 {
    using type = fp64_t;
};
using element_types = testing::Types<f16, bf16, f32, f64>;
TYPED_TEST_SUITE(gemm_skinny_types, element_types);

// == products =====================================================================================

// By every candidate of every strategy.
TYPED_TEST(gemm_skinny_types, all_plans_at_every_edge) {
    const std::tuple<int, int, int, double, double> shapes[] = {
        {1, 1, 1, 1, 0},      {3, 5, 7, 2, 0.5},     {16, 16, 32, 1, 0},   {17, 33, 31, -1, 1},
        {70, 9, 20, 1, -0.5}, {65, 400, 24, 0.5, 1}, {400, 65, 24, 1, 0},  {5, 130, 200, 1, 0},
        {130, 5, 131, 1, 2},  {66, 300, 258, 1, 0},  {2, 64, 1100, 1, 0.5}};
    for (const auto& [m, n, k, alpha, beta] : shapes) {
        const auto p = random_problem<typename TypeParam::type>(m, n, k, alpha, beta, 3);
        for (const plan& candidate : candidates(p.dimensions(), strategy::automatic)) {
            const auto d = gemm_skinny(p, candidate, 1).d;
            EXPECT_LE(worst_excess(p, d), 1)
                << m << " x " << n << " x " << k << ", " << name_of(candidate.how) << " "
                << candidate.tile_p << " x " << candidate.tile_q;
        }
    }
}

TYPED_TEST(gemm_skinny_types, the_check_sees_any_wrong_element) {
    const auto p = random_problem<typename TypeParam::type>(3, 2, 8, 1.5, 0.5, 1);
    const auto good = gemm_skinny(p, make_plan(p.dimensions(), strategy::automatic), 1).d;
    ASSERT_LE(worst_excess(p, good), 1);
    for (std::size_t i = 0; i < good.size(); ++i) {
        for (const double wrong :
             {value(good[i]) + 0.125, static_cast<double>(NAN), static_cast<double>(INFINITY)}) {
            auto d = good;
            d[i] = opus::cast<typename TypeParam::type>(
                static_cast<sum_t<typename TypeParam::type>>(wrong));
            EXPECT_GT(worst_excess(p, d), 1) << i << ": " << wrong;
        }
    }
}

TEST(gemm_skinny, product_by_hand) {
    problem<fp32_t> p;
    p.m = 1;
    p.n = 2;
    p.k = 3;
    p.alpha = 2;
    p.beta = -1;
    p.a = {1, 2, 3};
    p.b = {4, 5, 6, -1, 0, 2};
    p.c = {10, 20};
    for (const strategy s : strategies) {
        EXPECT_EQ(gemm_skinny(p, make_plan(p.dimensions(), s), 1).d, (std::vector<float>{54, -10}));
    }
}

// == the plan =====================================================================================

TEST(gemm_skinny_plan, moved_bytes_by_hand) {
    const shape s{10, 100, 7, 2, false};
    EXPECT_EQ(least_bytes(s), (10 * 7 + 100 * 7 + 10 * 100) * 2);
    EXPECT_EQ(moved_bytes(s, 16, 64), (2 * 10 * 7 + 100 * 7 + 10 * 100) * 2);
    EXPECT_EQ(moved_bytes(s, 4, 100), (10 * 7 + 3 * 100 * 7 + 10 * 100) * 2);
    EXPECT_EQ(least_bytes({10, 100, 7, 8, true}), (10 * 7 + 100 * 7 + 2 * 10 * 100) * 8);
}

TEST(gemm_skinny_plan, stays_within_5_percent_of_the_least) {
    for (const int bytes : {2, 4, 8}) {
        for (const bool reads_c : {false, true}) {
            for (const auto& [p, q, k] : {std::tuple(1, 4096, 4096),
                                          {8, 8192, 1024},
                                          {1, 1, 100000},
                                          {16, 64, 65536},
                                          {24, 10000, 512},
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

TEST(gemm_skinny_plan, takes_the_strategy_that_is_made_for_the_shape) {
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
TEST(gemm_skinny_plan, takes_the_best_of_the_candidates) {
    for (const shape& s : {shape{4096, 4096, 16, 2, false},
                           {1, 8192, 1024, 4, true},
                           {1000, 1000, 300, 2, false},
                           {64, 64, 64, 8, false}}) {
        const plan chosen = make_plan(s, strategy::automatic);
        for (const plan& other : candidates(s, strategy::automatic)) {
            if (chosen.extra(s) > allowed_extra) {
                EXPECT_LE(chosen.bytes, other.bytes);
            } else if (other.extra(s) <= allowed_extra) {
                EXPECT_GE(chosen.waves_busy, std::min(other.waves_busy, enough_waves));
            }
        }
    }
}

TEST(gemm_skinny_plan, vector_width_is_16_bytes) {
    static_assert(vector_width<fp16_t> == 8 && vector_width<bf16_t> == 8 &&
                  vector_width<fp32_t> == 4 && vector_width<fp64_t> == 2);
}

// == the count ====================================================================================

// How often the lanes of a block load each element of `rows` rows of `pitch` elements, whose
// first one is its row `first`; `loads` has one number for each element.
template <class T, int tiles>
void count_operand(std::vector<int>& loads, int first, int rows, int pitch, int k_begin,
                   int k_step) {
    for (int k = k_begin; k < pitch; k += k_step) {
        for (int lane = 0; lane < 64; ++lane) {
            const auto offsets =
                opus::layout_to_offsets<1>(operand_layout<T, tiles, 1>(lane, pitch));
            for (int i = 0; i < tiles * vector_width<T>; ++i) {
                const int row = i / vector_width<T> * 16 + lane % 16;
                const int column = k + lane / 16 * vector_width<T> + i % vector_width<T>;
                EXPECT_EQ(offsets[i] + k, row * pitch + column);
                if (first + row < rows && column < pitch) {
                    ++loads[static_cast<std::size_t>((first + row) * pitch + column)];
                }
            }
        }
    }
}

template <class T, int rows, int columns>
void count_chunks(std::vector<int>& loads, int first, int end, int pitch) {
    using chunk = x_chunk<T, rows, columns>;
    for (int k = 0; k < pitch; k += columns) {
        for (int thread = 0; thread < chunk::threads; ++thread) {
            for (int i = 0; i < chunk::parts; ++i) {
                for (int e = 0; e < vector_width<T> && chunk::row_of(thread, i) < rows; ++e) {
                    const int row = first + chunk::row_of(thread, i);
                    const int column = k + chunk::column_of(thread, i) + e;
                    if (row < end && column < pitch) {
                        ++loads[static_cast<std::size_t>(row * pitch + column)];
                    }
                }
            }
        }
    }
}

// A block along Y loads each element of X once, a block along X each of Y.
template <class T>
void expect_counts(const shape& s, const plan& chosen) {
    const auto blocks_p = static_cast<int>(blocks_of(s.p, chosen.tile_p));
    const auto blocks_q = static_cast<int>(blocks_of(s.q, chosen.tile_q));
    std::vector<int> x(static_cast<std::size_t>(s.p * s.k));
    std::vector<int> y(static_cast<std::size_t>(s.q * s.k));
    for (int bp = 0; bp < blocks_p; ++bp) {
        for (int bq = 0; bq < blocks_q; ++bq) {
            const int p0 = bp * chosen.tile_p;
            const int q0 = bq * chosen.tile_q;
            if (chosen.how == strategy::wave_parallel) {
                for (int wave = 0; wave < waves; ++wave) {
                    const int step = step_k<T>;
                    count_operand<T, 1>(x, p0, s.p, s.k, wave * step, waves * step);
                    count_operand<T, 4>(y, q0, s.q, s.k, wave * step, waves * step);
                }
                continue;
            }
            for (int wave = 0; wave < waves; ++wave) {
                const int first = q0 + wave * chosen.tiles_q * 16;
                for (int j = 0; j < chosen.tiles_q; ++j) {
                    count_operand<T, 1>(y, first + j * 16, s.q, s.k, 0, step_k<T>);
                }
            }
            for (int p = p0; p < std::min(p0 + chosen.tile_p, s.p); p += 16 * chosen.tiles_p) {
                const int end = std::min(p0 + chosen.tile_p, s.p);
                if (chosen.how == strategy::shallow_k) {
                    count_chunks<T, 64, max_shallow_k>(x, p, end, s.k);
                } else if (chosen.tiles_p == 1) {
                    count_chunks<T, 16, 4 * step_k<T>>(x, p, end, s.k);
                } else {
                    count_chunks<T, 64, 2 * step_k<T>>(x, p, end, s.k);
                }
            }
        }
    }
    double elements = static_cast<double>(s.p) * s.q * (s.reads_c ? 2 : 1);
    for (const int times : x) {
        ASSERT_EQ(times, blocks_q);
        elements += times;
    }
    for (const int times : y) {
        ASSERT_EQ(times, blocks_p);
        elements += times;
    }
    EXPECT_EQ(chosen.bytes, elements * s.bytes);
}

TYPED_TEST(gemm_skinny_types, counted_bytes_are_those_of_the_layouts) {
    for (const auto& [p, q, k] :
         {std::tuple(1, 1, 1), {70, 300, 31}, {16, 130, 100}, {20, 200, 67}}) {
        const shape s{p, q, k, sizeof(typename TypeParam::type), p == 20};
        for (const plan& candidate : candidates(s, strategy::automatic)) {
            if (candidate.how != strategy::wave_parallel || candidate.tiles_q == 4) {
                SCOPED_TRACE(testing::Message()
                             << p << " x " << q << " x " << k << ", " << name_of(candidate.how));
                expect_counts<typename TypeParam::type>(s, candidate);
            }
        }
    }
}

// == the analysis =================================================================================

TEST(gemm_skinny_analysis, peaks_are_those_of_the_data_sheets) {
    const auto peak = [](const char* name, int bytes) {
        return std::round(peak_tflops(*find_machine(name), bytes));
    };
    EXPECT_EQ(peak("AMD Instinct MI300X", 2), 1307);
    EXPECT_EQ(peak("AMD Instinct MI350X OAM", 2), 2307);
    EXPECT_EQ(peak("MI355X", 2), 2517);
    EXPECT_EQ(peak("MI300X", 4), 163);
    EXPECT_EQ(peak("MI350X", 4), 144);
    EXPECT_EQ(peak("MI355X", 4), 157);
    EXPECT_EQ(peak("MI300X", 8), 163);
    EXPECT_EQ(peak("MI355X", 8), 79);
    EXPECT_EQ(find_machine("gfx950, emulated")->name, std::string("MI355X"));
    EXPECT_EQ(find_machine("gfx942, emulated")->name, std::string("MI300X"));
    EXPECT_EQ(find_machine("a toaster"), nullptr);
}

TEST(gemm_skinny_analysis, finds_the_limit) {
    const machine& m = *find_machine("MI300X");
    const analysis skinny = analyse({16, 4096, 4096, 2, false}, m);
    EXPECT_EQ(skinny.flop, 2.0 * 16 * 4096 * 4096);
    EXPECT_EQ(skinny.bytes, 2.0 * (16 * 4096 + 4096 * 4096 + 16 * 4096));
    EXPECT_TRUE(skinny.memory_bound);
    EXPECT_NEAR(skinny.balance, 1307 / 5.3, 0.1);
    EXPECT_FALSE(analyse({4096, 4096, 4096, 2, false}, m).memory_bound);
    EXPECT_TRUE(analyse({4096, 4096, 4, 4, false}, m).memory_bound);
}

}  // namespace
