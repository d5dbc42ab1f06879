// Which of the three layouts a function returned.
#pragma once

#include "opus/opus.hpp"

// The kind of a layout: -1 as computed at each call, 0 as one that moves, else for how many elements
// its accesses are cached.
template <class T>
inline constexpr int kind_v = -2;
template <class... Parts>
inline constexpr int kind_v<opus::layout<Parts...>> = -1;
template <class... Parts>
inline constexpr int kind_v<opus::layout_linear<Parts...>> = 0;
template <opus::index_t cached_vec, class... Parts>
inline constexpr int kind_v<opus::layout_cached<cached_vec, Parts...>> = cached_vec;
template <class... Layouts>
constexpr bool are(int kind, const Layouts&...) {
    return ((kind_v<Layouts> == kind) && ...);
}
