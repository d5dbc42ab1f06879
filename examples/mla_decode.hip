// SPDX-License-Identifier: MIT
//
// mla_decode: multi-head latent attention (MLA) of decoding. All heads share one row of 576
// elements for each token: 512 latent ones and 64 of the rotary embedding. K is the whole row, V
// its first 512 elements: o = softmax(scale * q * K^T) * V. A sequence has 1 to 4 new tokens, each
// with 16 to 128 heads; a token sees the keys up to its own. Rows are bf16, or fp8 with one scale,
// in pages of 1, 16 or 64 that lie anywhere; a block table lists them. Read attention and
// paged_attention first. It teaches:
//
//  - One read of the cache for K and V. A workgroup brings a tile of 32 rows (gfx942: 16) into LDS,
//    as bf16: fp8 is converted once, on its way. A lane reads it twice: rows for the scores,
//    columns for o, on gfx950 by transposed reads.
//  - No exchange between waves. A wave has 16 rows of q and computes their scores for the whole
//    tile. Two or four waves compute the same scores, each for its own slice of o's columns. The
//    matrix cores have the time: memory is the limit.
//  - Loads one tile ahead, in registers: LDS holds a single tile. Each lane looks up one row of the
//    cache, two tiles ahead, so pages of one token cost no more than others.
//  - A sequence in parts that fill the device. A second kernel merges them: which workgroup comes
//    last does not matter, and no counter must be cleared, so a graph can replay both launches,
//    with other lengths, too.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/device_fp8.hpp"
#include "common/program.hpp"
#include "opus/hip_minimal.hpp"
#include "opus/opus_plus.hpp"

namespace {

using opus::bf16_t;
using opus::fp32_t;
using opus::fp8_t;
using opus::number;

constexpr int latent = 512;  // columns of V and o
constexpr int rope = 64;
constexpr int width = latent + rope;  // of q and of a row of the cache
constexpr int waves = 4;
constexpr int threads = waves * 64;
constexpr int step = 32;  // keys; a part has a multiple of them
constexpr fp32_t infinity = __builtin_huge_valf();
constexpr fp32_t no_key = -__FLT_MAX__;  // m of a part of which a row sees no key
constexpr int most_parts = 16 * 64;      // of a sequence: a lane of the merge for each

struct decode {
    const bf16_t* q;     // [sequences, tokens, heads, width]
    const void* cache;   // [pages, page, width] of Kv
    const int* lengths;  // [sequences], with the new tokens
    bf16_t* o;           // [sequences, tokens, heads, latent]
    fp32_t* part_o;      // [sequences, tokens, heads, parts, latent]
    fp32_t* part_ml;     // the same of two numbers
    opus::mdiv heads;
    int rows;  // tokens * heads
    int tokens;
    int table_pages;
    int page_log2;
    int part_keys;       // a multiple of `step`
    int parts;           // of the longest sequence that the table can hold
    fp32_t scale_log2e;  // c, of the scores
    fp32_t scale_o;
};

// Grid: (parts, blocks of rows, sequences). A workgroup has 16 * blocks rows of q. A sequence of
// one part is written to o, others to part_o and part_ml. The table is [sequences, table_pages].
// @pre tokens <= lengths[i] <= table_pages * page, or lengths[i] == 0: then o is not written;
//   rows of the cache up to lengths[i] are finite, also those that only the last of the tokens see
template <class Kv, int blocks>
__global__ __launch_bounds__(threads) void mla_decode_kernel(decode a,
                                                             const int* __restrict__ table) {
    using namespace opus;
    using opus::operator""_I;
    constexpr bool is_gfx950 = OPUS_HAS_LDS_TRANSPOSE_READ;
    constexpr int columns = latent * blocks / waves;  // of o, of this wave
    constexpr int keys = is_gfx950 ? 32 : 16;         // of a tile: what the instruction takes
    constexpr int rows_of_wave = keys / waves;        // of the cache, which a wave brings
    constexpr auto halves = number<keys / 16>{};
    const int lane = lane_id();
    const int wave = readfirstlane(thread_id_x() / 64);
    const int group = lane / 16;
    const int sequence = block_id_z();
    const int length = a.lengths[sequence];
    const int first = block_id_x() * a.part_keys;
    const int end = min(first + a.part_keys, length);
    if (first >= length) {
        return;
    }
    const int row = (block_id_y() * blocks + wave % blocks) * 16 + lane % 16;
    const int first_column = wave / blocks * columns;
    // The keys that all rows see, and that this lane's row sees.
    const int seen_by_all = min(end, length - a.tokens + 1);
    const int seen = min(end, length - a.tokens + 1 + static_cast<int>(a.heads.div(row)));

    // S = Q * K^T for 16 keys, O += P * V for a tile. Operands are swapped: lane l has row l % 16
    // of both, and the keys 4 * (l / 16) + 0 .. 3 of S. The S of a tile are its part of P, and V is
    // read in that order.
    constexpr auto qk = make_mfma<bf16_t, bf16_t, fp32_t>(16_I, 16_I, 32_I, mfma_adaptor_swap_ab{});
    constexpr auto pv =
        make_mfma<bf16_t, bf16_t, fp32_t>(16_I, 16_I, number<keys>{}, mfma_adaptor_swap_ab{});

    // -- from memory to LDS -----------------------------------------------------------------------
    // The 64 lanes of a wave load 8 elements each of the latent part of a row, and 8 lanes those of
    // the rotary part. So lane l finds out where row l / 8 is, of the 8 that this wave brings.
    const auto g_table = make_gmem(table + static_cast<long_index_t>(sequence) * a.table_pages,
                                   static_cast<unsigned>(a.table_pages) * 4);
    const auto key_of_lane = [&](int tile) {
        return min(tile + wave * rows_of_wave + lane / 8 % rows_of_wave, end - 1);
    };
    const auto page_at = [&](int tile) {
        return g_table.template load<1>(key_of_lane(tile) >> a.page_log2)[0];
    };
    const Kv* const cache = static_cast<const Kv*>(a.cache);
    using piece = vector_t<Kv, 8>;
    const auto bring = [&](int tile, int page) {
        const int in_page = key_of_lane(tile) & ((1 << a.page_log2) - 1);
        const int slot = (page << a.page_log2) + in_page;
        array<piece, rows_of_wave + 1> x;
        static_for<rows_of_wave>([&](auto i) {
            const long_index_t at = readlane(slot, i * 8_I);
            x[i] = make_gmem(cache + at * width, width * unsigned{sizeof(Kv)})
                       .template load<8>(lane * 8);
        });
        const Kv* const rotary = cache + static_cast<long_index_t>(slot) * width + latent;
        x[number<rows_of_wave>{}] = *reinterpret_cast<const piece*>(rotary + lane % 8 * 8);
        return x;
    };
    constexpr int pitch = width + 16;  // padded for the banks
    __shared__ __attribute__((aligned(16))) bf16_t lds[keys * pitch];
    const auto s_tile = make_smem(lds);
    const auto to_lds = [&](const array<piece, rows_of_wave + 1>& x) {
        static_for<rows_of_wave + 1>([&](auto i) {
            const int at = i < rows_of_wave
                               ? i * pitch + lane * 8
                               : lane / 8 % rows_of_wave * pitch + latent + lane % 8 * 8;
            const auto y = [&] {
                if constexpr (is_same_v<Kv, bf16_t>) {
                    return x[i];
                } else {  // bf16 represents all values of fp8
                    return cast<bf16_t>(cast<fp32_t>(x[i]), 2_I);
                }
            }();
            s_tile.template store<8>(y, wave * rows_of_wave * pitch + at);
        });
    };

    // -- from LDS to registers --------------------------------------------------------------------
    // 96 of the 576 columns of K: three operands of the first 16 keys and of the others.
    const auto read_k = [&](auto stage) {
        const auto u =
            make_layout(make_tuple(3_I, halves, 8_I), make_tuple(32_I, number<16 * pitch>{}, 1_I),
                        make_tuple(_, _, _)) +
            (lane % 16 * pitch + group * 8);
        return s_tile.template load<8>(u + stage * 96_I);
    };
    // 64 columns of V: four operands. On gfx942 a lane reads 4 columns of 4 keys, so the operands
    // are those of the columns 4 * (l % 16) + 0, 1, 2, 3.
    const auto read_v = [&](auto n) {
        const int at = group * 4 * pitch + first_column + n * 64;
        if constexpr (is_gfx950) {
            const auto u =
                make_layout(make_tuple(4_I, halves, 4_I),
                            make_tuple(16_I, number<16 * pitch>{}, 1_I), make_tuple(_, _, _)) +
                (lane % 16 / 4 * pitch + lane % 4 * 4 + at);
            return s_tile.template tr_load<4>(u, no_dma_wait{});
        } else {
            const auto u = make_layout(make_tuple(halves, 4_I, 4_I),
                                       make_tuple(number<16 * pitch>{}, number<pitch>{}, 1_I),
                                       make_tuple(_, _, _)) +
                           (lane % 16 * 4 + at);
            return s_tile.template load<4>(u);
        }
    };
    const auto v_operand = [&](const auto& v, auto i) {
        if constexpr (is_gfx950) {
            return slice(v, i * 8_I, i * 8_I + 8_I);
        } else {
            return slice(v, i, 16_I, 4_I);
        }
    };

    // -- the loop over tiles ----------------------------------------------------------------------
    // m is a score close to the largest one so far, as in attention: P = exp2(c * (S - m)) may
    // reach 2^8.
    array<fp32x4_t, columns / 16> o{};
    fp32_t l = 0;              // of the keys that this lane has
    fp32_t m = -infinity;      // of the row, as long as it has seen no key
    fp32_t minus_mc = 0;       // -c * m, but 0 then
    fp32_t limit = -infinity;  // m + 8 / c
    int page = page_at(first);
    keep_order();  // the loads of the first tile before those of q
    auto next = bring(first, page);
    page = page_at(first + keys);
    keep_order();
    constexpr int stages = width / 96;
    const auto u_q = make_layout(make_tuple(number<width / 32>{}, 8_I), make_tuple(32_I, 1_I),
                                 make_tuple(_, _)) +
                     (row * width + group * 8);
    const auto q = make_gmem(a.q + static_cast<long_index_t>(sequence) * a.rows * width,
                             static_cast<unsigned>(a.rows) * width * 2)
                       .template load<8>(u_q);  // rows behind the last one are 0
    // Here, so that the compiler does not wait for q, and so for the next tile, in the loop.
    s_waitcnt_vmcnt(0_I);
    for (int tile = first; tile < end; tile += keys) {
        lds_barrier();  // all waves have read the tile before
        to_lds(next);
        lds_barrier();
        if (tile + keys < end) {
            next = bring(tile + keys, page);
            page = page_at(tile + 2 * keys);
        }
        // Reads are a stage ahead of the products.
        array<fp32x4_t, halves.value> of_16{};
        auto k = read_k(0_I);
        static_for<stages>([&](auto stage) {
            const auto now = k;
            if constexpr (stage + 1 < stages) {
                k = read_k(stage + 1_I);
            }
            keep_order();
            static_ford<3, halves.value>([&](auto i, auto n) {
                const auto of_q = (stage * 3_I + i) * 8_I;
                const auto of_k = (i * halves + n) * 8_I;
                of_16[n] = qk(slice(q, of_q, of_q + 8_I), slice(now, of_k, of_k + 8_I), of_16[n]);
            });
        });
        auto v = read_v(0_I);
        keep_order();
        settle(of_16);
        auto s = to_vector(of_16);
        if (tile + keys > seen_by_all) {
            static_for<keys / 4>([&](auto i) {
                constexpr int of_lane_0 = i.value / 4 * 16 + i.value % 4;
                s[i.value] = of_lane_0 < seen - tile - 4 * group ? s[i.value] : -infinity;
            });
        }
        const fp32_t top = reduce(s, maximum{});
        if (wave_any(top > limit)) {
            const fp32_t higher = reduce_lanes(opus::max(m, top), maximum{}, 48_I);
            const fp32_t minus = higher == -infinity ? 0.0f : -higher * a.scale_log2e;
            const fp32_t factor = m == -infinity ? 0.0f : opus::exp2(minus - minus_mc);
            static_for<columns / 16>([&](auto i) { o[i] *= factor; });
            l *= factor;
            m = higher;
            minus_mc = minus;
            limit = m + 8 / a.scale_log2e;
        }
        const auto weights = opus::exp2(s * a.scale_log2e + minus_mc);
        l += reduce(weights, plus{});
        const auto p = cast<bf16_t>(weights, 5_I);
        static_for<columns / 64>([&](auto n) {
            const auto now = v;
            if constexpr (n + 1 < columns / 64) {
                v = read_v(n + 1_I);
            }
            keep_order();
            static_for<4>([&](auto i) {
                const auto j = n * 4_I + i;
                o[j] = pv(p, v_operand(now, i), o[j]);
            });
        });
    }
    settle(o);

    // -- from registers to memory -----------------------------------------------------------------
    // On gfx950 a lane has 4 consecutive columns of each operand, on gfx942 16 of each four. Rows
    // behind the last one are outside the buffers.
    constexpr int run = is_gfx950 ? 4 : 16;
    vector_t<fp32_t, columns / 4> mine;
    static_ford<columns / 16, 4>([&](auto j, auto i) {
        constexpr int at =
            is_gfx950 ? j.value * 4 + i.value : j.value / 4 * 16 + i.value * 4 + j.value % 4;
        mine[at] = o[j][i.value];
    });
    const auto u_o = make_layout(make_tuple(number<columns / 4 / run>{}, number<run>{}),
                                 make_tuple(number<4 * run>{}, 1_I), make_tuple(_, _)) +
                     (first_column + group * run);
    const fp32_t sum = reduce_lanes(l, plus{}, 48_I);
    const long_index_t first_row = static_cast<long_index_t>(sequence) * a.rows;
    if (length <= a.part_keys) {
        make_gmem(a.o + first_row * latent, static_cast<unsigned>(a.rows) * latent * 2)
            .template store<4>(cast<bf16_t>(mine * (a.scale_o / sum), 5_I), u_o + row * latent);
    } else {
        const long_index_t part = first_row * a.parts + block_id_x();
        const auto places = static_cast<unsigned>((a.rows - 1) * a.parts + 1);
        make_gmem(a.part_o + part * latent, places * latent * 4)
            .template store<4>(mine, u_o + row * a.parts * latent);
        if (wave < blocks && group == 0) {
            make_gmem(a.part_ml + part * 2, places * 8)
                .template store<2>(fp32x2_t{m == -infinity ? no_key : -minus_mc, sum},
                                   row * a.parts * 2);
        }
    }
}

// Merges the parts of each sequence that has several. Grid: (4 * rows, sequences). A workgroup has
// 128 columns, two for each lane; its waves share the parts.
template <int merging>
__global__ __launch_bounds__(merging * 64) void merge_kernel(decode a) {
    using namespace opus;
    using opus::operator""_I;
    constexpr int under_way = 8;  // loads
    const int length = a.lengths[block_id_y()];
    const int parts = (length + a.part_keys - 1) / a.part_keys;
    if (parts <= 1) {
        return;
    }
    const int column = block_id_x() % 4 * 128 + lane_id() * 2;
    const long_index_t row = static_cast<long_index_t>(block_id_y()) * a.rows + block_id_x() / 4;
    const int of_wave = (parts + merging - 1) / merging;
    const int wave = readfirstlane(thread_id_x() / 64);
    const int first = wave * of_wave;
    const int n = clamp(parts - first, 0, of_wave);  // at most 64

    // Lane i has the weight of part i. Behind the last one all is 0.
    const auto ml = make_gmem(a.part_ml + (row * a.parts + first) * 2, static_cast<unsigned>(n) * 8)
                        .template load<2>(lane_id() * 2);
    const fp32_t m = reduce_wave(lane_id() < n ? ml[0] : no_key, maximum{});
    const fp32_t weight = lane_id() < n ? opus::exp2(ml[0] - m) : 0;
    const auto g_o = make_gmem(a.part_o + (row * a.parts + first) * latent,
                               static_cast<unsigned>(n) * latent * 4);
    fp32x2_t o{};
    for (int i = 0; i < n; i += under_way) {
        array<fp32x2_t, under_way> x;
        static_for<under_way>(
            [&](auto j) { x[j] = g_o.template load<2>(column, (i + j) * latent); });
        static_for<under_way>([&](auto j) { o += readlane(weight, i + j) * x[j]; });
    }

    __shared__ __attribute__((aligned(16))) fp32_t lds[merging * 64 * 4];
    const auto place = make_smem(lds);
    place.template store<4>(fp32x4_t{o[0], o[1], m, reduce_wave(weight * ml[1], plus{})},
                            thread_id_x() * 4);
    lds_barrier();
    if (wave == 0) {
        array<fp32x4_t, merging> of_waves;
        fp32_t largest = no_key;
        static_for<merging>([&](auto i) {
            of_waves[i] = place.template load<4>(i * 256 + lane_id() * 4);
            largest = opus::max(largest, of_waves[i][2]);
        });
        fp32x4_t all{};
        static_for<merging>(
            [&](auto i) { all += of_waves[i] * opus::exp2(of_waves[i][2] - largest); });
        const fp32x2_t result = all.lo * (a.scale_o / all[3]);
        make_gmem(a.o + row * latent, latent * 2u)
            .template store<2>(cast<bf16_t>(result, 5_I), column);
    }
}

// == host =========================================================================================

constexpr int longest = 1 << 20;  // keys

struct decode_problem {
    int heads = 16;
    int tokens = 1;
    int page = 64;
    int pages = 0;      // of the cache
    int part_keys = 0;  // 0: plan_part_keys()
    bool fp8 = false;   // the cache; else bf16
    examples::fp8_format format;
    float scale = 0;     // of the scores, with that of the cache; 0: 1 / sqrt(192)
    float scale_kv = 0;  // 0: 1
    std::vector<int> lengths{1000, 77, 4, 300};
    std::vector<int> table;    // [sequences, table_pages()]
    std::vector<double> q;     // [sequences, rows(), width]
    std::vector<float> cache;  // [pages, page, width], in units of the scale

    int sequences() const { return static_cast<int>(lengths.size()); }
    int rows() const { return tokens * heads; }
    int blocks() const { return rows() <= 16 ? 1 : 2; }
    int row_groups() const { return (rows() - 1) / (16 * blocks()) + 1; }
    int longest_length() const { return *std::max_element(lengths.begin(), lengths.end()); }
    int table_pages() const { return (longest_length() + page - 1) / page; }
    int parts() const { return (table_pages() * page - 1) / part_keys + 1; }
    double total_keys() const { return std::accumulate(lengths.begin(), lengths.end(), 0.0); }
    // Where a key of a sequence is in the cache.
    std::size_t row_of(int sequence, int key) const {
        const int entry = table[static_cast<std::size_t>(sequence * table_pages() + key / page)];
        return (static_cast<std::size_t>(entry) * static_cast<std::size_t>(page) +
                static_cast<std::size_t>(key % page)) *
               std::size_t{width};
    }
};

// The number of keys in a part: few enough that each compute unit has two groups, but at least 128.
int plan_part_keys(const decode_problem& p) {
    const double of_group = p.total_keys() * p.row_groups() / (2.0 * examples::compute_units());
    const double least = std::max(128.0, p.longest_length() / double{most_parts - 1});
    return static_cast<int>(std::ceil(std::max(of_group, least) / step)) * step;
}

// How many waves share the parts of a row: more if the rows are few.
int merging_waves(const decode_problem& p) {
    const bool are_few = 4 * p.rows() * p.sequences() < 2 * examples::compute_units();
    return p.parts() > 256 || (p.parts() > 32 && are_few) ? 16 : p.parts() > 8 ? 4 : 1;
}

using decode_kernel = void (*)(decode, const int*);
template <class Kv>
decode_kernel kernel_of(int blocks) {
    return blocks == 1 ? mla_decode_kernel<Kv, 1> : mla_decode_kernel<Kv, 2>;
}

// The buffers of a problem, and its launch on a stream.
template <class Kv>
struct decode_run {
    const examples::device_buffer<bf16_t> q;
    const examples::device_buffer<Kv> cache;
    const examples::device_buffer<int> table;
    const examples::device_buffer<int> lengths;
    examples::device_buffer<float> part_o;
    examples::device_buffer<float> part_ml;
    examples::device_buffer<bf16_t> o;
    decode arguments;
    decode_kernel kernel;
    int merging;
    unsigned row_groups;
    unsigned sequences;

    static std::size_t slots(const decode_problem& p) {
        return p.parts() == 1 ? 1
                              : p.lengths.size() * static_cast<std::size_t>(p.parts() * p.rows());
    }
    static std::vector<Kv> codes_of(const decode_problem& p) {
        return examples::transformed<Kv>(p.cache, [&](float x) {
            if constexpr (opus::is_same_v<Kv, fp8_t>) {
                return p.format.encode(static_cast<double>(x));
            } else {
                return opus::cast<bf16_t>(x);
            }
        });
    }

    explicit decode_run(const decode_problem& p)
        : q(examples::to<bf16_t>(p.q)),
          cache(codes_of(p)),
          table(p.table),
          lengths(p.lengths),
          part_o(slots(p) * latent),
          part_ml(slots(p) * 2),
          o(p.lengths.size() * static_cast<std::size_t>(p.rows()) * latent),
          kernel(kernel_of<Kv>(p.blocks())),
          merging(merging_waves(p)),
          row_groups(static_cast<unsigned>(p.row_groups())),
          sequences(static_cast<unsigned>(p.sequences())) {
        part_o.fill_unwritten(0xff);  // NaN: what no lane writes is seen
        part_ml.fill_unwritten(0xff);
        o.fill_unwritten(0xff);
        constexpr double log2e = 1.44269504088896341;
        arguments = {q.data(),
                     cache.data(),
                     lengths.data(),
                     o.data(),
                     part_o.data(),
                     part_ml.data(),
                     static_cast<unsigned>(p.heads),
                     p.rows(),
                     p.tokens,
                     p.table_pages(),
                     p.page == 1    ? 0
                     : p.page == 16 ? 4
                                    : 6,
                     p.part_keys,
                     p.parts(),
                     static_cast<float>(static_cast<double>(p.scale) * log2e),
                     p.scale_kv};
    }

    void launch(hipStream_t stream) const {
        const auto parts = static_cast<unsigned>(arguments.parts);
        // Workgroups that are a multiple of 8 apart are on the same die, and share the keys in its
        // L2.
        const unsigned places = row_groups == 1 ? parts : (parts + 7) / 8 * 8;
        kernel<<<dim3(places, row_groups, sequences), threads, 0, stream>>>(arguments,
                                                                            table.data());
        if (parts > 1) {
            const auto merge = merging == 16  ? merge_kernel<16>
                               : merging == 4 ? merge_kernel<4>
                                              : merge_kernel<1>;
            const auto merge_threads = static_cast<unsigned>(merging * 64);
            merge<<<dim3(static_cast<unsigned>(4 * arguments.rows), sequences), merge_threads, 0,
                    stream>>>(arguments);
        }
    }
};

template <class Kv>
examples::tensor_result run_kernels(const decode_problem& p, int iters) {
    const decode_run<Kv> run(p);
    examples::tensor_result result;
    result.milliseconds =
        examples::time_launches(iters, "mla_decode", [&] { run.launch(nullptr); });
    result.least_bytes = 2.0 * static_cast<double>(p.q.size()) +
                         2.0 * p.sequences() * p.rows() * latent +
                         p.total_keys() * width * sizeof(Kv);
    result.add(examples::shape_of({p.sequences(), p.tokens, p.heads, latent}), run.o.result());
    return result;
}

// Tolerance, with u = 2^-23, more than an operation on f32 loses of its result. It is that of the
// example attention (attention.hip tells more): of a row with the scores s and S, the largest sum
// of |q * k|, an exponent c * (s - m) is off by c * S * (width + 6) * u, for the sums of products,
// the rounding of c * m and that of the fused operation, and each time that m changes, in the loop
// or where parts are merged, by the rounding of a difference: m only grows, so all of that is of 2
// * c * S at most. A weight so is off by a factor of 1 + w, which has u for each exp2 and each
// product as well. It loses 2^-8 by rounding to bf16, but not in l; one below 2^-126 is 0. The sums
// lose less than u for each key. In the end there are a quotient and two products.
//
// Of O = sum(weight * v) / sum(weight), all of that is of A, the same with |v|.
struct row_reference {
    std::vector<double> o;
    std::vector<double> allowed;
};

row_reference reference_of(const decode_problem& p, int sequence, int row) {
    const int length = p.lengths[static_cast<std::size_t>(sequence)];
    const int seen = length - p.tokens + 1 + row / p.heads;
    const double* const q =
        &p.q[(static_cast<std::size_t>(sequence) * static_cast<std::size_t>(p.rows()) +
              static_cast<std::size_t>(row)) *
             std::size_t{width}];
    std::vector<double> weights(static_cast<std::size_t>(seen));
    double largest = -std::numeric_limits<double>::infinity();
    double largest_sum = 0;
    for (int key = 0; key < seen; ++key) {
        const float* const k = &p.cache[p.row_of(sequence, key)];
        double score = 0;
        double sum = 0;
        for (std::size_t i = 0; i < std::size_t{width}; ++i) {
            const double x = q[i] * static_cast<double>(k[i]);
            score += x;
            sum += std::fabs(x);
        }
        weights[static_cast<std::size_t>(key)] = static_cast<double>(p.scale) * score;
        largest = std::fmax(largest, static_cast<double>(p.scale) * score);
        largest_sum = std::fmax(largest_sum, sum);
    }
    double sum = 0;
    for (double& weight : weights) {
        weight = std::exp(weight - largest);
        sum += weight;
    }
    row_reference result{std::vector<double>(latent), std::vector<double>(latent)};
    std::vector<double> all(latent);
    for (int key = 0; key < seen; ++key) {
        const float* const v = &p.cache[p.row_of(sequence, key)];
        const double weight = weights[static_cast<std::size_t>(key)] / sum;
        for (std::size_t i = 0; i < std::size_t{latent}; ++i) {
            const auto x = static_cast<double>(v[i]);
            result.o[i] += weight * x;
            result.allowed[i] += weight * std::fabs(x);
            all[i] += std::fabs(x);
        }
    }
    constexpr double u = 0x1p-23;
    constexpr double ln2 = 0.693147180559945309;
    const double exponent = static_cast<double>(p.scale) / ln2 * largest_sum * (width + 6) * u;
    const double changes = std::min(p.part_keys, length) / 16.0 + 1 +  // of m, in a part,
                           2;                                          // and merged
    const double w = std::expm1(exponent * ln2) + (1 + 3 * changes) * u;
    const double in_sum = length * u;
    const double relative =
        w < 1 && in_sum < 1
            ? (1 + w) * (1 + 0x1p-8) * (1 + in_sum) * (1 + 3 * u) / ((1 - w) * (1 - in_sum)) - 1
            : std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < std::size_t{latent}; ++i) {
        result.o[i] *= static_cast<double>(p.scale_kv);
        result.allowed[i] =
            static_cast<double>(p.scale_kv) * (relative * result.allowed[i] + 0x1p-117 * all[i]);
    }
    return result;
}

void expect_attention(const decode_problem& p, std::vector<examples::tensor_output>& outputs) {
    examples::parallel_for(p.sequences() * p.rows(), [&](int at) {
        const row_reference r = reference_of(p, at / p.rows(), at % p.rows());
        for (std::size_t i = 0; i < std::size_t{latent}; ++i) {
            outputs[0].expect_near(static_cast<std::size_t>(at) * latent + i, r.o[i], r.allowed[i],
                                   examples::element::bf16);
        }
    });
}

struct decode_options {
    std::optional<std::string> q;
    std::optional<std::string> cache;
    std::optional<std::string> table;
};

// "1000,7x3": 1000, 7, 7 and 7.
std::vector<int> parse_lengths(const std::string& text) {
    std::vector<int> lengths;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        const std::string item = text.substr(begin, end - begin);
        const std::size_t times = std::min(item.find('x'), item.size());
        const int length = examples::parse_integer("-n", item.substr(0, times), 1, longest);
        const int count = times == item.size()
                              ? 1
                              : examples::parse_integer("-n", item.substr(times + 1), 1, 65535);
        lengths.insert(lengths.end(), static_cast<std::size_t>(count), length);
        begin = end + 1;
    }
    return lengths;
}

// The entries of a file, all of them pages of the cache.
std::vector<int> table_of_file(const decode_problem& p, const std::optional<std::string>& file,
                               std::mt19937_64& random) {
    const auto table_pages = static_cast<std::size_t>(p.table_pages());
    const auto entries = examples::tensor_values(
        file, {p.lengths.size(), table_pages}, [](double x) { return x; }, 1, random);
    std::vector<int> table(entries.size(), -1);
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const bool is_used =
            static_cast<int>(i % table_pages) * p.page < p.lengths[i / table_pages];
        const bool is_page =
            entries[i] >= 0 && entries[i] < p.pages && entries[i] == std::floor(entries[i]);
        if (is_used && !is_page) {
            throw examples::usage_error("the table has an entry that is none of the " +
                                        std::to_string(p.pages) + " pages");
        }
        table[i] = is_used ? static_cast<int>(entries[i]) : -1;
    }
    return table;
}

// The rest of a problem whose options are there.
void complete(decode_problem& p, const decode_options& options, std::mt19937_64& random) {
    const int shortest = *std::min_element(p.lengths.begin(), p.lengths.end());
    if (shortest < p.tokens) {
        throw examples::usage_error("a sequence of " + std::to_string(shortest) +
                                    " keys has no room for " + std::to_string(p.tokens) +
                                    " new tokens");
    }
    if (p.lengths.size() > 65535) {
        throw examples::usage_error("there may be at most 65535 sequences");
    }
    if (!p.fp8 && p.scale_kv != 0) {
        throw examples::usage_error("--scale-kv is for --type fp8");
    }
    p.scale_kv = p.scale_kv != 0 ? p.scale_kv : 1;
    p.scale = (p.scale != 0 ? p.scale : static_cast<float>(1 / std::sqrt(192.0))) * p.scale_kv;
    if (p.fp8) {
        p.format = examples::device_fp8();
    }
    if (p.part_keys == 0) {
        p.part_keys = plan_part_keys(p);
    } else if (p.part_keys % step != 0) {
        throw examples::usage_error("--part-keys must be a multiple of " + std::to_string(step));
    }
    if (p.parts() > most_parts) {
        throw examples::usage_error("--part-keys " + std::to_string(p.part_keys) + " makes " +
                                    std::to_string(p.parts()) + " parts, more than " +
                                    std::to_string(most_parts));
    }

    // The table: pages in random order, and two that no sequence uses.
    const auto table_pages = static_cast<std::size_t>(p.table_pages());
    std::size_t used = 0;
    for (const int length : p.lengths) {
        used += static_cast<std::size_t>((length - 1) / p.page + 1);
    }
    const std::size_t pages =
        options.cache ? examples::tensor_file_shape(*options.cache, 3)[0] : used + 2;
    if (pages * static_cast<std::size_t>(p.page) >= std::size_t{1} << 31) {
        throw examples::usage_error("the cache must have less than 2^31 rows");
    }
    p.pages = static_cast<int>(pages);
    if (options.table) {
        p.table = table_of_file(p, options.table, random);
    } else {
        if (pages < used) {
            throw examples::usage_error(std::to_string(pages) + " pages are less than the " +
                                        std::to_string(used) + " that the sequences need");
        }
        std::vector<int> order(pages);
        std::iota(order.begin(), order.end(), 0);
        std::shuffle(order.begin(), order.end(), random);
        p.table.resize(p.lengths.size() * table_pages);
        for (std::size_t i = 0, next = 0; i < p.table.size(); ++i) {
            const int key = static_cast<int>(i % table_pages) * p.page;
            p.table[i] = key < p.lengths[i / table_pages] ? order[next++] : -1;
        }
    }

    const auto to_bf16 = [](double x) { return examples::round_to(examples::element::bf16, x); };
    const auto extent = [](int x) { return static_cast<std::size_t>(x); };
    p.q = examples::tensor_values(
        options.q, {p.lengths.size(), extent(p.tokens), extent(p.heads), extent(width)}, to_bf16, 8,
        random);
    if (!options.q) {
        for (double& x : p.q) {
            x *= 4;  // some keys count more than others
        }
    }
    const std::size_t elements = pages * extent(p.page) * extent(width);
    if (options.cache) {
        const auto round = [&](double x) { return p.fp8 ? p.format.round(x) : to_bf16(x); };
        const std::vector<double> values = examples::tensor_values(
            options.cache, {pages, extent(p.page), extent(width)}, round, 8, random);
        p.cache.assign(values.begin(), values.end());
        return;
    }
    // Multiples of 2^-7, or of 2^-3, in [-1, 1), eight from each random number. Rows that no
    // sequence uses are NaN, so that reading one shows.
    p.cache.assign(elements, std::numeric_limits<float>::quiet_NaN());
    for (int sequence = 0; sequence < p.sequences(); ++sequence) {
        for (int key = 0; key < p.lengths[extent(sequence)]; ++key) {
            float* const row = &p.cache[p.row_of(sequence, key)];
            for (int i = 0; i < width; i += 8) {
                const std::uint64_t bits = random();
                for (int j = 0; j < 8; ++j) {
                    const auto byte = static_cast<std::int8_t>(bits >> (8 * j));
                    row[i + j] =
                        p.fp8 ? static_cast<float>(byte >> 4) / 8 : static_cast<float>(byte) / 128;
                }
            }
        }
    }
}

}  // namespace

int main(int argc, char** argv) {
    decode_options options;
    decode_problem p;
    examples::tensor_example e;
    e.formula = "o[heads, 512] = softmax(scale * q[heads, 576] * K[N, 576]^T) * K[N, 0:512]";
    e.description = "MLA: 1 to 4 new tokens of each sequence, K in pages; memory is read once";
    e.outputs = {"o"};
    e.add_options = [&](CLI::App& app) {
        using namespace examples;
        add_option(app, "-n", "INT[xINT],... keys",
                   "Length of each sequence, or of several: 512x64 (1000,77,4,300)",
                   [&](const std::string& given) { p.lengths = parse_lengths(given); });
        add_integer(app, "--heads", p.heads, 1, 128, "INT", "Heads of q and o (16)");
        add_integer(app, "--tokens", p.tokens, 1, 4, "INT",
                    "New tokens at the end of each sequence (1)");
        add_one_of(app, "--page", p.page, {1, 16, 64}, "keys", "Length of a page (64)");
        add_name(app, "--type", p.fp8, {"bf16", "fp8"}, "Type of K (bf16)");
        add_integer(app, "--part-keys", p.part_keys, step, longest, "INT keys",
                    "Length of a part, a multiple of 32 (so that parts fill the device)");
        add_factor(app, "--scale", p.scale, "Factor of the scores (1 / sqrt(192))");
        add_factor(app, "--scale-kv", p.scale_kv, "Scale of K in fp8 (1)");
        add_file(app, "--q", options.q, "Read q[sequences, tokens, heads, 576]");
        add_file(app, "--cache", options.cache, "Read K[pages, page, 576]");
        add_file(app, "--table", options.table, "Read the pages of each sequence");
    };
    e.prepare = [&](std::mt19937_64& random) {
        complete(p, options, random);
        char text[256];
        std::snprintf(
            text, sizeof(text),
            "%d sequences of %d to %d keys, %d x %d heads, %s in pages of %d, parts of %d keys",
            p.sequences(), *std::min_element(p.lengths.begin(), p.lengths.end()),
            p.longest_length(), p.tokens, p.heads, p.fp8 ? "fp8" : "bf16", p.page, p.part_keys);
        return std::string(text);
    };
    e.run = [&](int iters) {
        return p.fp8 ? run_kernels<fp8_t>(p, iters) : run_kernels<bf16_t>(p, iters);
    };
    e.expect = [&](std::vector<examples::tensor_output>& outputs) { expect_attention(p, outputs); };
    return examples::tensor_main(argc, argv, e);
}
