// SPDX-License-Identifier: MIT
//
// program.hpp: the program around a kernel, which all examples share: options, inputs from the
// random number generator or from .npy files, the comparison of one or more outputs with what the
// CPU has, each element within its own tolerance, and the report. An example is its kernel and
//
//   int main(int argc, char** argv) {
//       examples::extent n{"-n", "Length", 512};
//       examples::input a{"--a", "Read a", {&n}};
//       examples::tensor_example e;
//       e.formula = "b = 2 * a";
//       e.extents = {&n};
//       e.inputs = {&a};
//       e.outputs = {"b"};
//       e.prepare = [&](std::mt19937_64&) { return "b = 2 * a, " + std::to_string(n.size()); };
//       e.run = [&](int iters) { return twice(a.values, iters); };  // a tensor_result
//       e.expect = [&](std::vector<examples::tensor_output>& outputs) {
//           for (std::size_t i = 0; i < a.values.size(); ++i) {
//               outputs[0].expect(i, 2 * a.values[i]);
//           }
//       };
//       return examples::tensor_main(argc, argv, e);
//   }
//
// Exit status: 0 the result is right (or not verified), 1 it is not, 2 there is none (one line on
// stderr says why).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <limits>
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

// == values =======================================================================================

enum class element { f16, bf16, f32, f64 };

struct element_facts {
    const char* name;
    int size;  // in bytes
    int bits;  // that are significant
    double largest;
};

inline const element_facts& facts_of(element type) {
    static constexpr element_facts facts[] = {
        {"f16", 2, 11, 65504},
        {"bf16", 2, 8, 0x1.fep127},
        {"f32", 4, 24, 0x1.fffffep127},
        {"f64", 8, 53, std::numeric_limits<double>::max()},
    };
    return facts[static_cast<int>(type)];
}

inline const char* name_of(element type) {
    return facts_of(type).name;
}

inline int size_of(element type) {
    return facts_of(type).size;
}

// Rounded to the nearest value of `type`, ties to even; infinite where that overflows.
double round_to(element type, double x);

// f(x) of each value.
template <class To, class From, class F>
std::vector<To> transformed(const std::vector<From>& values, F f) {
    std::vector<To> result(values.size());
    std::transform(values.begin(), values.end(), result.begin(), f);
    return result;
}

// The values as doubles.
template <class T>
std::vector<double> to_doubles(const std::vector<T>& values) {
    return transformed<double>(values, [](T x) { return static_cast<double>(x); });
}

// The values as T, which must have them all.
template <class T>
std::vector<T> to(const std::vector<double>& values) {
    if constexpr (std::is_same_v<T, double>) {
        return values;
    } else {
        return transformed<T>(values,
                              [](double x) { return opus::cast<T>(static_cast<float>(x)); });
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

using tensor_shape = std::vector<std::size_t>;

inline tensor_shape shape_of(std::initializer_list<int> extents) {
    return {extents.begin(), extents.end()};
}

std::size_t element_count(const tensor_shape& shape);

// "C[2, 3]"
std::string tensor_text(const std::string& name, const tensor_shape& shape);

// The same of the indices of an element.
std::string element_text(const std::string& name, const tensor_shape& shape, std::size_t at);

// Multiples of 2^(1 - bits) in [-1, 1), where `bits` is the significant bits of the type: it has
// them all, and they are the same with every C++ library. In f32 each 32 elements of a row are
// divided by a power of two, up to 2^7, so that those who quantise have different scales.
std::vector<double> random_values(const tensor_shape& shape, element type, std::mt19937_64& random);

// == options and inputs ===========================================================================

// An option, as --help shows it: "--iters INT launches    What it is". `type` is its values and
// their unit. set() gets the value, and throws usage_error where it is none; without the option it
// is not called. The functions below are for options that set a variable.
void add_option(CLI::App& app, const char* name, const std::string& type, const std::string& text,
                const std::function<void(const std::string&)>& set);

template <class T>
void add_integer(CLI::App& app, const char* name, T& value, T smallest, T largest,
                 const std::string& type, const std::string& text) {
    add_option(app, name, type, text, [=, &value](const std::string& given) {
        value = parse_integer(name, given, smallest, largest);
    });
}

// From 1e-30 to 1e30.
template <class T>
void add_factor(CLI::App& app, const char* name, T& value, const std::string& text) {
    add_option(app, name, "NUMBER", text,
               [=, &value](const std::string& given) { value = parse_factor<T>(name, given); });
}

// One of the names: a T from its index, or the number that it is.
template <class T>
void add_name(CLI::App& app, const char* name, T& value, const std::vector<std::string>& names,
              const std::string& text) {
    add_option(app, name, names_type(names), text, [=, &value](const std::string& given) {
        value = static_cast<T>(parse_name(name, given, names));
    });
}
void add_one_of(CLI::App& app, const char* name, int& value, const std::vector<int>& numbers,
                const std::string& unit, const std::string& text);

inline void add_flag(CLI::App& app, const char* name, bool& value, const std::string& text) {
    add_name(app, name, value, {"0", "1"}, text);
}

// The name of a file of NumPy.
void add_file(CLI::App& app, const std::string& name, std::optional<std::string>& file,
              const std::string& text);

std::vector<std::string> names_of(const std::vector<element>& types);

// Keeps the rows of a tile below 2 GiB, which is what a kernel reaches from one buffer with offsets
// in an int, and the tiles of 32 rows below 65536, the most blocks along y.
constexpr int max_extent = 1 << 20;

// A size that an option names or that files have; all of them must agree.
struct extent {
    const char* option;
    std::string text;  // for --help
    int otherwise;     // the size without the option and a file
    int largest = max_extent;
    const char* type = "INT elements";     // for --help, as the next
    const char* otherwise_text = nullptr;  // where the number would not say it

    // Initialised, so that -Wextra lets examples leave them out.
    // NOLINTBEGIN(readability-redundant-member-init)
    std::optional<int> known{};
    std::string file{};  // that has it; empty: the option has
    // NOLINTEND(readability-redundant-member-init)

    int size() const { return known.value_or(otherwise); }

    void add_to(CLI::App& app);

    // Throws if this is not the size that is known or not from 1 to `largest`; then it is known.
    void agree(std::size_t size_in_file, const std::string& name_of_file);
};

// Throws usage_error where a matrix has more elements.
void check_size(const extent& rows, const extent& columns, long long most = 1LL << 32);

// A tensor of these extents, whose values are those of a type, rounded where a file has others.
struct input {
    const char* option;
    std::string text;  // for --help
    std::vector<extent*> shape;
    bool optional = false;        // empty without the option, and random if that says "random"
    bool finite = false;          // infinities and NaNs are refused
    bool may_lack_first = false;  // a file may lack the first extent, which is 1 then
    int power = 0;                // random values are multiplied by 2^power

    // NOLINTBEGIN(readability-redundant-member-init): as in extent
    std::optional<std::string> value{};  // of the option
    std::vector<double> values{};
    // NOLINTEND(readability-redundant-member-init)
    std::size_t rank = 0;  // of the file, if there is one

    void add_to(CLI::App& app);

    bool is_file() const;

    // From the file, if there is one.
    void read(element type_of_values);

    // If there is none, and it is to be random.
    void fill(element type_of_values, std::mt19937_64& random);
};

// The values of a file that has this shape, each rounded to a value of the type: round(x). Without
// a file multiples of 2^(1 - bits) in [-1, 1).
std::vector<double> tensor_values(const std::optional<std::string>& file, const tensor_shape& shape,
                                  const std::function<double(double)>& round, int bits,
                                  std::mt19937_64& random);

// The shape of a file that has `rank` dimensions.
tensor_shape tensor_file_shape(const std::string& file, std::size_t rank);

// == outputs ======================================================================================

// What the kernel has computed, and what the CPU has: a NaN is expected where a NaN is.
struct tensor_output {
    tensor_shape shape;
    std::vector<double> values;
    bool f64 = false;    // in files, which else have f32
    bool exact = false;  // a zero with the other sign is wrong

    // NOLINTBEGIN(readability-redundant-member-init): as in extent
    std::vector<double> expected{};
    std::vector<double> tolerance{};  // infinite where anything may be
    // NOLINTEND(readability-redundant-member-init)

    void expect(std::size_t at, double value, double allowed = 0) {
        expected[at] = value;
        tolerance[at] = allowed;
    }

    // The kernel rounds what is up to `error` away from `value`. Rounding keeps the order of
    // numbers: what is between the ends of that before it is between the rounded ends after it. Of
    // this function the difference is that from `value`, which only luck makes 0.
    void expect_near(std::size_t at, double value, double error, element type) {
        const double end = round_to(type, values[at] > value ? value + error : value - error);
        expect(at, value, std::fabs(end - value));
    }

    // Of this one it is that from the nearest number, as round(x) has it.
    template <class Round>
    void expect_nearest(std::size_t at, double value, double error, const Round& round) {
        const double nearest = round(value);
        const double end = round(values[at] > nearest ? value + error : value - error);
        expect(at, nearest, std::fabs(end - nearest));
    }
};

// What the CPU has for one value of the result, and how far that may be off before it is rounded.
struct expectation {
    double value;
    double error;
};

// expected() for each element, which the kernel rounds to `type`; it is called on several threads.
void expect_matrix(tensor_output& output, element type,
                   const std::function<expectation(std::size_t row, std::size_t column)>& expected);

struct tensor_result : launch_figures {
    std::vector<tensor_output> outputs;  // those of the example, in that order

    template <class T>
    void add(const tensor_shape& shape, const std::vector<T>& values) {
        outputs.push_back({shape, to_doubles(values)});
    }
};

// Calls expect() for the outputs, and prints the largest difference of all of them.
bool check_outputs(std::vector<tensor_output>& outputs, const std::vector<std::string>& names,
                   const std::function<void(std::vector<tensor_output>&)>& expect);

// Thrown by an example that has found its result to be wrong.
struct wrong_result : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// == the program ==================================================================================

// What a program does is in the order of these.
struct tensor_example {
    std::string formula;
    std::string description;

    std::vector<extent*> extents;
    std::vector<element> types{element::f32};    // of the inputs; --type, where there are several
    std::function<void(CLI::App&)> add_options;  // its own
    std::vector<input*> inputs;
    std::vector<std::string> outputs;     // names: --out has the first, --out-NAME the others
    const char* written_text = "as f32";  // for --help

    element type = element::f32;  // that --type names, from here on
    // Reads its own options; inputs are there that files have, the others are filled afterwards.
    // The result is what the first line of the report says. May throw usage_error.
    std::function<std::string(std::mt19937_64& random)> prepare;
    std::function<std::string()> plan;  // a further line, or none
    std::function<tensor_result(int iters)> run;
    std::function<void(std::vector<tensor_output>&)> expect;  // calls expect() for each element
};

// The program: its exit status.
int tensor_main(int argc, char** argv, tensor_example& example);

}  // namespace examples
