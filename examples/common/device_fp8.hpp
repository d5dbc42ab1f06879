// SPDX-License-Identifier: MIT
//
// device_fp8.hpp: which fp8 the device has, OCP's or FNUZ, which only its compiler knows.
#pragma once

#include <string>

#include "device.hpp"
#include "opus/opus.hpp"

namespace examples {

template <class T>
__global__ void write_largest(float* largest) {
    *largest = opus::cast<float>(opus::numeric_limits<T>::max());
}

// Its largest value: 448 (OCP) or 240 (FNUZ).
inline double largest_fp8() {
    device_buffer<float> largest(1);
    largest.fill_bytes(0);
    write_largest<opus::fp8_t><<<1, 1>>>(largest.data());
    check(hipGetLastError(), "the launch of largest_fp8");
    check(hipDeviceSynchronize(), "hipDeviceSynchronize");
    const float value = largest.to_host()[0];
    if (value != 448 && value != 240) {
        throw device_error("the device's fp8 ends at " + std::to_string(value) +
                           ", 448 or 240 was expected");
    }
    return static_cast<double>(value);
}

}  // namespace examples
