// Scalars, vectors, arrays and arrays of vectors with values by number, one for each lane of a wave.
#pragma once

#include <cstring>
#include <random>
#include <vector>

#include "common/device.hpp"
#include "opus/opus.hpp"

using opus::array;
using opus::is_same_v;
using opus::vector_t;

inline constexpr int lanes = 64;

inline void finish() {
    examples::check(hipGetLastError(), "launch");
    examples::check(hipDeviceSynchronize(), "hipDeviceSynchronize");
}

// The scalars of an X, one after the other.
template <class X>
struct shape_of {
    using scalar = X;
    static constexpr int count = 1;
    static scalar& at(X& x, int) { return x; }
};
template <class T, int N>
struct shape_of<T __attribute__((ext_vector_type(N)))> {
    using scalar = T;
    static constexpr int count = N;
    static scalar at(const vector_t<T, N>& x, int i) { return x[i]; }
};
template <class X, int N>
struct shape_of<array<X, N>> {
    using inner = shape_of<X>;
    using scalar = typename inner::scalar;
    static constexpr int count = N * inner::count;
    static scalar at(const array<X, N>& x, int i) {
        X piece = x[i / inner::count];
        return inner::at(piece, i % inner::count);
    }
};
template <class X, class Value>
void set(X& x, int i, Value value) {
    using scalar = typename shape_of<X>::scalar;
    if constexpr (is_same_v<X, scalar>) {
        x = static_cast<X>(value);
    } else {
        x[i] = static_cast<scalar>(value);
    }
}
template <class X, int N, class Value>
void set(array<X, N>& x, int i, Value value) {
    set(x[i / shape_of<X>::count], i % shape_of<X>::count, value);
}

// `values(i)` for the i-th scalar of all.
template <class X, class Values>
std::vector<X> filled(const Values& values) {
    std::vector<X> all(lanes);
    int n = 0;
    for (X& x : all) {
        for (int i = 0; i < shape_of<X>::count; i++) {
            set(x, i, values(n++));
        }
    }
    return all;
}

// `count` values of any bits.
template <class T>
std::vector<T> random_values(size_t count, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<T> values(count);
    for (T& v : values) {
        unsigned char bytes[sizeof(T)];
        for (unsigned char& b : bytes) {
            b = static_cast<unsigned char>(random());
        }
        std::memcpy(&v, bytes, sizeof(T));
    }
    return values;
}
template <class T>
bool same_bits(const T& a, const T& b) {
    return std::memcmp(&a, &b, sizeof(T)) == 0;
}
