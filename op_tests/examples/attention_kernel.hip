// The kernel of examples/attention: inputs whose result is known without a softmax, and the LDS
// banks of its reads.
#include <gtest/gtest.h>

#include "small.hpp"

#define main attention_main_of_the_example
#include "attention.hip"
#undef main

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "lds_banks.hpp"

namespace {

using examples::element;
using examples_test::worst_bank;

// Numbers in [0, 2^16) without a period that a tile has.
unsigned hashed(int a, int b) {
    return (static_cast<unsigned>(a) * 2654435761u + static_cast<unsigned>(b) * 40503u + 977u) *
               2246822519u >>
           16;
}

// Integers in [-7, 7], so many that no key can stand for another one.
double value_of(int head, int key, int column) {
    return static_cast<double>(hashed(head * 5000 + key, column) % 15) - 7;
}

attention_problem make(element type, int d, int m, int n, bool causal) {
    attention_problem p;
    p.type = p.out_type = type;
    p.d = d;
    p.d_v = d == 192 ? 128 : d;
    p.rows = m;
    p.keys = n;
    p.causal = causal;
    return p;
}

// Fills Q, K and V with f(head of all, row, column).
template <class Q, class K, class V>
void fill(attention_problem& p, Q q, K k, V v) {
    for (int head = 0; head < p.batch * p.heads; ++head) {
        for (int i = 0; i < p.rows; ++i) {
            for (int x = 0; x < p.d; ++x) {
                p.q.push_back(q(head, i, x));
            }
        }
    }
    for (int head = 0; head < p.batch * p.kv_heads; ++head) {
        for (int j = 0; j < p.keys; ++j) {
            for (int x = 0; x < p.d; ++x) {
                p.k.push_back(k(head, j, x));
            }
            for (int x = 0; x < p.d_v; ++x) {
                p.v.push_back(v(head, j, x));
            }
        }
    }
}

// As the interface says: neighbouring heads share one of K and V, in each batch for itself.
int kv_head_of(const attention_problem& p, int head) {
    const int batch = head / p.heads;
    return batch * p.kv_heads + head % p.heads * p.kv_heads / p.heads;
}

// A row sees the keys up to the diagonal that ends in the last row and the last key.
int seen(const attention_problem& p, int row) {
    const int up_to = row + 1 + (p.keys - p.rows);
    return !p.causal ? p.keys : up_to < 0 ? 0 : up_to;
}

std::string name_of(const attention_problem& p) {
    return std::string(examples::name_of(p.type)) + ", d " + std::to_string(p.d) + ", " +
           std::to_string(p.rows) + " x " + std::to_string(p.keys) + (p.causal ? ", causal" : "");
}

template <class F>
void for_each_element(const attention_problem& p, const std::vector<double>& o, F f) {
    ASSERT_EQ(o.size(),
              p.q.size() / static_cast<std::size_t>(p.d) * static_cast<std::size_t>(p.d_v));
    std::size_t at = 0;
    for (int head = 0; head < p.batch * p.heads; ++head) {
        for (int i = 0; i < p.rows; ++i) {
            for (int x = 0; x < p.d_v; ++x, ++at) {
                ASSERT_NO_FATAL_FAILURE(f(head, i, x, o[at]))
                    << name_of(p) << ", head " << head << ", row " << i << ", column " << x;
            }
        }
    }
}

// The small example has f16 with d = 128 and bf16 with the others.
bool is_there(element type, int d) {
    return OPUS_EXAMPLES_SMALL == 0 || (type == element::f16) == (d == 128);
}

struct sizes_row {
    int m;
    int n;
};
// Around the ends of waves, blocks, tiles and pairs of tiles; fewer rows than keys, and more.
const sizes_row all_sizes[] = {{1, 1},   {1, 17},    {17, 1},    {17, 33},   {33, 64},
                               {32, 65}, {130, 257}, {256, 128}, {257, 129}, {64, 192},
                               {3, 511}, {300, 40},  {290, 320}};

template <class F>
void for_each_problem(F f) {
    for (const element type : {element::f16, element::bf16}) {
        for (const int d : {64, 128, 192}) {
            if (!is_there(type, d)) {
                continue;
            }
            for (const sizes_row& s : all_sizes) {
                for (const bool causal : {false, true}) {
                    f(make(type, d, s.m, s.n, causal));
                }
            }
        }
    }
}

// == chosen inputs ================================================================================

// With Q = 0 all keys that a row sees have the weight 1, which is exact: O is the mean of their V.
TEST(attention_kernel, equal_weights_give_the_mean_of_what_is_seen) {
    for_each_problem([](attention_problem p) {
        p.out_type = element::f32;
        fill(
            p, [](int, int, int) { return 0.0; },
            [](int head, int j, int x) { return value_of(head, x, j); }, value_of);
        const std::vector<double> o = run(p).outputs[0].values;
        std::vector<std::vector<int>> sums;  // of the first keys
        sums.emplace_back(static_cast<std::size_t>(p.d_v), 0);
        for (int j = 0; j < p.keys; ++j) {
            sums.push_back(sums.back());
            for (int x = 0; x < p.d_v; ++x) {
                sums.back()[static_cast<std::size_t>(x)] += static_cast<int>(value_of(0, j, x));
            }
        }
        for_each_element(p, o, [&](int, int i, int x, double value) {
            const int n = seen(p, i);
            if (n == 0) {
                ASSERT_EQ(value, 0);
                ASSERT_FALSE(std::signbit(value));
            } else {
                const int sum = sums[static_cast<std::size_t>(n)][static_cast<std::size_t>(x)];
                const double mean = static_cast<double>(sum) / n;
                ASSERT_NEAR(value, mean, std::fabs(mean) * 0x1p-22);
            }
        });
    });
}

// Keys are the bits of their numbers as -1 and 1, each at least 5 times, and a row is one of the
// keys that it sees: the scores of all others are less by so much that their weights are 0, and O
// is that key's V.
void expect_selected(attention_problem p) {
    p.scale = 16;
    const auto bit = [](int key, int x) {
        const int number = static_cast<int>(hashed(0, 1) % 512) ^ key;
        return number >> (x % 12) & 1 ? 1.0 : -1.0;
    };
    const auto key_of = [&](int head, int row) {
        const int n = seen(p, row);
        return n == 0 ? 0 : static_cast<int>(hashed(head + 100, row)) % n;
    };
    fill(
        p, [&](int head, int i, int x) { return bit(key_of(head, i), x); },
        [&](int, int j, int x) { return bit(j, x); }, value_of);
    const std::vector<double> o = run(p).outputs[0].values;
    for_each_element(p, o, [&](int head, int i, int x, double value) {
        ASSERT_EQ(value, seen(p, i) == 0 ? 0 : value_of(kv_head_of(p, head), key_of(head, i), x));
    });
}

TEST(attention_kernel, a_weight_of_1_gives_that_key) {
    for_each_problem(expect_selected);
}

TEST(attention_kernel, heads_share_keys_and_batches_do_not) {
    for (const element type : {element::f16, element::bf16}) {
        for (const int kv_heads : {1, 2, 3, 6}) {
            const int d = kv_heads % 2 == 0 ? 64 : 128;
            if (!is_there(type, d)) {
                continue;
            }
            attention_problem p = make(type, d, 40, 70, true);
            p.batch = 2;
            p.heads = 6;
            p.kv_heads = kv_heads;
            expect_selected(p);
        }
    }
}

// The score of key j is start + j * step, whatever the row; the weights fall by 2^step from one key
// to the next, or rise. What is raised in each tile, in none, and in some; all scores far below 0,
// and far above.
TEST(attention_kernel, weights_are_relative_to_the_largest_score) {
    struct {
        double start;
        double step;
    } const rows[] = {{0, 1},     {0, -1},   {0, 0.125},     {-1000, 0.0625},
                      {-1000, 4}, {1000, 2}, {1000, -0.125}, {-1000, -2}};
    constexpr double ln2 = 0.693147180559945309;
    for (const element type : {element::f16, element::bf16}) {
        for (const auto& row : rows) {
            // What is raised in the first loop, too, whose tiles are whole: 4 of them.
            attention_problem p = make(type, type == element::f16 ? 128 : 64, 40, 300, false);
            p.out_type = element::f32;
            p.scale = ln2;
            // start + step * (16 * (j / 16) + j % 16), in numbers that both types have.
            fill(
                p,
                [&](int, int, int x) {
                    return x == 3 ? row.start : x == 30 ? row.step * 16 : x == 50 ? row.step : 0;
                },
                [&](int, int j, int x) {
                    return x == 3 ? 1.0 : x == 30 ? j / 16 : x == 50 ? j % 16 : 0.0;
                },
                value_of);
            const std::vector<double> o = run(p).outputs[0].values;
            for_each_element(p, o, [&](int, int, int x, double value) {
                double sum = 0;
                double product = 0;
                double magnitude = 0;
                for (int j = 0; j < p.keys; ++j) {
                    const double weight = std::exp2(row.step * (row.step > 0 ? j - p.keys + 1 : j));
                    sum += weight;
                    product += weight * value_of(0, j, x);
                    magnitude += weight * std::fabs(value_of(0, j, x));
                }
                // Weights are rounded to 16 bits; exponents of up to 2200 in f32.
                const double allowed = (type == element::f16 ? 0x1p-11 : 0x1p-8) + 0x1p-11;
                ASSERT_NEAR(value, product / sum, allowed * magnitude / sum)
                    << row.start << " + j * " << row.step;
            });
        }
    }
}

// A NaN of Q makes its row NaN, one of K every row, and one of V its column; nothing else.
TEST(attention_kernel, a_nan_stays_where_it_belongs) {
    for (const element type : {element::f16, element::bf16}) {
        for (const int matrix : {0, 1, 2}) {
            for (const int d : {64, 128, 192}) {
                if (!is_there(type, d)) {
                    continue;
                }
                attention_problem p = make(type, d, 40, 300, false);
                const auto value = [&](int of, int at, int row, int x) {
                    const bool is_nan = of == matrix && at == row && x == 20;
                    return is_nan ? std::nan("") : value_of(of, row, x) / 8;
                };
                fill(
                    p, [&](int, int i, int x) { return value(0, 33, i, x); },
                    [&](int, int j, int x) { return value(1, 250, j, x); },
                    [&](int, int j, int x) { return value(2, 70, j, x); });
                const std::vector<double> o = run(p).outputs[0].values;
                for_each_element(p, o, [&](int, int i, int x, double result) {
                    ASSERT_EQ(std::isnan(result), matrix == 0   ? i == 33
                                                  : matrix == 1 ? true
                                                                : x == 20)
                        << "a NaN in " << "QKV"[matrix];
                });
            }
        }
    }
}

// == LDS banks ====================================================================================

template <int d, int d_v, bool is_gfx950>
void expect_no_conflicts() {
    using tile = attention_tile<fp16_t, d, d_v, is_gfx950>;
    const char* const arch = is_gfx950 ? "gfx950" : "gfx942";
    SCOPED_TRACE(std::string(arch) + ", d " + std::to_string(d));
    const auto worst = [&](const char* rule, auto byte_of_lane) {
        std::vector<int> bytes;
        for (int lane = 0; lane < 64; ++lane) {
            bytes.push_back(byte_of_lane(lane));
        }
        return worst_bank(viewer::find_rule(rule, arch), bytes);
    };
    // Blocks of 32 keys and a pair of steps along d.
    opus::static_for<tile::pairs_d>([&](auto pair) {
        for (int i = 0; i < tile::keys / 16; ++i) {
            const auto byte = [&](int lane) {
                const auto u = tile::part_of_k(lane);
                return opus::layout_to_offsets<8>(u + number<tile::offset_of_k(pair.value)>{})[i] *
                       2;
            };
            EXPECT_EQ(worst("read_b128", byte), 1);
        }
    });
    EXPECT_GT(worst("read_b128", [&](int lane) { return lane % 32 * tile::panel * 2; }), 1);
    if constexpr (is_gfx950) {
        const char* const rule = "read_b64_tr_b16";
        for (int i = 0; i < d_v / 32 * 2; ++i) {
            const auto byte = [&](int lane) {
                return opus::layout_to_offsets<4>(tile::part_of_v(lane))[i] * 2;
            };
            EXPECT_EQ(worst(rule, byte), 1);
        }
        const auto plain = [](int lane) {
            return (lane / 32 * 4 + lane % 16 / 4) * d_v * 2 + lane / 16 % 2 * 32 + lane % 4 * 8;
        };
        EXPECT_GT(worst(rule, plain), 1);  // what the swizzle is for
    } else {
        constexpr int vec = d_v / 32;
        for (int i = 0; i < 8; ++i) {
            const auto byte = [&](int lane) {
                return opus::layout_to_offsets<vec>(tile::part_of_v(lane))[i] * 2;
            };
            EXPECT_EQ(worst(d_v == 128 ? "read_b64" : "read_b32", byte), 1);
        }
    }
    // Within a row only: LDS-DMA brings whole rows.
    EXPECT_LT(tile::swizzle_k::changed, tile::panel);
    EXPECT_LT(tile::swizzle_v::changed, d_v);
}

TEST(attention_lds, no_read_has_bank_conflicts) {
    expect_no_conflicts<64, 64, false>();
    expect_no_conflicts<128, 128, false>();
    expect_no_conflicts<192, 128, false>();
    expect_no_conflicts<64, 64, true>();
    expect_no_conflicts<128, 128, true>();
    expect_no_conflicts<192, 128, true>();
}

}  // namespace
