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

std::string stream_shape_text(const std::vector<std::size_t>& shape) {
    std::string text;
    for (const std::size_t extent : shape) {
        text += (text.empty() ? "" : " x ") + std::to_string(extent);
    }
    return text;
}

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
            throw npy::error(file, "has shape " + stream_shape_text(shape) +
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

stream_problem make_stream_problem(const stream_options& options, const stream_example& example) {
    std::vector<std::optional<long long>> extents;
    for (std::size_t i = 0; i < example.dims.size(); ++i) {
        const std::string option = "-" + example.dims[i];
        extents.push_back(options.extents[i]
                              ? std::optional(parse_integer(option.c_str(), *options.extents[i],
                                                            1LL, max_stream_extent))
                              : std::nullopt);
    }
    stream_problem result;
    const auto [seed, iters] = detail::parse_run_options(options);
    result.iters = iters;

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
            throw usage_error(first_file + " is " + stream_shape_text(result.shape) + " and " +
                              file + " is " + stream_shape_text(shape));
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
        throw usage_error(stream_shape_text(result.shape) + " are more than " +
                          std::to_string(max_stream_size) + " elements");
    }
    std::mt19937_64 random(seed);
    for (std::size_t i = 0; i < result.inputs.size(); ++i) {
        if (!options.files[i]) {
            result.inputs[i] =
                detail::random_matrix(1, static_cast<long long>(result.size), example.type, random)
                    .values;
        }
    }
    return result;
}

// Element i of the output: "b[2, 3]".
std::string stream_element_text(const stream_problem& p, const stream_example& example,
                                std::size_t i) {
    std::vector<std::size_t> indices(p.shape.size());
    for (std::size_t dim = p.shape.size(); dim-- > 0; i /= p.shape[dim]) {
        indices[dim] = i % p.shape[dim];
    }
    return detail::element_text(example.output, indices);
}

// Exactly equal, the sign of zero too; any NaN is equal to any other. Prints the largest difference
// and the first one.
bool check_stream(const stream_problem& p, const stream_example& example,
                  const std::vector<double>& output) {
    std::optional<std::size_t> first;
    double largest = 0;
    std::size_t largest_at = 0;
    for (std::size_t i = 0; i < p.size; ++i) {
        const double expected = round_to(example.type, example.expected(p, i));
        const bool equal =
            std::isnan(expected)
                ? std::isnan(output[i])
                : output[i] == expected && std::signbit(output[i]) == std::signbit(expected);
        if (equal) {
            continue;
        }
        const double difference = std::fabs(output[i] - expected);
        const double error = std::isnan(difference) ? INFINITY : difference;
        if (!first || error > largest) {
            largest = error;
            largest_at = i;
        }
        first = first.value_or(i);
    }
    detail::print_difference(first.has_value(), largest,
                             stream_element_text(p, example, largest_at), INFINITY);
    if (first) {
        detail::print_wrong(stream_element_text(p, example, *first), output[*first],
                            round_to(example.type, example.expected(p, *first)), 0, example.type);
    }
    return !first;
}

}  // namespace

int stream_main(int argc, char** argv, const stream_example& example,
                const std::function<stream_result(const stream_problem&)>& run) {
    const char* const program = program_name(argv[0]);

    stream_options options;
    options.extents.resize(example.dims.size());
    options.files.resize(example.inputs.size());
    CLI::App app(example.equation + "\n" + example.description, program);
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
    return detail::parse_and_run(app, argc, argv, program, [&] {
        const bool verify = detail::wants_verify(options);
        const stream_problem problem = make_stream_problem(options, example);
        const std::string device = device_name();
        std::printf("%s: %s, %s elements of %s\n", program, example.equation.c_str(),
                    stream_shape_text(problem.shape).c_str(), name_of(example.type));
        std::printf("device: %s\n", device.c_str());
        std::fflush(stdout);

        const stream_result result = run(problem);
        const double bytes = static_cast<double>(problem.size) * size_of(example.type) *
                             static_cast<double>(example.inputs.size() + 1);
        std::printf("%s\n", memory_report(bytes, result.milliseconds, device).c_str());
        const bool pass = !verify || check_stream(problem, example, result.output);
        if (options.out) {
            detail::write_values(*options.out, problem.shape, result.output, example.type);
        }
        std::printf("%s\n", !verify ? "not verified" : pass ? "PASS" : "FAIL");
        return pass ? 0 : 1;
    });
}

}  // namespace examples
