// SPDX-License-Identifier: MIT
#include "attention_host.hpp"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <optional>
#include <system_error>
#include <utility>

#include "host_program.hpp"
#include "npy.hpp"

namespace examples {

namespace {

constexpr const char* formula = "O[M, D] = softmax(scale * Q[M, D] * K[N, D]^T) * V[N, D]";
constexpr int max_heads = 65535;  // of a grid, as the batches

struct attention_options : detail::run_options {
    std::optional<std::string> batch;
    std::optional<std::string> heads;
    std::optional<std::string> kv_heads;
    std::optional<std::string> m;
    std::optional<std::string> n;
    std::optional<std::string> d;
    std::optional<std::string> type;
    std::optional<std::string> out_type;
    std::optional<std::string> causal;
    std::optional<std::string> scale;
    std::optional<std::string> q;
    std::optional<std::string> k;
    std::optional<std::string> v;
};

// The names of the first types of element: those of Q, K and V are two, and those of O three.
std::vector<std::string> type_names(int count) {
    std::vector<std::string> names;
    for (int i = 0; i < count; ++i) {
        names.emplace_back(name_of(static_cast<element>(i)));
    }
    return names;
}
constexpr int types = 2;
constexpr int out_types = 3;

element parse_type(const char* option, const std::string& text, int count) {
    return static_cast<element>(parse_name(option, text, type_names(count)));
}

std::vector<std::size_t> shape_of_q(const attention_problem& p) {
    return {static_cast<std::size_t>(p.batch), static_cast<std::size_t>(p.heads),
            static_cast<std::size_t>(p.rows), static_cast<std::size_t>(p.d)};
}

std::vector<std::size_t> shape_of_kv(const attention_problem& p) {
    return {static_cast<std::size_t>(p.batch), static_cast<std::size_t>(p.kv_heads),
            static_cast<std::size_t>(p.keys), static_cast<std::size_t>(p.d)};
}

double parse_scale(const std::string& text) {
    double value = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, code] = std::from_chars(text.data(), end, value);
    if (code != std::errc{} || stop != end || !std::isfinite(value) || value < 1e-30 ||
        value > 1e30) {
        throw usage_error("--scale is '" + text + "': it must be a number from 1e-30 to 1e30");
    }
    return value;
}

// The values of a file, rounded to `type`; it must have the problem's shape.
std::vector<double> read_tensor(const std::string& file, const npy::array& in,
                                const std::vector<std::size_t>& shape, element type) {
    if (in.shape != shape) {
        throw npy::error(file, "has shape " + detail::tensor_text("", in.shape) + ", it must be " +
                                   detail::tensor_text("", shape));
    }
    std::size_t size = 1;
    for (const std::size_t extent : shape) {
        size *= extent;
    }
    std::vector<double> values(size);
    for (std::size_t i = 0; i < size; ++i) {
        const double x = npy::value(in, i);
        values[i] = round_to(type, x);
        if (!std::isfinite(values[i])) {
            char text[96];
            std::snprintf(text, sizeof(text), "element %zu is %g, which is not finite in %s", i, x,
                          name_of(type));
            throw npy::error(file, text);
        }
    }
    return values;
}

// An extent: what its option says, or the file that has it, or `otherwise`.
int extent_of(const char* option, const std::optional<std::string>& text, const std::string& file,
              const std::optional<npy::array>& in, std::size_t dim, int largest, int otherwise) {
    std::optional<int> value;
    if (text) {
        value = parse_integer(option, *text, 1, largest);
    }
    if (in) {
        const std::size_t extent = in->shape[dim];
        if (extent < 1 || extent > static_cast<std::size_t>(largest)) {
            throw npy::error(file, "has shape " + detail::tensor_text("", in->shape) +
                                       ", dimension " + std::to_string(dim) +
                                       " must be from 1 to " + std::to_string(largest));
        }
        if (value.value_or(static_cast<int>(extent)) != static_cast<int>(extent)) {
            throw usage_error(std::string(option) + " " + std::to_string(*value) + " contradicts " +
                              file + ", where it is " + std::to_string(extent));
        }
        value = static_cast<int>(extent);
    }
    return value.value_or(otherwise);
}

attention_problem make_problem(const attention_options& options, std::mt19937_64& random) {
    // What is wrong by itself is reported before any file is.
    const auto check_extent = [](const char* option, const std::optional<std::string>& text,
                                 int largest) {
        if (text) {
            parse_integer(option, *text, 1, largest);
        }
    };
    constexpr int largest_length = static_cast<int>(max_extent);
    check_extent("--batch", options.batch, max_heads);
    check_extent("--heads", options.heads, max_heads);
    check_extent("--kv-heads", options.kv_heads, max_heads);
    check_extent("-m", options.m, largest_length);
    check_extent("-n", options.n, largest_length);
    const std::vector<std::string> dims{"64", "128"};
    if (options.d) {
        parse_name("-d", *options.d, dims);
    }
    attention_problem p;
    p.type = options.type ? parse_type("--type", *options.type, types) : element::f16;
    p.out_type = options.out_type ? parse_type("--out-type", *options.out_type, out_types) : p.type;
    if (p.out_type != p.type && p.out_type != element::f32) {
        throw usage_error(std::string("--out-type is '") + name_of(p.out_type) +
                          "': it must be f32 or that of --type, " + name_of(p.type));
    }
    p.causal = options.causal && parse_name("--causal", *options.causal, {"0", "1"}) == 1;
    std::optional<double> scale;
    if (options.scale) {
        scale = parse_scale(*options.scale);
    }

    const auto read = [](const std::optional<std::string>& file) {
        std::optional<npy::array> in;
        if (file) {
            in = npy::read(*file);
            if (in->shape.size() != 4) {
                throw npy::error(*file, "has rank " + std::to_string(in->shape.size()) +
                                            ", it must be 4: [batch, heads, rows, D]");
            }
        }
        return in;
    };
    const std::optional<npy::array> q = read(options.q);
    const std::optional<npy::array> k = read(options.k);
    const std::optional<npy::array> v = read(options.v);
    // Of Q, and of K or else V; that V has the shape of K is checked when it is read.
    const std::string q_file = options.q.value_or("");
    const std::optional<npy::array>& kv = k ? k : v;
    const std::string kv_file = k ? *options.k : options.v.value_or("");
    const std::optional<npy::array>& any = q ? q : kv;
    const std::string any_file = q ? q_file : kv_file;
    p.batch = extent_of("--batch", options.batch, any_file, any, 0, max_heads, 1);
    p.kv_heads = extent_of("--kv-heads", options.kv_heads, kv_file, kv, 1, max_heads, 1);
    p.heads = extent_of("--heads", options.heads, q_file, q, 1, max_heads, p.kv_heads);
    if (!options.kv_heads && !kv) {
        p.kv_heads = p.heads;
    }
    p.rows = extent_of("-m", options.m, q_file, q, 2, largest_length, 512);
    p.keys = extent_of("-n", options.n, kv_file, kv, 2, largest_length, p.rows);
    p.d = extent_of("-d", options.d, any_file, any, 3, 128, 128);
    if (p.d != 64 && p.d != 128) {
        throw npy::error(any_file, "has " + std::to_string(p.d) + " columns, it must be 64 or 128");
    }
    if (p.heads % p.kv_heads != 0) {
        throw usage_error(std::to_string(p.heads) + " heads cannot share " +
                          std::to_string(p.kv_heads) +
                          " of K and V: --heads must be a multiple of --kv-heads");
    }
    p.scale = scale.value_or(1 / std::sqrt(static_cast<double>(p.d)));

    const auto fill = [&](const std::optional<std::string>& file,
                          const std::optional<npy::array>& in,
                          const std::vector<std::size_t>& shape) {
        return in ? read_tensor(*file, *in, shape, p.type)
                  : detail::random_matrix(static_cast<long long>(shape[0] * shape[1] * shape[2]),
                                          static_cast<long long>(shape[3]), p.type, random)
                        .values;
    };
    p.q = fill(options.q, q, shape_of_q(p));
    p.k = fill(options.k, k, shape_of_kv(p));
    p.v = fill(options.v, v, shape_of_kv(p));
    return p;
}

// == comparison ===================================================================================

// Tolerance. Let u = 2^-23, the unit in the last place of 1 in f32; every operation on f32 loses
// less than u of its result, as does v_exp_f32 (ISA guide: 1 ULP). All in the notation of a row:
// scores s[j] = sum over d of q * k[j], c = scale * log2(e), weights P[j] = 2^(c * (s[j] - m)).
//
// Exponent. The sum of d exact products loses at most d * u * S, where S, the largest sum of
// |q * k[j]| over the keys, bounds all |s[j]|, too, and |m| (see expect() in gemm_host.cpp).
// c is rounded once, the fused c * s[j] - c * m once, of a value up to 2 * c * S. -c * m is
// rounded, but the same for all keys with this m. Where m is raised from m1 to m2, what was summed
// before is multiplied by 2^(c * (m1 - m2)): the exponent is the difference of the two rounded
// products, which cancels that, and is rounded once itself; as m only grows, all of that is of
// 2 * c * S at most. So the exponent is off by less than  c * S * (d + 6) * u.
//
// Weights. That, times ln 2, and v_exp_f32 make one off by a factor of up to 1 + w; each raising of
// m adds its v_exp_f32 and a multiplication, and there is one for each tile of 64 keys at most.
//
// Rounded to 16 bits for the second product, weights lose e = 2^-11 (f16) or 2^-8 (bf16), half a
// unit in the last place, but not in the sum that O is divided by. Those below 2^-14 lose 2^-25 in
// f16, those below 2^-126 are 0. As the largest weight of a row is 1 at least (m is no more than
// the largest score), that is 2^-25 or 2^-126 of |v[j]| at most.
//
// The sums over the keys lose less than keys * u of themselves, of P * |v| the one and of P the
// other one. The division and the multiplication with it lose u each. With A the exact sum of
// weight * |v| over that of the weights,
//
//   |o - exact| <= A * ((1 + w) * (1 + e) * (1 + keys * u) * (1 + 2 * u)
//                       / ((1 - w) * (1 - keys * u)) - 1)  +  2^-25 (2^-126) * sum of |v|,
//
// twice the last term for what the factors before do to it. Rounding to the type of O keeps the
// order of numbers: what is between the ends of that before it is between the rounded ends after
// it.
double relative_tolerance(const attention_problem& p, int keys, double largest_sum) {
    constexpr double u = 0x1p-23;
    constexpr double ln2 = 0.693147180559945309;
    const double exponent = p.scale / ln2 * largest_sum * (p.d + 6) * u;
    const double raises = (keys + 63) / 64;
    const double w = std::expm1(exponent * ln2) + (1 + 2 * raises) * u;
    const double e = p.type == element::f16 ? 0x1p-11 : 0x1p-8;
    const double sum = keys * u;
    if (w >= 1 || sum >= 1) {
        return std::numeric_limits<double>::infinity();
    }
    return (1 + w) * (1 + e) * (1 + sum) * (1 + 2 * u) / ((1 - w) * (1 - sum)) - 1;
}

// Row `index` of all rows of all heads.
void check_row(const attention_problem& p, const std::vector<double>& o, std::size_t index,
               comparison& result) {
    const auto d = static_cast<std::size_t>(p.d);
    const auto rows = static_cast<std::size_t>(p.rows);
    const auto heads = static_cast<std::size_t>(p.heads);
    const auto kv_heads = static_cast<std::size_t>(p.kv_heads);
    const std::size_t head = index / rows;
    const std::size_t kv_head = head / heads * kv_heads + head % heads / (heads / kv_heads);
    const int visible = p.visible_keys(static_cast<int>(index % rows));
    const auto keys = static_cast<std::size_t>(visible);
    const double* const q = &p.q[index * d];
    const std::size_t kv = kv_head * static_cast<std::size_t>(p.keys) * d;

    std::vector<double> weights(keys);
    double largest = -std::numeric_limits<double>::infinity();
    double largest_sum = 0;
    for (std::size_t j = 0; j < keys; ++j) {
        double score = 0;
        double sum = 0;
        for (std::size_t i = 0; i < d; ++i) {
            const double product = q[i] * p.k[kv + j * d + i];
            score += product;
            sum += std::fabs(product);
        }
        weights[j] = p.scale * score;
        largest = std::max(largest, weights[j]);
        largest_sum = std::max(largest_sum, sum);
    }
    double sum = 0;
    for (double& weight : weights) {
        weight = std::exp(weight - largest);
        sum += weight;
    }
    std::vector<double> reference(d);
    std::vector<double> magnitude(d);  // A
    std::vector<double> all(d);        // sum of |v|
    for (std::size_t j = 0; j < keys; ++j) {
        for (std::size_t i = 0; i < d; ++i) {
            const double v = p.v[kv + j * d + i];
            reference[i] += weights[j] / sum * v;
            magnitude[i] += weights[j] / sum * std::fabs(v);
            all[i] += std::fabs(v);
        }
    }

    const double relative = relative_tolerance(p, visible, largest_sum);
    const double lost = p.type == element::f16 ? 0x1p-24 : 0x1p-125;
    for (std::size_t i = 0; i < d; ++i) {
        // A row that sees no key is exactly 0.
        const double allowed = keys == 0 ? 0 : relative * magnitude[i] + lost * all[i];
        const double low = round_to(p.out_type, reference[i] - allowed);
        const double high = round_to(p.out_type, reference[i] + allowed);
        const std::size_t at = index * d + i;
        const double difference = o[at] - reference[i];
        if (difference != 0) {
            result.add(at, o[at], reference[i],
                       difference < 0 ? reference[i] - low : high - reference[i],
                       std::fabs(difference));
        }
    }
}

bool check_attention(const attention_problem& p, const std::vector<double>& o) {
    const auto d = static_cast<std::size_t>(p.d);
    const comparison all = compare_rows(
        o.size() / d, [&](std::size_t i, comparison& part) { check_row(p, o, i, part); });
    return all.print([&](std::size_t at) { return detail::element_text("O", shape_of_q(p), at); });
}

// == report =======================================================================================

// Both products have 2 * d operations for each key that a row sees.
std::string report(const attention_problem& p, const attention_result& result,
                   const std::string& device) {
    double pairs = 0;
    for (int row = 0; row < p.rows; ++row) {
        pairs += p.visible_keys(row);
    }
    const double flop = 4.0 * p.d * pairs * p.heads * p.batch;
    const double q = static_cast<double>(p.batch) * p.heads * p.rows * p.d;
    const double kv = 2.0 * p.batch * p.kv_heads * p.keys * p.d;
    return compute_report(flop, (q + kv) * size_of(p.type) + q * size_of(p.out_type),
                          result.milliseconds, &machine_peaks::f16, device);
}

}  // namespace

int attention_main(int argc, char** argv, const std::string& description,
                   const std::function<attention_result(const attention_problem&)>& run) {
    attention_options options;
    CLI::App app(std::string(formula) + "\n" + description, program_name(argv[0]));
    add_option(app, "--batch", options.batch, "INT", "Of all (1)");
    add_option(app, "--heads", options.heads, "INT", "Of Q and O (as --kv-heads)");
    add_option(app, "--kv-heads", options.kv_heads, "INT", "Of K and V (as --heads)");
    add_option(app, "-m", options.m, "INT elements", "Rows of Q and O (512)");
    add_option(app, "-n", options.n, "INT elements", "Rows of K and V (as -m)");
    add_option(app, "-d", options.d, names_type({"64", "128"}) + " elements",
               "Columns of all (128)");
    add_option(app, "--causal", options.causal, "0|1", "1: row i sees keys up to i + n - m (0)");
    add_option(app, "--scale", options.scale, "NUMBER", "Of the scores (1 / sqrt(d))");
    add_option(app, "--type", options.type, names_type(type_names(types)), "Of Q, K and V (f16)");
    add_option(app, "--out-type", options.out_type, names_type(type_names(out_types)),
               "Of O: f32, or (as --type)");
    add_option(app, "--q", options.q, detail::file_type, "Read Q[batch, heads, M, D]");
    add_option(app, "--k", options.k, detail::file_type, "Read K[batch, kv-heads, N, D]");
    add_option(app, "--v", options.v, detail::file_type, "Read V[batch, kv-heads, N, D]");
    detail::add_run_options(app, options, "as f32");
    attention_problem problem;
    std::optional<attention_result> result;
    detail::program_steps steps;
    steps.prepare = [&](std::mt19937_64& random) {
        problem = make_problem(options, random);
        char scale[32];
        std::snprintf(scale, sizeof(scale), "%.9g", problem.scale);
        return std::string("O = softmax(") + scale + " * " +
               detail::tensor_text("Q", shape_of_q(problem)) + " * " +
               detail::tensor_text("K", shape_of_kv(problem)) + "^T" +
               (problem.causal ? ", causal" : "") + ") * V";
    };
    steps.run = [&](int iters) {
        problem.iters = iters;
        result = run(problem);
        return report(problem, *result, device_name());
    };
    steps.check = [&] { return check_attention(problem, result->values); };
    steps.write = [&] {
        detail::write_values(options.out, shape_of_q(problem), result->values, problem.out_type);
    };
    return detail::run_program(app, options, argc, argv, steps);
}

}  // namespace examples
