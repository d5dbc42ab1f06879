// SPDX-License-Identifier: MIT
//
// paged_attention: the attention of decoding. Each sequence has one new token, whose queries see
// all keys so far: o = softmax(scale * q * K^T) * V. K and V are in pages of 16 or 32 keys, which
// may lie anywhere; a block table lists them. Up to 16 heads of q share one of K and V. The cache
// is bf16, or fp8 with a scale for K and one for V.
//
// Each byte of K and V is used once, so memory alone limits the kernel. Read softmax first, and
// attention for the running softmax, which is the same here. It teaches:
//
//  - Operands straight from memory. A lane loads 16 bytes of K where the matrix instruction needs
//    them. The loop has neither LDS nor barriers, and each wave goes on as its own loads arrive.
//    Any lane may hold any d of the products, as long as q has the same assignment.
//  - V by rows, although the second product needs columns: a lane loads the same few columns of
//    eight keys and transposes them with v_perm_b32. The eight keys are those whose weights it has.
//  - Rows that a query does not see cost nothing: a page's buffer ends with the last key.
//  - A sequence in parts, so that one long sequence fills the device: each group takes a part, and
//    its four waves take tiles of 32 keys in turn. A part leaves its largest score, its sum and its
//    o. The waves of a group join theirs in LDS, lane by lane; a second kernel joins the parts.
//
// With one head for K and V, 15 of the instruction's 16 rows are wasted; they cost no bytes.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/device_fp8.hpp"
#include "common/program.hpp"
#include "common/small.hpp"
#include "opus/hip_minimal.hpp"
#include "opus/opus_plus.hpp"

namespace {

using opus::bf16_t;
using opus::fp32_t;
using opus::fp8_t;

constexpr int waves = 4;
constexpr int threads = waves * 64;
constexpr int keys = 32;            // of a tile, which a wave takes at a time
constexpr int step = waves * keys;  // of the group

template <class Kv>
struct decode {
    const bf16_t* q;     // [sequences, kv_heads, rows, d], as o
    const Kv* k;         // [pages, kv_heads, page, d]
    const Kv* v;         // the same
    const int* lengths;  // [sequences]
    bf16_t* o;
    fp32_t* part_o;   // [sequences, kv_heads, parts, rows, d]
    fp32_t* part_ml;  // the same of m and l
    int kv_heads;
    int rows;  // heads of q for one of K and V, 1 to 16
    int table_pages;
    int part_keys;       // a multiple of `step`
    int parts;           // of a sequence, at most
    fp32_t scale_log2e;  // of the scores
    fp32_t scale_v;
};

// The result of a softmax over some keys: m, the largest score; l, the sum of the weights
// 2^(score - m); and n elements of the sum of the weights times v.
template <int n>
struct softmax_part {
    fp32_t m;
    fp32_t l;
    opus::vector_t<fp32_t, n> o;
};
constexpr fp32_t no_key = -__FLT_MAX__;  // m of no keys: finite, so that no_key - no_key is 0

template <int n>
OPUS_D softmax_part<n> join(const softmax_part<n>& x, const softmax_part<n>& y) {
    const fp32_t m = opus::max(x.m, y.m);
    const fp32_t of_x = opus::exp2(x.m - m);
    const fp32_t of_y = opus::exp2(y.m - m);
    return {m, x.l * of_x + y.l * of_y, x.o * of_x + y.o * of_y};
}

// Joins the results of four waves, lane by lane, in wave 0: waves 2 and 3 give theirs to 0 and 1,
// then wave 1 to 0, in the place that it has just read. A lane reads what the lane of the same
// number has written, so any order without bank conflicts will do.
template <int n>
OPUS_D softmax_part<n> join_waves(softmax_part<n> x, int wave) {
    using namespace opus;
    __shared__ __attribute__((aligned(16))) fp32_t lds[2][64 * (n + 2)];
    const auto u =
        make_layout(make_tuple(number<n + 2>{}), make_tuple(64_I), make_tuple(_)) + lane_id();
    static_for<2>([&](auto round) {
        constexpr int half = waves / 2 >> round.value;
        const auto place = make_smem(lds[round == 0 ? wave % 2 : 1]);
        if (wave >= half && wave < 2 * half) {
            place.store(concat_vector(x.o, fp32x2_t{x.m, x.l}), u);
        }
        lds_barrier();
        if (wave < half) {
            const auto y = place.load(u);
            x = join(x, {y[n], y[n + 1], slice(y, number<n>{})});
        }
    });
    return x;
}

// Grid: (parts, kv_heads, sequences). If a sequence has only one part, it is written to o,
// otherwise to part_o and part_ml. The table is [sequences, table_pages]. (__restrict__ makes the
// compiler use scalar loads for it even behind the barrier.)
// @pre 1 <= lengths[i] <= table_pages * page
template <class Kv, int d, int page>
__global__ __launch_bounds__(threads) void paged_attention_kernel(decode<Kv> a,
                                                                  const int* __restrict__ table) {
    using namespace opus;
    using opus::operator""_I;
    const int wave = readfirstlane(thread_id_x() / 64);
    const int length = a.lengths[block_id_z()];
    const int first = block_id_x() * a.part_keys;
    const int end = min(first + a.part_keys, length);
    if (first >= length) {
        return;
    }
    const long_index_t pair = static_cast<long_index_t>(block_id_z()) * a.kv_heads + block_id_y();
    const long_index_t first_row = pair * a.rows;

    // S = Q * K^T for 16 keys, O += P * V for 32. Operands are swapped: lane l has row l % 16 of
    // both, a head, and the keys 4 * (l / 16) + 0 .. 3 of S. From two consecutive S it has eight of
    // 32 keys. They are the operand P without being moved, and V is loaded in that order.
    constexpr auto mma =
        make_mfma<bf16_t, bf16_t, fp32_t>(16_I, 16_I, 32_I, mfma_adaptor_swap_ab{});
    // Codes of fp8 are converted to f32 and then to bf16, which represents all of their values.
    // (Values of a bf16 cache stay as they are, which is better on gfx950.)
    using wide_t = std::conditional_t<is_same_v<Kv, fp8_t>, fp32_t, bf16_t>;
    const auto to_bf16 = [](const auto& x) { return cast<bf16_t>(x, 2_I); };
    const int row = lane_id() % 16;
    const int group = lane_id() / 16;

    // -- from memory to registers -----------------------------------------------------------------
    // A lane's part of 16 rows of K: 16 bytes at a time. Of V, consecutive columns of four of 16
    // keys.
    constexpr auto vec = number<16 / sizeof(Kv)>{};
    constexpr auto columns = number<d / 16>{};
    constexpr auto sixteens = number<page / 16>{};  // of a page
    const auto part_of_k =
        make_layout(make_tuple(sixteens, number<d / 4>{} / vec, vec),
                    make_tuple(number<16 * d>{}, 4_I * vec, 1_I), make_tuple(_, _, _)) +
        (row * d + group * vec);
    const auto part_of_v =
        make_layout(make_tuple(sixteens, 4_I, columns),
                    make_tuple(number<16 * d>{}, number<d>{}, 1_I), make_tuple(_, _, _)) +
        (group * 4 * d + row * columns);
    const int* const entries = table + static_cast<long_index_t>(block_id_z()) * a.table_pages;
    const auto pages_at = [&](int key) {  // of a tile; behind the end its last one
        array<int, keys / page> at;
        static_for<keys / page>(
            [&](auto i) { at[i] = entries[min(key / page + i.value, (length - 1) / page)]; });
        return at;
    };
    // The buffer of a page ends where the part ends, and may be empty.
    const auto load = [&](const Kv* cache, auto n, const auto& u, const auto& at, int key) {
        array<vector_t<Kv, page * d / 64>, keys / page> tile;
        static_for<keys / page>([&](auto i) {
            const auto rows = static_cast<unsigned>(max(end - key - i.value * page, 0));
            const long_index_t head = static_cast<long_index_t>(at[i]) * a.kv_heads + block_id_y();
            tile[i] = make_gmem(cache + head * (page * d), rows * d * unsigned{sizeof(Kv)})
                          .template load<n.value>(u);
        });
        return to_vector(tile);
    };
    const unsigned row_bytes = static_cast<unsigned>(a.rows) * d * 2;
    // Each wave loads 8 elements of q for each lane, and all waves read q from LDS.
    __shared__ __attribute__((aligned(16))) bf16_t lds_q[16 * d];
    if (wave < d / 32) {
        const int column = wave * 8 / vec * (4 * vec) + group * vec + wave * 8 % vec;
        const auto x = make_gmem(a.q + first_row * d, row_bytes).template load<8>(row * d + column);
        make_smem(lds_q).template store<8>(x, thread_id_x() * 8);
    }
    lds_barrier();
    const auto q = make_smem(lds_q).template load<8>(
        make_layout(make_tuple(number<d / 32>{}, 8_I), make_tuple(512_I, 1_I), make_tuple(_, _)) +
        lane_id() * 8);

    // -- the loop over tiles ----------------------------------------------------------------------
    // The loads of the next tile's K and V are issued as soon as their registers are free, those of
    // the table one tile earlier.
    array<fp32x4_t, columns> o{};
    fp32_t m = no_key;  // of the row
    fp32_t l = 0;       // of the keys that this lane has
    int key = first + wave * keys;
    const auto at = pages_at(key);
    auto next = pages_at(key + step);
    auto k = load(a.k, vec, part_of_k, at, key);
    keep_order();  // here and in the loop, so that waits for K do not wait for V
    auto v = load(a.v, columns, part_of_v, at, key);
    for (; key < end; key += step) {
        array<fp32x4_t, 2> of_16{};
        static_ford<2, d / 32>([&](auto n, auto i) {
            const auto j = (n * number<d / 32>{} + i) * 8_I;
            const auto x = to_bf16(cast<wide_t>(slice(k, j, j + 8_I)));
            of_16[n] = mma(slice(q, i * 8_I, i * 8_I + 8_I), x, of_16[n]);
        });
        fp32x8_t s = concat_vector(of_16[0], of_16[1]) * a.scale_log2e;
        if (end - key < keys) {
            static_for<8>([&](auto i) {
                constexpr int of_lane_0 = i.value / 4 * 16 + i.value % 4;
                s[i.value] = of_lane_0 < end - key - 4 * group ? s[i.value] : no_key;
            });
        }
        k = load(a.k, vec, part_of_k, next, key + step);
        keep_order();
        const fp32_t before = m;
        m = max(m, reduce_lanes(reduce(s, maximum{}), maximum{}, 48_I));
        const fp32_t factor = opus::exp2(before - m);
        const fp32x8_t weights = opus::exp2(s - m);
        l = l * factor + reduce(weights, plus{});
        const bf16x8_t p = cast<bf16_t>(weights, 5_I);

        const auto of_keys = cast<wide_t>(v);
        static_for<columns>([&](auto column) {
            const auto of_column = slice(of_keys, column, 8_I * columns, columns);
            o[column] = mma(p, to_bf16(of_column), o[column] * factor);
        });
        v = load(a.v, columns, part_of_v, next, key + step);
        next = pages_at(key + 2 * step);
    }

    // -- from registers to memory -----------------------------------------------------------------
    // This lane's columns of O are consecutive. Rows from a.rows on are outside the buffers.
    softmax_part<d / 4> mine{m, l, {}};
    static_ford<4, columns>(
        [&](auto i, auto j) { mine.o[i.value * columns + j.value] = o[j][i.value]; });
    mine = join_waves(mine, wave);
    if (wave != 0) {
        return;
    }
    const fp32_t sum = reduce_lanes(mine.l, plus{}, 48_I);
    const int to = row * d + group * (d / 4);
    if (length <= a.part_keys) {
        make_gmem(a.o + first_row * d, row_bytes)
            .template store<d / 4>(cast<bf16_t>(mine.o * (a.scale_v / sum), 5_I), to);
    } else {
        const long_index_t slot = first_row * a.parts + block_id_x() * a.rows;
        make_gmem(a.part_o + slot * d, 2 * row_bytes).template store<d / 4>(mine.o, to);
        make_gmem(a.part_ml + slot * 2, static_cast<unsigned>(a.rows) * 8)
            .template store<2>(fp32x2_t{mine.m, sum}, lane_id() * 2);
    }
}

// Joins the parts of each sequence that has several. Grid: (rows, kv_heads, sequences), one group
// for each row of o. The waves of a group take parts in turn, and each lane takes d / 64 columns.
template <class Kv, int d>
__global__ __launch_bounds__(threads) void merge_kernel(decode<Kv> a) {
    using namespace opus;
    constexpr int columns = d / 64;
    const int wave = readfirstlane(thread_id_x() / 64);
    const int parts = (a.lengths[block_id_z()] - 1) / a.part_keys + 1;
    if (parts == 1) {
        return;
    }
    const long_index_t pair = static_cast<long_index_t>(block_id_z()) * a.kv_heads + block_id_y();
    softmax_part<columns> all{no_key, 0, {}};
#pragma unroll 4  // as many loads are under way
    for (int part = wave; part < parts; part += waves) {
        const long_index_t slot = (pair * a.parts + part) * a.rows + block_id_x();
        const auto o = make_gmem(a.part_o + slot * d).template load<columns>(lane_id() * columns);
        all = join(all, {a.part_ml[slot * 2], a.part_ml[slot * 2 + 1], o});
    }
    all = join_waves(all, wave);
    if (wave == 0) {
        const auto o = cast<bf16_t>(all.o * (a.scale_v / all.l), number<5>{});
        make_gmem(a.o + (pair * a.rows + block_id_x()) * d, d * 2u)
            .template store<columns>(o, lane_id() * columns);
    }
}

// == host =========================================================================================

constexpr int longest = 1 << 20;  // keys
constexpr int most_heads = 16;    // that share one of K and V: rows of the instruction

struct decode_problem {
    int sequences = 0;
    int kv_heads = 2;
    int heads = 0;  // 0: 4 * kv_heads
    int heads_per_kv = 0;
    int d = 128;
    int page = 16;
    int pages = 0;      // of the cache
    int part_keys = 0;  // 0: plan_part_keys()
    bool fp8 = false;   // the cache; else bf16
    examples::fp8_format format;
    float scale = 0;    // of the scores, with K's; 0: 1 / sqrt(d)
    float scale_k = 0;  // 0: 1
    float scale_v = 0;
    std::vector<int> lengths{1000, 77, 1, 300};
    std::vector<int> table;  // [sequences, table_pages()]
    std::vector<double> q;   // [sequences, heads, d]
    std::vector<double> k;   // [pages, kv_heads, page, d], in units of the scale
    std::vector<double> v;

    int longest_length() const { return *std::max_element(lengths.begin(), lengths.end()); }
    int table_pages() const { return (longest_length() + page - 1) / page; }
    int parts_of(int length) const { return (length - 1) / part_keys + 1; }
    double total_keys() const { return std::accumulate(lengths.begin(), lengths.end(), 0.0); }
    // Where a key of a sequence is in k and v.
    std::size_t row_of(int sequence, int kv_head, int key) const {
        const int entry = table[static_cast<std::size_t>(sequence * table_pages() + key / page)];
        return ((static_cast<std::size_t>(entry) * static_cast<std::size_t>(kv_heads) +
                 static_cast<std::size_t>(kv_head)) *
                    static_cast<std::size_t>(page) +
                static_cast<std::size_t>(key % page)) *
               static_cast<std::size_t>(d);
    }
};

// The number of keys in a part: few enough that each compute unit has three groups, but enough that
// the cost of parts (each reads q, and its result is written and read) is at most 1 / 25 of the
// bytes of K and V. (The last part may be short, but n parts have more than (n - 1) / n of their
// full number of keys, so more than half: hence the factor 2.)
int plan_part_keys(const decode_problem& p) {
    const double left = p.heads_per_kv * (2.0 * p.d + 8.0 * p.d + 8);
    const double key_bytes = 2.0 * p.d * (p.fp8 ? 1 : 2);
    const double keys_for_bytes = 2 * 25 * left / key_bytes;
    const double keys_of_group = p.total_keys() * p.kv_heads / (3.0 * examples::compute_units());
    const double wanted = std::max(keys_for_bytes, keys_of_group);
    return static_cast<int>(std::ceil(std::min(wanted, double{longest}) / step)) * step;
}

template <class Kv, int d, int page>
examples::tensor_result run_kernels(const decode_problem& p, int iters) {
    const examples::device_buffer<bf16_t> q(examples::to<bf16_t>(p.q));
    const examples::device_buffer<Kv> k(p.format.encode<Kv>(p.k));
    const examples::device_buffer<Kv> v(p.format.encode<Kv>(p.v));
    const examples::device_buffer<int> table(p.table);
    const examples::device_buffer<int> lengths(p.lengths);
    const int parts = p.parts_of(p.longest_length());
    const std::size_t slots =
        parts == 1 ? 1 : p.q.size() / static_cast<std::size_t>(d) * static_cast<std::size_t>(parts);
    examples::device_buffer<float> part_o(slots * d);
    examples::device_buffer<float> part_ml(slots * 2);
    examples::device_buffer<bf16_t> o(p.q.size());
    part_o.fill_unwritten(0xff);  // NaN: what no lane writes is seen
    part_ml.fill_unwritten(0xff);
    o.fill_unwritten(0xff);

    constexpr double log2e = 1.44269504088896341;
    const decode<Kv> arguments{q.data(),
                               k.data(),
                               v.data(),
                               lengths.data(),
                               o.data(),
                               part_o.data(),
                               part_ml.data(),
                               p.kv_heads,
                               p.heads_per_kv,
                               p.table_pages(),
                               p.part_keys,
                               parts,
                               static_cast<float>(static_cast<double>(p.scale) * log2e),
                               p.scale_v};
    const auto pairs = [&](int x) {
        return dim3(static_cast<unsigned>(x), static_cast<unsigned>(p.kv_heads),
                    static_cast<unsigned>(p.sequences));
    };
    examples::tensor_result result;
    result.milliseconds = examples::time_launches(iters, "paged_attention", [&] {
        paged_attention_kernel<Kv, d, page><<<pairs(parts), threads>>>(arguments, table.data());
        if (parts > 1) {
            merge_kernel<Kv, d><<<pairs(p.heads_per_kv), threads>>>(arguments);
        }
    });
    result.least_bytes =
        4.0 * static_cast<double>(p.q.size()) + p.total_keys() * p.kv_heads * 2.0 * d * sizeof(Kv);
    // Each part reads q. Parts are written and, except for (m, l), read by vector loads. Scalar
    // loads, those of the table included, are not counted.
    result.moved_bytes = result.least_bytes;
    for (const int length : p.lengths) {
        const int n = p.parts_of(length);
        const double rows = p.kv_heads * p.heads_per_kv;
        result.moved_bytes += rows * ((n - 1) * 2.0 * d + (n > 1 ? n * 8.0 * (d + 1) : 0));
    }
    result.add(examples::shape_of({p.sequences, p.kv_heads * p.heads_per_kv, d}), o.result());
    return result;
}

struct variant {
    bool fp8;
    int d;
    int page;
    examples::tensor_result (*run)(const decode_problem&, int iters);
};
constexpr variant variants[] = {
    {false, 128, 16, run_kernels<bf16_t, 128, 16>}, {false, 64, 32, run_kernels<bf16_t, 64, 32>},
    {true, 64, 16, run_kernels<fp8_t, 64, 16>},     {true, 128, 32, run_kernels<fp8_t, 128, 32>},
#if !OPUS_EXAMPLES_SMALL
    {false, 128, 32, run_kernels<bf16_t, 128, 32>}, {false, 64, 16, run_kernels<bf16_t, 64, 16>},
    {true, 64, 32, run_kernels<fp8_t, 64, 32>},     {true, 128, 16, run_kernels<fp8_t, 128, 16>},
#endif
};

examples::tensor_result run(const decode_problem& p, int iters) {
    for (const variant& v : variants) {
        if (v.fp8 == p.fp8 && v.d == p.d && v.page == p.page) {
            return v.run(p, iters);
        }
    }
    examples::refuse_in_small();
}

// Tolerance, with u = 2^-23, more than an operation on f32 loses of its result. It is that of the
// example attention (attention.hip tells more): of a row with the scores s and S, the
// largest sum of |q * k|, an exponent c * (s - m) is off by c * S * (d + 6) * u, for the sums of d
// products, the rounding of c * m and that of the fused operation, and each time that m changes, in
// the loop or where parts are joined, by the rounding of a difference: m only grows, so all of that
// is of 2 * c * S at most. A weight so is off by a factor of 1 + w, which has u for each exp2 and
// each product as well. It loses 2^-8 by rounding to bf16, but not in l; one below 2^-126 is 0. The
// sums lose less than u for each key. In the end there are a quotient and two products.
//
// Of O = sum(weight * v) / sum(weight), all of that is of A, the same with |v|.
struct row_reference {
    std::vector<double> o;
    std::vector<double> allowed;
};

row_reference reference_of(const decode_problem& p, int sequence, int head) {
    const auto d = static_cast<std::size_t>(p.d);
    const int length = p.lengths[static_cast<std::size_t>(sequence)];
    const int kv_head = head / p.heads_per_kv;
    const auto heads = static_cast<std::size_t>(p.kv_heads * p.heads_per_kv);
    const double* const q =
        &p.q[(static_cast<std::size_t>(sequence) * heads + static_cast<std::size_t>(head)) * d];
    std::vector<double> weights(static_cast<std::size_t>(length));
    double largest = -std::numeric_limits<double>::infinity();
    double largest_sum = 0;
    for (int key = 0; key < length; ++key) {
        const double* const k = &p.k[p.row_of(sequence, kv_head, key)];
        double score = 0;
        double sum = 0;
        for (std::size_t i = 0; i < d; ++i) {
            score += q[i] * k[i];
            sum += std::fabs(q[i] * k[i]);
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
    row_reference result{std::vector<double>(d), std::vector<double>(d)};
    std::vector<double> all(d);
    for (int key = 0; key < length; ++key) {
        const double* const v = &p.v[p.row_of(sequence, kv_head, key)];
        const double weight = weights[static_cast<std::size_t>(key)] / sum;
        for (std::size_t i = 0; i < d; ++i) {
            result.o[i] += weight * v[i];
            result.allowed[i] += weight * std::fabs(v[i]);
            all[i] += std::fabs(v[i]);
        }
    }
    constexpr double u = 0x1p-23;
    constexpr double ln2 = 0.693147180559945309;
    const double exponent = static_cast<double>(p.scale) / ln2 * largest_sum * (p.d + 6) * u;
    const double changes = std::min(p.part_keys, length) / double{step} + 1 +  // of m, in a wave,
                           2 + p.parts_of(length) / double{waves} + 1 + 2;     // and where joined
    const double w = std::expm1(exponent * ln2) + (1 + 3 * changes) * u;
    const double in_sum = length * u;
    const double relative =
        w < 1 && in_sum < 1
            ? (1 + w) * (1 + 0x1p-8) * (1 + in_sum) * (1 + 3 * u) / ((1 - w) * (1 - in_sum)) - 1
            : std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < d; ++i) {
        result.o[i] *= static_cast<double>(p.scale_v);
        result.allowed[i] =
            static_cast<double>(p.scale_v) * (relative * result.allowed[i] + 0x1p-125 * all[i]);
    }
    return result;
}

void expect_attention(const decode_problem& p, std::vector<examples::tensor_output>& outputs) {
    const int heads = p.kv_heads * p.heads_per_kv;
    const auto d = static_cast<std::size_t>(p.d);
    examples::parallel_for(p.sequences * heads, [&](int row) {
        const row_reference r = reference_of(p, row / heads, row % heads);
        for (std::size_t i = 0; i < d; ++i) {
            outputs[0].expect_near(static_cast<std::size_t>(row) * d + i, r.o[i], r.allowed[i],
                                   examples::element::bf16);
        }
    });
}

struct decode_options {
    std::optional<std::string> q;
    std::optional<std::string> k;
    std::optional<std::string> v;
    std::optional<std::string> table;
};

// "1000,7": 1000 and 7.
std::vector<int> parse_lengths(const std::string& text) {
    std::vector<int> lengths;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        lengths.push_back(
            examples::parse_integer("-n", text.substr(begin, end - begin), 1, longest));
        begin = end + 1;
    }
    return lengths;
}

std::vector<std::string> type_names() {
    return {"bf16", "fp8"};
}

// The rest of a problem whose options are there.
void complete(decode_problem& p, const decode_options& options, std::mt19937_64& random) {
    p.sequences = static_cast<int>(p.lengths.size());
    const int heads = p.heads > 0 ? p.heads : p.kv_heads * 4;
    p.heads_per_kv = heads / p.kv_heads;
    if (heads % p.kv_heads != 0 || p.heads_per_kv > most_heads) {
        throw examples::usage_error(std::to_string(heads) + " heads cannot share " +
                                    std::to_string(p.kv_heads) +
                                    " of K and V: it must be 1 to 16 heads for each");
    }
    if (!p.fp8 && (p.scale_k != 0 || p.scale_v != 0)) {
        throw examples::usage_error("--scale-k and --scale-v are for --type fp8");
    }
    p.scale = p.scale != 0 ? p.scale : static_cast<float>(1 / std::sqrt(static_cast<double>(p.d)));
    p.scale *= p.scale_k != 0 ? p.scale_k : 1;
    p.scale_v = p.scale_v != 0 ? p.scale_v : 1;
    if (p.fp8) {
        p.format = examples::device_fp8();
    }
    if (p.part_keys == 0) {
        p.part_keys = plan_part_keys(p);
    } else if (p.part_keys % step != 0) {
        throw examples::usage_error("--part-keys must be a multiple of " + std::to_string(step));
    }

    // The table: pages in random order, and two that no sequence uses.
    const auto table_pages = static_cast<std::size_t>(p.table_pages());
    std::size_t used = 0;
    for (const int length : p.lengths) {
        used += static_cast<std::size_t>((length - 1) / p.page + 1);
    }
    p.pages =
        static_cast<int>(options.k ? examples::tensor_file_shape(*options.k, 4)[0] : used + 2);
    p.table.resize(p.lengths.size() * table_pages, -1);
    if (options.table) {
        const auto entries = examples::tensor_values(
            options.table, {p.lengths.size(), table_pages}, [](double x) { return x; }, 1, random);
        for (std::size_t i = 0; i < entries.size(); ++i) {
            const int key = static_cast<int>(i % table_pages) * p.page;
            const bool is_used = key < p.lengths[i / table_pages];
            const bool is_page =
                entries[i] >= 0 && entries[i] < p.pages && entries[i] == std::floor(entries[i]);
            if (is_used && !is_page) {
                throw examples::usage_error("the table has an entry that is none of the " +
                                            std::to_string(p.pages) + " pages");
            }
            p.table[i] = is_used ? static_cast<int>(entries[i]) : -1;
        }
    } else {
        if (static_cast<std::size_t>(p.pages) < used) {
            throw examples::usage_error(std::to_string(p.pages) + " pages are less than the " +
                                        std::to_string(used) + " that the sequences need");
        }
        std::vector<int> order(static_cast<std::size_t>(p.pages));
        std::iota(order.begin(), order.end(), 0);
        std::shuffle(order.begin(), order.end(), random);
        for (std::size_t i = 0, next = 0; i < p.table.size(); ++i) {
            const int key = static_cast<int>(i % table_pages) * p.page;
            p.table[i] = key < p.lengths[i / table_pages] ? order[next++] : -1;
        }
    }

    const auto to_bf16 = [](double x) { return examples::round_to(examples::element::bf16, x); };
    const auto to_kv = [&](double x) { return p.fp8 ? p.format.round(x) : to_bf16(x); };
    const auto extent = [](int x) { return static_cast<std::size_t>(x); };
    const examples::tensor_shape kv{extent(p.pages), extent(p.kv_heads), extent(p.page),
                                    extent(p.d)};
    p.q = examples::tensor_values(options.q, {extent(p.sequences), extent(heads), extent(p.d)},
                                  to_bf16, 8, random);
    p.k = examples::tensor_values(options.k, kv, to_kv, p.fp8 ? 4 : 8, random);
    p.v = examples::tensor_values(options.v, kv, to_kv, p.fp8 ? 4 : 8, random);
    if (!options.q) {
        for (double& x : p.q) {
            x *= 8;  // some keys count more than others
        }
    }
    // Random rows that no sequence uses are NaN, so that reading one shows.
    std::vector<bool> is_used(p.k.size());
    for (int sequence = 0; sequence < p.sequences; ++sequence) {
        for (int key = 0; key < p.lengths[extent(sequence)]; ++key) {
            for (int head = 0; head < p.kv_heads; ++head) {
                const auto row =
                    is_used.begin() + static_cast<std::ptrdiff_t>(p.row_of(sequence, head, key));
                std::fill(row, row + p.d, true);
            }
        }
    }
    const double nan = std::numeric_limits<double>::quiet_NaN();
    for (std::size_t i = 0; i < is_used.size(); ++i) {
        if (!is_used[i]) {
            p.k[i] = options.k ? p.k[i] : nan;
            p.v[i] = options.v ? p.v[i] : nan;
        }
    }
}

}  // namespace

int main(int argc, char** argv) {
    decode_options options;
    decode_problem p;
    examples::tensor_example e;
    e.formula = "o[heads, D] = softmax(scale * q[heads, D] * K[N, D]^T) * V[N, D] of each sequence";
    e.description = "One query of each sequence, K and V in pages; memory is read once";
    e.outputs = {"o"};
    e.add_options = [&](CLI::App& app) {
        using namespace examples;
        add_option(app, "-n", "INT,... keys", "Length of each sequence (1000,77,1,300)",
                   [&](const std::string& given) { p.lengths = parse_lengths(given); });
        add_integer(app, "--heads", p.heads, 1, 16384, "INT",
                    "Heads of q and o (4 for each of K and V)");
        add_integer(app, "--kv-heads", p.kv_heads, 1, 1024, "INT", "Heads of K and V (2)");
        add_one_of(app, "-d", p.d, {128, 64}, "elements", "Length of a row (128)");
        add_one_of(app, "--page", p.page, {16, 32}, "keys", "Length of a page (16)");
        add_name(app, "--type", p.fp8, type_names(), "Type of K and V (bf16)");
        add_integer(app, "--part-keys", p.part_keys, step, longest, "INT keys",
                    "Length of a part, a multiple of 128 (so that parts fill the device)");
        add_factor(app, "--scale", p.scale, "Factor of the scores (1 / sqrt(d))");
        add_factor(app, "--scale-k", p.scale_k, "Scale of K in fp8 (1)");
        add_factor(app, "--scale-v", p.scale_v, "Scale of V in fp8 (1)");
        add_file(app, "--q", options.q, "Read q[sequences, heads, D]");
        add_file(app, "--k", options.k, "Read K[pages, kv-heads, page, D]");
        add_file(app, "--v", options.v, "Read V[pages, kv-heads, page, D]");
        add_file(app, "--table", options.table, "Read the pages of each sequence");
    };
    e.prepare = [&](std::mt19937_64& random) {
        complete(p, options, random);
        char text[256];
        std::snprintf(
            text, sizeof(text),
            "%d sequences of %d to %d keys, %d x %d heads of %d, %s in pages of %d, parts "
            "of %d keys",
            p.sequences, *std::min_element(p.lengths.begin(), p.lengths.end()), p.longest_length(),
            p.kv_heads, p.heads_per_kv, p.d, p.fp8 ? "fp8" : "bf16", p.page, p.part_keys);
        return std::string(text);
    };
    e.run = [&](int iters) { return run(p, iters); };
    e.expect = [&](std::vector<examples::tensor_output>& outputs) { expect_attention(p, outputs); };
    return examples::tensor_main(argc, argv, e);
}
