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
    std::optional<std::string> epilogue;
    std::optional<std::string> bias;
};

const std::vector<std::string> epilogue_names{"none", "gelu", "silu", "residual"};

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

enum class rank_of { row, matrix, batch };

// A matrix from a .npy file, rounded to the nearest values of `type`; of `batch` a matrix or
// several, [batch, rows, columns], of `row` one row, [columns].
matrix read_matrix(const std::string& file, element type, rank_of most) {
    const npy::array in = npy::read(file);
    const std::size_t rank = in.shape.size();
    const bool has_batch = most == rank_of::batch && rank == 3;
    if (rank != (most == rank_of::row ? 1 : 2) && !has_batch) {
        throw npy::error(
            file, "has rank " + std::to_string(rank) +
                      (most == rank_of::row ? ", a row has rank 1" : ", a matrix has rank 2") +
                      (most == rank_of::batch ? ", a batch of them 3" : ""));
    }
    const std::string shape = shape_text(in.shape);
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

    const std::size_t rows = rank == 1 ? 1 : in.shape[rank - 2];
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
    const auto extent = [](long long n) { return static_cast<std::size_t>(n); };
    return (x.has_batch ? std::to_string(x.batch) + " x " : "") +
           shape_text({extent(x.rows), extent(x.columns)});
}

// The values of --type: elements, then formats.
std::vector<std::string> type_names(const gemm_example& example) {
    std::vector<std::string> names = names_of(example.types);
    names.insert(names.end(), example.formats.begin(), example.formats.end());
    return names;
}

gemm_problem make_problem(const gemm_options& options, const gemm_example& example,
                          std::mt19937_64& random) {
    // Sizes, types and factors that are wrong by themselves are reported before any file is.
    const std::optional<long long> size_m = parse_extent("-m", options.m);
    const std::optional<long long> size_n = parse_extent("-n", options.n);
    const std::optional<long long> size_k = parse_extent("-k", options.k);
    gemm_problem result;
    result.result = example.alpha_beta || example.has_epilogue ? "D" : "C";
    std::optional<long long> size_batch;
    if (options.batch) {
        size_batch = parse_integer("--batch", *options.batch, 1LL, max_batch);
    }
    const std::size_t type =
        options.type ? parse_name("--type", *options.type, type_names(example)) : 0;
    const std::size_t types = example.types.size();
    result.type = type < types ? example.types[type] : element::f32;
    result.format = type < types ? -1 : static_cast<int>(type - types);
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
    if (options.epilogue) {
        result.epilogue =
            static_cast<epilogue>(parse_name("--epilogue", *options.epilogue, epilogue_names));
        result.beta = result.epilogue == epilogue::residual ? 1 : 0;
    }
    const bool has_bias = result.epilogue == epilogue::gelu || result.epilogue == epilogue::silu;
    if (options.c && result.beta == 0) {
        throw usage_error(example.has_epilogue
                              ? "--c without --epilogue residual: C would not be used"
                              : "--c without --beta: C would not be used");
    }
    if (options.bias && !has_bias) {
        throw usage_error("--bias without --epilogue gelu or silu: it would not be used");
    }
    const rank_of most = example.has_batch ? rank_of::batch : rank_of::matrix;
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
        a = read_matrix(*options.a, result.type, most);
        agree("--batch", size_batch, a.batch, *options.a);
        agree("-m", size_m, a.rows, *options.a);
        agree("-k", size_k, a.columns, *options.a);
    }
    if (options.b) {
        b = read_matrix(*options.b, result.type, most);
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
    if (!options.a) {
        a = random_matrix(size_m.value_or(example.m), k, result.type, random, batch);
    }
    if (!options.b) {
        b = random_matrix(size_n.value_or(example.n), k, result.type, random, batch);
    }

    if (options.c) {
        c = read_matrix(*options.c, result.out_type, most);
        if (c.batch != batch || c.rows != a.rows || c.columns != b.rows) {
            const matrix expected{a.rows, b.rows, {}, batch, batch > 1};
            throw usage_error(*options.c + " is " + shape_of(c) + ": C[M, N] must be " +
                              shape_of(expected));
        }
    } else if (result.beta != 0) {
        c = random_matrix(a.rows, b.rows, result.out_type, random, batch);
    }
    matrix bias;
    if (options.bias) {
        bias = read_matrix(*options.bias, element::f32, rank_of::row);
        if (bias.columns != b.rows) {
            throw usage_error(*options.bias + " has " + std::to_string(bias.columns) +
                              " elements: bias[N] must have " + std::to_string(b.rows));
        }
    } else if (has_bias) {
        bias = random_matrix(1, b.rows, element::f32, random);
    }

    result.m = static_cast<int>(a.rows);
    result.n = static_cast<int>(b.rows);
    result.k = static_cast<int>(k);
    result.batch = static_cast<int>(batch);
    result.has_batch = size_batch || a.has_batch || b.has_batch;
    result.a = std::move(a.values);
    result.b = std::move(b.values);
    result.c = std::move(c.values);
    result.bias = std::move(bias.values);
    return result;
}

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
// An activation f changes a difference by at most its largest slope, which is 1.13 (GELU; SiLU
// 1.10). f(x) = x * s(y), s the sigmoid and y = x or the polynomial of the GELU, is computed in
// f32: y loses less than 2 units of itself, which s makes 0.28 of a unit each, as |y| * (1 - s(y))
// * s(y) is no more; the exponential and the reciprocal lose a unit each, the addition and the
// products half of one. Together that is less than 5 * u * |x|.
//
// Rounding to a shorter type than that of the sum keeps the order of numbers, as overflow does. So
// what is between the ends of the tolerance before it is between the rounded ends after it. A sum
// that overflows on its way and not at its end is not allowed for.
template <class Wide>
Wide activation(epilogue e, Wide x) {
    switch (e) {
        case epilogue::gelu:
            return x / (1 + std::exp(-2 * std::sqrt(2 / Wide{3.14159265358979323846L}) *
                                     (x + Wide{0.044715L} * x * x * x)));
        case epilogue::silu:
            return x / (1 + std::exp(-x));
        case epilogue::none:
        case epilogue::residual:
            break;
    }
    return x;
}

// The element of D that belongs to an exact sum, and how much it may be off.
template <class Wide>
struct expected {
    Wide reference;
    Wide below;
    Wide above;
};

// `magnitude` is the sum of the magnitudes of what the exact sum consists of.
template <class Wide>
expected<Wide> expect(const gemm_problem& p, Wide exact, Wide magnitude) {
    const bool f64 = sum_type(p.type) == element::f64;
    const double unit = f64 ? 0x1p-52 : 0x1p-23;
    const double denormal = f64 ? 0x1p-1074 : 0x1p-149;
    const bool scaled = p.alpha != 1 || p.beta != 0 || !p.bias.empty();
    const Wide units = p.k + p.product_error + (scaled ? 2 : 0);
    const Wide denormals =
        (p.type != element::f16 ? p.k * std::fabs(p.alpha) : 0) + (scaled ? 2 : 0);
    Wide off = (units * unit + p.k * std::numeric_limits<Wide>::epsilon()) * magnitude +
               denormals * denormal;
    if (!p.bias.empty()) {
        off = 1.13 * off + 5 * unit * std::fabs(exact);
    }
    const Wide reference = activation(p.epilogue, exact);
    const bool is_sum = size_of(p.out_type) >= size_of(sum_type(p.type));
    const auto rounded = [&](Wide x) -> Wide {
        const double result = round_to(p.out_type, static_cast<double>(x));
        return is_sum && std::isfinite(result) ? x : result;
    };
    return {reference, reference - rounded(reference - off), rounded(reference + off) - reference};
}

// Row `row` of all batches; b_transposed is batch x K x N.
template <class Wide>
void check_row(const gemm_problem& p, const std::vector<double>& b_transposed,
               const std::vector<double>& d, std::size_t row, comparison& result) {
    const auto n = static_cast<std::size_t>(p.n);
    const auto k = static_cast<std::size_t>(p.k);
    const std::size_t of_batch = row / static_cast<std::size_t>(p.m);
    std::vector<Wide> sum(n);
    std::vector<Wide> sum_of_magnitudes(n);
    for (std::size_t l = 0; l < k; ++l) {
        const Wide a = p.a[row * k + l];
        const double* const b = &b_transposed[(of_batch * k + l) * n];
        for (std::size_t j = 0; j < n; ++j) {
            sum[j] += a * b[j];
            sum_of_magnitudes[j] += std::fabs(a * b[j]);
        }
    }
    for (std::size_t j = 0; j < n; ++j) {
        const std::size_t at = row * n + j;
        const Wide added = !p.c.empty()      ? static_cast<Wide>(p.beta) * p.c[at]
                           : !p.bias.empty() ? p.bias[j]
                                             : 0;
        const Wide magnitude = std::fabs(p.alpha) * sum_of_magnitudes[j] + std::fabs(added);
        const auto [reference, below, above] = expect(p, p.alpha * sum[j] + added, magnitude);
        const Wide difference = d[at] - reference;
        if (difference != 0) {
            result.add(at, d[at], static_cast<double>(reference),
                       static_cast<double>(difference < 0 ? below : above),
                       static_cast<double>(std::fabs(difference)));
        }
    }
}

// Of D.
std::vector<std::size_t> result_shape(const gemm_problem& p) {
    std::vector<std::size_t> shape{static_cast<std::size_t>(p.m), static_cast<std::size_t>(p.n)};
    if (p.has_batch) {
        shape.insert(shape.begin(), static_cast<std::size_t>(p.batch));
    }
    return shape;
}

// "C[2, 3] = A[2, 4] * B[3, 4]^T", with alpha and beta where they are not 1 and 0; with an epilogue
// "D[2, 3] = silu(A[2, 4] * B[3, 4]^T + bias[3])" or "D[2, 3] = A[2, 4] * B[3, 4]^T + C[2, 3]".
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
    const std::string product =
        matrix_text("A", p.m, p.k) + " * " + matrix_text("B", p.n, p.k) + "^T";
    const std::string name = epilogue_names[static_cast<std::size_t>(p.epilogue)];
    const std::string beta = p.epilogue == epilogue::residual ? "" : factor(p.beta);
    return matrix_text(p.result, p.m, p.n) + " = " + (p.alpha != 1 ? factor(p.alpha) : "") +
           (p.bias.empty() ? product
                           : name + "(" + product + " + bias[" + std::to_string(p.n) + "])") +
           (p.beta != 0 ? " + " + beta + matrix_text("C", p.m, p.n) : "");
}

}  // namespace

std::string report(const gemm_problem& p, const gemm_result& result, const std::string& device) {
    const double m = p.m;
    const double n = p.n;
    const double k = p.k;
    const double batch = p.batch;
    const double in = p.operand_bytes > 0 ? p.operand_bytes : batch * (m + n) * k * size_of(p.type);
    const double least = in + batch * m * n * size_of(p.out_type) * (p.beta != 0 ? 2 : 1) +
                         static_cast<double>(p.bias.size() * sizeof(float));
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
    const auto check = p.type == element::f64 ? check_row<long double> : check_row<double>;
    const comparison all = compare_rows(
        static_cast<std::size_t>(p.batch * p.m),
        [&](std::size_t row, comparison& part) { check(p, b_transposed, d, row, part); });
    return all.print([&](std::size_t at) { return element_text(p.result, result_shape(p), at); },
                     p.out_type == element::f64 ? 17 : 9);
}

}  // namespace detail

float parse_f32(const char* option, const std::string& text) {
    return detail::parse_number<float>(option, text);
}

int gemm_main(int argc, char** argv, const gemm_example& example,
              const std::function<gemm_result(const gemm_problem&)>& run) {
    detail::gemm_options options;
    const bool has_c = example.alpha_beta || example.has_epilogue;
    const std::string formula = example.alpha_beta
                                    ? "D[M, N] = alpha * A[M, K] * B[N, K]^T + beta * C[M, N]"
                                : example.has_epilogue ? "D[M, N] = epilogue(A[M, K] * B[N, K]^T)"
                                                       : "C[M, N] = A[M, K] * B[N, K]^T";
    CLI::App app(formula + "\n" + example.description, program_name(argv[0]));
    const auto add = [&](const char* name, std::optional<std::string>& value,
                         const std::string& type,
                         const std::string& text) { add_option(app, name, value, type, text); };
    const auto with_default = [](const std::string& text, const auto& value) {
        return text + " (" + value + ")";
    };
    const std::string c = has_c ? "C and D" : "C";
    add("-m", options.m, "INT elements",
        with_default(has_c ? "Rows of A, C and D" : "Rows of A and C", std::to_string(example.m)));
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
                         detail::type_names(example).front()));
    }
    if (example.out_types.size() > 1) {
        add("--out-type", options.out_type, names_type(detail::names_of(example.out_types)),
            with_default("Of " + c, name_of(example.out_types.front())));
    }
    if (example.alpha_beta) {
        add("--alpha", options.alpha, "NUMBER", "Factor of the product (1)");
        add("--beta", options.beta, "NUMBER", "Factor of C; with 0 there is no C (0)");
    }
    if (example.has_epilogue) {
        add("--epilogue", options.epilogue, names_type(detail::epilogue_names),
            "D is gelu or silu of sum + bias, or sum + C (none)");
    }
    if (example.add_options) {
        example.add_options(app);
    }
    add("--a", options.a, detail::file_type, "Read A[M, K]");
    add("--b", options.b, detail::file_type, "Read B[N, K]");
    if (has_c) {
        add("--c", options.c, detail::file_type, "Read C[M, N]");
    }
    if (example.has_epilogue) {
        add("--bias", options.bias, detail::file_type, "Read bias[N]");
    }
    const std::vector<element>& results =
        example.out_types.empty() ? example.types : example.out_types;
    const bool has_f64 = std::count(results.begin(), results.end(), element::f64) > 0;
    detail::add_run_options(app, options, has_f64 ? "as f32, f64 as f64" : "as f32");
    gemm_problem problem;
    std::optional<gemm_result> result;
    detail::program_steps steps;
    steps.prepare = [&](std::mt19937_64& random) {
        problem = detail::make_problem(options, example, random);
        if (example.prepare) {
            example.prepare(problem);
        }
        return detail::equation(problem);
    };
    steps.run = [&](int iters) {
        problem.iters = iters;
        result = run(problem);
        return detail::report(problem, *result, device_name());
    };
    steps.check = [&] { return detail::check_product(problem, result->d); };
    steps.write = [&] {
        detail::write_values(options.out, detail::result_shape(problem), result->d,
                             problem.out_type);
    };
    return detail::run_program(app, options, argc, argv, steps);
}

}  // namespace examples
