// SPDX-License-Identifier: MIT
//
// row_host.hpp: what the examples share on the host that compute something of each row of a matrix:
// options, and inputs from the random number generator or from .npy files. The rest is tensor_host.hpp.
//
// Exit status: as in gemm_host.hpp.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "tensor_host.hpp"

namespace examples {

struct row_input {
    std::string name;       // --NAME reads a file
    std::string text;       // for --help
    bool is_row = false;    // N elements, for all rows; else M x N
    bool optional = false;  // --NAME reads a file or is "random"; else the input is empty
    int power = 0;          // random values are multiplied by 2^power
};

struct row_problem {
    int m = 0;
    int n = 0;
    element type = element::f32;              // of all inputs
    std::vector<std::vector<double>> inputs;  // values of that type
    int iters = 1;
};

struct row_example {
    std::string formula;
    std::string description;
    long long m = 64;  // without -m and a file
    long long n = 512;
    long long largest_n = 0;
    std::vector<element> types;
    std::vector<row_input> inputs;
    std::vector<std::string> outputs;  // names: --out has the first, --out-NAME the others
    std::function<void(CLI::App&)> add_options;  // its own
    // Called before anything is computed; may throw usage_error.
    std::function<void(const row_problem&)> check;
    std::function<std::string(const row_problem&)> equation;  // for the first line of the report
    // Fills `expected` and `tolerance` of outputs that have no values where there are none.
    std::function<void(const row_problem&, std::vector<tensor_output>&)> expect;
};

// How far what was rounded to `type` may be from `expected`, if it may be `error` away before that:
// what is between two numbers is between the rounded ones after it.
double rounded_tolerance(element type, double expected, double error);

// The program: its exit status.
int row_main(int argc, char** argv, const row_example& example,
             const std::function<tensor_result(const row_problem&)>& run);

}  // namespace examples
