// SPDX-License-Identifier: MIT
//
// attention: O = softmax(scale * Q * K^T) * V, f16 or bf16 in, for each head of each batch, with
// the scores in registers only. A wave has 32 rows of Q, a workgroup of 8 waves 256; all of them
// go through K and V together, 64 rows (keys) at a time. Read gemm_pipelined first for how tiles
// come to LDS, which is the same here. What is different:
//
//  - The first product is transposed, S^T = K * Q^T. Then a lane has the scores of one row of Q, 32
//    of the tile's 64 (lane l + 32 has the others), and what is computed of them needs no other
//    lane. And so S^T is, where it is, an operand of the second product, O^T = V^T * P^T: the sum
//    over keys is the same in any order, if only V^T has them in the order in which P^T has.
//  - That needs columns of V, which is in LDS by rows: the transposed reads of gfx950, or on gfx942
//    v_perm_b32 behind plain ones.
//  - The softmax is of what has been seen so far: P = exp2(c * (S - m)), where c is scale * log2(e)
//    and m a score that is not much less than the largest one, 2^8 times as much P at most. Only
//    where it is, in few tiles, m is raised and O and the sum of P are brought down to it.
//
// op_tests/codegen/test_examples.cpp counts the instructions of the loop; docs/kernels.md tells how
// they became so few.
#include <vector>

#include "common/attention_host.hpp"
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

namespace {

using opus::fp16_t;
using opus::fp32_t;
using opus::fp32x16_t;
using opus::fp32x2_t;
using opus::number;

constexpr int waves = 8;
constexpr int rows_of_wave = 32;
constexpr int block = waves * rows_of_wave;  // rows of Q
constexpr int keys = 64;                     // of a tile: rows of K and V

// A tile of K or V in LDS: 64 rows of `d` elements, in chunks of 16 bytes. Both sides, the lanes
// that bring it and those that read it, ask it where chunk c of a row is; the functions are their
// own inverses. As in gemm_pipelined they are there for the banks:
//
//  - A lane reads chunk c of K's row l % 32. In each phase of ds_read_b128 l % 16 takes 16 values
//    on gfx950, where a row of 128 elements is as wide as the 64 banks, and l % 8 takes 8 on gfx942
//    with 32 banks. Where two rows fit the banks side by side, they have the same swizzle.
//  - A transposed read, 32 lanes at a time, takes 64 bytes of 4 rows that follow one another.
//  - On gfx942 a read of V takes whole rows.
template <int d, bool is_gfx950>
struct kv_tile {
    static constexpr int elements = keys * d;
    static constexpr int row_bytes = d * 2;
    static constexpr int chunks = row_bytes / 16;
    static constexpr int bank_bytes = is_gfx950 ? 256 : 128;
    static constexpr int rows_side_by_side = row_bytes < bank_bytes ? bank_bytes / row_bytes : 1;

    OPUS_H_D static constexpr int place_of_k(int row, int c) {
        return c ^ (row / rows_side_by_side % chunks);
    }
    OPUS_H_D static constexpr int place_of_v(int row, int c) {
        return is_gfx950 ? c ^ (row / rows_side_by_side % (chunks / 4) * 4) : c;
    }

    // Where a lane reads. Of K for step `step` along d, as operand A of 32 x 32 x 16: 8 elements of
    // row l % 32, chunk 2 * step + l / 32.
    OPUS_H_D static constexpr int k_byte(int lane, int step) {
        return lane % 32 * row_bytes + place_of_k(lane % 32, step * 2 + lane / 32) * 16;
    }
    // Of V^T, for a step of 16 keys. S^T has left lane l with the keys 8 g + 4 (l / 32) + 0 .. 3 in
    // its registers 4 g to 4 g + 3. So here, too, the first 4 elements of a lane's operand are of
    // the keys 4 (l / 32) + 0 .. 3 of the step, and the other 4 of the keys 8 further.
    //
    // gfx950: a group of 16 lanes points to 16 columns of 4 such rows, and gets the columns. Row i
    // of block j of O^T is column 32 j + i of V.
    // gfx942: a lane takes d / 32 columns of 4 rows, from (d / 32) * (l % 32) on, and transposes
    // them; this is the first row, whatever j. Row i of block j is column (d / 32) * i + j of V.
    OPUS_H_D static constexpr int v_byte(int lane, int j) {
        const int key = lane / 32 * 4 + (is_gfx950 ? lane % 16 / 4 : 0);
        const int chunk = j * 4 + lane / 16 % 2 * 2 + lane % 4 / 2;
        return key * row_bytes + (is_gfx950 ? place_of_v(key, chunk) * 16 + lane % 2 * 8
                                            : lane % 32 * (row_bytes / 32));
    }

    // async_loads, which write whole rows: of a wave for 8 rows of K, and as many for V.
    static constexpr int dma_bytes = is_gfx950 ? 16 : 4;  // of one lane
    static constexpr int dma_lanes = row_bytes / dma_bytes;
    static constexpr int dma_rows = 64 / dma_lanes;
    static constexpr int dmas = keys / waves / dma_rows;
};

struct attention_sizes {
    int rows;            // of Q and O in a head
    int keys;            // rows of K and V in a head
    int heads_per_kv;    // heads of Q that share one of K and V
    int is_causal;       // row i sees the keys up to i + keys - rows
    int is_out_f32;      // O is f32 instead of T
    fp32_t scale_log2e;  // c
    fp32_t headroom;     // how far a score may be above m: 8 / c
};

OPUS_D fp32_t exp2(fp32_t x) {
    return __builtin_amdgcn_exp2f(x);  // one instruction; below 2^-126 it gives 0
}

// On gfx950 a NaN if there is one, else a NaN counts as missing.
OPUS_D fp32_t larger(fp32_t a, fp32_t b, fp32_t c) {
#if OPUS_HAS_LDS_TRANSPOSE_READ && __has_builtin(__builtin_elementwise_maximum)
    return __builtin_elementwise_maximum(__builtin_elementwise_maximum(a, b), c);
#else
    return opus::max3(a, b, c);
#endif
}

OPUS_D fp32_t largest(const fp32x16_t& x) {
    const fp32_t a = larger(larger(x[0], x[1], x[2]), x[3], x[4]);
    const fp32_t b = larger(larger(x[5], x[6], x[7]), x[8], x[9]);
    const fp32_t c = larger(larger(x[10], x[11], x[12]), x[13], x[14]);
    return larger(larger(a, b, c), x[15], x[15]);
}

// 8 elements of P, in f32, to the type of V; to nearest even, in the way of gfx942 that takes the
// fewest instructions.
template <class T>
OPUS_D opus::vector_t<T, 8> to_operand(const opus::fp32x8_t& p) {
    if constexpr (opus::is_same_v<T, fp16_t>) {
        return opus::cast<T>(p);
    } else {
        return opus::cast<T>(p, number<5>{});
    }
}

// What this wave read from LDS, but for the latest `count` reads, is in registers. (See
// gemm_pipelined.)
template <int count>
OPUS_D void wait_for_reads(number<count>) {
    opus::keep_order();
    opus::s_waitcnt_lgkmcnt(number<count>{});
    opus::keep_order();
}

// Grid: (blocks of Q's rows, heads, batch), 512 threads. Q and O are [batch, heads, rows, d], K and
// V are [batch, heads / heads_per_kv, keys, d]. Keys past the end and those that a row does not see
// have P = 0; a row that sees none is 0.
// @pre scale_log2e > 0; headroom is finite; a head has less than 2^31 bytes
template <class T, int d>
__global__ __launch_bounds__(waves * 64) void attention_kernel(const T* ptr_q, const T* ptr_k,
                                                               const T* ptr_v, void* ptr_o,
                                                               attention_sizes sizes) {
    using namespace opus;
    constexpr bool is_gfx950 = OPUS_HAS_LDS_TRANSPOSE_READ;
    using tile = kv_tile<d, is_gfx950>;
    static_assert(sizeof(T) == 2 && (d == 64 || d == 128), "attention: f16 or bf16, d 64 or 128");
    constexpr int steps_d = d / 16;     // of the first product, along d
    constexpr int steps_k = keys / 16;  // of the second one, along the keys
    constexpr int blocks_d = d / 32;    // tiles of O^T along d
    constexpr fp32_t infinity = __builtin_huge_valf();
    using operand = vector_t<T, 8>;

    const int lane = thread_id_x() % 64;
    const int wave = readfirstlane(thread_id_x() / 64);
    const int half = lane / 32;
    const long_index_t head =
        static_cast<long_index_t>(block_id_z()) * grid_size_y() + block_id_y();
    const long_index_t kv_head = head / sizes.heads_per_kv;
    const int first_row = block_id_x() * block + wave * rows_of_wave;
    const int row = first_row + lane % 32;

    // How many keys a row sees: all, or those up to the diagonal, which ends in the last row.
    const auto visible = [&](int of_row) {
        const int up_to = of_row + 1 + sizes.keys - sizes.rows;
        return sizes.is_causal && up_to < sizes.keys ? up_to : sizes.keys;
    };

    const unsigned head_bytes = static_cast<unsigned>(sizes.rows) * tile::row_bytes;
    const unsigned kv_bytes = static_cast<unsigned>(sizes.keys) * tile::row_bytes;
    const auto g_q = make_gmem(ptr_q + head * sizes.rows * d, head_bytes);
    const auto g_k = make_gmem(ptr_k + kv_head * sizes.keys * d, kv_bytes);
    const auto g_v = make_gmem(ptr_v + kv_head * sizes.keys * d, kv_bytes);

    // Two buffers of K, then two of V; one array, as in gemm_pipelined.
    __shared__ __attribute__((aligned(16))) T lds[4 * tile::elements];
    const auto s_kv = make_smem(lds);
    constexpr int tile_bytes = tile::elements * 2;

    // -- from global memory to LDS ----------------------------------------------------------------
    constexpr int dma_step = 64 * tile::dma_bytes;
    array<int, tile::dmas> from_k;  // byte offsets in a tile, which do not change
    array<int, tile::dmas> from_v;
    static_for<tile::dmas>([&](auto i) {
        const int tile_row = wave * (keys / waves) + i * tile::dma_rows + lane / tile::dma_lanes;
        const int byte = lane % tile::dma_lanes * tile::dma_bytes;
        const int begin = tile_row * tile::row_bytes + byte % 16 - i * dma_step;
        from_k[i] = begin + tile::place_of_k(tile_row, byte / 16) * 16;
        from_v[i] = begin + tile::place_of_v(tile_row, byte / 16) * 16;
    });
    // Keys past the end are outside of the buffers: zeros arrive.
    const auto bring = [&](const auto& g, T* to, auto buffer, const auto& from, int t) {
        T* const rows_of_wave = to + (buffer * tile::elements + wave * (tile::elements / waves));
        static_for<tile::dmas>([&](auto i) {
            g.template _async_load<tile::dma_bytes / 2>(rows_of_wave, from[i], t * tile_bytes,
                                                        number<i.value * dma_step>{});
        });
    };
    const auto bring_k = [&](auto buffer, int t) { bring(g_k, lds, buffer, from_k, t); };
    const auto bring_v = [&](auto buffer, int t) {
        bring(g_v, lds + 2 * tile::elements, buffer, from_v, t);
    };

    // -- from LDS to registers --------------------------------------------------------------------
    array<int, steps_d> k_at;
    static_for<steps_d>([&](auto step) { k_at[step] = tile::k_byte(lane, step); });
    // For both blocks of 32 keys and two steps along d.
    using k_operands = array<array<operand, 2>, 2>;
    const auto read_k = [&](auto buffer, auto pair) {
        k_operands a;
        static_ford<2, 2>([&](auto step, auto key_block) {
            a[step][key_block] = s_kv.template _load<8>(
                k_at[pair * 2_I + step] +
                    (buffer * tile_bytes + key_block * (32 * tile::row_bytes)),
                no_dma_wait{});
        });
        return a;
    };

    array<int, is_gfx950 ? blocks_d : 1> v_at;
    static_for<is_gfx950 ? blocks_d : 1>(
        [&](auto j) { v_at[j] = 2 * tile_bytes + tile::v_byte(lane, j); });
    // What a lane reads for a step: on gfx950 twice 4 keys for each block of O^T, which the caller
    // waits for; on gfx942 8 rows.
    using v_piece = vector_t<T, is_gfx950 ? 4 : blocks_d>;
    using v_pieces = array<v_piece, is_gfx950 ? blocks_d * 2 : 8>;
    const auto read_v = [&](auto buffer, auto step) {
        constexpr int begin = buffer.value * tile_bytes + step.value * (16 * tile::row_bytes);
        v_pieces v;
        if constexpr (is_gfx950) {
            static_ford<blocks_d, 2>([&](auto j, auto i) {
                constexpr int at = begin + i.value * (8 * tile::row_bytes);
                v[j * 2_I + i] = s_kv.template _tr_load<4, at>(v_at[j]);
            });
        } else {
            static_ford<2, 4>([&](auto i, auto n) {
                v[i * 4_I + n] = s_kv.template _load<blocks_d>(
                    v_at[0_I] + (begin + (i * 8 + n) * tile::row_bytes), no_dma_wait{});
            });
        }
        return v;
    };
    const auto operand_of_v = [&](const v_pieces& v, auto j) {
        if constexpr (is_gfx950) {
            return concat_vector(v[j * 2_I], v[j * 2_I + 1_I]);
        } else {
            // The lower or the upper halves of two registers.
            constexpr unsigned halves = j.value % 2 == 0 ? 0x05040100 : 0x07060302;
            u32x4_t columns;
            static_for<4>([&](auto i) {
                using registers = vector_t<u32_t, blocks_d / 2>;
                columns[i.value] = __builtin_amdgcn_perm(
                    __builtin_bit_cast(registers, v[i * 2_I + 1_I])[j.value / 2],
                    __builtin_bit_cast(registers, v[i * 2_I])[j.value / 2], halves);
            });
            return __builtin_bit_cast(operand, columns);
        }
    };

    // -- the state of a row -----------------------------------------------------------------------
    const auto mma = make_mfma<T, T, fp32_t>(32_I, 32_I, 16_I);
    array<operand, steps_d> q;
    static_for<steps_d>(
        [&](auto step) { q[step] = g_q.template load<8>(row * d + step * 16 + half * 8); });
    array<fp32x16_t, blocks_d> o;
    static_for<blocks_d>([&](auto j) { o[j] = fp32x16_t{}; });
    fp32x2_t sum{};            // of P, in two parts, of the keys that this lane has
    fp32_t m = -infinity;      // as long as the row has seen no key
    fp32_t minus_mc = 0;       // -c * m, but 0 then
    fp32_t limit = -infinity;  // m + headroom
    const auto raise = [&](fp32_t top) {
        const fp32_t higher = max3(m, top, shfl_xor(top, 32_I));
        const fp32_t minus = higher == -infinity ? 0.0f : -higher * sizes.scale_log2e;
        const fp32_t factor = m == -infinity ? 0.0f : exp2(minus - minus_mc);
        static_for<blocks_d>([&](auto j) { o[j] *= factor; });
        sum *= factor;
        m = higher;
        minus_mc = minus;
        limit = m + sizes.headroom;
    };

    // -- the pieces of a tile ---------------------------------------------------------------------
    using scores = array<fp32x16_t, 2>;  // of a tile: S^T, in two blocks of 32 keys
    constexpr int pairs_d = steps_d / 2;
    const auto add_scores = [&](scores& s, const k_operands& a, auto pair) {
        static_ford<2, 2>([&](auto step, auto key_block) {
            s[key_block] = mma(a[step][key_block], q[pair * 2_I + step],
                               pair + step == 0 ? fp32x16_t{} : s[key_block]);
        });
    };
    // Step `step` of P^T, 16 keys.
    const auto weights = [&](const scores& s, auto step) {
        constexpr int begin = step.value % 2 * 8;
        fp32x8_t p = slice(s[step / 2_I], number<begin>{}, number<begin + 8>{});
        p = p * sizes.scale_log2e + minus_mc;
        static_for<8>([&](auto i) { p[i.value] = exp2(p[i.value]); });
        sum += fp32x2_t{p[0], p[1]} + fp32x2_t{p[2], p[3]} +
               (fp32x2_t{p[4], p[5]} + fp32x2_t{p[6], p[7]});
        return to_operand<T>(p);
    };
    const auto add_values = [&](const v_pieces& v, const operand& p) {
        static_for<blocks_d>([&](auto j) { o[j] = mma(operand_of_v(v, j), p, o[j]); });
    };
    const auto raise_if_needed = [&](fp32_t top) {
        if (ballot(top > limit) != 0) {
            raise(top);
        }
    };

    // -- the pipeline -----------------------------------------------------------------------------
    // What happens at the same time while tile t, in buffer p, is worked on, in stages of as much
    // work for the matrix core (and one in front of them):
    //
    //   matrix core   -            S(t + 1) = K * Q^T     O += V * P(t)
    //   VALU          P(t)         P(t)                   largest of S(t + 1)
    //   LDS to regs   K(t + 1)     K(t + 1), then V(t)    V(t)
    //   memory        K(t + 2) to K's buffer p, V(t + 1) to V's buffer 1 - p
    //
    // One barrier in front of that: all that was brought during tile t - 1 is there, and all waves
    // have read what is overwritten.
    scores s;  // of tile t
    const auto begin_tile = [&] {
        wait_async(0_I);
        lds_barrier();
    };
    const auto bring_next = [&](auto buffer, int t) {
        bring_k(buffer, t + 2);
        bring_v(1_I - buffer, t + 1);
    };
    // All rows see all of tile t + 1. What is read in a stage is for the one `ahead` stages later:
    // of gfx942, whose stages have twice as many matrix instructions, the next one.
    constexpr int stages = pairs_d + steps_k;
    constexpr auto ahead = number<is_gfx950 ? 2 : 1>{};
    const auto whole_tile = [&](auto buffer, int t) {
        scores later;
        array<operand, steps_k> p;
        array<k_operands, pairs_d> k;
        array<v_pieces, steps_k> v;
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
        bring_next(buffer, t);
        constexpr int at_once = steps_k / pairs_d;  // steps of P for a pair of steps along d
        fp32_t top = -infinity;
        static_for<stages>([&](auto stage) {
            if constexpr (stage < pairs_d) {
                static_for<at_once>([&](auto i) {
                    constexpr auto step = stage * number<at_once>{} + i;
                    p[step] = weights(s, step);
                });
            }
            // On gfx950 those for the next stage go on; but not those of V during the last stage of
            // K, which the compiler does not know of and would not count.
            constexpr int next = stage.value + 1;
            constexpr bool go_on = is_gfx950 && next != pairs_d && next != stages;
            constexpr int reads = next < pairs_d ? 4 : 2 * blocks_d;
            wait_for_reads(number<go_on ? reads : 0>{});
            read(stage + ahead);
            if constexpr (stage < pairs_d) {
                add_scores(later, k[stage], stage);
            } else {
                constexpr auto step = stage - number<pairs_d>{};
                add_values(v[step], p[step]);
                if constexpr (step >= 2) {
                    top = opus::max(top, largest(later[step - 2_I]));
                }
            }
        });
        s = later;
        raise_if_needed(top);
    };
    // Of tile t + 1 the row sees `seen` keys, which may be none or negative.
    const auto masked_scores = [&](auto buffer, int seen) {
        static_for<pairs_d>([&](auto pair) {
            const k_operands a = read_k(buffer, pair);
            wait_for_reads(0_I);
            add_scores(s, a, pair);
        });
        static_ford<2, 16>([&](auto key_block, auto r) {
            constexpr int key = key_block.value * 32 + r.value / 4 * 8 + r.value % 4;
            auto& score = s[key_block];
            score[r.value] = key < seen - half * 4 ? score[r.value] : -infinity;
        });
        raise_if_needed(opus::max(largest(s[0_I]), largest(s[1_I])));
    };
    const int seen_by_row = visible(row);
    const int seen_by_wave = visible(first_row + rows_of_wave - 1);
    const auto last_tile = [&](auto buffer, int t) {
        begin_tile();
        bring_next(buffer, t);
        if (t * keys < seen_by_wave) {
            static_for<steps_k>([&](auto step) {
                const v_pieces v = read_v(buffer, step);
                const operand p = weights(s, step);
                wait_for_reads(0_I);
                add_values(v, p);
            });
            if ((t + 1) * keys < seen_by_wave) {
                masked_scores(1_I - buffer, seen_by_row - (t + 1) * keys);
            }
        }
    };

    const int seen_by_all = max(visible(block_id_x() * block), 0);
    const int seen_by_any = max(visible(block_id_x() * block + block - 1), 0);
    const int tiles = (seen_by_any + keys - 1) / keys;
    const int whole_tiles = seen_by_all / keys;
    bring_k(0_I, 0);
    bring_v(0_I, 0);
    bring_k(1_I, 1);
    wait_async(number<2 * tile::dmas>{});
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
    // Where a lane has what of its row, 4 columns at a time. Rows past the end are outside of the
    // buffer.
    const fp32_t of_half = sum[0] + sum[1];
    const fp32_t of_row = of_half + shfl_xor(of_half, 32_I);
    const fp32_t factor = of_row == 0 ? 0.0f : 1 / of_row;
    const auto write = [&](const auto& g_o, auto to_type) {
        static_for<d / 8>([&](auto i) {
            fp32x4_t x;
            int column = 0;
            static_for<4>([&](auto n) {
                constexpr int e = i.value * 4 + n.value;  // of the lane's d / 2 elements
                constexpr int j = is_gfx950 ? e / 16 : e % blocks_d;
                constexpr int r = is_gfx950 ? e % 16 : e / blocks_d;
                x[n.value] = o[number<j>{}][r] * factor;
                if constexpr (n == 0) {
                    const int i_of_block = r / 4 * 8 + half * 4 + r % 4;
                    column = is_gfx950 ? j * 32 + i_of_block : blocks_d * i_of_block + j;
                }
            });
            g_o.template store<4>(to_type(x), row * d + column);
        });
    };
    if (sizes.is_out_f32) {
        write(make_gmem(static_cast<fp32_t*>(ptr_o) + head * sizes.rows * d, 2 * head_bytes),
              [](const fp32x4_t& x) { return x; });
    } else {
        write(make_gmem(static_cast<T*>(ptr_o) + head * sizes.rows * d, head_bytes),
              [](const fp32x4_t& x) {
                  if constexpr (is_same_v<T, fp16_t>) {
                      return cast<T>(x);
                  } else {
                      return cast<T>(x, 0_I);
                  }
              });
    }
}

// == host =========================================================================================

template <class T, int d, class Out>
examples::attention_result run_kernel(const examples::attention_problem& p) {
    const examples::device_buffer<T> q(examples::to<T>(p.q));
    const examples::device_buffer<T> k(examples::to<T>(p.k));
    const examples::device_buffer<T> v(examples::to<T>(p.v));
    examples::device_buffer<Out> o(p.q.size());
    o.fill_bytes(0xff);  // NaN: an element that no lane writes is seen
    constexpr double log2e = 1.44269504088896341;
    const auto c = static_cast<float>(p.scale * log2e);
    const attention_sizes sizes{p.rows,
                                p.keys,
                                p.heads / p.kv_heads,
                                p.causal ? 1 : 0,
                                opus::is_same_v<Out, fp32_t> ? 1 : 0,
                                c,
                                8 / c};
    const dim3 grid(static_cast<unsigned>((p.rows + block - 1) / block),
                    static_cast<unsigned>(p.heads), static_cast<unsigned>(p.batch));
    const double milliseconds = examples::time_launches(p.iters, "attention_kernel", [&] {
        attention_kernel<T, d><<<grid, waves * 64>>>(q.data(), k.data(), v.data(), o.data(), sizes);
    });
    return {o.to_host(), milliseconds};
}

template <class T>
examples::attention_result run_type(const examples::attention_problem& p) {
    const bool f32 = p.out_type == examples::element::f32;
    if (p.d == 64) {
        return f32 ? run_kernel<T, 64, fp32_t>(p) : run_kernel<T, 64, T>(p);
    }
    return f32 ? run_kernel<T, 128, fp32_t>(p) : run_kernel<T, 128, T>(p);
}

examples::attention_result run(const examples::attention_problem& p) {
    return p.type == examples::element::f16 ? run_type<fp16_t>(p) : run_type<opus::bf16_t>(p);
}

}  // namespace

int main(int argc, char** argv) {
    return examples::attention_main(
        argc, argv, "8 waves for 256 rows of Q; scores in registers, K and V through LDS", run);
}
