// SPDX-License-Identifier: MIT
//
// moe_gemm: the products of a mixture of experts. The rows of A are tokens, sorted by expert; rows
// offsets[e] to offsets[e + 1] belong to expert e, which has its own weights:
//
//   D[i, :] = A[i, :] * B[e]^T                                   B is [experts, N, K]
//   D[i, :] = silu(A[i, :] * G[e]^T) * (A[i, :] * U[e]^T)        --gate 1: B is [experts, 2 N, K],
//                                                                first the N rows of G, then U
//
// bf16, or fp8 with a scale for each token and for each row of B. Experts may have any number of
// tokens: none, one, thousands. Read gemm_block first, whose loop this example uses. What is
// different:
//
//  - The kernel is persistent: its workgroups fill the device once, and each takes one tile of 128
//    tokens after another. While it computes the last products of a tile, it loads the first
//    operands of the next one, so no tile begins with a wait.
//  - Finding a tile's expert: a wave holds the numbers of the experts' first tiles in registers,
//    four for each lane, and counts by ballot() how many are not beyond the tile. This takes no
//    table, no search and no branch, and experts without tokens cost nothing.
//  - Order and balance. All tiles take the same time, whatever the expert's size. Each die has an
//    eighth of them, and its groups take them in turns, so all groups end within the time of one
//    tile. The tiles of an expert are consecutive, first those with the same rows of B, which are
//    then in the die's L2.
//  - A tile has two times 64 rows of B. With --gate 1 these are the same 64 rows of G and of U;
//    they are the two repeats along N of the tiled mma, so a lane has both numbers that SiLU needs.
//  - A swizzle replaces gemm_block's padded rows. A tile then takes 32 KiB of LDS, so two groups
//    fit on a compute unit of gfx942, and one computes while the other waits.
//  - Scales of rows and columns are loaded through the layout of D, with a stride of 0 along the
//    other dimension. Each lane gets the scales of its own sums.
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "common/device_fp8.hpp"
#include "common/npy.hpp"
#include "common/program.hpp"
#include "opus/hip_minimal.hpp"
#include "opus/opus_plus.hpp"

namespace {

using examples::element;
using opus::operator""_I;
using opus::bf16_t;
using opus::fp32_t;
using opus::fp8_t;
using opus::number;

constexpr int threads = 256;
constexpr int size = 128;  // tokens of a tile, and rows of B
constexpr int half = 64;
constexpr int experts_of_lane = 4;
constexpr int max_experts = 64 * experts_of_lane;
constexpr int dies = 8;

template <class T>
struct problem_on_device {
    const T* a;             // [tokens, K]
    const T* b;             // [experts, N or 2 N, K]
    const fp32_t* scale_a;  // [tokens], for fp8
    const fp32_t* scale_b;  // [experts, N or 2 N], for fp8
    bf16_t* d;              // [tokens, N]
    const int* offsets;     // [experts + 1]
    int experts;
    int n;
    int ldd;  // elements between rows of D: a multiple of 4, and no less than N
    int k;
    int tiles_n;  // of a row of tiles: N by 128, or by 64 where G and U share a tile
    int groups;
};

// The part of A, B and D that belongs to a tile. Columns are those of D.
struct tile_place {
    int expert;
    int row;
    int rows;
    int column;
};

// The tiles of all experts, numbered consecutively. Lane l has the first tile of each of the
// experts 4 l to 4 l + 3.
struct tile_list {
    int first[experts_of_lane];
    int count;

    template <class T>
    OPUS_D explicit tile_list(const problem_on_device<T>& p) {
        using namespace opus;
        int sum = 0;
        static_for<experts_of_lane>([&](auto i) {
            const int expert = lane_id() * experts_of_lane + i;
            const bool is_there = expert < p.experts;
            const int tokens = is_there ? p.offsets[expert + 1] - p.offsets[expert] : 0;
            first[i.value] = sum;
            sum += (tokens + size - 1) / size * p.tiles_n;
        });
        const int before = scan_wave_exclusive(sum, plus{}, 0);
        static_for<experts_of_lane>([&](auto i) { first[i.value] += before; });
        count = readlane(before + sum, 63);
    }

    // @pre tile < count
    OPUS_D tile_place operator()(int tile, const int* offsets, int columns) const {
        using namespace opus;
        int expert = -1;
        int last = 0;  // of the lane's first tiles, the last one that is not beyond `tile`
        static_for<experts_of_lane>([&](auto i) {
            expert += __builtin_popcountll(ballot(first[i.value] <= tile));
            last = first[i.value] <= tile ? first[i.value] : last;
        });
        const int tile_of_expert = tile - readlane(last, expert / experts_of_lane);
        const int tokens = offsets[expert + 1] - offsets[expert];
        const int tiles_m = (tokens + size - 1) / size;
        const int row = tile_of_expert % tiles_m * size;
        return {expert, offsets[expert] + row, min(tokens - row, size),
                tile_of_expert / tiles_m * columns};
    }
};

// Stores four elements of D at once, with zeros behind the last column.
// Grid: p.groups groups of 256 threads.
// @pre k is a multiple of 16 bytes; at most 256 experts
template <class T, bool gate>
__global__ __launch_bounds__(threads) void moe_gemm_kernel(problem_on_device<T> p) {
    using namespace opus;
    constexpr int vec = 16 / static_cast<int>(sizeof(T));
    constexpr auto pitch = number<8 * vec>{};  // a step along K, 128 bytes
    constexpr int columns = gate ? half : size;
    __shared__ __attribute__((aligned(16))) T lds[2 * size * pitch];

    // 2 x 2 waves. `repeats` along N: 2 for a tile, 1 for one half of it.
    const auto make_mma = [&](auto repeats) {
        constexpr int k = sizeof(T) == 1 ? 64 : 16;
        return make_tiled_mma<T, T, fp32_t>(seq<2, repeats, 8 * vec / k>{}, seq<2, 2, 1>{},
                                            seq<32, 32, k>{}, mfma_adaptor_swap_ab{});
    };
    constexpr auto mma = make_mma(2_I);
    constexpr auto mma_half = make_mma(1_I);
    const int thread = thread_id_x();
    const int place = scalar_wave(thread);
    // Of 32 * passes rows of `stride` elements, the thread has 16 bytes of every 32nd row.
    const auto bring = [&](auto passes, auto stride) {
        return make_layout(make_tuple(passes, 32_I, 8_I, number<vec>{}),
                           make_tuple(32_I * stride, stride, number<vec>{}, 1_I),
                           make_tuple(_, thread / 8, thread % 8, _));
    };
    // 128 x 128 bytes of A or B in LDS. Chunk c (16 bytes) of row r is in place c ^ r % 8; on
    // gfx950, with its 64 banks, in place c ^ r / 2 % 8. So the lanes that LDS serves together,
    // which read different rows of a column, use different banks.
    constexpr swizzle<3, sizeof(T) == 1 ? 4 : 3, OPUS_HAS_LDS_DMA_WIDE ? 4 : 3> swizzle;
    const auto s_a = make_smem(lds);
    const auto s_b = make_smem(lds + size * pitch);
    const auto u_lds = composition(swizzle, bring(4_I, pitch));
    const auto u_a = composition(swizzle, partition_layout_a(mma, make_tuple(pitch, 1_I), place));
    const auto u_b = composition(swizzle, partition_layout_b(mma, make_tuple(pitch, 1_I), place));
    const auto from_a = bring(4_I, p.k);
    const auto from_b = bring(2_I, p.k);

    // The halves of B's rows, and of the columns of D or of G and U.
    const auto column_of = [&](const tile_place& t, auto h) {
        return t.column + (gate ? 0 : h * half);
    };
    const auto columns_of = [&](const tile_place& t, auto h) {
        return max(min(p.n - column_of(t, h), half), 0);
    };
    const auto row_of_b = [&](const tile_place& t, auto h) {
        return static_cast<long_index_t>(t.expert) * (gate ? 2 * p.n : p.n) + column_of(t, h) +
               (gate ? h * p.n : 0);
    };
    // Missing rows are out of range, which reads 0 and moves nothing.
    const auto rows_from = [&](const auto* matrix, long_index_t row, int rows, int row_size) {
        return make_gmem(matrix + row * row_size,
                         readfirstlane(static_cast<unsigned>(rows * row_size) * sizeof(*matrix)));
    };
    struct sources {
        gmem<T> a, b0, b1;
    };
    const auto sources_of = [&](const tile_place& t) {
        return sources{rows_from(p.a, t.row, t.rows, p.k),
                       rows_from(p.b, row_of_b(t, 0_I), columns_of(t, 0_I), p.k),
                       rows_from(p.b, row_of_b(t, 1_I), columns_of(t, 1_I), p.k)};
    };
    using tile_vector = vector_t<T, 4 * vec>;
    tile_vector next_a;
    tile_vector next_b;
    const auto load = [&](const sources& from, int k) {
        next_a = from.a.template load<vec>(from_a, k);
        next_b = concat_vector(from.b0.template load<vec>(from_b, k),
                               from.b1.template load<vec>(from_b, k));
    };
    // As in gemm_block, the first step of a tile is the short one.
    const int first_k = (p.k - 1) % pitch + 1;
    const auto load_first = [&](const sources& from) {
        const auto in_row = [&](auto, auto) { return thread % 8 * vec < first_k; };
        next_a = from.a.template load_if<vec>(in_row, from_a);
        next_b = concat_vector(from.b0.template load_if<vec>(in_row, from_b),
                               from.b1.template load_if<vec>(in_row, from_b));
    };
    const auto to_lds = [&] {
        lds_barrier();  // all waves have read the step before
        s_a.template store<vec>(next_a, u_lds);
        s_b.template store<vec>(next_b, u_lds);
        lds_barrier();
    };
    typename remove_cv_t<decltype(mma)>::vtype_c acc;
    const auto multiply = [&] {
        acc = mma(s_a.template load<vec>(u_a), s_b.template load<vec>(u_b), acc);
    };
    // Half h of the sums, with their scales.
    const auto half_of = [&]([[maybe_unused]] const tile_place& t, auto h) {
        const auto& sums = acc;
        auto x = concat_vector(tile_part_c(mma, sums, 0_I, h), tile_part_c(mma, sums, 1_I, h));
        if constexpr (is_same_v<T, fp8_t>) {
            const auto g_a = rows_from(p.scale_a, t.row, t.rows, 1);
            const auto g_b = rows_from(p.scale_b, row_of_b(t, h), columns_of(t, h), 1);
            x *= g_a.load(partition_layout_c(mma_half, make_tuple(1_I, 0_I), place));
            x *= g_b.load(partition_layout_c(mma_half, make_tuple(0_I, 1_I), place));
        }
        return x;
    };
    const auto store = [&](const tile_place& t, auto h, const auto& x) {
        const int there = max(min(p.ldd - column_of(t, h), half), 0);
        const auto g_d =
            make_gmem(p.d + static_cast<long_index_t>(t.row) * p.ldd + column_of(t, h));
        g_d.template store_if<4>(within(tile_coordinates_c(mma_half, place), t.rows, there),
                                 cast<bf16_t>(x, 5_I),
                                 partition_layout_c(mma_half, make_tuple(p.ldd, 1_I), place));
    };

    // Group 8 i + d is on die d, which has an eighth of the tiles.
    const tile_list tiles(p);
    const int parts = p.groups % dies == 0 ? dies : 1;
    const int part = block_id_x() % parts;
    const int end = tiles.count * (part + 1) / parts;
    const int step = p.groups / parts;
    int tile = tiles.count * part / parts + block_id_x() / parts;
    if (tile >= end) {
        return;
    }
    tile_place here = tiles(tile, p.offsets, columns);
    sources from = sources_of(here);
    load_first(from);
    for (;;) {
        clear(acc);
        for (int k = first_k; k < p.k; k += pitch) {
            to_lds();
            load(from, k);
            multiply();
        }
        to_lds();
        const tile_place done = here;
        tile += step;
        if (tile < end) {
            here = tiles(tile, p.offsets, columns);
            from = sources_of(here);
            load_first(from);
        }
        multiply();
        if constexpr (gate) {
            const auto g = half_of(done, 0_I);
            const auto silu = g * rcp(opus::exp2(g * -1.44269504f) + 1.0f);
            store(done, 0_I, silu * half_of(done, 1_I));
        } else {
            store(done, 0_I, half_of(done, 0_I));
            store(done, 1_I, half_of(done, 1_I));
        }
        if (tile >= end) {
            break;
        }
    }
}

// == host =========================================================================================

struct problem {
    int tokens = 0;
    int experts = 0;
    int n = 0;
    int k = 0;
    bool gate = false;
    bool fp8 = false;
    int groups = 0;
    std::vector<int> offsets;
    examples::fp8_format format;

    int rows_of_b() const { return gate ? 2 * n : n; }
    int tiles_n() const { return gate ? (n + half - 1) / half : (n + size - 1) / size; }
    long long tiles() const {
        long long result = 0;
        for (std::size_t e = 0; e + 1 < offsets.size(); ++e) {
            result += (offsets[e + 1] - offsets[e] + size - 1) / size * tiles_n();
        }
        return result;
    }
};

// Rows of K elements; for fp8 each has a scale.
template <class T>
struct matrix {
    std::vector<T> codes;
    std::vector<float> scales;
};

template <class T>
double value_of(const problem& p, T code) {
    if constexpr (std::is_same_v<T, fp8_t>) {
        return p.format.decode(code);
    } else {
        return static_cast<double>(code);
    }
}

// To the nearest values; for fp8 the largest magnitude of a row becomes the largest code.
template <class T>
matrix<T> to_device_type(const problem& p, const std::vector<double>& values) {
    if constexpr (std::is_same_v<T, bf16_t>) {
        return {examples::to<bf16_t>(values), {}};
    } else {
        matrix<T> result;
        const auto k = static_cast<std::size_t>(p.k);
        const double most = p.format.largest();
        for (std::size_t row = 0; row < values.size(); row += k) {
            double largest = 0;
            for (std::size_t i = row; i < row + k; ++i) {
                largest = std::fmax(largest, std::fabs(values[i]));
            }
            const float scale = largest > 0 ? static_cast<float>(largest / most) : 1.0f;
            result.scales.push_back(scale);
            for (std::size_t i = row; i < row + k; ++i) {
                const double scaled = values[i] / static_cast<double>(scale);
                result.codes.push_back(p.format.encode(std::clamp(scaled, -most, most)));
            }
        }
        return result;
    }
}

// bf16: multiples of 2^-7 in [-1, 1). fp8: codes below 1 (FNUZ) or 2, and scales from 1/2 to 1.
template <class T>
matrix<T> random_matrix(const problem& p, std::size_t rows, std::mt19937_64& random) {
    matrix<T> result;
    result.codes.resize(rows * static_cast<std::size_t>(p.k));
    for (T& code : result.codes) {
        const auto bits = static_cast<unsigned>(random() >> 56);
        if constexpr (std::is_same_v<T, fp8_t>) {
            code = static_cast<fp8_t>(bits == 0x80 || bits == 0xc0 ? 0 : bits & 0xbf);
        } else {
            code = static_cast<bf16_t>((static_cast<float>(bits) - 128) / 128);
        }
    }
    for (std::size_t row = 0; std::is_same_v<T, fp8_t> && row < rows; ++row) {
        result.scales.push_back(static_cast<float>(0x80 + (random() >> 57)) / 256);
    }
    return result;
}

template <class T>
examples::tensor_result run(const problem& p, const matrix<T>& a, const matrix<T>& b, int iters) {
    const auto scales_of = [](const matrix<T>& x) {
        return x.scales.empty() ? std::vector<float>(1) : x.scales;
    };
    const examples::device_buffer<T> device_a(a.codes);
    const examples::device_buffer<T> device_b(b.codes);
    const examples::device_buffer<float> scale_a(scales_of(a));
    const examples::device_buffer<float> scale_b(scales_of(b));
    const examples::device_buffer<int> offsets(p.offsets);
    const int ldd = (p.n + 3) / 4 * 4;
    examples::device_buffer<bf16_t> d(static_cast<std::size_t>(p.tokens) *
                                      static_cast<std::size_t>(ldd));
    d.fill_unwritten(0xff);  // NaN: an element that no lane writes is seen
    const problem_on_device<T> on_device{device_a.data(),
                                         device_b.data(),
                                         scale_a.data(),
                                         scale_b.data(),
                                         d.data(),
                                         offsets.data(),
                                         p.experts,
                                         p.n,
                                         ldd,
                                         p.k,
                                         p.tiles_n(),
                                         p.groups};
    const auto kernel = p.gate ? moe_gemm_kernel<T, true> : moe_gemm_kernel<T, false>;
    examples::tensor_result result;
    result.milliseconds = examples::time_launches(iters, "moe_gemm", [&] {
        kernel<<<static_cast<unsigned>(p.groups), threads>>>(on_device);
    });
    long long used = 0;  // experts
    for (std::size_t e = 0; e + 1 < p.offsets.size(); ++e) {
        used += p.offsets[e] < p.offsets[e + 1];
    }
    const double rows = static_cast<double>(p.tokens) + static_cast<double>(used * p.rows_of_b());
    const double results = static_cast<double>(p.tokens) * p.n;
    result.least_bytes =
        rows * (static_cast<double>(p.k) * sizeof(T) + (p.fp8 ? 4 : 0)) + 2 * results;
    result.flop = 2 * results * p.k * (p.gate ? 2 : 1);
    result.peak = p.fp8 ? &examples::machine_peaks::fp8 : &examples::machine_peaks::f16;
    result.add(examples::shape_of({p.tokens, p.n}), examples::with_columns(d.result(), ldd, p.n));
    return result;
}

// Tolerance, with u = 2^-23. Products are exact in f32, and each of K additions loses less than u
// of the sum of magnitudes; two scales lose half of u each. SiLU's slope is 1.1 at most; of 1 / (1
// + exp(-x)) the rounded argument of the exponential loses u (|x| + 1), and exp2, the sum and rcp
// less than 2 u together; then there are two products.
template <class T>
void expect(const problem& p, const matrix<T>& a, const matrix<T>& b,
            examples::tensor_output& output) {
    const auto k = static_cast<std::size_t>(p.k);
    const auto rows_of_b = static_cast<std::size_t>(p.rows_of_b());
    const auto product = [&](std::size_t row_a, std::size_t row_b) {
        double sum = 0;
        double magnitude = 0;
        for (std::size_t i = 0; i < k; ++i) {
            const double x =
                value_of(p, a.codes[row_a * k + i]) * value_of(p, b.codes[row_b * k + i]);
            sum += x;
            magnitude += std::fabs(x);
        }
        const double scale =
            p.fp8 ? static_cast<double>(a.scales[row_a]) * static_cast<double>(b.scales[row_b]) : 1;
        return examples::expectation{sum * scale,
                                     (p.k + 1) * 0x1p-23 * magnitude * scale + p.k * 0x1p-149};
    };
    examples::expect_matrix(output, element::bf16, [&](std::size_t token, std::size_t j) {
        const auto next =
            std::upper_bound(p.offsets.begin(), p.offsets.end(), static_cast<int>(token));
        const auto expert = static_cast<std::size_t>(next - p.offsets.begin() - 1);
        const examples::expectation g = product(token, expert * rows_of_b + j);
        if (!p.gate) {
            return g;
        }
        const examples::expectation up =
            product(token, expert * rows_of_b + static_cast<std::size_t>(p.n) + j);
        const double silu = g.value / (1 + std::exp(-g.value));
        const double silu_error =
            1.1 * g.error + (std::fabs(g.value) + 5) * 0x1p-23 * std::fabs(silu) + 0x1p-126;
        return examples::expectation{silu * up.value, (std::fabs(silu) + silu_error) * up.error +
                                                          silu_error * std::fabs(up.value) +
                                                          0x1p-126};
    });
}

struct options {
    examples::extent m{"-m", "Rows of A and D, tokens", 256};
    examples::extent n{"-n", "Columns of D", 256};
    examples::extent k{"-k", "Columns of A and B, a multiple of 16 bytes", 512};
    examples::extent experts{"--experts", "Number of experts, up to 256", 8, max_experts, "INT"};
    examples::extent rows_of_b{"-n", "", 0};  // or 2 n, for each expert
    std::size_t type = 0;                     // of type_names()
    examples::input a{"--a", "Read A[M, K]", {&m, &k}};
    examples::input b{"--b", "Read B[experts, N or 2 N, K]", {&experts, &rows_of_b, &k}};
    examples::input sizes{
        "--sizes", "Read how many rows each expert has (random, uneven)", {&experts}};
};

std::vector<std::string> type_names() {
    return {"fp8", "bf16"};
}

// Uneven: the experts' shares fall as 1 / sqrt(number). With few tokens some experts have one or
// none.
std::vector<int> random_offsets(int tokens, int experts, std::mt19937_64& random) {
    std::vector<int> offsets(static_cast<std::size_t>(experts) + 1);
    for (int i = 0; i < tokens; ++i) {
        const double x = std::ldexp(static_cast<double>(random() >> 11), -53);
        ++offsets[static_cast<std::size_t>(x * x * experts) + 1];
    }
    for (std::size_t e = 1; e < offsets.size(); ++e) {
        offsets[e] += offsets[e - 1];
    }
    return offsets;
}

std::vector<int> offsets_of(const std::vector<double>& sizes, const std::string& file) {
    std::vector<int> offsets{0};
    for (const double x : sizes) {
        const double sum = offsets.back() + x;
        if (x < 0 || x != std::floor(x) || sum > static_cast<double>(examples::max_extent)) {
            throw npy::error(file, "must have numbers of tokens, " +
                                       std::to_string(examples::max_extent) + " in all at most");
        }
        offsets.push_back(static_cast<int>(sum));
    }
    if (offsets.back() == 0) {
        throw npy::error(file, "has no token at all");
    }
    return offsets;
}

void complete(problem& p, options& o, std::mt19937_64& random) {
    using examples::usage_error;
    p.fp8 = o.type == 0;
    o.sizes.read(element::f64);
    if (o.sizes.value) {
        p.offsets = offsets_of(o.sizes.values, *o.sizes.value);
        o.m.agree(static_cast<std::size_t>(p.offsets.back()), *o.sizes.value);
    }
    const element type = p.fp8 ? element::f64 : element::bf16;  // fp8 with its scales comes later
    o.a.read(type);
    o.b.read(type);
    if (o.b.value) {
        const int rows = o.rows_of_b.size();
        if (p.gate && rows % 2 != 0) {
            throw usage_error(*o.b.value + " has " + std::to_string(rows) +
                              " rows for each expert: --gate 1 needs two halves");
        }
        o.n.agree(static_cast<std::size_t>(p.gate ? rows / 2 : rows), *o.b.value);
    }
    p.tokens = o.m.size();
    p.experts = o.experts.size();
    p.n = o.n.size();
    p.k = o.k.size();
    const int multiple = p.fp8 ? 16 : 8;
    if (p.k % multiple != 0) {
        throw usage_error("K is " + std::to_string(p.k) + ": it must be a multiple of " +
                          std::to_string(multiple));
    }
    constexpr int largest = examples::max_extent;
    if (p.n > largest / 2) {  // two halves, with rows below 2^31 bytes
        throw usage_error("N is " + std::to_string(p.n) + ": at most " +
                          std::to_string(largest / 2) + " is possible");
    }
    if (p.offsets.empty()) {
        p.offsets = random_offsets(p.tokens, p.experts, random);
    }
    if (p.tiles() > 1 << 27) {
        throw usage_error("M and N are too large: at most 2^27 tiles are possible");
    }
    // Two groups for each compute unit, which fit into the registers and, on gfx942, the LDS.
    p.groups = static_cast<int>(
        std::min<long long>(p.groups > 0 ? p.groups : 2 * examples::compute_units(), p.tiles()));
    if (p.fp8) {
        p.format = examples::device_fp8();
    }
}

// The steps with A and B of type T.
template <class T>
void set_steps(examples::tensor_example& e, const problem& p, const options& o,
               std::mt19937_64& random) {
    const auto matrix_of = [&](const std::vector<double>& values, std::size_t rows) {
        return values.empty() ? random_matrix<T>(p, rows, random) : to_device_type<T>(p, values);
    };
    const auto rows_of_b =
        static_cast<std::size_t>(p.experts) * static_cast<std::size_t>(p.rows_of_b());
    const auto of_a = std::make_shared<const matrix<T>>(
        matrix_of(o.a.values, static_cast<std::size_t>(p.tokens)));
    const auto of_b = std::make_shared<const matrix<T>>(matrix_of(o.b.values, rows_of_b));
    e.run = [&p, of_a, of_b](int iters) { return run(p, *of_a, *of_b, iters); };
    e.expect = [&p, of_a, of_b](std::vector<examples::tensor_output>& outputs) {
        expect(p, *of_a, *of_b, outputs[0]);
    };
}

}  // namespace

int main(int argc, char** argv) {
    options o;
    o.a.finite = o.b.finite = o.sizes.finite = true;
    problem p;
    examples::tensor_example e;
    e.formula = "D[M, N] = A[M, K] * B[expert of the row, N, K]^T";
    e.description = "rows sorted by expert, each expert with any number of them";
    e.extents = {&o.m, &o.n, &o.k, &o.experts};
    e.add_options = [&](CLI::App& app) {
        examples::add_name(app, "--type", o.type, type_names(),
                           "Type of A and B, fp8 with a scale for each row; D is bf16 (fp8)");
        examples::add_flag(app, "--gate", p.gate,
                           "1: B has 2 N rows, D = silu(first N) * (last N) (0)");
        examples::add_integer(app, "--groups", p.groups, 1, 65535, "INT",
                              "Workgroups, at most one for each tile (two for each compute unit)");
        o.a.add_to(app);
        o.b.add_to(app);
        o.sizes.add_to(app);
    };
    e.outputs = {"D"};
    e.prepare = [&](std::mt19937_64& random) {
        complete(p, o, random);
        p.fp8 ? set_steps<fp8_t>(e, p, o, random) : set_steps<bf16_t>(e, p, o, random);
        const std::string k = std::to_string(p.k) + "]";
        const std::string product = "A[" + std::to_string(p.tokens) + ", " + k + " * B[" +
                                    std::to_string(p.experts) + ", " +
                                    std::to_string(p.rows_of_b()) + ", " + k + "^T";
        return "D[" + std::to_string(p.tokens) + ", " + std::to_string(p.n) +
               "] = " + (p.gate ? "silu * up of " : "") + product + (p.fp8 ? ", fp8" : ", bf16");
    };
    e.plan = [&] {
        return std::to_string(p.tiles()) + " tiles of " + std::to_string(size) + " x " +
               std::to_string(p.gate ? half : size) + " for " + std::to_string(p.groups) +
               " groups";
    };
    return examples::tensor_main(argc, argv, e);
}
