// SPDX-License-Identifier: MIT
#include "host_program.hpp"

#include <cstdint>
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

std::string shape_text(const std::vector<std::size_t>& shape, const char* between) {
    std::string text;
    for (const std::size_t extent : shape) {
        text += (text.empty() ? "" : between) + std::to_string(extent);
    }
    return text;
}

void write_values(const std::optional<std::string>& file, const std::vector<std::size_t>& shape,
                  const std::vector<double>& values, element type) {
    if (file && type == element::f64) {
        npy::write(*file, shape, values.data());
    } else if (file) {
        npy::write(*file, shape, to<float>(values).data());
    }
}

std::string element_text(const std::string& name, const std::vector<std::size_t>& shape,
                         std::size_t at) {
    std::vector<std::size_t> indices(shape.size());
    for (std::size_t dim = shape.size(); dim-- > 0; at /= shape[dim]) {
        indices[dim] = at % shape[dim];
    }
    return tensor_text(name, indices);
}

std::string tensor_text(const std::string& name, const std::vector<std::size_t>& shape) {
    return name + "[" + shape_text(shape, ", ") + "]";
}

int run_program(CLI::App& app, const run_options& options, int argc, char** argv,
                const program_steps& steps) {
    const char* const program = program_name(argv[0]);
    try {
        app.parse(argc, argv);
        const bool verify =
            !options.verify || parse_name("--verify", *options.verify, verify_names()) == 1;
        const std::uint64_t seed = options.seed ? parse_integer("--seed", *options.seed,
                                                                std::uint64_t{0}, ~std::uint64_t{0})
                                                : 1;
        const int iters = options.iters ? parse_integer("--iters", *options.iters, 1, 1000000) : 1;
        if (options.out) {
            npy::check_writable(*options.out);
        }
        std::mt19937_64 random(seed);
        const std::string device = device_name();
        const std::string equation = steps.prepare(random);
        std::printf("%s: %s\n", program, equation.c_str());
        std::printf("device: %s\n", device.c_str());
        if (steps.plan) {
            std::printf("plan: %s\n", steps.plan().c_str());
        }
        std::fflush(stdout);

        std::printf("%s\n", steps.run(iters).c_str());
        const bool pass = !verify || steps.check();
        steps.write();
        std::printf("%s\n", !verify ? "not verified" : pass ? "PASS" : "FAIL");
        return pass ? 0 : 1;
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
