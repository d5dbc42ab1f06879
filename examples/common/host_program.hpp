// SPDX-License-Identifier: MIT
//
// host_program.hpp: what gemm_host.cpp and stream_host.cpp share: the options of every example, the
// words of a comparison, and how a program ends. CLI11 is included here and not where the kernels
// are, which are compiled for each target.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
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

bool wants_verify(const run_options& options);

struct run_values {
    std::uint64_t seed;
    int iters;
};

// --seed and --iters, and whether --out can be written.
run_values parse_run_options(const run_options& options);

std::vector<std::string> names_of(const std::vector<element>& types);

// One of `types` by its name; the first one without a name.
element parse_element(const char* option, const std::optional<std::string>& text,
                      const std::vector<element>& types);

// "2 x 3"
std::string shape_text(long long rows, long long columns);

// As f64 where the values are of that type, else as f32, which has them all.
void write_values(const std::string& file, const std::vector<std::size_t>& shape,
                  const std::vector<double>& values, element type);

// "C[2, 3]"
std::string element_text(const std::string& name, const std::vector<std::size_t>& indices);

// The line on the comparison. `largest` is the largest difference that is no allowed overflow, and
// `where` its element; `share` is the largest one of a difference in the tolerance of its element.
void print_difference(bool differs, double largest, const std::string& where, double share);

// And what follows where that is too much: the element that is furthest off, or the first one.
void print_wrong(const std::string& where, double value, double expected, double tolerance,
                 element type);

// The exit status of a program: that of `run`, or 2 with one line where it throws or an option is
// not known.
int parse_and_run(CLI::App& app, int argc, char** argv, const char* program,
                  const std::function<int()>& run);

}  // namespace examples::detail
