// SPDX-License-Identifier: MIT
#include "program.hpp"

#include <cstdint>
#include <cstdio>
#include <cstring>

#include "npy.hpp"

namespace examples {

// == values =======================================================================================

namespace {

// x rounded to odd: x itself if it is a float, else the one of its two neighbours whose last bit
// is 1. Rounding this to a type with fewer bits gives the same as rounding x once.
float to_odd_float(double x) {
    const auto nearest = static_cast<float>(x);
    std::uint32_t bits = 0;
    std::memcpy(&bits, &nearest, sizeof(bits));
    if (std::isnan(x) || static_cast<double>(nearest) == x || bits % 2 == 1) {
        return nearest;
    }
    return std::nextafter(nearest, static_cast<double>(nearest) < x ? INFINITY : -INFINITY);
}

// Draws multiples of 2^(1 - bits) in [-1, 1).
class random_multiples {
public:
    explicit random_multiples(int bits) : shift_(64 - bits), step_(std::ldexp(1, 1 - bits)) {}
    double operator()(std::mt19937_64& random) const {
        return static_cast<double>(random() >> shift_) * step_ - 1;
    }

private:
    int shift_;
    double step_;
};

// "2 x 3", or "2, 3" with ", " as `between`.
std::string joined(const tensor_shape& shape, const char* between) {
    std::string text;
    for (const std::size_t extent : shape) {
        text += (text.empty() ? "" : between) + std::to_string(extent);
    }
    return text;
}

}  // namespace

double round_to(element type, double x) {
    switch (type) {
        case element::f16:
            return static_cast<double>(static_cast<opus::fp16_t>(to_odd_float(x)));
        case element::bf16:
            return static_cast<double>(opus::fp32_to_bf16(to_odd_float(x), opus::number<0>{}));
        case element::f32:
            return static_cast<double>(static_cast<float>(x));
        case element::f64:
            break;
    }
    return x;
}

std::size_t element_count(const tensor_shape& shape) {
    std::size_t size = 1;
    for (const std::size_t extent : shape) {
        size *= extent;
    }
    return size;
}

std::string tensor_text(const std::string& name, const tensor_shape& shape) {
    return name + "[" + joined(shape, ", ") + "]";
}

std::string element_text(const std::string& name, const tensor_shape& shape, std::size_t at) {
    tensor_shape indices(shape.size());
    for (std::size_t dim = shape.size(); dim-- > 0; at /= shape[dim]) {
        indices[dim] = at % shape[dim];
    }
    return tensor_text(name, indices);
}

std::vector<double> random_values(const tensor_shape& shape, element type,
                                  std::mt19937_64& random) {
    std::vector<double> values(element_count(shape));
    const random_multiples draw(facts_of(type).bits);
    double scale = 1;
    const std::size_t count =
        results_are_wanted ? values.size() : std::min(values.size(), repeated_values);
    for (std::size_t i = 0; i < count; ++i) {
        if (type == element::f32 && i % shape.back() % 32 == 0) {
            scale = std::ldexp(1, -static_cast<int>(random() >> 61));
        }
        values[i] = draw(random) * scale;
    }
    for (std::size_t at = count; at < values.size(); at += count) {
        std::copy_n(values.begin(), std::min(count, values.size() - at),
                    values.begin() + static_cast<std::ptrdiff_t>(at));
    }
    return values;
}

// == options and inputs ===========================================================================

namespace {

npy::array read_rank(const std::string& file, std::size_t rank, std::size_t or_rank) {
    npy::array in = npy::read(file);
    if (in.shape.size() != rank && in.shape.size() != or_rank) {
        throw npy::error(file, "has rank " + std::to_string(in.shape.size()) + ", it must be " +
                                   (or_rank < rank ? std::to_string(or_rank) + " or " : "") +
                                   std::to_string(rank));
    }
    return in;
}

// The reason for refusing an element.
std::string not_possible(double x, element type) {
    char text[96];
    if (!std::isfinite(x)) {
        std::snprintf(text, sizeof(text), " is %g, only finite values can be multiplied", x);
    } else {
        std::snprintf(text, sizeof(text), " is %g, which overflows %s (largest: %g)", x,
                      name_of(type), facts_of(type).largest);
    }
    return text;
}

}  // namespace

void add_one_of(CLI::App& app, const char* name, int& value, const std::vector<int>& numbers,
                const std::string& unit, const std::string& text) {
    std::vector<std::string> names;
    for (const int number : numbers) {
        names.push_back(std::to_string(number));
    }
    add_option(app, name, names_type(names) + " " + unit, text,
               [=, &value](const auto& given) { value = numbers[parse_name(name, given, names)]; });
}

std::vector<std::string> names_of(const std::vector<element>& types) {
    std::vector<std::string> names;
    for (const element type : types) {
        names.emplace_back(name_of(type));
    }
    return names;
}

void extent::add_to(CLI::App& app) {
    const std::string size_text =
        otherwise_text != nullptr ? otherwise_text : std::to_string(otherwise);
    add_option(app, option, type, text + " (" + size_text + ")",
               [this](const auto& given) { known = parse_integer(option, given, 1, largest); });
}

void extent::agree(std::size_t size_in_file, const std::string& name_of_file) {
    const std::string size_text = std::to_string(size_in_file);
    if (size_in_file < 1 || size_in_file > static_cast<std::size_t>(largest)) {
        throw npy::error(name_of_file, option + (" is " + size_text) + ", it must be from 1 to " +
                                           std::to_string(largest));
    }
    const int in_file = static_cast<int>(size_in_file);
    if (known.value_or(in_file) != in_file) {
        const std::string other = std::to_string(*known);
        throw usage_error(file.empty() ? option + (" " + other) + " contradicts " + name_of_file +
                                             ", where it is " + size_text
                                       : option + (" is " + other) + " in " + file + " and " +
                                             size_text + " in " + name_of_file);
    }
    if (!known) {
        known = in_file;
        file = name_of_file;
    }
}

void check_size(const extent& rows, const extent& columns, long long most) {
    if (static_cast<long long>(rows.size()) * columns.size() > most) {
        throw usage_error(std::to_string(rows.size()) + " x " + std::to_string(columns.size()) +
                          " are more than " + std::to_string(most) + " elements");
    }
}

bool input::is_file() const {
    return value && !(optional && *value == "random");
}

void input::read(element type_of_values) {
    if (!is_file()) {
        return;
    }
    const npy::array in = read_rank(*value, shape.size(), shape.size() - (may_lack_first ? 1 : 0));
    rank = in.shape.size();
    const std::size_t lacking = shape.size() - rank;
    for (std::size_t dim = 0; dim < shape.size(); ++dim) {
        shape[dim]->agree(dim < lacking ? 1 : in.shape[dim - lacking], *value);
    }
    values.resize(element_count(in.shape));
    for (std::size_t i = 0; i < values.size(); ++i) {
        const double x = npy::value(in, i);
        values[i] = round_to(type_of_values, x);
        if (!std::isfinite(values[i]) && (finite || std::isfinite(x))) {
            throw npy::error(
                *value, element_text("element ", in.shape, i) + not_possible(x, type_of_values));
        }
    }
}

void input::fill(element type_of_values, std::mt19937_64& random) {
    if (is_file() || (optional && !value)) {
        return;
    }
    tensor_shape sizes;
    for (const extent* of : shape) {
        sizes.push_back(static_cast<std::size_t>(of->size()));
    }
    if (may_repeat && !results_are_wanted) {
        sizes = {std::min(element_count(sizes), repeated_values)};
    }
    values = random_values(sizes, type_of_values, random);
    const double scale = std::ldexp(1, power);
    for (double& x : values) {
        x *= scale;
    }
}

std::vector<double> tensor_values(const std::optional<std::string>& file, const tensor_shape& shape,
                                  const std::function<double(double)>& round, int bits,
                                  std::mt19937_64& random) {
    std::vector<double> values(element_count(shape));
    if (!file) {
        const random_multiples draw(bits);
        for (double& x : values) {
            x = draw(random);
        }
        return values;
    }
    const npy::array in = npy::read(*file);
    if (in.shape != shape) {
        throw npy::error(*file, "has shape " + tensor_text("", in.shape) + ", it must be " +
                                    tensor_text("", shape));
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = round(npy::value(in, i));
    }
    return values;
}

tensor_shape tensor_file_shape(const std::string& file, std::size_t rank) {
    return read_rank(file, rank, rank).shape;
}

// == outputs ======================================================================================

void expect_matrix(
    tensor_output& output, element type,
    const std::function<expectation(std::size_t row, std::size_t column)>& expected) {
    const std::size_t columns = output.shape.back();
    const auto round = [type](double x) { return round_to(type, x); };
    parallel_for(output.values.size() / columns, [&](std::size_t row) {
        for (std::size_t column = 0; column < columns; ++column) {
            const auto [value, error] = expected(row, column);
            output.expect_nearest(row * columns + column, value, error, round);
        }
    });
}

namespace {

// Whether element i is the expected one. An overflow is not, whatever the tolerance.
bool is_expected(const tensor_output& output, std::size_t i) {
    const double value = output.values[i];
    const double expected = output.expected[i];
    if ((output.tolerance[i] == INFINITY && !std::isinf(value)) ||
        (std::isnan(value) && std::isnan(expected))) {
        return true;
    }
    return value == expected && (!output.exact || std::signbit(value) == std::signbit(expected));
}

}  // namespace

bool check_outputs(std::vector<tensor_output>& outputs, const std::vector<std::string>& names,
                   const std::function<void(std::vector<tensor_output>&)>& expect) {
    bool f64 = false;
    for (tensor_output& output : outputs) {
        output.expected.resize(output.values.size());
        output.tolerance.resize(output.values.size());
        f64 = f64 || output.f64;
    }
    expect(outputs);
    comparison all;  // of elements that are numbered through
    std::size_t first = 0;
    for (const tensor_output& output : outputs) {
        for (std::size_t i = 0; i < output.values.size(); ++i) {
            if (!is_expected(output, i)) {
                all.add(first + i, output.values[i], output.expected[i], output.tolerance[i],
                        std::fabs(output.values[i] - output.expected[i]));
            }
        }
        first += output.values.size();
    }
    const auto name = [&](std::size_t at) {
        std::size_t output = 0;
        for (; at >= outputs[output].values.size(); ++output) {
            at -= outputs[output].values.size();
        }
        return element_text(names[output], outputs[output].shape, at);
    };
    return all.print(name, f64 ? 17 : 9);
}

}  // namespace examples
