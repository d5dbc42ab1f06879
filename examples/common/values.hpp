// SPDX-License-Identifier: MIT
//
// values.hpp: vectors of values in other types, such as those of kernels.
#pragma once

#include <algorithm>
#include <type_traits>
#include <vector>

#include "opus/opus.hpp"

namespace examples {

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

// The values as T. All of them must be representable in T.
template <class T>
std::vector<T> to(const std::vector<double>& values) {
    if constexpr (std::is_same_v<T, double>) {
        return values;
    } else {
        return transformed<T>(values,
                              [](double x) { return opus::cast<T>(static_cast<float>(x)); });
    }
}

}  // namespace examples
