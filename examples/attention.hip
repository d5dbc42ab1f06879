// SPDX-License-Identifier: MIT
//
// attention: O = softmax(scale * Q * K^T) * V, f16 or bf16 in, for each head of each batch. The
// scores stay in registers. d is 64 or 128, or 192 for Q and K with 128 for V and O. A wave has 32
// rows of Q, a workgroup of 8 waves 256; all waves go through K and V together, a tile of 64 rows
// (keys) at a time. Read gemm_fast first: tiles get into LDS in the same way here. What is
// different:
//
//  - S = Q * K^T has its operands swapped in the instruction (mfma_adaptor_swap_ab). A lane then
//    has scores of a single row of Q: 32 of the tile's 64 (lane l + 32 has the others). So most of
//    the softmax needs no other lane.
//  - S is an operand of O = P * V without being moved: the sum over keys may be taken in any order,
//    and chain_a uses the order in which S has the keys.
//  - V is needed in that order and by columns, but LDS has it by rows. gfx950 uses transposed
//    reads; gfx942 uses plain reads and v_perm_b32.
//  - The softmax runs along with the loop: P = exp2(c * (S - m)), where c is scale * log2(e) and m
//    is a score close to the largest one so far. P may reach 2^8; only if a score exceeds that,
//    which few tiles cause, the kernel raises m and rescales O and the sum of P.
//
// op_tests/codegen/test_examples.cpp counts the instructions of the loop; docs/kernels.md tells how
// their number was reduced.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/program.hpp"
#include "common/small.hpp"
#include "opus/hip_minimal.hpp"
#include "opus/opus_plus.hpp"

namespace {

using examples::element;
using opus::fp16_t;
using opus::fp32_t;
using opus::fp32x2_t;
using opus::number;

constexpr int waves = 8;
constexpr int rows_of_wave = 32;
constexpr int block = waves * rows_of_wave;  // rows of Q

// `rows` rows of `columns` elements, rearranged by columns. (Compiles to v_perm_b32, each for two
// elements of 16 bits.)
template <int rows, int columns, class X>
OPUS_D X transposed(const X& x) {
    X y;
    opus::static_ford<columns, rows>(
        [&](auto j, auto i) { y[j.value * rows + i.value] = x[i.value * columns + j.value]; });
    return y;
}

// The two products of a wave, and where a lane finds their operands in a tile of K or V in LDS,
// which have d and d_v columns.
template <class T, int d, int d_v, bool is_gfx950>
struct attention_tile {
    static_assert(sizeof(T) == 2, "attention: f16 or bf16");
    static_assert(((d == 64 || d == 128) && d_v == d) || (d == 192 && d_v == 128),
                  "attention: d 64 or 128, or 192 with 128 for V");
    // Rows of K and V. Two buffers of each with d = 192 are more than gfx942 has: 80 of 64 KiB.
    static constexpr int keys = is_gfx950 || d != 192 ? 64 : 32;
    // K's columns are in LDS in panels, one behind the other: swizzles need powers of two.
    static constexpr int panel = d == 192 ? 64 : d;
    static constexpr int panel_elements = keys * panel;
    static constexpr int k_elements = keys * d;
    static constexpr int v_elements = keys * d_v;
    static constexpr int elements = 2 * (k_elements + v_elements);  // two buffers of each
    static constexpr int pairs_d = d / 32;     // of two steps of the first product, along d
    static constexpr int steps_k = keys / 16;  // of the second one, along the keys
    static constexpr int blocks_d = d_v / 32;  // of 32 columns of O

    // S = Q * K^T for a pair of steps, all keys of a tile.
    using wave = opus::seq<1, 1, 1>;
    using instruction = opus::seq<32, 32, 16>;
    static constexpr auto qk = opus::make_tiled_mma<T, T, fp32_t>(
        opus::seq<1, keys / 32, 2>{}, wave{}, instruction{}, opus::mfma_adaptor_swap_ab{});
    // O += P * V for one step, with the keys in the order in which S has them in registers.
    static constexpr auto all_steps = opus::chain_a(
        qk, opus::make_tiled_mma<T, T, fp32_t>(opus::seq<1, blocks_d, steps_k>{}, wave{},
                                               instruction{}, opus::mfma_adaptor_swap_ab{}));
    static constexpr auto pv = opus::make_tiled_mma(typename decltype(all_steps)::MMA{},
                                                    opus::seq<1, blocks_d, 1>{}, wave{});

    // Chunks of 16 bytes change places within their row, for the banks:
    //  - A lane reads a chunk of K's row l % 32. In each phase of ds_read_b128, l % 16 takes 16
    //    values on gfx950, where a row of 128 elements is as wide as the 64 banks, and l % 8 takes
    //    8 values on gfx942 with its 32 banks. If two rows fit side by side into the banks, they
    //    have the same swizzle.
    //  - A transposed read takes 64 bytes of 4 consecutive rows, 32 lanes at a time.
    //  - On gfx942 a read of V covers whole rows.
    static constexpr int log2_panel = panel == 128 ? 7 : 6;
    static constexpr int log2_d_v = d_v == 128 ? 7 : 6;
    using swizzle_k = opus::swizzle<log2_panel - 3, 3, (is_gfx950 ? 7 : log2_panel) - 3>;
    using swizzle_v = opus::swizzle<is_gfx950 ? log2_d_v - 5 : 0, 5, 2>;

    // A lane's part of K for the first pair, and how far that of a pair is from there.
    OPUS_H_D static constexpr auto part_of_k(int lane) {
        using namespace opus;
        using opus::operator""_I;
        return composition(swizzle_k{},
                           partition_layout_b(qk, make_tuple(number<panel>{}, 1_I), lane));
    }
    static constexpr int offset_of_k(int pair) {
        return pair * 32 / panel * panel_elements + pair * 32 % panel;
    }
    // A lane's part of V for the first step. On gfx942 tr_load works too, but takes several reads
    // (1028 instructions in the loop for two tiles instead of 826). So there a lane reads
    // d_v / 32 columns of 8 rows and transposes them. They begin at d_v / 32 times the lane's
    // column in the first block; column i of block j of O is therefore column (d_v / 32) * i + j.
    OPUS_H_D static constexpr auto part_of_v(int lane) {
        using namespace opus;
        using opus::operator""_I;
        if constexpr (is_gfx950) {
            // The lane's own offset as one number: the compiler then swizzles it once for all.
            const auto part = [](auto i) {
                return partition_layout_b_tr(pv, make_tuple(1_I, number<d_v>{}), i);
            };
            const auto first = layout_to_offsets<pv.pack_b_tr>(part(lane))[0];
            return composition(swizzle_v{}, part(0_I) + first);
        } else {
            const auto [column, key] = tile_coordinates_b(pv, lane)(0_I);
            return make_layout(make_tuple(2_I, 4_I, number<blocks_d>{}),
                               make_tuple(number<8 * d_v>{}, number<d_v>{}, 1_I),
                               make_tuple(_, _, _)) +
                   (key * d_v + column * blocks_d);
        }
    }
    using v_operand = typename decltype(pv)::vtype_b;
    OPUS_D static v_operand operand_of_v(const v_operand& v) {
        if constexpr (is_gfx950) {
            return v;
        } else {
            return transposed<8, blocks_d>(v);
        }
    }
    // A lane's part of O, 4 columns at a time.
    OPUS_H_D static constexpr auto part_of_o(int lane) {
        using namespace opus;
        using opus::operator""_I;
        if constexpr (is_gfx950) {
            return partition_layout_c(pv, make_tuple(number<d_v>{}, 1_I), lane);
        } else {
            const auto [row, column] = tile_coordinates_c(pv, lane)(0_I);
            return make_layout(make_tuple(4_I, number<4 * blocks_d>{}),
                               make_tuple(number<8 * blocks_d>{}, 1_I), make_tuple(_, _)) +
                   (row * d_v + column * blocks_d);
        }
    }

    // async_loads, which write whole rows: each wave brings an eighth of each panel of K, and of V.
    static constexpr int dma_bytes = is_gfx950 ? 16 : 4;  // of one lane
    static constexpr int dma_step = 64 * dma_bytes;
    static constexpr int k_dmas = panel_elements / waves * 2 / dma_step;  // of a panel
    static constexpr int v_dmas = v_elements / waves * 2 / dma_step;
    static constexpr int all_k_dmas = d / panel * k_dmas;
};

struct attention_sizes {
    int rows;            // of Q and O in a head
    int keys;            // rows of K and V in a head
    int heads_per_kv;    // heads of Q that share one of K and V
    int is_causal;       // a row sees the keys up to the diagonal, which ends in the last row
    int is_out_f32;      // O is f32 instead of T
    fp32_t scale_log2e;  // c
    fp32_t headroom;     // how far a score may be above m: 8 / c

    // How many keys a row sees; none if the result is not positive.
    OPUS_D int seen_by(int row) const {
        const int up_to = row + 1 + keys - rows;
        return is_causal && up_to < keys ? up_to : keys;
    }
};

// To nearest even; for bf16 in the mode that takes the fewest instructions on gfx942.
template <class T, class X>
OPUS_D auto to_type(const X& x) {
    if constexpr (opus::is_same_v<T, fp16_t>) {
        return opus::cast<T>(x);
    } else {
        return opus::cast<T>(x, number<5>{});
    }
}

// Waits until this wave's LDS reads, except the latest `count`, are in registers. (See
// gemm_pipelined.)
template <int count>
OPUS_D void wait_for_reads(number<count>) {
    opus::keep_order();
    opus::s_waitcnt_lgkmcnt(number<count>{});
    opus::keep_order();
}

// Grid: (blocks of Q's rows, heads, batch), with d = 192 (heads, batch, blocks of Q's rows from the
// last one on), 512 threads. Q is [batch, heads, rows, d], K [batch, heads / heads_per_kv, keys,
// d]; V and O are as K and Q, but with d_v columns. Keys past the end and those that a row does not
// see have P = 0; a row that sees no key is 0.
// @pre scale_log2e > 0; headroom is finite; a head has less than 2^31 bytes
template <class T, int d, int d_v = d>
__global__ __launch_bounds__(waves * 64) void attention_kernel(const T* ptr_q, const T* ptr_k,
                                                               const T* ptr_v, void* ptr_o,
                                                               attention_sizes sizes) {
    using namespace opus;
    constexpr bool is_gfx950 = OPUS_HAS_LDS_TRANSPOSE_READ;
    using tile = attention_tile<T, d, d_v, is_gfx950>;
    constexpr int keys = tile::keys;
    constexpr int pairs_d = tile::pairs_d;
    constexpr int steps_k = tile::steps_k;
    constexpr int blocks_d = tile::blocks_d;
    constexpr auto qk = tile::qk;
    constexpr auto pv = tile::pv;
    using scores = typename decltype(qk)::vtype_c;
    using k_operand = typename decltype(qk)::vtype_b;
    using v_operand = typename tile::v_operand;
    using p_operand = typename decltype(pv)::vtype_a;
    constexpr fp32_t infinity = __builtin_huge_valf();

    const int lane = thread_id_x() % 64;
    const int wave = readfirstlane(thread_id_x() / 64);
    // With d = 192 the blocks that see most keys come first, of all heads, so that those that are
    // left at the end are short; an L2 has few heads at a time.
    constexpr bool longest_first = d == 192;
    const long_index_t head =
        longest_first ? static_cast<long_index_t>(block_id_y()) * (grid_size_x() / (waves * 64)) +
                            block_id_x()
                      : static_cast<long_index_t>(block_id_z()) * grid_size_y() + block_id_y();
    const long_index_t kv_head = head / sizes.heads_per_kv;
    const int first_of_block =
        (longest_first ? grid_size_z() - 1 - block_id_z() : block_id_x()) * block;
    const int first_row = first_of_block + wave * rows_of_wave;

    const unsigned q_bytes = static_cast<unsigned>(sizes.rows) * d * 2;
    const unsigned k_bytes = static_cast<unsigned>(sizes.keys) * d * 2;
    const unsigned v_bytes = static_cast<unsigned>(sizes.keys) * d_v * 2;
    const unsigned o_bytes = static_cast<unsigned>(sizes.rows) * d_v * 2;
    const auto g_q = make_gmem(ptr_q + head * sizes.rows * d, q_bytes);
    const auto g_k = make_gmem(ptr_k + kv_head * sizes.keys * d, k_bytes);
    const auto g_v = make_gmem(ptr_v + kv_head * sizes.keys * d_v, v_bytes);

    // Two buffers of K, then two of V; one array, as in gemm_fast.
    __shared__ __attribute__((aligned(16))) T lds[tile::elements];
    const auto s_k = make_smem(lds);
    // An offset in an instruction has 16 bits, too few for all buffers of d = 192 on gfx950. There
    // V begins at a register; or many of its reads would have addresses of their own.
    int begin_of_v = 2 * tile::k_elements;
    if constexpr (2 * tile::elements > 1 << 16) {
        asm("" : "+s"(begin_of_v));
    }
    const auto s_v = make_smem(lds + begin_of_v);

    // -- from global memory to LDS ----------------------------------------------------------------
    // A wave writes its part of a tile from one address on, and the instruction's immediate moves
    // source and destination. (async_load between layouts has an address for each access.) A lane
    // copies the element that the swizzle puts into the lane's place.
    array<int, tile::k_dmas> from_k;  // byte offsets in a panel or a tile, which do not change
    array<int, tile::v_dmas> from_v;
    static_for<tile::v_dmas>([&](auto i) {
        constexpr int of_wave = tile::v_elements / waves;
        const int place = wave * of_wave + (i * tile::dma_step + lane * tile::dma_bytes) / 2;
        if constexpr (i < tile::k_dmas) {
            constexpr int fewer = of_wave - tile::panel_elements / waves;
            const int in_panel = typename tile::swizzle_k{}(place - wave * fewer);
            const int in_tile = in_panel + in_panel / tile::panel * (d - tile::panel);
            from_k[i] = in_tile * 2 - i * tile::dma_step;
        }
        from_v[i] = typename tile::swizzle_v{}(place) * 2 - i * tile::dma_step;
    });
    // Keys past the end are outside the buffers: zeros arrive.
    const auto bring = [&](const auto& g, T* to, const auto& from, int offset) {
        static_for<size<decltype(from)>()>([&](auto i) {
            g.template _async_load<tile::dma_bytes / 2>(to, from[i], offset,
                                                        number<i.value * tile::dma_step>{});
        });
    };
    const auto bring_k = [&](auto buffer, int t) {
        static_for<d / tile::panel>([&](auto i) {
            T* const to = lds + (buffer * tile::k_elements + i * tile::panel_elements +
                                 wave * (tile::panel_elements / waves));
            bring(g_k, to, from_k, t * (tile::k_elements * 2) + i * (tile::panel * 2));
        });
    };
    const auto bring_v = [&](auto buffer, int t) {
        T* const to = lds + (2 * tile::k_elements + buffer * tile::v_elements +
                             wave * (tile::v_elements / waves));
        bring(g_v, to, from_v, t * (tile::v_elements * 2));
    };

    // -- from LDS to registers --------------------------------------------------------------------
    const auto u_k = tile::part_of_k(lane);
    const auto u_v = tile::part_of_v(lane);
    const auto read_k = [&](auto buffer, auto pair) {
        constexpr auto at =
            number<buffer.value * tile::k_elements + tile::offset_of_k(pair.value)>{};
        return s_k.template load<8>(u_k + at, no_dma_wait{});
    };
    // On gfx950 the caller waits for these reads.
    const auto read_v = [&](auto buffer, auto step) {
        constexpr auto at = number<buffer.value * tile::v_elements + step.value * 16 * d_v>{};
        if constexpr (is_gfx950) {
            return s_v.template tr_load<pv.pack_b_tr>(u_v + at);
        } else {
            return s_v.template load<blocks_d>(u_v + at, no_dma_wait{});
        }
    };

    // -- the state of a row -----------------------------------------------------------------------
    array<typename decltype(qk)::vtype_a, pairs_d> q;
    static_for<pairs_d>([&](auto pair) {
        q[pair] = g_q.template load<8>(partition_layout_a(qk, make_tuple(number<d>{}, 1_I), lane) +
                                       (first_row * d + pair * 32));
    });
    typename decltype(pv)::vtype_c o{};
    fp32x2_t sum{};            // of P, in two parts, of the keys that this lane has
    fp32_t m = -infinity;      // as long as the row has seen no key
    fp32_t minus_mc = 0;       // -c * m, but 0 then
    fp32_t limit = -infinity;  // m + headroom
    const auto raise_if_needed = [&](fp32_t top) {
        if (ballot(top > limit) == 0) {
            return;
        }
        const fp32_t higher = max3(m, top, shfl_xor(top, 32_I));
        const fp32_t minus = higher == -infinity ? 0.0f : -higher * sizes.scale_log2e;
        const fp32_t factor = m == -infinity ? 0.0f : opus::exp2(minus - minus_mc);
        o *= factor;
        sum *= factor;
        m = higher;
        minus_mc = minus;
        limit = m + sizes.headroom;
    };

    // -- the pieces of a tile ---------------------------------------------------------------------
    // Step `step` of P, 16 keys.
    const auto weights = [&](const scores& s, auto step) {
        const fp32x8_t x = slice(s, number<step.value * 8>{}, number<step.value * 8 + 8>{});
        const fp32x8_t p = opus::exp2(x * sizes.scale_log2e + minus_mc);
        const fp32x4_t four = p.lo + p.hi;
        sum += four.lo + four.hi;
        return to_type<T>(p);
    };

    // -- the pipeline -----------------------------------------------------------------------------
    // What happens at the same time during tile t, in buffer p. The stages have equal work for the
    // matrix core (one more stage, without any, is in front of them):
    //
    //   matrix core   -            S(t + 1) = Q * K^T     O += P(t) * V
    //   VALU          P(t)         P(t)                   largest of S(t + 1)
    //   LDS to regs   K(t + 1)     K(t + 1), then V(t)    V(t)
    //   memory        K(t + 2) to K's buffer p, V(t + 1) to V's buffer 1 - p
    //
    // There is one barrier in front of that: everything copied during tile t - 1 has arrived, and
    // all waves have read what will be overwritten.
    scores s;  // of tile t
    const auto begin_tile = [&] {
        wait_async(0_I);
        lds_barrier();
    };
    // For tiles of which all rows see tile t + 1 completely. A stage reads the operands of the one
    // `ahead` stages later: on gfx942, whose stages have twice as many matrix instructions, of the
    // next one.
    constexpr int stages = pairs_d + steps_k;
    constexpr auto ahead = number<is_gfx950 ? 2 : 1>{};
    const auto whole_tile = [&](auto buffer, int t) {
        scores later;
        array<p_operand, steps_k> p;
        array<k_operand, pairs_d> k;
        array<v_operand, steps_k> v;
        const auto read = [&](auto stage) {
            if constexpr (stage < pairs_d) {
                k[stage] = read_k(1_I - buffer, stage);
            } else if constexpr (stage < stages) {
                v[stage - number<pairs_d>{}] = read_v(buffer, stage - number<pairs_d>{});
            }
        };
        begin_tile();
        static_for<ahead>(read);
        keep_order();
        bring_k(buffer, t + 2);
        bring_v(1_I - buffer, t + 1);
        static_for<stages>([&](auto stage) {
            if constexpr (stage < pairs_d) {  // the steps of P, spread over the pairs along d
                constexpr auto begin = number<stage.value * steps_k / pairs_d>{};
                constexpr int end = (stage.value + 1) * steps_k / pairs_d;
                static_for<end - begin.value>(
                    [&](auto i) { p[begin + i] = weights(s, begin + i); });
            }
            // On gfx950 the reads for the next stage stay in flight; but not those of V during the
            // last stage of K, because the compiler does not see them and would not count them.
            constexpr int next = stage.value + 1;
            constexpr bool go_on = is_gfx950 && next != pairs_d && next != stages;
            constexpr int reads = next < pairs_d ? 4 : 2 * blocks_d;
            wait_for_reads(number<go_on ? reads : 0>{});
            read(stage + ahead);
            if constexpr (stage < pairs_d) {
                later = qk(q[stage], k[stage], stage == 0 ? scores{} : later);
            } else {
                constexpr auto step = stage - number<pairs_d>{};
                o = pv(p[step], tile::operand_of_v(v[step]), o);
            }
        });
        s = later;
        raise_if_needed(reduce(s, maximum{}));
    };
    // The row sees `seen` keys of tile t + 1, which may be 0 or negative. first_key is the key of
    // the lane's first score. The mask uses the keys of lane 0, which are constants; those of this
    // lane would take 32 registers.
    const auto first_score = tile_coordinates_c(qk, lane)(0_I);
    const int row = first_row + get<0>(first_score);
    const int first_key = get<1>(first_score);
    const auto masked_scores = [&](auto buffer, int seen) {
        static_for<pairs_d>([&](auto pair) {
            const k_operand k = read_k(buffer, pair);
            wait_for_reads(0_I);
            s = qk(q[pair], k, pair == 0 ? scores{} : s);
        });
        const auto of_lane_0 = tile_coordinates_c(qk, 0_I);
        s = select(within(of_lane_0, _, seen - first_key), s, -infinity);
        raise_if_needed(reduce(s, maximum{}));
    };
    const int seen_by_row = sizes.seen_by(row);
    const int seen_by_wave = sizes.seen_by(first_row + rows_of_wave - 1);
    const auto last_tile = [&](auto buffer, int t) {
        begin_tile();
        bring_k(buffer, t + 2);
        bring_v(1_I - buffer, t + 1);
        if (t * keys < seen_by_wave) {
            static_for<steps_k>([&](auto step) {
                const v_operand v = read_v(buffer, step);
                const p_operand p = weights(s, step);
                wait_for_reads(0_I);
                o = pv(p, tile::operand_of_v(v), o);
            });
            if ((t + 1) * keys < seen_by_wave) {
                masked_scores(1_I - buffer, seen_by_row - (t + 1) * keys);
            }
        }
    };

    const int seen_by_all = max(sizes.seen_by(first_of_block), 0);
    const int seen_by_any = max(sizes.seen_by(first_of_block + block - 1), 0);
    const int tiles = (seen_by_any + keys - 1) / keys;
    const int whole_tiles = seen_by_all / keys;
    bring_k(0_I, 0);
    bring_v(0_I, 0);
    bring_k(1_I, 1);
    wait_async(number<tile::v_dmas + tile::all_k_dmas>{});
    s_barrier();
    keep_order();
    masked_scores(0_I, seen_by_row);
    int t = 0;
    for (; t + 2 < whole_tiles; t += 2) {
        whole_tile(0_I, t);
        whole_tile(1_I, t + 1);
    }
    for (; t < tiles; t += 2) {
        last_tile(0_I, t);
        if (t + 1 < tiles) {
            last_tile(1_I, t + 1);
        }
    }
    wait_async(0_I);

    // -- from registers to global memory ----------------------------------------------------------
    // Rows past the end are outside the buffer.
    const fp32_t of_row = reduce_lanes(sum[0] + sum[1], plus{}, 32_I);
    o *= of_row == 0 ? 0.0f : 1 / of_row;
    if constexpr (!is_gfx950) {
        o = transposed<blocks_d, 16>(o);
    }
    const auto u_o = tile::part_of_o(lane) + first_row * d_v;
    if (sizes.is_out_f32) {
        make_gmem(static_cast<fp32_t*>(ptr_o) + head * sizes.rows * d_v, 2 * o_bytes)
            .template store<4>(o, u_o);
    } else {
        make_gmem(static_cast<T*>(ptr_o) + head * sizes.rows * d_v, o_bytes)
            .template store<4>(to_type<T>(o), u_o);
    }
}

// == host =========================================================================================

constexpr int max_heads = 65535;  // of a grid, as the batches
std::vector<element> out_types() {
    return {element::f16, element::bf16, element::f32};
}

// O = softmax(scale * Q * K^T) * V for each head of each batch. All are row-major without padding:
// Q [batch, heads, rows, d], K [batch, kv_heads, keys, d], V and O with d_v columns instead of d.
// The values are those of `type`, as doubles.
struct attention_problem {
    int batch = 1;
    int heads = 1;
    int kv_heads = 1;  // heads / kv_heads neighbours share one of K and V
    int rows = 0;
    int keys = 0;
    int d = 0;
    int d_v = 0;
    element type = element::f16;
    element out_type = element::f16;  // `type` or f32
    bool causal = false;              // row i sees the keys up to i + keys - rows
    double scale = 1;
    std::vector<double> q;
    std::vector<double> k;
    std::vector<double> v;

    // Of row `row`.
    int visible_keys(int row) const {
        return causal ? std::clamp(row + 1 + keys - rows, 0, keys) : keys;
    }
    examples::tensor_shape shape_of_q() const {
        return examples::shape_of({batch, heads, rows, d});
    }
    examples::tensor_shape shape_of_k() const {
        return examples::shape_of({batch, kv_heads, keys, d});
    }
    examples::tensor_shape shape_of_v() const {
        return examples::shape_of({batch, kv_heads, keys, d_v});
    }
    examples::tensor_shape shape_of_o() const {
        return examples::shape_of({batch, heads, rows, d_v});
    }
};

// The columns of V and O.
int d_v_of(int d) {
    return d == 192 ? 128 : d;
}

// The products take 2 * d and 2 * d_v operations for each key that a row sees.
examples::tensor_result counts_of(const attention_problem& p) {
    double pairs = 0;
    for (int row = 0; row < p.rows; ++row) {
        pairs += p.visible_keys(row);
    }
    const auto q = static_cast<double>(p.q.size());
    const auto kv = static_cast<double>(p.k.size() + p.v.size());
    const auto o = static_cast<double>(examples::element_count(p.shape_of_o()));
    examples::tensor_result result;
    result.flop = 2.0 * (p.d + p.d_v) * pairs * p.heads * p.batch;
    result.least_bytes = (q + kv) * size_of(p.type) + o * size_of(p.out_type);
    return result;
}

template <class T, int d, int d_v, class Out>
examples::tensor_result run_kernel(const attention_problem& p, int iters) {
    const examples::device_buffer<T> q(examples::to<T>(p.q));
    const examples::device_buffer<T> k(examples::to<T>(p.k));
    const examples::device_buffer<T> v(examples::to<T>(p.v));
    examples::device_buffer<Out> o(examples::element_count(p.shape_of_o()));
    o.fill_unwritten(0xff);  // NaN: an element that no lane writes is seen
    constexpr double log2e = 1.44269504088896341;
    const auto c = static_cast<float>(p.scale * log2e);
    const attention_sizes sizes{p.rows,
                                p.keys,
                                p.heads / p.kv_heads,
                                p.causal ? 1 : 0,
                                opus::is_same_v<Out, fp32_t> ? 1 : 0,
                                c,
                                8 / c};
    const auto blocks = static_cast<unsigned>((p.rows + block - 1) / block);
    const auto heads = static_cast<unsigned>(p.heads);
    const auto batch = static_cast<unsigned>(p.batch);
    const dim3 grid = d == 192 ? dim3(heads, batch, blocks) : dim3(blocks, heads, batch);
    examples::tensor_result result = counts_of(p);
    result.milliseconds = examples::time_launches(iters, "attention_kernel", [&] {
        attention_kernel<T, d, d_v>
            <<<grid, waves * 64>>>(q.data(), k.data(), v.data(), o.data(), sizes);
    });
    result.add(p.shape_of_o(), o.result());
    return result;
}

template <class T, int d, int d_v = d>
examples::tensor_result run_type(const attention_problem& p, int iters) {
    return p.out_type == element::f32 ? run_kernel<T, d, d_v, fp32_t>(p, iters)
                                      : run_kernel<T, d, d_v, T>(p, iters);
}

struct variant {
    element type;
    int d;
    examples::tensor_result (*run)(const attention_problem&, int iters);
};
constexpr variant variants[] = {
    {element::f16, 128, run_type<fp16_t, 128>},
    {element::bf16, 64, run_type<opus::bf16_t, 64>},
    {element::bf16, 192, run_type<opus::bf16_t, 192, 128>},
#if !OPUS_EXAMPLES_SMALL
    {element::f16, 64, run_type<fp16_t, 64>},
    {element::bf16, 128, run_type<opus::bf16_t, 128>},
    {element::f16, 192, run_type<fp16_t, 192, 128>},
#endif
};

examples::tensor_result run(const attention_problem& p, int iters = 1) {
    for (const variant& v : variants) {
        if (v.type == p.type && v.d == p.d) {
            return v.run(p, iters);
        }
    }
    examples::refuse_in_small();
}

// Tolerance. Let u = 2^-23, the unit in the last place of 1 in f32; every operation on f32 loses
// less than u of its result, as does v_exp_f32 (ISA guide: 1 ULP). All in the notation of a row:
// scores s[j] = sum over d of q * k[j], c = scale * log2(e), weights P[j] = 2^(c * (s[j] - m)).
//
// Exponent. The sum of d exact products loses at most d * u * S, where S, the largest sum of
// |q * k[j]| over the keys, bounds all |s[j]|, too, and |m| (see common/gemm_host.cpp).
// c is rounded once, the fused c * s[j] - c * m once, of a value up to 2 * c * S. -c * m is
// rounded, but the same for all keys with this m. Where m is raised from m1 to m2, what was summed
// before is multiplied by 2^(c * (m1 - m2)): the exponent is the difference of the two rounded
// products, which cancels that, and is rounded once itself; as m only grows, all of that is of
// 2 * c * S at most. So the exponent is off by less than  c * S * (d + 6) * u.
//
// Weights. That, times ln 2, and v_exp_f32 make one off by a factor of up to 1 + w; each raising of
// m adds its v_exp_f32 and a multiplication, and there is one for each tile of 32 keys at most.
//
// Rounded to 16 bits for the second product, weights lose e = 2^-11 (f16) or 2^-8 (bf16), half a
// unit in the last place, but not in the sum that O is divided by. Those below 2^-14 lose 2^-25 in
// f16, those below 2^-126 are 0. As the largest weight of a row is 1 at least (m is no more than
// the largest score), that is 2^-25 or 2^-126 of |v[j]| at most.
//
// The sums over the keys lose less than keys * u of themselves, of P * |v| the one and of P the
// other one. The division and the multiplication with it lose u each. With A the exact sum of
// weight * |v| over that of the weights,
//
//   |o - exact| <= A * ((1 + w) * (1 + e) * (1 + keys * u) * (1 + 2 * u)
//                       / ((1 - w) * (1 - keys * u)) - 1)  +  2^-25 (2^-126) * sum of |v|,
//
// twice the last term for what the factors before do to it. Rounding to the type of O keeps the
// order of numbers: what is between the ends of that before it is between the rounded ends after
// it.
double relative_tolerance(const attention_problem& p, int visible, double largest_sum) {
    constexpr double u = 0x1p-23;
    constexpr double ln2 = 0.693147180559945309;
    const double exponent = p.scale / ln2 * largest_sum * (p.d + 6) * u;
    const double raises = (visible + 31) / 32;
    const double w = std::expm1(exponent * ln2) + (1 + 2 * raises) * u;
    const double e = p.type == element::f16 ? 0x1p-11 : 0x1p-8;
    const double sum = visible * u;
    if (w >= 1 || sum >= 1) {
        return std::numeric_limits<double>::infinity();
    }
    return (1 + w) * (1 + e) * (1 + sum) * (1 + 2 * u) / ((1 - w) * (1 - sum)) - 1;
}

// Row `index` of all rows of all heads.
void expect_row(const attention_problem& p, std::size_t index, examples::tensor_output& o) {
    const auto d = static_cast<std::size_t>(p.d);
    const auto d_v = static_cast<std::size_t>(p.d_v);
    const auto rows = static_cast<std::size_t>(p.rows);
    const auto heads = static_cast<std::size_t>(p.heads);
    const auto kv_heads = static_cast<std::size_t>(p.kv_heads);
    const std::size_t head = index / rows;
    const std::size_t kv_head = head / heads * kv_heads + head % heads / (heads / kv_heads);
    const int visible = p.visible_keys(static_cast<int>(index % rows));
    const double* const q = &p.q[index * d];
    const std::size_t first_key = kv_head * static_cast<std::size_t>(p.keys);

    std::vector<double> weights(static_cast<std::size_t>(visible));
    double largest = -std::numeric_limits<double>::infinity();
    double largest_sum = 0;
    for (std::size_t j = 0; j < weights.size(); ++j) {
        double score = 0;
        double sum = 0;
        for (std::size_t i = 0; i < d; ++i) {
            const double product = q[i] * p.k[(first_key + j) * d + i];
            score += product;
            sum += std::fabs(product);
        }
        weights[j] = p.scale * score;
        largest = std::max(largest, weights[j]);
        largest_sum = std::max(largest_sum, sum);
    }
    double sum = 0;
    for (double& weight : weights) {
        weight = std::exp(weight - largest);
        sum += weight;
    }
    std::vector<double> reference(d_v);
    std::vector<double> magnitude(d_v);  // A
    std::vector<double> all(d_v);        // sum of |v|
    for (std::size_t j = 0; j < weights.size(); ++j) {
        for (std::size_t i = 0; i < d_v; ++i) {
            const double v = p.v[(first_key + j) * d_v + i];
            reference[i] += weights[j] / sum * v;
            magnitude[i] += weights[j] / sum * std::fabs(v);
            all[i] += std::fabs(v);
        }
    }

    const double relative = relative_tolerance(p, visible, largest_sum);
    const double lost = p.type == element::f16 ? 0x1p-24 : 0x1p-125;
    for (std::size_t i = 0; i < d_v; ++i) {
        // A row that sees no key is exactly 0.
        const double allowed = visible == 0 ? 0 : relative * magnitude[i] + lost * all[i];
        o.expect_near(index * d_v + i, reference[i], allowed, p.out_type);
    }
}

struct attention_options {
    examples::extent batch{"--batch", "Of all", 1, max_heads, "INT"};
    examples::extent heads{"--heads", "Of Q and O", 1, max_heads, "INT", "as --kv-heads"};
    examples::extent kv_heads{"--kv-heads", "Of K and V", 1, max_heads, "INT", "as --heads"};
    examples::extent m{"-m", "Rows of Q and O", 512};
    examples::extent n{"-n", "Rows of K and V", 0, examples::max_extent, "INT elements", "as -m"};
    examples::extent d{"-d", "Columns of all; 192: V and O have 128", 128, 192,
                       "64|128|192 elements"};
    examples::extent d_v{"Columns of V", "", 0};  // no option
    bool causal = false;
    double scale = 0;                     // 0: 1 / sqrt(d)
    std::optional<std::size_t> out_type;  // of out_types(), none: that of the operands
    examples::input q{"--q", "Read Q[batch, heads, M, D]", {&batch, &heads, &m, &d}};
    examples::input k{"--k", "Read K[batch, kv-heads, N, D]", {&batch, &kv_heads, &n, &d}};
    examples::input v{"--v", "Read V[batch, kv-heads, N, D]", {&batch, &kv_heads, &n, &d_v}};
};

// Without the values.
attention_problem make_problem(attention_options& options, element type) {
    // What neither an option nor a file has is as what is known beside it.
    options.kv_heads.otherwise = options.heads.size();
    options.heads.otherwise = options.kv_heads.size();
    options.n.otherwise = options.m.size();
    attention_problem p;
    p.batch = options.batch.size();
    p.heads = options.heads.size();
    p.kv_heads = options.kv_heads.size();
    p.rows = options.m.size();
    p.keys = options.n.size();
    options.d.otherwise = options.d_v.known.value_or(options.d.otherwise);
    p.d = options.d.size();
    examples::parse_name("-d", std::to_string(p.d), {"64", "128", "192"});
    options.d_v.otherwise = d_v_of(p.d);
    p.d_v = options.d_v.size();
    if (p.d_v != d_v_of(p.d)) {
        throw examples::usage_error("V has " + std::to_string(p.d_v) + " columns: with -d " +
                                    std::to_string(p.d) + " it must have " +
                                    std::to_string(d_v_of(p.d)));
    }
    p.type = type;
    p.out_type = options.out_type ? out_types()[*options.out_type] : type;
    if (p.out_type != type && p.out_type != element::f32) {
        throw examples::usage_error(std::string("--out-type is '") + name_of(p.out_type) +
                                    "': it must be f32 or that of --type, " + name_of(type));
    }
    if (p.heads % p.kv_heads != 0) {
        throw examples::usage_error(std::to_string(p.heads) + " heads cannot share " +
                                    std::to_string(p.kv_heads) +
                                    " of K and V: --heads must be a multiple of --kv-heads");
    }
    p.causal = options.causal;
    p.scale = options.scale != 0 ? options.scale : 1 / std::sqrt(static_cast<double>(p.d));
    return p;
}

std::string equation(const attention_problem& p) {
    char scale[32];
    std::snprintf(scale, sizeof(scale), "%.9g", p.scale);
    return std::string("O = softmax(") + scale + " * " +
           examples::tensor_text("Q", p.shape_of_q()) + " * " +
           examples::tensor_text("K", p.shape_of_k()) + "^T" + (p.causal ? ", causal" : "") +
           ") * " + (p.d_v == p.d ? "V" : examples::tensor_text("V", p.shape_of_v()));
}

}  // namespace

int main(int argc, char** argv) {
    attention_options options;
    attention_problem p;
    examples::tensor_example e;
    e.formula = "O[M, D] = softmax(scale * Q[M, D] * K[N, D]^T) * V[N, D]";
    e.description = "8 waves for 256 rows of Q; scores in registers, K and V through LDS";
    e.extents = {&options.batch, &options.heads, &options.kv_heads,
                 &options.m,     &options.n,     &options.d};
    e.types = {element::f16, element::bf16};
    e.add_options = [&](CLI::App& app) {
        using namespace examples;
        add_flag(app, "--causal", options.causal, "1: row i sees keys up to i + n - m (0)");
        add_factor(app, "--scale", options.scale, "Factor of the scores (1 / sqrt(d))");
        add_name(app, "--out-type", options.out_type, names_of(out_types()),
                 "Type of O: f32, or (as --type)");
    };
    e.inputs = {&options.q, &options.k, &options.v};
    for (examples::input* const in : e.inputs) {
        in->finite = true;
    }
    e.outputs = {"O"};
    e.prepare = [&](std::mt19937_64&) {
        p = make_problem(options, e.type);
        return equation(p);
    };
    e.run = [&](int iters) {
        p.q = std::move(options.q.values);
        p.k = std::move(options.k.values);
        p.v = std::move(options.v.values);
        return run(p, iters);
    };
    e.expect = [&](std::vector<examples::tensor_output>& outputs) {
        examples::parallel_for(p.q.size() / static_cast<std::size_t>(p.d),
                               [&](std::size_t row) { expect_row(p, row, outputs[0]); });
    };
    return examples::tensor_main(argc, argv, e);
}
