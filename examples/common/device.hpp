// SPDX-License-Identifier: MIT
//
// device.hpp: what the examples need on the host side of a HIP program. A failed HIP call becomes
// a device_error.
#pragma once

#include <dlfcn.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#include "opus/hip_minimal.hpp"

namespace examples {

struct device_error : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// `call` is what the message names: check(hipDeviceSynchronize(), "hipDeviceSynchronize").
inline void check(hipError_t status, const char* call) {
    if (status != hipSuccess) {
        throw device_error(std::string(call) + ": " + hipGetErrorString(status) + " (" +
                           hipGetErrorName(status) + ")");
    }
}

// Whether somebody looks at what kernels compute: not with --verify 0 and no file to write.
inline bool results_are_wanted = true;

// Device memory for `size` elements.
template <class T>
class device_buffer {
public:
    explicit device_buffer(std::size_t size) : size_(size) {
        check(hipMalloc(&data_, size * sizeof(T)), "hipMalloc");
    }

    explicit device_buffer(const std::vector<T>& from) : device_buffer(from.size()) {
        check(hipMemcpy(data_, from.data(), size_ * sizeof(T), hipMemcpyHostToDevice), "hipMemcpy");
    }

    // The first elements of `from`, again and again.
    device_buffer(const std::vector<T>& from, std::size_t size) : device_buffer(size) {
        for (std::size_t at = 0; at < size; at += from.size()) {
            check(hipMemcpy(data_ + at, from.data(), std::min(from.size(), size - at) * sizeof(T),
                            hipMemcpyHostToDevice),
                  "hipMemcpy");
        }
    }

    device_buffer(const device_buffer&) = delete;
    device_buffer& operator=(const device_buffer&) = delete;

    ~device_buffer() {
        const hipError_t status = hipFree(data_);  // a destructor cannot throw
        if (status != hipSuccess) {
            std::fprintf(stderr, "hipFree: %s\n", hipGetErrorString(status));
        }
    }

    T* data() const { return data_; }

    void fill_bytes(int byte) { check(hipMemset(data_, byte, size_ * sizeof(T)), "hipMemset"); }

    // The same before a kernel that overwrites all of it, so that one sees what it does not write.
    void fill_unwritten(int byte) {
        if (results_are_wanted) {
            fill_bytes(byte);
        }
    }

    std::vector<T> to_host() const {
        std::vector<T> result(size_);
        check(hipMemcpy(result.data(), data_, size_ * sizeof(T), hipMemcpyDeviceToHost),
              "hipMemcpy");
        return result;
    }

    // The same, or nothing if nobody looks at it.
    std::vector<T> result() const { return results_are_wanted ? to_host() : std::vector<T>(); }

private:
    T* data_ = nullptr;
    std::size_t size_ = 0;
};

// An event on the default stream.
class device_event {
public:
    device_event() { check(hipEventCreate(&event_), "hipEventCreate"); }

    device_event(const device_event&) = delete;
    device_event& operator=(const device_event&) = delete;

    ~device_event() {
        const hipError_t status = hipEventDestroy(event_);  // a destructor cannot throw
        if (status != hipSuccess) {
            std::fprintf(stderr, "hipEventDestroy: %s\n", hipGetErrorString(status));
        }
    }

    void record() const { check(hipEventRecord(event_), "hipEventRecord"); }

    // @pre both events were recorded, and the device has passed both
    float milliseconds_since(const device_event& start) const {
        float result = 0;
        check(hipEventElapsedTime(&result, start.event_, event_), "hipEventElapsedTime");
        return result;
    }

private:
    hipEvent_t event_ = nullptr;
};

// The emulated architecture, or "" if the runtime is not the emulator of op_tests. The function is
// looked up at run time, because ROCm's runtime does not have it.
inline std::string emulated_arch() {
    if (void* const emulator = dlsym(RTLD_DEFAULT, "opus_emulator_arch")) {
        const char* const arch = reinterpret_cast<const char* (*)()>(emulator)();
        if (arch == nullptr) {
            throw device_error("the emulator has no such device");
        }
        return arch;
    }
    return "";
}

inline bool is_emulated() {
    return !emulated_arch().empty();
}

inline int compute_units() {
    int device = 0;
    int units = 0;
    check(hipGetDevice(&device), "hipGetDevice");
    check(hipDeviceGetAttribute(&units, hipDeviceAttributeMultiprocessorCount, device),
          "hipDeviceGetAttribute");
    return units;
}

// "gfx942, emulated", or the name of the GPU.
inline std::string device_name() {
    if (is_emulated()) {
        return emulated_arch() + ", emulated";
    }
    int device = 0;
    check(hipGetDevice(&device), "hipGetDevice");
    // Not in hip_minimal.hpp.
    if (void* const runtime = dlsym(RTLD_DEFAULT, "hipDeviceGetName")) {
        char name[256] = {};
        check(
            reinterpret_cast<hipError_t (*)(char*, int, int)>(runtime)(name, sizeof(name), device),
            "hipDeviceGetName");
        return name;
    }
    return "HIP device " + std::to_string(device);
}

}  // namespace examples
