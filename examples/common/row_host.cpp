// SPDX-License-Identifier: MIT
#include "row_host.hpp"

#include <cmath>
#include <cstdint>
#include <optional>
#include <random>
#include <utility>

#include "host_program.hpp"
#include "npy.hpp"

namespace examples {

double rounded_tolerance(element type, double expected, double error) {
    return rounded_tolerance([type](double x) { return round_to(type, x); }, expected, error);
}

namespace detail {

namespace {

constexpr long long max_row_elements = 1LL << 32;  // of a matrix

struct row_options {
    std::optional<std::string> m;
    std::optional<std::string> n;
    std::optional<std::string> type;
    std::vector<std::optional<std::string>> files;  // of the inputs
};

constexpr const char* random_name = "random";

// Infinite and NaN values are taken as they are.
matrix read_rows(const std::string& file, const row_input& input, element type,
                 long long largest_n) {
    const npy::array in = npy::read(file);
    const std::size_t rank = input.is_row ? 1 : 2;
    if (in.shape.size() != rank) {
        throw npy::error(file, "has rank " + std::to_string(in.shape.size()) + ", it must be " +
                                   std::to_string(rank));
    }
    const std::size_t rows = input.is_row ? 1 : in.shape[0];
    const std::size_t columns = in.shape[rank - 1];
    if (rows < 1 || columns < 1 || rows > static_cast<std::size_t>(max_extent) ||
        columns > static_cast<std::size_t>(largest_n)) {
        throw npy::error(file, "has " + std::to_string(rows) + " rows of " +
                                   std::to_string(columns) + ": 1 to " +
                                   std::to_string(max_extent) + " rows of 1 to " +
                                   std::to_string(largest_n) + " elements are possible");
    }
    matrix result{static_cast<long long>(rows), static_cast<long long>(columns), {}, 1, false};
    result.values.resize(rows * columns);
    for (std::size_t i = 0; i < result.values.size(); ++i) {
        const double x = npy::value(in, i);
        result.values[i] = round_to(type, x);
        if (std::isfinite(x) && !std::isfinite(result.values[i])) {
            throw npy::error(file, "element " + std::to_string(i) + " overflows " + name_of(type));
        }
    }
    return result;
}

row_problem make_row_problem(const row_options& options, const row_example& example,
                             std::mt19937_64& random) {
    std::optional<long long> m;
    std::optional<long long> n;
    if (options.m) {
        m = parse_integer("-m", *options.m, 1LL, max_extent);
    }
    if (options.n) {
        n = parse_integer("-n", *options.n, 1LL, example.largest_n);
    }
    row_problem result;
    result.type = parse_element("--type", options.type, example.types);
    result.inputs.resize(example.inputs.size());
    const auto agree = [](const char* option, std::optional<long long>& size, long long extent,
                          const std::string& file) {
        if (size.value_or(extent) != extent) {
            throw usage_error(std::string(option) + " " + std::to_string(*size) + " contradicts " +
                              file + ", where it is " + std::to_string(extent));
        }
        size = extent;
    };
    const auto is_file = [&](std::size_t i) {
        return options.files[i] &&
               !(example.inputs[i].optional && *options.files[i] == random_name);
    };
    for (std::size_t i = 0; i < example.inputs.size(); ++i) {
        if (is_file(i)) {
            const std::string& file = *options.files[i];
            matrix in = read_rows(file, example.inputs[i], result.type, example.largest_n);
            if (!example.inputs[i].is_row) {
                agree("-m", m, in.rows, file);
            }
            agree("-n", n, in.columns, file);
            result.inputs[i] = std::move(in.values);
        }
    }
    result.m = static_cast<int>(m.value_or(example.m));
    result.n = static_cast<int>(n.value_or(example.n));
    if (static_cast<long long>(result.m) * result.n > max_row_elements) {
        throw usage_error(std::to_string(result.m) + " x " + std::to_string(result.n) +
                          " are more than " + std::to_string(max_row_elements) + " elements");
    }
    for (std::size_t i = 0; i < example.inputs.size(); ++i) {
        const row_input& input = example.inputs[i];
        if (is_file(i) || (input.optional && !options.files[i])) {
            continue;
        }
        result.inputs[i] =
            random_matrix(input.is_row ? 1 : result.m, result.n, result.type, random).values;
        for (double& x : result.inputs[i]) {
            x = std::ldexp(x, input.power);
        }
    }
    return result;
}

}  // namespace

}  // namespace detail

int row_main(int argc, char** argv, const row_example& example,
             const std::function<tensor_result(const row_problem&)>& run) {
    detail::row_options options;
    options.files.resize(example.inputs.size());
    row_problem problem;
    tensor_example e;
    e.formula = example.formula;
    e.description = example.description;
    e.outputs = example.outputs;
    e.add_options = [&](CLI::App& app) {
        add_option(app, "-m", options.m, "INT elements",
                   "Rows (" + std::to_string(example.m) + ")");
        add_option(app, "-n", options.n, "INT elements",
                   "Columns (" + std::to_string(example.n) + ")");
        add_option(app, "--type", options.type, names_type(detail::names_of(example.types)),
                   std::string("Of the inputs (") + name_of(example.types.front()) + ")");
        if (example.add_options) {
            example.add_options(app);
        }
        for (std::size_t i = 0; i < example.inputs.size(); ++i) {
            const row_input& input = example.inputs[i];
            add_option(app, "--" + input.name, options.files[i],
                       detail::file_type + std::string(input.optional ? "|random" : ""),
                       input.text);
        }
    };
    e.prepare = [&](std::mt19937_64& random) {
        problem = detail::make_row_problem(options, example, random);
        if (example.check) {
            example.check(problem);
        }
        return example.equation(problem);
    };
    e.run = [&](int iters) {
        problem.iters = iters;
        return run(problem);
    };
    e.expect = [&](std::vector<tensor_output>& outputs) { example.expect(problem, outputs); };
    return tensor_main(argc, argv, e);
}

}  // namespace examples
