// The kernel of examples/gemm_fast: products that are exact, at the ends of blocks, tiles and
// batches, with every epilogue.
#include <gtest/gtest.h>

#include "small.hpp"

#define main gemm_fast_main
#include "gemm_fast.hip"
#undef main

#include <string>
#include <type_traits>
#include <vector>

namespace {

// Not 0 and without a period that a tile has: no element of a product can be left out or taken twice
// unseen.
double value(std::size_t i, unsigned salt) {
    const double values[] = {-6, -4, -3, -2, -1, 1, 2, 3, 4, 6};
    return values[((static_cast<unsigned>(i) * 2654435761u + salt * 40503u) * 2246822519u >> 20) %
                  10];
}

std::vector<double> make_values(int count, unsigned salt) {
    std::vector<double> result;
    for (int i = 0; i < count; ++i) {
        result.push_back(value(static_cast<std::size_t>(i), salt));
    }
    return result;
}

struct shape {
    int m;
    int n;
    int k;
    int batch = 1;
};

// The small example has all epilogues for f16 and f32, and the residual for the others.
template <class T, class Out>
bool is_there(examples::epilogue epilogue) {
    return OPUS_EXAMPLES_SMALL == 0 || epilogue == examples::epilogue::residual ||
           (std::is_same_v<T, fp16_t> && std::is_same_v<Out, fp32_t>);
}

// The activations leave nothing of a small product that is exact. So their products are 0, or far
// from it: there they are x or 0. And which bias a column gets is seen.
template <class T, class Out>
void expect_exact(const shape& s, examples::epilogue epilogue) {
    if (!is_there<T, Out>(epilogue)) {
        return;
    }
    SCOPED_TRACE("D[" + std::to_string(s.batch) + ", " + std::to_string(s.m) + ", " +
                 std::to_string(s.n) + "], K = " + std::to_string(s.k) + ", epilogue " +
                 std::to_string(static_cast<int>(epilogue)));
    examples::gemm_problem p;
    p.m = s.m;
    p.n = s.n;
    p.k = s.k;
    p.batch = s.batch;
    p.epilogue = epilogue;
    p.a = make_values(s.batch * s.m * s.k, 1);
    p.b = make_values(s.batch * s.n * s.k, 2);
    p.c = make_values(s.batch * s.m * s.n, 3);
    const bool has_bias =
        epilogue == examples::epilogue::gelu || epilogue == examples::epilogue::silu;
    for (int j = 0; j < s.n && has_bias; ++j) {
        p.bias.push_back(j % 3 == 0 ? -4096.0 : 1024 + j);
    }
    if (has_bias && s.k > 8) {
        std::fill(p.a.begin(), p.a.end(), 0.0);
    }
    const std::vector<double> d = gemm_fast<T, Out>(p).d;
    ASSERT_EQ(d.size(), p.c.size());
    std::size_t at = 0;
    for (int row = 0; row < s.batch * s.m; ++row) {
        for (int j = 0; j < s.n; ++j, ++at) {
            const double* const a = &p.a[static_cast<std::size_t>(row * s.k)];
            const double* const b = &p.b[static_cast<std::size_t>((row / s.m * s.n + j) * s.k)];
            double expected = 0;
            for (int l = 0; l < s.k; ++l) {
                expected += a[l] * b[l];
            }
            if (epilogue == examples::epilogue::residual) {
                expected += p.c[at];
            }
            if (has_bias) {
                expected += p.bias[static_cast<std::size_t>(j)];
                expected = expected < 0 ? 0 : expected;
            }
            const auto rounded =
                examples::round_to(sizeof(Out) == 4               ? examples::element::f32
                                   : opus::is_same_v<Out, bf16_t> ? examples::element::bf16
                                                                  : examples::element::f16,
                                   expected);
            ASSERT_EQ(d[at], rounded) << "D[" << row << ", " << j << "]";
        }
    }
}

constexpr examples::epilogue all_epilogues[] = {examples::epilogue::none, examples::epilogue::gelu,
                                                examples::epilogue::silu,
                                                examples::epilogue::residual};

// Around the ends of blocks.
TEST(gemm_fast_kernel, any_m_and_n) {
    for (const shape s : {shape{1, 1, 8}, {257, 129, 72}, {33, 514, 96}, {130, 258, 8}}) {
        for (const examples::epilogue epilogue : all_epilogues) {
            expect_exact<fp16_t, fp32_t>(s, epilogue);
            expect_exact<bf16_t, bf16_t>(s, epilogue);
        }
    }
}

// Around the ends of chunks, tiles and pairs of tiles.
TEST(gemm_fast_kernel, any_k) {
    for (const int k : {1,   2,   7,   8,   31,  56,  63,  64,  65,  71,  96,  104, 120, 127,
                        128, 136, 184, 192, 200, 255, 264, 320, 376, 384, 392, 513, 1100}) {
        expect_exact<fp16_t, fp32_t>({33, 66, k}, examples::epilogue::none);
    }
    expect_exact<bf16_t, fp32_t>({33, 66, 72}, examples::epilogue::residual);
}

// Every lane of a block, and several rounds of the loop; every kernel.
TEST(gemm_fast_kernel, a_whole_block_and_a_long_k) {
    expect_exact<fp16_t, fp32_t>({256, 256, 1024}, examples::epilogue::none);
    for (const examples::epilogue epilogue : all_epilogues) {
        expect_exact<fp16_t, fp16_t>({256, 256, 8}, epilogue);
        expect_exact<bf16_t, fp32_t>({256, 256, 8}, epilogue);
    }
}

TEST(gemm_fast_kernel, batches) {
    for (const examples::epilogue epilogue : all_epilogues) {
        expect_exact<fp16_t, fp32_t>({33, 130, 200, 3}, epilogue);
        expect_exact<bf16_t, bf16_t>({257, 6, 8, 2}, epilogue);
    }
}

}  // namespace
