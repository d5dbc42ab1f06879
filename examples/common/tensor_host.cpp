// SPDX-License-Identifier: MIT
#include "tensor_host.hpp"

#include <cmath>

#include "host_program.hpp"
#include "npy.hpp"

namespace examples {

namespace {

// Prints the largest difference of all outputs, whose elements are numbered through.
bool check_outputs(const std::vector<tensor_output>& outputs) {
    comparison all;
    std::size_t first = 0;
    for (const tensor_output& output : outputs) {
        for (std::size_t i = 0; i < output.values.size(); ++i) {
            const double value = output.values[i];
            const double expected = output.expected[i];
            if (output.tolerance[i] != INFINITY && value != expected &&
                !(std::isnan(value) && std::isnan(expected))) {
                all.add(first + i, value, expected, output.tolerance[i],
                        std::fabs(value - expected));
            }
        }
        first += output.values.size();
    }
    return all.print([&](std::size_t at) {
        const tensor_output* output = outputs.data();
        for (; at >= output->values.size(); ++output) {
            at -= output->values.size();
        }
        return detail::element_text(output->name, output->shape, at);
    });
}

}  // namespace

std::size_t element_count(const tensor_shape& shape) {
    std::size_t size = 1;
    for (const std::size_t extent : shape) {
        size *= extent;
    }
    return size;
}

std::vector<double> tensor_values(const std::optional<std::string>& file, const tensor_shape& shape,
                                  const std::function<double(double)>& round, int bits,
                                  std::mt19937_64& random) {
    std::vector<double> values(element_count(shape));
    if (!file) {
        for (double& x : values) {
            x = std::ldexp(static_cast<double>(random() >> (64 - bits)), 1 - bits) - 1;
        }
        return values;
    }
    const npy::array in = npy::read(*file);
    if (in.shape != shape) {
        throw npy::error(*file, "has shape " + detail::tensor_text("", in.shape) + ", it must be " +
                                    detail::tensor_text("", shape));
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = round(npy::value(in, i));
    }
    return values;
}

tensor read_tensor(const std::string& file, std::size_t rank) {
    const npy::array in = npy::read(file);
    if (in.shape.size() != rank) {
        throw npy::error(file, "has rank " + std::to_string(in.shape.size()) + ", it must be " +
                                   std::to_string(rank));
    }
    tensor result{in.shape, {}};
    for (const std::size_t extent : in.shape) {
        if (extent < 1 || extent > static_cast<std::size_t>(max_extent)) {
            throw npy::error(file, "has an extent of " + std::to_string(extent) +
                                       ", it must be from 1 to " + std::to_string(max_extent));
        }
    }
    for (std::size_t i = 0; i < element_count(in.shape); ++i) {
        result.values.push_back(npy::value(in, i));
        if (!std::isfinite(result.values.back())) {
            throw npy::error(file, "element " + std::to_string(i) + " is not finite");
        }
    }
    return result;
}

void agree(const char* option, std::optional<int>& size, std::size_t extent,
           const std::string& file) {
    if (static_cast<std::size_t>(size.value_or(static_cast<int>(extent))) != extent) {
        throw usage_error(std::string(option) + " " + std::to_string(*size) + " contradicts " +
                          file + ", where it is " + std::to_string(extent));
    }
    size = static_cast<int>(extent);
}

void expect_matrix(
    tensor_output& output, element type,
    const std::function<expectation(std::size_t row, std::size_t column)>& expected) {
    const std::size_t columns = output.shape.back();
    output.expected.resize(output.values.size());
    output.tolerance.resize(output.values.size());
    detail::parallel_for(output.values.size() / columns, [&](std::size_t row) {
        for (std::size_t column = 0; column < columns; ++column) {
            const std::size_t at = row * columns + column;
            const auto [value, error] = expected(row, column);
            const double nearest = round_to(type, value);
            const bool is_above = output.values[at] > nearest;
            output.expected[at] = nearest;
            output.tolerance[at] =
                std::fabs(round_to(type, is_above ? value + error : value - error) - nearest);
        }
    });
}

tensor_shape tensor_file_shape(const std::string& file, std::size_t rank) {
    const npy::array in = npy::read(file);
    if (in.shape.size() != rank) {
        throw npy::error(file, "has rank " + std::to_string(in.shape.size()) + ", it must be " +
                                   std::to_string(rank));
    }
    return in.shape;
}

double rounded_tolerance(const std::function<double(double)>& round, double expected,
                         double error) {
    return std::fmax(std::fabs(round(expected + error) - expected),
                     std::fabs(round(expected - error) - expected));
}

float parse_positive(const char* option, const std::optional<std::string>& text, float otherwise) {
    const float value = text ? parse_f32(option, *text) : otherwise;
    if (!(value >= 1e-30f) || value > 1e30f) {
        throw usage_error(std::string(option) + " is '" + text.value_or("") +
                          "': it must be a number from 1e-30 to 1e30");
    }
    return value;
}

int parse_one_of(const char* option, const std::optional<std::string>& text,
                 const std::vector<std::string>& numbers) {
    return std::stoi(text ? numbers[parse_name(option, *text, numbers)] : numbers.front());
}

int tensor_main(int argc, char** argv, const tensor_example& example) {
    detail::run_options options;
    std::vector<std::optional<std::string>> outs(example.outputs.size());
    CLI::App app(example.formula + "\n" + example.description, program_name(argv[0]));
    example.add_options(app);
    for (std::size_t i = 1; i < outs.size(); ++i) {
        const std::string& name = example.outputs[i];
        add_option(app, "--out-" + name, outs[i], detail::file_type, "Write " + name);
    }
    detail::add_run_options(app, options, "as f32");
    tensor_result result;
    detail::program_steps steps;
    steps.prepare = [&](std::mt19937_64& random) {
        for (const auto& file : outs) {
            if (file) {
                npy::check_writable(*file);
            }
        }
        return example.prepare(random);
    };
    steps.plan = example.plan;
    steps.run = [&](int iters) {
        result = example.run(iters);
        const std::string device = device_name();
        return result.flop > 0 ? compute_report(result.flop, result.least_bytes,
                                                result.milliseconds, result.peak, device)
                               : moved_report(result.moved_bytes, result.least_bytes,
                                              result.milliseconds, device);
    };
    steps.check = [&] {
        example.expect(result.outputs);
        return check_outputs(result.outputs);
    };
    steps.write = [&] {
        outs[0] = options.out;
        for (std::size_t i = 0; i < outs.size(); ++i) {
            const tensor_output& output = result.outputs[i];
            detail::write_values(outs[i], output.shape, output.values, element::f32);
        }
    };
    return detail::run_program(app, options, argc, argv, steps);
}

}  // namespace examples
