// SPDX-License-Identifier: MIT
//
// options.hpp: what the command lines of the examples share beside CLI11.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>
#include <system_error>

namespace examples {

struct usage_error : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// The value of an option: decimal, from `smallest` to `largest`, and nothing after it.
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

inline const char* program_name(const char* argv0) {
    const char* const slash = std::strrchr(argv0, '/');
    return slash != nullptr ? slash + 1 : argv0;
}

// One line on stderr, and the exit status 2.
inline int fail(const char* program, const std::string& what) {
    const std::size_t line = std::min(what.find('\n'), what.size());
    std::fprintf(stderr, "%s: %s\n", program, what.substr(0, line).c_str());
    return 2;
}

}  // namespace examples
