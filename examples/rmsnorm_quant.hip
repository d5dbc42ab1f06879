// SPDX-License-Identifier: MIT
//
// rmsnorm_quant normalises the rows of a matrix of f16 or bf16, multiplies them by weights and
// quantises them to 8 bits with a scale for each row. With --r it first adds another matrix:
//
//   t[i, :] = a[i, :] + r[i, :]                             rounded to the type of a and r
//   y[i, :] = t[i, :] / sqrt(mean(t[i, :]^2) + eps) * w     never in memory
//   q[i, :] = y[i, :] / s[i]                                rounded to the nearest code
//   s[i]    = max |y[i, :]| / largest code
//
// It teaches two things: read each byte once where a sequence of kernels would read it three times,
// and keep loads in flight. A group of threads holds the weights in registers and takes one row
// after another; the next row is loaded while this one is computed. Read softmax first.
//
// Each group reads the weights once. With 50 rows for each group they are 1.3 % of all bytes; with
// few rows they come from a cache.
//
// One pass over the row is enough because s is a factor of all of y, and so is 1 / rms: the codes
// are those of t * w / max |t * w|, and one reduction yields the sum of squares and the maximum.
//
// --norm layer is LayerNorm, quantised in the same way:
//
//   y[i, :] = (t[i, :] - mean(t[i, :])) / sqrt(var(t[i, :]) + eps) * w + bias
//
// It shows what a mean and a bias cost: three reductions in sequence, since the variance needs the
// mean, and the largest |y| needs the variance. Memory is still read once, because the row is in
// registers, and the next row is in flight meanwhile. The variance is the mean of the squared
// differences; E[t^2] - E[t]^2 would save a reduction but lose all digits if the mean is large. The
// mean is nearly exact: f32 holds the sum of up to 65536 bf16 numbers (8192 of f16) with the same
// exponent. Elements behind the end of a row are read as 0 and must be masked, since 0 - mean is
// not 0.
//
// Codes are fp8 (FNUZ up to 240 on gfx942, OCP up to 448 on gfx950) or i8 up to 127. A row gets NaN
// as its scale if it has an infinity or a NaN, or if its squares or its products with the weights
// overflow f32 (for the layer norm: the sum, the squared differences or y). A row whose largest
// product (or y) is below 2^-118 is quantised as if that were 2^-118. A row of zeros has codes of
// zero.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "common/device_fp8.hpp"
#include "common/program.hpp"
#include "common/small.hpp"
#include "opus/hip_minimal.hpp"
#include "opus/opus_plus.hpp"

namespace {

using opus::bf16_t;
using opus::fp16_t;
using opus::fp32_t;
using opus::fp8_t;
using opus::i8_t;

constexpr int longest_row = 16384;

// All matrices are m x n, row-major without padding.
template <class T, class Code>
struct arguments {
    const T* a;
    const T* r;  // is added if `adds`
    const T* w;  // n, all of them finite, as b
    T* t;        // is written if `adds`
    Code* q;
    float* s;  // m
    int m;
    int n;
    int groups;
    float eps;
    bool adds;
    const T* b;  // n, the bias of the layer norm
};

// A thread has `items` elements of a row: runs of `vec`, which lie side by side with those of the
// next thread. Run i is `threads * vec` elements behind run i - 1; that distance goes into the
// scalar offset of the buffer instructions. What is beyond `bytes` is read as 0, not written, and
// moves no bytes.
template <int threads, int items, int vec, class T>
OPUS_D auto load_row(const T* from, unsigned bytes) {
    using namespace opus;
    const auto g = make_gmem(from, bytes);
    vector_t<T, items> row;
    static_for<items / vec>([&](auto i) {
        const auto run = g.template load<vec>(thread_id_x() * vec, i.value * threads * vec);
        set_slice(row, run, number<i.value * vec>{}, number<(i.value + 1) * vec>{});
    });
    return row;
}

template <int threads, int vec, class T, class X>
OPUS_D void store_row(T* to, unsigned bytes, const X& x) {
    using namespace opus;
    const auto g = make_gmem(to, bytes);
    static_for<size<X>() / vec>([&](auto i) {
        const auto run = slice(x, number<i.value * vec>{}, number<(i.value + 1) * vec>{});
        g.template store<vec>(run, thread_id_x() * vec, i.value * threads * vec);
    });
}

// To the nearest number of T, ties to even.
template <class T, class X>
OPUS_D auto round_to_type(const X& x) {
    if constexpr (opus::is_same_v<T, bf16_t>) {
        return opus::cast<T>(x, opus::number<0>{});
    } else {
        return opus::cast<T>(x);
    }
}

// The nearest codes; a cast to integers would drop the fraction.
template <class Code, class X>
OPUS_D auto encode(X x) {
    if constexpr (opus::is_same_v<Code, i8_t>) {
        opus::static_for<opus::size<X>()>(
            [&](auto i) { x[i.value] = __builtin_rintf(x[i.value]); });
    }
    return opus::cast<Code>(x);
}

template <class Code>
OPUS_D constexpr float largest_code() {
    return opus::cast<float>(opus::numeric_limits<Code>::max());
}

// The sum of squares and the largest magnitude of a part of a row.
struct row_parts {
    float squares;
    float largest;
};
struct joined {
    OPUS_D row_parts operator()(const row_parts& x, const row_parts& y) const {
        return {x.squares + y.squares, opus::max(x.largest, y.largest)};
    }
};

enum class norm { rms, layer };

// y, and what is known of it and of what x has beside its mean, which the end of a row, where x is
// 0, must not have either. `b` is the bias.
template <int threads, int vec, class X>
OPUS_D X layer_norm(X x, const X& w, const X& b, int n, float eps, row_parts& parts) {
    using namespace opus;
    __shared__ float lds[3][16];  // in turns: no other barrier is needed between two rows
    const float count = static_cast<float>(n);
    const float mean = reduce_block<threads>(reduce(x, plus{}), plus{}, lds[0]) / count;
    static_for<size<X>()>([&](auto i) {
        const int at = (i.value / vec * threads + thread_id_x()) * vec + i.value % vec;
        x[i.value] = at < n ? x[i.value] - mean : 0.0f;
    });
    parts.squares = reduce_block<threads>(reduce(x * x, plus{}), plus{}, lds[1]);
    const X y = x * rsqrt(parts.squares / count + eps) * w + b;
    parts.largest = reduce_block<threads>(reduce(abs(y), maximum{}), maximum{}, lds[2]);
    return y;
}

// Grid: p.groups groups of `threads`; group i has the rows i, i + groups, ...
// @pre n <= threads * items; n is a multiple of 4, or vec is 1
template <norm kind, class T, class Code, int threads, int items, int vec>
__global__ __launch_bounds__(threads) void rmsnorm_quant_kernel(arguments<T, Code> p) {
    using namespace opus;
    __shared__ row_parts lds[2][16];
    const auto row_of = [&](auto* base, int row) {
        return base + static_cast<long_index_t>(row) * p.n;
    };
    const unsigned bytes = static_cast<unsigned>(p.n) * unsigned{sizeof(T)};
    const auto load = [&](const T* base, int row, bool wanted) {  // nothing beyond the last row
        return load_row<threads, items, vec>(row_of(base, row), wanted && row < p.m ? bytes : 0u);
    };

    const auto w = load_row<threads, items, vec>(p.w, bytes);
    [[maybe_unused]] const auto b = load_row<threads, items, vec>(p.b, bytes);
    int row = block_id_x();
    auto next_a = load(p.a, row, true);
    auto next_r = load(p.r, row, p.adds);
    for (int buffer = 0; row < p.m; buffer ^= 1) {
        auto t = next_a;
        const auto r = next_r;
        const int next = row + p.groups;
        next_a = load(p.a, next, true);
        next_r = load(p.r, next, p.adds);
        if (p.adds) {
            // f32 has enough bits that rounding twice is rounding once.
            t = round_to_type<T>(cast<fp32_t>(t) + cast<fp32_t>(r));
            store_row<threads, vec>(row_of(p.t, row), bytes, t);
        }
        const auto x = cast<fp32_t>(t);
        auto y = x * cast<fp32_t>(w);  // exact, but for what underflows
        row_parts parts{reduce(x * x, plus{}), reduce(abs(y), maximum{})};
        if constexpr (kind == norm::rms) {
            // Two buffers in turns: no other barrier is needed between two rows.
            parts = reduce_block<threads>(parts, joined{}, lds[buffer]);
        } else {
            y = layer_norm<threads, vec>(x, cast<fp32_t>(w), cast<fp32_t>(b), p.n, p.eps, parts);
        }

        const float largest = max(parts.largest, 0x1p-118f);
        const float factor = largest_code<Code>() / largest;
        store_row<threads, vec>(row_of(p.q, row), static_cast<unsigned>(p.n),
                                encode<Code>(y * factor));
        if (thread_id_x() == 0) {
            const float mean = parts.squares / static_cast<float>(p.n) + p.eps;
            const bool is_finite = mean < __builtin_inff() && largest < __builtin_inff();
            const float root = kind == norm::rms ? __builtin_sqrtf(mean) : 1.0f;
            const float scale = largest / (largest_code<Code>() * root);
            p.s[row] = is_finite ? scale : __builtin_nanf("");
        }
        row = next;
    }
}

// == host =========================================================================================

constexpr double largest_i8 = 127;

template <class T, class Code>
struct plan {
    void (*kernel)(arguments<T, Code>);
    int threads;
    int groups_of_unit;  // as many as have rows of 32 KiB on their way
};

// The kernel that has a row with the fewest threads, and the fewest elements of a thread. 16 bytes
// are loaded and 8 codes stored at once; rows of codes that do not begin at multiples of 4 bytes
// move element by element. (The small example has the largest groups only, but for bf16 to fp8.)
template <norm kind, class T, class Code>
plan<T, Code> plan_for(int n) {
    if constexpr (!OPUS_EXAMPLES_SMALL ||
                  (opus::is_same_v<T, bf16_t> && opus::is_same_v<Code, fp8_t>)) {
        if (n % 4 == 0 && n <= 512) {
            return {rmsnorm_quant_kernel<kind, T, Code, 64, 8, 8>, 64, 32};
        }
        if (n <= 4096) {
            return {n % 4 == 0 ? rmsnorm_quant_kernel<kind, T, Code, 256, 16, 8>
                               : rmsnorm_quant_kernel<kind, T, Code, 256, 16, 1>,
                    256, 4};
        }
    }
    return {n % 4 == 0 ? rmsnorm_quant_kernel<kind, T, Code, 1024, 16, 8>
                       : rmsnorm_quant_kernel<kind, T, Code, 1024, 16, 1>,
            1024, 1};
}

std::vector<std::string> code_names() {
    return {"fp8", "i8"};
}

std::vector<std::string> norm_names() {
    return {"rms", "layer"};
}

struct problem {
    examples::extent m{"-m", "Rows", 64};
    examples::extent n{"-n", "Columns", 512, longest_row};
    examples::input a{"--a", "Read a[M, N]", {&m, &n}};
    examples::input r{"--r", "Add r[M, N]; nothing is added without", {&m, &n}, true};
    examples::input w{"--w", "Read w[N]", {&n}, false, true};
    examples::input bias{
        "--bias", "Read bias[N], which only the layer norm has", {&n}, false, true};
    norm kind = norm::rms;
    bool i8 = false;
    int groups = 0;  // 0: as many as fill the device
    float eps = 1e-6f;
    examples::fp8_format fp8;

    double largest_code() const { return i8 ? largest_i8 : fp8.largest(); }
};

// The value of the code for x. That fp8 is rounded by way of f32 is no more than the tolerance.
double nearest_code(double x, const problem& p) {
    return p.i8 ? std::fmin(std::fmax(std::nearbyint(x), -largest_i8), largest_i8)
                : p.fp8.decode(p.fp8.encode(x));
}

template <class T, class Code>
examples::tensor_result run(const problem& p, int iters) {
    const int m = p.m.size();
    const int n = p.n.size();
    const std::size_t size = p.a.values.size();
    const bool adds = !p.r.values.empty();
    examples::device_buffer<T> a(examples::to<T>(p.a.values));
    examples::device_buffer<T> r(examples::to<T>(adds ? p.r.values : std::vector<double>(1)));
    examples::device_buffer<T> w(examples::to<T>(p.w.values));
    const bool has_bias = p.kind == norm::layer;
    examples::device_buffer<T> b(
        examples::to<T>(has_bias ? p.bias.values : std::vector<double>(1)));
    examples::device_buffer<T> t(adds ? size : 1);
    examples::device_buffer<Code> q(size);
    examples::device_buffer<float> scales(static_cast<std::size_t>(m));
    t.fill_unwritten(0xff);  // NaN: what no thread writes is seen, but for codes of i8
    q.fill_unwritten(0x80);  // NaN of FNUZ, -0 of OCP, -128 of i8, which is no code here
    scales.fill_unwritten(0xff);

    const plan<T, Code> chosen =
        has_bias ? plan_for<norm::layer, T, Code>(n) : plan_for<norm::rms, T, Code>(n);
    const int wanted = p.groups > 0 ? p.groups : examples::compute_units() * chosen.groups_of_unit;
    const int groups = std::min(m, wanted);
    const arguments<T, Code> arguments{a.data(), r.data(),      w.data(), t.data(),
                                       q.data(), scales.data(), m,        n,
                                       groups,   p.eps,         adds,     b.data()};
    examples::tensor_result result;
    result.milliseconds = examples::time_launches(iters, "rmsnorm_quant", [&] {
        chosen.kernel<<<static_cast<unsigned>(groups), static_cast<unsigned>(chosen.threads)>>>(
            arguments);
    });
    // Each group asks for the weights once, and for the bias.
    const double elements = static_cast<double>(m) * n;
    const double weights = (has_bias ? 4.0 : 2.0) * n;
    result.least_bytes = elements * (adds ? 7 : 3) + 4.0 * m + weights;
    result.moved_bytes = result.least_bytes + weights * (groups - 1);

    result.add(examples::shape_of({m, n}), p.fp8.decode(q.result()));
    result.add(examples::shape_of({m}), scales.result());
    result.add(examples::shape_of({m, n}), adds ? examples::to_doubles(t.result()) : p.a.values);
    return result;
}

constexpr double u = 0x1p-24;  // what an operation loses at most of its result
constexpr double denormal = 0x1p-149;

// What a sum of n numbers loses at most of their magnitudes, in u: the additions are those of the
// elements of a thread, of a wave and of a group, one after the other 4 + 6 + 15. Those of zeros
// lose nothing.
double additions(std::size_t n) {
    return std::fmin(static_cast<double>(n - 1), 4 + 6 + 15);
}

// What a row of t becomes, and how far the kernel may be from that.
struct expected_row {
    std::vector<double> y;  // of the RMS norm without 1 / rms
    std::vector<double> y_error;
    double largest;  // of y
    double largest_error;
    double scale;  // of y that has code 1
    double scale_error;
    bool overflows;
};

constexpr double largest_f32 = std::numeric_limits<float>::max();

double largest_of(const std::vector<double>& y) {
    double largest = 0x1p-118;
    for (const double x : y) {
        largest = std::fmax(largest, std::fabs(x));
    }
    return largest;
}

// y, the product of t and w, is exact, but for up to 2^-150 where it is denormal. s: of the
// squares, their sum, the mean and eps each loses u, and the square root has half of that; then
// there are the root, a product and a quotient.
expected_row expect_rms(const problem& p, const std::vector<double>& t) {
    expected_row row{t, std::vector<double>(t.size(), denormal / 2), 0, 0, 0, 0, false};
    double squares = 0;
    for (std::size_t i = 0; i < t.size(); ++i) {
        row.y[i] = t[i] * p.w.values[i];
        squares += t[i] * t[i];
    }
    row.largest = largest_of(row.y);
    row.largest_error = denormal / 2;
    const double mean = squares / static_cast<double>(t.size()) + static_cast<double>(p.eps);
    row.scale = row.largest / (p.largest_code() * std::sqrt(mean));
    row.scale_error = row.scale * u * ((additions(t.size()) + 3) / 2 + 3 + 1) * 1.01 + denormal;
    row.overflows = !(squares <= largest_f32) || row.largest > largest_f32;
    return row;
}

// The mean loses what its sum does, and u in the quotient: e together. A difference from it loses
// u, its square twice that and u again; then there are the sum, the quotient and eps. The mean of
// the squares of differences from another mean is e^2 too large. The root has half of all that, and
// v_rsq_f32 loses 2 u, one in the last place. Beside it y loses u in the difference, two products
// and the sum with the bias.
expected_row expect_layer(const problem& p, const std::vector<double>& t) {
    const auto n = static_cast<double>(t.size());
    double sum = 0;
    double magnitudes = 0;
    for (const double x : t) {
        sum += x;
        magnitudes += std::fabs(x);
    }
    const double mean = sum / n;
    const double e = (additions(t.size()) + 1) * u * magnitudes / n + denormal;
    double squares = 0;
    for (const double x : t) {
        squares += (x - mean) * (x - mean);
    }
    const double variance = squares / n + static_cast<double>(p.eps);
    const double root = std::sqrt(variance);
    const double of_root = ((additions(t.size()) + 5) / 2 + 2) * u + e * e / variance / 2;
    expected_row row{t, t, 0, 0, 0, 0, false};
    for (std::size_t i = 0; i < t.size(); ++i) {
        const double product = (t[i] - mean) / root * p.w.values[i];
        const double of_mean = e / root * std::fabs(p.w.values[i]);
        row.y[i] = product + p.bias.values[i];
        row.y_error[i] =
            (std::fabs(product) * (of_root + 3 * u) + of_mean + u * std::fabs(row.y[i])) * 1.01 +
            denormal * (2 + std::fabs(p.w.values[i]));
        row.largest_error = std::fmax(row.largest_error, row.y_error[i]);
    }
    row.largest = largest_of(row.y);
    row.scale = row.largest / p.largest_code();
    row.scale_error = row.largest_error / p.largest_code() + row.scale * u * 1.01 + denormal;
    row.overflows =
        !(squares <= largest_f32) || !(std::fabs(sum) <= largest_f32) || row.largest > largest_f32;
    return row;
}

// A code is that of y * largest code / largest |y|, in which the quotient and the product lose u
// each. Where that is on the other side of a middle between two codes, either may come out; where
// the largest |y| is nothing but error, any.
void expect_quantised(const problem& p, examples::element type,
                      std::vector<examples::tensor_output>& outputs) {
    examples::tensor_output& codes = outputs[0];
    examples::tensor_output& scales = outputs[1];
    const auto n = static_cast<std::size_t>(p.n.size());
    constexpr double infinity = std::numeric_limits<double>::infinity();
    examples::parallel_for(scales.values.size(), [&](std::size_t row) {
        std::vector<double> t(n);
        for (std::size_t i = 0; i < n; ++i) {
            const double a = p.a.values[row * n + i];
            t[i] = p.r.values.empty() ? a : examples::round_to(type, a + p.r.values[row * n + i]);
            outputs[2].expect(row * n + i, t[i]);
        }
        const expected_row e = p.kind == norm::rms ? expect_rms(p, t) : expect_layer(p, t);
        if (e.overflows) {
            scales.expect(row, std::numeric_limits<double>::quiet_NaN());
        } else {
            scales.expect(row, e.scale, e.scale_error);
        }
        const double factor = p.largest_code() / e.largest;
        const double of_largest = e.largest_error / (e.largest - e.largest_error);
        for (std::size_t i = 0; i < n; ++i) {
            const double x = e.y[i] * factor;
            const double away =
                1.01 * (e.y_error[i] * factor + std::fabs(x) * (of_largest + 2 * u));
            if (e.overflows || of_largest < 0 || of_largest > 0.5) {
                codes.expect(row * n + i, 0, infinity);
            } else {
                codes.expect_nearest(row * n + i, x, away,
                                     [&](double y) { return nearest_code(y, p); });
            }
        }
    });
}

}  // namespace

int main(int argc, char** argv) {
    using examples::element;
    problem p;
    examples::tensor_example e;
    e.formula = "q[M, N] * s[M] = t[M, N] / sqrt(mean(t[M, :]^2) + eps) * w[N], t = a + r";
    e.description = "Codes q, a scale s for each row, one pass over memory";
    e.extents = {&p.m, &p.n};
    e.types = {element::bf16, element::f16};
    e.add_options = [&](CLI::App& app) {
        using namespace examples;
        add_name(app, "--norm", p.kind, norm_names(),
                 "Or y = (t - mean(t)) / sqrt(var(t) + eps) * w + bias (rms)");
        add_name(app, "--codes", p.i8, code_names(), "Type of q (fp8)");
        add_factor(app, "--eps", p.eps, "Added to the mean of squares (1e-6)");
        add_integer(app, "--groups", p.groups, 1, 1 << 20, "INT",
                    "Groups of threads (as many as fill the device)");
    };
    e.inputs = {&p.a, &p.r, &p.w, &p.bias};
    e.outputs = {"q", "s", "t"};
    e.prepare = [&](std::mt19937_64&) {
        examples::check_size(p.m, p.n);
        if (p.bias.value && p.kind != norm::layer) {
            throw examples::usage_error("--bias without --norm layer: it would not be used");
        }
        p.fp8 = p.i8 ? examples::fp8_format{} : examples::device_fp8();
        return std::to_string(p.m.size()) + " rows of " + std::to_string(p.n.size()) + " " +
               name_of(e.type) + (p.r.value ? ", added to as many," : "") +
               (p.kind == norm::layer ? " less their means" : "") + " to " +
               (p.i8         ? "i8"
                : p.fp8.fnuz ? "fp8 (FNUZ)"
                             : "fp8 (OCP)");
    };
    e.run = [&](int iters) {
        return e.type == element::f16
                   ? (p.i8 ? run<fp16_t, i8_t>(p, iters) : run<fp16_t, fp8_t>(p, iters))
                   : (p.i8 ? run<bf16_t, i8_t>(p, iters) : run<bf16_t, fp8_t>(p, iters));
    };
    e.expect = [&](std::vector<examples::tensor_output>& outputs) {
        expect_quantised(p, e.type, outputs);
    };
    return examples::tensor_main(argc, argv, e);
}
