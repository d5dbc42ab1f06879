// Parts of names, of instructions above all.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <string_view>

namespace emu {

using text_t = std::string_view;

constexpr bool contains(text_t text, text_t part) {
    return text.find(part) != text_t::npos;
}

template <class Texts = std::initializer_list<text_t>>
constexpr bool starts_with_one_of(text_t text, const Texts& prefixes) {
    return std::ranges::any_of(prefixes, [&](text_t p) { return text.starts_with(p); });
}

}  // namespace emu
