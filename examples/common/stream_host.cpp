// SPDX-License-Identifier: MIT
#include "stream_host.hpp"

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <random>
#include <utility>

#include "host_program.hpp"
#include "npy.hpp"

namespace examples {

// Most elements of each dimension, and of all together: such that their blocks are no more than a
// grid can have.
constexpr long long max_stream_extent = 1LL << 30;
constexpr std::size_t max_stream_size = std::size_t{1} << 33;

namespace {

constexpr long long default_stream_extent = 512;

struct stream_options : detail::run_options {
    std::vector<std::optional<std::string>> extents;
    std::vector<std::optional<std::string>> files;
};

std::vector<double> read_values(const std::string& file, const stream_example& example,
                                std::vector<std::size_t>& shape) {
    const npy::array in = npy::read(file);
    shape = in.shape;
    if (shape.size() != example.dims.size()) {
        throw npy::error(file, "has rank " + std::to_string(shape.size()) + ", it must be " +
                                   std::to_string(example.dims.size()));
    }
    std::size_t size = 1;
    for (const std::size_t extent : shape) {
        if (extent < 1 || extent > static_cast<std::size_t>(max_stream_extent)) {
            throw npy::error(file, "has shape " + detail::shape_text(shape) +
                                       ", each must be from 1 to " +
                                       std::to_string(max_stream_extent));
        }
        size *= extent;
    }
    std::vector<double> values(size);
    for (std::size_t i = 0; i < size; ++i) {
        const double x = npy::value(in, i);
        values[i] = round_to(example.type, x);
        if (std::isfinite(x) && !std::isfinite(values[i])) {
            throw npy::error(
                file, "element " + std::to_string(i) + " overflows " + name_of(example.type));
        }
    }
    return values;
}

stream_problem make_stream_problem(const stream_options& options, const stream_example& example,
                                   std::mt19937_64& random) {
    std::vector<std::optional<long long>> extents;
    for (std::size_t i = 0; i < example.dims.size(); ++i) {
        const std::string option = "-" + example.dims[i];
        extents.push_back(options.extents[i]
                              ? std::optional(parse_integer(option.c_str(), *options.extents[i],
                                                            1LL, max_stream_extent))
                              : std::nullopt);
    }
    stream_problem result;
    result.inputs.resize(example.inputs.size());
    std::string first_file;
    for (std::size_t i = 0; i < example.inputs.size(); ++i) {
        if (!options.files[i]) {
            continue;
        }
        const std::string& file = *options.files[i];
        std::vector<std::size_t> shape;
        result.inputs[i] = read_values(file, example, shape);
        if (!first_file.empty() && shape != result.shape) {
            throw usage_error(first_file + " is " + detail::shape_text(result.shape) + " and " +
                              file + " is " + detail::shape_text(shape));
        }
        result.shape = shape;
        first_file = file;
        for (std::size_t dim = 0; dim < shape.size(); ++dim) {
            const auto extent = static_cast<long long>(shape[dim]);
            if (extents[dim].value_or(extent) != extent) {
                throw usage_error("-" + example.dims[dim] + " " + std::to_string(*extents[dim]) +
                                  " contradicts " + file + ", where it is " +
                                  std::to_string(extent));
            }
        }
    }
    if (first_file.empty()) {
        for (const std::optional<long long>& extent : extents) {
            result.shape.push_back(
                static_cast<std::size_t>(extent.value_or(default_stream_extent)));
        }
    }
    result.size = 1;
    for (const std::size_t extent : result.shape) {
        result.size *= extent;  // at most 2^60
    }
    if (result.size > max_stream_size) {
        throw usage_error(detail::shape_text(result.shape) + " are more than " +
                          std::to_string(max_stream_size) + " elements");
    }
    for (std::size_t i = 0; i < result.inputs.size(); ++i) {
        if (!options.files[i]) {
            result.inputs[i] =
                detail::random_matrix(1, static_cast<long long>(result.size), example.type, random)
                    .values;
        }
    }
    return result;
}

// Exactly equal, the sign of zero too; any NaN is equal to any other.
bool check_stream(const stream_problem& p, const stream_example& example,
                  const std::vector<double>& output) {
    comparison all;
    for (std::size_t i = 0; i < p.size; ++i) {
        const double expected = round_to(example.type, example.expected(p, i));
        const bool equal =
            std::isnan(expected)
                ? std::isnan(output[i])
                : output[i] == expected && std::signbit(output[i]) == std::signbit(expected);
        if (!equal) {
            all.add(i, output[i], expected, 0, std::fabs(output[i] - expected));
        }
    }
    return all.print(
        [&](std::size_t i) { return detail::element_text(example.output, p.shape, i); },
        example.type == element::f64 ? 17 : 9);
}

}  // namespace

int stream_main(int argc, char** argv, const stream_example& example,
                const std::function<stream_result(const stream_problem&)>& run) {
    stream_options options;
    options.extents.resize(example.dims.size());
    options.files.resize(example.inputs.size());
    CLI::App app(example.equation + "\n" + example.description, program_name(argv[0]));
    for (std::size_t i = 0; i < example.dims.size(); ++i) {
        add_option(app, "-" + example.dims[i], options.extents[i], "INT elements",
                   example.dims[i] == "m" ? "Rows (512)"
                   : i > 0                ? "Columns (512)"
                                          : "Length (512)");
    }
    for (std::size_t i = 0; i < example.inputs.size(); ++i) {
        add_option(app, "--" + example.inputs[i], options.files[i], detail::file_type,
                   "Read " + example.inputs[i]);
    }
    detail::add_run_options(app, options, example.type == element::f64 ? "as f64" : "as f32");
    stream_problem problem;
    std::optional<stream_result> result;
    detail::program_steps steps;
    steps.prepare = [&](std::mt19937_64& random) {
        problem = make_stream_problem(options, example, random);
        return example.equation + ", " + detail::shape_text(problem.shape) + " elements of " +
               name_of(example.type);
    };
    steps.run = [&](int iters) {
        problem.iters = iters;
        result = run(problem);
        const double bytes = static_cast<double>(problem.size) * size_of(example.type) *
                             static_cast<double>(example.inputs.size() + 1);
        return memory_report(bytes, result->milliseconds, device_name());
    };
    steps.check = [&] { return check_stream(problem, example, result->values); };
    steps.write = [&] {
        detail::write_values(options.out, problem.shape, result->values, example.type);
    };
    return detail::run_program(app, options, argc, argv, steps);
}

}  // namespace examples
