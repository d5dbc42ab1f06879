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

namespace examples {

// That products of elements are added up in.
inline element sum_type(element type) {
    return type == element::f64 ? element::f64 : element::f32;
}

// What is done with each sum: nothing; activation(sum + bias[column]), the GELU by tanh; sum + C.
enum class epilogue { none, gelu, silu, residual };

// D[M, N] = alpha * A[M, K] * B[N, K]^T + beta * C[M, N], all row-major without padding. The values
// are those of the named types, as doubles: to<T>() gives them as the kernel wants them.
struct gemm_problem {
    int m = 0;
    int n = 0;
    int k = 0;
    int batch = 1;                    // so many of all matrices, one behind the other
    bool has_batch = false;           // C is [batch, M, N], also with a batch of 1
    element type = element::f16;      // of A and B
    int format = -1;                  // to quantise them to, of gemm_example's; -1: none
    element out_type = element::f32;  // of C and D
    double alpha = 1;                 // of sum_type(type), as beta
    double beta = 0;
    examples::epilogue epilogue = epilogue::none;  // with residual beta is 1
    const char* result = "C";                      // its name, which is D beside a C
    int iters = 1;
    std::vector<double> a;     // batch x m x k
    std::vector<double> b;     // batch x n x k
    std::vector<double> c;     // batch x m x n, or empty where beta is 0
    std::vector<double> bias;  // n, f32, or empty where the epilogue takes none

    // For the example to set. Where it quantises, `a` and `b` become what is left of A and B.
    double product_error = 0;  // what is lost of each product, in units of the last place of the
                               // sums' type; 0 where products are exact, as those of 16 bits are
    double operand_bytes = 0;  // of A and B, with their scales; 0: as many as `type` takes
    double machine_peaks::* peak = &machine_peaks::f16;
};

struct gemm_result {
    template <class T>
    gemm_result(const std::vector<T>& values, double time = 0, double bytes = 0)
        : d(to_doubles(values)), milliseconds(time), moved_bytes(bytes) {}

    std::vector<double> d;  // batch x m x n
    double milliseconds;    // of one launch; 0: not measured
    // That the kernel asks memory for, where it counts them; then the report is of memory.
    double moved_bytes;
};

// What one example is and can do. Options for what it cannot do do not exist for it. Of a
// tensor_example it sets description, types (of A and B), add_options and plan, where it has them.
struct gemm_example : tensor_example {
    gemm_example() { types = {element::f16}; }

    int m = 512;  // without -m and a file
    int n = 512;
    int k = 512;
    // Further values of --type, behind those: what `adapt` quantises A and B to, which are f32
    // then. The first of all is the one without --type.
    std::vector<std::string> formats;
    // --out-type, where there are several. None: the result has the type of the operands.
    std::vector<element> out_types{element::f32};
    bool alpha_beta = false;    // --alpha, --beta, --c
    bool has_batch = false;     // --batch
    bool has_epilogue = false;  // --epilogue, --bias, --c
    // Called with the problem before anything is computed; may change it, for example to what is
    // left of it after quantisation. May throw usage_error.
    std::function<void(gemm_problem&)> adapt;
};

constexpr int max_batch = 1024;

// The program: its exit status.
int gemm_main(int argc, char** argv, const gemm_example& example,
              const std::function<gemm_result(const gemm_problem&)>& run);

// Parts of it, for tests.
namespace detail {

// Compares with the reference and prints the largest difference.
bool check_product(const gemm_problem& p, const std::vector<double>& d);

// The bytes and operations of the problem, and what the kernel has made of it.
tensor_result as_tensor(const gemm_problem& p, const gemm_result& result);

}  // namespace detail

}  // namespace examples
