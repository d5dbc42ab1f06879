// SPDX-License-Identifier: MIT
//
// gemm_block_scale: C[M, N] = A[M, K] * B[N, K]^T of A and B in fp8 or bf8 with f32 scales, one for
// each 1 x 128 of A and one for each 128 x 128 of B; f32 or bf16 out; any M, N and K. The scales
// apply to sums, so the products of 128 k are summed apart, scaled, and then added to the result.
// Read gemm_fast and gemm_pipelined first. What is different:
//
//  - 256 x 256 sums take half of the registers. So that the products of 128 k have room beside them,
//    a wave computes a tile of LDS in four phases: all of its K for a quarter of the rows, whose sums
//    are 2 x 16 registers.
//  - mfma_adaptor_swap_ab gives a lane one row of each 32 x 32 of C: one scale of A, and one of B.
//  - The scales come to registers, a tile ahead, without LDS. Those of A are [K / 128, M]: a row of
//    lanes loads neighbours. In the order [M, K / 128] each lane would load a line of its own, and
//    the scales would take more lines of the caches than the codes.
//
// The host quantises A and B from f32 and encodes them in the device's format: gfx942 has the FNUZ
// variants. If C has fewer blocks than the device has compute units, K is split (--splits).
//
// op_tests/codegen/test_examples.cpp counts the instructions of the loop over K, two tiles.
#include <string>
#include <vector>

#include "common/device_fp8.hpp"
#include "common/gemm_host.hpp"
#include "gemm_pipelined/quantise.hpp"
#include "gemm_pipelined/split_gemm.hpp"
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

namespace {

using examples::gemm_args;
using examples::operand_matrix;
using opus::bf16_t;
using opus::fp32_t;
using opus::fp32x2_t;
using opus::long_index_t;
using opus::number;
using opus::u8_t;

constexpr int block = 256;  // rows and columns of C that a workgroup computes
constexpr int waves = 8;    // 2 x 4. A wave has 4 x 2 tiles of 32 x 32 of C, which are 64 rows and
constexpr int tiles_m = 4;  // 128 columns apart; between them are those of the other waves
constexpr int tiles_n = 2;
constexpr int wave_rows = block / waves;    // of A and of B that one wave brings to LDS
constexpr int scale_k = examples::scale_k;  // 128: elements along K of a scale

// A tile in LDS: 256 rows of A and 256 rows of B, each 8 chunks (gfx942: 4) of 16 codes. Chunk c of
// row r is in place c ^ (r / 2 % chunks), for the banks, as in gemm_pipelined.
template <class T, bool is_gfx950>
struct lds_tile {
    static constexpr int chunks = is_gfx950 ? 8 : 4;
    static constexpr int k = chunks * 16;    // elements and bytes of a row
    static constexpr int bytes = block * k;  // of A, and as many of B
    static constexpr int step_k = k / 2;     // of an operand: 32 bytes of a lane, or 16
    static constexpr int steps = k / step_k;
    static constexpr int begin_b = 2 * bytes;  // behind two buffers of A
    static constexpr int all_bytes = 4 * bytes;

    static constexpr auto make_mma() {
        using opus::seq;
        return opus::make_tiled_mma<T, T, fp32_t>(
            seq<1, 1, 1>{}, seq<2, 4, 1>{}, seq<32, 32, step_k>{}, opus::mfma_adaptor_swap_ab{});
    }
    using swizzle = opus::swizzle<is_gfx950 ? 3 : 2, 4, is_gfx950 ? 4 : 3>;

    // What a lane reads of A (`is_a`) or B in the first step; `wave` is the wave's position along M
    // or N. (The coordinate is written out to save registers, as in gemm_pipelined.)
    template <bool is_a>
    OPUS_H_D static constexpr auto layout(int wave, int lane) {
        using namespace opus;
        using opus::operator""_I;
        const auto stride = make_tuple(number<k>{}, 1_I);
        const auto coordinate = make_tuple(wave, lane % 32, 0_I, lane / 32);
        if constexpr (is_a) {
            return composition(swizzle{}, partition_layout_a(make_mma(), stride, coordinate));
        } else {
            return composition(swizzle{}, partition_layout_b(make_mma(), stride, coordinate));
        }
    }

    // One async_load of a wave writes whole rows, lane after lane.
    static constexpr int dma_bytes = is_gfx950 ? 16 : 4;  // of one lane
    static constexpr int dma_rows = 64 * dma_bytes / k;   // of one async_load
    static constexpr int dmas = wave_rows / dma_rows;     // of a wave, for A, and for B
    static constexpr int dma_step = dma_rows * k;
};

// -- from global memory to LDS --------------------------------------------------------------------

// `count` rows of a matrix [batch, rows, k], from row `first` on: rows beyond them arrive as zeros.
__device__ inline auto rows_of(const u8_t* matrix, int of_batch, int rows, int first, int count,
                               int k) {
    const auto at = (static_cast<long_index_t>(of_batch) * rows + first) * k;
    return opus::make_gmem(matrix + at, static_cast<unsigned>(count * k));
}

// Byte offsets of what a lane copies to each buffer: the element that the swizzle puts into the
// lane's place. The immediate of an async_load moves its destination and its source, so here it is
// subtracted. (Rows are no shorter in memory than in LDS: no offset is negative.)
template <class Tile>
__device__ inline auto lane_offsets(int wave, int lane, int pitch) {
    opus::array<int, Tile::dmas> from;
    opus::static_for<Tile::dmas>([&](auto i) {
        const int place =
            (wave * wave_rows + i * Tile::dma_rows) * Tile::k + lane * Tile::dma_bytes;
        const int at = typename Tile::swizzle{}(place);
        from[i] = at / Tile::k * pitch + at % Tile::k - i * Tile::dma_step;
    });
    return from;
}

// Copies a wave's rows of a tile, at k_first along K, to `to` in a buffer. (The second tile of a
// pair is behind the first one: the distance is in the immediate and subtracted from `to`.)
template <class Tile, int buffer, class Gmem>
__device__ inline void bring(const Gmem& g, u8_t* to, number<buffer>,
                             const opus::array<int, Tile::dmas>& from, int k_first) {
    constexpr int column = buffer * Tile::k;
    opus::static_for<Tile::dmas>([&](auto i) {
        constexpr auto imm = number<i.value * Tile::dma_step + column>{};
        g.template _async_load<Tile::dma_bytes>(to + (buffer * Tile::bytes - column), from[i],
                                                k_first, imm);
    });
}

// Waits until all of this wave's LDS reads are in registers, once for all of them.
__device__ inline void wait_for_reads() {
    opus::keep_order();
    opus::s_waitcnt_lgkmcnt(number<0>{});
    opus::keep_order();
}

// -- from registers to global memory --------------------------------------------------------------

// A lane has one row of each 32 x 32 tile, in four groups of four columns, 8 apart. Rows past M are
// outside the buffer. A column past pitch_c would lie in the next row and is not stored.
template <class Tile, class Out, class Sums>
__device__ inline void store_block(Out* out, const gemm_args& p, int row, int col, int wave,
                                   const Sums& c) {
    using namespace opus;
    using opus::operator""_I;
    const int lane = lane_id();  // anew, for the loop has no register for it
    const int rows = min(p.m - row, block);
    const auto at = (static_cast<long_index_t>(block_id_z()) * p.m + row) * p.pitch_c + col;
    const auto g =
        make_gmem(out + at, static_cast<unsigned>(rows * p.pitch_c - col) * unsigned{sizeof(Out)});
    const auto u_c = partition_layout_c(Tile::make_mma(), make_tuple(p.pitch_c, 1_I),
                                        make_tuple(wave / 4, lane % 32, wave % 4, lane / 32));
    static_ford<tiles_m, tiles_n>([&](auto i, auto j) {
        const int left = p.pitch_c - col - (j * 128 + wave % 4 * 32 + lane / 32 * 4);
        const auto in_row = [&](auto, auto, auto group, auto) { return group * 8 < left; };
        const auto u = u_c + (i * 64 * p.pitch_c + j * 128);
        if constexpr (is_same_v<Out, bf16_t>) {
            g.template store_if<4>(in_row, cast<bf16_t>(c[i][j], 0_I), u);
        } else {
            g.template store_if<4>(in_row, c[i][j], u);
        }
    });
}

// -- the pipeline ---------------------------------------------------------------------------------

// Scales are f32: of A [batch, k / 128, m], of B [batch, ceil(n / 128), k / 128].
// Grid: (blocks along N, blocks along M, splits * batch), 512 threads.
// @pre k is a multiple of 128 and less than 2^21; splits is at most the number of pairs of tiles
template <class T>
__global__ __launch_bounds__(waves * 64) void gemm_block_scale_kernel(gemm_args p) {
    using namespace opus;
    using opus::operator""_I;
    using tile = lds_tile<T, (get_smem_size() > 65536)>;
    constexpr auto mma = tile::make_mma();
    using mma_t = remove_cvref_t<decltype(mma)>;
    using sum = typename mma_t::vtype_c;

    const int lane = thread_id_x() % 64;
    const int wave = readfirstlane(thread_id_x() / 64);  // in a scalar register
    const int row = block_id_y() * block;
    const int col = block_id_x() * block;
    const int of_batch = block_id_z() % p.batch;
    const int split = block_id_z() / p.batch;

    // One array for all buffers. With several, the compiler would know which async_loads write to
    // which array, and would wait for the latest of them before every read.
    __shared__ __attribute__((aligned(16))) u8_t lds[tile::all_bytes];
    const auto s_ab = make_smem(reinterpret_cast<T*>(lds));
    const auto g_a = rows_of(p.a, of_batch, p.m, row, min(p.m - row, block), p.k);
    const auto g_b = rows_of(p.b, of_batch, p.n, col, min(p.n - col, block), p.k);
    const auto from = lane_offsets<tile>(wave, lane, p.k);
    u8_t* const to_a = lds + wave * (wave_rows * tile::k);
    u8_t* const to_b = to_a + tile::begin_b;

    // The loop takes two tiles at a time, one in each buffer, so that the buffers are constants in
    // it. A split has the pairs from `begin` to `end`. If the number of tiles is odd, the first
    // pair has only one: its loads are in front of the loop, which then has no special case.
    constexpr int pair_k = 2 * tile::k;
    const int first_k = (p.k - 1) % pair_k + 1;  // elements of K in the first pair
    const int pairs = (p.k - 1) / pair_k + 1;
    const int begin = pairs * split / p.splits;
    const int end = pairs * (split + 1) / p.splits;
    const auto k_before = [&](int pair) { return pair == 0 ? 0 : first_k + (pair - 1) * pair_k; };

    // The scales of a lane: one for its row of each tile along M, one for all columns of a tile
    // along N.
    struct tile_scales {
        array<fp32_t, tiles_m> a;
        array<fp32_t, tiles_n> b;
    };
    const int scales_k = p.k / scale_k;
    const int blocks_b = (p.n - 1) / 128 + 1;
    const auto g_scales_a = make_gmem(reinterpret_cast<const fp32_t*>(p.scales_a) +
                                          static_cast<long_index_t>(of_batch) * scales_k * p.m,
                                      static_cast<unsigned>(scales_k * p.m) * 4u);
    const auto g_scales_b =
        make_gmem(reinterpret_cast<const fp32_t*>(p.scales_b) +
                      (static_cast<long_index_t>(of_batch) * blocks_b + col / 128) * scales_k,
                  static_cast<unsigned>((blocks_b - col / 128) * scales_k) * 4u);
    const int scale_row = row + wave / 4 * 32 + lane % 32;
    const auto load_scales = [&](int k, tile_scales& to) {
        static_for<tiles_m>([&](auto i) {
            to.a[i] = load<1>(g_scales_a, scale_row, k / scale_k * p.m + i * 64)[0];
        });
        static_for<tiles_n>(
            [&](auto j) { to.b[j] = load<1>(g_scales_b, 0, k / scale_k + j * scales_k)[0]; });
    };

    // The operands of a phase.
    struct operands {
        array<typename mma_t::vtype_a, tile::steps> a;
        array<typename mma_t::vtype_b, tile::steps * tiles_n> b;
    };
    const auto u_a = tile::template layout<true>(wave / 4, lane);
    const auto u_b = tile::template layout<false>(wave % 4, lane);
    constexpr number<tile::steps> steps{};
    const auto read = [&](auto buffer, auto phase, operands& to) {
        if constexpr (phase == 0) {
            static_ford<steps, tiles_n>([&](auto s, auto j) {
                constexpr int at = tile::begin_b + buffer.value * tile::bytes +
                                   j.value * 128 * tile::k + s.value * tile::step_k;
                to.b[s * 2_I + j] =
                    s_ab.template load<mma_t::pack_b>(u_b + number<at>{}, no_dma_wait{});
            });
        }
        static_for<steps>([&](auto s) {
            constexpr int at =
                buffer.value * tile::bytes + phase.value * 64 * tile::k + s.value * tile::step_k;
            to.a[s] = s_ab.template load<mma_t::pack_a>(u_a + number<at>{}, no_dma_wait{});
        });
    };
    constexpr int reads_a = steps * (tile::step_k / 32);  // instructions of 16 bytes for a lane

    // What happens at the same time while the waves multiply tile t, in buffer p:
    //
    //   multiply        phases 0 to 2      phase 3, first columns   second columns
    //   LDS to regs     the next phase     -                        phase 0 of t + 1
    //   memory to regs  scales of t + 1    -                        -
    //   memory to LDS   -                  A of t + 2               B of t + 2
    //                                     (1)                      (2)
    //
    // (1) After lgkmcnt(0) and a barrier all waves have the rest of buffer p in registers: tile
    //     t + 2 may be written there.
    // (2) After vmcnt(n) and a barrier all loads of tile t + 1 are complete. They have had the
    //     time of a whole tile. The n latest loads, A of t + 2, stay in flight.
    array<array<sum, tiles_n>, tiles_m> c;
    static_ford<tiles_m, tiles_n>([&](auto i, auto j) { clear(c[i][j]); });
    array<sum, tiles_n> products;
    operands x;  // of the phase to be multiplied
    tile_scales scales;
    // For one tile of 32 x 32 along N, or both.
    const auto multiply = [&](auto first, auto count) {
        static_ford<steps, count>([&](auto s, auto of_n) {
            constexpr auto j = first + of_n;
            products[j] =
                s == 0 ? mma(x.a[s], x.b[s * 2_I + j]) : mma(x.a[s], x.b[s * 2_I + j], products[j]);
        });
    };
    const auto add_products = [&](auto i, auto j) {
        // In both halves of a pair of registers: with the high half for both lanes v_pk_fma_f32 has
        // an erratum on gfx950.
        const fp32_t scale = scales.a[i] * scales.b[j];
        fp32x2_t both{scale, scale};
        asm("" : "+v"(both));
        c[i][j] += products[j] * __builtin_shufflevector(both, both, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1,
                                                         0, 1, 0, 1, 0, 1);
        asm("" : "+v"(c[i][j]));  // stays together, where it was
    };
    constexpr auto mfmas = number<mma_t::instruction::steps>{};  // matrix instructions of a step

    // `more`: there is a tile t + 2, its pair at k_next along K. (If not, k_next is the end.)
    const auto multiply_tile = [&](auto buffer, auto more, auto is_last, int k_next) {
        tile_scales next_scales = scales;
        static_for<3>([&](auto phase) {
            // Behind the first phase, as the queue of loads is full before it.
            if constexpr (phase == 1 && !is_last && (tile::k == scale_k || buffer == 1)) {
                load_scales(k_next - (1 - buffer) * tile::k, next_scales);
            }
            operands next = x;
            read(buffer, phase + 1_I, next);
            multiply(0_I, 2_I);
            // The registers that a step has multiplied are loaded again before those of the next.
            static_for<steps>([&](auto) {
                sched_group(sched::mfma, mfmas * 2_I);
                sched_group(sched::lds_read, number<reads_a>{} / steps);
            });
            add_products(phase, 0_I);
            add_products(phase, 1_I);
            wait_for_reads();
            x = next;
        });
        constexpr auto dmas = number<more ? tile::dmas : 0>{};
        if constexpr (more) {
            s_barrier();  // (1)
            keep_order();
            bring<tile>(g_a, to_a, buffer, from, k_next);
        }
        multiply(0_I, 1_I);
        if constexpr (more) {
            sched_group(sched::salu, 1_I);  // M0, the destination of the async_loads
            interleave(sched::mfma, mfmas * steps, sched::vmem_read, dmas);
        }
        add_products(3_I, 0_I);
        if constexpr (!is_last) {
            wait_async(dmas);
            s_barrier();  // (2)
        }
        keep_order();
        multiply(1_I, 1_I);  // with the registers of what is multiplied
        keep_order();
        operands next = x;
        if constexpr (!is_last) {
            read(1_I - buffer, 0_I, next);
        }
        if constexpr (more) {
            bring<tile>(g_b, to_b, buffer, from, k_next);
        }
        add_products(3_I, 1_I);
        wait_for_reads();
        x = next;
        scales = next_scales;
        static_for<tiles_n>([&](auto j) { scales.b[j] = readfirstlane(next_scales.b[j]); });
    };

    const int k_begin = k_before(begin);
    const int k_end = k_before(end);
    load_scales(k_begin, scales);
    static_for<2>([&](auto buffer) {
        const bool is_there = begin > 0 || buffer * tile::k < first_k;
        bring<tile>(is_there ? g_a : make_gmem(p.a, 0), to_a, buffer, from, k_begin);
        bring<tile>(is_there ? g_b : make_gmem(p.b, 0), to_b, buffer, from, k_begin);
    });
    wait_async(number<2 * tile::dmas>{});
    s_barrier();
    keep_order();
    read(0_I, 0_I, x);
    wait_for_reads();
    for (int k = k_before(begin + 1); k != k_end; k += pair_k) {
        multiply_tile(0_I, true_type{}, false_type{}, k);
        multiply_tile(1_I, true_type{}, false_type{}, k);
    }
    multiply_tile(0_I, false_type{}, false_type{}, k_end);
    multiply_tile(1_I, false_type{}, true_type{}, k_end);

    if (p.is_out_bf16) {
        store_block<tile>(static_cast<bf16_t*>(p.c), p, row, col, wave, c);
    } else {
        store_block<tile>(static_cast<fp32_t*>(p.c), p, row, col, wave, c);
    }
}

// == host =========================================================================================

using examples::gemm_problem;

// A type of A and B.
struct variant {
    const char* name;
    operand_matrix (*quantise)(std::vector<double>&, int, int, int, bool, bool);
    void (*launch)(dim3, const gemm_args&);
};

template <class T>
void launch(dim3 grid, const gemm_args& arguments) {
    gemm_block_scale_kernel<T><<<grid, waves * 64>>>(arguments);
}

constexpr variant variants[] = {
    {"fp8", examples::quantise<opus::fp8_t, examples::scaling::block>, launch<opus::fp8_t>},
    {"bf8", examples::quantise<opus::bf8_t, examples::scaling::block>, launch<opus::bf8_t>},
};

// Scales [batch, rows, columns] in the kernel's order of A, [batch, columns, rows].
std::vector<u8_t> transposed_scales(const std::vector<u8_t>& scales, int batch, int rows,
                                    int columns) {
    std::vector<u8_t> result(scales.size());
    const std::size_t of_batch = examples::size_of(rows, columns);
    for (std::size_t i = 0; i < of_batch * static_cast<std::size_t>(batch); ++i) {
        const std::size_t row = i % of_batch / static_cast<std::size_t>(columns);
        const std::size_t column = i % static_cast<std::size_t>(columns);
        const std::size_t to =
            i / of_batch * of_batch + column * static_cast<std::size_t>(rows) + row;
        std::copy_n(&scales[i * 4], 4, &result[to * 4]);
    }
    return result;
}

// @pre a has its scales in the kernel's order; splits is from plan_of_splits()
template <class Out>
examples::gemm_result gemm_block_scale(const gemm_problem& p, const variant& v,
                                       const operand_matrix& a, const operand_matrix& b,
                                       int splits) {
    const auto blocks = [](int extent) { return static_cast<unsigned>((extent - 1) / block + 1); };
    const dim3 grid(blocks(p.n), blocks(p.m), static_cast<unsigned>(splits * p.batch));
    return examples::run_split<Out>("gemm_block_scale", p, a, b, splits,
                                    [&](const gemm_args& arguments) { v.launch(grid, arguments); });
}

}  // namespace

int main(int argc, char** argv) {
    using examples::element;
    examples::gemm_example e;
    e.description = "fp8 with scales for 1 x 128 of A and 128 x 128 of B; blocks of 256 x 256";
    e.types = {};
    for (const variant& v : variants) {
        e.formats.emplace_back(v.name);
    }
    e.out_types = {element::f32, element::bf16};
    e.has_batch = true;
    long long splits = 0;
    e.add_options = [&](CLI::App& app) {
        examples::add_integer(app, "--splits", splits, 1LL,
                              static_cast<long long>(examples::max_splits), "INT",
                              "Parts of K that are added up (as many as fill the device)");
    };
    operand_matrix a;
    operand_matrix b;
    examples::split_plan plan{};
    std::string plan_text;
    e.adapt = [&](gemm_problem& p) {
        const bool fnuz = examples::device_fp8().fnuz;
        const variant& v = variants[p.format];
        a = v.quantise(p.a, p.batch, p.m, p.k, false, fnuz);
        b = v.quantise(p.b, p.batch, p.n, p.k, true, fnuz);
        a.scales = transposed_scales(a.scales, p.batch, p.m, a.k / scale_k);
        plan = examples::plan_for(p, a.k, block, 2 * scale_k, splits);
        plan_text = examples::plan_text(p, plan);
        // Products of codes are exact. The product of two scales is rounded, and so is its product
        // with a sum.
        p.product_error = 1;
        p.operand_bytes = static_cast<double>(a.codes.size() + b.codes.size() + a.scales.size() +
                                              b.scales.size());
        p.peak = &examples::machine_peaks::fp8;
    };
    e.plan = [&] { return plan_text; };
    return examples::gemm_main(argc, argv, e, [&](const gemm_problem& p) {
        const variant& v = variants[p.format];
        return p.out_type == element::f32 ? gemm_block_scale<fp32_t>(p, v, a, b, plan.splits)
                                          : gemm_block_scale<bf16_t>(p, v, a, b, plan.splits);
    });
}
