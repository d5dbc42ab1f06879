// SPDX-License-Identifier: MIT
//
// gemm_block: D[M, N] = alpha * A[M, K] * B[N, K]^T + beta * C[M, N] for any M, N and K, f16 or
// bf16 in, f32, f16 or bf16 out. A workgroup of 2 x 2 waves computes a block of D. Its parts of A
// and B go through LDS, so the block, and not each of its waves, reads an element from memory once.
// Read gemm_naive first. What is different:
//
//  - A tiled mma: several instructions for each wave, several waves, one object.
//  - Two sets of layouts for A and B: one by which 256 threads fetch a tile, 16 bytes at a time,
//    and one by which lanes read the operands of their matrix instructions.
//  - While the waves multiply a tile, the next one is being loaded into registers.
//  - mfma_adaptor_swap_ab: a lane has four neighbours in a row of D, and stores them at once.
#include "common/gemm_host.hpp"
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

namespace {

using opus::bf16_t;
using opus::fp16_t;
using opus::fp32_t;

constexpr int threads = 256;

// size x size elements of D, `k` of A and B at a time. A tile of A takes the same number of bytes
// for both sizes.
template <int Size, int K>
struct block_tile {
    static constexpr int size = Size;
    static constexpr int k = K;
    static constexpr int repeats = size / 64;  // 32 x 32 instructions of a wave along M and N

    // Rows in LDS are padded by 16 bytes. For a matrix instruction lane l reads 16 bytes of row l
    // % 32. LDS serves such reads in phases of 8 lanes (32 banks, gfx942) or 16 lanes (64 banks,
    // gfx950), so in a phase each of the 8 or 16 groups of 4 banks can serve one lane's 16 bytes.
    // If rows had 128 or 256 bytes, all lanes would access the same group. With 16 bytes more, row
    // r is in group r % 8 (r % 16), and the rows of each phase are all different modulo that.
    // Writes are in phases of 8 lanes, which here write 128 bytes of one row.
    // op_tests/examples/gemm_block_kernel.hip computes the banks of every access.
    static constexpr int pitch = k + 8;  // elements

    // How the threads fetch a tile: each one 16 bytes of every `rows`-th row.
    static constexpr int threads_k = k / 8;
    static constexpr int rows = threads / threads_k;

    // For a matrix, or for LDS, with rows of `stride` elements. `vec` is 8, or 1 if rows do not
    // begin at multiples of 16 bytes.
    template <class Stride>
    OPUS_H_D static constexpr auto bring_layout(Stride stride, int thread) {
        using namespace opus;
        using opus::operator""_I;
        return make_layout(
            make_tuple(number<size / rows>{}, number<rows>{}, number<threads_k>{}, 8_I),
            make_tuple(number<rows>{} * stride, stride, 8_I, 1_I),
            make_tuple(_, thread / threads_k, thread % threads_k, _));
    }
};

template <class T, class Tile>
OPUS_H_D constexpr auto make_block_mma() {
    using opus::seq;
    return opus::make_tiled_mma<T, T, fp32_t>(seq<Tile::repeats, Tile::repeats, Tile::k / 16>{},
                                              seq<2, 2, 1>{}, seq<32, 32, 16>{},
                                              opus::mfma_adaptor_swap_ab{});
}

// `vec_k` elements of a row of A or B are loaded at once, 8 or 1, and `vec_n` of C and D, 4 or 1:
// rows must begin at multiples of that many elements.
// Grid: (blocks along N, blocks along M), 256 threads.
template <class T, class Out, class Tile, int vec_k, int vec_n>
__global__ __launch_bounds__(threads) void gemm_block_kernel(const T* ptr_a, const T* ptr_b,
                                                             const Out* ptr_c, Out* ptr_d, int m,
                                                             int n, int k, float alpha,
                                                             float beta) {
    using namespace opus;
    using opus::operator""_I;
    static_assert(sizeof(T) == 2, "gemm_block: f16 or bf16");
    constexpr int pitch = Tile::pitch;
    __shared__ __attribute__((aligned(16))) T lds_a[Tile::size * pitch];
    __shared__ __attribute__((aligned(16))) T lds_b[Tile::size * pitch];

    const int thread = thread_id_x();
    const int place = scalar_wave(thread);  // the same; the wave's part is in a scalar register
    const int row = block_id_y() * Tile::size;
    const int col = block_id_x() * Tile::size;
    const int rows = m - row < Tile::size ? m - row : Tile::size;
    const int cols = n - col < Tile::size ? n - col : Tile::size;

    // As in gemm_naive, the buffers end with the last row of the matrix: rows beyond it read as 0.
    const auto g_a = make_gmem(ptr_a + static_cast<long_index_t>(row) * k,
                               static_cast<unsigned>(rows * k) * sizeof(T));
    const auto g_b = make_gmem(ptr_b + static_cast<long_index_t>(col) * k,
                               static_cast<unsigned>(cols * k) * sizeof(T));

    const auto s_a = make_smem(lds_a);
    const auto s_b = make_smem(lds_b);
    const auto u_memory = Tile::bring_layout(k, thread);
    const auto u_lds = Tile::bring_layout(number<pitch>{}, thread);

    const auto mma = make_block_mma<T, Tile>();
    const auto stride = make_tuple(number<pitch>{}, 1_I);
    const auto u_a = partition_layout_a(mma, stride, place);
    const auto u_b = partition_layout_b(mma, stride, place);

    // If K is not a multiple of a tile, the first tile is the short one. What follows the end of
    // its rows belongs to the next row and must not be loaded. So the loop has no special case.
    const int first_k = (k - 1) % Tile::k + 1;
    const auto in_row = [&](auto, auto i) {
        return thread % Tile::threads_k * 8 + i * vec_k < first_k;
    };
    auto next_a = g_a.template load_if<vec_k>(in_row, u_memory);
    auto next_b = g_b.template load_if<vec_k>(in_row, u_memory);

    typename remove_cv_t<decltype(mma)>::vtype_c acc;
    clear(acc);
    for (int i = first_k;; i += Tile::k) {
        lds_barrier();  // all waves have read the tile before
        s_a.template store<8>(next_a, u_lds);
        s_b.template store<8>(next_b, u_lds);
        lds_barrier();
        if (i != k) {  // arrives while the tile in LDS is multiplied; i goes into a scalar offset
            next_a = g_a.template load<vec_k>(u_memory, i);
            next_b = g_b.template load<vec_k>(u_memory, i);
        }
        acc = mma(s_a.template load<8>(u_a), s_b.template load<8>(u_b), acc);
        if (i == k) {
            break;
        }
    }
    settle(acc);

    // Rows past M are outside the buffers; a column past N would lie in the next row.
    const auto at = static_cast<long_index_t>(row) * n + col;
    const unsigned bytes = static_cast<unsigned>(rows * n - col) * unsigned{sizeof(Out)};
    const auto u_d = partition_layout_c(mma, make_tuple(n, 1_I), place);
    const auto in_matrix = within(tile_coordinates_c(mma, place), _, cols);
    auto sum = acc * alpha;
    if (beta != 0) {
        const auto g_c = make_gmem(ptr_c + at, bytes);
        sum += cast<fp32_t>(g_c.template load_if<vec_n>(in_matrix, u_d)) * beta;
    }
    const auto g_d = make_gmem(ptr_d + at, bytes);
    if constexpr (is_same_v<Out, bf16_t>) {
        g_d.template store_if<vec_n>(in_matrix, cast<bf16_t>(sum, 0_I), u_d);  // to nearest even
    } else {
        g_d.template store_if<vec_n>(in_matrix, cast<Out>(sum), u_d);
    }
}

int requested_size = 0;  // --tile; 0: by the size of D

// Large blocks read less: each element that a block of 128 x 128 loads takes part in 128 products.
// But a small D has so few large blocks that a part of the device would be idle. So blocks are
// large if each compute unit gets one.
int block_size(int m, int n) {
    if (requested_size != 0) {
        return requested_size;
    }
    const long long blocks = static_cast<long long>((m + 127) / 128) * ((n + 127) / 128);
    return blocks >= examples::compute_units() ? 128 : 64;
}

template <class T, class Out, class Tile>
examples::gemm_result gemm_block(const examples::gemm_problem& p) {
    const auto a = examples::device_values<T>(p.a, p.batch * p.m, p.k, p.k);
    const auto b = examples::device_values<T>(p.b, p.batch * p.n, p.k, p.k);
    examples::device_buffer<Out> c(p.c.empty() ? std::vector<Out>(1) : examples::to<Out>(p.c));
    examples::device_buffer<Out> d(static_cast<std::size_t>(p.m) * static_cast<std::size_t>(p.n));
    d.fill_unwritten(0xff);  // NaN: an element that no lane writes is seen

    const auto blocks = [](int extent) {
        return static_cast<unsigned>((extent + Tile::size - 1) / Tile::size);
    };
    constexpr bool every = !OPUS_EXAMPLES_SMALL;  // otherwise each width for one of the types
    constexpr int vec_n = every || opus::is_same_v<T, fp16_t> ? 4 : 1;
    constexpr int vec_k = every || (vec_n == 4 && opus::is_same_v<Out, fp32_t>) ? 8 : 1;
    const bool wide_k = p.k % 8 == 0;
    const bool wide_n = p.n % 4 == 0;
    const auto kernel = wide_k ? (wide_n ? gemm_block_kernel<T, Out, Tile, vec_k, vec_n>
                                         : gemm_block_kernel<T, Out, Tile, vec_k, 1>)
                               : (wide_n ? gemm_block_kernel<T, Out, Tile, 1, vec_n>
                                         : gemm_block_kernel<T, Out, Tile, 1, 1>);
    const double time = examples::time_launches(p.iters, "gemm_block", [&] {
        kernel<<<dim3(blocks(p.n), blocks(p.m)), threads>>>(
            a.data(), b.data(), c.data(), d.data(), p.m, p.n, p.k, static_cast<float>(p.alpha),
            static_cast<float>(p.beta));
    });
    return {d.result(), time};
}

template <class T>
examples::gemm_result gemm_block(const examples::gemm_problem& p) {
    const auto run = [&](auto out) {
        using Out = decltype(out);
        return block_size(p.m, p.n) == 128 ? gemm_block<T, Out, block_tile<128, 64>>(p)
                                           : gemm_block<T, Out, block_tile<64, 128>>(p);
    };
    return p.out_type == examples::element::f32   ? run(fp32_t{})
           : p.out_type == examples::element::f16 ? run(fp16_t{})
                                                  : run(bf16_t{});
}

}  // namespace

int main(int argc, char** argv) {
    using examples::element;
    examples::gemm_example e;
    e.description = "2 x 2 waves for each block of D; tiles of A and B in LDS";
    e.types = {element::f16, element::bf16};
    e.out_types = {element::f32, element::f16, element::bf16};
    e.alpha_beta = true;
    e.may_repeat = true;
    e.add_options = [&](CLI::App& app) {
        examples::add_one_of(app, "--tile", requested_size, {128, 64}, "elements",
                             "Rows and columns of a block (128 if that fills the device)");
    };
    return examples::gemm_main(argc, argv, e, [](const examples::gemm_problem& p) {
        return p.type == element::bf16 ? gemm_block<bf16_t>(p) : gemm_block<fp16_t>(p);
    });
}
