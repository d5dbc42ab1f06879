// What tests of memory share: bytes that tell where they come from, and the end of a launch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/device.hpp"

using bytes = std::vector<uint8_t>;

inline void finish() {
    examples::check(hipGetLastError(), "launch");
    examples::check(hipDeviceSynchronize(), "hipDeviceSynchronize");
}

// Bytes that tell where they come from.
inline bytes counting_bytes(size_t n, int first) {
    bytes b(n);
    for (size_t i = 0; i < n; i++) {
        b[i] = static_cast<uint8_t>(static_cast<size_t>(first) + i * 7 + i / 16);
    }
    return b;
}
