// SPDX-License-Identifier: MIT
//
// What needs CLI11: the options and the program. Nothing here takes time when it runs.
#include <CLI/CLI.hpp>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <new>

#include "npy.hpp"
#include "program.hpp"

namespace examples {

namespace {
constexpr const char* file_type = "FILE.npy";
}  // namespace

void add_option(CLI::App& app, const char* name, const std::string& type, const std::string& text,
                const std::function<void(const std::string&)>& set) {
    app.add_option_function<std::string>(name, set, text)->type_name(type);
}

void add_file(CLI::App& app, const std::string& name, std::optional<std::string>& file,
              const std::string& text) {
    app.add_option(name, file, text)->type_name(file_type);
}

void input::add_to(CLI::App& app) {
    app.add_option(option, value, text)
        ->type_name(file_type + std::string(optional ? "|random" : ""));
}

// == the program ==================================================================================

namespace {

// The options, in the order in which --help shows them, and their values.
class program {
public:
    program(const char* name, tensor_example& example)
        : name_(name),
          example_(example),
          app_(example.formula + "\n" + example.description, name),
          outs_(example.outputs.size()) {
        example.type = example.types.front();
        for (extent* const of : example.extents) {
            of->add_to(app_);
        }
        if (example.types.size() > 1) {
            const std::vector<std::string> names = names_of(example.types);
            add_option(app_, "--type", names_type(names),
                       "Type of the inputs (" + names.front() + ")",
                       [&example, names](const std::string& given) {
                           example.type = example.types[parse_name("--type", given, names)];
                       });
        }
        if (example.add_options) {
            example.add_options(app_);
        }
        for (input* const in : example.inputs) {
            in->add_to(app_);
        }
        for (std::size_t i = 1; i < outs_.size(); ++i) {
            const std::string& output = example.outputs[i];
            add_file(app_, "--out-" + output, outs_[i], "Write " + output);
        }
        add_file(app_, "--out", outs_[0],
                 std::string("Write the result, PASS or FAIL (") + example.written_text + ")");
        add_integer(app_, "--seed", seed_, std::uint64_t{0}, ~std::uint64_t{0}, "INT",
                    "Seed of the random inputs (1)");
        add_flag(app_, "--verify", verify_, "1: compare with the CPU, 0: do not (1)");
        add_integer(app_, "--iters", iters_, 1, 1000000, "INT launches",
                    "Launches that are timed on a GPU (1)");
        app_.footer(
            "FILE.npy holds f16, f32 or f64, row-major. Inputs without a file are random.\n"
            "Status: 0 PASS or not verified, 1 FAIL, 2 not computed.");
    }

    int run(int argc, char** argv) {
        try {
            app_.parse(argc, argv);
            return run_parsed() ? 0 : 1;
        } catch (const CLI::CallForHelp& help) {
            return app_.exit(help);
        } catch (const CLI::ArgumentMismatch& e) {
            const std::string text = e.what();  // "-m: 1 required ..."
            return fail(name_, text.substr(0, text.find(':')) + " takes one value, once");
        } catch (const wrong_result& e) {
            std::printf("%s\nFAIL\n", e.what());
            return 1;
        } catch (const std::bad_alloc&) {
            return fail(name_, "out of memory");
        } catch (const std::exception& e) {
            return fail(name_, e.what());
        }
    }

private:
    // Returns the first line of the report.
    std::string prepare(std::mt19937_64& random) {
        for (input* const in : example_.inputs) {
            in->read(example_.type);
        }
        std::string equation = example_.prepare(random);
        for (input* const in : example_.inputs) {
            in->fill(example_.type, random);
        }
        return equation;
    }

    // @return whether the result is right or not verified
    bool run_parsed() {
        for (const auto& file : outs_) {
            if (file) {
                npy::check_writable(*file);
            }
        }
        results_are_wanted =
            verify_ || std::any_of(outs_.begin(), outs_.end(), [](const auto& f) { return !!f; });
        std::mt19937_64 random(seed_);
        const std::string device = device_name();
        const std::string equation = prepare(random);
        std::printf("%s: %s\n", name_, equation.c_str());
        std::printf("device: %s\n", device.c_str());
        if (example_.plan) {
            std::printf("plan: %s\n", example_.plan().c_str());
        }
        std::fflush(stdout);

        tensor_result result = example_.run(iters_);
        std::printf("%s\n", report(result, device).c_str());
        const bool pass =
            !verify_ || check_outputs(result.outputs, example_.outputs, example_.expect);
        for (std::size_t i = 0; i < outs_.size(); ++i) {
            write(outs_[i], result.outputs[i]);
        }
        std::printf("%s\n", !verify_ ? "not verified" : pass ? "PASS" : "FAIL");
        return pass;
    }

    static void write(const std::optional<std::string>& file, const tensor_output& output) {
        if (file && output.f64) {
            npy::write(*file, output.shape, output.values.data());
        } else if (file) {
            npy::write(*file, output.shape, to<float>(output.values).data());
        }
    }

    const char* name_;
    tensor_example& example_;
    CLI::App app_;
    std::uint64_t seed_ = 1;
    bool verify_ = true;
    int iters_ = 1;
    std::vector<std::optional<std::string>> outs_;
};

}  // namespace

int tensor_main(int argc, char** argv, tensor_example& example) {
    return program(program_name(argv[0]), example).run(argc, argv);
}

}  // namespace examples
