// SPDX-License-Identifier: MIT
#include "host_program.hpp"

#include <cstdio>
#include <exception>
#include <new>
#include <stdexcept>

#include "npy.hpp"

namespace examples {

void add_option(CLI::App& app, const std::string& name, std::optional<std::string>& value,
                const std::string& type, const std::string& text) {
    app.add_option(name, value, text)->type_name(type);
}

namespace detail {

namespace {

std::vector<std::string> verify_names() {
    return {"0", "1"};
}

}  // namespace

void add_run_options(CLI::App& app, run_options& options, const char* written_as) {
    add_option(app, "--out", options.out, file_type,
               std::string("Write the result, PASS or FAIL (") + written_as + ")");
    add_option(app, "--seed", options.seed, "INT", "Of the random inputs (1)");
    add_option(app, "--verify", options.verify, names_type(verify_names()),
               "1: compare with the CPU, 0: do not (1)");
    add_option(app, "--iters", options.iters, "INT launches", "To measure on a GPU (1)");
    app.footer(
        "FILE.npy holds f16, f32 or f64, row-major. What is not read is random.\n"
        "Status: 0 PASS or not verified, 1 FAIL, 2 not computed.");
}

bool wants_verify(const run_options& options) {
    return !options.verify || parse_name("--verify", *options.verify, verify_names()) == 1;
}

run_values parse_run_options(const run_options& options) {
    run_values result{1, 1};
    if (options.seed) {
        result.seed = parse_integer("--seed", *options.seed, std::uint64_t{0}, ~std::uint64_t{0});
    }
    if (options.iters) {
        result.iters = parse_integer("--iters", *options.iters, 1, 1000000);
    }
    if (options.out) {
        npy::check_writable(*options.out);
    }
    return result;
}

std::vector<std::string> names_of(const std::vector<element>& types) {
    std::vector<std::string> names;
    for (const element type : types) {
        names.emplace_back(name_of(type));
    }
    return names;
}

element parse_element(const char* option, const std::optional<std::string>& text,
                      const std::vector<element>& types) {
    return text ? types[parse_name(option, *text, names_of(types))] : types.front();
}

std::string shape_text(long long rows, long long columns) {
    return std::to_string(rows) + " x " + std::to_string(columns);
}

void write_values(const std::string& file, const std::vector<std::size_t>& shape,
                  const std::vector<double>& values, element type) {
    if (type == element::f64) {
        npy::write(file, shape, values.data());
    } else {
        npy::write(file, shape, to<float>(values).data());
    }
}

std::string element_text(const std::string& name, const std::vector<std::size_t>& indices) {
    std::string text;
    for (const std::size_t i : indices) {
        text += (text.empty() ? "[" : ", ") + std::to_string(i);
    }
    return name + text + "]";
}

void print_difference(bool differs, double largest, const std::string& where, double share) {
    if (!differs) {
        std::printf("no difference\n");
    } else if (largest == 0 && share == 0) {
        std::printf("no difference but overflows that the tolerance has\n");
    } else {
        std::printf("largest difference: %.3g at %s; up to %.3g of the tolerance\n", largest,
                    where.c_str(), share);
    }
}

void print_wrong(const std::string& where, double value, double expected, double tolerance,
                 element type) {
    const int digits = type == element::f64 ? 17 : 9;
    std::printf("%s is %.*g, expected %.*g +- %.3g\n", where.c_str(), digits, value, digits,
                expected, tolerance);
}

int parse_and_run(CLI::App& app, int argc, char** argv, const char* program,
                  const std::function<int()>& run) {
    try {
        app.parse(argc, argv);
        return run();
    } catch (const CLI::CallForHelp& help) {
        return app.exit(help);
    } catch (const CLI::ArgumentMismatch& e) {
        const std::string text = e.what();  // "-m: 1 required ..."
        return fail(program, text.substr(0, text.find(':')) + " takes one value, once");
    } catch (const wrong_result& e) {
        std::printf("%s\nFAIL\n", e.what());
        return 1;
    } catch (const std::bad_alloc&) {
        return fail(program, "out of memory");
    } catch (const std::exception& e) {
        return fail(program, e.what());
    }
}

}  // namespace detail

}  // namespace examples
