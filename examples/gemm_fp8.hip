// SPDX-License-Identifier: MIT
//
// gemm_fp8: C[M, N] = A[M, K] * B[N, K]^T with fp8 in and f32 or bf16 out, for any M, N and K. The
// host quantises f32 matrices; what each code counts is in scales, in one of two ways (--scales):
//
//   tensor   one f32 for A and one for B. They are factors of the whole product.
//   block    an f32 for each 1 x 128 of A and each 128 x 128 of B. Then the scales change along K:
//            the product of 128 k is a sum by itself, which is scaled and added to the others.
//
// Read gemm_block first; the way through LDS is the same. fp8_t is what the target has: E4M3 of OCP
// on gfx950, and on gfx942 the FNUZ variant, whose codes stand for half of the values.
#include <algorithm>
#include <cmath>

#include "common/gemm_host.hpp"
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

namespace {

using opus::bf16_t;
using opus::fp32_t;
using opus::fp8_t;

constexpr int threads = 256;
constexpr int size = 128;        // rows and columns of C that a workgroup computes
constexpr int block_k = 128;     // of A and B at a time: what one scale is for
constexpr int pitch = 128 + 16;  // bytes of a row in LDS; gemm_block says why there are 16 more
constexpr int threads_k = block_k / 16;
constexpr int tile_rows = threads / threads_k;  // that the threads bring at once

// For a matrix, or for LDS, with rows of `stride` bytes.
template <class Stride>
OPUS_H_D constexpr auto bring_layout(Stride stride, int thread) {
    using namespace opus;
    using opus::operator""_I;
    return make_layout(
        make_tuple(number<size / tile_rows>{}, number<tile_rows>{}, number<threads_k>{}, 16_I),
        make_tuple(number<tile_rows>{} * stride, stride, 16_I, 1_I),
        make_tuple(_, thread / threads_k, thread % threads_k, _));
}

// A lane holds 32 elements along K for an instruction, in two runs of 16 bytes. On gfx950 that is
// one instruction of 32 x 32 x 64, on gfx942 four of 32 x 32 x 16: the layout is the same.
OPUS_H_D constexpr auto make_block_mma() {
    using opus::seq;
    return opus::make_tiled_mma<fp8_t, fp8_t, fp32_t>(
        seq<2, 2, block_k / 64>{}, seq<2, 2, 1>{}, seq<32, 32, 64>{}, opus::mfma_adaptor_swap_ab{});
}

// Rows of A and B have k elements, the last of them zeros where K is not a multiple of 128.
// Scales, block: of A m rows of k / 128, of B ceil(n / 128) rows of k / 128. Tensor: one each.
// `vec_n` elements of C are stored at once, 4 or 1: rows must begin at multiples of so many.
// Grid: (blocks along N, blocks along M), 256 threads.
// @pre k is a multiple of 128
template <bool block_scales, class Out, int vec_n>
__global__ __launch_bounds__(threads) void gemm_fp8_kernel(const fp8_t* ptr_a, const fp8_t* ptr_b,
                                                           const float* scales_a,
                                                           const float* __restrict scales_b,
                                                           Out* ptr_c, int m, int n, int k) {
    using namespace opus;
    using opus::operator""_I;
    __shared__ __attribute__((aligned(16))) fp8_t lds_a[size * pitch];
    __shared__ __attribute__((aligned(16))) fp8_t lds_b[size * pitch];

    const int thread = thread_id_x();
    const int lane = thread % 64;
    const int wave = readfirstlane(thread / 64);  // in a scalar register
    const int wave_m = wave / 2;
    const int wave_n = wave % 2;
    const int row = block_id_y() * size;
    const int col = block_id_x() * size;
    const int rows = m - row < size ? m - row : size;
    const int cols = n - col < size ? n - col : size;

    const auto g_a =
        make_gmem(ptr_a + static_cast<long_index_t>(row) * k, static_cast<unsigned>(rows * k));
    const auto g_b =
        make_gmem(ptr_b + static_cast<long_index_t>(col) * k, static_cast<unsigned>(cols * k));
    const auto s_a = make_smem(lds_a);
    const auto s_b = make_smem(lds_b);
    const auto u_memory = bring_layout(k, thread);
    const auto u_lds = bring_layout(number<pitch>{}, thread);

    const auto mma = make_block_mma();
    using sum_t = typename remove_cv_t<decltype(mma)>::vtype_c;
    const auto stride = make_tuple(number<pitch>{}, 1_I);
    const auto u_a = partition_layout_a(mma, stride, make_tuple(wave_m, lane % 32, 0_I, lane / 32));
    const auto u_b = partition_layout_b(mma, stride, make_tuple(wave_n, lane % 32, 0_I, lane / 32));

    // swap_ab puts a row of C into one lane, so that a lane needs the scales of two rows of A (one
    // for each repeat along M) and one of B, as a block has one for all its 128 columns.
    const int k_blocks = k / block_k;
    const auto g_scales = make_gmem(scales_a + static_cast<long_index_t>(row) * k_blocks,
                                    static_cast<unsigned>(rows * k_blocks) * 4u);
    const auto u_scales =
        make_layout(make_tuple(2_I, 64_I, 1_I), make_tuple(64_I * k_blocks, k_blocks, 1_I),
                    make_tuple(_, wave_m * 32 + lane % 32, _));
    const float* const block_scales_b =
        scales_b + static_cast<long_index_t>(block_id_x()) * k_blocks;

    auto next_a = g_a.template load<16>(u_memory);
    auto next_b = g_b.template load<16>(u_memory);
    sum_t acc;
    clear(acc);
    for (int i = 0;;) {
        sync_threads();  // all waves have read the tile before
        s_a.template store<16>(next_a, u_lds);
        s_b.template store<16>(next_b, u_lds);
        sync_threads();
        const int block = i / block_k;
        i += block_k;
        if (i != k) {  // arrives while the tile in LDS is multiplied
            next_a = g_a.template load<16>(u_memory, i);
            next_b = g_b.template load<16>(u_memory, i);
        }
        if constexpr (block_scales) {
            const auto of_a = g_scales.template load<1>(u_scales, block);
            const float of_b = block_scales_b[block];
            const sum_t sum = mma(s_a.template load<16>(u_a), s_b.template load<16>(u_b));
            static_for<2>([&](auto repeat) {
                constexpr int half = mma.tile_c_len / 2;
                const auto begin = number<repeat.value * half>{};
                const auto end = number<(repeat.value + 1) * half>{};
                const float scale = of_a[repeat.value] * of_b;
                set_slice(acc, slice(acc, begin, end) + slice(sum, begin, end) * scale, begin, end);
            });
        } else {
            acc = mma(s_a.template load<16>(u_a), s_b.template load<16>(u_b), acc);
        }
        if (i == k) {
            break;
        }
    }
    if constexpr (!block_scales) {
        acc = acc * (scales_a[0] * scales_b[0]);
    }

    // A lane has one row of each 32 x 32 tile, in four groups of four columns, 8 apart.
    const auto u_c = partition_layout_c(mma, make_tuple(n, 1_I),
                                        make_tuple(wave_m, lane % 32, wave_n, lane / 32));
    const int lane_col = wave_n * 32 + lane / 32 * 4;
    const auto in_matrix = [&](auto, auto tile, auto group, auto i) {
        return tile * 64 + group * 8 + i * vec_n + lane_col < cols;
    };
    const auto g_c = make_gmem(ptr_c + static_cast<long_index_t>(row) * n + col,
                               static_cast<unsigned>(rows * n - col) * unsigned{sizeof(Out)});
    if constexpr (is_same_v<Out, bf16_t>) {
        g_c.template store_if<vec_n>(in_matrix, cast<bf16_t>(acc, 0_I), u_c);  // to nearest even
    } else {
        g_c.template store_if<vec_n>(in_matrix, acc, u_c);
    }
}

// The largest fp8 of the device, which only the device's compiler knows: 448 (OCP) or 240 (FNUZ).
__global__ void largest_fp8_kernel(float* largest) {
    *largest = opus::cast<float>(opus::numeric_limits<fp8_t>::max());
}

bool device_has_fnuz() {
    examples::device_buffer<float> largest(1);
    largest.fill_bytes(0);
    largest_fp8_kernel<<<1, 1>>>(largest.data());
    examples::check(hipGetLastError(), "the launch of largest_fp8");
    examples::check(hipDeviceSynchronize(), "hipDeviceSynchronize");
    const float value = largest.to_host()[0];
    if (value != 448 && value != 240) {
        throw examples::device_error("the device's fp8 ends at " + std::to_string(value) +
                                     ", 448 or 240 was expected");
    }
    return value == 240;
}

struct quantised {
    std::vector<fp8_t> codes;   // rows of k rounded up to a multiple of 128
    std::vector<float> scales;  // one for each block, row-major
};

int padded(int k) {
    return (k + block_k - 1) / block_k * block_k;
}

// Replaces the rows x k values, which are f32, by what is left of them: code times scale, exactly.
// A block is block_rows x block_columns.
//
// The host's fp8 is that of OCP, up to 448. In FNUZ each code is half of that, but that code 0x80
// is NaN instead of -0, so it is converted as the double of the value, and up to 224. (The code for
// FNUZ's largest, 240, is NaN in OCP, and is not used.)
quantised quantise(std::vector<double>& values, int rows, int k, int block_rows, int block_columns,
                   bool fnuz) {
    constexpr float largest = 448;
    const float factor = fnuz ? 2 : 1;
    const auto index = [](int row, int columns, int column) {
        return static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) +
               static_cast<std::size_t>(column);
    };
    quantised result;
    result.codes.resize(index(rows, padded(k), 0));
    for (int row = 0; row < rows; row += block_rows) {
        for (int column = 0; column < k; column += block_columns) {
            const int row_end = std::min(rows - row, block_rows) + row;
            const int column_end = std::min(k - column, block_columns) + column;
            const auto for_each = [&](auto f) {
                for (int i = row; i < row_end; ++i) {
                    for (int j = column; j < column_end; ++j) {
                        f(values[index(i, k, j)], result.codes[index(i, padded(k), j)]);
                    }
                }
            };
            float magnitude = 0;
            for_each([&](double x, fp8_t) {
                magnitude = std::max(magnitude, std::fabs(static_cast<float>(x)));
            });
            const float scale = std::max(magnitude / (largest / factor), 0x1p-126f);
            for_each([&](double& x, fp8_t& code) {
                code = opus::fp32_to_fp8(
                    std::clamp(static_cast<float>(x) / scale * factor, -largest, largest));
                const float decoded = opus::fp8_to_fp32(code);
                if (decoded == 0) {
                    code = fp8_t{0};  // not -0
                }
                x = static_cast<double>(decoded / factor) * static_cast<double>(scale);
            });
            result.scales.push_back(scale);
        }
    }
    return result;
}

template <bool block_scales, class Out>
examples::gemm_result gemm_fp8(const examples::gemm_problem& p, const quantised& a,
                               const quantised& b) {
    examples::device_buffer<fp8_t> d_a(a.codes);
    examples::device_buffer<fp8_t> d_b(b.codes);
    examples::device_buffer<float> d_scales_a(a.scales);
    examples::device_buffer<float> d_scales_b(b.scales);
    examples::device_buffer<Out> c(static_cast<std::size_t>(p.m) * static_cast<std::size_t>(p.n));
    c.fill_bytes(0xff);  // NaN: an element that no lane writes is seen
    const auto blocks = [](int extent) {
        return static_cast<unsigned>((extent + size - 1) / size);
    };
    const auto kernel = p.n % 4 == 0 ? gemm_fp8_kernel<block_scales, Out, 4>
                                     : gemm_fp8_kernel<block_scales, Out, 1>;
    const double time = examples::time_launches(p.iters, "gemm_fp8", [&] {
        kernel<<<dim3(blocks(p.n), blocks(p.m)), threads>>>(d_a.data(), d_b.data(),
                                                            d_scales_a.data(), d_scales_b.data(),
                                                            c.data(), p.m, p.n, padded(p.k));
    });
    return {c.to_host(), time};
}

}  // namespace

int main(int argc, char** argv) {
    using examples::element;
    examples::gemm_example e;
    e.description = "A and B are quantised to fp8 with scales first";
    e.types = {element::f32};
    e.out_types = {element::f32, element::bf16};
    const std::vector<std::string> scales_names{"tensor", "block"};
    std::optional<std::string> scales;
    e.add_options = [&](CLI::App& app) {
        examples::add_option(
            app, "--scales", scales, examples::names_type(scales_names),
            "One for each matrix, or for 1 x 128 of A and 128 x 128 of B (tensor)");
    };
    quantised a;
    quantised b;
    bool blocks = false;
    e.prepare = [&](examples::gemm_problem& p) {
        blocks = scales && examples::parse_name("--scales", *scales, scales_names) == 1;
        const bool fnuz = device_has_fnuz();
        a = quantise(p.a, p.m, p.k, blocks ? 1 : p.m, blocks ? block_k : p.k, fnuz);
        b = quantise(p.b, p.n, p.k, blocks ? block_k : p.n, blocks ? block_k : p.k, fnuz);
        // A product of codes is exact in f32, so that the rest of the error is that of scaling: the
        // product of the scales is rounded in the kernel, and so is its product with a sum, each to
        // nearest.
        p.product_error = 1;
        p.operand_bytes =
            (static_cast<double>(p.m) + p.n) * p.k +
            4.0 * (static_cast<double>(a.scales.size()) + static_cast<double>(b.scales.size()));
        p.peak = &examples::machine_peaks::fp8;
    };
    return examples::gemm_main(argc, argv, e, [&](const examples::gemm_problem& p) {
        return blocks ? (p.out_type == element::f32 ? gemm_fp8<true, fp32_t>(p, a, b)
                                                    : gemm_fp8<true, bf16_t>(p, a, b))
                      : (p.out_type == element::f32 ? gemm_fp8<false, fp32_t>(p, a, b)
                                                    : gemm_fp8<false, bf16_t>(p, a, b));
    });
}
