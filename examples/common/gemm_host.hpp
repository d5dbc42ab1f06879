// SPDX-License-Identifier: MIT
//
// gemm_host.hpp: what the GEMM examples share on the host: options, matrices from the random number
// generator or from .npy files, the reference product, and the report. An example is its kernel, a
// function that runs it, and
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
//
// Exit status: 0 the product is right (or not verified), 1 it is not, 2 there is none (one line on
// stderr says why).
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "compare.hpp"
#include "device.hpp"
#include "options.hpp"
#include "opus/opus.hpp"
#include "timing.hpp"

namespace CLI {
class App;
}

namespace examples {

enum class element { f16, bf16, f32, f64 };

inline const char* name_of(element type) {
    constexpr const char* names[] = {"f16", "bf16", "f32", "f64"};
    return names[static_cast<int>(type)];
}

inline int size_of(element type) {
    constexpr int sizes[] = {2, 2, 4, 8};
    return sizes[static_cast<int>(type)];
}

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

// The values as doubles.
template <class T>
std::vector<double> to_doubles(const std::vector<T>& values) {
    std::vector<double> result(values.size());
    std::transform(values.begin(), values.end(), result.begin(),
                   [](T x) { return static_cast<double>(x); });
    return result;
}

// What a kernel has computed, and the time of one launch; 0: not measured.
struct timed_values {
    template <class T>
    timed_values(const std::vector<T>& of_kernel, double time = 0)
        : values(to_doubles(of_kernel)), milliseconds(time) {}

    std::vector<double> values;
    double milliseconds;
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

// Thrown by an example that has found its result to be wrong.
struct wrong_result : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// What one example is and can do. Options for what it cannot do do not exist for it.
struct gemm_example {
    std::string description;
    int m = 512;  // without -m and a file
    int n = 512;
    int k = 512;
    std::vector<element> types{element::f16};  // --type, where there are several
    // Further values of --type, behind those: what `prepare` quantises A and B to, which are f32
    // then. The first of all is the one without --type.
    std::vector<std::string> formats;
    // --out-type, where there are several. None: the result has the type of the operands.
    std::vector<element> out_types{element::f32};
    bool alpha_beta = false;                     // --alpha, --beta, --c
    bool has_batch = false;                      // --batch
    bool has_epilogue = false;                   // --epilogue, --bias, --c
    std::function<void(CLI::App&)> add_options;  // its own
    // Called with the problem before anything is computed; may change it, for example to what is
    // left of it after quantisation. May throw usage_error.
    std::function<void(gemm_problem&)> prepare;
};

// The values as T, which must have them all.
template <class T>
std::vector<T> to(const std::vector<double>& values) {
    if constexpr (std::is_same_v<T, double>) {
        return values;
    } else {
        std::vector<T> result(values.size());
        std::transform(values.begin(), values.end(), result.begin(),
                       [](double x) { return opus::cast<T>(static_cast<float>(x)); });
        return result;
    }
}

// Rows of `from` elements as rows of `to`: with zeros behind them, or without the last ones.
template <class T>
std::vector<T> with_columns(const std::vector<T>& x, int from, int to) {
    const auto old_pitch = static_cast<std::size_t>(from);
    const auto pitch = static_cast<std::size_t>(to);
    std::vector<T> result(x.size() / old_pitch * pitch);
    for (std::size_t row = 0; row < x.size() / old_pitch; ++row) {
        std::copy_n(&x[row * old_pitch], std::min(old_pitch, pitch), &result[row * pitch]);
    }
    return result;
}

// Rounded to the nearest value of `type`, ties to even; infinite where that overflows.
double round_to(element type, double x);

// Keeps the rows of a tile below 2 GiB, which is what a kernel reaches from one buffer with offsets
// in an int, and the tiles of 32 rows below 65536, the most blocks along y.
constexpr long long max_extent = 1 << 20;
constexpr long long max_batch = 1024;

// The value of an option: a finite f32 in decimal, rounded once, and nothing after it.
float parse_f32(const char* option, const std::string& text);

// An option as --help shows it: "--iters INT launches    What it is". `type` is its values and
// their unit.
void add_option(CLI::App& app, const std::string& name, std::optional<std::string>& value,
                const std::string& type, const std::string& text);

// The program: its exit status.
int gemm_main(int argc, char** argv, const gemm_example& example,
              const std::function<gemm_result(const gemm_problem&)>& run);

// Parts of it, for tests and for references.
namespace detail {

struct matrix {
    long long rows = 0;
    long long columns = 0;
    std::vector<double> values;  // [batch, rows, columns]
    long long batch = 1;
    bool has_batch = false;  // as the file has
};

// Multiples of 2^(1 - bits) in [-1, 1), where `bits` is the significant bits of the type: it has
// them all, and they are the same with every C++ library. In f32 each 32 elements are divided by a
// power of two, up to 2^7, so that those who quantise have different scales.
matrix random_matrix(long long rows, long long columns, element type, std::mt19937_64& random,
                     long long batch = 1);

// Compares with the reference and prints the largest difference.
bool check_product(const gemm_problem& p, const std::vector<double>& d);

// The line on what was moved and how fast.
std::string report(const gemm_problem& p, const gemm_result& result, const std::string& device);

}  // namespace detail

}  // namespace examples
