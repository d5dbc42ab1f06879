// What the tests of matrix instructions share: the target, and the header's types as the elements
// of laws/mfma_formulas.hpp.
#pragma once

#include "../laws/header_elements.hpp"
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
inline constexpr element element_v = laws::element_of<T>();

}  // namespace mfma_elements
