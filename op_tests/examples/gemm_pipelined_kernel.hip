// The kernel of examples/gemm_pipelined: products that are exact, and the LDS banks of its reads.
#include <gtest/gtest.h>

#define main gemm_pipelined_main
#include "gemm_pipelined.hip"
#undef main

#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "lds_banks.hpp"

namespace {

using opus::bf16_t;

// == products =====================================================================================

// Integers in [-7, 7] without a period that a tile has, never 0, so that no element of a product
// can be left out or taken twice unseen.
int element(int row, int column, unsigned salt) {
    const unsigned hash = (static_cast<unsigned>(row) * 2654435761u +
                           static_cast<unsigned>(column) * 40503u + salt * 977u) *
                          2246822519u;
    const int x = static_cast<int>((hash >> 20) % 14) - 7;
    return x < 0 ? x : x + 1;
}

template <class T>
void expect_exact_product(int m, int n, int k) {
    SCOPED_TRACE("C[" + std::to_string(m) + ", " + std::to_string(n) +
                 "], K = " + std::to_string(k));
    const auto matrix = [k](int rows, unsigned salt) {
        std::vector<T> x;
        for (int i = 0; i < rows; ++i) {
            for (int l = 0; l < k; ++l) {
                x.push_back(opus::cast<T>(static_cast<float>(element(i, l, salt))));
            }
        }
        return x;
    };
    const std::vector<double> c = gemm_pipelined(matrix(m, 0), matrix(n, 1), m, n, k).d;
    ASSERT_EQ(c.size(), static_cast<std::size_t>(m) * static_cast<std::size_t>(n));
    std::size_t at = 0;
    for (int i = 0; i < m; ++i) {
        for (int j = 0; j < n; ++j, ++at) {
            int expected = 0;
            for (int l = 0; l < k; ++l) {
                expected += element(i, l, 0) * element(j, l, 1);
            }
            ASSERT_EQ(c[at], static_cast<float>(expected)) << "C[" << i << ", " << j << "]";
        }
    }
}

void expect_exact_products(int m, int n, int k) {
    {
        SCOPED_TRACE("f16");
        expect_exact_product<fp16_t>(m, n, k);
    }
    SCOPED_TRACE("bf16");
    expect_exact_product<bf16_t>(m, n, k);
}

// Around the ends of blocks.
TEST(gemm_pipelined_kernel, any_m_and_n) {
    for (const auto& [m, n] :
         {std::pair(1, 1), {255, 2}, {256, 256}, {257, 129}, {33, 513}, {300, 500}}) {
        expect_exact_products(m, n, 72);
    }
}

// Around the ends of chunks, tiles and pairs of tiles (64 and 128 elements), with and without
// copies of the rows.
TEST(gemm_pipelined_kernel, any_k) {
    for (const int k : {1,   2,   7,   8,   31,  56,  63,  64,  65,  71,  72,  96,  104, 120, 127,
                        128, 129, 136, 184, 192, 200, 255, 256, 264, 320, 376, 384, 392, 513}) {
        expect_exact_products(65, 130, k);
    }
}

// Many rounds of the loop, and every lane of a block.
TEST(gemm_pipelined_kernel, a_whole_block_and_a_long_k) {
    expect_exact_products(256, 256, 1024);
}

// == LDS banks ====================================================================================

using examples_test::worst_bank;

// All ds_read_b128 of the kernel for operand A or B and one element type, as the kernel computes
// them: f(byte addresses of the lanes, their rows, their first columns).
template <class Tile, class Mma, bool is_a, class F>
void for_each_read(F f) {
    const Mma mma;
    for (int buffer = 0; buffer < 2; ++buffer) {
        for (int part = 0; part < (is_a ? 2 : 1); ++part) {
            for (int wave = 0; wave < (is_a ? 2 : 4); ++wave) {
                for (int step = 0; step < Tile::steps; ++step) {
                    constexpr int repeats = is_a ? Mma::expd_m : Mma::expd_n;
                    for (int repeat = 0; repeat < repeats; ++repeat) {
                        std::vector<int> bytes;
                        std::vector<int> rows;
                        std::vector<int> columns;
                        for (int lane = 0; lane < 64; ++lane) {
                            const auto u = Tile::template operand<is_a>(mma, wave, lane);
                            const int first =
                                buffer * Tile::elements + part * half * Tile::k + step * 16;
                            bytes.push_back(opus::layout_to_offsets<8>(u + first)[repeat] * 2);
                            const int waves_of = is_a ? 2 : 4;
                            rows.push_back(part * half + (repeat * waves_of + wave) * 32 +
                                           lane % 32);
                            columns.push_back(step * 16 + lane / 32 * 8);
                        }
                        f(bytes, rows, columns);
                    }
                }
            }
        }
    }
}

template <class Tile>
void expect_no_conflicts(const char* arch, int unswizzled) {
    SCOPED_TRACE(arch);
    const viewer::lds_rule rule = viewer::find_rule("read_b128", arch);
    // As the comment in the example says.
    const auto place_of = [](int row, int c) { return c ^ (row / 2 % Tile::chunks); };
    int reads = 0;
    const auto check = [&](const std::vector<int>& bytes, const std::vector<int>& rows,
                           const std::vector<int>& columns) {
        ++reads;
        EXPECT_EQ(worst_bank(rule, bytes), 1) << "read " << reads;
        std::vector<int> plain;
        for (std::size_t lane = 0; lane < 64; ++lane) {
            // In the row, and a permutation of its chunks.
            const int row = rows[lane];
            const int place = bytes[lane] / 2 % Tile::elements - row * Tile::k;
            EXPECT_EQ(place, place_of(row, columns[lane] / 8) * 8) << "lane " << lane;
            EXPECT_EQ(bytes[lane] % 16, 0);
            plain.push_back((row * Tile::k + columns[lane]) * 2);
        }
        // What the swizzle is for.
        EXPECT_EQ(worst_bank(rule, plain), unswizzled) << "read " << reads;
    };
    using mma = decltype(make_half_mma<fp16_t>());
    for_each_read<Tile, mma, true>(check);
    for_each_read<Tile, mma, false>(check);
    EXPECT_EQ(reads, 2 * Tile::steps * (2 * 2 * 2 + 4 * 2));

    for (int row = 0; row < block; ++row) {
        std::set<int> places;
        for (int c = 0; c < Tile::chunks; ++c) {
            const int place = place_of(row, c);
            EXPECT_TRUE(place >= 0 && place < Tile::chunks);
            // What the lanes of an async_load bring.
            const int begin = row * Tile::k;
            EXPECT_EQ(typename Tile::swizzle{}(begin + place * 8 + 5), begin + c * 8 + 5);
            places.insert(place);
        }
        EXPECT_EQ(places.size(), static_cast<std::size_t>(Tile::chunks));
    }
}

TEST(gemm_pipelined_lds, no_read_has_bank_conflicts) {
    expect_no_conflicts<lds_tile<65536>>("gfx942", 4);
    expect_no_conflicts<lds_tile<163840>>("gfx950", 8);
}

}  // namespace
