// SPDX-License-Identifier: MIT
//
// host_program.hpp: what the programs around a kernel share: the options of every example, what is
// printed in which order, and how a program ends. CLI11 is included here and not where the kernels
// are, which are compiled for each target.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "gemm_host.hpp"

namespace examples::detail {

// Options of every example.
struct run_options {
    std::optional<std::string> seed;
    std::optional<std::string> out;
    std::optional<std::string> verify;
    std::optional<std::string> iters;
};

constexpr const char* file_type = "FILE.npy";

// `written_as` says what a file has that is written.
void add_run_options(CLI::App& app, run_options& options, const char* written_as);

std::vector<std::string> names_of(const std::vector<element>& types);

// One of `types` by its name; the first one without a name.
element parse_element(const char* option, const std::optional<std::string>& text,
                      const std::vector<element>& types);

// "2 x 3", or with ", " between them "2, 3".
std::string shape_text(const std::vector<std::size_t>& shape, const char* between = " x ");

// To a file, if one is wanted: as f64 where the values are of that type, else as f32, which has
// them all.
void write_values(const std::optional<std::string>& file, const std::vector<std::size_t>& shape,
                  const std::vector<double>& values, element type);

// Of a tensor of this shape: "C[2, 3]".
std::string element_text(const std::string& name, const std::vector<std::size_t>& shape,
                         std::size_t at);

// "C[2, 3]", for all of it.
std::string tensor_text(const std::string& name, const std::vector<std::size_t>& shape);

// What a program does, in this order.
struct program_steps {
    // Reads the options and makes the inputs; what the first line of the report says.
    std::function<std::string(std::mt19937_64& random)> prepare;
    std::function<std::string()> plan;          // the line after that on the device, or none
    std::function<std::string(int iters)> run;  // computes; the line on what was counted
    std::function<bool()> check;                // compares, and prints the line on that
    std::function<void()> write;                // of files
};

// The program: its exit status, 2 with one line where anything throws or an option is not known.
int run_program(CLI::App& app, const run_options& options, int argc, char** argv,
                const program_steps& steps);

}  // namespace examples::detail
