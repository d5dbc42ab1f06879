// SPDX-License-Identifier: MIT
#include "gemm_host.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <system_error>
#include <utility>

#include "host_program.hpp"
#include "npy.hpp"

namespace examples {

namespace {

// Rounded to odd: of the two floats around x the one whose last bit is 1, or x where it is one. So
// what is rounded from that to a type with fewer bits is rounded as if from x, once.
float to_odd_float(double x) {
    const auto nearest = static_cast<float>(x);
    std::uint32_t bits = 0;
    std::memcpy(&bits, &nearest, sizeof(bits));
    if (std::isnan(x) || static_cast<double>(nearest) == x || bits % 2 == 1) {
        return nearest;
    }
    return std::nextafter(nearest, static_cast<double>(nearest) < x ? INFINITY : -INFINITY);
}

}  // namespace

double round_to(element type, double x) {
    switch (type) {
        case element::f16:
            return static_cast<double>(static_cast<opus::fp16_t>(to_odd_float(x)));
        case element::bf16:
            return static_cast<double>(opus::fp32_to_bf16(to_odd_float(x), opus::number<0>{}));
        case element::f32:
            return static_cast<double>(static_cast<float>(x));
        case element::f64:
            break;
    }
    return x;
}

namespace detail {

namespace {

struct gemm_options : run_options {
    std::optional<std::string> m;
    std::optional<std::string> n;
    std::optional<std::string> k;
    std::optional<std::string> batch;
    std::optional<std::string> a;
    std::optional<std::string> b;
    std::optional<std::string> c;
    std::optional<std::string> type;
    std::optional<std::string> out_type;
    std::optional<std::string> alpha;
    std::optional<std::string> beta;
};

std::optional<long long> parse_extent(const char* option, const std::optional<std::string>& text) {
    if (!text) {
        return std::nullopt;
    }
    return parse_integer(option, *text, 1LL, max_extent);
}

// A finite T in decimal, and nothing after it; rounded once.
template <class T>
T parse_number(const char* option, const std::string& text) {
    T value = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, code] = std::from_chars(text.data(), end, value);
    const char* const type = sizeof(T) == 8 ? "f64" : "f32";
    if (code != std::errc{} || stop != end || !std::isfinite(value)) {
        throw usage_error(std::string(option) + " is '" + text + "': it must be a " +
                          (code == std::errc::result_out_of_range
                               ? std::string("number that ") + type + " has"
                               : "finite number"));
    }
    return value;
}

}  // namespace

matrix random_matrix(long long rows, long long columns, element type, std::mt19937_64& random,
                     long long batch) {
    matrix result{rows, columns, {}, batch, false};
    result.values.resize(static_cast<std::size_t>(batch * rows) *
                         static_cast<std::size_t>(columns));
    constexpr int significant_bits[] = {11, 8, 24, 53};
    const int bits = significant_bits[static_cast<int>(type)];
    int exponent = 0;
    for (std::size_t i = 0; i < result.values.size(); ++i) {
        if (type == element::f32 && i % static_cast<std::size_t>(columns) % 32 == 0) {
            exponent = -static_cast<int>(random() >> 61);
        }
        const double x = std::ldexp(static_cast<double>(random() >> (64 - bits)), 1 - bits) - 1;
        result.values[i] = std::ldexp(x, exponent);
    }
    return result;
}

namespace {

// A matrix from a .npy file, rounded to the nearest values of `type`; where there may be several,
// [batch, rows, columns] too.
matrix read_matrix(const std::string& file, element type, bool may_have_batch) {
    const npy::array in = npy::read(file);
    const bool has_batch = may_have_batch && in.shape.size() == 3;
    if (in.shape.size() != 2 && !has_batch) {
        throw npy::error(file, "has rank " + std::to_string(in.shape.size()) +
                                   ", a matrix has rank 2" +
                                   (may_have_batch ? ", a batch of them 3" : ""));
    }
    std::string shape;
    for (const std::size_t extent : in.shape) {
        shape += (shape.empty() ? "" : " x ") + std::to_string(extent);
    }
    for (const std::size_t extent : in.shape) {
        if (extent < 1 || extent > static_cast<std::size_t>(max_extent)) {
            throw npy::error(file, "has shape " + shape + ", each must be from 1 to " +
                                       std::to_string(max_extent));
        }
    }
    if (has_batch && in.shape[0] > static_cast<std::size_t>(max_batch)) {
        throw npy::error(file, "has shape " + shape + ", a batch of at most " +
                                   std::to_string(max_batch) + " is possible");
    }

    const std::size_t rank = in.shape.size();
    const std::size_t rows = in.shape[rank - 2];
    const std::size_t columns = in.shape[rank - 1];
    const std::size_t batch = has_batch ? in.shape[0] : 1;
    const std::size_t size = batch * rows * columns;
    matrix result{static_cast<long long>(rows),
                  static_cast<long long>(columns),
                  {},
                  static_cast<long long>(batch),
                  has_batch};
    result.values.resize(size);
    for (std::size_t i = 0; i < size; ++i) {
        const double x = npy::value(in, i);
        result.values[i] = round_to(type, x);
        if (!std::isfinite(result.values[i])) {
            char text[32];
            std::snprintf(text, sizeof(text), "%g", x);
            const std::string overflow = std::string(", which overflows ") + name_of(type) +
                                         (type == element::f16 ? " (largest: 65504)" : "");
            throw npy::error(
                file, "element [" + (has_batch ? std::to_string(i / (rows * columns)) + ", " : "") +
                          std::to_string(i / columns % rows) + ", " + std::to_string(i % columns) +
                          "] is " + text +
                          (std::isfinite(x) ? overflow : ", only finite values can be multiplied"));
        }
    }
    return result;
}

// "2 x 3", with a batch "4 x 2 x 3".
std::string shape_of(const matrix& x) {
    return (x.has_batch ? std::to_string(x.batch) + " x " : "") + shape_text(x.rows, x.columns);
}

// The values of --type: elements, then formats.
std::vector<std::string> type_names(const gemm_example& example) {
    std::vector<std::string> names = names_of(example.types);
    names.insert(names.end(), example.formats.begin(), example.formats.end());
    return names;
}

gemm_problem make_problem(const gemm_options& options, const gemm_example& example) {
    // Sizes, types and factors that are wrong by themselves are reported before any file is.
    const std::optional<long long> size_m = parse_extent("-m", options.m);
    const std::optional<long long> size_n = parse_extent("-n", options.n);
    const std::optional<long long> size_k = parse_extent("-k", options.k);
    gemm_problem result;
    result.result = example.alpha_beta ? "D" : "C";
    std::optional<long long> size_batch;
    if (options.batch) {
        size_batch = parse_integer("--batch", *options.batch, 1LL, max_batch);
    }
    if (options.type) {
        const auto value =
            static_cast<int>(parse_name("--type", *options.type, type_names(example)));
        result.format = value - static_cast<int>(example.types.size());
        result.type =
            result.format < 0 ? example.types[static_cast<std::size_t>(value)] : element::f32;
        result.format = std::max(result.format, -1);
    } else {
        result.type = example.types.front();
    }
    result.out_type = example.out_types.empty()
                          ? result.type
                          : parse_element("--out-type", options.out_type, example.out_types);
    const auto number = [&](const char* option, const std::string& text) {
        return sum_type(result.type) == element::f64
                   ? parse_number<double>(option, text)
                   : static_cast<double>(parse_number<float>(option, text));
    };
    if (options.alpha) {
        result.alpha = number("--alpha", *options.alpha);
    }
    if (options.beta) {
        result.beta = number("--beta", *options.beta);
    }
    if (options.c && result.beta == 0) {
        throw usage_error("--c without --beta: C would not be used");
    }
    const auto [seed, iters] = parse_run_options(options);
    result.iters = iters;

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
        a = read_matrix(*options.a, result.type, example.has_batch);
        agree("--batch", size_batch, a.batch, *options.a);
        agree("-m", size_m, a.rows, *options.a);
        agree("-k", size_k, a.columns, *options.a);
    }
    if (options.b) {
        b = read_matrix(*options.b, result.type, example.has_batch);
        agree("--batch", size_batch, b.batch, *options.b);
        agree("-n", size_n, b.rows, *options.b);
        agree("-k", size_k, b.columns, *options.b);
    }
    if (options.a && options.b && a.columns != b.columns) {
        throw usage_error(*options.a + " is " + shape_of(a) + " and " + *options.b + " is " +
                          shape_of(b) + ": A[M, K] and B[N, K] need the same number of columns");
    }
    if (options.a && options.b && a.batch != b.batch) {
        throw usage_error(*options.a + " is " + shape_of(a) + " and " + *options.b + " is " +
                          shape_of(b) + ": A and B need the same batch");
    }

    const long long k = options.a ? a.columns : options.b ? b.columns : size_k.value_or(example.k);
    const long long batch = options.a ? a.batch : options.b ? b.batch : size_batch.value_or(1);
    std::mt19937_64 random(seed);
    if (!options.a) {
        a = random_matrix(size_m.value_or(example.m), k, result.type, random, batch);
    }
    if (!options.b) {
        b = random_matrix(size_n.value_or(example.n), k, result.type, random, batch);
    }

    if (options.c) {
        c = read_matrix(*options.c, result.out_type, false);
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
    result.batch = static_cast<int>(batch);
    result.has_batch = size_batch || a.has_batch || b.has_batch;
    result.a = std::move(a.values);
    result.b = std::move(b.values);
    result.c = std::move(c.values);
    return result;
}

// Where one row of the result is furthest off.
struct row_result {
    bool differs = false;
    double error = 0;   // largest |d - reference|; 0 for an overflow where there may be one
    int error_n = 0;    // and its column
    double excess = 0;  // largest |d - reference| / tolerance; infinite for a NaN
    int excess_n = 0;
    double value = 0;  // d there
    double reference = 0;
    double tolerance = 0;
};

// Tolerance. A sum is of f64 where the operands are, else of f32; let u be the unit in the last
// place of 1 in that type, 2^-52 or 2^-23, and S = sum over k of |a[k] * b[k]|.
//
// The product of two elements of 16 bits or fewer is exact in f32 (11 + 11 significant bits at
// most). Those of f32 and f64 elements are not, nor are those of quantised elements with their
// scales: each loses up to `product_error` units of itself. Together that is product_error * u * S.
// Or it loses up to one denormal, where it is so small (those of f16 never are), times alpha.
//
// The rest of the error comes from adding K of them. The hardware does not say in which order it
// adds, nor whether it rounds or truncates, but every addition loses less than one unit in the last
// place of a partial sum, u of it, and no partial sum exceeds S. The first addition, to zero, loses
// nothing: |sum - exact| <= (K - 1) * u * S, and K * u * S is allowed.
//
// alpha and beta take three more operations, which round to nearest: each loses half a unit of
// |alpha| * S + |beta * c|, or, where the result is denormal, half a denormal. That is two units at
// most.
//
// That is the worst case: for a long K it is far above what is usual, and a few products of 2^20
// could be left out unseen.
//
// The reference is of type Wide: double, or for f64 long double. Each of its products and additions
// loses half a unit of that. What alpha and beta lose there is far below the u * S of the first
// addition.
//
// Rounding to a shorter type than that of the sum keeps the order of numbers, as overflow does. So
// what is between the ends of the tolerance before it is between the rounded ends after it. A sum
// that overflows on its way and not at its end is not allowed for.
template <class Wide>
struct tolerance {
    Wide below;
    Wide above;
};

template <class Wide>
tolerance<Wide> tolerance_of(const gemm_problem& p, Wide reference, Wide magnitude) {
    const bool f64 = sum_type(p.type) == element::f64;
    const double unit = f64 ? 0x1p-52 : 0x1p-23;
    const double denormal = f64 ? 0x1p-1074 : 0x1p-149;
    const bool scaled = p.alpha != 1 || p.beta != 0;
    const Wide units = p.k + p.product_error + (scaled ? 2 : 0);
    const Wide denormals =
        (p.type != element::f16 ? p.k * std::fabs(p.alpha) : 0) + (scaled ? 2 : 0);
    const Wide sum = (units * unit + p.k * std::numeric_limits<Wide>::epsilon()) * magnitude +
                     denormals * denormal;
    const bool is_sum = size_of(p.out_type) >= size_of(sum_type(p.type));
    const auto rounded = [&](Wide x) -> Wide {
        const double result = round_to(p.out_type, static_cast<double>(x));
        return is_sum && std::isfinite(result) ? x : result;
    };
    return {reference - rounded(reference - sum), rounded(reference + sum) - reference};
}

// Row `row` of all batches; b_transposed is batch x K x N.
template <class Wide>
row_result check_row(const gemm_problem& p, const std::vector<double>& b_transposed,
                     const std::vector<double>& d, int row) {
    const auto n = static_cast<std::size_t>(p.n);
    const auto k = static_cast<std::size_t>(p.k);
    const auto i = static_cast<std::size_t>(row);
    const std::size_t of_batch = i / static_cast<std::size_t>(p.m);
    std::vector<Wide> sum(n);
    std::vector<Wide> sum_of_magnitudes(n);
    for (std::size_t l = 0; l < k; ++l) {
        const Wide a = p.a[i * k + l];
        const double* const b = &b_transposed[(of_batch * k + l) * n];
        for (std::size_t j = 0; j < n; ++j) {
            sum[j] += a * b[j];
            sum_of_magnitudes[j] += std::fabs(a * b[j]);
        }
    }

    row_result worst;
    worst.excess = -1;
    for (std::size_t j = 0; j < n; ++j) {
        const Wide added = p.c.empty() ? 0 : static_cast<Wide>(p.beta) * p.c[i * n + j];
        const Wide reference = p.alpha * sum[j] + added;
        const Wide magnitude = std::fabs(p.alpha) * sum_of_magnitudes[j] + std::fabs(added);
        const auto [below, above] = tolerance_of(p, reference, magnitude);
        const Wide difference = d[i * n + j] - reference;
        const Wide allowed = difference < 0 ? below : above;
        worst.differs |= difference != 0;
        auto error = static_cast<double>(std::fabs(difference));
        double excess = difference == 0 ? 0 : static_cast<double>(std::fabs(difference) / allowed);
        if (std::isnan(error)) {
            error = INFINITY;
            excess = INFINITY;
        } else if (allowed == INFINITY && error == INFINITY) {
            error = 0;  // an overflow where there may be one
            excess = 0;
        } else if (difference != 0 && allowed <= 0) {
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
            worst.reference = static_cast<double>(reference);
            worst.tolerance = static_cast<double>(allowed);
        }
    }
    return worst;
}

// "C[2, 3] = A[2, 4] * B[3, 4]^T", with alpha and beta where they are not 1 and 0.
std::string equation(const gemm_problem& p) {
    const auto matrix_text = [&](const char* name, int rows, int columns) {
        return std::string(name) + "[" + (p.has_batch ? std::to_string(p.batch) + ", " : "") +
               std::to_string(rows) + ", " + std::to_string(columns) + "]";
    };
    const auto factor = [](double x) {
        char text[32];
        std::snprintf(text, sizeof(text), "%g * ", x);
        return std::string(text);
    };
    return matrix_text(p.result, p.m, p.n) + " = " + (p.alpha != 1 ? factor(p.alpha) : "") +
           matrix_text("A", p.m, p.k) + " * " + matrix_text("B", p.n, p.k) + "^T" +
           (p.beta != 0 ? " + " + factor(p.beta) + matrix_text("C", p.m, p.n) : "");
}

}  // namespace

std::string report(const gemm_problem& p, const gemm_result& result, const std::string& device) {
    const double m = p.m;
    const double n = p.n;
    const double k = p.k;
    const double batch = p.batch;
    const double in = p.operand_bytes > 0 ? p.operand_bytes : batch * (m + n) * k * size_of(p.type);
    const double least = in + batch * m * n * size_of(p.out_type) * (p.beta != 0 ? 2 : 1);
    return result.moved_bytes > 0
               ? moved_report(result.moved_bytes, least, result.milliseconds, device)
               : compute_report(2 * batch * m * n * k, least, result.milliseconds, p.peak, device);
}

bool check_product(const gemm_problem& p, const std::vector<double>& d) {
    const auto n = static_cast<std::size_t>(p.n);
    const auto k = static_cast<std::size_t>(p.k);
    // batch x k x n, so that the innermost loop of the reference runs along memory.
    std::vector<double> b_transposed(p.b.size());
    parallel_for(p.batch * p.n, [&](int j) {
        const auto row = static_cast<std::size_t>(j);
        for (std::size_t l = 0; l < k; ++l) {
            b_transposed[(row / n * k + l) * n + row % n] = p.b[row * k + l];
        }
    });
    std::vector<row_result> rows(static_cast<std::size_t>(p.batch * p.m));
    const auto check = p.type == element::f64 ? check_row<long double> : check_row<double>;
    parallel_for(p.batch * p.m,
                 [&](int i) { rows[static_cast<std::size_t>(i)] = check(p, b_transposed, d, i); });

    const auto largest = std::max_element(rows.begin(), rows.end(),
                                          [](auto& x, auto& y) { return x.error < y.error; });
    const auto worst = std::max_element(rows.begin(), rows.end(),
                                        [](auto& x, auto& y) { return x.excess < y.excess; });
    const bool differs =
        std::any_of(rows.begin(), rows.end(), [](const row_result& row) { return row.differs; });
    const auto where = [&](auto row, int column) {
        const auto i = static_cast<std::size_t>(row - rows.begin());
        const auto m = static_cast<std::size_t>(p.m);
        const auto j = static_cast<std::size_t>(column);
        return p.has_batch ? element_text(p.result, {i / m, i % m, j})
                           : element_text(p.result, {i, j});
    };
    print_difference(differs, largest->error, where(largest, largest->error_n), worst->excess);
    const bool pass = worst->excess <= 1;
    if (!pass) {
        print_wrong(where(worst, worst->excess_n), worst->value, worst->reference, worst->tolerance,
                    p.out_type);
    }
    return pass;
}

}  // namespace detail

float parse_f32(const char* option, const std::string& text) {
    return detail::parse_number<float>(option, text);
}

int gemm_main(int argc, char** argv, const gemm_example& example,
              const std::function<gemm_result(const gemm_problem&)>& run) {
    const char* const program = program_name(argv[0]);

    detail::gemm_options options;
    const std::string formula = example.alpha_beta
                                    ? "D[M, N] = alpha * A[M, K] * B[N, K]^T + beta * C[M, N]"
                                    : "C[M, N] = A[M, K] * B[N, K]^T";
    CLI::App app(formula + "\n" + example.description, program);
    const auto add = [&](const char* name, std::optional<std::string>& value,
                         const std::string& type,
                         const std::string& text) { add_option(app, name, value, type, text); };
    const auto with_default = [](const std::string& text, const auto& value) {
        return text + " (" + value + ")";
    };
    const std::string c = example.alpha_beta ? "C and D" : "C";
    add("-m", options.m, "INT elements",
        with_default(example.alpha_beta ? "Rows of A, C and D" : "Rows of A and C",
                     std::to_string(example.m)));
    add("-n", options.n, "INT elements",
        with_default("Rows of B, columns of " + c, std::to_string(example.n)));
    add("-k", options.k, "INT elements",
        with_default("Columns of A and B", std::to_string(example.k)));
    if (example.has_batch) {
        add("--batch", options.batch, "INT", "So many products; matrices have it in front (none)");
    }
    if (example.types.size() + example.formats.size() > 1) {
        add("--type", options.type, names_type(detail::type_names(example)),
            with_default(example.out_types.empty() ? "Of all matrices" : "Of A and B",
                         name_of(example.types.front())));
    }
    if (example.out_types.size() > 1) {
        add("--out-type", options.out_type, names_type(detail::names_of(example.out_types)),
            with_default("Of " + c, name_of(example.out_types.front())));
    }
    if (example.alpha_beta) {
        add("--alpha", options.alpha, "NUMBER", "Factor of the product (1)");
        add("--beta", options.beta, "NUMBER", "Factor of C; with 0 there is no C (0)");
    }
    if (example.add_options) {
        example.add_options(app);
    }
    add("--a", options.a, detail::file_type, "Read A[M, K]");
    add("--b", options.b, detail::file_type, "Read B[N, K]");
    if (example.alpha_beta) {
        add("--c", options.c, detail::file_type, "Read C[M, N]");
    }
    const std::vector<element>& results =
        example.out_types.empty() ? example.types : example.out_types;
    const bool has_f64 = std::count(results.begin(), results.end(), element::f64) > 0;
    detail::add_run_options(app, options, has_f64 ? "as f32, f64 as f64" : "as f32");
    return detail::parse_and_run(app, argc, argv, program, [&] {
        const bool verify = detail::wants_verify(options);
        gemm_problem problem = detail::make_problem(options, example);
        const std::string device = device_name();
        if (example.prepare) {
            example.prepare(problem);
        }
        std::printf("%s: %s\n", program, detail::equation(problem).c_str());
        std::printf("device: %s\n", device.c_str());
        std::fflush(stdout);

        const gemm_result result = run(problem);
        std::printf("%s\n", detail::report(problem, result, device).c_str());
        const bool pass = !verify || detail::check_product(problem, result.d);
        if (options.out) {
            std::vector<std::size_t> shape{static_cast<std::size_t>(problem.m),
                                           static_cast<std::size_t>(problem.n)};
            if (problem.has_batch) {
                shape.insert(shape.begin(), static_cast<std::size_t>(problem.batch));
            }
            detail::write_values(*options.out, shape, result.d, problem.out_type);
        }
        std::printf("%s\n", !verify ? "not verified" : pass ? "PASS" : "FAIL");
        return pass ? 0 : 1;
    });
}

}  // namespace examples
