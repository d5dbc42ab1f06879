// SPDX-License-Identifier: MIT
#include "row_host.hpp"

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <random>
#include <utility>

#include "host_program.hpp"
#include "npy.hpp"

namespace examples {

double rounded_tolerance(element type, double expected, double error) {
    return std::fmax(std::fabs(round_to(type, expected + error) - expected),
                     std::fabs(round_to(type, expected - error) - expected));
}

namespace detail {

namespace {

constexpr long long max_row_elements = 1LL << 32;  // of a matrix

struct row_options : run_options {
    std::optional<std::string> m;
    std::optional<std::string> n;
    std::optional<std::string> type;
    std::vector<std::optional<std::string>> files;  // of the inputs
    std::vector<std::optional<std::string>> outs;   // of the outputs from the second on
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

row_problem make_row_problem(const row_options& options, const row_example& example) {
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
    const auto [seed, iters] = parse_run_options(options);
    result.iters = iters;
    for (const auto& file : options.outs) {
        if (file) {
            npy::check_writable(*file);
        }
    }

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
        throw usage_error(shape_text(result.m, result.n) + " are more than " +
                          std::to_string(max_row_elements) + " elements");
    }
    std::mt19937_64 random(seed);
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

// "q[2, 3]"
std::string row_element_text(const row_output& output, std::size_t i) {
    std::vector<std::size_t> indices(output.shape.size());
    for (std::size_t dim = indices.size(); dim-- > 0; i /= output.shape[dim]) {
        indices[dim] = i % output.shape[dim];
    }
    return element_text(output.name, indices);
}

// Prints the largest difference of all outputs, and where it is too much the element that is
// furthest off.
bool check_rows(const std::vector<row_output>& outputs) {
    bool differs = false;
    double largest = 0;
    double share = 0;
    std::string largest_at;
    const row_output* worst = nullptr;
    std::size_t worst_at = 0;
    for (const row_output& output : outputs) {
        for (std::size_t i = 0; i < output.values.size(); ++i) {
            const double value = output.values[i];
            const double expected = output.expected[i];
            if (output.tolerance[i] == INFINITY || value == expected ||
                (std::isnan(value) && std::isnan(expected))) {
                continue;
            }
            differs = true;
            const double difference = std::fabs(value - expected);
            const double error = std::isnan(difference) ? INFINITY : difference;
            if (largest_at.empty() || error > largest) {
                largest = error;
                largest_at = row_element_text(output, i);
            }
            const double here = output.tolerance[i] > 0 ? error / output.tolerance[i] : INFINITY;
            if (worst == nullptr || here > share) {
                share = here;
                worst = &output;
                worst_at = i;
            }
        }
    }
    print_difference(differs, largest, largest_at, share);
    const bool pass = share <= 1;
    if (!pass) {
        print_wrong(row_element_text(*worst, worst_at), worst->values[worst_at],
                    worst->expected[worst_at], worst->tolerance[worst_at], element::f32);
    }
    return pass;
}

}  // namespace

}  // namespace detail

int row_main(int argc, char** argv, const row_example& example,
             const std::function<row_result(const row_problem&)>& run) {
    const char* const program = program_name(argv[0]);

    detail::row_options options;
    options.files.resize(example.inputs.size());
    options.outs.resize(example.outputs.size() - 1);
    CLI::App app(example.formula + "\n" + example.description, program);
    add_option(app, "-m", options.m, "INT elements", "Rows (" + std::to_string(example.m) + ")");
    add_option(app, "-n", options.n, "INT elements", "Columns (" + std::to_string(example.n) + ")");
    add_option(app, "--type", options.type, names_type(detail::names_of(example.types)),
               std::string("Of the inputs (") + name_of(example.types.front()) + ")");
    if (example.add_options) {
        example.add_options(app);
    }
    for (std::size_t i = 0; i < example.inputs.size(); ++i) {
        const row_input& input = example.inputs[i];
        add_option(app, "--" + input.name, options.files[i],
                   detail::file_type + std::string(input.optional ? "|random" : ""), input.text);
    }
    for (std::size_t i = 0; i < options.outs.size(); ++i) {
        const std::string& name = example.outputs[i + 1];
        add_option(app, "--out-" + name, options.outs[i], detail::file_type, "Write " + name);
    }
    detail::add_run_options(app, options, "as f32");
    return detail::parse_and_run(app, argc, argv, program, [&] {
        const bool verify = detail::wants_verify(options);
        const row_problem problem = detail::make_row_problem(options, example);
        const std::string device = device_name();
        if (example.check) {
            example.check(problem);
        }
        std::printf("%s: %s\n", program, example.equation(problem).c_str());
        std::printf("device: %s\n", device.c_str());
        std::fflush(stdout);

        row_result result = run(problem);
        std::printf("%s\n", moved_report(result.moved_bytes, result.least_bytes,
                                         result.milliseconds, device)
                                .c_str());
        bool pass = true;
        if (verify) {
            example.expect(problem, result.outputs);
            pass = detail::check_rows(result.outputs);
        }
        for (std::size_t i = 0; i < result.outputs.size(); ++i) {
            const auto& file = i == 0 ? options.out : options.outs[i - 1];
            if (file) {
                detail::write_values(*file, result.outputs[i].shape, result.outputs[i].values,
                                     element::f32);
            }
        }
        std::printf("%s\n", !verify ? "not verified" : pass ? "PASS" : "FAIL");
        return pass ? 0 : 1;
    });
}

}  // namespace examples
