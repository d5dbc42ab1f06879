// SPDX-License-Identifier: MIT
//
// gemm_pipelined: C[M, N] = A[M, K] * B[N, K]^T, f16 or bf16 in, f32 out, for any M, N and K, the
// way it keeps the matrix cores busy. A workgroup of 8 waves computes 256 x 256 elements of C: so
// many that each element of A and B takes part in 256 products once it is on the chip, and that the
// sums fill half of the registers (128 of a lane's 256). Read gemm_naive first. What is different:
//
//  - A and B go to LDS, which the waves share, by async_load, that is not through registers.
//  - LDS has two buffers, for one tile of A and B each. While the waves multiply one tile, the next
//    one is under way to the other buffer, and the one after that to where they have read already.
//  - What is waited for was begun long before. The waits count: vmcnt(n) lets the n latest loads go
//    on, and the barrier (s_barrier) makes the waves wait for each other, not for memory.
//
// The loop over K, two tiles, is 64 matrix instructions and 73 others on gfx942, 85 on gfx950, none
// of them in the vector ALU; op_tests/codegen/test_examples.cpp counts them.
#include <vector>

#include "common/gemm_host.hpp"
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

namespace {

using opus::fp16_t;
using opus::fp32_t;

constexpr int block = 256;  // rows and columns of C that a workgroup computes
constexpr int half = 128;   // a wave has 64 x 64 of the upper 128 rows and 64 x 64 of the lower
constexpr int waves = 8;
constexpr int wave_rows = block / waves;  // of A and of B that one wave brings to LDS

// A tile in LDS: 256 rows of A and 256 rows of B, `k` elements of 2 bytes each. The size of LDS
// decides how the targets differ. Two such tiles take all 64 KiB of gfx942 with k = 32, and 128 of
// the 160 KiB of gfx950 with k = 64; there async_load moves 16 bytes for each lane, not 4.
//
// Why there is a swizzle. For a matrix instruction lane l wants 8 elements of row l % 32, a chunk
// of 16 bytes: in the first step along K chunk 0 for the lanes 0 to 31 and chunk 1 for the others,
// then 2 and 3, and so on. LDS serves such a read (ds_read_b128) in phases, of 8 lanes with the 32
// banks of gfx942 and of 16 lanes with the 64 banks of gfx950. A row takes half of the banks, so
// what row r has in its place s is in group
//
//     (r % 2) * chunks + s     of the 2 * chunks groups of 4 banks.
//
// If chunk c were in place c of all rows, the 4 (8) even rows of a phase would want the same group,
// and the odd ones another. Therefore row r has chunk c in place c ^ (r / 2 % chunks). In each
// phase r / 2 % chunks takes all values for the even rows, and again for the odd ones:
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
// The lanes 32 to 63 do as the lanes 0 to 31. (These phases are reported or inferred, not
// documented by AMD. op_tests/examples/gemm_pipelined_kernel.hip computes the banks of every read.)
template <int lds_bytes>
struct lds_tile {
    static constexpr int k = lds_bytes > 65536 ? 64 : 32;
    static constexpr int elements = block * k;  // of A, and as many of B
    static constexpr int chunk = 8;             // elements
    static constexpr int chunks = k / chunk;    // of a row
    static constexpr int steps = k / 16;        // along K, of one matrix instruction each

    // Of an offset in the tile, row * k + chunk * 8 + element: the bits of r / 2 % chunks, which stand
    // above those of an odd or even row, are xor-ed into those of the chunk.
    static constexpr int chunk_bits = chunks == 8 ? 3 : 2;
    using swizzle = opus::swizzle<chunk_bits, 3, chunk_bits + 1>;
    static_assert(1 << chunk_bits == chunks);

    // One async_load of a wave writes whole rows, one lane's bytes after the other's. So it is in
    // what the lanes read that the swizzle has to be: the lane that writes at an offset of the tile
    // reads what belongs there, the element with the offset swizzle{}(offset) (a swizzle is its own
    // inverse). Together they still read whole rows of memory.
    static constexpr int dma_bytes = lds_bytes > 65536 ? 16 : 4;  // of one lane
    static constexpr int dma_lanes = k * 2 / dma_bytes;           // for one row
    static constexpr int dma_rows = 64 / dma_lanes;               // of one async_load
    static constexpr int dmas = wave_rows / dma_rows;             // of a wave, for A, and for B

    // What a lane reads of A (`is_a`) or B, and in the first step along K; `wave` is the wave's
    // position along M or N. The others are 16 elements further, which is before the swizzle: one xor.
    template <bool is_a, class Mma>
    OPUS_H_D static constexpr auto operand(const Mma& mma, int wave, int lane) {
        using opus::operator""_I;
        const auto stride = opus::make_tuple(opus::number<k>{}, 1_I);
        const auto coordinate = opus::make_tuple(wave, lane % 32, 0_I, lane / 32);
        if constexpr (is_a) {
            return opus::composition(swizzle{}, partition_layout_a(mma, stride, coordinate));
        } else {
            return opus::composition(swizzle{}, partition_layout_b(mma, stride, coordinate));
        }
    }
};

// The product of one step for one half of the block: 2 x 4 waves with 2 x 2 instructions each.
template <class T>
OPUS_H_D constexpr auto make_half_mma() {
    using opus::seq;
    return opus::make_tiled_mma<T, T, fp32_t>(seq<2, 2, 1>{}, seq<2, 4, 1>{}, seq<32, 32, 16>{});
}

// What this wave read from LDS is in registers. (For its own use the compiler would wait as well,
// but once for each matrix instruction.)
__device__ inline void wait_for_reads() {
    opus::keep_order();
    opus::s_waitcnt_lgkmcnt(opus::number<0>{});
    opus::keep_order();
}

// Grid: (blocks along N, blocks along M), 512 threads.
// @pre k is a multiple of 8, so that rows begin at multiples of 16 bytes; 64 <= k < 2^21
template <class T>
__global__ __launch_bounds__(waves * 64) void gemm_pipelined_kernel(const T* ptr_a, const T* ptr_b,
                                                                    fp32_t* ptr_c, int m, int n,
                                                                    int k) {
    using namespace opus;
    using tile = lds_tile<get_smem_size()>;
    static_assert(sizeof(T) == 2, "gemm_pipelined: f16 or bf16");

    const int lane = thread_id_x() % 64;
    const int wave = readfirstlane(thread_id_x() / 64);  // in a scalar register
    const int wave_m = wave / 4;
    const int wave_n = wave % 4;
    const int row = block_id_y() * block;
    const int col = block_id_x() * block;
    const int rows = m - row < block ? m - row : block;
    const int cols = n - col < block ? n - col : block;

    const auto mma = make_half_mma<T>();
    using mma_t = remove_cv_t<decltype(mma)>;

    // As in gemm_naive, buffers that end with the last row that there is: rows beyond are 0.
    const auto g_a = make_gmem(ptr_a + static_cast<long_index_t>(row) * k,
                               static_cast<unsigned>(rows * k) * sizeof(T));
    const auto g_b = make_gmem(ptr_b + static_cast<long_index_t>(col) * k,
                               static_cast<unsigned>(cols * k) * sizeof(T));

    // One array for A and B. Of two the compiler would know which async_loads write to which, and
    // would wait for the latest of them before every read, no_dma_wait below or not.
    __shared__ __attribute__((aligned(16))) T lds[4 * tile::elements];
    T* const lds_a = lds;  // two buffers, then two of B
    T* const lds_b = lds + 2 * tile::elements;

    // -- from global memory to LDS ----------------------------------------------------------------
    // The loop takes two tiles at a time, one of each buffer, so that the buffers are constants in
    // it. Where K is not a multiple of two tiles, it is the first pair that is short: its loads
    // stand in front of the loop, which then has no special case.
    constexpr int pair_k = 2 * tile::k;
    const int first_k = (k - 1) % pair_k + 1;  // elements of K in the first pair

    // Byte offsets of what this lane brings to each buffer, the same in A and in B. They do not
    // change: the way along K is in the scalar offset. Nor does M0 between the loads of a tile:
    // they differ in the immediate offset, which moves the destination. It moves the source as
    // well, and is subtracted here. (As k >= 64, rows are no shorter in memory than in LDS and no
    // offset is negative.)
    constexpr int dma_step = 64 * tile::dma_bytes;
    constexpr int outside = 1 << 30;  // past the end of the buffer: zeros arrive
    array<array<int, tile::dmas>, 2> from;
    array<array<int, tile::dmas>, 2> from_first;  // in the first pair
    static_ford<2, tile::dmas>([&](auto buffer, auto i) {
        const int tile_row = wave * wave_rows + i * tile::dma_rows + lane / tile::dma_lanes;
        const int byte = lane % tile::dma_lanes * tile::dma_bytes;  // of the row in LDS
        const int element = typename tile::swizzle{}(tile_row * tile::k + byte / 2);
        const int column = buffer * tile::k + element % tile::k;
        from[buffer][i] = (tile_row * k + column) * 2 - i * dma_step;
        from_first[buffer][i] = column < first_k ? from[buffer][i] : outside;
    });
    const auto bring = [&](const auto& g, T* to, auto buffer, const auto& offsets, int k_bytes) {
        T* const rows_of_wave = to + (buffer * tile::elements + wave * (wave_rows * tile::k));
        static_for<tile::dmas>([&](auto i) {
            g.template _async_load<tile::dma_bytes / 2>(rows_of_wave, offsets[buffer][i], k_bytes,
                                                        number<i.value * dma_step>{});
        });
    };

    // -- from LDS to registers --------------------------------------------------------------------
    // The operands of one step: of A for both halves, and of B. What depends on the lane takes one
    // register for A and one for B in each step; the rest is in the instructions' immediates.
    struct operands {
        array<typename mma_t::vtype_a, 2> a;
        typename mma_t::vtype_b b;
    };
    constexpr int reads = 2 * mma_t::expd_m + mma_t::expd_n;
    const auto s_a = make_smem(lds_a);
    const auto s_b = make_smem(lds_b);
    const auto u_a = tile::template operand<true>(mma, wave_m, lane);
    const auto u_b = tile::template operand<false>(mma, wave_n, lane);
    const auto read = [&](auto buffer, auto step) {
        constexpr int begin = buffer.value * tile::elements + step.value * 16;
        operands result;
        result.b = s_b.template load<8>(u_b + number<begin>{}, no_dma_wait{});
        result.a[0_I] = s_a.template load<8>(u_a + number<begin>{}, no_dma_wait{});
        result.a[1_I] = s_a.template load<8>(u_a + number<begin + half * tile::k>{}, no_dma_wait{});
        return result;
    };

    // -- the pipeline -----------------------------------------------------------------------------
    // What happens at the same time while tile t, in buffer p, is multiplied:
    //
    //   multiply        step 0 to last but one   last step, upper half   last step, lower half
    //   LDS to regs     the next step of t       -                       step 0 of t + 1
    //   memory to LDS   -                        A of t + 2              B of t + 2
    //                                           (1)                     (2)
    //
    // (1) After lgkmcnt(0) and a barrier all waves have the rest of buffer p in registers: tile
    //     t + 2 may be written there.
    // (2) After vmcnt(n) and a barrier all that the waves brought of tile t + 1 is there. The n
    //     latest loads, A of t + 2, go on. Those of t + 1 have had the time of a whole tile.
    array<typename mma_t::vtype_c, 2> c;
    clear(c[0_I]);
    clear(c[1_I]);
    operands x;  // of the step to be multiplied
    // Matrix instructions of half a step. One of 32 x 32 x 16 on gfx942 is two of 32 x 32 x 8.
    constexpr auto mfmas = number<mma_t::expd_m * mma_t::expd_n * mma_t::instruction::steps>{};

    // LDS reads and async_loads go evenly among the matrix instructions between one keep_order() (or
    // wait_async) and the next, a few behind each. While one matrix instruction runs (32 clocks)
    // there is time to issue them; in a row they would hold up the next. M0, the destination of the
    // async_loads, must be set an instruction before the first of them.
    const auto interleave_loads = [](auto among, auto loads) {
        if constexpr (loads > 0) {
            sched_group(sched::salu, 1_I);
            interleave(sched::mfma, among, sched::vmem_read, loads);
        }
    };
    constexpr auto read_count = number<reads>{};

    // `more`: there is a tile t + 2, at k_bytes along K.
    const auto multiply_tile = [&](auto buffer, auto more, int k_bytes) {
        constexpr auto dmas = number<more ? tile::dmas : 0>{};
        static_for<tile::steps - 1>([&](auto step) {
            const operands next = read(buffer, step + 1_I);
            c[0_I] = mma(x.a[0_I], x.b, c[0_I]);
            c[1_I] = mma(x.a[1_I], x.b, c[1_I]);
            interleave(sched::mfma, 2_I * mfmas, sched::lds_read, read_count);
            wait_for_reads();
            x = next;
        });

        if constexpr (more) {
            s_barrier();  // (1)
            keep_order();
            bring(g_a, lds_a, buffer, from, k_bytes);
        }
        c[0_I] = mma(x.a[0_I], x.b, c[0_I]);
        interleave_loads(mfmas, dmas);

        if constexpr (more || buffer == 0) {
            wait_async(dmas);
            s_barrier();  // (2)
            keep_order();
            const operands next = read(1_I - buffer, 0_I);
            if constexpr (more) {
                bring(g_b, lds_b, buffer, from, k_bytes);
            }
            c[1_I] = mma(x.a[1_I], x.b, c[1_I]);
            interleave(sched::mfma, mfmas / 2_I, sched::lds_read, read_count);
            interleave_loads(mfmas / 2_I, dmas);
            wait_for_reads();
            x = next;
        } else {
            c[1_I] = mma(x.a[1_I], x.b, c[1_I]);  // the last tile
        }
    };

    static_for<2>([&](auto buffer) {
        bring(g_a, lds_a, buffer, from_first, 0);
        bring(g_b, lds_b, buffer, from_first, 0);
    });
    wait_async(number<2 * tile::dmas>{});
    s_barrier();
    keep_order();
    x = read(0_I, 0_I);
    wait_for_reads();

    for (int k_bytes = first_k * 2; k_bytes != k * 2; k_bytes += pair_k * 2) {
        multiply_tile(0_I, true_type{}, k_bytes);
        multiply_tile(1_I, true_type{}, k_bytes);
    }
    multiply_tile(0_I, false_type{}, 0);
    multiply_tile(1_I, false_type{}, 0);

    // -- from registers to global memory ----------------------------------------------------------
    // A lane holds 16 rows of each of its 32 x 32 tiles, in one column. Rows past M are outside the
    // buffer. A column past N would be the next row's: where there are such, each store is for the
    // lanes that have none.
    const auto g_c = make_gmem(ptr_c + static_cast<long_index_t>(row) * n + col,
                               static_cast<unsigned>(rows * n - col) * sizeof(fp32_t));
    const auto u_c = partition_layout_c(mma, make_tuple(n, 1_I),
                                        make_tuple(wave_m, lane / 32, wave_n, lane % 32));
    const int c_col = wave_n * 32 + lane % 32;
    static_for<2>([&](auto i) {
        const auto u = u_c + i * half * n;
        if (cols == block) {
            g_c.template store<1>(c[i], u);
        } else {
            const auto in_row = [&](auto, auto in, auto...) { return in * 128 + c_col < cols; };
            g_c.template store_if<1>(in_row, c[i], u);
        }
    });
}

// Copies rows of k elements to rows of `pitch` elements, filled up with zeros.
// Grid: (rows, pitch / 256 rounded up), 256 threads.
template <class T>
__global__ __launch_bounds__(256) void pad_rows_kernel(const T* from, T* to, int k, int pitch) {
    const int row = opus::block_id_x();
    const int column = opus::block_id_y() * 256 + opus::thread_id_x();
    if (column < pitch) {
        to[static_cast<opus::long_index_t>(row) * pitch + column] =
            column < k ? from[static_cast<opus::long_index_t>(row) * k + column] : T(0);
    }
}

// a is m x k and b is n x k; gives the m x n product.
template <class T>
examples::gemm_result gemm_pipelined(const std::vector<T>& a, const std::vector<T>& b, int m, int n,
                                     int k, int iters = 1) {
    const auto blocks = [](int extent, int size) {
        return static_cast<unsigned>((extent + size - 1) / size);
    };
    const auto count = [](int rows, int columns) {
        return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
    };
    examples::device_buffer<T> d_a(a);
    examples::device_buffer<T> d_b(b);
    examples::device_buffer<float> d_c(count(m, n));
    d_c.fill_bytes(0xff);  // NaN: an element that no lane writes is seen

    const auto multiply = [&](const T* ptr_a, const T* ptr_b, int pitch) {
        return examples::time_launches(iters, "gemm_pipelined", [&] {
            gemm_pipelined_kernel<T><<<dim3(blocks(n, block), blocks(m, block)), waves * 64>>>(
                ptr_a, ptr_b, d_c.data(), m, n, pitch);
        });
    };
    if (k % 8 == 0 && k >= 64) {
        const double time = multiply(d_a.data(), d_b.data(), k);
        return {d_c.to_host(), time};
    }

    // Rows that do not begin at multiples of 16 bytes cannot be brought in pieces of that size.
    // Such matrices are copied, once, to longer rows; zeros along K do not change the product. The
    // copies are not in the time.
    const int pitch = k < 64 ? 64 : (k + 7) / 8 * 8;
    examples::device_buffer<T> padded_a(count(m, pitch));
    examples::device_buffer<T> padded_b(count(n, pitch));
    const auto pad = [&](int rows, const T* from, T* to) {
        pad_rows_kernel<T>
            <<<dim3(static_cast<unsigned>(rows), blocks(pitch, 256)), 256>>>(from, to, k, pitch);
        examples::check(hipGetLastError(), "the launch of pad_rows");
    };
    pad(m, d_a.data(), padded_a.data());
    pad(n, d_b.data(), padded_b.data());
    const double time = multiply(padded_a.data(), padded_b.data(), pitch);
    return {d_c.to_host(), time};
}

}  // namespace

int main(int argc, char** argv) {
    examples::gemm_example e;
    e.description = "f32 out; pipelined blocks of 256 x 256";
    e.types = {examples::element::f16, examples::element::bf16};
    return examples::gemm_main(argc, argv, e, [](const examples::gemm_problem& p) {
        const auto run = [&](auto type) {
            using T = decltype(type);
            return gemm_pipelined(examples::to<T>(p.a), examples::to<T>(p.b), p.m, p.n, p.k,
                                  p.iters);
        };
        return p.type == examples::element::bf16 ? run(opus::bf16_t{}) : run(fp16_t{});
    });
}
