// The device: which one it is, its attributes, and versions.

#include <sys/sysinfo.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "runtime/runtime.hpp"

namespace emu {
namespace {

uint64_t host_memory_bytes() {
    struct sysinfo info{};
    ::sysinfo(&info);
    return uint64_t{info.totalram} * info.mem_unit;
}

constexpr int max_grid_x = 0x7fffffff;
constexpr int max_grid_yz = 65536;
constexpr int groups_per_unit_limit = 32;
constexpr int l2_bytes = 4 * 1024 * 1024;
constexpr int registers_per_unit = registers_per_simd * simds_per_unit * lane_count;

bool attribute_of(const device_info& d, hipDeviceAttribute_t attribute, int& value) {
    const auto lds = static_cast<int>(d.lds_bytes);
    switch (attribute) {
        case hipDeviceAttributeEccEnabled:
        case hipDeviceAttributeCanMapHostMemory:
        case hipDeviceAttributeUnifiedAddressing:
            value = 1;
            return true;
        case hipDeviceAttributeConcurrentKernels:
        case hipDeviceAttributeCooperativeLaunch:
        case hipDeviceAttributeIntegrated:
        case hipDeviceAttributeManagedMemory:
            value = 0;
            return true;
        case hipDeviceAttributeClockRate:
            value = d.clock_khz;
            return true;
        case hipDeviceAttributeMemoryClockRate:
            value = d.memory_clock_khz;
            return true;
        case hipDeviceAttributeMemoryBusWidth:
            value = memory_bus_bits;
            return true;
        case hipDeviceAttributeL2CacheSize:
            value = l2_bytes;
            return true;
        case hipDeviceAttributeComputeCapabilityMajor:
            value = 9;
            return true;
        case hipDeviceAttributeComputeCapabilityMinor:
            value = d.minor_version;
            return true;
        case hipDeviceAttributeMaxBlocksPerMultiProcessor:
            value = groups_per_unit_limit;
            return true;
        case hipDeviceAttributeMaxBlockDimX:
        case hipDeviceAttributeMaxBlockDimY:
        case hipDeviceAttributeMaxBlockDimZ:
        case hipDeviceAttributeMaxThreadsPerBlock:
            value = max_group_threads;
            return true;
        case hipDeviceAttributeMaxGridDimX:
            value = max_grid_x;
            return true;
        case hipDeviceAttributeMaxGridDimY:
        case hipDeviceAttributeMaxGridDimZ:
            value = max_grid_yz;
            return true;
        case hipDeviceAttributeMaxThreadsPerMultiProcessor:
            value = waves_per_simd * simds_per_unit * lane_count;
            return true;
        case hipDeviceAttributeMultiprocessorCount:
        case hipDeviceAttributePhysicalMultiProcessorCount:
            value = d.compute_units;
            return true;
        case hipDeviceAttributeMaxRegistersPerBlock:
        case hipDeviceAttributeMaxRegistersPerMultiprocessor:
            value = registers_per_unit;
            return true;
        case hipDeviceAttributeMaxSharedMemoryPerBlock:
        case hipDeviceAttributeSharedMemPerBlockOptin:
        case hipDeviceAttributeSharedMemPerMultiprocessor:
        case hipDeviceAttributeMaxSharedMemoryPerMultiprocessor:
            value = lds;
            return true;
        case hipDeviceAttributeWarpSize:
            value = lane_count;
            return true;
    }
    return false;
}

hipDeviceProp_tR0600 properties_of(const device_info& d) {
    hipDeviceProp_tR0600 p{};
    std::snprintf(p.name, sizeof p.name, "%s", d.name);
    std::snprintf(p.gcnArchName, sizeof p.gcnArchName, "%s", d.target_id);
    p.totalGlobalMem = host_memory_bytes();
    p.sharedMemPerBlock = d.lds_bytes;
    p.sharedMemPerMultiprocessor = d.lds_bytes;
    p.sharedMemPerBlockOptin = d.lds_bytes;
    p.maxSharedMemoryPerMultiProcessor = d.lds_bytes;
    p.regsPerBlock = registers_per_unit;
    p.regsPerMultiprocessor = registers_per_unit;
    p.warpSize = lane_count;
    p.memPitch = max_grid_x;
    p.maxThreadsPerBlock = max_group_threads;
    std::ranges::fill(p.maxThreadsDim, static_cast<int>(max_group_threads));
    p.maxGridSize[0] = max_grid_x;
    p.maxGridSize[1] = max_grid_yz;
    p.maxGridSize[2] = max_grid_yz;
    p.clockRate = d.clock_khz;
    p.clockInstructionRate = d.clock_khz;
    p.memoryClockRate = d.memory_clock_khz;
    p.memoryBusWidth = memory_bus_bits;
    p.l2CacheSize = l2_bytes;
    p.totalConstMem = max_grid_x;
    p.major = 9;
    p.minor = d.minor_version;
    p.multiProcessorCount = d.compute_units;
    p.maxThreadsPerMultiProcessor = waves_per_simd * simds_per_unit * lane_count;
    p.maxBlocksPerMultiProcessor = groups_per_unit_limit;
    p.canMapHostMemory = 1;
    p.ECCEnabled = 1;
    p.unifiedAddressing = 1;
    p.isLargeBar = 1;
    // All 17 flags but funnel shift (bit 11), surfaces (14) and dynamic parallelism (16).
    p.arch = 0xb7ff;
    return p;
}

}  // namespace

const device_info* device() {
    static const device_info* const chosen = []() -> const device_info* {
        const char* arch = std::getenv("OPUS_EMU_ARCH");
        for (const device_info* d : {&gfx942_device, &gfx950_device}) {
            if (arch == nullptr || std::string_view(arch) == target_name(d->target)) {
                return d;
            }
        }
        complain("OPUS_EMU_ARCH=%s is unknown; there are gfx942 and gfx950", arch);
        return nullptr;
    }();
    return chosen;
}

hipError_t check_device(int number) {
    if (device() == nullptr) {
        return hipErrorNoDevice;
    }
    return number == 0 ? hipSuccess : hipErrorInvalidDevice;
}

}  // namespace emu

using namespace emu;

#pragma GCC visibility push(default)
extern "C" {

// "gfx942" or "gfx950", nullptr if OPUS_EMU_ARCH names neither. Programs find out with dlsym that
// they run on the emulator.
const char* opus_emulator_arch() {
    return device() == nullptr ? nullptr : target_name(device()->target);
}

hipError_t hipGetDeviceCount(int* count) {
    if (count == nullptr) {
        return returned(hipErrorInvalidValue);
    }
    *count = device() == nullptr ? 0 : 1;
    return returned(device() == nullptr ? hipErrorNoDevice : hipSuccess);
}

hipError_t hipGetDevice(int* number) {
    if (number == nullptr) {
        return returned(hipErrorInvalidValue);
    }
    *number = 0;
    return returned(check_device(0));
}

hipError_t hipSetDevice(int number) {
    return returned(check_device(number));
}

hipError_t hipDeviceSynchronize() {
    return returned(check_device(0));
}

hipError_t hipDeviceGetAttribute(int* value, hipDeviceAttribute_t attribute, int number) {
    if (value == nullptr) {
        return returned(hipErrorInvalidValue);
    }
    if (const hipError_t error = check_device(number); error != hipSuccess) {
        return returned(error);
    }
    if (!attribute_of(*device(), attribute, *value)) {
        complain("hipDeviceGetAttribute: attribute %d is not supported",
                 static_cast<int>(attribute));
        return returned(hipErrorNotSupported);
    }
    return hipSuccess;
}

hipError_t hipGetDevicePropertiesR0600(hipDeviceProp_tR0600* properties, int number) {
    if (properties == nullptr) {
        return returned(hipErrorInvalidValue);
    }
    if (const hipError_t error = check_device(number); error != hipSuccess) {
        return returned(error);
    }
    *properties = properties_of(*device());
    return hipSuccess;
}

// HIP's number for 6.3.0: major * 10^7 + minor * 10^5 + patch.
hipError_t hipRuntimeGetVersion(int* version) {
    if (version == nullptr) {
        return returned(hipErrorInvalidValue);
    }
    *version = 60300000;
    return hipSuccess;
}

hipError_t hipDriverGetVersion(int* version) {
    return hipRuntimeGetVersion(version);
}

}  // extern "C"
#pragma GCC visibility pop
