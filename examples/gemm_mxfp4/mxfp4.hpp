// SPDX-License-Identifier: MIT
//
// mxfp4.hpp: matrices in MXFP4, codes of fp4 with a scale (E8M0, a power of two) for 32 of them
// along K: on the host from doubles, in a kernel from bf16 or f32; and the order in which kernels
// take them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "../common/compare.hpp"
#include "opus/opus.hpp"

namespace examples {

// == the order ====================================================================================
//
// Plain: codes [rows, k / 2], the first of two in the lower bits; scales [rows, k / 32].
//
// For the kernels: as the lanes of v_mfma_scale_f32_16x16x128_f8f6f4 take them, so that a wave
// loads consecutive bytes, to registers or to LDS, and needs no swizzle. Lane l has row l % 16 and
// the 32 codes from l / 16 * 32 on, with one scale.
//
//   codes    [strips, steps, 64 lanes, 16 bytes]: 1 KiB for 16 rows and 128 of K
//   scales   [strips, steps / 4, 64 lanes, 4 bytes]: byte s of a lane's word is for step s of four
//
// Strips are rows / 16, rounded up, and k is a multiple of 512; what is added is 0.
constexpr int strip_rows = 16;
constexpr int step_k = 128;
constexpr int word_k = 4 * step_k;  // of a word of scales

constexpr int round_up(int x, int unit) {
    return (x + unit - 1) / unit * unit;
}

// Bytes of a strip whose k is that of the kernels.
OPUS_H_D constexpr int strip_codes(int k) {
    return k / step_k * 1024;
}
OPUS_H_D constexpr int strip_scales(int k) {
    return k / word_k * 256;
}

// Where in its strip the 32 codes of row % 16 are to which column belongs, and their scale.
OPUS_H_D constexpr int codes_in_strip(int row, int column) {
    return column / step_k * 1024 + (column % step_k / 32 * 16 + row) * 16;
}
OPUS_H_D constexpr int scale_in_strip(int row, int column) {
    return column / word_k * 256 + (column % step_k / 32 * 16 + row) * 4 + column / step_k % 4;
}

struct mxfp4_matrix {
    int rows = 0;
    int k = 0;  // a multiple of 32
    std::vector<opus::u8_t> codes;
    std::vector<opus::u8_t> scales;
};

// A plain matrix in the order of the kernels, and back to `rows` and `k`.
inline mxfp4_matrix reordered(const mxfp4_matrix& plain, bool back = false, int rows = 0,
                              int k = 0) {
    mxfp4_matrix result;
    result.rows = back ? rows : round_up(plain.rows, strip_rows);
    result.k = back ? k : round_up(plain.k, word_k);
    const mxfp4_matrix& of_kernels = back ? plain : result;
    const mxfp4_matrix& of_users = back ? result : plain;
    const auto words = [](const mxfp4_matrix& x) {
        return static_cast<std::size_t>(x.rows) * static_cast<std::size_t>(x.k / 32);
    };
    result.codes.assign(words(result) * 16, 0);
    result.scales.assign(words(result), 0);
    parallel_for(of_users.rows, [&](int row) {
        const auto strip = static_cast<std::size_t>(row / strip_rows);
        for (int column = 0; column < of_users.k; column += 32) {
            const std::size_t at =
                static_cast<std::size_t>(row) * static_cast<std::size_t>(of_users.k / 32) +
                static_cast<std::size_t>(column / 32);
            const std::size_t codes_at =
                strip * static_cast<std::size_t>(strip_codes(of_kernels.k)) +
                static_cast<std::size_t>(codes_in_strip(row % strip_rows, column));
            const std::size_t scale_at =
                strip * static_cast<std::size_t>(strip_scales(of_kernels.k)) +
                static_cast<std::size_t>(scale_in_strip(row % strip_rows, column));
            std::copy_n(&plain.codes[back ? codes_at : at * 16], 16,
                        &result.codes[back ? at * 16 : codes_at]);
            result.scales[back ? at : scale_at] = plain.scales[back ? scale_at : at];
        }
    });
    return result;
}

// == on the host ==================================================================================

inline double fp4_value(int code) {
    constexpr double magnitudes[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
    return std::copysign(magnitudes[code & 7], (code & 8) != 0 ? -1.0 : 1.0);
}

// The code nearest to x; a tie goes to the even code, what is above 6 to 6.
inline int fp4_code(double x) {
    const double y = std::fabs(x);
    const int code =
        (y > 0.25) + (y >= 0.75) + (y > 1.25) + (y >= 1.75) + (y > 2.5) + (y >= 3.5) + (y > 5);
    return (std::signbit(x) ? 8 : 0) + code;
}

// The byte of E8M0 for 32 numbers up to `largest` in magnitude: the exponent of the largest less
// that of fp4's largest number, 6 = 1.5 * 2^2, as the specification of OCP (6.3) suggests, from
// 2^-127 on. 255, a NaN, for what is not finite.
inline int mxfp4_scale(double largest) {
    return !std::isfinite(largest) ? 255
           : largest == 0          ? 0
                                   : std::max(std::ilogb(largest) - 2 + 127, 0);
}

// Replaces the finite values [rows, k] by what is left of them: code times scale, exactly.
inline mxfp4_matrix quantise_mxfp4(std::vector<double>& values, int rows, int k) {
    mxfp4_matrix result{rows, k, {}, {}};
    result.codes.assign(values.size() / 2, 0);
    result.scales.assign(values.size() / 32, 0);
    parallel_for(rows, [&](int row) {
        const std::size_t blocks = static_cast<std::size_t>(k / 32);
        for (std::size_t b = static_cast<std::size_t>(row) * blocks, end = b + blocks; b < end;
             ++b) {
            double* const x = &values[b * 32];
            double largest = 0;
            for (int i = 0; i < 32; ++i) {
                largest = std::max(largest, std::fabs(x[i]));
            }
            const int scale = mxfp4_scale(largest);
            const double power = std::ldexp(1, scale - 127);
            const double inverse = std::ldexp(1, 127 - scale);
            result.scales[b] = static_cast<opus::u8_t>(scale);
            for (int i = 0; i < 32; ++i) {
                const int code = fp4_code(x[i] * inverse);
                opus::u8_t& byte = result.codes[b * 16 + static_cast<std::size_t>(i / 2)];
                byte = static_cast<opus::u8_t>(byte | code << i % 2 * 4);
                x[i] = fp4_value(code) * power;
            }
        }
    });
    return result;
}

// == in a kernel ==================================================================================

#if defined(__HIP__)
// The largest magnitude of numbers of bf16 or f32, as the bits of its type: magnitudes compare like
// their bits, and a pair of bf16 is compared at once.
template <class T, opus::index_t vectors>
__device__ inline int largest_magnitude(const opus::array<opus::vector_t<T, 8>, vectors>& x) {
    using namespace opus;
    constexpr bool is_bf16 = is_same_v<T, bf16_t>;
    using item = vector_t<__type_pack_element<is_bf16, u32_t, unsigned short>, is_bf16 ? 2 : 1>;
    constexpr int words = sizeof(x[0]) / 4;
    item largest{};
    static_ford<vectors, words>([&](auto i, auto j) {
        const u32_t word = __builtin_bit_cast(vector_t<u32_t, words>, x[i])[j.value];
        const u32_t magnitude = word & (is_bf16 ? 0x7fff7fff : 0x7fffffff);
        largest = __builtin_elementwise_max(largest, __builtin_bit_cast(item, magnitude));
    });
    return max(static_cast<int>(largest[0]), static_cast<int>(largest[is_bf16 ? 1 : 0]));
}

// The scale (E8M0) of 32 numbers of T by the largest magnitude: its exponent less 2. With an
// infinity or a NaN it is a NaN, and codes mean nothing.
template <class T>
__device__ inline int scale_of_largest(int magnitude) {
    constexpr int mantissa = opus::is_same_v<T, opus::bf16_t> ? 7 : 23;
    return magnitude >= 0xff << mantissa ? 255 : opus::max((magnitude >> mantissa) - 2, 0);
}

// 8 numbers as codes.
template <class V>
__device__ inline opus::u32_t mxfp4_codes(const V& x, int scale) {
    using namespace opus;
    return __builtin_bit_cast(u32_t, cast<fp4_t>(x, e8m0_t{static_cast<u8_t>(scale)}));
}
#endif

}  // namespace examples
