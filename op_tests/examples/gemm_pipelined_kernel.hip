// The kernel of examples/gemm_pipelined: products that are exact, and the LDS banks of its reads.
#include <gtest/gtest.h>

#include "small.hpp"

#define main gemm_pipelined_main
#include "gemm_pipelined.hip"
#undef main

#include <array>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "lds_banks.hpp"

namespace {

// == products =====================================================================================

unsigned hash(int a, int b, int c, unsigned salt) {
    return (static_cast<unsigned>(a) * 2654435761u + static_cast<unsigned>(b) * 40503u +
            static_cast<unsigned>(c) * 69069u + salt * 977u) *
           2246822519u;
}

// Not 0, without a period that a tile has, and exact in every type: no element of a product can be
// left out or taken twice unseen.
int element(int of_batch, int row, int column, unsigned salt) {
    const int values[] = {-6, -4, -3, -2, -1, 1, 2, 3, 4, 6};
    return values[(hash(of_batch, row, column, salt) >> 20) % 10];
}

// What a scale is, as a power of two.
int exponent(int of_batch, int row, int column, unsigned salt) {
    return static_cast<int>((hash(of_batch, row, column, salt + 5) >> 21) % 5) - 2;
}

struct shape {
    int m;
    int n;
    int k;
    int batch = 1;
    int splits = 1;
};

// Rows and columns that share a scale; 0: all.
struct scale_block {
    int rows;
    int columns;
};

constexpr scale_block block_of(scaling s) {
    switch (s) {
        case scaling::mx:
            return {1, 32};
        default:
            return {0, 0};
    }
}

int scale_exponent(scaling s, int of_batch, int row, int column, unsigned salt) {
    const scale_block b = block_of(s);
    return b.rows == 0 ? exponent(of_batch, 0, 0, salt)
                       : exponent(of_batch, row / b.rows, column / b.columns, salt);
}

template <class T, scaling S>
operand_matrix make_operand(const shape& s, int rows, unsigned salt, bool fnuz) {
    operand_matrix result;
    result.k = examples::detail::padded<T>(s.k);
    const bool halved = fnuz && (std::is_same_v<T, opus::fp8_t> || std::is_same_v<T, opus::bf8_t>);
    for (int of_batch = 0; of_batch < s.batch; ++of_batch) {
        for (int row = 0; row < rows; ++row) {
            for (int column = 0; column < result.k; column += 8) {
                opus::array<float, 8> values;
                for (int i = 0; i < 8; ++i) {
                    const int l = column + i;
                    const int x = l < s.k ? element(of_batch, row, l, salt) : 0;
                    values[i] = static_cast<float>(halved ? 2 * x : x);
                }
                if constexpr (opus::sizeof_bits_v<T> == 6) {  // four in three bytes
                    for (int i = 0; i < 8; i += 4) {
                        const auto codes = opus::cast<T>(opus::array<float, 4>{
                            values[i], values[i + 1], values[i + 2], values[i + 3]});
                        const auto* const bytes = reinterpret_cast<const u8_t*>(&codes);
                        result.codes.insert(result.codes.end(), bytes, bytes + 3);
                    }
                } else {
                    const auto codes = opus::cast<T>(values);
                    const auto* const bytes = reinterpret_cast<const u8_t*>(&codes);
                    result.codes.insert(result.codes.end(), bytes, bytes + opus::sizeof_bits_v<T>);
                }
            }
        }
        const scale_block b = block_of(S);
        const int step_rows = b.rows == 0 ? rows : b.rows;
        const int step_columns = b.columns == 0 ? result.k : b.columns;
        for (int row = 0; row < rows; row += step_rows) {
            for (int column = 0; column < result.k; column += step_columns) {
                const int e = scale_exponent(S, of_batch, row, column, salt);
                if (S == scaling::mx) {
                    result.scales.push_back(static_cast<u8_t>(127 + e));
                } else {
                    const float x = std::ldexp(1.0f, e);
                    const auto* const bytes = reinterpret_cast<const u8_t*>(&x);
                    result.scales.insert(result.scales.end(), bytes, bytes + 4);
                }
            }
        }
    }
    return result;
}

constexpr int columns_of_sums = 32;

int steps_of(const shape& s) {
    return (s.k + columns_of_sums - 1) / columns_of_sums;
}

// [batch, rows, k]
std::vector<int> elements_of(const shape& s, int rows, unsigned salt) {
    std::vector<int> result;
    for (int of_batch = 0; of_batch < s.batch; ++of_batch) {
        for (int row = 0; row < rows; ++row) {
            for (int l = 0; l < s.k; ++l) {
                result.push_back(element(of_batch, row, l, salt));
            }
        }
    }
    return result;
}

// [batch, m, n, steps]: the products of each 32 columns, added up. The same for all types.
const std::vector<int>& sums_of_columns(const shape& s) {
    static std::map<std::array<int, 4>, std::vector<int>> known;
    std::vector<int>& result = known[{s.m, s.n, s.k, s.batch}];
    if (result.empty()) {
        const std::vector<int> a = elements_of(s, s.m, 0);
        const std::vector<int> b = elements_of(s, s.n, 1);
        for (int row = 0; row < s.batch * s.m; ++row) {
            for (int j = 0; j < s.n; ++j) {
                const int* x = &a[examples::size_of(row, s.k)];
                const int* y = &b[examples::size_of(row / s.m * s.n + j, s.k)];
                for (int left = s.k; left > 0; left -= columns_of_sums) {
                    int sum = 0;
                    for (int l = left < columns_of_sums ? left : columns_of_sums; l > 0; --l) {
                        sum += *x++ * *y++;
                    }
                    result.push_back(sum);
                }
            }
        }
    }
    return result;
}

// [batch, rows, steps]: of the scale that is for them.
template <scaling S>
std::vector<int> exponents_of(const shape& s, int rows, unsigned salt) {
    std::vector<int> result;
    for (int of_batch = 0; of_batch < s.batch; ++of_batch) {
        for (int row = 0; row < rows; ++row) {
            for (int step = 0; step < steps_of(s); ++step) {
                result.push_back(scale_exponent(S, of_batch, row, step * columns_of_sums, salt));
            }
        }
    }
    return result;
}

template <class T, scaling S>
void expect_exact(const shape& s) {
    SCOPED_TRACE("C[" + std::to_string(s.batch) + ", " + std::to_string(s.m) + ", " +
                 std::to_string(s.n) + "], K = " + std::to_string(s.k) +
                 ", splits = " + std::to_string(s.splits));
    const bool fnuz = examples::device_fp8().fnuz;
    examples::gemm_problem p;
    p.m = s.m;
    p.n = s.n;
    p.k = s.k;
    p.batch = s.batch;
    const operand_matrix a = make_operand<T, S>(s, s.m, 0, fnuz);
    const operand_matrix b = make_operand<T, S>(s, s.n, 1, fnuz);
    const std::vector<double> c = gemm_pipelined<fp32_t>(p, make_variant<T, S>(), a, b, s.splits).d;
    ASSERT_EQ(c.size(), examples::size_of(s.batch * s.m, s.n));

    // By 32 columns, which all scales are for or for several of.
    const std::vector<int>& sums = sums_of_columns(s);
    const int steps = steps_of(s);
    const std::vector<int> of_a = exponents_of<S>(s, s.m, 0);
    const std::vector<int> of_b = exponents_of<S>(s, s.n, 1);
    const int* sum = sums.data();
    for (int row = 0; row < s.batch * s.m; ++row) {
        for (int j = 0; j < s.n; ++j) {
            const int* const a_row = &of_a[examples::size_of(row, steps)];
            const int* const b_row = &of_b[examples::size_of(row / s.m * s.n + j, steps)];
            double expected = 0;
            for (int step = 0; step < steps; ++step) {
                expected += std::ldexp(*sum++, a_row[step] + b_row[step]);
            }
            ASSERT_EQ(c[examples::size_of(row, s.n) + examples::size_of(j, 1)], expected)
                << "C[" << row / s.m << ", " << row % s.m << ", " << j << "]";
        }
    }
}

// On the targets that have it, and where it is not left out of the small example.
template <class T, scaling S>
void expect_exact_if_there(const char* name, const shape& s) {
    if constexpr (make_variant<T, S>().launch != nullptr) {
        if (facts_of_device().has_mx != 0 || (opus::sizeof_bits_v<T> >= 8 && S != scaling::mx)) {
            SCOPED_TRACE(name);
            expect_exact<T, S>(s);
        }
    }
}

TEST(gemm_pipelined_kernel, every_type_and_every_kind_of_scales_is_there) {
    int count = 0;
    bool has_scales[2] = {};
    for (const format& f : formats) {
        bool is_there = false;
        for (int i = 0; i < 2; ++i) {
            if (f.by_scaling[i].launch != nullptr) {
                ++count;
                is_there = has_scales[i] = true;
            }
        }
        // The small example leaves bf8 out.
        EXPECT_TRUE(is_there || OPUS_EXAMPLES_SMALL != 0) << f.name;
    }
    EXPECT_TRUE(has_scales[0] && has_scales[1]);
    EXPECT_EQ(count, OPUS_EXAMPLES_SMALL == 0 ? 11 : 6);
}

void expect_all_exact(const shape& s) {
    expect_exact_if_there<opus::i8_t, scaling::tensor>("i8", s);
    expect_exact_if_there<opus::fp8_t, scaling::tensor>("fp8", s);
    expect_exact_if_there<opus::bf8_t, scaling::tensor>("bf8", s);
    expect_exact_if_there<opus::fp6_t, scaling::tensor>("fp6", s);
    expect_exact_if_there<opus::bf6_t, scaling::tensor>("bf6", s);
    expect_exact_if_there<opus::fp4_t, scaling::tensor>("fp4", s);
    expect_exact_if_there<opus::fp8_t, scaling::mx>("fp8, mx", s);
    expect_exact_if_there<opus::bf8_t, scaling::mx>("bf8, mx", s);
    expect_exact_if_there<opus::fp6_t, scaling::mx>("fp6, mx", s);
    expect_exact_if_there<opus::bf6_t, scaling::mx>("bf6, mx", s);
    expect_exact_if_there<opus::fp4_t, scaling::mx>("fp4, mx", s);
}

// Around the ends of blocks.
TEST(gemm_pipelined_kernel, any_m_and_n) {
    for (const shape s : {shape{1, 1, 72}, {257, 129, 160}, {33, 514, 96}}) {
        expect_all_exact(s);
    }
}

// Around the ends of chunks, tiles and pairs of tiles of the different types. Paths: less than a chunk,
// a tile that is not whole, and the loop.
TEST(gemm_pipelined_kernel, any_k) {
    for (const int k : {1, 300, 1100}) {
        expect_all_exact({65, 130, k});
    }
}
TEST(gemm_pipelined_kernel_rest, any_k) {
    for (const int k : {72, 129, 256, 513, 672}) {
        expect_all_exact({65, 130, k});
    }
}

// Every lane of a block, and several rounds of the loop.
TEST(gemm_pipelined_kernel, a_whole_block_and_a_long_k) {
    expect_all_exact({256, 256, 1024});
}

TEST(gemm_pipelined_kernel, batches_and_splits) {
    expect_all_exact({33, 130, 1100, 3, 1});
    expect_all_exact({65, 67, 1600, 1, 3});
    expect_exact<opus::fp8_t, scaling::tensor>({40, 70, 2000, 2, 7});
}

TEST(gemm_pipelined_kernel, rows_are_whole_chunks_and_no_shorter_than_in_lds) {
    using examples::detail::padded;
    EXPECT_EQ(padded<opus::fp8_t>(1), 128);
    EXPECT_EQ(padded<opus::fp8_t>(129), 256);
    EXPECT_EQ(padded<opus::fp6_t>(1), 256);
    EXPECT_EQ(padded<opus::fp4_t>(1), 256);
    EXPECT_EQ(padded<opus::fp4_t>(257), 384);
}

// == sums of splits ===============================================================================

// 7 rows of `n` columns, in rows of 8. What is to be added up for a row are
// the columns of `splits`, one for the even rows and one for the odd ones.
template <class Out>
void expect_sums(int n, const std::vector<std::array<float, 2>>& splits,
                 std::array<float, 2> expected) {
    using examples::add_splits_kernel;
    constexpr int rows = 7;
    constexpr int pitch = 8;
    std::vector<float> all;
    for (const std::array<float, 2>& split : splits) {
        for (std::size_t row = 0; row < rows; ++row) {
            all.insert(all.end(), static_cast<std::size_t>(n), split[row % 2]);
            all.insert(all.end(), static_cast<std::size_t>(pitch - n), 1e30f);
        }
    }
    const examples::device_buffer<float> sums(all);
    examples::device_buffer<Out> c(examples::size_of(rows, n));
    c.fill_bytes(0xff);
    add_splits_kernel<Out>
        <<<1, 256>>>(sums.data(), c.data(), rows, n, pitch, static_cast<int>(splits.size()));
    examples::check(hipGetLastError(), "the launch of add_splits");
    examples::check(hipDeviceSynchronize(), "hipDeviceSynchronize");
    const std::vector<Out> got = c.to_host();
    for (std::size_t i = 0; i < got.size(); ++i) {
        EXPECT_EQ(opus::cast<float>(got[i]), expected[i / static_cast<std::size_t>(n) % 2])
            << "element " << i;
    }
}

TEST(gemm_pipelined_splits, are_added_in_order) {
    // 2^24 + 1 is 2^24; from the other end the sum would be 1.
    for (const int n : {5, 7, 8}) {
        expect_sums<float>(n, {{0x1p24f, 1}, {1, 2}, {-0x1p24f, 3}}, {0, 6});
    }
}

TEST(gemm_pipelined_splits, are_rounded_to_the_nearest_even_bf16) {
    expect_sums<bf16_t>(5, {{1, 0x1.02p0f}, {0x1p-8f, 0x1p-8f}}, {1, 0x1.04p0f});
}

// == LDS banks ====================================================================================

using examples_test::worst_bank;

// The byte addresses of the lanes for all reads of operand A or B, and where the reads are of rows
// without a swizzle.
template <class Tile, bool is_a, class F>
void for_each_read(F f) {
    constexpr int waves_of = is_a ? 2 : 4;
    for (int tile = 0; tile < block / (32 * waves_of); ++tile) {
        for (int wave = 0; wave < waves_of; ++wave) {
            for (int chunk = 0; chunk < Tile::chunks / 2; ++chunk) {
                std::vector<int> bytes;
                std::vector<int> rows;
                for (int lane = 0; lane < 64; ++lane) {
                    const int row = (tile * waves_of + wave) * 32 + lane % 32;
                    rows.push_back(row);
                    const auto u = Tile::template layout<is_a>(wave, lane);
                    if constexpr (Tile::bits == 6) {
                        bytes.push_back(
                            typename Tile::swizzle{}(u | (chunk / 2 * 64 + chunk % 2 * 16)) +
                            (chunk % 2 == 0 ? 0 : lane / 16 % 2 * 8) +
                            tile * waves_of * 32 * Tile::lds_row_bytes);
                    } else {
                        constexpr int reads = Tile::step_k * Tile::bits / 256;  // of a step
                        const int first =
                            tile * waves_of * 32 * Tile::k + chunk / reads * Tile::step_k;
                        bytes.push_back(
                            opus::layout_to_offsets<Tile::row.chunk>(u + first)[chunk % reads] *
                            Tile::bits / 8);
                    }
                }
                f(bytes, rows, Tile::bits == 6 && chunk % 2 == 1);
            }
        }
    }
}

template <class Tile>
void expect_no_conflicts(const char* arch, const char* read) {
    SCOPED_TRACE(std::string(arch) + ", " + read + ", " + std::to_string(Tile::bits) + " bits");
    const viewer::lds_rule of_16_bytes = viewer::find_rule(read, arch);
    const viewer::lds_rule of_8_bytes = viewer::find_rule("read_b64", arch);
    std::set<int> places;
    const auto check = [&](const std::vector<int>& bytes, const std::vector<int>& rows,
                           bool is_second) {  // of 6 bits: 8 bytes of a chunk
        const viewer::lds_rule& rule = is_second ? of_8_bytes : of_16_bytes;
        EXPECT_EQ(worst_bank(rule, bytes), 1);
        std::vector<int> plain;
        for (std::size_t lane = 0; lane < 64; ++lane) {
            EXPECT_EQ(bytes[lane] / Tile::lds_row_bytes, rows[lane]) << "lane " << lane;
            EXPECT_EQ(bytes[lane] % (is_second ? 8 : 16), 0);
            places.insert(bytes[lane] / 16);
            plain.push_back(rows[lane] * Tile::lds_row_bytes + static_cast<int>(lane) / 32 * 16);
        }
        EXPECT_GT(worst_bank(rule, plain), 1);  // what the swizzle is for
    };
    for_each_read<Tile, true>(check);
    EXPECT_EQ(places.size(), static_cast<std::size_t>(block * Tile::chunks));
    places.clear();
    for_each_read<Tile, false>(check);
    EXPECT_EQ(places.size(), static_cast<std::size_t>(block * Tile::chunks));
}

TEST(gemm_pipelined_lds, no_read_has_bank_conflicts) {
    expect_no_conflicts<lds_tile<opus::fp8_t, scaling::tensor, 65536>>("gfx942", "read_b128");
    expect_no_conflicts<lds_tile<opus::i8_t, scaling::tensor, 65536>>("gfx942", "read_b128");
    expect_no_conflicts<lds_tile<opus::i8_t, scaling::tensor, 163840>>("gfx950", "read_b128");
    expect_no_conflicts<lds_tile<opus::fp8_t, scaling::tensor, 163840>>("gfx950", "read_b128");
    expect_no_conflicts<lds_tile<opus::fp4_t, scaling::mx, 163840>>("gfx950", "read_b128");
    expect_no_conflicts<lds_tile<opus::fp6_t, scaling::mx, 163840>>("gfx950", "read_b128");
}

}  // namespace
