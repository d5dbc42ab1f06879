// SPDX-License-Identifier: MIT
//
// gemm_mx: C[M, N] = A[M, K] * B[N, K]^T with MXFP8, MXFP6 or MXFP4 in and f32 or bf16 out, for any
// M and N and K a multiple of 32. In these formats of the OCP microscaling (MX) specification 32
// elements along K share a scale, E8M0, which is a power of two. gfx950 has matrix instructions
// that multiply by the scales; gfx942 has none, and there this example ends with status 2.
//
// The host quantises f32 matrices. Memory has the elements of a row one after the other, packed
// from the lowest bits up (four of 6 bits in three bytes), and the scales in a matrix of their own.
//
// Waves read straight from global memory here, as in gemm_naive, so that what is particular to MX
// is not hidden; gemm_block shows the way through LDS.
#include <algorithm>
#include <cmath>

#include "common/gemm_host.hpp"
#include "opus/hip_minimal.hpp"
#include "opus/opus.hpp"

namespace {

using opus::bf16_t;
using opus::fp32_t;
using opus::u8_t;

constexpr int threads = 256;
constexpr int size = 128;    // rows and columns of C that a workgroup of 2 x 2 waves computes
constexpr int step_k = 128;  // of a round of the loop; rows are filled up to that with zeros
constexpr int scale_k = 32;  // elements that share a scale

// Whether the target has the instructions, which its compiler knows.
constexpr bool has_scales = opus::mfma<opus::fp4_t, opus::fp4_t, fp32_t, 32, 32, 64>::has_scales;

template <class T>
OPUS_H_D constexpr auto make_block_mma() {
    using opus::seq;
    return opus::make_tiled_mma<T, T, fp32_t>(seq<2, 2, step_k / 64>{}, seq<2, 2, 1>{},
                                              seq<32, 32, 64>{}, opus::mfma_adaptor_swap_ab{});
}

// Rows of A and B have k elements T, and k / 32 scales.
// `vec_n` elements of C are stored at once, 4 or 1: rows must begin at multiples of so many.
// Grid: (blocks along N, blocks along M), 256 threads.
// @pre k is a multiple of 128
template <class T, class Out, int vec_n>
__global__ __launch_bounds__(threads) void gemm_mx_kernel(const T* ptr_a, const T* ptr_b,
                                                          const u8_t* scales_a,
                                                          const u8_t* scales_b, Out* ptr_c, int m,
                                                          int n, int k) {
    using namespace opus;
    using opus::operator""_I;
    const auto mma = make_block_mma<T>();
    using mma_t = remove_cv_t<decltype(mma)>;
    if constexpr (has_scales) {  // elsewhere the host does not launch it
        const int lane = thread_id_x() % 64;
        const int wave = readfirstlane(thread_id_x() / 64);  // in a scalar register
        const int wave_m = wave / 2;
        const int wave_n = wave % 2;
        const int row = block_id_y() * size;
        const int col = block_id_x() * size;
        const int rows = m - row < size ? m - row : size;
        const int cols = n - col < size ? n - col : size;

        // Offsets of gmem<T> and strides count elements, also where they are no whole bytes; a
        // pointer steps over whole bytes. As in gemm_naive the buffers end with the last row.
        const auto operand = [&](const T* p, int first, int count) {
            const auto bytes = [&](int of_rows) {
                return static_cast<long_index_t>(of_rows) * k * sizeof_bits_v<T> / 8;
            };
            const auto* const begin = reinterpret_cast<const u8_t*>(p) + bytes(first);
            return make_gmem(reinterpret_cast<const T*>(begin),
                             static_cast<unsigned>(bytes(count)));
        };
        const auto g_a = operand(ptr_a, row, rows);
        const auto g_b = operand(ptr_b, col, cols);
        const auto stride = make_tuple(k, 1_I);
        const auto u_a =
            partition_layout_a(mma, stride, make_tuple(wave_m, lane % 32, 0_I, lane / 32));
        const auto u_b =
            partition_layout_b(mma, stride, make_tuple(wave_n, lane % 32, 0_I, lane / 32));

        // Scales. Lane l has to bring that of row l % 32 and the (l / 32)-th 32 of the 64 k of an
        // instruction, whatever it holds of the operand. A round has four scales of each row, one
        // dword:
        //
        //     byte          0     1     2     3
        //     k             0-31  32-63 64-95 96-127
        //     instruction   first       second
        //     lanes         0-31  32-63 0-31  32-63
        //
        // Shifted right by 8 bits in the lanes 32 to 63, the word has the lane's scale in byte 0
        // for the first instruction, and in byte 2 for the second: that is what `sel` chooses.
        const auto scale_words = [&](const u8_t* p, int first, int count) {
            const int of_row = k / step_k;
            const auto* const words = reinterpret_cast<const u32_t*>(p);
            return make_gmem(words + static_cast<long_index_t>(first) * of_row,
                             static_cast<unsigned>(count * of_row) * 4u);
        };
        const auto scale_layout = [&](int part) {
            const int of_row = k / step_k;
            return make_layout(make_tuple(2_I, 64_I, 1_I), make_tuple(64_I * of_row, of_row, 1_I),
                               make_tuple(_, part * 32 + lane % 32, _));
        };
        const auto g_scales_a = scale_words(scales_a, row, rows);
        const auto g_scales_b = scale_words(scales_b, col, cols);
        const auto u_scales_a = scale_layout(wave_m);
        const auto u_scales_b = scale_layout(wave_n);
        const auto of_lane = [&](auto words) {
            // In register order, as the tiled mma takes scales: for each repeat along M (or N), one
            // for each instruction along K. Both use the same word.
            const int shift = lane / 32 * 8;
            const auto word = [&](auto i) { return static_cast<i32_t>(words[i] >> shift); };
            return array<i32_t, 4>{word(0), word(0), word(1), word(1)};
        };

        typename mma_t::vtype_c acc;
        clear(acc);
        for (int i = 0; i < k; i += step_k) {
            const auto a = g_a.template load<mma_t::pack_a>(u_a, i);
            const auto b = g_b.template load<mma_t::pack_b>(u_b, i);
            const auto scale_a = of_lane(g_scales_a.template load<1>(u_scales_a, i / step_k));
            const auto scale_b = of_lane(g_scales_b.template load<1>(u_scales_b, i / step_k));
            acc = mma.step_k(0_I, a, b, acc, scale_a, scale_b, 0_I, 0_I);
            acc = mma.step_k(1_I, a, b, acc, scale_a, scale_b, 2_I, 2_I);
        }

        // A lane has one row of each 32 x 32 tile, in four groups of four columns, 8 apart.
        const auto u_c = partition_layout_c(mma, make_tuple(n, 1_I),
                                            make_tuple(wave_m, lane % 32, wave_n, lane / 32));
        const int lane_col = wave_n * 32 + lane / 32 * 4;
        const auto in_matrix = [&](auto, auto tile, auto group, auto j) {
            return tile * 64 + group * 8 + j * vec_n + lane_col < cols;
        };
        const auto g_c = make_gmem(ptr_c + static_cast<long_index_t>(row) * n + col,
                                   static_cast<unsigned>(rows * n - col) * unsigned{sizeof(Out)});
        if constexpr (is_same_v<Out, bf16_t>) {
            g_c.template store_if<vec_n>(in_matrix, cast<bf16_t>(acc, 0_I), u_c);
        } else {
            g_c.template store_if<vec_n>(in_matrix, acc, u_c);
        }
    } else {
        __builtin_trap();
    }
}

__global__ void has_scales_kernel(int* result) {
    *result = has_scales;
}

bool device_has_scales() {
    examples::device_buffer<int> result(1);
    result.fill_bytes(0);
    has_scales_kernel<<<1, 1>>>(result.data());
    examples::check(hipGetLastError(), "the launch of has_scales");
    examples::check(hipDeviceSynchronize(), "hipDeviceSynchronize");
    return result.to_host()[0] != 0;
}

struct quantised {
    std::vector<u8_t> codes;   // rows of k rounded up to a multiple of 128 elements
    std::vector<u8_t> scales;  // one for 32 of them
};

int padded(int k) {
    return (k + step_k - 1) / step_k * step_k;
}

// Replaces the rows x k values, which are f32, by what is left of them, as the MX specification
// (6.3) suggests: the scale makes the largest of 32 magnitudes have the largest exponent of T, so
// that the rest is rounded to nearest even, and saturates where that one has a larger mantissa than
// T's largest.
template <class T>
quantised quantise(std::vector<double>& values, int rows, int k) {
    const float largest = opus::finfo<T>::max();
    const int largest_exponent = std::ilogb(largest);
    constexpr std::size_t block_bytes = opus::packed_bytes_v<T, scale_k>;
    const int blocks = padded(k) / scale_k;
    quantised result;
    for (int row = 0; row < rows; ++row) {
        for (int block = 0; block < blocks; ++block) {
            const int count = std::clamp(k - block * scale_k, 0, scale_k);
            double* const x =
                count == 0 ? nullptr
                           : &values[static_cast<std::size_t>(row) * static_cast<std::size_t>(k) +
                                     static_cast<std::size_t>(block * scale_k)];
            double magnitude = 0;
            for (int i = 0; i < count; ++i) {
                magnitude = std::max(magnitude, std::fabs(x[i]));
            }
            const int exponent =
                magnitude == 0 ? 0 : std::max(std::ilogb(magnitude) - largest_exponent, -127);
            opus::array<float, scale_k> scaled;  // zeros beyond the end of the row
            for (int i = 0; i < count; ++i) {
                scaled[i] =
                    std::clamp(static_cast<float>(std::ldexp(x[i], -exponent)), -largest, largest);
            }
            const auto codes = opus::cast<T>(scaled);  // packed
            const auto decoded = opus::cast<fp32_t>(codes);
            for (int i = 0; i < count; ++i) {
                x[i] = std::ldexp(static_cast<double>(decoded[i]), exponent);
            }
            static_assert(sizeof(codes) == block_bytes);
            const auto* const bytes = reinterpret_cast<const u8_t*>(&codes);
            result.codes.insert(result.codes.end(), bytes, bytes + block_bytes);
            result.scales.push_back(static_cast<u8_t>(exponent + 127));
        }
    }
    return result;
}

template <class T, class Out>
examples::gemm_result gemm_mx(const examples::gemm_problem& p, const quantised& a,
                              const quantised& b) {
    examples::device_buffer<u8_t> d_a(a.codes);
    examples::device_buffer<u8_t> d_b(b.codes);
    examples::device_buffer<u8_t> d_scales_a(a.scales);
    examples::device_buffer<u8_t> d_scales_b(b.scales);
    examples::device_buffer<Out> c(static_cast<std::size_t>(p.m) * static_cast<std::size_t>(p.n));
    c.fill_bytes(0xff);  // NaN: an element that no lane writes is seen
    const auto blocks = [](int extent) {
        return static_cast<unsigned>((extent + size - 1) / size);
    };
    const auto kernel = p.n % 4 == 0 ? gemm_mx_kernel<T, Out, 4> : gemm_mx_kernel<T, Out, 1>;
    const double time = examples::time_launches(p.iters, "gemm_mx", [&] {
        kernel<<<dim3(blocks(p.n), blocks(p.m)), threads>>>(
            reinterpret_cast<const T*>(d_a.data()), reinterpret_cast<const T*>(d_b.data()),
            d_scales_a.data(), d_scales_b.data(), c.data(), p.m, p.n, padded(p.k));
    });
    return {c.to_host(), time};
}

struct format {
    const char* name;
    int bits;
    quantised (*quantise_matrix)(std::vector<double>&, int, int);
    examples::gemm_result (*to_f32)(const examples::gemm_problem&, const quantised&,
                                    const quantised&);
    examples::gemm_result (*to_bf16)(const examples::gemm_problem&, const quantised&,
                                     const quantised&);
};

template <class T>
constexpr format make_format(const char* name) {
    return {name, opus::sizeof_bits_v<T>, quantise<T>, gemm_mx<T, fp32_t>, gemm_mx<T, bf16_t>};
}

constexpr format formats[] = {make_format<opus::fp8_t>("fp8"), make_format<opus::bf8_t>("bf8"),
                              make_format<opus::fp6_t>("fp6"), make_format<opus::bf6_t>("bf6"),
                              make_format<opus::fp4_t>("fp4")};

}  // namespace

int main(int argc, char** argv) {
    using examples::element;
    examples::gemm_example e;
    e.description = "A and B are quantised to an MX format first; needs gfx950";
    e.types = {element::f32};
    e.out_types = {element::f32, element::bf16};
    std::vector<std::string> names;
    for (const format& f : formats) {
        names.emplace_back(f.name);
    }
    std::optional<std::string> name;
    e.add_options = [&](CLI::App& app) {
        examples::add_option(app, "--format", name, examples::names_type(names),
                             "E4M3, E5M2, E2M3, E3M2, E2M1 (fp4)");
    };
    const format* used = nullptr;
    quantised a;
    quantised b;
    e.prepare = [&](examples::gemm_problem& p) {
        used = &formats[examples::parse_name("--format", name.value_or("fp4"), names)];
        if (p.k % scale_k != 0) {
            throw examples::usage_error("K is " + std::to_string(p.k) +
                                        ": it must be a multiple of 32, which share a scale");
        }
        if (!device_has_scales()) {
            throw examples::usage_error("this device (" + examples::device_name() +
                                        ") has no matrix instructions with scales; gfx950 has");
        }
        a = used->quantise_matrix(p.a, p.m, p.k);
        b = used->quantise_matrix(p.b, p.n, p.k);
        // Scales are powers of two, so that scaling loses nothing.
        p.operand_bytes = (static_cast<double>(p.m) + p.n) * p.k * (used->bits + 8.0 / scale_k) / 8;
        p.peak = used->bits == 8 ? &examples::machine_peaks::fp8 : &examples::machine_peaks::fp4;
    };
    return examples::gemm_main(argc, argv, e, [&](const examples::gemm_problem& p) {
        return (p.out_type == element::f32 ? used->to_f32 : used->to_bf16)(p, a, b);
    });
}
