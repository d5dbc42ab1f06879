// What reports are made of.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace emu {

// As printf.
[[gnu::format(printf, 1, 2)]] std::string format(const char* pattern, ...);

// Whether the name of a kernel has this part, as a symbol or as in the source.
bool has_part(const std::string& kernel, const std::string& part);

// For %llu.
constexpr unsigned long long long_number(uint64_t n) {
    return n;
}

// 0 of nothing.
constexpr double ratio(uint64_t part, uint64_t whole) {
    return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

// Leaves the `count` elements that have most of `value`, the most first; of equals the one whose
// `name` comes first. Both are members, or functions of an element.
template <class List, class Value, class Name>
void keep_most(List& list, size_t count, Value value, Name name) {
    std::ranges::sort(list, [&](const auto& a, const auto& b) {
        const auto of_a = std::invoke(value, a);
        const auto of_b = std::invoke(value, b);
        return of_a != of_b ? of_a > of_b : std::invoke(name, a) < std::invoke(name, b);
    });
    list.resize(std::min(list.size(), count));
}

}  // namespace emu
