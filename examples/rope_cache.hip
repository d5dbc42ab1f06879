// SPDX-License-Identifier: MIT
//
// rope_cache: the step before paged_attention. q and k of each new token are rotated by its
// position, and k and v go to its slot of the paged cache, as bf16 or quantised to fp8. In a row of
// d elements, pair i is rotated by angle i of the position:
//
//   (x1, x2) -> (x1 * cos - x2 * sin, x2 * cos + x1 * sin)
//
//   neox    pair i is elements i and i + d / 2
//   gptj    pair i is elements 2 * i and 2 * i + 1
//
// It teaches how to move as few bytes as possible if many threads need a value:
//
//  - The angles of a token are the same for all heads. One group has a token: it loads the row of
//    cos and sin once, and LDS distributes it, in an order without bank conflicts.
//  - In both styles a thread has eight pairs of a head, 32 bytes. The styles differ only in a
//    layout of two runs of 16 bytes, and in which of their elements form pairs. All rows are
//    requested before the first wait.
//  - Rows end where the buffer does, so a loop without branches serves any number of heads. A token
//    without a slot (a negative slot, in a padded batch) gets buffers of no bytes.
//  - k is rounded once, from f32 to the type of the cache.
//
// Codes of fp8 are those of x / scale; values beyond the range become the largest code.
#include <algorithm>
#include <cmath>
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

constexpr int threads = 256;

struct rope_sizes {
    int heads;  // of q
    int kv_heads;
    opus::mdiv page;   // keys of a page
    fp32_t inverse_k;  // of the scales
    fp32_t inverse_v;
};

// Eight pairs of a row: first x1, then x2. `runs` has the 16 elements in the order of memory.
template <bool neox>
OPUS_D opus::fp32x16_t pairs_of(const opus::fp32x16_t& runs) {
    using namespace opus;
    using opus::operator""_I;
    if constexpr (neox) {
        return runs;
    } else {
        return concat_vector(slice(runs, 0_I, 16_I, 2_I), slice(runs, 1_I, 16_I, 2_I));
    }
}
template <bool neox>
OPUS_D opus::fp32x16_t runs_of(const opus::fp32x8_t& x1, const opus::fp32x8_t& x2) {
    using namespace opus;
    using opus::operator""_I;
    fp32x16_t runs = concat_vector(x1, x2);
    if constexpr (!neox) {
        set_slice(runs, x1, 0_I, 16_I, 2_I);
        set_slice(runs, x2, 1_I, 16_I, 2_I);
    }
    return runs;
}

// To the nearest bf16, or to the nearest code of x * inverse.
template <class To>
OPUS_D auto encode(const opus::fp32x16_t& x, fp32_t inverse) {
    if constexpr (opus::is_same_v<To, bf16_t>) {
        return opus::cast<bf16_t>(x, number<5>{});
    } else {
        constexpr fp32_t largest = opus::cast<fp32_t>(opus::numeric_limits<fp8_t>::max());
        return opus::cast<fp8_t>(opus::med3(x * inverse, -largest, largest));
    }
}

// Grid: one group for each token. q and its result are [tokens, heads, d], k and v [tokens,
// kv_heads, d], the caches [pages, kv_heads, page, d]; slot s is row s % page of page s / page. A
// row of cos_sin, one for each position, has d / 2 of either.
template <class Kv, int d, bool neox>
__global__ __launch_bounds__(threads) void rope_cache_kernel(
    const bf16_t* __restrict__ ptr_q, const bf16_t* __restrict__ ptr_k,
    const bf16_t* __restrict__ ptr_v, const fp32_t* __restrict__ cos_sin,
    const int* __restrict__ positions, const int* __restrict__ slots, bf16_t* __restrict__ new_q,
    Kv* __restrict__ k_cache, Kv* __restrict__ v_cache, rope_sizes sizes) {
    using namespace opus;
    using opus::operator""_I;
    constexpr int lanes = d / 16;             // of a row
    constexpr int at_once = threads / lanes;  // rows
    const int token = block_id_x();
    const int lane = thread_id_x() % lanes;
    const int first_row = thread_id_x() / lanes;
    const int slot = slots[token];
    const auto place = sizes.page.divmod(max(slot, 0));  // the page, and the key of it
    const int cached_heads = slot < 0 ? 0 : sizes.kv_heads;

    // Both runs of 8 elements.
    const auto u = make_layout(make_tuple(2_I, 8_I), make_tuple(number<neox ? d / 2 : 8>{}, 1_I),
                               make_tuple(_, _)) +
                   lane * (neox ? 8 : 16);
    const auto row_bytes = [](int rows) { return static_cast<unsigned>(rows) * (d * 2); };
    const auto of_token = [&](auto* base, int heads) {
        return base + static_cast<long_index_t>(token) * heads * d;
    };
    const auto g_q = make_gmem(of_token(ptr_q, sizes.heads), row_bytes(sizes.heads));
    const auto g_k = make_gmem(of_token(ptr_k, sizes.kv_heads), row_bytes(cached_heads));
    const auto g_v = make_gmem(of_token(ptr_v, sizes.kv_heads), row_bytes(cached_heads));
    struct rows {
        bf16x16_t q, k, v;
    };
    const auto load = [&](int row) {
        return rows{g_q.template load<8>(u + row * d), g_k.template load<8>(u + row * d),
                    g_v.template load<8>(u + row * d)};
    };

    // Each thread loads four values of cos and sin. In LDS those of all lanes' first four pairs
    // come before those of their last four, each in the order of lanes, so that neighbouring lanes
    // read neighbouring places.
    const int i = thread_id_x();
    const int from = (i / (2 * lanes) * 2 * lanes + i % lanes * 2 + i / lanes % 2) * 4;
    const auto part = make_gmem(cos_sin + static_cast<long_index_t>(positions[token]) * d, d * 4)
                          .template load<4>(from);
    keep_order();  // they come first, and are waited for alone
    rows next = load(first_row);
    __shared__ __attribute__((aligned(16))) fp32_t lds[d];
    const auto s = make_smem(lds);
    if (i < d / 4) {
        s.template store<4>(part, i * 4);
    }
    lds_barrier();
    const auto factors = s.template load<4>(
        make_layout(make_tuple(4_I, 4_I), make_tuple(number<d / 4>{}, 1_I), make_tuple(_, _)) +
        lane * 4);
    const fp32x8_t cos = slice(factors, 0_I, 8_I);
    const fp32x8_t sin = slice(factors, 8_I, 16_I);
    const auto rotated = [&](const bf16x16_t& x) {
        const fp32x16_t y = pairs_of<neox>(cast<fp32_t>(x));
        const fp32x8_t x1 = slice(y, 0_I, 8_I);
        const fp32x8_t x2 = slice(y, 8_I, 16_I);
        return runs_of<neox>(x1 * cos - x2 * sin, x2 * cos + x1 * sin);
    };

    const auto g_new_q = make_gmem(of_token(new_q, sizes.heads), row_bytes(sizes.heads));
    const int head_stride = static_cast<int>(sizes.page.get()) * d;
    const auto in_cache = [&](Kv* cache) {
        const long_index_t at =
            static_cast<long_index_t>(get<0>(place)) * sizes.kv_heads * head_stride;
        return make_gmem(cache + at + static_cast<long_index_t>(get<1>(place)) * d,
                         static_cast<unsigned>(cached_heads * head_stride) * unsigned{sizeof(Kv)});
    };
    const auto g_k_cache = in_cache(k_cache);
    const auto g_v_cache = in_cache(v_cache);
    for (int first = 0; first < sizes.heads; first += at_once) {
        const int row = first + first_row;
        const rows x = next;
        next = load(row + at_once);
        g_new_q.template store<8>(encode<bf16_t>(rotated(x.q), 1.0f), u + row * d);
        if (first < cached_heads) {
            const auto to = u + row * head_stride;
            g_k_cache.template store<8>(encode<Kv>(rotated(x.k), sizes.inverse_k), to);
            g_v_cache.template store<8>(encode<Kv>(cast<fp32_t>(x.v), sizes.inverse_v), to);
        }
    }
}

// == host =========================================================================================

struct rope_problem {
    int tokens = 100;
    int heads = 0;  // 0: 4 * kv_heads
    int kv_heads = 2;
    int d = 128;
    int page = 16;
    int pages = 0;  // of the cache
    bool neox = true;
    bool fp8 = false;  // the cache; else bf16
    examples::fp8_format format;
    float scale_k = 0;  // 0: 1
    float scale_v = 0;
    std::vector<int> positions;
    std::vector<int> slots;
    std::vector<double> q;  // [tokens, heads, d]
    std::vector<double> k;  // [tokens, kv_heads, d]
    std::vector<double> v;
    std::vector<double> cos_sin;  // [positions, d], numbers of f32

    std::size_t cache_size() const {
        return static_cast<std::size_t>(pages) * static_cast<std::size_t>(kv_heads * page * d);
    }
    // Where a head of a token is in the cache.
    std::size_t place_of(int slot, int head) const {
        return (static_cast<std::size_t>(slot / page * kv_heads + head) *
                    static_cast<std::size_t>(page) +
                static_cast<std::size_t>(slot % page)) *
               static_cast<std::size_t>(d);
    }
};

template <class Kv, int d, bool neox>
examples::tensor_result run_kernel(const rope_problem& p, int iters) {
    const examples::device_buffer<bf16_t> q(examples::to<bf16_t>(p.q));
    const examples::device_buffer<bf16_t> k(examples::to<bf16_t>(p.k));
    const examples::device_buffer<bf16_t> v(examples::to<bf16_t>(p.v));
    const examples::device_buffer<float> cos_sin(examples::to<float>(p.cos_sin));
    const examples::device_buffer<int> positions(p.positions);
    const examples::device_buffer<int> slots(p.slots);
    examples::device_buffer<bf16_t> new_q(p.q.size());
    examples::device_buffer<Kv> k_cache(p.cache_size());
    examples::device_buffer<Kv> v_cache(p.cache_size());
    const int nan = p.fp8 && p.format.fnuz ? 0x80 : 0xff;  // what is not written stays NaN
    new_q.fill_unwritten(0xff);
    k_cache.fill_unwritten(nan);
    v_cache.fill_unwritten(nan);
    const rope_sizes sizes{p.heads, p.kv_heads, static_cast<unsigned>(p.page), 1 / p.scale_k,
                           1 / p.scale_v};
    examples::tensor_result result;
    result.milliseconds = examples::time_launches(iters, "rope_cache", [&] {
        rope_cache_kernel<Kv, d, neox><<<static_cast<unsigned>(p.tokens), threads>>>(
            q.data(), k.data(), v.data(), cos_sin.data(), positions.data(), slots.data(),
            new_q.data(), k_cache.data(), v_cache.data(), sizes);
    });
    const double cached = static_cast<double>(
        std::count_if(p.slots.begin(), p.slots.end(), [](int slot) { return slot >= 0; }));
    result.least_bytes = 4.0 * static_cast<double>(p.q.size()) + 4.0 * p.tokens * d +
                         2.0 * cached * p.kv_heads * d * (2 + sizeof(Kv));
    result.moved_bytes = result.least_bytes;  // beside scalar loads of positions and slots
    const examples::tensor_shape cache = examples::shape_of({p.pages, p.kv_heads, p.page, d});
    result.add(examples::shape_of({p.tokens, p.heads, d}), new_q.result());
    result.add(cache, p.format.decode(k_cache.result()));
    result.add(cache, p.format.decode(v_cache.result()));
    return result;
}

template <class Kv>
examples::tensor_result run_type(const rope_problem& p, int iters) {
    if (p.d == 64) {
        return p.neox ? run_kernel<Kv, 64, true>(p, iters) : run_kernel<Kv, 64, false>(p, iters);
    }
    return p.neox ? run_kernel<Kv, 128, true>(p, iters) : run_kernel<Kv, 128, false>(p, iters);
}

// Tolerance, with u = 2^-24, the largest relative error of an operation. For a rotated element each
// product loses u, and so does the sum of the two. For a code there are also the inverse of the
// scale and the product with it. Codes and bf16 numbers must be the nearest ones of some value
// within that tolerance. v in bf16 must be identical.
void expect_rope(const rope_problem& p, std::vector<examples::tensor_output>& outputs) {
    constexpr double u = 0x1p-24;
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const double infinity = std::numeric_limits<double>::infinity();
    for (examples::tensor_output& output : outputs) {
        output.expected.assign(output.values.size(), nan);
    }
    const auto to_bf16 = [](double x) { return examples::round_to(examples::element::bf16, x); };
    const auto to_kv = [&](double x) {
        const double largest = p.fp8 ? p.format.largest() : infinity;
        const double kept = std::clamp(x, -largest, largest);
        return p.fp8 ? p.format.round(kept) : to_bf16(kept);
    };
    // Element i of a row at x, and its largest error.
    const auto rotated = [&](const double* x, int token, int i) {
        const int half = p.d / 2;
        const int pair = p.neox ? i % half : i / 2;
        const bool second = p.neox ? i >= half : i % 2 == 1;
        const double x1 = x[p.neox ? pair : 2 * pair];
        const double x2 = x[p.neox ? pair + half : 2 * pair + 1];
        const double* const factors =
            &p.cos_sin[static_cast<std::size_t>(p.positions[static_cast<std::size_t>(token)]) *
                       static_cast<std::size_t>(p.d)];
        const double a = (second ? x2 : x1) * factors[pair];
        const double b = (second ? x1 : -x2) * factors[half + pair];
        return std::pair(a + b, 2 * u * (std::fabs(a) + std::fabs(b)));
    };
    const auto d = static_cast<std::size_t>(p.d);
    for (int token = 0; token < p.tokens; ++token) {
        const int slot = p.slots[static_cast<std::size_t>(token)];
        for (int head = 0; head < p.heads; ++head) {
            const std::size_t row = static_cast<std::size_t>(token * p.heads + head) * d;
            for (int i = 0; i < p.d; ++i) {
                const auto [x, lost] = rotated(&p.q[row], token, i);
                outputs[0].expect_nearest(row + static_cast<std::size_t>(i), x, lost, to_bf16);
            }
        }
        for (int head = 0; head < (slot < 0 ? 0 : p.kv_heads); ++head) {
            const std::size_t row = static_cast<std::size_t>(token * p.kv_heads + head) * d;
            for (int i = 0; i < p.d; ++i) {
                const auto at = p.place_of(slot, head) + static_cast<std::size_t>(i);
                const auto [x, lost] = rotated(&p.k[row], token, i);
                const double scaling = p.fp8 ? 2 * u : 0;
                const double k = x / static_cast<double>(p.scale_k);
                const double lost_of_k =
                    lost / static_cast<double>(p.scale_k) + scaling * std::fabs(k);
                outputs[1].expect_nearest(at, k, lost_of_k, to_kv);
                const double v =
                    p.v[row + static_cast<std::size_t>(i)] / static_cast<double>(p.scale_v);
                outputs[2].expect_nearest(at, v, scaling * std::fabs(v), to_kv);
            }
        }
    }
}

struct rope_options {
    std::optional<std::string> q;
    std::optional<std::string> k;
    std::optional<std::string> v;
    std::optional<std::string> cos_sin;
    std::optional<std::string> positions;
    std::optional<std::string> slots;
};

std::vector<std::string> type_names() {
    return {"bf16", "fp8"};
}
std::vector<std::string> style_names() {
    return {"neox", "gptj"};
}

// Integers from a file, each of [smallest, largest].
std::vector<int> integers_of(const std::string& file, std::size_t count, int smallest, int largest,
                             std::mt19937_64& random) {
    const auto round = [&](double x) {
        const bool is_one = x >= smallest && x <= largest && x == std::floor(x);
        if (!is_one) {
            throw examples::usage_error(file + " has an element that is no integer from " +
                                        std::to_string(smallest) + " to " +
                                        std::to_string(largest));
        }
        return x;
    };
    const auto values = examples::tensor_values(file, {count}, round, 1, random);
    return {values.begin(), values.end()};
}

// The rest of a problem whose options are there.
void complete(rope_problem& p, const rope_options& options, std::mt19937_64& random) {
    p.heads = p.heads > 0 ? p.heads : p.kv_heads * 4;
    if (p.heads % p.kv_heads != 0) {
        throw examples::usage_error(std::to_string(p.heads) + " heads cannot share " +
                                    std::to_string(p.kv_heads) + " of K and V");
    }
    if (!p.fp8 && (p.scale_k != 0 || p.scale_v != 0)) {
        throw examples::usage_error("--scale-k and --scale-v are for --type fp8");
    }
    p.scale_k = p.scale_k != 0 ? p.scale_k : 1;
    p.scale_v = p.scale_v != 0 ? p.scale_v : 1;
    if (p.fp8) {
        p.format = examples::device_fp8();
    }

    const auto extent = [](int x) { return static_cast<std::size_t>(x); };
    const auto round = [](double x) {
        const double y = examples::round_to(examples::element::bf16, x);
        if (!std::isfinite(y)) {
            throw examples::usage_error("q, k or v has an element that is not finite in bf16");
        }
        return y;
    };
    p.q = examples::tensor_values(options.q, {extent(p.tokens), extent(p.heads), extent(p.d)},
                                  round, 8, random);
    const examples::tensor_shape kv{extent(p.tokens), extent(p.kv_heads), extent(p.d)};
    p.k = examples::tensor_values(options.k, kv, round, 8, random);
    p.v = examples::tensor_values(options.v, kv, round, 8, random);

    const int positions =
        options.cos_sin ? static_cast<int>(examples::tensor_file_shape(*options.cos_sin, 2)[0])
                        : 1024;
    const examples::tensor_shape table{extent(positions), extent(p.d)};
    const auto to_f32 = [](double x) { return static_cast<double>(static_cast<float>(x)); };
    if (options.cos_sin) {
        p.cos_sin = examples::tensor_values(options.cos_sin, table, to_f32, 1, random);
    } else {
        p.cos_sin.resize(examples::element_count(table));
        for (std::size_t at = 0; at < p.cos_sin.size(); ++at) {
            const int half = p.d / 2;
            const int i = static_cast<int>(at % extent(p.d));
            const auto position = static_cast<double>(at / extent(p.d));
            const double angle = position * std::pow(10000.0, -1.0 * (i % half) / half);
            p.cos_sin[at] = to_f32(i < half ? std::cos(angle) : std::sin(angle));
        }
    }
    // Slots in random order, out of twice as many as there are tokens; each seventh token has none.
    p.pages = 2 * p.tokens / p.page + 1;
    if (options.slots) {
        p.slots = integers_of(*options.slots, extent(p.tokens), -1, p.pages * p.page - 1, random);
    } else {
        std::vector<int> order(extent(p.pages * p.page));
        std::iota(order.begin(), order.end(), 0);
        std::shuffle(order.begin(), order.end(), random);
        for (int token = 0; token < p.tokens; ++token) {
            p.slots.push_back(token % 7 == 6 ? -1 : order[extent(token)]);
        }
    }
    if (options.positions) {
        p.positions = integers_of(*options.positions, extent(p.tokens), 0, positions - 1, random);
    } else {
        for (int token = 0; token < p.tokens; ++token) {
            p.positions.push_back(static_cast<int>(random() % extent(positions)));
        }
    }
}

}  // namespace

int main(int argc, char** argv) {
    rope_options options;
    rope_problem p;
    examples::tensor_example e;
    e.formula = "q, k = rotated by their position; k and v go to their slots of a paged cache";
    e.description = "The angles of a token are read once for all of its heads";
    e.outputs = {"q", "k", "v"};
    e.add_options = [&](CLI::App& app) {
        using namespace examples;
        add_integer(app, "-m", p.tokens, 1, 1 << 20, "INT tokens", "Number of new tokens (100)");
        add_integer(app, "--heads", p.heads, 1, 16384, "INT", "Heads of q (4 for each of k and v)");
        add_integer(app, "--kv-heads", p.kv_heads, 1, 1024, "INT", "Heads of k and v (2)");
        add_one_of(app, "-d", p.d, {128, 64}, "elements", "Length of a row (128)");
        add_one_of(app, "--page", p.page, {16, 32}, "keys", "Length of a page (16)");
        add_name(app, "--type", p.fp8, type_names(), "Type of the cache (bf16)");
        add_option(app, "--style", names_type(style_names()),
                   "Elements of a pair: of both halves, or neighbours (neox)",
                   [&](const std::string& given) {
                       p.neox = parse_name("--style", given, style_names()) == 0;
                   });
        add_factor(app, "--scale-k", p.scale_k, "Scale of k in fp8 (1)");
        add_factor(app, "--scale-v", p.scale_v, "Scale of v in fp8 (1)");
        add_file(app, "--q", options.q, "Read q[M, heads, D]");
        add_file(app, "--k", options.k, "Read k[M, kv-heads, D]");
        add_file(app, "--v", options.v, "Read v[M, kv-heads, D]");
        add_file(app, "--cos-sin", options.cos_sin,
                 "Read cos and sin[positions, D] (1024 positions)");
        add_file(app, "--positions", options.positions, "Read the positions[M]");
        add_file(app, "--slots", options.slots, "Read the slots[M], -1: not cached");
    };
    e.prepare = [&](std::mt19937_64& random) {
        complete(p, options, random);
        char text[256];
        std::snprintf(
            text, sizeof(text),
            "%d tokens, %d heads of q and %d of k and v, of %d, %s, cache of %s, %d pages "
            "of %d",
            p.tokens, p.heads, p.kv_heads, p.d, p.neox ? "neox" : "gptj", p.fp8 ? "fp8" : "bf16",
            p.pages, p.page);
        return std::string(text);
    };
    e.run = [&](int iters) {
        return p.fp8 ? run_type<fp8_t>(p, iters) : run_type<bf16_t>(p, iters);
    };
    e.expect = [&](std::vector<examples::tensor_output>& outputs) { expect_rope(p, outputs); };
    return examples::tensor_main(argc, argv, e);
}
