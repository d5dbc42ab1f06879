// SPDX-License-Identifier: MIT
//
// silu_mul_mxfp4: y[M, N] = silu(a[M, N]) * b[M, N] as MXFP4, codes of fp4 with a power of two for
// each 32 of them in a row: what stands between the two products of a feed-forward layer (a is the
// gate, b is up), fused with the quantisation of the second one's A for gemm_mxfp4. With --act none
// it quantises a itself.
//
// Memory is the limit, with 4 bytes to read and half of one to write for each y. Four lanes share a
// scale, so that a wave reads whole lines at once, and y is quantised from f32, without bf16 in
// between. gfx942 has no instruction that converts to fp4; there cast takes about 30 for each code.
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "common/program.hpp"
#include "gemm_mxfp4/mxfp4.hpp"
#include "opus/hip_minimal.hpp"
#include "opus/opus_plus.hpp"

namespace {

using examples::element;
using examples::step_k;
using examples::strip_rows;
using examples::word_k;
using opus::bf16_t;
using opus::fp32_t;
using opus::u32_t;
using opus::u8_t;

struct problem_on_device {
    const bf16_t* x;  // [m, pitch]: a row of a, and that of b behind it
    u8_t* codes;      // in the order of the kernels, or plain
    u8_t* scales;
    int m;
    int n;      // a multiple of 32
    int pitch;  // 2 n, or n without b
    int is_plain;
};

// Grid: (512 columns, strips of 16 rows), 256 threads. A wave has 16 rows and 128 columns, a lane 8
// of the columns and every fourth row.
template <bool is_silu>
__global__ __launch_bounds__(256) void silu_mul_mxfp4_kernel(problem_on_device p) {
    using namespace opus;
    using opus::operator""_I;
    using item = __type_pack_element<is_silu, bf16_t, fp32_t>;  // what is quantised
    constexpr int outside = 1 << 30;
    const int lane = thread_id_x() % 64;
    const int wave = readfirstlane(thread_id_x() / 64);
    const int strip = block_id_y();
    const int column = block_id_x() * word_k + wave * step_k + lane % 16 * 8;

    // Rows past m lie behind the end; columns past n would lie in b or the next row.
    const int rows = p.m - strip * strip_rows < strip_rows ? p.m - strip * strip_rows : strip_rows;
    const auto g_x = make_gmem(p.x + static_cast<long_index_t>(strip) * strip_rows * p.pitch,
                               static_cast<unsigned>(rows * p.pitch) * 2u);
    const int at = column < p.n ? lane / 16 * p.pitch + column : outside / 2;
    array<vector_t<item, 8>, 4> y;
    if constexpr (is_silu) {
        constexpr float log2_e = 1.44269504f;
        array<array<bf16x8_t, 2>, 4> x;
        static_ford<4, 2>([&](auto i, auto of_b) {
            x[i][of_b] = load<8>(g_x, at, i * 4 * p.pitch + of_b * p.n);
        });
        static_for<4>([&](auto i) {
            const auto a = cast<fp32_t>(x[i][0_I]);
            y[i] = a * rcp(exp2(a * -log2_e) + 1.0f) * cast<fp32_t>(x[i][1_I]);
        });
    } else {
        static_for<4>([&](auto i) { y[i] = load<8>(g_x, at, i * 4 * p.pitch); });
    }

    const int n = p.is_plain ? p.n : examples::round_up(p.n, word_k);
    const int code_bytes = p.is_plain ? rows * (n / 2) : examples::strip_codes(n);
    const int scale_bytes = p.is_plain ? rows * (n / 32) : examples::strip_scales(n);
    auto g_codes = make_gmem(p.codes + static_cast<long_index_t>(strip) * strip_rows * (n / 2),
                             static_cast<unsigned>(code_bytes));
    auto g_scales = make_gmem(p.scales + static_cast<long_index_t>(strip) * strip_rows * (n / 32),
                              static_cast<unsigned>(scale_bytes));
    // In row lane / 16, and how much further 4 rows are.
    const int row = lane / 16;
    const int piece = lane % 4;  // of 32 columns
    const bool is_there = column < n;
    const int codes_at =
        p.is_plain ? row * (n / 2) + column / 2 : examples::codes_in_strip(row, column) + piece * 4;
    const int scale_at =
        p.is_plain ? row * (n / 32) + column / 32 : examples::scale_in_strip(row, column);
    const int code_step = p.is_plain ? 4 * (n / 2) : examples::codes_in_strip(4, 0);
    const int scale_step = p.is_plain ? 4 * (n / 32) : examples::scale_in_strip(4, 0);
    const int to_codes = is_there ? codes_at : outside;
    const int to_scales = is_there && piece == 0 ? scale_at : outside;
    static_for<4>([&](auto i) {
        const int largest = examples::largest_magnitude<item>(array<vector_t<item, 8>, 1>{y[i]});
        const int scale = examples::scale_of_largest<item>(reduce_lanes(largest, maximum{}, 3_I));
        const auto codes = __builtin_bit_cast(u8x4_t, examples::mxfp4_codes(y[i], scale));
        store<4>(g_codes, codes, to_codes, i * code_step);
        store<1>(g_scales, static_cast<u8_t>(scale), to_scales, i * scale_step);
    });
}

// == host =========================================================================================

enum class act { silu, none };
enum class order { kernel, plain };

struct problem {
    examples::extent m{"-m", "Rows", 512, 1 << 19};  // fewer than 65536 strips, for the grid
    examples::extent n{"-n", "Columns, a multiple of 32", 2048};
    examples::input a{"--a", "Read a[M, N]", {&m, &n}};
    examples::input b{"--b", "Read b[M, N]", {&m, &n}};
    act kind = act::silu;
    order to = order::kernel;
};

// Element i of an input as bf16.
double as_bf16(const examples::input& x, std::size_t i) {
    return examples::round_to(element::bf16, x.values[i]);
}

examples::tensor_result run(const problem& p, int iters) {
    const int m = p.m.size();
    const int n = p.n.size();
    const bool is_silu = p.kind == act::silu;
    const bool is_plain = p.to == order::plain;
    const auto columns = static_cast<std::size_t>(n);
    const std::size_t pitch = is_silu ? 2 * columns : columns;
    std::vector<double> x(static_cast<std::size_t>(m) * pitch);
    examples::parallel_for(static_cast<std::size_t>(m), [&](std::size_t row) {
        for (std::size_t i = 0; i < columns; ++i) {
            x[row * pitch + i] = as_bf16(p.a, row * columns + i);
            if (is_silu) {
                x[row * pitch + columns + i] = as_bf16(p.b, row * columns + i);
            }
        }
    });
    examples::mxfp4_matrix y{is_plain ? m : examples::round_up(m, strip_rows),
                             is_plain ? n : examples::round_up(n, word_k),
                             {},
                             {}};
    const std::size_t blocks =
        static_cast<std::size_t>(y.rows) * static_cast<std::size_t>(y.k / 32);
    const examples::device_buffer<bf16_t> d_x(examples::to<bf16_t>(x));
    examples::device_buffer<u8_t> codes(blocks * 16);
    examples::device_buffer<u8_t> scales(blocks);
    const dim3 grid(static_cast<unsigned>(examples::round_up(n, word_k) / word_k),
                    static_cast<unsigned>(examples::round_up(m, strip_rows) / strip_rows));
    const problem_on_device on_device{
        d_x.data(), codes.data(), scales.data(), m, n, static_cast<int>(pitch), is_plain};
    examples::tensor_result result;
    result.least_bytes = static_cast<double>(x.size()) * 2 +
                         static_cast<double>(m) * static_cast<double>(n) * 17 / 32;
    result.milliseconds = examples::time_launches(iters, "silu_mul_mxfp4", [&] {
        (is_silu ? silu_mul_mxfp4_kernel<true>
                 : silu_mul_mxfp4_kernel<false>)<<<grid, 256>>>(on_device);
    });
    y.codes = codes.result();
    y.scales = scales.result();
    if (!is_plain && examples::results_are_wanted) {
        y = examples::reordered(y, true, m, n);
    }
    std::vector<double> q(y.codes.size() * 2);
    for (std::size_t i = 0; i < q.size(); ++i) {
        q[i] = examples::fp4_value(y.codes[i / 2] >> i % 2 * 4 & 15);
    }
    result.add(examples::shape_of({m, n}), q);
    result.add(examples::shape_of({m, n / 32}), y.scales);
    result.outputs[0].exact = true;
    return result;
}

// y and how far the kernel's may be from it. Quantised from bf16 it is not off. With u = 2^-23, of
// g * rcp(1 + exp2(-g * log2(e))) * up: the exponent, in units of 1, by |a| log2(e) u, which moves
// the power by |a| u of itself; the power by u, the sum by u / 2, the reciprocal by u, the two
// products by u / 2 each. Below 2^-126 there may be no denormals.
examples::expectation expected_y(const problem& p, std::size_t i) {
    const double a = as_bf16(p.a, i);
    if (p.kind == act::none) {
        return {a, 0};
    }
    const double b = as_bf16(p.b, i);
    const double y = a / (1 + std::exp(-a)) * b;
    return {y,
            1.01 * 0x1p-23 * (std::fabs(a) + 3.5) * std::fabs(y) + 0x1p-126 * (1 + std::fabs(b))};
}

// Codes and scales must be the reference's, bit by bit, except where a y of f32 may be on the other
// side of the middle between two codes, or the largest of 32 on that of a power of two.
void expect_block(const problem& p, std::size_t block, std::vector<examples::tensor_output>& out) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    constexpr double f32_largest = 0x1.fffffep127;
    examples::expectation y[32];
    double least = 0;
    double largest = 0;
    double most = 0;
    for (std::size_t i = 0; i < 32; ++i) {
        y[i] = expected_y(p, block * 32 + i);
        const double magnitude =
            std::fabs(y[i].value) <= f32_largest ? std::fabs(y[i].value) : infinity;
        largest = std::fmax(largest, magnitude);
        least = std::fmax(least, magnitude - y[i].error);
        most = std::fmax(most, magnitude + y[i].error);
        if (std::isnan(y[i].value)) {
            largest = least = most = infinity;
            break;
        }
    }
    const int exponent = examples::mxfp4_scale(largest);
    const int off =
        std::max(examples::mxfp4_scale(most) - exponent, exponent - examples::mxfp4_scale(least));
    out[1].expect(block, exponent, off);
    const double found = out[1].values[block];
    const double used = std::fabs(found - exponent) <= off ? found : exponent;
    for (std::size_t i = 0; i < 32; ++i) {
        if (exponent == 255) {
            out[0].expect(block * 32 + i, 0, infinity);
        } else {
            const double power = std::ldexp(1, 127 - static_cast<int>(used));
            out[0].expect_nearest(
                block * 32 + i, y[i].value * power, y[i].error * power,
                [](double x) { return examples::fp4_value(examples::fp4_code(x)); });
        }
    }
}

}  // namespace

int main(int argc, char** argv) {
    problem p;
    examples::tensor_example e;
    e.formula = "q[M, N] * s[M, N / 32] = silu(a[M, N]) * b[M, N]";
    e.description = "bf16 to codes q of fp4 and powers of two s (MXFP4)";
    e.extents = {&p.m, &p.n};
    e.add_options = [&](CLI::App& app) {
        examples::add_name(app, "--act", p.kind, {"silu", "none"},
                           "none: a itself is quantised (silu)");
        examples::add_name(app, "--order", p.to, {"kernel", "plain"},
                           "Of codes and scales in memory: gemm_mxfp4's, or by rows (kernel)");
    };
    e.inputs = {&p.a, &p.b};
    e.outputs = {"q", "s"};
    e.prepare = [&](std::mt19937_64&) {
        examples::check_size(p.m, p.n);
        if (p.n.size() % 32 != 0) {
            throw examples::usage_error("N is " + std::to_string(p.n.size()) +
                                        ": it must be a multiple of 32, which share a scale");
        }
        if (p.kind == act::none && p.b.value) {
            throw examples::usage_error("--b with --act none: it would not be used");
        }
        p.b.optional = p.kind == act::none;
        return std::to_string(p.m.size()) + " rows of " + std::to_string(p.n.size()) +
               (p.kind == act::silu ? " silu(a) * b" : " a") + " to MXFP4";
    };
    e.run = [&](int iters) { return run(p, iters); };
    e.expect = [&](std::vector<examples::tensor_output>& outputs) {
        examples::parallel_for(outputs[1].values.size(),
                               [&](std::size_t block) { expect_block(p, block, outputs); });
    };
    return examples::tensor_main(argc, argv, e);
}
