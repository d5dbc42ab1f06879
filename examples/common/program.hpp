// SPDX-License-Identifier: MIT
//
// program.hpp: the program around a kernel, which all examples share: options, random inputs or
// inputs from .npy files, the comparison of the outputs with what the CPU computes, each element
// with its own tolerance, and the report. An example consists of its kernel and
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
// Exit status: 0 if the result is right or not verified, 1 if it is wrong, 2 if there is none (one
// line on stderr says why).
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
#include "values.hpp"

namespace CLI {
class App;
}

namespace examples {

// == values =======================================================================================

enum class element { f16, bf16, f32, f64 };

struct element_facts {
    const char* name;
    int size;  // in bytes
    int bits;  // significant ones
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

// x rounded to the nearest value of `type`, ties to even; infinite on overflow.
double round_to(element type, double x);

// Rows of `from` elements as rows of `to`: padded with zeros, or cut.
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

// The same with the indices of an element.
std::string element_text(const std::string& name, const tensor_shape& shape, std::size_t at);

// Of random tensors, where nobody looks at results: they are repeated.
constexpr std::size_t repeated_values = 1 << 20;

// Multiples of 2^(1 - bits) in [-1, 1), where `bits` is the number of significant bits of the type.
// All are representable, and every C++ library gives the same ones. In f32, each 32 elements of a
// row are divided by a power of two up to 2^7, so that quantisation finds different scales.
std::vector<double> random_values(const tensor_shape& shape, element type, std::mt19937_64& random);

// == options and inputs ===========================================================================

// Adds an option, which --help shows as "--iters INT launches    What it is". `type` names its
// values and their unit. If the option is given, set() is called with its value; it throws
// usage_error if the value is wrong. The functions below are for options that set a variable.
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

// The option takes one of the names, and `value` becomes its index. That of add_one_of() takes one
// of the numbers, and `value` becomes the number.
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

// The option takes the name of a .npy file.
void add_file(CLI::App& app, const std::string& name, std::optional<std::string>& file,
              const std::string& text);

std::vector<std::string> names_of(const std::vector<element>& types);

// With this limit, the rows of a tile stay below 2 GiB, which a kernel can address in one buffer
// with offsets of type int. And there are fewer than 65536 tiles of 32 rows, the maximum along y.
constexpr int max_extent = 1 << 20;

// A size that an option or files give. All of them must agree.
struct extent {
    const char* option;
    std::string text;  // for --help
    int otherwise;     // the default size
    int largest = max_extent;
    const char* type = "INT elements";     // for --help, like the next
    const char* otherwise_text = nullptr;  // if the number does not say it

    // Initialised, so that -Wextra accepts examples that leave them out.
    // NOLINTBEGIN(readability-redundant-member-init)
    std::optional<int> known{};
    std::string file{};  // the file that gave it; empty: the option did
    // NOLINTEND(readability-redundant-member-init)

    int size() const { return known.value_or(otherwise); }

    void add_to(CLI::App& app);

    // Sets the size from a file. Throws if it is not from 1 to `largest`, or if another size is
    // known already.
    void agree(std::size_t size_in_file, const std::string& name_of_file);
};

// Throws usage_error if the matrix has more than `most` elements.
void check_size(const extent& rows, const extent& columns, long long most = 1LL << 32);

// A tensor of these extents. Its values are representable in a type; those of a file are rounded.
struct input {
    const char* option;
    std::string text;  // for --help
    std::vector<extent*> shape;
    bool optional = false;        // empty without the option; "random" as its value: random
    bool finite = false;          // infinities and NaNs are refused
    bool may_lack_first = false;  // a file may leave out the first extent, which is then 1
    int power = 0;                // random values are multiplied by 2^power
    bool may_repeat = false;      // where nobody looks at results, `values` has the first ones only

    // NOLINTBEGIN(readability-redundant-member-init): as in extent
    std::optional<std::string> value{};  // of the option
    std::vector<double> values{};
    // NOLINTEND(readability-redundant-member-init)
    std::size_t rank = 0;  // of the file, if there is one

    void add_to(CLI::App& app);

    bool is_file() const;

    // Reads the file, if there is one.
    void read(element type_of_values);

    // Makes random values, if there is no file and the tensor is not empty.
    void fill(element type_of_values, std::mt19937_64& random);
};

// The values of a file that has this shape, each rounded by round(x). Without a file, random
// multiples of 2^(1 - bits) in [-1, 1).
std::vector<double> tensor_values(const std::optional<std::string>& file, const tensor_shape& shape,
                                  const std::function<double(double)>& round, int bits,
                                  std::mt19937_64& random);

// The shape of a file that has `rank` dimensions.
tensor_shape tensor_file_shape(const std::string& file, std::size_t rank);

// == outputs ======================================================================================

// What the kernel computed and what is expected. Where a NaN is expected, only a NaN is right.
struct tensor_output {
    tensor_shape shape;
    std::vector<double> values;
    bool f64 = false;    // files have f64 instead of f32
    bool exact = false;  // a zero with the other sign is wrong

    // NOLINTBEGIN(readability-redundant-member-init): as in extent
    std::vector<double> expected{};
    std::vector<double> tolerance{};  // infinite: any value is right
    // NOLINTEND(readability-redundant-member-init)

    void expect(std::size_t at, double value, double allowed = 0) {
        expected[at] = value;
        tolerance[at] = allowed;
    }

    // The kernel rounds a number that is up to `error` away from `value`. Rounding keeps the order
    // of numbers, so the result is between the rounded ends of that range. The printed difference
    // is that from `value`, which is rarely 0.
    void expect_near(std::size_t at, double value, double error, element type) {
        const double end = round_to(type, values[at] > value ? value + error : value - error);
        expect(at, value, std::fabs(end - value));
    }

    // The same, but the printed difference is that from round(value).
    template <class Round>
    void expect_nearest(std::size_t at, double value, double error, const Round& round) {
        const double nearest = round(value);
        const double end = round(values[at] > nearest ? value + error : value - error);
        expect(at, nearest, std::fabs(end - nearest));
    }
};

// The expected value of one element, and the error that is allowed before it is rounded.
struct expectation {
    double value;
    double error;
};

// Calls expected() for each element, on several threads. The kernel rounds elements to `type`.
void expect_matrix(tensor_output& output, element type,
                   const std::function<expectation(std::size_t row, std::size_t column)>& expected);

struct tensor_result : launch_figures {
    std::vector<tensor_output> outputs;  // in the order of the example's names

    template <class T>
    void add(const tensor_shape& shape, const std::vector<T>& values) {
        outputs.push_back({shape, to_doubles(values)});
    }
};

// Calls expect() for the outputs and prints the largest difference.
// @return whether all elements are within their tolerance
bool check_outputs(std::vector<tensor_output>& outputs, const std::vector<std::string>& names,
                   const std::function<void(std::vector<tensor_output>&)>& expect);

// An example throws it if it finds its result wrong.
struct wrong_result : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// == the program ==================================================================================

// The members are in the order in which the program uses them.
struct tensor_example {
    std::string formula;
    std::string description;

    std::vector<extent*> extents;
    std::vector<element> types{element::f32};    // of the inputs; --type, if there are several
    std::function<void(CLI::App&)> add_options;  // its own
    std::vector<input*> inputs;
    std::vector<std::string> outputs;     // names: --out has the first, --out-NAME the others
    const char* written_text = "as f32";  // for --help

    element type = element::f32;  // the value of --type, from here on
    // Checks the example's own options. Inputs from files have been read; random ones are made
    // afterwards. It returns the first line of the report, and may throw usage_error.
    std::function<std::string(std::mt19937_64& random)> prepare;
    std::function<std::string()> plan;  // a further line, or none
    std::function<tensor_result(int iters)> run;
    std::function<void(std::vector<tensor_output>&)> expect;  // calls expect() for each element
};

// Runs the program. @return its exit status
int tensor_main(int argc, char** argv, tensor_example& example);

}  // namespace examples
