// SPDX-License-Identifier: MIT
//
// gemm_fast: D[M, N] = epilogue(A[M, K] * B[N, K]^T) for f16 and bf16 and any M, N and K, in a way
// that keeps the matrix cores busy. A workgroup of 8 waves computes 256 x 256 elements of D, so
// each element of A and B takes part in 256 products once it is on the chip; the sums fill half of
// the registers (128 of a lane's 256). Read gemm_block first. What is different:
//
//  - async_load copies A and B to LDS without using registers.
//  - LDS has two buffers, each for one tile of A and one of B. While the waves multiply a tile, the
//    next one arrives in the other buffer, and the one after that in the places already read.
//  - The kernel waits only for loads that it issued long before. The waits count: vmcnt(n) leaves
//    the latest n loads in flight, and the barrier (s_barrier) makes the waves wait for each other,
//    not for memory.
//  - Rows in LDS have no padding, because async_load writes them consecutively. A swizzle avoids
//    bank conflicts instead.
//  - The kernel gets its epilogue, a function object that processes the sums, as an argument.
//
// To start a GEMM of your own, write an epilogue like those below and launch gemm_fast_kernel with
// it.
//
// op_tests/codegen/test_examples.cpp counts the instructions of the loop over K, two tiles.
#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "common/gemm_host.hpp"
#include "opus/hip_minimal.hpp"
#include "opus/opus_plus.hpp"

namespace {

using opus::bf16_t;
using opus::fp16_t;
using opus::fp32_t;
using opus::fp32x4_t;
using opus::number;

// -- epilogues ------------------------------------------------------------------------------------

// An epilogue gets four neighbours in a row of D, sums[l] of D[row + i, col + j + l], and returns
// the values that are rounded to D's type and stored there. `row` and `col` are the block's first,
// the same for all lanes, with rows numbered through all batches; i and j are below 256, and j is a
// multiple of 4. It is also called for places behind the last row and column, where its result is
// not stored. So it must read through buffers that end where the data does.

struct no_epilogue {
    __device__ fp32x4_t operator()(fp32x4_t sums, int, int, int, int) const { return sums; }
};

// For x = sum + bias[column]: SiLU, x * sigmoid(x), or the tanh form of GELU, x * sigmoid(2 *
// sqrt(2 / pi) * (x + 0.044715 * x^3)). One kernel serves both.
struct activated {
    const float* bias;  // [n]
    int n;
    bool is_gelu;

    __device__ fp32x4_t operator()(fp32x4_t sums, int, int col, int, int j) const {
        constexpr float log2_e = 1.44269504f;
        constexpr float factor = 1.59576912f;
        const auto g = opus::make_gmem(bias, static_cast<unsigned>(n) * sizeof(float));
        const fp32x4_t x = sums + g.load<4>(col + j);
        const fp32x4_t y = is_gelu ? x * (x * x * (factor * 0.044715f) + factor) : x;
        return x * opus::rcp(opus::exp2(y * -log2_e) + 1.0f);
    }
};

// Adds C, which has D's type and shape.
template <class Out>
struct residual {
    const Out* c;
    int rows;  // of all batches
    int ldd;

    __device__ fp32x4_t operator()(fp32x4_t sums, int row, int col, int i, int j) const {
        const int left = rows - row < 256 ? rows - row : 256;
        const auto g = opus::make_gmem(c + static_cast<opus::long_index_t>(row) * ldd + col,
                                       static_cast<unsigned>(left * ldd - col) * sizeof(Out));
        return sums + opus::cast<fp32_t>(g.template load<4>(i * ldd + j));
    }
};

// -- the kernel -----------------------------------------------------------------------------------

constexpr int block = 256;  // rows and columns of D that a workgroup computes
constexpr int waves = 8;    // 2 x 4 of them, each with 4 x 2 tiles of 32 x 32

// A tile of A or B in LDS: 256 rows of 128 bytes (gfx942: 64). Two of each take 128 of the 160 KiB
// of gfx950, and all 64 KiB of gfx942.
//
// For a matrix instruction lane l needs 16 bytes, a chunk, of row l % 32: first chunk 0 for lanes 0
// to 31 and chunk 1 for the others, then 2 and 3, and so on. LDS serves such a read in phases of 16
// lanes, on gfx942 of 8, which use all its banks. A row uses half of them, so if chunk c were in
// place c of all rows, half of a phase's lanes would access the same banks. Therefore row r has
// chunk c in place c ^ (r / 2 % chunks). gemm_pipelined explains why that has no conflicts, and the
// emulator's profile shows that there are none.
template <int lds_bytes>
struct lds_tile {
    static constexpr bool is_gfx950 = lds_bytes > 65536;
    static constexpr int k = is_gfx950 ? 64 : 32;
    static constexpr int steps = k / 16;        // of the matrix instructions
    static constexpr int elements = block * k;  // of A, and as many of B
    using swizzle = opus::swizzle<is_gfx950 ? 3 : 2, 3, is_gfx950 ? 4 : 3>;

    // One async_load of a wave writes whole rows, lane after lane.
    static constexpr int load_vec = is_gfx950 ? 8 : 2;  // elements of a lane: 16 bytes or 4
    static constexpr int load_lanes = k / load_vec;     // for one row
    static constexpr int load_rows = 64 / load_lanes;
    static constexpr int load_bytes = 64 * load_vec * 2;
    static constexpr int loads = block / waves / load_rows;  // of a wave, for A, and for B
};

// Half of a block: 128 x 256, 16 along K.
template <class T>
OPUS_H_D constexpr auto make_half_mma() {
    using opus::seq;
    return opus::make_tiled_mma<T, T, fp32_t>(seq<2, 2, 1>{}, seq<2, 4, 1>{}, seq<32, 32, 16>{},
                                              opus::mfma_adaptor_swap_ab{});
}

// Past the end of each buffer: loads bring zeros from there, stores do nothing.
constexpr int outside = 1 << 28;

// Byte offsets of what a lane copies to a tile, the same in A and in B, if the tile has `columns`
// columns. They do not change, because the position along K is in the scalar offset. M0 does not
// change between the loads of a tile either: they differ in the immediate offset, which moves the
// destination. The immediate moves the source as well, so it is subtracted here. The lane that
// writes to a place of the tile reads the element that belongs there: a swizzle is its own inverse.
template <class Tile>
__device__ inline auto lane_offsets(int wave, int k, int columns) {
    const int lane = opus::thread_id_x() % 64;
    opus::array<int, Tile::loads> from;
    opus::static_for<Tile::loads>([&](auto i) {
        const int row = wave * (block / waves) + i * Tile::load_rows + lane / Tile::load_lanes;
        const int place = row * Tile::k + lane % Tile::load_lanes * Tile::load_vec;
        const int column = typename Tile::swizzle{}(place) % Tile::k;
        from[i] = column < columns ? (row * k + column) * 2 - i * Tile::load_bytes : outside * 2;
    });
    return from;
}

// Copies a wave's rows of a tile to `to` in a buffer; for the second tile of a pair, its distance
// along K is in the immediate offset, too.
template <class Tile, int buffer, class Gmem, class T>
__device__ inline void bring(const Gmem& g, T* to, number<buffer>,
                             const opus::array<int, Tile::loads>& from, int k_bytes) {
    constexpr int column = buffer * Tile::k;
    opus::static_for<Tile::loads>([&](auto i) {
        constexpr auto imm = number<i.value * Tile::load_bytes + column * 2>{};
        g.template _async_load<Tile::load_vec>(to + (buffer * Tile::elements - column), from[i],
                                               k_bytes, imm);
    });
}

// Distributes LDS reads and async_loads evenly among the matrix instructions between one
// keep_order() (or wait_async) and the next, a few behind each. While a matrix instruction runs (32
// clocks or more) there is time to issue them; all in a row they would delay the next one. M0, the
// destination of the async_loads, must be set one instruction before the first of them.
template <int among, int loads>
__device__ inline void interleave_loads(number<among>, number<loads>) {
    using namespace opus;
    if constexpr (loads > 0) {
        sched_group(sched::salu, number<1>{});
        interleave(sched::mfma, number<among>{}, sched::vmem_read, number<loads>{});
    }
}

// Waits until all of this wave's LDS reads are in registers. (The compiler would wait, too, but
// once for each matrix instruction.)
__device__ inline void wait_for_reads() {
    opus::keep_order();
    opus::s_waitcnt_lgkmcnt(number<0>{});
    opus::keep_order();
}

template <class Out, class Sums>
__device__ inline auto to_out(const Sums& sums) {
    if constexpr (opus::is_same_v<Out, bf16_t>) {
        return opus::cast<bf16_t>(sums, number<0>{});  // to nearest even
    } else {
        return opus::cast<Out>(sums);
    }
}

// Each lane has groups of four neighbours in a row of D. Rows past M are outside the buffer; a
// column past ldd would lie in the next row. The loop takes a quarter of the sums at a time, so
// that the loads of an epilogue for these are in flight together.
template <class Mma, class Out, class Sums, class Epilogue>
__device__ inline void store_block(const Mma& mma, Out* ptr_d, const Sums& sums, int m, int ldd,
                                   int wave, const Epilogue& epilogue) {
    using namespace opus;
    const int row = block_id_y() * block;
    const int col = block_id_x() * block;
    const int rows = m - row < block ? m - row : block;
    const int row_of_all = block_id_z() * m + row;
    const auto g_d = make_gmem(ptr_d + static_cast<long_index_t>(row_of_all) * ldd + col,
                               static_cast<unsigned>(rows * ldd - col) * unsigned{sizeof(Out)});
    const auto at = tile_coordinates_c(mma, wave * 64 + lane_id());
    constexpr int groups = at.items / 8;
    static_ford<2, 2>([&](auto half, auto part) {
        array<fp32x4_t, groups> x;
        array<int, groups> to;
        static_for<groups>([&](auto group) {
            constexpr auto first = number<(part.value * groups + group.value) * 4>{};
            const int i = half * (block / 2) + get<0>(at(first));
            const int j = get<1>(at(first));
            const auto four = slice(sums[half], first, number<first.value + 4>{});
            x[group] = epilogue(four, row_of_all, col, i, j);
            to[group] = j < ldd - col ? i * ldd + j : outside;
        });
        static_for<groups>(
            [&](auto group) { g_d.template store<4>(to_out<Out>(x[group]), to[group]); });
    });
}

// Grid: (blocks along N, blocks along M, batch), 512 threads. A is [batch, m, k], B [batch, n, k],
// and D [batch, m, ldd].
// @pre k is a multiple of 8 and at least 64; ldd is a multiple of 4 and at least n
template <class T, class Out, class Epilogue>
__global__ __launch_bounds__(waves * 64) void gemm_fast_kernel(const T* ptr_a, const T* ptr_b,
                                                               Out* ptr_d, int m, int n, int k,
                                                               int ldd, Epilogue epilogue) {
    using namespace opus;
    using opus::operator""_I;
    static_assert(sizeof(T) == 2, "gemm_fast: f16 or bf16");
    using tile = lds_tile<get_smem_size()>;
    // One array for all buffers. With several, the compiler would know which async_loads write to
    // which array, and would wait for the latest of them before every read, with or without
    // no_dma_wait below.
    __shared__ __attribute__((aligned(16))) T lds[4 * tile::elements];

    const int wave = readfirstlane(thread_id_x() / 64);  // in a scalar register
    const int row = block_id_y() * block;
    const int col = block_id_x() * block;
    const int rows = m - row < block ? m - row : block;
    const int cols = n - col < block ? n - col : block;
    const long_index_t of_batch = block_id_z();

    // As in gemm_naive, the buffers end with the last row of the matrix: rows beyond it arrive as
    // zeros.
    const auto g_a =
        make_gmem(ptr_a + (of_batch * m + row) * k, static_cast<unsigned>(rows * k) * sizeof(T));
    const auto g_b =
        make_gmem(ptr_b + (of_batch * n + col) * k, static_cast<unsigned>(cols * k) * sizeof(T));
    const auto from = lane_offsets<tile>(wave, k, tile::k);
    T* const to_a = lds + wave * (tile::elements / waves);
    T* const to_b = to_a + 2 * tile::elements;

    // What a lane reads in the first step along K. Each next step is 16 elements further, added
    // before the swizzle, which makes it one xor.
    constexpr auto mma = make_half_mma<T>();
    using mma_t = remove_cv_t<decltype(mma)>;
    const auto stride = make_tuple(number<tile::k>{}, 1_I);
    const auto place = scalar_wave(thread_id_x());
    const auto u_a = composition(typename tile::swizzle{}, partition_layout_a(mma, stride, place));
    const auto u_b = composition(typename tile::swizzle{}, partition_layout_b(mma, stride, place));
    const auto s_a = make_smem(lds);
    const auto s_b = make_smem(lds + 2 * tile::elements);

    // The operands of one step.
    struct operands {
        array<typename mma_t::vtype_a, 2> a;
        typename mma_t::vtype_b b;
    };
    const auto read = [&](auto buffer, auto step) {
        constexpr int at = buffer.value * tile::elements + step.value * 16;
        operands x;
        x.b = s_b.template load<8>(u_b + number<at>{}, no_dma_wait{});
        static_for<2>([&](auto half) {
            x.a[half] = s_a.template load<8>(u_a + number<at + half.value*(tile::elements / 2)>{},
                                             no_dma_wait{});
        });
        return x;
    };

    array<typename mma_t::vtype_c, 2> c;
    static_for<2>([&](auto half) { clear(c[half]); });
    operands x;  // of the step to be multiplied
    const auto multiply = [&](auto half) { c[half] = mma(x.a[half], x.b, c[half]); };
    // The matrix instructions of half a step, and the reads and loads distributed among them.
    constexpr auto mfmas = number<4 * mma_t::instruction::steps>{};
    constexpr auto reads = 6_I;

    // What happens at the same time while the waves multiply tile t, in buffer p:
    //
    //   multiply        step 0 to last but one   last step, first half   second half
    //   LDS to regs     the next step of t       -                       step 0 of t + 1
    //   memory to LDS   -                        A of t + 2              B of t + 2
    //                                           (1)                     (2)
    //
    // (1) After lgkmcnt(0) and a barrier all waves have the rest of buffer p in registers: tile
    //     t + 2 may be written there.
    // (2) After vmcnt(n) and a barrier all loads of tile t + 1 are complete. They have had the time
    //     of a whole tile. The n latest loads, A of t + 2, stay in flight.
    const auto multiply_steps = [&](auto buffer) {
        static_for<tile::steps - 1>([&](auto step) {
            const operands next = read(buffer, step + 1_I);
            multiply(0_I);
            multiply(1_I);
            sched_group(sched::lds_read, 2_I);
            interleave(sched::mfma, 2_I * mfmas, sched::lds_read, reads - 2_I);
            wait_for_reads();
            x = next;
        });
    };
    // `more`: there is a tile t + 2, at k_bytes along K.
    const auto multiply_last_step = [&](auto buffer, auto more, int k_bytes) {
        constexpr auto loads = number<more ? tile::loads : 0>{};
        if constexpr (more) {
            s_barrier();  // (1)
            keep_order();
            bring<tile>(g_a, to_a, buffer, from, k_bytes);
        }
        multiply(0_I);
        interleave_loads(mfmas, loads);
        if constexpr (more || buffer == 0) {
            wait_async(loads);
            s_barrier();  // (2)
            keep_order();
            const operands next = read(1_I - buffer, 0_I);
            if constexpr (more) {
                bring<tile>(g_b, to_b, buffer, from, k_bytes);
            }
            multiply(1_I);
            interleave(sched::mfma, mfmas / 2_I, sched::lds_read, reads);
            interleave_loads(mfmas / 2_I, loads);
            wait_for_reads();
            x = next;
        } else {
            multiply(1_I);  // the last tile
        }
    };

    // The loop takes two tiles at a time, one in each buffer, so that the buffers are constants in
    // it. If K is not a multiple of two tiles, the first pair is the short one: its loads are in
    // front of the loop, which then has no special case.
    constexpr int pair_k = 2 * tile::k;
    const int first_k = (k - 1) % pair_k + 1;  // elements of K in the first pair
    static_for<2>([&](auto buffer) {
        const auto first = lane_offsets<tile>(wave, k, first_k - buffer * tile::k);
        bring<tile>(g_a, to_a, buffer, first, 0);
        bring<tile>(g_b, to_b, buffer, first, 0);
    });
    wait_async(number<2 * tile::loads>{});
    s_barrier();
    keep_order();
    x = read(0_I, 0_I);
    wait_for_reads();
    for (int k_bytes = first_k * 2; k_bytes != k * 2; k_bytes += pair_k * 2) {
        static_for<2>([&](auto buffer) {
            multiply_steps(buffer);
            multiply_last_step(buffer, true_type{}, k_bytes);
        });
    }
    static_for<2>([&](auto buffer) {
        multiply_steps(buffer);
        multiply_last_step(buffer, false_type{}, 0);
    });

    store_block(mma, ptr_d, c, m, ldd, wave, epilogue);
}

template <class T, class Out>
examples::gemm_result gemm_fast(const examples::gemm_problem& p) {
    const int rows = p.batch * p.m;
    const int k = std::max(64, (p.k + 7) / 8 * 8);
    const int ldd = (p.n + 3) / 4 * 4;
    const auto a = examples::device_values<T>(p.a, p.batch * p.m, p.k, k);
    const auto b = examples::device_values<T>(p.b, p.batch * p.n, p.k, k);
    examples::device_buffer<Out> d(static_cast<std::size_t>(rows) * static_cast<std::size_t>(ldd));
    d.fill_unwritten(0xff);  // NaN: an element that no lane writes is seen

    const auto run = [&](auto epilogue) -> examples::gemm_result {
        const dim3 grid(static_cast<unsigned>((p.n + block - 1) / block),
                        static_cast<unsigned>((p.m + block - 1) / block),
                        static_cast<unsigned>(p.batch));
        const double time = examples::time_launches(p.iters, "gemm_fast", [&] {
            gemm_fast_kernel<<<grid, waves * 64>>>(a.data(), b.data(), d.data(), p.m, p.n, k, ldd,
                                                   epilogue);
        });
        return {examples::with_columns(d.result(), ldd, p.n), time};
    };
    using examples::epilogue;
    if (p.epilogue == epilogue::residual) {
        const examples::device_buffer<Out> c(
            examples::with_columns(examples::to<Out>(p.c), p.n, ldd));
        return run(residual<Out>{c.data(), rows, ldd});
    }
    // The small example has the others for the default types alone.
    if constexpr (!OPUS_EXAMPLES_SMALL || (sizeof(Out) == 4 && opus::is_same_v<T, fp16_t>)) {
        if (p.epilogue == epilogue::none) {
            return run(no_epilogue{});
        }
        const examples::device_buffer<float> bias(examples::to<float>(p.bias));
        return run(activated{bias.data(), p.n, p.epilogue == epilogue::gelu});
    } else {
        examples::refuse_in_small();
    }
}

template <class T>
examples::gemm_result gemm_fast(const examples::gemm_problem& p) {
    return p.out_type == examples::element::f32 ? gemm_fast<T, fp32_t>(p) : gemm_fast<T, T>(p);
}

}  // namespace

int main(int argc, char** argv) {
    using examples::element;
    examples::gemm_example e;
    e.description = "pipelined blocks of 256 x 256, with an epilogue";
    e.types = {element::f16, element::bf16};
    e.out_types = {element::f32, element::f16, element::bf16};
    e.has_batch = true;
    e.may_repeat = true;
    e.has_epilogue = true;
    e.adapt = [](examples::gemm_problem& p) {
        if (p.out_type != element::f32 && p.out_type != p.type) {
            throw examples::usage_error(std::string("--out-type ") + examples::name_of(p.out_type) +
                                        " with --type " + examples::name_of(p.type) +
                                        ": D is f32 or of the type of A and B");
        }
    };
    return examples::gemm_main(argc, argv, e, [](const examples::gemm_problem& p) {
        return p.type == element::bf16 ? gemm_fast<bf16_t>(p) : gemm_fast<fp16_t>(p);
    });
}
