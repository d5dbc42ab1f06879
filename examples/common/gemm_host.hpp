// SPDX-License-Identifier: MIT
//
// gemm_host.hpp: the program of program.hpp around a GEMM: its options, its matrices and the
// reference product. An example is its kernel, a function that runs it, and
//
//   int main(int argc, char** argv) {
//       examples::gemm_example e;
//       e.description = "what is particular to it, for --help";
//       e.types = {examples::element::f16, examples::element::bf16};  // and what else it can do
//       return examples::gemm_main(argc, argv, e, run);
//   }
//
// with  examples::gemm_result run(const examples::gemm_problem& p), the M x N result of p and the
// time that time_launches() (timing.hpp) gave.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "program.hpp"
#include "small.hpp"

namespace examples {

// The type in which products of elements are added up.
inline element sum_type(element type) {
    return type == element::f64 ? element::f64 : element::f32;
}

// What happens to each sum: nothing; activation(sum + bias[column]), with the GELU by tanh; or
// sum + C.
enum class epilogue { none, gelu, silu, residual };

// D[M, N] = alpha * A[M, K] * B[N, K]^T + beta * C[M, N], all row-major without padding. The values
// are representable in the named types and stored as doubles: to<T>() converts them for the kernel.
struct gemm_problem {
    int m = 0;
    int n = 0;
    int k = 0;
    int batch = 1;                    // the number of each of the matrices, stored in a row
    bool has_batch = false;           // C is [batch, M, N], also with a batch of 1
    element type = element::f16;      // of A and B
    int format = -1;                  // index in gemm_example::formats to quantise to; -1: none
    element out_type = element::f32;  // of C and D
    double alpha = 1;                 // has sum_type(type), like beta
    double beta = 0;
    examples::epilogue epilogue = epilogue::none;  // with residual beta is 1
    const char* result = "C";                      // its name, which is D beside a C
    int iters = 1;
    std::vector<double> a;     // batch x m x k
    std::vector<double> b;     // batch x n x k
    std::vector<double> c;     // batch x m x n, or empty where beta is 0
    std::vector<double> bias;  // n, f32, or empty where the epilogue takes none

    // The example sets these. If it quantises, `a` and `b` become the quantised values.
    double product_error = 0;  // the error of each product, in units of the last place of the sums'
                               // type; 0 if products are exact, as those of 16 bits are
    double operand_bytes = 0;  // bytes of A and B with their scales; 0: those of `type`
    double machine_peaks::* peak = &machine_peaks::f16;
};

struct gemm_result {
    template <class T>
    gemm_result(const std::vector<T>& values, double time = 0, double bytes = 0)
        : d(to_doubles(values)), milliseconds(time), moved_bytes(bytes) {}

    std::vector<double> d;  // batch x m x n
    double milliseconds;    // of one launch; 0: not measured
    // The bytes that the kernel requests, if it counts them; the report is then about memory.
    double moved_bytes;
};

// What one example is and what it supports. It has no options for what it does not support. Of the
// members of tensor_example, it sets description, types (of A and B), add_options and plan.
struct gemm_example : tensor_example {
    gemm_example() { types = {element::f16}; }

    int m = 512;  // if neither -m nor a file gives it
    int n = 512;
    int k = 512;
    // Further values of --type, behind `types`: the formats to which `adapt` quantises A and B,
    // which are then f32. The first of all values is the default.
    std::vector<std::string> formats;
    // The values of --out-type, if there are several. None: the result has the operands' type.
    std::vector<element> out_types{element::f32};
    bool alpha_beta = false;    // --alpha, --beta, --c
    bool has_batch = false;     // --batch
    bool has_epilogue = false;  // --epilogue, --bias, --c
    bool may_repeat = false;    // takes A and B by device_values()
    // Called with the problem before anything is computed. It may change the problem, for example
    // quantise it. It may throw usage_error.
    std::function<void(gemm_problem&)> adapt;
};

constexpr int max_batch = 1024;

// A or B for the kernel: rows of `columns` elements, each with zeros up to `pitch`. Where nobody
// looks at results its first values, again and again.
template <class T>
device_buffer<T> device_values(const std::vector<double>& values, int rows, int columns,
                               int pitch) {
    const auto size = static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
    if (values.size() < size) {
        return device_buffer<T>(to<T>(values), size / static_cast<std::size_t>(columns) *
                                                   static_cast<std::size_t>(pitch));
    }
    return device_buffer<T>(with_columns(to<T>(values), columns, pitch));
}

// Runs the program. @return its exit status
int gemm_main(int argc, char** argv, const gemm_example& example,
              const std::function<gemm_result(const gemm_problem&)>& run);

// Parts of the program, for tests.
namespace detail {

// Compares with the reference and prints the largest difference.
bool check_product(const gemm_problem& p, const std::vector<double>& d);

// The bytes and operations of the problem, and the kernel's result.
tensor_result as_tensor(const gemm_problem& p, const gemm_result& result);

}  // namespace detail

}  // namespace examples
