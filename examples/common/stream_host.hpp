// SPDX-License-Identifier: MIT
//
// stream_host.hpp: what the examples share on the host that move data and compute little: options,
// inputs from the random number generator or from .npy files, the comparison, and the report. The
// output has the inputs' shape, and must be exactly what is expected.
//
// Exit status: as in gemm_host.hpp.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "gemm_host.hpp"

namespace examples {

struct stream_problem {
    std::vector<std::size_t> shape;
    std::size_t size = 0;                     // elements
    std::vector<std::vector<double>> inputs;  // values of the example's type
    int iters = 1;
};

using stream_result = timed_values;  // the output

struct stream_example {
    std::string description;
    element type = element::f32;      // of the inputs and of the output
    std::vector<std::string> inputs;  // names; --NAME reads a file
    std::string output;               // name
    std::vector<std::string> dims;    // names; "n" is the option -n
    std::string equation;             // "c = a + b"
    // Element i, before it is rounded to `type`.
    std::function<double(const stream_problem&, std::size_t)> expected;
};

// The program: its exit status.
int stream_main(int argc, char** argv, const stream_example& example,
                const std::function<stream_result(const stream_problem&)>& run);

}  // namespace examples
