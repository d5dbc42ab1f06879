// What the tests of matrix instructions share: the target, and the header's types as the elements
// of laws/mfma_formulas.hpp.
#pragma once

#include "../laws/mfma_formulas.hpp"
#include "common/device.hpp"
#include "opus/opus.hpp"

namespace mfma_elements {

using namespace opus;
using opus::operator""_I;
using examples::device_buffer;
using laws::element;

inline void finish() {
    examples::check(hipGetLastError(), "launch");
    examples::check(hipDeviceSynchronize(), "hipDeviceSynchronize");
}

static __global__ void note_target(int* out) {
#if defined(__gfx950__)
    *out = 950;
#elif defined(__gfx942__)
    *out = 942;
#else
    *out = 0;
#endif
}
inline int target() {
    static const int the_target = [] {
        device_buffer<int> out(1);
        note_target<<<1, 1>>>(out.data());
        finish();
        return out.to_host()[0];
    }();
    return the_target;
}

template <class T>
inline constexpr element element_v = element::f32;
template <>
inline constexpr element element_v<fp64_t> = element::f64;
template <>
inline constexpr element element_v<xf32_t> = element::xf32;
template <>
inline constexpr element element_v<fp16_t> = element::f16;
template <>
inline constexpr element element_v<bf16_t> = element::bf16;
template <>
inline constexpr element element_v<i8_t> = element::i8;
template <>
inline constexpr element element_v<i32_t> = element::i32;
template <>
inline constexpr element element_v<fp8_t> = element::fp8;
template <>
inline constexpr element element_v<bf8_t> = element::bf8;
template <>
inline constexpr element element_v<fp6_t> = element::fp6;
template <>
inline constexpr element element_v<bf6_t> = element::bf6;
template <>
inline constexpr element element_v<fp4_t> = element::fp4;

}  // namespace mfma_elements
