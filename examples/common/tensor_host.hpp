// SPDX-License-Identifier: MIT
//
// tensor_host.hpp: the host's part of an example whose inputs and outputs are tensors of any shape:
// inputs from the random number generator or from .npy files, the comparison of one or more outputs,
// each element within its own tolerance, and the report of the bytes that were asked for.
//
// Exit status: as in gemm_host.hpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "gemm_host.hpp"

namespace examples {

using tensor_shape = std::vector<std::size_t>;

std::size_t element_count(const tensor_shape& shape);

// The values of a file that has this shape, each rounded to a value of the type: round(x). Without a
// file multiples of 2^(1 - bits) in [-1, 1).
std::vector<double> tensor_values(const std::optional<std::string>& file, const tensor_shape& shape,
                                  const std::function<double(double)>& round, int bits,
                                  std::mt19937_64& random);

struct tensor {
    tensor_shape shape;
    std::vector<double> values;
};

// A file with so many dimensions, each from 1 to max_extent, of finite values.
tensor read_tensor(const std::string& file, std::size_t rank);

// The size that an option and the files agree on: `size` is the option's, or what files have had.
void agree(const char* option, std::optional<int>& size, std::size_t extent,
           const std::string& file);

// The shape of a file that has `rank` dimensions.
tensor_shape tensor_file_shape(const std::string& file, std::size_t rank);

// How far what is rounded may be from `expected`, if it may be `error` away before that: what is
// between two numbers is between the rounded ones after it.
double rounded_tolerance(const std::function<double(double)>& round, double expected, double error);

// What a cache has: bf16, or fp8 in the device's format.
struct kv_format {
    bool fp8 = false;
    bool fnuz = false;

    double largest() const { return fnuz ? 240 : 448; }  // code of fp8

    // The nearest number; NaN beyond the largest code.
    double round(double x) const { return fp8 ? value_of(code_of(x)) : round_to(element::bf16, x); }

    template <class T>
    std::vector<T> encode(const std::vector<double>& values) const {
        if constexpr (opus::is_same_v<T, opus::fp8_t>) {
            std::vector<T> codes(values.size());
            std::transform(values.begin(), values.end(), codes.begin(),
                           [&](double x) { return code_of(x); });
            return codes;
        } else {
            return to<T>(values);
        }
    }

    template <class T>
    std::vector<double> decode(const std::vector<T>& codes) const {
        if constexpr (opus::is_same_v<T, opus::fp8_t>) {
            std::vector<double> values(codes.size());
            std::transform(codes.begin(), codes.end(), values.begin(),
                           [&](T code) { return value_of(code); });
            return values;
        } else {
            return to_doubles(codes);
        }
    }

private:
    opus::fp8_t code_of(double x) const {
        const auto y = static_cast<float>(x);
        return fnuz ? opus::fp32_to_fp8(y, opus::fp8_fnuz{})
                    : opus::fp32_to_fp8(y, opus::fp8_ocp{});
    }
    double value_of(opus::fp8_t code) const {
        return static_cast<double>(fnuz ? opus::fp8_to_fp32(code, opus::fp8_fnuz{})
                                        : opus::fp8_to_fp32(code, opus::fp8_ocp{}));
    }
};

// An option that is a number greater than 0.
float parse_positive(const char* option, const std::optional<std::string>& text, float otherwise);

// An option that is one of some numbers; without it the first one.
int parse_one_of(const char* option, const std::optional<std::string>& text,
                 const std::vector<std::string>& numbers);

struct tensor_output {
    std::string name;
    tensor_shape shape;
    std::vector<double> values;
    // What the CPU has, and how far values may be from that: infinitely far where anything may be. A
    // NaN is expected where a NaN is.
    std::vector<double> expected;
    std::vector<double> tolerance;
};

struct tensor_result {
    std::vector<tensor_output> outputs;  // those of the example, in that order; no `expected` yet
    double milliseconds = 0;             // of one launch; 0: not measured
    double moved_bytes = 0;              // that the kernels ask for
    double least_bytes = 0;              // that they could do with
    // Where the matrix cores are the limit: then the report is of them, and of the least bytes.
    double flop = 0;
    double machine_peaks::* peak = &machine_peaks::f16;
};

// What the CPU has for one value of the result, and how far that may be off before it is rounded.
struct expectation {
    double value;
    double error;
};

// Fills `expected` and `tolerance`, each expectation rounded to `type`: rounding keeps the order of
// numbers, so what is between the ends of the tolerance before is between the rounded ends after
// it. `expected` is called on several threads.
void expect_matrix(tensor_output& output, element type,
                   const std::function<expectation(std::size_t row, std::size_t column)>& expected);

struct tensor_example {
    std::string formula;
    std::string description;
    std::vector<std::string> outputs;  // names: --out has the first, --out-NAME the others
    std::function<void(CLI::App&)> add_options;
    // Reads the options and makes the inputs; the result is what the first line of the report says.
    // May throw usage_error.
    std::function<std::string(std::mt19937_64& random)> prepare;
    std::function<std::string()> plan;  // a further line, or none
    std::function<tensor_result(int iters)> run;
    std::function<void(std::vector<tensor_output>&)> expect;  // fills `expected` and `tolerance`
};

// The program: its exit status.
int tensor_main(int argc, char** argv, const tensor_example& example);

}  // namespace examples
