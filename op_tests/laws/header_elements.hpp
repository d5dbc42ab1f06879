// Which element of the laws a type of the header is.
#pragma once

#include "mfma_formulas.hpp"
#include "opus/opus.hpp"

namespace laws {

template <class T>
constexpr element element_of() {
    using opus::is_same_v;
    static_assert(opus::is_any_of_v<T, opus::fp64_t, opus::fp32_t, opus::xf32_t, opus::fp16_t,
                                    opus::bf16_t, opus::i8_t, opus::i32_t, opus::fp8_t, opus::bf8_t,
                                    opus::fp6_t, opus::bf6_t, opus::fp4_t>);
    return is_same_v<T, opus::fp64_t>   ? element::f64
           : is_same_v<T, opus::fp32_t> ? element::f32
           : is_same_v<T, opus::xf32_t> ? element::xf32
           : is_same_v<T, opus::fp16_t> ? element::f16
           : is_same_v<T, opus::bf16_t> ? element::bf16
           : is_same_v<T, opus::i8_t>   ? element::i8
           : is_same_v<T, opus::i32_t>  ? element::i32
           : is_same_v<T, opus::fp8_t>  ? element::fp8
           : is_same_v<T, opus::bf8_t>  ? element::bf8
           : is_same_v<T, opus::fp6_t>  ? element::fp6
           : is_same_v<T, opus::bf6_t>  ? element::bf6
                                        : element::fp4;
}

}  // namespace laws
