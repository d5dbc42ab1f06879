// SPDX-License-Identifier: MIT
//
// gemm_naive: C[M, N] = A[M, K] * B[N, K]^T with one wave per 32 x 32 tile of C, f16 in, f32 out,
// for any M, N and K. Every wave reads its operands straight from global memory: no LDS, no second
// buffer. It shows how the parts of opus fit together.
#include "common/gemm_host.hpp"
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

namespace {

using opus::fp16_t;
using opus::fp32_t;

constexpr int tile = 32;  // rows and columns of C that one wave computes

// `vec` is the number of elements of one load along K. A load of four f16 needs a row pitch that is
// a multiple of four elements; otherwise rows begin at odd multiples of two bytes, where the
// hardware cannot load more than one element.
// Grid: (tiles along N, tiles along M), 64 threads.
template <int vec>
__global__ __launch_bounds__(64) void gemm_naive_kernel(const fp16_t* ptr_a, const fp16_t* ptr_b,
                                                        fp32_t* ptr_c, int m, int n, int k) {
    using opus::operator""_I;

    const int thread = static_cast<int>(threadIdx.x);
    const int row = static_cast<int>(blockIdx.y) * tile;
    const int col = static_cast<int>(blockIdx.x) * tile;
    const int rows = m - row < tile ? m - row : tile;
    const int cols = n - col < tile ? n - col : tile;

    // One matrix instruction: 32 x 32 x 8. The object that issues it knows where each lane's
    // elements are in A, B and C.
    auto mma = opus::make_mfma<fp16_t, fp16_t, fp32_t>(32_I, 32_I, 8_I);

    // The three operands as buffers that begin at this tile and end with the last row of the
    // matrix: reads beyond that give 0, and writes there are dropped. So no row needs a check.
    auto g_a = opus::make_gmem(ptr_a + static_cast<opus::long_index_t>(row) * k,
                               static_cast<unsigned>(rows * k) * sizeof(fp16_t));
    auto g_b = opus::make_gmem(ptr_b + static_cast<opus::long_index_t>(col) * k,
                               static_cast<unsigned>(cols * k) * sizeof(fp16_t));
    auto g_c = opus::make_gmem(ptr_c + static_cast<opus::long_index_t>(row) * n + col,
                               static_cast<unsigned>(rows * n - col) * sizeof(fp32_t));

    // Offsets of this thread's elements, by the strides of the matrix. By hand, the first of u_a
    // would be
    //     (thread % 32) * k + (thread / 32) * 4
    // (the row, and the group of 4 along K), and g_a.load<4>(that offset) would be the same load.
    auto u_a = opus::partition_layout_a(mma, opus::make_tuple(k, 1_I), thread);
    auto u_b = opus::partition_layout_b(mma, opus::make_tuple(k, 1_I), thread);
    auto u_c = opus::partition_layout_c(mma, opus::make_tuple(n, 1_I), thread);

    typename decltype(mma)::vtype_c c;
    opus::clear(c);
    for (int i = 0; i < k / mma.wave_k; ++i) {
        auto a = g_a.load<vec>(u_a);
        auto b = g_b.load<vec>(u_b);
        c = mma(a, b, c);
        u_a += mma.wave_k;
        u_b += mma.wave_k;
    }

    // The last step if K is not a multiple of 8. Behind the end of a row lies the next row, not the
    // end of the buffer. So only the first k_rest columns may be loaded; the others count as 0. The
    // coordinates say where in the tile each element lies.
    const int k_rest = k % mma.wave_k;
    if (k_rest != 0) {
        auto in_a = opus::within(opus::tile_coordinates_a(mma, thread), opus::_, k_rest);
        auto in_b = opus::within(opus::tile_coordinates_b(mma, thread), opus::_, k_rest);
        auto a = g_a.load_if<vec>(in_a, u_a);
        auto b = g_b.load_if<vec>(in_b, u_b);
        c = mma(a, b, c);
    }
    opus::settle(c);  // where these paths meet, the compiler may leave wait states out

    // A column past N would lie in the next row.
    g_c.store_if<1>(opus::within(opus::tile_coordinates_c(mma, thread), opus::_, cols), c, u_c);
}

examples::gemm_result gemm_naive(const examples::gemm_problem& p) {
    const auto a = examples::device_values<fp16_t>(p.a, p.batch * p.m, p.k, p.k);
    const auto b = examples::device_values<fp16_t>(p.b, p.batch * p.n, p.k, p.k);
    examples::device_buffer<float> c(static_cast<std::size_t>(p.m) * static_cast<std::size_t>(p.n));
    c.fill_unwritten(0xff);  // NaN: an element that no lane writes is seen

    const auto tiles = [](int extent) { return static_cast<unsigned>((extent + tile - 1) / tile); };
    const auto kernel = p.k % 4 == 0 ? gemm_naive_kernel<4> : gemm_naive_kernel<1>;
    const double time = examples::time_launches(p.iters, "gemm_naive", [&] {
        kernel<<<dim3(tiles(p.n), tiles(p.m)), 64>>>(a.data(), b.data(), c.data(), p.m, p.n, p.k);
    });
    return {c.result(), time};
}

}  // namespace

int main(int argc, char** argv) {
    examples::gemm_example e;
    e.description = "f16 in, f32 out; one wave for each 32 x 32 elements of C";
    e.may_repeat = true;
    return examples::gemm_main(argc, argv, e, gemm_naive);
}
