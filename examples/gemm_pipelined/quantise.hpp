// SPDX-License-Identifier: MIT
//
// quantise.hpp: matrices of f32 as codes of fp8, bf8, fp6, bf6, fp4 or i8 with scales, on the host.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <type_traits>
#include <vector>

#include "opus/opus.hpp"

namespace examples {

// What a scale is for: a matrix; 32 along K, a power of two; 1 x 128 of A and 128 x 128 of B.
enum class scaling { tensor, mx, block };

constexpr int scale_k = 128;  // rows of codes are multiples of this

template <class T>
constexpr bool is_8_bit_float = std::is_same_v<T, opus::fp8_t> || std::is_same_v<T, opus::bf8_t>;

inline std::size_t size_of(int rows, int columns) {
    return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
}

// A or B as the kernel takes it.
struct operand_matrix {
    int k = 0;                       // elements of a row, zeros behind those that there are
    std::vector<opus::u8_t> codes;   // [batch, rows, k], packed
    std::vector<opus::u8_t> scales;  // f32, of mx E8M0: [batch, blocks along the rows, and along K]
};

namespace detail {

// Rows have at least 128 bytes, and codes have whole scales.
template <class T>
int padded(int k) {
    constexpr int least = 128 * 8 / opus::sizeof_bits_v<T>;
    return (std::max(k, least) + scale_k - 1) / scale_k * scale_k;
}

template <class X>
void append(std::vector<opus::u8_t>& bytes, const X& x, std::size_t count = sizeof(X)) {
    const auto* const first = reinterpret_cast<const opus::u8_t*>(&x);
    bytes.insert(bytes.end(), first, first + count);
}

// Rows and columns that share a scale.
struct scale_block {
    int rows;
    int columns;
};

template <scaling S>
scale_block scale_block_of(bool is_b, int rows, int columns) {
    return S == scaling::block ? scale_block{is_b ? 128 : 1, 128}
           : S == scaling::mx  ? scale_block{1, 32}
                               : scale_block{rows, columns};
}

// The scale of codes of T for values up to `magnitude`; mx as the specification (6.3) suggests:
// the largest of 32 has the largest exponent of T, and saturates if its mantissa is larger than
// that of T's largest.
template <scaling S>
double scale_of(double magnitude, double largest) {
    if constexpr (S == scaling::mx) {
        const int exponent = magnitude == 0 ? 0 : std::ilogb(magnitude) - std::ilogb(largest);
        return std::ldexp(1.0, std::max(exponent, -127));
    } else {
        const float scale = static_cast<float>(magnitude) / static_cast<float>(largest);
        return static_cast<double>(std::max(scale, 0x1p-126f));
    }
}

// The scales of a matrix with rows of k, padded to `columns`.
template <scaling S>
std::vector<double> scales_of(const double* matrix, int rows, int k, int columns, scale_block block,
                              double largest) {
    std::vector<double> scales;
    for (int row = 0; row < rows; row += block.rows) {
        for (int column = 0; column < columns; column += block.columns) {
            double magnitude = 0;
            for (int i = row; i < std::min(row + block.rows, rows); ++i) {
                for (int l = column; l < std::min(column + block.columns, k); ++l) {
                    magnitude =
                        std::max(magnitude, std::fabs(matrix[size_of(i, k) + size_of(l, 1)]));
                }
            }
            scales.push_back(scale_of<S>(magnitude, largest));
        }
    }
    return scales;
}

// Appends the codes of `count` values with one scale, zeros behind them, and replaces the values by
// what is left of them.
template <class T, int group>
void append_codes(std::vector<opus::u8_t>& codes, double* x, int count, double scale, double factor,
                  double largest) {
    opus::array<float, group> scaled;
    for (int l = 0; l < count; ++l) {
        scaled[l] = static_cast<float>(std::clamp(x[l] / scale * factor, -largest, largest));
        if constexpr (std::is_same_v<T, opus::i8_t>) {
            scaled[l] = std::nearbyint(scaled[l]);  // to nearest even
        }
    }
    const auto decoded = opus::cast<float>(opus::cast<T>(scaled));
    for (int l = 0; l < count; ++l) {
        x[l] = static_cast<double>(decoded[l]) / factor * scale;
        scaled[l] = decoded[l] == 0 ? 0.0f : scaled[l];  // not -0
    }
    append(codes, opus::cast<T>(scaled), group * opus::sizeof_bits_v<T> / 8);
}

}  // namespace detail

// Replaces the values, f32 [batch, rows, k], by what is left of them: code times scale, exactly.
//
// The host's fp8 and bf8 are those of OCP. In FNUZ each code is half of that, but that code 0x80
// is NaN instead of -0, so the double of the value is converted, and the largest is half of OCP's.
// (FNUZ has codes beyond, which OCP has for what is not finite. They are not used.)
template <class T, scaling S>
operand_matrix quantise(std::vector<double>& values, int batch, int rows, int k, bool is_b,
                        bool fnuz) {
    constexpr int group = opus::sizeof_bits_v<T> < 8 ? 32 : 8;  // that is cast at once
    const double factor = fnuz && is_8_bit_float<T> ? 2 : 1;
    const double largest =
        std::is_same_v<T, opus::i8_t> ? 127 : static_cast<double>(opus::finfo<T>::max());
    operand_matrix result;
    result.k = detail::padded<T>(k);
    const detail::scale_block block = detail::scale_block_of<S>(is_b, rows, result.k);
    for (int of_batch = 0; of_batch < batch; ++of_batch) {
        double* const matrix = values.data() + size_of(of_batch * rows, k);
        const std::vector<double> scales =
            detail::scales_of<S>(matrix, rows, k, result.k, block, largest / factor);
        for (const double scale : scales) {
            if constexpr (S == scaling::mx) {
                detail::append(result.scales, static_cast<opus::u8_t>(std::ilogb(scale) + 127));
            } else {
                detail::append(result.scales, static_cast<float>(scale));
            }
        }
        for (int i = 0; i < rows; ++i) {
            for (int column = 0; column < result.k; column += group) {
                const std::size_t of_scale = size_of(i / block.rows, result.k / block.columns) +
                                             size_of(column / block.columns, 1);
                detail::append_codes<T, group>(
                    result.codes, matrix + size_of(i, k) + size_of(column, 1),
                    std::clamp(k - column, 0, group), scales[of_scale], factor, largest);
            }
        }
    }
    return result;
}

}  // namespace examples
