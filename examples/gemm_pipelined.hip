// SPDX-License-Identifier: MIT
//
// gemm_pipelined: C[M, N] = A[M, K] * B[N, K]^T of quantised A and B, f32 or bf16 out, for any M, N
// and K: the pipeline of gemm_fast for every type of 8 bits or fewer, fp8, bf8, fp6, bf6, fp4 and
// i8. Read gemm_fast first. What is different:
//
//  - A chunk, which a lane reads from LDS at once, is 16 bytes for every type. `type_row` says how
//    many elements that is, and which matrix instructions use them.
//  - If operands take 32 bytes, there are registers for those of half the rows only: the kernel
//    multiplies a tile in phases, which lds_tile describes.
//  - Scales, which give the codes their value. There are two kinds (--scales).
//
// The host quantises A and B from f32. The scales:
//
//   tensor   one f32 for A and one for B: factors of the whole product
//   mx       gfx950, types with exponents: a power of two (E8M0) for 32 elements along K, as in the
//            OCP microscaling formats. The matrix instructions multiply by them.
//
// (gemm_block_scale has f32 scales for blocks of 128.)
//
// gfx942 has no types below 8 bits, and its fp8 and bf8 are the FNUZ variants, in which a code has
// half the value. If C has fewer blocks than the device has compute units, K is split: each part
// writes a sum to memory, and a second kernel adds the sums in order (--splits).
//
// op_tests/codegen/test_examples.cpp counts the instructions of the loop over K, two tiles.
#include <algorithm>
#include <climits>
#include <string>
#include <type_traits>
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
using examples::scaling;
using opus::bf16_t;
using opus::fp32_t;
using opus::i32_t;
using opus::number;
using opus::u8_t;

constexpr int block = 256;  // rows and columns of C that a workgroup computes
constexpr int waves = 8;    // 2 x 4. A wave has 4 x 2 tiles of 32 x 32 of C, which are 64 rows and
constexpr int tiles_m = 4;  // 128 columns apart; between them are those of the other waves
constexpr int tiles_n = 2;
constexpr int word_tiles = tiles_m + tiles_n;  // whose scales a lane has, A's and then B's
constexpr int wave_rows = block / waves;       // of A and of B that one wave brings to LDS
constexpr int scale_k = examples::scale_k;     // what a word of scales is for, 4 of E8M0

// The properties of a type of A and B. Its operand for a step of 32 x 32 x step_k takes 16 bytes of
// a lane, or 32 (24) for the f8f6f4 instruction of gfx950; on gfx942 a step is two instructions.
struct type_row {
    const char* name;
    int chunk;          // elements that a lane brings and reads at once
    int chunk_bytes;    // of them in memory
    int step_k_gfx942;  // 0: no instructions
    int step_k_gfx950;
    int phase_tiles;  // on gfx950, of the 4 along M; see lds_tile
    bool has_mx;
};
// clang-format off
template <class T> constexpr type_row row_of{};
//                                                       chunk  step_k  tiles  mx
template <> constexpr type_row row_of<opus::fp8_t>{"fp8", 16, 16, 32, 64, 2, true};
template <> constexpr type_row row_of<opus::bf8_t>{"bf8", 16, 16, 32, 64, 2, true};
template <> constexpr type_row row_of<opus::fp6_t>{"fp6", 16, 12,  0, 64, 2, true};
template <> constexpr type_row row_of<opus::bf6_t>{"bf6", 16, 12,  0, 64, 2, true};
template <> constexpr type_row row_of<opus::fp4_t>{"fp4", 32, 16,  0, 64, 4, true};
template <> constexpr type_row row_of<opus::i8_t> {"i8",  16, 16, 32, 32, 4, false};
// clang-format on

template <class T>
using sum_t = std::conditional_t<std::is_same_v<T, opus::i8_t>, i32_t, fp32_t>;

// Whether the target has the instructions for types below 8 bits and with scales.
constexpr bool has_mx = opus::mfma<opus::fp4_t, opus::fp4_t, fp32_t, 32, 32, 64>::has_scales;

// A tile in LDS: 256 rows of A and 256 rows of B, each 8 chunks (gfx942: 4) of 16 bytes. The size
// of LDS determines this: two such tiles take all 64 KiB of gfx942, and 128 of the 160 KiB of
// gfx950, where async_load moves 16 bytes for each lane instead of 4.
//
// Why there is a swizzle. For a matrix instruction lane l needs a chunk of row l % 32: first chunk
// 0 for lanes 0 to 31 and chunk 1 for the others, then 2 and 3, and so on. LDS serves such a read
// (ds_read_b128) in phases, of 8 lanes with the 32 banks of gfx942 and of 16 lanes with the 64
// banks of gfx950. A row takes half of the banks, so place s of row r is in group
//
//     (r % 2) * chunks + s     of the 2 * chunks groups of 4 banks.
//
// If chunk c were in place c of all rows, the 4 (8) even rows of a phase would access the same
// group, and the odd ones another. Therefore row r has chunk c in place c ^ (r / 2 % chunks). In
// each phase r / 2 % chunks takes all values for the even rows, and again for the odd ones:
//
//     gfx942, lanes of a phase   even rows               r / 2 % 4
//     0-3, 20-23                 0 2 20 22               0 1 2 3
//     4-7, 16-19                 4 6 16 18               2 3 0 1
//     8-11, 28-31                8 10 28 30              0 1 2 3
//     12-15, 24-27               12 14 24 26             2 3 0 1
//     gfx950                                             r / 2 % 8
//     0-3, 12-15, 20-27          0 2 12 14 20 22 24 26   0 1 6 7 2 3 4 5
//     4-11, 16-19, 28-31         4 6 8 10 16 18 28 30    2 3 4 5 0 1 6 7
//
// Lanes 32 to 63 behave like lanes 0 to 31. (These phases are reported or inferred, not documented
// by AMD. op_tests/examples/gemm_pipelined_kernel.hip computes the banks of every read.)
//
// For types of 6 bits the operand of a step is 32 elements, 24 bytes, which take 32 bytes in LDS,
// two chunks: the first 16 bytes, and 16 bytes that contain the other 8. So one read of 16 bytes
// and one of 8 fill the six registers. (With two reads of 12 bytes, the second would have to begin
// at an odd register, which no read of several registers can.) The 8 bytes come first in their
// chunk in rows r with r / 16 even, and last in the others: a read of 8 bytes (ds_read_b64) has
// phases of 32 lanes, two of which access the same group of 4 banks.
template <class T, scaling S, int lds_bytes>
struct lds_tile {
    static constexpr type_row row = row_of<T>;
    static constexpr bool is_gfx950 = lds_bytes > 65536;
    static constexpr int bits = opus::sizeof_bits_v<T>;
    static constexpr int chunks = is_gfx950 ? 8 : 4;  // of a row
    static constexpr int k = row.chunk * chunks;
    static constexpr int row_bytes = chunks * row.chunk_bytes;  // in memory
    static constexpr int lds_row_bytes = chunks * 16;
    static constexpr int bytes = block * lds_row_bytes;  // of A, and as many of B

    static constexpr int step_k = is_gfx950 ? row.step_k_gfx950 : row.step_k_gfx942;
    static constexpr bool is_there = step_k > 0 && (is_gfx950 || S != scaling::mx);
    static constexpr int steps = is_there ? k / step_k : 0;
    static constexpr auto make_mma() {
        using opus::seq;
        return opus::make_tiled_mma<T, T, sum_t<T>>(
            seq<1, 1, 1>{}, seq<2, 4, 1>{}, seq<32, 32, step_k>{}, opus::mfma_adaptor_swap_ab{});
    }

    // Of an offset in LDS, in elements, of 6 bits in bytes. A swizzle is its own inverse.
    static constexpr int unit = bits == 6 ? 16 : row.chunk;  // of a chunk
    static constexpr int log2(int x) { return x == 1 ? 0 : 1 + log2(x / 2); }
    using swizzle = opus::swizzle<log2(chunks), log2(unit), log2(chunks) + 1>;

    // Where in memory a chunk of a row begins, in bytes from the row's part of the tile.
    OPUS_H_D static constexpr int chunk_at(int tile_row, int chunk) {
        const int second = tile_row / 16 % 2 == 0 ? 16 : 8;
        return bits == 6 ? chunk / 2 * 24 + chunk % 2 * second : chunk * 16;
    }

    // What a lane reads of A (`is_a`) or B in the first step along K; `wave` is the wave's position
    // along M or N. Each next step is step_k elements further, added before the swizzle, which
    // makes it one xor. For types of 6 bits, whose 24 bytes take 32 in LDS, the layout counts
    // bytes. The p_coord is written out: with the thread index instead, clang 22 computes 12 more
    // addresses for gfx950. Lanes and waves below are also computed by hand, because layouts by
    // thread make the loops longer.
    template <bool is_a>
    OPUS_H_D static constexpr auto layout(int wave, int lane) {
        using namespace opus;
        using opus::operator""_I;
        const auto stride = make_tuple(number<k>{}, 1_I);
        const auto coordinate = make_tuple(wave, lane % 32, 0_I, lane / 32);
        if constexpr (bits == 6) {
            return (wave * 32 + lane % 32) * lds_row_bytes + lane / 32 * 32;
        } else if constexpr (is_a) {
            return composition(swizzle{}, partition_layout_a(make_mma(), stride, coordinate));
        } else {
            return composition(swizzle{}, partition_layout_b(make_mma(), stride, coordinate));
        }
    }

    // One async_load of a wave writes whole rows, lane after lane. So the swizzle has to be in what
    // the lanes read: the lane that writes to a place of the tile reads the element that belongs
    // there. Together they still read whole rows of memory.
    static constexpr int dma_bytes = is_gfx950 ? 16 : 4;         // of one lane
    static constexpr int dma_lanes = lds_row_bytes / dma_bytes;  // for one row
    static constexpr int dma_rows = 64 / dma_lanes;              // of one async_load
    static constexpr int dmas = wave_rows / dma_rows;            // of a wave, for A, and for B
    static constexpr int dma_step = dma_rows * lds_row_bytes;

    // With operands of 32 bytes a step is long, and beside the sums there are registers for little
    // more than one step. So a tile is computed in phases with equal work for the matrix cores.
    // While one runs, the operands of the next are being read:
    //
    //   steps    16 bytes: a step along K, all 4 x 2 tiles
    //   halves   32 or 24 bytes: a step along K, half of the rows, 2 x 2 tiles
    static constexpr int phase_tiles = is_gfx950 ? row.phase_tiles : tiles_m;
    static constexpr int groups = tiles_m / phase_tiles;  // phases of the same step
    static constexpr int phases = groups * steps;
    static constexpr int half = phase_tiles / 2;  // of a phase's rows of tiles

    // Words of scales of a row of the tile, in LDS: first those for the rows of A, then those for B.
    static constexpr bool has_factor = S == scaling::tensor;
    static constexpr int words = S == scaling::mx && is_gfx950 ? k / scale_k : 0;
    static constexpr int word_bytes = 2 * block * 4;  // of all rows

    // Reads from LDS for a phase: of B only if the step is new, of scales once.
    static constexpr int reads_of(int phase) {
        const int operands =
            (phase_tiles + (phase % groups == 0 ? tiles_n : 0)) * (step_k / 2 / row.chunk);
        return operands + (phase == 0 ? words * word_tiles : 0);
    }

    // Two buffers of A, two of B, two of scales.
    static constexpr int begin_b = 2 * bytes;
    static constexpr int begin_scales = 4 * bytes;
    static constexpr int all_bytes = begin_scales + 2 * words * word_bytes;
};

// Scales are f32 [batch], or of mx E8M0 [batch, rows, k / 32].

// -- from global memory to LDS --------------------------------------------------------------------

// `count` rows of a matrix [batch, rows, row_bytes], from row `first` on. As in gemm_naive the
// buffer ends with the last row of the matrix: rows beyond it arrive as zeros.
__device__ inline auto rows_of(const u8_t* matrix, int of_batch, int rows, int first, int count,
                               int row_bytes) {
    const auto at = (static_cast<opus::long_index_t>(of_batch) * rows + first) * row_bytes;
    return opus::make_gmem(matrix + at, static_cast<unsigned>(count * row_bytes));
}

// Byte offsets of what a lane copies to each buffer, the same in A and in B, if the tile has
// `columns` columns, which are whole chunks. They do not change, because the position along K is in
// the scalar offset. M0 does not change between the loads of a tile either: they differ in the
// immediate offset, which moves the destination. The immediate moves the source as well, so it is
// subtracted here. For the second tile of a pair, which is behind the first one in memory, the
// immediate contains the distance, which is subtracted from the destination. (Rows are not shorter
// in memory than in LDS, so no offset is negative.)
template <class Tile>
__device__ inline auto lane_offsets(int wave, int lane, int pitch, int columns) {
    constexpr int outside = 1 << 30;  // past the end of the buffer: zeros arrive
    opus::array<int, Tile::dmas> from;
    opus::static_for<Tile::dmas>([&](auto i) {
        const int tile_row = wave * wave_rows + i * Tile::dma_rows + lane / Tile::dma_lanes;
        const int place = lane % Tile::dma_lanes * Tile::dma_bytes;
        const int chunk =
            typename Tile::swizzle{}((tile_row * Tile::chunks + place / 16) * Tile::unit) /
            Tile::unit % Tile::chunks;
        const int at = tile_row * pitch + Tile::chunk_at(tile_row, chunk) + place % 16;
        from[i] = chunk * Tile::row.chunk < columns ? at - i * Tile::dma_step : outside;
    });
    return from;
}

// Copies a wave's rows of a tile, at k_bytes along K, to `to` in a buffer.
template <class Tile, int buffer, class Gmem>
__device__ inline void bring(const Gmem& g, u8_t* to, number<buffer>,
                             const opus::array<int, Tile::dmas>& from, int k_bytes) {
    constexpr int column = buffer * Tile::row_bytes;
    opus::static_for<Tile::dmas>([&](auto i) {
        constexpr auto imm = number<i.value * Tile::dma_step + column>{};
        g.template _async_load<Tile::dma_bytes>(to + (buffer * Tile::bytes - column), from[i],
                                                k_bytes, imm);
    });
}

// Moves the scales of mx to the lanes that need them: each lane has one row of a tile of
// A, and one of B.
template <class Tile>
struct scale_words {
    using rows = decltype(rows_of(nullptr, 0, 0, 0, 0, 0));
    using words = opus::array<i32_t, Tile::words == 0 ? 1 : Tile::words * word_tiles>;

    rows a;
    rows b;
    int pitch;  // bytes
    u8_t* lds;
    int wave;
    int lane;

    __device__ static int bytes_before(int k_bytes) {
        return static_cast<int>(static_cast<unsigned>(k_bytes) / (scale_k / 8 * Tile::bits)) * 4;
    }

    // To LDS: a word for each lane, of A (the first four waves) or of B.
    template <int buffer>
    __device__ void bring(number<buffer>, int k_bytes) const {
        const bool is_a = wave < waves / 2;
        const auto g = is_a ? a : b;
        const int row = wave % (waves / 2) * 64 + lane;
        const int from = row * pitch;
        opus::static_for<Tile::words>([&](auto w) {
            constexpr int word = buffer * Tile::words + w.value;
            g.template _async_load<4>(lds + (word * Tile::word_bytes + wave * 256), from,
                                      bytes_before(k_bytes) + word * 4);
        });
    }

    // From there to registers.
    template <int buffer>
    __device__ void read(number<buffer>, words& to) const {
        const auto s = opus::make_smem(reinterpret_cast<i32_t*>(lds));
        const int row_a = wave / 4 * 32 + lane % 32;
        const int row_b = block + wave % 4 * 32 + lane % 32;
        opus::static_ford<Tile::words, word_tiles>([&](auto w, auto t) {
            constexpr bool is_a = t < tiles_m;
            constexpr int word = buffer * Tile::words + w.value;
            constexpr int at = word * Tile::word_bytes + (is_a ? t * 64 : (t - tiles_m) * 128) * 4;
            to[w * number<word_tiles>{} + t] =
                s.template _load<1>((is_a ? row_a : row_b) * 4 + at, opus::no_dma_wait{})[0];
        });
    }
};

// -- from LDS to registers ------------------------------------------------------------------------

// What mma takes for the 32 rows of the wave from `tile_row` on and `step`; `u` is the layout.
template <class T, class Tile, class Layout, int tile_row, int step>
__device__ inline auto read_operand(u8_t* lds, const Layout& u, number<tile_row>, number<step>) {
    using namespace opus;
    if constexpr (Tile::bits == 6) {
        const int head_at = typename Tile::swizzle{}(u | (step * 64));
        const int tail_at = typename Tile::swizzle{}(u | (step * 64 + 16)) + lane_id() / 16 % 2 * 8;
        const auto s = make_smem(reinterpret_cast<i32_t*>(lds + tile_row * Tile::lds_row_bytes));
        const auto head = s.template _load<4>(head_at, no_dma_wait{});
        const auto tail = s.template _load<2>(tail_at, no_dma_wait{});
        return i32x8_t{head[0], head[1], head[2], head[3], tail[0], tail[1]};
    } else {
        const auto s = make_smem(reinterpret_cast<T*>(lds));
        constexpr int elements = decltype(Tile::make_mma())::pack_a;
        return s.template load<elements>(u + number<tile_row * Tile::k + step * Tile::step_k>{},
                                         no_dma_wait{});
    }
}

// Waits until all of this wave's LDS reads are in registers. (The compiler would wait, too, but
// once for each matrix instruction.)
__device__ inline void wait_for_reads() {
    opus::keep_order();
    opus::s_waitcnt_lgkmcnt(number<0>{});
    opus::keep_order();
}

// Distributes LDS reads and async_loads evenly among the matrix instructions between one
// keep_order() (or wait_async) and the next, a few behind each. While a matrix instruction runs (32
// clocks or more) there is time to issue them; all in a row they would delay the next one. M0, the
// destination of the async_loads, must be set one instruction before the first of them.
template <int among, int loads>
__device__ inline void interleave_loads(number<among>, number<loads>) {
    using namespace opus;
    using opus::operator""_I;
    if constexpr (loads > 0) {
        sched_group(sched::salu, 1_I);
        interleave(sched::mfma, number<among>{}, sched::vmem_read, number<loads>{});
    }
}

// -- from registers to global memory --------------------------------------------------------------

// mfma_adaptor_swap_ab puts one row of each 32 x 32 tile into a lane, in four groups of four
// columns, 8 apart. Rows past M are outside the buffer. A column past pitch_c would lie in the next
// row and is not stored.
template <class Tile, class Out, class Sums>
__device__ inline void store_block(Out* out, const gemm_args& p, int row, int col, int of_batch,
                                   int wave, const Sums& c) {
    using namespace opus;
    using opus::operator""_I;
    const int lane = lane_id();  // anew, for the loop has no register for it
    const int wave_n = wave % 4;
    const int rows = p.m - row < block ? p.m - row : block;
    const fp32_t factor = Tile::has_factor
                              ? reinterpret_cast<const fp32_t*>(p.scales_a)[of_batch] *
                                    reinterpret_cast<const fp32_t*>(p.scales_b)[of_batch]
                              : 1.0f;
    const auto at = (static_cast<long_index_t>(block_id_z()) * p.m + row) * p.pitch_c + col;
    const auto g =
        make_gmem(out + at, static_cast<unsigned>(rows * p.pitch_c - col) * unsigned{sizeof(Out)});
    const auto u_c = partition_layout_c(Tile::make_mma(), make_tuple(p.pitch_c, 1_I),
                                        make_tuple(wave / 4, lane % 32, wave_n, lane / 32));
    static_ford<tiles_m, tiles_n>([&](auto i, auto j) {
        const int left = p.pitch_c - col - (j * 128 + wave_n * 32 + lane / 32 * 4);
        const auto in_row = [&](auto, auto, auto group, auto) { return group * 8 < left; };
        const auto u = u_c + (i * 64 * p.pitch_c + j * 128);
        const auto value = cast<fp32_t>(c[i][j]) * factor;
        if constexpr (is_same_v<Out, bf16_t>) {
            g.template store_if<4>(in_row, cast<bf16_t>(value, 0_I), u);
        } else {
            g.template store_if<4>(in_row, value, u);
        }
    });
}

// -- the pipeline ---------------------------------------------------------------------------------

// Grid: (blocks along N, blocks along M, splits * batch), 512 threads.
// @pre a row is at least 128 bytes, and a multiple of 16; k < 2^21; with scales of mx k is a
// multiple of 128; splits is at most the number of pairs of tiles along K
template <class T, scaling S>
__global__ __launch_bounds__(waves * 64) void gemm_pipelined_kernel(gemm_args p) {
    using namespace opus;
    using opus::operator""_I;
    using tile = lds_tile<T, S, get_smem_size()>;
    if constexpr (!tile::is_there) {
        __builtin_trap();  // the host does not launch it
    } else {
        const int lane = thread_id_x() % 64;
        const int wave = readfirstlane(thread_id_x() / 64);  // in a scalar register
        const int wave_m = wave / 4;
        const int wave_n = wave % 4;
        const int row = block_id_y() * block;
        const int col = block_id_x() * block;
        const int rows = p.m - row < block ? p.m - row : block;
        const int cols = p.n - col < block ? p.n - col : block;
        const int of_batch = block_id_z() % p.batch;
        const int split = block_id_z() / p.batch;

        constexpr auto mma = tile::make_mma();
        using mma_t = remove_cvref_t<decltype(mma)>;
        using sum = typename mma_t::vtype_c;

        // One array for all buffers. With several, the compiler would know which async_loads write
        // to which array, and would wait for the latest of them before every read, with or without
        // no_dma_wait below.
        __shared__ __attribute__((aligned(16))) u8_t lds[tile::all_bytes];

        const int pitch = p.k / 8 * tile::bits;  // bytes of a row
        const auto g_a = rows_of(p.a, of_batch, p.m, row, rows, pitch);
        const auto g_b = rows_of(p.b, of_batch, p.n, col, cols, pitch);
        const int scale_pitch = p.k / scale_k * 4;
        const scale_words<tile> scales{rows_of(p.scales_a, of_batch, p.m, row, rows, scale_pitch),
                                       rows_of(p.scales_b, of_batch, p.n, col, cols, scale_pitch),
                                       scale_pitch,
                                       lds + tile::begin_scales,
                                       wave,
                                       lane};

        // The loop takes two tiles at a time, one in each buffer, so that the buffers are constants
        // in it. If K is not a multiple of two tiles, the first pair is the short one: its loads
        // are in front of the loop, which then has no special case. A split has the pairs from
        // `begin` to `end`.
        constexpr int pair_k = 2 * tile::k;
        const int first_k = (p.k - 1) % pair_k + 1;  // elements of K in the first pair
        const int pairs = (p.k - 1) / pair_k + 1;
        const int begin = pairs * split / p.splits;
        const int end = pairs * (split + 1) / p.splits;
        const auto bytes_before = [&](int pair) {
            return pair == 0 ? 0 : (first_k + (pair - 1) * pair_k) / 8 * tile::bits;
        };

        const auto from = lane_offsets<tile>(wave, lane, pitch, tile::k);
        u8_t* const to_a = lds + wave * (wave_rows * tile::lds_row_bytes);
        u8_t* const to_b = to_a + tile::begin_b;

        // The operands of a phase, and the scales of a tile. The lane's part of the addresses takes
        // one register for A and one for B for each chunk of a row; the rest is in the
        // instructions' immediates.
        using operand = std::conditional_t<tile::bits == 6, i32x8_t, typename mma_t::vtype_a>;
        struct operands {
            array<operand, tile::phase_tiles> a;
            array<operand, tiles_n> b;
            typename scale_words<tile>::words scales;
        };
        const auto u_a = tile::template layout<true>(wave_m, lane);
        const auto u_b = tile::template layout<false>(wave_n, lane);
        const auto read = [&](auto buffer, auto phase, operands& to) {
            constexpr int first_tile = phase.value % tile::groups * tile::phase_tiles;
            constexpr auto step = number<phase.value / tile::groups>{};
            if constexpr (phase % tile::groups == 0) {
                static_for<tiles_n>([&](auto j) {
                    constexpr auto tile_row = number<buffer.value * block + j.value * 128>{};
                    to.b[j] = read_operand<T, tile>(lds + tile::begin_b, u_b, tile_row, step);
                });
            }
            static_for<tile::phase_tiles>([&](auto i) {
                constexpr int of_a = first_tile + i.value;
                constexpr auto tile_row = number<buffer.value * block + of_a * 64>{};
                to.a[i] = read_operand<T, tile>(lds, u_a, tile_row, step);
            });
            if constexpr (phase == 0) {
                scales.read(buffer, to.scales);
            }
        };

        // What happens at the same time while the waves multiply tile t, in buffer p:
        //
        //   multiply        phase 0 to last but one   last phase, first part   second part
        //   LDS to regs     the next phase of t       -                        phase 0 of t + 1
        //   memory to LDS   -                         A of t + 2               B of t + 2
        //                                            (1)                      (2)
        //
        // (1) After lgkmcnt(0) and a barrier all waves have the rest of buffer p in registers: tile
        //     t + 2 may be written there.
        // (2) After vmcnt(n) and a barrier all loads of tile t + 1 are complete. They have had the
        //     time of a whole tile. The n latest loads, A of t + 2, stay in flight.
        array<array<sum, tiles_n>, tiles_m> c;
        static_ford<tiles_m, tiles_n>([&](auto i, auto j) { clear(c[i][j]); });
        operands x{};  // of the phase to be multiplied
        const auto take = [&](const operands& next, auto phase) {
            wait_for_reads();
            x = next;
            // MX: byte b of a word is for the b-th 32 of 128 k. Lanes 0 to 31 must supply the scale
            // for k = 0 to 31 of an instruction, the other lanes that for 32 to 63, in the byte
            // that the instruction names: 0 in the first instruction for 128 k, and 2 in the
            // second.
            if constexpr (S == scaling::mx && phase == 0) {
                static_for<tile::words * word_tiles>(
                    [&](auto i) { x.scales[i] >>= lane / 32 * 8; });
            }
        };
        // Halves of a phase's products.
        const auto multiply = [&](auto phase, auto first, auto halves) {
            static_ford<halves.value * tile::half, tiles_n>([&](auto of_m, auto j) {
                constexpr auto of_a = first * number<tile::half>{} + of_m;
                constexpr auto i = number<phase.value % tile::groups * tile::phase_tiles>{} + of_a;
                if constexpr (S == scaling::mx) {
                    constexpr int step = phase.value / tile::groups;
                    constexpr auto byte = number<step % 2 * 2>{};
                    constexpr auto word = number<step / 2 * word_tiles>{};
                    const auto scale_a = x.scales[word + i];
                    const auto scale_b = x.scales[word + number<tiles_m>{} + j];
                    c[i][j] = mma(x.a[of_a], x.b[j], c[i][j], scale_a, scale_b, byte, byte);
                } else {
                    c[i][j] = mma(x.a[of_a], x.b[j], c[i][j]);
                }
            });
        };
        // Matrix instructions of half a phase.
        constexpr auto mfmas = number<tile::half * tiles_n * mma_t::instruction::steps>{};

        // All phases of a tile but the last one.
        constexpr auto last = number<tile::phases - 1>{};
        const auto multiply_phases = [&](auto buffer) {
            static_for<tile::phases - 1>([&](auto phase) {
                operands next = x;
                read(buffer, phase + 1_I, next);
                constexpr auto reads = number<tile::reads_of(phase.value + 1)>{};
                multiply(phase, 0_I, 2_I);
                sched_group(sched::lds_read, 2_I);
                interleave(sched::mfma, 2_I * mfmas, sched::lds_read, reads - 2_I);
                take(next, phase + 1_I);
            });
        };
        // `more`: there is a tile t + 2, at k_bytes along K.
        const auto multiply_first_part = [&](auto buffer, auto more, int k_bytes) {
            if constexpr (more) {
                s_barrier();  // (1)
                keep_order();
                bring<tile>(g_a, to_a, buffer, from, k_bytes);
            }
            multiply(last, 0_I, 1_I);
            interleave_loads(mfmas, number<more ? tile::dmas : 0>{});
        };
        const auto multiply_second_part = [&](auto buffer, auto more, int k_bytes) {
            constexpr auto dmas = number<more ? tile::dmas : 0>{};
            constexpr auto words = number<more ? tile::words : 0>{};
            wait_async(dmas);
            s_barrier();  // (2)
            keep_order();
            operands next = x;
            read(1_I - buffer, 0_I, next);
            if constexpr (more) {
                bring<tile>(g_b, to_b, buffer, from, k_bytes);
                scales.bring(buffer, k_bytes);
            }
            if constexpr (!more && tile::words > 0) {
                keep_order();  // first what is read: for some later there is no register
            }
            multiply(last, 1_I, 1_I);
            interleave(sched::mfma, mfmas / 2_I, sched::lds_read, number<tile::reads_of(0)>{});
            interleave_loads(mfmas / 2_I, dmas + words);
            take(next, 0_I);
        };
        const auto multiply_last_part = [&] {
            keep_order();
            multiply(last, 1_I, 1_I);
            keep_order();
        };

        const int begin_bytes = bytes_before(begin);
        const int end_bytes = bytes_before(end);
        static_for<2>([&](auto buffer) {
            const int columns = begin > 0 ? tile::k : first_k - buffer * tile::k;
            const auto first = lane_offsets<tile>(wave, lane, pitch, columns);
            bring<tile>(g_a, to_a, buffer, first, begin_bytes);
            bring<tile>(g_b, to_b, buffer, first, begin_bytes);
            scales.bring(buffer, begin_bytes);
        });
        wait_async(number<2 * tile::dmas + tile::words>{});
        s_barrier();
        keep_order();
        read(0_I, 0_I, x);
        take(x, 0_I);

        for (int k_bytes = bytes_before(begin + 1); k_bytes != end_bytes;
             k_bytes += 2 * tile::row_bytes) {
            static_for<2>([&](auto buffer) {
                multiply_phases(buffer);
                multiply_first_part(buffer, true_type{}, k_bytes);
                multiply_second_part(buffer, true_type{}, k_bytes);
            });
        }
        multiply_phases(0_I);
        multiply_first_part(0_I, false_type{}, 0);
        multiply_second_part(0_I, false_type{}, 0);
        multiply_phases(1_I);
        multiply_first_part(1_I, false_type{}, 0);
        multiply_last_part();

        if (p.is_out_bf16) {
            store_block<tile>(static_cast<bf16_t*>(p.c), p, row, col, of_batch, wave, c);
        } else {
            store_block<tile>(static_cast<fp32_t*>(p.c), p, row, col, of_batch, wave, c);
        }
    }
}

// Facts that only the device compiler knows, for the host: the bytes of LDS, and has_mx.
struct device_facts {
    int lds_bytes;
    int has_mx;
};

__global__ void facts_kernel(device_facts* facts) {
    *facts = {static_cast<int>(opus::get_smem_size()), has_mx};
}

device_facts facts_of_device() {
    examples::device_buffer<device_facts> facts(1);
    facts.fill_bytes(0);
    facts_kernel<<<1, 1>>>(facts.data());
    examples::check(hipGetLastError(), "the launch of facts");
    examples::check(hipDeviceSynchronize(), "hipDeviceSynchronize");
    return facts.to_host()[0];
}

// A type of A and B with a kind of scales.
struct variant {
    operand_matrix (*quantise)(std::vector<double>&, int, int, int, bool, bool);
    void (*launch)(dim3, const gemm_args&);
    int bits;
    int pair_k_gfx942;  // elements along K that a round of the loop takes
    int pair_k_gfx950;
    bool is_i8;
};

template <class T, scaling S>
void launch(dim3 grid, const gemm_args& arguments) {
    gemm_pipelined_kernel<T, S><<<grid, waves * 64>>>(arguments);
}

// Of the small example: each type once, fp8 with two kinds of scales.
template <class T, scaling S>
constexpr bool is_in_small() {
    using namespace opus;
    return S == scaling::tensor ? is_any_of_v<T, fp8_t, fp6_t, i8_t>
                                : is_any_of_v<T, fp8_t, bf6_t, fp4_t>;
}

// `launch` is null if there is none.
template <class T, scaling S>
constexpr variant make_variant() {
    if constexpr ((S == scaling::mx && !row_of<T>.has_mx) ||
                  (OPUS_EXAMPLES_SMALL && !is_in_small<T, S>())) {
        return {};
    } else {
        return {examples::quantise<T, S>,      launch<T, S>,
                opus::sizeof_bits_v<T>,        2 * lds_tile<T, S, 65536>::k,
                2 * lds_tile<T, S, 163840>::k, std::is_same_v<T, opus::i8_t>};
    }
}

struct format {
    const char* name;
    variant by_scaling[2];
};

template <class T>
constexpr format make_format() {
    return {row_of<T>.name, {make_variant<T, scaling::tensor>(), make_variant<T, scaling::mx>()}};
}

constexpr format formats[] = {make_format<opus::fp8_t>(), make_format<opus::bf8_t>(),
                              make_format<opus::fp6_t>(), make_format<opus::bf6_t>(),
                              make_format<opus::fp4_t>(), make_format<opus::i8_t>()};
std::vector<std::string> scaling_names() {
    return {"tensor", "mx"};
}

// @pre splits is from plan_of_splits()
template <class Out>
examples::gemm_result gemm_pipelined(const examples::gemm_problem& p, const variant& v,
                                     const operand_matrix& a, const operand_matrix& b, int splits) {
    const auto blocks = [](int extent) {
        return static_cast<unsigned>((extent + block - 1) / block);
    };
    const dim3 grid(blocks(p.n), blocks(p.m), static_cast<unsigned>(splits * p.batch));
    return examples::run_split<Out>("gemm_pipelined", p, a, b, splits,
                                    [&](const gemm_args& arguments) { v.launch(grid, arguments); });
}

// What a run needs beside the problem.
struct quantised {
    variant kernel;
    operand_matrix a;
    operand_matrix b;
    examples::split_plan plan;
};

// The kernel for a problem. Throws if there is none, on this device or at all.
variant choose(const examples::gemm_problem& p, scaling s, const device_facts& facts) {
    using examples::usage_error;
    const format& f = formats[p.format];
    const variant& v = f.by_scaling[static_cast<int>(s)];
    const bool is_mx = s == scaling::mx;
    const std::string name = f.name;
    if (v.launch == nullptr) {
        throw usage_error("--scales " + scaling_names()[static_cast<std::size_t>(s)] + ": " + name +
                          " has no such scales");
    }
    if ((v.bits < 8 || is_mx) && facts.has_mx == 0) {
        throw usage_error("this device (" + examples::device_name() +
                          ") has no matrix instructions " +
                          (is_mx ? "with scales" : "for " + name) + "; gfx950 has");
    }
    if (is_mx && p.k % 32 != 0) {
        throw usage_error("K is " + std::to_string(p.k) +
                          ": it must be a multiple of 32, which share a scale");
    }
    constexpr int max_i8 = INT_MAX / (127 * 127);
    if (v.is_i8 && p.k > max_i8) {
        throw usage_error("K is " + std::to_string(p.k) + ": sums of i8 do not overflow up to " +
                          std::to_string(max_i8));
    }
    return v;
}

// Quantises A and B of the problem and computes the error this causes.
quantised prepare(examples::gemm_problem& p, scaling s, long long splits) {
    const device_facts facts = facts_of_device();
    quantised q{choose(p, s, facts), {}, {}, {}};
    const bool fnuz = examples::device_fp8().fnuz;
    q.a = q.kernel.quantise(p.a, p.batch, p.m, p.k, false, fnuz);
    q.b = q.kernel.quantise(p.b, p.batch, p.n, p.k, true, fnuz);
    q.plan = examples::plan_for(
        p, q.a.k, block, facts.lds_bytes > 65536 ? q.kernel.pair_k_gfx950 : q.kernel.pair_k_gfx942,
        splits);
    // Products of codes are exact. Scales lose this: their product is rounded, and so is its
    // product with a sum, each to nearest; scales of mx are powers of two and lose nothing.
    p.product_error = s == scaling::mx ? 0 : 1;
    const int bits = q.kernel.bits;
    const double codes = (static_cast<double>(p.m) + p.n) * p.batch * p.k * bits / 8;
    p.operand_bytes = codes + static_cast<double>(q.a.scales.size() + q.b.scales.size());
    p.peak = bits == 8 ? &examples::machine_peaks::fp8 : &examples::machine_peaks::fp4;
    return q;
}

}  // namespace

int main(int argc, char** argv) {
    using examples::element;
    examples::gemm_example e;
    e.description = "pipelined blocks of 256 x 256; A and B are quantised first";
    e.types = {};
    for (const format& f : formats) {
        e.formats.emplace_back(f.name);
    }
    e.out_types = {element::f32, element::bf16};
    e.has_batch = true;
    scaling scales = scaling::tensor;
    long long splits = 0;
    e.add_options = [&](CLI::App& app) {
        examples::add_name(app, "--scales", scales, scaling_names(),
                           "For A and for B, or for 32 along K (tensor)");
        examples::add_integer(app, "--splits", splits, 1LL,
                              static_cast<long long>(examples::max_splits), "INT",
                              "Parts of K that are added up (as many as fill the device)");
    };
    quantised q{};
    std::string plan_text;
    e.adapt = [&](examples::gemm_problem& p) {
        q = prepare(p, scales, splits);
        plan_text = examples::plan_text(p, q.plan);
    };
    e.plan = [&] { return plan_text; };
    return examples::gemm_main(argc, argv, e, [&](const examples::gemm_problem& p) {
        return p.out_type == element::f32
                   ? gemm_pipelined<fp32_t>(p, q.kernel, q.a, q.b, q.plan.splits)
                   : gemm_pipelined<bf16_t>(p, q.kernel, q.a, q.b, q.plan.splits);
    });
}
