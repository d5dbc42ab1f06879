// SPDX-License-Identifier: MIT
//
// gemm_pipelined: C[M, N] = A[M, K] * B[N, K]^T, f16 or bf16 in, f32 out, for any M, N and K, the
// way it gets close to the peak of the matrix cores. 8 waves make a tile of 256 x 256: a tile so
// large that each element from memory takes part in 256 products, and all that the registers hold
// (128 sums for each lane). Read gemm_naive first; what is different here:
//
//  - A and B go to LDS, which the waves share, by async_load: not through registers.
//  - LDS has two buffers. While the waves multiply the tile of one, the next tile but one is under
//    way to the places they have read already.
//  - Nothing is waited for just after it was asked for. A wait counts: vmcnt(n) lets the n latest
//    transfers go on, and the barrier between the waves (s_barrier) waits for no memory at all.
#include <vector>

#include "common/gemm_host.hpp"
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

namespace {

using opus::fp16_t;
using opus::fp32_t;

constexpr int block = 256;  // rows and columns of C that a workgroup computes
constexpr int half = 128;   // a wave makes 64 x 64 of the upper half and 64 x 64 of the lower half
constexpr int waves = 8;
constexpr int wave_rows = block / waves;  // of A and of B that one wave brings to LDS

// A tile in LDS is 256 rows of A and 256 rows of B, `k` elements of 2 bytes each. What the targets
// differ in follows from the size of LDS: two such tiles fill the 64 KiB of gfx942 with k = 32; of
// the 160 KiB of gfx950 they take 128 with k = 64, where async_load moves 16 bytes for each lane
// instead of 4. (Its matrix instruction is also 32 x 32 x 16, of gfx942 it takes two.)
//
// Why a swizzle. The matrix instruction wants, in lane l, 8 elements of row l % 32: a chunk of 16
// bytes, chunk 0 for the lanes 0 to 31 and chunk 1 for the others, then 2 and 3. LDS serves a
// ds_read_b128 in phases, each of as many lanes as there are banks for: 8 lanes with the 32 banks
// of gfx942, 16 lanes with the 64 of gfx950. A row here takes half of the banks (64 and 128 bytes),
// so row r's chunk in place s is in
//
//     bank group (r % 2) * chunks + s      of 2 * chunks groups of 4 banks,
//
// and if all rows had chunk c in place c, the 4 (or 8) even rows of a phase would be after the same
// one. So row r has chunk c in place c ^ (r / 2 % chunks). The even rows of a phase are, by the
// lists of lanes below, such that r / 2 % chunks takes every value once; so do the odd ones:
//
//     gfx942  lanes 0-3, 20-23          even rows 0 2 20 22                 r / 2 % 4: 0 1 2 3
//             lanes 4-7, 16-19          even rows 4 6 16 18                            2 3 0 1
//             lanes 8-11, 28-31         even rows 8 10 28 30                           0 1 2 3
//             lanes 12-15, 24-27        even rows 12 14 24 26                          2 3 0 1
//     gfx950  lanes 0-3, 12-15, 20-27   even rows 0 2 12 14 20 22 24 26     r / 2 % 8: 0 1 6 7 2 3
//     4 5
//             lanes 4-11, 16-19, 28-31  even rows 4 6 8 10 16 18 28 30                 2 3 4 5 0 1
//             6 7
//
// and the same for the lanes 32 to 63. (A test computes the banks of all reads of the kernel.)
template <int lds_bytes>
struct lds_tile {
    static constexpr int k = lds_bytes > 65536 ? 64 : 32;
    static constexpr int elements = block * k;  // of A, and as many of B
    static constexpr int chunk = 8;             // elements
    static constexpr int chunks = k / chunk;    // of a row
    static constexpr int steps = k / 16;        // along K, of one matrix instruction each

    // One async_load of a wave writes the bytes from its destination on, lane after lane: whole
    // rows. So the swizzle is in what the lanes read. It is a permutation inside the row, whose
    // inverse is itself, and leaves the access to memory as it was: whole rows.
    static constexpr int dma_bytes = lds_bytes > 65536 ? 16 : 4;  // of one lane
    static constexpr int dma_lanes = k * 2 / dma_bytes;           // for one row
    static constexpr int dma_rows = 64 / dma_lanes;               // of one async_load
    static constexpr int dmas = wave_rows / dma_rows;             // of a wave, for A, and for B

    OPUS_H_D static constexpr int swizzle(int row, int c) { return c ^ (row / 2 % chunks); }

    // Coordinate, for partition_layout_a or _b, of what a lane reads for a step: `wave` is that of
    // A or B. The rows of a wave and repeat begin at multiples of 32, which the swizzle ignores.
    OPUS_H_D static constexpr auto coordinate(int wave, int lane, int step) {
        return opus::make_tuple(wave, lane % 32, opus::number<0>{},
                                swizzle(lane % 32, step * 2 + lane / 32));
    }
};

// The product of one step for one half of the block: 2 x 4 waves with 2 x 2 instructions each.
template <class T>
OPUS_H_D constexpr auto make_half_mma() {
    using opus::seq;
    return opus::make_tiled_mma<T, T, fp32_t>(seq<2, 2, 1>{}, seq<2, 4, 1>{}, seq<32, 32, 16>{});
}

// Where the order of the program matters though the compiler sees no reason: neither the memory
// operations nor the matrix instructions move across. It is no instruction by itself.
__device__ inline void keep_order() {
    __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "wavefront");
    __builtin_amdgcn_sched_barrier(0);
}
// All waves arrive before one goes on. It waits for no memory operation: see the waits before it.
__device__ inline void wave_barrier() {
    keep_order();
    opus::s_barrier();
    keep_order();
}
// At most `n` async_loads of this wave are still under way after it; they finish in order.
template <int n>
__device__ inline void wait_for_dma() {
    keep_order();
    opus::s_waitcnt_vmcnt(opus::number<n>{});
    keep_order();
}
// What this wave read from LDS is in registers. The compiler would wait as well, but with one
// instruction for each matrix instruction.
__device__ inline void wait_for_lds() {
    keep_order();
    opus::s_waitcnt_lgkmcnt(opus::number<0>{});
    keep_order();
}

// How the compiler's scheduler is to mix what stands before, since the last keep_order(): one
// matrix instruction, then as many of the `others` as bring them evenly among `mfmas` matrix
// instructions. A matrix instruction takes long enough to issue a few others; more than that would
// make it wait.
enum class kind { scalar = 0x4, matrix = 0x8, async_load = 0x20, lds_read = 0x100 };
template <kind others, int mfmas, int count>
__device__ inline void interleave() {
    if constexpr (others == kind::async_load) {  // M0 has to be set one instruction before its use
        __builtin_amdgcn_sched_group_barrier(static_cast<int>(kind::scalar), 1, 0);
    }
    opus::static_for<mfmas>([](auto) {
        __builtin_amdgcn_sched_group_barrier(static_cast<int>(kind::matrix), 1, 0);
        __builtin_amdgcn_sched_group_barrier(static_cast<int>(others), (count + mfmas - 1) / mfmas,
                                             0);
    });
}

// Grid: (blocks along N, blocks along M), 512 threads.
// @pre k is a multiple of 8 and at least 64: rows begin at multiples of 16 bytes, and no offset
//      below is negative
template <class T>
__global__ __launch_bounds__(waves * 64) void gemm_pipelined_kernel(const T* ptr_a, const T* ptr_b,
                                                                    fp32_t* ptr_c, int m, int n,
                                                                    int k) {
    using namespace opus;
    using tile = lds_tile<get_smem_size()>;

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

    // Buffers that end with the last row of this block that there is: rows beyond are 0.
    const auto g_a = make_gmem(ptr_a + static_cast<long_index_t>(row) * k,
                               static_cast<unsigned>(rows * k) * sizeof(T));
    const auto g_b = make_gmem(ptr_b + static_cast<long_index_t>(col) * k,
                               static_cast<unsigned>(cols * k) * sizeof(T));

    // One array, so that the compiler takes no part of it for a separate object: of such it knows
    // which LDS-DMA writes there, and waits for that with vmcnt(0) before each read.
    __shared__ __attribute__((aligned(16))) T lds[4 * tile::elements];
    T* const lds_a = lds;                       // buffer 0, buffer 1
    T* const lds_b = lds + 2 * tile::elements;  // buffer 0, buffer 1

    // -- from global memory to LDS ----------------------------------------------------------------
    // Tiles come in pairs, one for each buffer. K need not be a multiple of a pair: what is missing
    // is missing in the first pair, whose loads are special anyway, and not in the loop.
    constexpr int pair_k = 2 * tile::k;
    const int k_first = (k - 1) % pair_k + 1;  // elements of K in the first pair

    // Offsets in bytes of what this lane brings to each buffer. They are the same for A and B, and
    // stay the same: the way along K is in the scalar offset of the instruction. The immediate
    // moves the destination to the next rows, so M0, which has the destination, is set once for all
    // loads. As it also moves the source, it is subtracted here.
    constexpr int dma_step = 64 * tile::dma_bytes;
    array<array<int, tile::dmas>, 2> from;
    array<array<int, tile::dmas>, 2> from_first;
    static_ford<2, tile::dmas>([&](auto buffer, auto i) {
        const int r = wave * wave_rows + i * tile::dma_rows + lane / tile::dma_lanes;
        const int byte =
            lane % tile::dma_lanes * tile::dma_bytes;  // where it is written in the row
        const int column = buffer * tile::k + tile::swizzle(r, byte / 16) * 8 + byte % 16 / 2;
        from[buffer][i] = (r * k + column) * 2 - i * dma_step;
        // Outside the buffer, so that zeros are written; below it the rows are of 2^22 at most.
        constexpr int outside = 1 << 30;
        from_first[buffer][i] = column < k_first ? from[buffer][i] : outside;
    });
    const auto stage = [&](const auto& g, T* to, auto buffer, const auto& offsets, int s_os) {
        static_for<tile::dmas>([&](auto i) {
            g.template _async_load<tile::dma_bytes / 2>(
                to + (buffer * tile::elements + wave * (wave_rows * tile::k)), offsets[buffer][i],
                s_os, number<i.value * dma_step>{});
        });
    };

    // -- from LDS to registers --------------------------------------------------------------------
    // The operands of one step: of A for both halves, and of B. All that depends on the lane is in
    // one register for each step of A and of B; the rest is in the instructions' immediates.
    struct operands {
        array<typename mma_t::vtype_a, 2> a;
        typename mma_t::vtype_b b;
    };
    constexpr int reads = 2 * mma_t::expd_m + mma_t::expd_n;
    const auto s_a = make_smem(lds_a);
    const auto s_b = make_smem(lds_b);
    const auto read = [&](auto buffer, auto step) {
        const auto stride = make_tuple(number<tile::k>{}, 1_I);
        const auto u_a = partition_layout_a(mma, stride, tile::coordinate(wave_m, lane, step));
        const auto u_b = partition_layout_b(mma, stride, tile::coordinate(wave_n, lane, step));
        constexpr int begin = buffer.value * tile::elements;
        operands x;
        x.b = s_b.template load<8>(u_b + number<begin>{}, no_dma_wait{});
        x.a[0_I] = s_a.template load<8>(u_a + number<begin>{}, no_dma_wait{});
        x.a[1_I] = s_a.template load<8>(u_a + number<begin + half * tile::k>{}, no_dma_wait{});
        return x;
    };

    // -- the pipeline -----------------------------------------------------------------------------
    // Tile t, in buffer p, takes so many phases:
    //
    //   multiply        step 0 ... last but one   last step, upper half   last step, lower half
    //   read from LDS   the next step of t        -                       step 0 of t + 1
    //   bring to LDS    -                         A of t + 2              B of t + 2
    //                                            (1)                     (2)
    //
    // (1) lgkmcnt(0) and a barrier: all waves have all of buffer p in registers; it may be written.
    // (2) vmcnt(n), n being the loads of A of t + 2, and a barrier: what the waves brought of t + 1
    //     is there. It was begun a whole tile ago, the last of it two phases after the first.
    array<typename mma_t::vtype_c, 2> c;
    clear(c[0_I]);
    clear(c[1_I]);
    operands x;  // of the step that is to be multiplied
    constexpr int mfmas = mma_t::expd_m * mma_t::expd_n * mma_t::instruction::steps;  // of a half

    const auto multiply_tile = [&](auto buffer, auto brings_more, int s_os) {
        static_for<tile::steps - 1>([&](auto step) {
            const operands next = read(buffer, step + 1_I);
            c[0_I] = mma(x.a[0_I], x.b, c[0_I]);
            c[1_I] = mma(x.a[1_I], x.b, c[1_I]);
            interleave<kind::lds_read, 2 * mfmas, reads>();
            wait_for_lds();
            x = next;
        });

        if constexpr (brings_more) {
            wave_barrier();  // (1)
            stage(g_a, lds_a, buffer, from, s_os);
        }
        c[0_I] = mma(x.a[0_I], x.b, c[0_I]);

        if constexpr (brings_more) {
            interleave<kind::async_load, mfmas, tile::dmas>();
            wait_for_dma<tile::dmas>();
            wave_barrier();  // (2)
            const operands next = read(1_I - buffer, 0_I);
            stage(g_b, lds_b, buffer, from, s_os);
            c[1_I] = mma(x.a[1_I], x.b, c[1_I]);
            interleave<kind::lds_read, mfmas / 2, reads>();
            interleave<kind::async_load, mfmas / 2, tile::dmas>();
            wait_for_lds();
            x = next;
        } else if constexpr (buffer == 0) {
            wait_for_dma<0>();
            wave_barrier();
            const operands next = read(1_I, 0_I);
            c[1_I] = mma(x.a[1_I], x.b, c[1_I]);
            interleave<kind::lds_read, mfmas, reads>();
            wait_for_lds();
            x = next;
        } else {
            c[1_I] = mma(x.a[1_I], x.b, c[1_I]);
        }
    };

    static_for<2>([&](auto buffer) {
        stage(g_a, lds_a, buffer, from_first, 0);
        stage(g_b, lds_b, buffer, from_first, 0);
    });
    wait_for_dma<2 * tile::dmas>();
    wave_barrier();
    x = read(0_I, 0_I);
    wait_for_lds();

    for (int s_os = k_first * 2; s_os != k * 2; s_os += pair_k * 2) {
        multiply_tile(0_I, true_type{}, s_os);
        multiply_tile(1_I, true_type{}, s_os);
    }
    multiply_tile(0_I, false_type{}, 0);
    multiply_tile(1_I, false_type{}, 0);

    // -- from registers to global memory ----------------------------------------------------------
    // A lane holds 16 rows of each of its 32 x 32 tiles, in one column. Rows past M are outside the
    // buffer; a column past N would be the next row's.
    const auto g_c = make_gmem(ptr_c + static_cast<long_index_t>(row) * n + col,
                               static_cast<unsigned>(rows * n - col) * sizeof(fp32_t));
    const auto u_c = partition_layout_c(mma, make_tuple(n, 1_I),
                                        make_tuple(wave_m, lane / 32, wave_n, lane % 32));
    const int c_col = wave_n * 32 + lane % 32;
    static_for<2>([&](auto i) {
        g_c.template store_if<1>([&](auto, auto in, auto...) { return in * 128 + c_col < cols; },
                                 c[i], u_c + i * half * n);
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
std::vector<float> gemm_pipelined(const std::vector<T>& a, const std::vector<T>& b, int m, int n,
                                  int k) {
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
        gemm_pipelined_kernel<T><<<dim3(blocks(n, block), blocks(m, block)), waves * 64>>>(
            ptr_a, ptr_b, d_c.data(), m, n, pitch);
        examples::check(hipGetLastError(), "the launch of gemm_pipelined");
        examples::check(hipDeviceSynchronize(), "hipDeviceSynchronize");
    };
    if (k % 8 == 0 && k >= 64) {
        multiply(d_a.data(), d_b.data(), k);
        return d_c.to_host();
    }

    // Rows that begin anywhere cannot be brought in pieces of 4 or 16 bytes. Such matrices are
    // copied once; more zeros along K do not change the product.
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
    multiply(padded_a.data(), padded_b.data(), pitch);
    return d_c.to_host();
}

}  // namespace

int main(int argc, char** argv) {
    return examples::gemm_main(
        argc, argv, "C[M, N] = A[M, K] * B[N, K]^T: f16 in, f32 out, pipelined 256 x 256 blocks",
        [](const examples::gemm_problem& p) { return gemm_pipelined(p.a, p.b, p.m, p.n, p.k); });
}
