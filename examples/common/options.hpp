// SPDX-License-Identifier: MIT
//
// options.hpp: what the command lines of the examples share, besides CLI11.
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

namespace examples {

struct usage_error : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// The value of an option: a decimal number from `smallest` to `largest`, with nothing after it.
template <class T>
T parse_integer(const char* option, const std::string& text, T smallest, T largest) {
    T value{};
    const char* const end = text.data() + text.size();
    const auto [stop, code] = std::from_chars(text.data(), end, value);
    if (code != std::errc{} || stop != end || value < smallest || value > largest) {
        throw usage_error(std::string(option) + " is '" + text + "': it must be an integer from " +
                          std::to_string(smallest) + " to " + std::to_string(largest));
    }
    return value;
}

// The value of an option: a finite decimal number, rounded once to T, with nothing after it.
template <class T>
T parse_number(const char* option, const std::string& text) {
    T value = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, code] = std::from_chars(text.data(), end, value);
    if (code == std::errc::result_out_of_range) {
        throw usage_error(std::string(option) + " is '" + text + "': it must be a number that " +
                          (sizeof(T) == 8 ? "f64" : "f32") + " has");
    }
    if (code != std::errc{} || stop != end || !std::isfinite(value)) {
        throw usage_error(std::string(option) + " is '" + text + "': it must be a finite number");
    }
    return value;
}

// The same for a factor, which must be far from 0 and from overflow.
template <class T>
T parse_factor(const char* option, const std::string& text) {
    const T value = parse_number<T>(option, text);
    if (!(value >= T(1e-30)) || value > T(1e30)) {
        throw usage_error(std::string(option) + " is '" + text +
                          "': it must be a number from 1e-30 to 1e30");
    }
    return value;
}

// "a|b|c", the way --help shows the values of an option.
inline std::string names_type(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) {
        text += (text.empty() ? "" : "|") + name;
    }
    return text;
}

// The value of an option that takes one of several names: its index in `names`.
inline std::size_t parse_name(const char* option, const std::string& text,
                              const std::vector<std::string>& names) {
    std::string all;
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (text == names[i]) {
            return i;
        }
        all += (i == 0 ? "" : i + 1 == names.size() ? " or " : ", ") + names[i];
    }
    throw usage_error(std::string(option) + " is '" + text + "': it must be " + all);
}

inline const char* program_name(const char* argv0) {
    const char* const slash = std::strrchr(argv0, '/');
    return slash != nullptr ? slash + 1 : argv0;
}

// Prints one line on stderr. @return the exit status 2
inline int fail(const char* program, const std::string& what) {
    const std::size_t line = std::min(what.find('\n'), what.size());
    std::fprintf(stderr, "%s: %s\n", program, what.substr(0, line).c_str());
    return 2;
}

}  // namespace examples
