// Which element of the laws a type of the header is, and strides by which an offset tells block, row
// and column.
#pragma once

#include "../laws/mfma_formulas.hpp"
#include "opus/opus.hpp"

namespace operand_places {

using namespace opus;
using opus::operator""_I;
using laws::element;

template <class T>
constexpr element element_of() {
    return is_same_v<T, fp64_t>   ? element::f64
           : is_same_v<T, xf32_t> ? element::xf32
           : is_same_v<T, fp16_t> ? element::f16
           : is_same_v<T, bf16_t> ? element::bf16
           : is_same_v<T, i8_t>   ? element::i8
           : is_same_v<T, i32_t>  ? element::i32
           : is_same_v<T, fp8_t>  ? element::fp8
           : is_same_v<T, bf8_t>  ? element::bf8
           : is_same_v<T, fp6_t>  ? element::fp6
           : is_same_v<T, bf6_t>  ? element::bf6
           : is_same_v<T, fp4_t>  ? element::fp4
                                  : element::f32;
}

// Matrices lie in memory with these strides, so that an offset tells block, row and column.
constexpr int row_stride = 1000;
constexpr int block_stride = 100000;

template <index_t blocks>
constexpr auto x_stride() {
    if constexpr (blocks == 1) {
        return make_tuple(row_stride, 1_I);
    } else {
        return make_tuple(block_stride, row_stride, 1_I);
    }
}

}  // namespace operand_places
