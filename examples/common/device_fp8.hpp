// SPDX-License-Identifier: MIT
//
// device_fp8.hpp: fp8 on the host in the device's format, OCP or FNUZ. Only the device compiler
// knows which it is, so this is for .hip files: const auto codes = device_fp8().encode<fp8_t>(x);
#pragma once

#include <string>
#include <vector>

#include "device.hpp"
#include "opus/opus.hpp"
#include "values.hpp"

namespace examples {

struct fp8_format {
    bool fnuz = false;

    double largest() const { return fnuz ? 240 : 448; }

    // The nearest code, or NaN for what is beyond the largest value.
    opus::fp8_t encode(double x) const {
        const auto y = static_cast<float>(x);
        return fnuz ? opus::fp32_to_fp8(y, opus::fp8_fnuz{})
                    : opus::fp32_to_fp8(y, opus::fp8_ocp{});
    }
    double decode(opus::fp8_t code) const {
        return static_cast<double>(fnuz ? opus::fp8_to_fp32(code, opus::fp8_fnuz{})
                                        : opus::fp8_to_fp32(code, opus::fp8_ocp{}));
    }

    double round(double x) const { return decode(encode(x)); }

    // Of all elements; those of other types are their values.
    template <class T>
    std::vector<T> encode(const std::vector<double>& values) const {
        if constexpr (opus::is_same_v<T, opus::fp8_t>) {
            return transformed<T>(values, [this](double x) { return encode(x); });
        } else {
            return to<T>(values);
        }
    }
    template <class T>
    std::vector<double> decode(const std::vector<T>& codes) const {
        if constexpr (opus::is_same_v<T, opus::fp8_t>) {
            return transformed<double>(codes, [this](T code) { return decode(code); });
        } else {
            return to_doubles(codes);
        }
    }
};

template <class T>
__global__ void write_largest(float* largest) {
    *largest = opus::cast<float>(opus::numeric_limits<T>::max());
}

inline fp8_format device_fp8() {
    device_buffer<float> largest(1);
    largest.fill_bytes(0);
    write_largest<opus::fp8_t><<<1, 1>>>(largest.data());
    check(hipGetLastError(), "the launch of write_largest");
    check(hipDeviceSynchronize(), "hipDeviceSynchronize");
    const float value = largest.to_host()[0];
    if (value != 448 && value != 240) {
        throw device_error("the device's fp8 ends at " + std::to_string(value) +
                           ", 448 or 240 was expected");
    }
    return {value == 240};
}

}  // namespace examples
