// SPDX-License-Identifier: MIT
//
// gemm_host.hpp: what the GEMM examples share on the host: options, matrices from the random number
// generator or from .npy files, the reference product, and the report. An example is its kernel, a
// function that runs it, and
//
//   int main(int argc, char** argv) {
//       return examples::gemm_main(argc, argv, "what it is, for --help", run);
//   }
//
// with  std::vector<float> run(const examples::gemm_problem& p), the M x N product of p.
//
// Exit status: 0 the product is right, 1 it is not, 2 there is none (one line on stderr says why).
#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
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

namespace examples {

// C[M, N] = A[M, K] * B[N, K]^T, all row-major without padding.
struct gemm_problem {
    int m = 0;
    int n = 0;
    int k = 0;
    std::vector<opus::fp16_t> a;  // m x k
    std::vector<opus::fp16_t> b;  // n x k
};

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
    std::optional<std::string> out;
};

constexpr long long default_extent = 512;
constexpr std::uint64_t default_seed = 1;

struct matrix {
    long long rows = 0;
    long long columns = 0;
    std::vector<opus::fp16_t> values;
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

// Multiples of 1/1024 in [-1, 1): exact in f16, and the same with every C++ library.
inline matrix random_matrix(long long rows, long long columns, std::mt19937_64& random) {
    matrix result{rows, columns, {}};
    result.values.resize(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns));
    for (opus::fp16_t& x : result.values) {
        x = static_cast<opus::fp16_t>(static_cast<float>(random() >> 53) / 1024.0f - 1.0f);
    }
    return result;
}

// A matrix from a .npy file; f32 is rounded to the nearest f16.
inline matrix read_matrix(const std::string& file) {
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
            std::memcpy(&result.values[i], &in.data[i * 2], 2);
            x = static_cast<float>(result.values[i]);
        } else {
            std::memcpy(&x, &in.data[i * 4], 4);
            result.values[i] = static_cast<opus::fp16_t>(x);
        }
        if (!std::isfinite(static_cast<float>(result.values[i]))) {
            char text[32];
            std::snprintf(text, sizeof(text), "%g", static_cast<double>(x));
            throw npy::error(file,
                             "element [" + std::to_string(i / in.shape[1]) + ", " +
                                 std::to_string(i % in.shape[1]) + "] is " + text +
                                 (std::isfinite(x) ? ", which overflows f16 (largest: 65504)"
                                                   : ", only finite values can be multiplied"));
        }
    }
    return result;
}

inline gemm_problem make_problem(const gemm_options& options) {
    // Options that are wrong by themselves are reported before any file is.
    const std::optional<long long> size_m = parse_extent("-m", options.m);
    const std::optional<long long> size_n = parse_extent("-n", options.n);
    const std::optional<long long> size_k = parse_extent("-k", options.k);
    std::uint64_t seed = default_seed;
    if (options.seed) {
        seed = parse_integer("--seed", *options.seed, std::uint64_t{0}, ~std::uint64_t{0});
    }
    if (options.out) {
        npy::check_writable(*options.out);
    }

    matrix a;
    matrix b;
    const auto agree = [](const char* option, std::optional<long long> size, long long extent,
                          const std::string& file) {
        if (size.value_or(extent) != extent) {
            throw usage_error(std::string(option) + " " + std::to_string(*size) + " contradicts " +
                              file + ", where it is " + std::to_string(extent));
        }
    };
    if (options.a) {
        a = read_matrix(*options.a);
        agree("-m", size_m, a.rows, *options.a);
        agree("-k", size_k, a.columns, *options.a);
    }
    if (options.b) {
        b = read_matrix(*options.b);
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
        a = random_matrix(size_m.value_or(default_extent), k, random);
    }
    if (!options.b) {
        b = random_matrix(size_n.value_or(default_extent), k, random);
    }

    gemm_problem result;
    result.m = static_cast<int>(a.rows);
    result.n = static_cast<int>(b.rows);
    result.k = static_cast<int>(k);
    result.a = std::move(a.values);
    result.b = std::move(b.values);
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

// Where one row of the product is furthest off.
struct row_result {
    double error = 0;   // largest |c - reference|
    int error_n = 0;    // and its column
    double excess = 0;  // largest |c - reference| / tolerance; infinite for a NaN
    int excess_n = 0;
    float value = 0;  // c there
    double reference = 0;
    double tolerance = 0;
};

// Tolerance. The product of two f16 is exact in f32 (11 + 11 significant bits, exponents far from
// the ends), so all error comes from adding K of them. The hardware does not say in which order it
// adds, nor whether it rounds or truncates, but every addition loses less than one unit in the last
// place of a partial sum, 2^-23 of it, and no partial sum exceeds S = sum over k of |a[k] * b[k]|.
// The first addition, to zero, loses nothing: |c - exact| <= (K - 1) * 2^-23 * S. The reference in
// double is off by at most K * 2^-53 * S, far below the 2^-23 * S that make it K * 2^-23 * S.
inline row_result check_row(const gemm_problem& p, const std::vector<double>& b_transposed,
                            const std::vector<float>& c, int row) {
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
        const double tolerance = static_cast<double>(p.k) * 0x1p-23 * sum_of_magnitudes[j];
        double error = std::fabs(static_cast<double>(c[i * n + j]) - sum[j]);
        if (std::isnan(error)) {
            error = INFINITY;
        }
        const double excess = error == 0 ? 0 : error / tolerance;
        if (error > worst.error) {
            worst.error = error;
            worst.error_n = static_cast<int>(j);
        }
        if (excess > worst.excess) {
            worst.excess = excess;
            worst.excess_n = static_cast<int>(j);
            worst.value = c[i * n + j];
            worst.reference = sum[j];
            worst.tolerance = tolerance;
        }
    }
    return worst;
}

// Compares with the reference and prints the largest error.
inline bool check_product(const gemm_problem& p, const std::vector<float>& c) {
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
        p.m, [&](int i) { rows[static_cast<std::size_t>(i)] = check_row(p, b_transposed, c, i); });

    const auto largest = std::max_element(rows.begin(), rows.end(),
                                          [](auto& x, auto& y) { return x.error < y.error; });
    const auto worst = std::max_element(rows.begin(), rows.end(),
                                        [](auto& x, auto& y) { return x.excess < y.excess; });
    std::printf("largest error: %.3g at C[%d, %d]; error / tolerance at most %.3g\n",
                largest->error, static_cast<int>(largest - rows.begin()), largest->error_n,
                worst->excess);
    const bool pass = worst->excess <= 1;
    if (!pass) {
        std::printf("C[%d, %d] is %.9g, expected %.9g +- %.3g\n",
                    static_cast<int>(worst - rows.begin()), worst->excess_n,
                    static_cast<double>(worst->value), worst->reference, worst->tolerance);
    }
    return pass;
}

}  // namespace detail

template <class Run>
int gemm_main(int argc, char** argv, const char* description, Run run) {
    const char* const program = program_name(argv[0]);

    detail::gemm_options options;
    CLI::App app(description, program);
    app.add_option("-m", options.m, "Rows of A and of C (512)");
    app.add_option("-n", options.n, "Rows of B, columns of C (512)");
    app.add_option("-k", options.k, "Columns of A and of B (512)");
    app.add_option("--seed", options.seed, "Seed of the random matrices (1)");
    app.add_option("--a", options.a, "Read A[M, K] from this .npy file (f16 or f32, row-major)");
    app.add_option("--b", options.b, "Read B[N, K] from this .npy file (f16 or f32, row-major)");
    app.add_option("--out", options.out, "Write C[M, N] to this .npy file (f32), PASS or FAIL");
    app.footer("Without --a or --b a matrix is random. Status: 0 PASS, 1 FAIL, 2 not computed.");
    try {
        app.parse(argc, argv);
    } catch (const CLI::CallForHelp& help) {
        return app.exit(help);
    } catch (const CLI::ParseError& e) {
        return fail(program, e.what());
    }

    try {
        const gemm_problem problem = detail::make_problem(options);
        std::printf("%s: C[%d, %d] = A[%d, %d] * B[%d, %d]^T\n", program, problem.m, problem.n,
                    problem.m, problem.k, problem.n, problem.k);
        std::printf("device: %s\n", device_name().c_str());
        std::fflush(stdout);

        const std::vector<float> c = run(problem);
        const bool pass = detail::check_product(problem, c);
        if (options.out) {
            npy::write(*options.out,
                       {static_cast<std::size_t>(problem.m), static_cast<std::size_t>(problem.n)},
                       c.data());
        }
        std::printf("%s\n", pass ? "PASS" : "FAIL");
        return pass ? 0 : 1;
    } catch (const std::bad_alloc&) {
        return fail(program, "out of memory");
    } catch (const std::exception& e) {
        return fail(program, e.what());
    }
}

}  // namespace examples
