// What the programs of this directory share: errors end them, and the device is named.
#pragma once

#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

inline void check(hipError_t error, const char* what) {
    if (error != hipSuccess) {
        std::printf("%s: %s\n", what, hipGetErrorString(error));
        std::exit(1);
    }
}

// "device: gfx942, emulated"
inline void print_device() {
    hipDeviceProp_t properties{};
    check(hipGetDeviceProperties(&properties, 0), "hipGetDeviceProperties");
    std::printf("device: %.6s%s\n", properties.gcnArchName,
                std::strstr(properties.name, "emulated") != nullptr ? ", emulated" : "");
}

inline int result(bool is_right) {
    std::puts(is_right ? "PASS" : "FAIL");
    return is_right ? 0 : 1;
}
