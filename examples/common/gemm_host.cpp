// SPDX-License-Identifier: MIT
#include "gemm_host.hpp"

#include <cmath>
#include <cstdio>
#include <limits>
#include <utility>

namespace examples {

namespace detail {

namespace {

// == options ======================================================================================

std::vector<std::string> epilogue_names() {
    return {"none", "gelu", "silu", "residual"};
}

bool has_c(const gemm_example& example) {
    return example.alpha_beta || example.has_epilogue;
}

// The values of --type: elements, then formats.
std::vector<std::string> type_names(const gemm_example& example) {
    std::vector<std::string> names = names_of(example.types);
    names.insert(names.end(), example.formats.begin(), example.formats.end());
    return names;
}

struct gemm_options {
    explicit gemm_options(const gemm_example& example) : c_text(has_c(example) ? "C and D" : "C") {
        m = {"-m", has_c(example) ? "Rows of A, C and D" : "Rows of A and C", example.m};
        n = {"-n", "Rows of B, columns of " + c_text, example.n};
        k = {"-k", "Columns of A and B", example.k};
        for (input* const in : {&a, &b, &c, &bias}) {
            in->finite = true;
        }
        a.may_repeat = b.may_repeat = example.may_repeat;
        for (input* const in : {&a, &b, &c}) {
            if (example.has_batch) {
                in->shape.insert(in->shape.begin(), &batch);
                in->may_lack_first = true;
            }
        }
    }

    // Adds the options that the example has.
    void add_to(CLI::App& app, const gemm_example& example);

    std::string c_text;
    extent m{}, n{}, k{};
    extent batch{"--batch", "Products, as first dimension of each matrix", 1, max_batch, "INT",
                 "none"};
    std::size_t type = 0;      // of type_names()
    std::size_t out_type = 0;  // of the example's
    std::string alpha = "1";   // they are of the type of the sums
    std::string beta = "0";
    examples::epilogue epilogue = examples::epilogue::none;
    input a{"--a", "Read A[M, K]", {&m, &k}};
    input b{"--b", "Read B[N, K]", {&n, &k}};
    input c{"--c", "Read C[M, N]", {&m, &n}};
    input bias{"--bias", "Read bias[N]", {&n}};
};

void gemm_options::add_to(CLI::App& app, const gemm_example& example) {
    const std::vector<std::string> types = type_names(example);
    if (types.size() > 1) {
        const std::string of =
            example.out_types.empty() ? "Type of all matrices" : "Type of A and B";
        add_name(app, "--type", type, types, of + " (" + types.front() + ")");
    }
    if (example.out_types.size() > 1) {
        const std::vector<std::string> names = names_of(example.out_types);
        add_name(app, "--out-type", out_type, names,
                 "Type of " + c_text + " (" + names.front() + ")");
    }
    if (example.alpha_beta) {
        add_option(app, "--alpha", "NUMBER", "Factor of the product (1)",
                   [this](const std::string& given) { alpha = given; });
        add_option(app, "--beta", "NUMBER", "Factor of C; with 0 there is no C (0)",
                   [this](const std::string& given) { beta = given; });
    }
    if (example.has_epilogue) {
        add_name(app, "--epilogue", epilogue, epilogue_names(),
                 "D is gelu or silu of sum + bias, or sum + C (none)");
    }
    if (example.add_options) {
        example.add_options(app);
    }
    a.add_to(app);
    b.add_to(app);
    if (has_c(example)) {
        c.add_to(app);
    }
    if (example.has_epilogue) {
        bias.add_to(app);
    }
}

gemm_problem make_problem(gemm_options& options, const gemm_example& example,
                          std::mt19937_64& random) {
    gemm_problem result;
    result.result = has_c(example) ? "D" : "C";
    const std::size_t types = example.types.size();
    result.type = options.type < types ? example.types[options.type] : element::f32;
    result.format = options.type < types ? -1 : static_cast<int>(options.type - types);
    result.out_type = example.out_types.empty() ? result.type : example.out_types[options.out_type];
    const auto number = [&](const char* option, const std::string& text) {
        return sum_type(result.type) == element::f64 ? parse_number<double>(option, text)
                                                     : double{parse_number<float>(option, text)};
    };
    result.alpha = number("--alpha", options.alpha);
    result.beta = number("--beta", options.beta);
    result.epilogue = options.epilogue;
    if (result.epilogue == epilogue::residual) {
        result.beta = 1;
    }
    const bool has_bias = result.epilogue == epilogue::gelu || result.epilogue == epilogue::silu;
    if (options.c.value && result.beta == 0) {
        throw usage_error(example.has_epilogue
                              ? "--c without --epilogue residual: C would not be used"
                              : "--c without --beta: C would not be used");
    }
    if (options.bias.value && !has_bias) {
        throw usage_error("--bias without --epilogue gelu or silu: it would not be used");
    }

    options.c.optional = result.beta == 0;
    options.bias.optional = !has_bias;
    const std::pair<input*, element> inputs[] = {{&options.a, result.type},
                                                 {&options.b, result.type},
                                                 {&options.c, result.out_type},
                                                 {&options.bias, element::f32}};
    for (const auto& [in, type] : inputs) {
        in->read(type);
    }
    for (const auto& [in, type] : inputs) {
        in->fill(type, random);
    }
    result.m = options.m.size();
    result.n = options.n.size();
    result.k = options.k.size();
    result.batch = options.batch.size();
    result.has_batch = (options.batch.known && options.batch.file.empty()) || options.a.rank == 3 ||
                       options.b.rank == 3;
    result.a = std::move(options.a.values);
    result.b = std::move(options.b.values);
    result.c = std::move(options.c.values);
    result.bias = std::move(options.bias.values);
    return result;
}

// == the product ==================================================================================

// Tolerance. A sum has type f64 if the operands have it, else f32. Let u be the unit in the last
// place of 1 in that type, 2^-52 or 2^-23, and S = sum over k of |a[k] * b[k]|.
//
// The product of two elements of 16 bits or fewer is exact in f32 (11 + 11 significant bits at
// most). Products of f32 and f64 elements are not exact, nor are those of quantised elements with
// their scales: each is off by up to `product_error` units of itself, product_error * u * S in all.
// A product that is small enough (those of f16 never are) is off by up to one denormal instead,
// times alpha.
//
// The rest of the error comes from adding K products. On gfx950 the order of additions is not known,
// nor whether they round or truncate. But each is off by less than one unit in the last place of a
// partial sum, no partial sum exceeds S, and the first addition, to zero, is exact:
// |sum - exact| <= (K - 1) * u * S, and K * u * S is allowed. gfx942 adds products in groups, which
// loses less (docs/matrix-cores.md, "How products are added"), if a subnormal factor counts in S as
// the smallest normal number, and zero as 2^-126.
//
// alpha and beta take three more operations, which round to nearest. Each is off by half a unit of
// |alpha| * S + |beta * c|, or by half a denormal if the result is denormal: two units at most.
//
// This is the worst case. For a long K it is far above the usual error: a few missing products of
// 2^20 would not be noticed.
//
// The reference has type Wide: double, or long double for f64. Each of its products and additions
// is off by half a unit of that. Its error from alpha and beta is far below the u * S of the first
// addition.
//
// An activation f changes a difference by at most its largest slope, which is 1.13 (GELU; SiLU
// 1.10). f(x) = x * s(y), s the sigmoid and y = x or the polynomial of the GELU, is computed in
// f32: y is off by less than 2 units of itself, and s(y) by at most 0.28 of a unit for each of
// them, since |y| * (1 - s(y)) * s(y) is less. The exponential and the reciprocal are off by a unit
// each, the addition and the products by half of one. Together that is less than 5 * u * |x|.
//
// Rounding to a shorter type than that of the sum keeps the order of numbers, as overflow does. So
// a number within the tolerance is between the rounded ends of the tolerance afterwards. Sums that
// overflow in between, but not at the end, are not allowed for.
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

// Element `at` of D, whose exact sum is given; `magnitude` is the sum of the magnitudes of its
// products.
template <class Wide>
void expect_element(const gemm_problem& p, Wide exact, Wide magnitude, std::size_t at,
                    tensor_output& d) {
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
    const Wide wide = activation(p.epilogue, exact);
    const auto value = static_cast<double>(wide);
    const bool is_sum = size_of(p.out_type) >= size_of(sum_type(p.type));
    // The end of the tolerance on the kernel's side. If it and `value` both overflow, nothing but
    // that overflow is allowed.
    const double of_kernel = d.values[at];
    const bool above = of_kernel > value;
    const double end = round_to(p.out_type, static_cast<double>(above ? wide + off : wide - off));
    const double rounded = above ? end - value : value - end;
    d.expect(at, value,
             std::isnan(of_kernel)          ? 0
             : is_sum && std::isfinite(end) ? static_cast<double>(off)
                                            : rounded);
}

// Row `row` of all batches; b_transposed is batch x K x N.
template <class Wide>
void expect_row(const gemm_problem& p, const std::vector<double>& b_transposed, std::size_t row,
                tensor_output& d) {
    const auto n = static_cast<std::size_t>(p.n);
    const auto k = static_cast<std::size_t>(p.k);
    const std::size_t of_batch = row / static_cast<std::size_t>(p.m);
    std::vector<Wide> sum(n);
    std::vector<Wide> sum_of_magnitudes(n);
    const auto counted = [&](Wide x) {
        const Wide least = size_of(p.type) != 2               ? 0
                           : p.type == element::f16 && x != 0 ? 0x1p-14
                                                              : 0x1p-126;
        return std::max(std::fabs(x), least);
    };
    for (std::size_t l = 0; l < k; ++l) {
        const Wide a = p.a[row * k + l];
        const double* const b = &b_transposed[(of_batch * k + l) * n];
        for (std::size_t j = 0; j < n; ++j) {
            sum[j] += a * b[j];
            sum_of_magnitudes[j] += counted(a) * counted(b[j]);
        }
    }
    for (std::size_t j = 0; j < n; ++j) {
        const Wide added = !p.c.empty()      ? static_cast<Wide>(p.beta) * p.c[row * n + j]
                           : !p.bias.empty() ? p.bias[j]
                                             : 0;
        const Wide magnitude = std::fabs(p.alpha) * sum_of_magnitudes[j] + std::fabs(added);
        expect_element(p, p.alpha * sum[j] + added, magnitude, row * n + j, d);
    }
}

void expect_product(const gemm_problem& p, tensor_output& d) {
    const auto n = static_cast<std::size_t>(p.n);
    const auto k = static_cast<std::size_t>(p.k);
    // batch x k x n, so that the innermost loop of the reference reads consecutive memory.
    std::vector<double> b_transposed(p.b.size());
    parallel_for(p.batch * p.n, [&](int j) {
        const auto row = static_cast<std::size_t>(j);
        for (std::size_t l = 0; l < k; ++l) {
            b_transposed[(row / n * k + l) * n + row % n] = p.b[row * k + l];
        }
    });
    const auto expect = p.type == element::f64 ? expect_row<long double> : expect_row<double>;
    parallel_for(d.values.size() / n, [&](std::size_t row) { expect(p, b_transposed, row, d); });
}

// The shape of D.
tensor_shape result_shape(const gemm_problem& p) {
    return p.has_batch ? shape_of({p.batch, p.m, p.n}) : shape_of({p.m, p.n});
}

// "C[2, 3] = A[2, 4] * B[3, 4]^T", with alpha and beta if they are not 1 and 0; with an epilogue
// "D[2, 3] = silu(A[2, 4] * B[3, 4]^T + bias[3])" or "D[2, 3] = A[2, 4] * B[3, 4]^T + C[2, 3]".
std::string equation(const gemm_problem& p) {
    const auto matrix_text = [&](const char* name, int rows, int columns) {
        return tensor_text(
            name, p.has_batch ? shape_of({p.batch, rows, columns}) : shape_of({rows, columns}));
    };
    const auto factor = [](double x) {
        char text[32];
        std::snprintf(text, sizeof(text), "%g * ", x);
        return std::string(text);
    };
    const std::string product =
        matrix_text("A", p.m, p.k) + " * " + matrix_text("B", p.n, p.k) + "^T";
    const std::string name = epilogue_names()[static_cast<std::size_t>(p.epilogue)];
    const std::string beta = p.epilogue == epilogue::residual ? "" : factor(p.beta);
    return matrix_text(p.result, p.m, p.n) + " = " + (p.alpha != 1 ? factor(p.alpha) : "") +
           (p.bias.empty() ? product
                           : name + "(" + product + " + bias[" + std::to_string(p.n) + "])") +
           (p.beta != 0 ? " + " + beta + matrix_text("C", p.m, p.n) : "");
}

}  // namespace

tensor_result as_tensor(const gemm_problem& p, const gemm_result& of_kernel) {
    const double m = p.m;
    const double n = p.n;
    const double k = p.k;
    const double batch = p.batch;
    const double in = p.operand_bytes > 0 ? p.operand_bytes : batch * (m + n) * k * size_of(p.type);
    const double out = batch * m * n * size_of(p.out_type) * (p.beta != 0 ? 2 : 1);
    tensor_result result;
    result.milliseconds = of_kernel.milliseconds;
    result.least_bytes = in + out + static_cast<double>(p.bias.size() * sizeof(float));
    result.moved_bytes = of_kernel.moved_bytes;
    result.flop = 2 * batch * m * n * k;
    result.peak = p.peak;
    result.add(result_shape(p), of_kernel.d);
    result.outputs[0].f64 = p.out_type == element::f64;
    return result;
}

bool check_product(const gemm_problem& p, const std::vector<double>& d) {
    tensor_result result = as_tensor(p, d);
    return check_outputs(result.outputs, {p.result}, [&](std::vector<tensor_output>& outputs) {
        expect_product(p, outputs[0]);
    });
}

}  // namespace detail

int gemm_main(int argc, char** argv, const gemm_example& example,
              const std::function<gemm_result(const gemm_problem&)>& run) {
    detail::gemm_options options(example);
    const std::vector<element>& results =
        example.out_types.empty() ? example.types : example.out_types;
    gemm_problem problem;
    tensor_example e = example;
    e.formula = example.alpha_beta     ? "D[M, N] = alpha * A[M, K] * B[N, K]^T + beta * C[M, N]"
                : example.has_epilogue ? "D[M, N] = epilogue(A[M, K] * B[N, K]^T)"
                                       : "C[M, N] = A[M, K] * B[N, K]^T";
    e.extents = {&options.m, &options.n, &options.k};
    if (example.has_batch) {
        e.extents.push_back(&options.batch);
    }
    e.types = {element::f32};  // the option is among the following
    e.add_options = [&](CLI::App& app) { options.add_to(app, example); };
    e.outputs = {detail::has_c(example) ? "D" : "C"};
    if (std::count(results.begin(), results.end(), element::f64) > 0) {
        e.written_text = "as f32, f64 as f64";
    }
    e.prepare = [&](std::mt19937_64& random) {
        problem = detail::make_problem(options, example, random);
        if (example.adapt) {
            example.adapt(problem);
        }
        return detail::equation(problem);
    };
    e.run = [&](int iters) {
        problem.iters = iters;
        return detail::as_tensor(problem, run(problem));
    };
    e.expect = [&](std::vector<tensor_output>& outputs) {
        detail::expect_product(problem, outputs[0]);
    };
    return tensor_main(argc, argv, e);
}

}  // namespace examples
