// SPDX-License-Identifier: MIT
//
// gemm_host.hpp: what the GEMM examples share on the host: options, matrices from the random number
// generator or from .npy files, the reference product, and the report. An example is its kernel, a
// function that runs it, and
//
//   int main(int argc, char** argv) {
//       examples::gemm_example e;
//       e.description = "what it is, for --help";
//       e.types = {examples::element::f16, examples::element::bf16};  // and what else it can do
//       return examples::gemm_main(argc, argv, e, run);
//   }
//
// with  examples::gemm_result run(const examples::gemm_problem& p), the M x N result of p and the
// time that time_launches() (timing.hpp) gave.
//
// Exit status: 0 the product is right (or not verified), 1 it is not, 2 there is none (one line on
// stderr says why).
#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <functional>
#include <new>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "device.hpp"
#include "npy.hpp"
#include "options.hpp"
#include "opus/opus.hpp"
#include "timing.hpp"

namespace examples {

enum class element { f16, bf16, f32 };

inline const char* name_of(element type) {
    return type == element::f16 ? "f16" : type == element::bf16 ? "bf16" : "f32";
}

// D[M, N] = alpha * A[M, K] * B[N, K]^T + beta * C[M, N], all row-major without padding. The values
// are those of the named types, as floats: to<T>() gives them as the kernel wants them.
struct gemm_problem {
    int m = 0;
    int n = 0;
    int k = 0;
    element type = element::f16;      // of A and B
    element out_type = element::f32;  // of C and D
    float alpha = 1;
    float beta = 0;
    int iters = 1;
    std::vector<float> a;  // m x k
    std::vector<float> b;  // n x k
    std::vector<float> c;  // m x n, or empty where beta is 0

    // What an example that scales its operands loses by that, in units of 2^-23 of each product.
    double scale_error = 0;
};

struct gemm_result {
    gemm_result(std::vector<float> values, double time = 0)
        : d(std::move(values)), milliseconds(time) {}

    std::vector<float> d;  // m x n
    double milliseconds;   // of one launch; 0: not measured
};

// What one example is and can do. Options for what it cannot do do not exist for it.
struct gemm_example {
    std::string description;
    std::vector<element> types{element::f16};      // --type, where there are several
    std::vector<element> out_types{element::f32};  // --out-type, where there are several
    bool alpha_beta = false;                       // --alpha, --beta, --c
    std::function<void(CLI::App&)> add_options;    // its own
    // Called with the problem before anything is computed; may change it, for example to what is
    // left of it after quantisation. May throw usage_error.
    std::function<void(gemm_problem&)> prepare;
    // Of what --type says, or of what an example that quantises makes of it (prepare sets it then).
    double machine_peaks::* peak = &machine_peaks::f16;
    double bytes_per_element = 0;  // of A and B, with their scales; 0: those of the type
};

// The values as T, which must have them all.
template <class T>
std::vector<T> to(const std::vector<float>& values) {
    std::vector<T> result(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        result[i] = opus::cast<T>(values[i]);
    }
    return result;
}

// What a kernel gave, as floats.
template <class T>
std::vector<float> to_floats(const std::vector<T>& values) {
    std::vector<float> result(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        result[i] = static_cast<float>(values[i]);
    }
    return result;
}

// Rounded to the nearest value of `type`, ties to even; infinite where that overflows.
inline float round_to(element type, float x) {
    switch (type) {
        case element::f16:
            return static_cast<float>(static_cast<opus::fp16_t>(x));
        case element::bf16:
            return static_cast<float>(opus::fp32_to_bf16(x, opus::number<0>{}));
        case element::f32:
            break;
    }
    return x;
}

inline int size_of(element type) {
    return type == element::f32 ? 4 : 2;
}

// Keeps 32 rows of any matrix below 2 GiB, which is what a kernel reaches from one buffer with
// offsets in an int, and the tiles of a dimension below 65536, the most blocks along y.
constexpr long long max_extent = 1 << 20;

namespace detail {

struct gemm_options {
    std::optional<std::string> m;
    std::optional<std::string> n;
    std::optional<std::string> k;
    std::optional<std::string> seed;
    std::optional<std::string> a;
    std::optional<std::string> b;
    std::optional<std::string> c;
    std::optional<std::string> out;
    std::optional<std::string> type;
    std::optional<std::string> out_type;
    std::optional<std::string> alpha;
    std::optional<std::string> beta;
    std::optional<std::string> verify;
    std::optional<std::string> iters;
};

constexpr long long default_extent = 512;
constexpr std::uint64_t default_seed = 1;

struct matrix {
    long long rows = 0;
    long long columns = 0;
    std::vector<float> values;
};

inline std::string shape_text(long long rows, long long columns) {
    return std::to_string(rows) + " x " + std::to_string(columns);
}

inline std::optional<long long> parse_extent(const char* option,
                                             const std::optional<std::string>& text) {
    if (!text) {
        return std::nullopt;
    }
    return parse_integer(option, *text, 1LL, max_extent);
}

// A finite f32 in decimal, and nothing after it.
inline float parse_float(const char* option, const std::string& text) {
    float value = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, code] = std::from_chars(text.data(), end, value);
    if (code != std::errc{} || stop != end || !std::isfinite(value)) {
        throw usage_error(std::string(option) + " is '" + text + "': it must be a finite number");
    }
    return value;
}

// One of `types` by its name; the first one without a name.
inline element parse_element(const char* option, const std::optional<std::string>& text,
                             const std::vector<element>& types) {
    std::string names;
    for (const element type : types) {
        if (!text || *text == name_of(type)) {
            return type;
        }
        names += std::string(names.empty() ? "" : " or ") + name_of(type);
    }
    throw usage_error(std::string(option) + " is '" + *text + "': it must be " + names);
}

// Multiples of 1/1024 in [-1, 1) (bf16: of 1/128): exact in every type, and the same with every C++
// library.
inline matrix random_matrix(long long rows, long long columns, element type,
                            std::mt19937_64& random) {
    matrix result{rows, columns, {}};
    result.values.resize(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns));
    const int bits = type == element::bf16 ? 8 : 11;
    for (float& x : result.values) {
        x = std::ldexp(static_cast<float>(random() >> (64 - bits)), 1 - bits) - 1.0f;
    }
    return result;
}

// A matrix from a .npy file, rounded to the nearest values of `type`.
inline matrix read_matrix(const std::string& file, element type) {
    const npy::array in = npy::read(file);
    if (in.shape.size() != 2) {
        throw npy::error(file,
                         "has rank " + std::to_string(in.shape.size()) + ", a matrix has rank 2");
    }
    for (const std::size_t extent : in.shape) {
        if (extent < 1 || extent > static_cast<std::size_t>(max_extent)) {
            throw npy::error(file, "has shape " + std::to_string(in.shape[0]) + " x " +
                                       std::to_string(in.shape[1]) + ", each must be from 1 to " +
                                       std::to_string(max_extent));
        }
    }

    const std::size_t size = in.shape[0] * in.shape[1];
    matrix result{static_cast<long long>(in.shape[0]), static_cast<long long>(in.shape[1]), {}};
    result.values.resize(size);
    for (std::size_t i = 0; i < size; ++i) {
        float x = 0;
        if (in.type == npy::dtype::f16) {
            opus::fp16_t half;
            std::memcpy(&half, &in.data[i * 2], 2);
            x = static_cast<float>(half);
        } else {
            std::memcpy(&x, &in.data[i * 4], 4);
        }
        result.values[i] = round_to(type, x);
        if (!std::isfinite(result.values[i])) {
            char text[32];
            std::snprintf(text, sizeof(text), "%g", static_cast<double>(x));
            const std::string overflow = std::string(", which overflows ") + name_of(type) +
                                         (type == element::f16 ? " (largest: 65504)" : "");
            throw npy::error(
                file, "element [" + std::to_string(i / in.shape[1]) + ", " +
                          std::to_string(i % in.shape[1]) + "] is " + text +
                          (std::isfinite(x) ? overflow : ", only finite values can be multiplied"));
        }
    }
    return result;
}

inline gemm_problem make_problem(const gemm_options& options, const gemm_example& example) {
    // Options that are wrong by themselves are reported before any file is.
    const std::optional<long long> size_m = parse_extent("-m", options.m);
    const std::optional<long long> size_n = parse_extent("-n", options.n);
    const std::optional<long long> size_k = parse_extent("-k", options.k);
    std::uint64_t seed = default_seed;
    if (options.seed) {
        seed = parse_integer("--seed", *options.seed, std::uint64_t{0}, ~std::uint64_t{0});
    }
    gemm_problem result;
    result.type = parse_element("--type", options.type, example.types);
    result.out_type = parse_element("--out-type", options.out_type, example.out_types);
    result.alpha = options.alpha ? parse_float("--alpha", *options.alpha) : 1.0f;
    result.beta = options.beta ? parse_float("--beta", *options.beta) : 0.0f;
    if (options.c && result.beta == 0) {
        throw usage_error("--c without --beta: C would not be used");
    }
    if (options.iters) {
        result.iters = parse_integer("--iters", *options.iters, 1, 1000000);
    }
    if (options.out) {
        npy::check_writable(*options.out);
    }

    matrix a;
    matrix b;
    matrix c;
    const auto agree = [](const char* option, std::optional<long long> size, long long extent,
                          const std::string& file) {
        if (size.value_or(extent) != extent) {
            throw usage_error(std::string(option) + " " + std::to_string(*size) + " contradicts " +
                              file + ", where it is " + std::to_string(extent));
        }
    };
    if (options.a) {
        a = read_matrix(*options.a, result.type);
        agree("-m", size_m, a.rows, *options.a);
        agree("-k", size_k, a.columns, *options.a);
    }
    if (options.b) {
        b = read_matrix(*options.b, result.type);
        agree("-n", size_n, b.rows, *options.b);
        agree("-k", size_k, b.columns, *options.b);
    }
    if (options.a && options.b && a.columns != b.columns) {
        throw usage_error(*options.a + " is " + shape_text(a.rows, a.columns) + " and " +
                          *options.b + " is " + shape_text(b.rows, b.columns) +
                          ": A[M, K] and B[N, K] need the same number of columns");
    }

    const long long k = options.a   ? a.columns
                        : options.b ? b.columns
                                    : size_k.value_or(default_extent);
    std::mt19937_64 random(seed);
    if (!options.a) {
        a = random_matrix(size_m.value_or(default_extent), k, result.type, random);
    }
    if (!options.b) {
        b = random_matrix(size_n.value_or(default_extent), k, result.type, random);
    }

    if (options.c) {
        c = read_matrix(*options.c, result.out_type);
        if (c.rows != a.rows || c.columns != b.rows) {
            throw usage_error(*options.c + " is " + shape_text(c.rows, c.columns) +
                              ": C[M, N] must be " + shape_text(a.rows, b.rows));
        }
    } else if (result.beta != 0) {
        c = random_matrix(a.rows, b.rows, result.out_type, random);
    }

    result.m = static_cast<int>(a.rows);
    result.n = static_cast<int>(b.rows);
    result.k = static_cast<int>(k);
    result.a = std::move(a.values);
    result.b = std::move(b.values);
    result.c = std::move(c.values);
    return result;
}

// f(i) for every i in [0, count), on all cores, or on as many as there are threads to be had.
template <class F>
void parallel_for(int count, F f) {
    std::atomic<int> next{0};
    const auto work = [&] {
        for (int i = next++; i < count; i = next++) {
            f(i);
        }
    };
    std::vector<std::thread> pool;
    try {
        while (pool.size() + 1 < std::thread::hardware_concurrency()) {
            pool.emplace_back(work);
        }
    } catch (const std::system_error&) {
        // The threads that were started do it.
    }
    work();
    for (std::thread& t : pool) {
        t.join();
    }
}

// Where one row of the result is furthest off.
struct row_result {
    double error = 0;   // largest |d - reference|
    int error_n = 0;    // and its column
    double excess = 0;  // largest |d - reference| / tolerance; infinite for a NaN
    int excess_n = 0;
    float value = 0;  // d there
    double reference = 0;
    double tolerance = 0;
};

// Tolerance. The product of two elements of A and B is exact in f32 (11 + 11 significant bits at
// most, exponents far from the ends), so all error comes from adding K of them. The hardware does
// not say in which order it adds, nor whether it rounds or truncates, but every addition loses less
// than one unit in the last place of a partial sum, 2^-23 of it, and no partial sum exceeds
// S = sum over k of |a[k] * b[k]|. The first addition, to zero, loses nothing:
// |sum - exact| <= (K - 1) * 2^-23 * S. The reference in double is off by at most K * 2^-53 * S,
// far below the 2^-23 * S that make it K * 2^-23 * S.
//
// alpha and beta take three more operations, which round to nearest: each loses half a unit of
// |alpha| * S + |beta * c|, or, where the result is denormal, 2^-150. That is two units at most.
//
// Rounding to f16 or bf16 at the end keeps the order of numbers. So what is between the ends of the
// tolerance before it is between the rounded ends after it.
struct tolerance {
    double below;
    double above;
};

inline tolerance tolerance_of(const gemm_problem& p, double reference, double magnitude) {
    const bool scaled = p.alpha != 1 || p.beta != 0;
    const double units = static_cast<double>(p.k) + p.scale_error + (scaled ? 2 : 0);
    const double sum = units * 0x1p-23 * magnitude + (scaled ? 0x1p-148 : 0);
    if (p.out_type == element::f32) {
        return {sum, sum};
    }
    const auto rounded = [&](double x) {
        return static_cast<double>(round_to(p.out_type, static_cast<float>(x)));
    };
    return {reference - rounded(reference - sum), rounded(reference + sum) - reference};
}

inline row_result check_row(const gemm_problem& p, const std::vector<double>& b_transposed,
                            const std::vector<float>& d, int row) {
    const auto n = static_cast<std::size_t>(p.n);
    const auto k = static_cast<std::size_t>(p.k);
    const auto i = static_cast<std::size_t>(row);
    std::vector<double> sum(n);
    std::vector<double> sum_of_magnitudes(n);
    for (std::size_t l = 0; l < k; ++l) {
        const auto a = static_cast<double>(p.a[i * k + l]);
        const double* const b = &b_transposed[l * n];
        for (std::size_t j = 0; j < n; ++j) {
            sum[j] += a * b[j];
            sum_of_magnitudes[j] += std::fabs(a * b[j]);
        }
    }

    row_result worst;
    worst.excess = -1;
    for (std::size_t j = 0; j < n; ++j) {
        const double added =
            p.c.empty() ? 0 : static_cast<double>(p.beta) * static_cast<double>(p.c[i * n + j]);
        const double reference = static_cast<double>(p.alpha) * sum[j] + added;
        const double magnitude =
            std::fabs(static_cast<double>(p.alpha)) * sum_of_magnitudes[j] + std::fabs(added);
        const auto [below, above] = tolerance_of(p, reference, magnitude);
        const double difference = static_cast<double>(d[i * n + j]) - reference;
        const double allowed = difference < 0 ? below : above;
        double error = std::fabs(difference);
        double excess = error == 0 ? 0 : error / allowed;
        if (std::isnan(error)) {
            error = INFINITY;
            excess = INFINITY;
        } else if (allowed == INFINITY && error == INFINITY) {
            error = 0;  // an overflow where there may be one
            excess = 0;
        } else if (error != 0 && allowed <= 0) {
            excess = INFINITY;  // the rounded ends are both on the other side of the reference
        }
        if (error > worst.error) {
            worst.error = error;
            worst.error_n = static_cast<int>(j);
        }
        if (excess > worst.excess) {
            worst.excess = excess;
            worst.excess_n = static_cast<int>(j);
            worst.value = d[i * n + j];
            worst.reference = reference;
            worst.tolerance = allowed;
        }
    }
    return worst;
}

// The result is called C where there is no other C.
inline const char* result_name(const gemm_problem& p) {
    return p.beta != 0 ? "D" : "C";
}

// "C[2, 3] = A[2, 4] * B[3, 4]^T", with alpha and beta where they are not 1 and 0.
inline std::string equation(const gemm_problem& p) {
    const auto matrix_text = [](const char* name, int rows, int columns) {
        return std::string(name) + "[" + std::to_string(rows) + ", " + std::to_string(columns) +
               "]";
    };
    const auto factor = [](float x) {
        char text[32];
        std::snprintf(text, sizeof(text), "%g * ", static_cast<double>(x));
        return std::string(text);
    };
    return matrix_text(result_name(p), p.m, p.n) + " = " + (p.alpha != 1 ? factor(p.alpha) : "") +
           matrix_text("A", p.m, p.k) + " * " + matrix_text("B", p.n, p.k) + "^T" +
           (p.beta != 0 ? " + " + factor(p.beta) + matrix_text("C", p.m, p.n) : "");
}

inline std::string report(const gemm_problem& p, const gemm_example& e, double milliseconds,
                          const std::string& device) {
    const double m = p.m;
    const double n = p.n;
    const double k = p.k;
    const double in = e.bytes_per_element > 0 ? e.bytes_per_element : size_of(p.type);
    const double bytes = (m + n) * k * in + m * n * size_of(p.out_type) * (p.beta != 0 ? 2 : 1);
    return compute_report(2 * m * n * k, bytes, milliseconds, e.peak, device);
}

// Compares with the reference and prints the largest error.
inline bool check_product(const gemm_problem& p, const std::vector<float>& d) {
    const auto n = static_cast<std::size_t>(p.n);
    const auto k = static_cast<std::size_t>(p.k);
    // k x n, so that the innermost loop of the reference runs along memory.
    std::vector<double> b_transposed(k * n);
    parallel_for(p.n, [&](int j) {
        for (std::size_t l = 0; l < k; ++l) {
            const auto row = static_cast<std::size_t>(j);
            b_transposed[l * n + row] = static_cast<double>(p.b[row * k + l]);
        }
    });
    std::vector<row_result> rows(static_cast<std::size_t>(p.m));
    parallel_for(
        p.m, [&](int i) { rows[static_cast<std::size_t>(i)] = check_row(p, b_transposed, d, i); });

    const auto largest = std::max_element(rows.begin(), rows.end(),
                                          [](auto& x, auto& y) { return x.error < y.error; });
    const auto worst = std::max_element(rows.begin(), rows.end(),
                                        [](auto& x, auto& y) { return x.excess < y.excess; });
    std::printf("largest error: %.3g at %s[%d, %d]; error / tolerance at most %.3g\n",
                largest->error, result_name(p), static_cast<int>(largest - rows.begin()),
                largest->error_n, worst->excess);
    const bool pass = worst->excess <= 1;
    if (!pass) {
        std::printf("%s[%d, %d] is %.9g, expected %.9g +- %.3g\n", result_name(p),
                    static_cast<int>(worst - rows.begin()), worst->excess_n,
                    static_cast<double>(worst->value), worst->reference, worst->tolerance);
    }
    return pass;
}

}  // namespace detail

template <class Run>
int gemm_main(int argc, char** argv, const gemm_example& example, Run run) {
    const char* const program = program_name(argv[0]);

    detail::gemm_options options;
    CLI::App app(example.description, program);
    const auto names = [](const std::vector<element>& types) {
        std::string text;
        for (const element type : types) {
            text += std::string(text.empty() ? "" : " or ") + name_of(type);
        }
        return text + " (" + name_of(types.front()) + ")";
    };
    app.add_option("-m", options.m, "Rows of A and of C (512)");
    app.add_option("-n", options.n, "Rows of B, columns of C (512)");
    app.add_option("-k", options.k, "Columns of A and of B (512)");
    if (example.types.size() > 1) {
        app.add_option("--type", options.type, "Type of A and B: " + names(example.types));
    }
    if (example.out_types.size() > 1) {
        app.add_option("--out-type", options.out_type,
                       "Type of the result: " + names(example.out_types));
    }
    if (example.alpha_beta) {
        app.add_option("--alpha", options.alpha, "D = alpha * A * B^T + beta * C (1)");
        app.add_option("--beta", options.beta, "see --alpha (0)");
        app.add_option("--c", options.c,
                       "Read C[M, N] from this .npy file (f16 or f32, row-major)");
    }
    app.add_option("--seed", options.seed, "Seed of the random matrices (1)");
    app.add_option("--a", options.a, "Read A[M, K] from this .npy file (f16 or f32, row-major)");
    app.add_option("--b", options.b, "Read B[N, K] from this .npy file (f16 or f32, row-major)");
    app.add_option("--out", options.out,
                   "Write the result to this .npy file (as f32), PASS or FAIL");
    app.add_option("--verify", options.verify, "1: compare with the CPU, 0: do not (1)");
    app.add_option("--iters", options.iters, "Launches to measure on a GPU (1)");
    if (example.add_options) {
        example.add_options(app);
    }
    app.footer("A matrix without a file is random. Status: 0 PASS, 1 FAIL, 2 not computed.");
    try {
        app.parse(argc, argv);
    } catch (const CLI::CallForHelp& help) {
        return app.exit(help);
    } catch (const CLI::ParseError& e) {
        return fail(program, e.what());
    }

    try {
        const bool verify =
            !options.verify || parse_integer("--verify", *options.verify, 0, 1) == 1;
        gemm_problem problem = detail::make_problem(options, example);
        if (example.prepare) {
            example.prepare(problem);
        }
        const std::string device = device_name();
        std::printf("%s: %s\n", program, detail::equation(problem).c_str());
        std::printf("device: %s\n", device.c_str());
        std::fflush(stdout);

        const gemm_result result = run(problem);
        std::printf("%s\n", detail::report(problem, example, result.milliseconds, device).c_str());
        const bool pass = !verify || detail::check_product(problem, result.d);
        if (options.out) {
            npy::write(*options.out,
                       {static_cast<std::size_t>(problem.m), static_cast<std::size_t>(problem.n)},
                       result.d.data());
        }
        std::printf("%s\n", !verify ? "not verified" : pass ? "PASS" : "FAIL");
        return pass ? 0 : 1;
    } catch (const std::bad_alloc&) {
        return fail(program, "out of memory");
    } catch (const std::exception& e) {
        return fail(program, e.what());
    }
}

}  // namespace examples
