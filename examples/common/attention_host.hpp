// SPDX-License-Identifier: MIT
//
// attention_host.hpp: the host side of the example attention: options, inputs from the random
// number generator or from .npy files, the reference in double, and the report.
//
// Exit status: as in gemm_host.hpp.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "gemm_host.hpp"

namespace examples {

// O = softmax(scale * Q * K^T) * V for each head of each batch; all row-major without padding:
// Q and O [batch, heads, rows, d], K and V [batch, kv_heads, keys, d]. The values are those of
// `type`, as doubles.
struct attention_problem {
    int batch = 1;
    int heads = 1;
    int kv_heads = 1;  // heads / kv_heads neighbours share one of K and V
    int rows = 0;
    int keys = 0;
    int d = 0;
    element type = element::f16;
    element out_type = element::f16;  // `type` or f32
    bool causal = false;              // row i sees the keys up to i + keys - rows
    double scale = 1;
    int iters = 1;
    std::vector<double> q;
    std::vector<double> k;
    std::vector<double> v;

    // Of row `row`.
    int visible_keys(int row) const {
        return causal ? std::clamp(row + 1 + keys - rows, 0, keys) : keys;
    }
};

using attention_result = timed_values;  // O

// The program: its exit status. `description` is what is particular to it, for --help.
int attention_main(int argc, char** argv, const std::string& description,
                   const std::function<attention_result(const attention_problem&)>& run);

}  // namespace examples
