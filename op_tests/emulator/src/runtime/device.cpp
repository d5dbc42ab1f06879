// The device: which one it is, its attributes, and versions.

#include <sys/sysinfo.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "isa/levels.hpp"
#include "launch/launch.hpp"
#include "machine/settings.hpp"
#include "runtime/graph.hpp"
#include "runtime/runtime.hpp"

namespace emu {
namespace {

constexpr int groups_per_unit_limit = 32;
constexpr int l2_bytes = 4 * 1024 * 1024;
constexpr int registers_per_unit = registers_per_simd * simds_per_unit * lane_count;

bool attribute_of(const device_info& d, hipDeviceAttribute_t attribute, int& value) {
    const auto lds = static_cast<int>(d.lds_bytes);
    switch (attribute) {
        case hipDeviceAttributeEccEnabled:
        case hipDeviceAttributeCanMapHostMemory:
        case hipDeviceAttributeCooperativeLaunch:
        case hipDeviceAttributeUnifiedAddressing:
        case hipDeviceAttributeManagedMemory:
        case hipDeviceAttributeStreamPrioritiesSupported:
        case hipDeviceAttributeMemoryPoolsSupported:
        case hipDeviceAttributeHostRegisterSupported:
        case hipDeviceAttributeIsLargeBar:
        case hipDeviceAttributeFineGrainSupport:
            value = 1;
            return true;
        case hipDeviceAttributeClockRate:
        case hipDeviceAttributeClockInstructionRate:
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
        case hipDeviceAttributeMaxThreadsDim:
            value = max_group_threads;
            return true;
        case hipDeviceAttributeMaxGridDimX:
        case hipDeviceAttributeMaxPitch:
        case hipDeviceAttributeTotalConstantMemory:
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
        case hipDeviceAttributeWallClockRate:
            value = 100'000;  // kHz; s_memrealtime counts at 100 MHz
            return true;
        // Texts, pointers, an array, and a number that an int does not hold.
        case hipDeviceAttributeName:
        case hipDeviceAttributeUuid:
        case hipDeviceAttributeHdpMemFlushCntl:
        case hipDeviceAttributeHdpRegFlushCntl:
        case hipDeviceAttributeLuid:
        case hipDeviceAttributeTotalGlobalMem:
            return false;
        default:
            break;
    }
    // What they do not have, or what has no number here.
    value = 0;
    return (attribute >= hipDeviceAttributeEccEnabled &&
            attribute <= hipDeviceAttributeMemoryPoolSupportedHandleTypes) ||
           (attribute >= hipDeviceAttributeCooperativeMultiDeviceUnmatchedFunc &&
            attribute <= hipDeviceAttributeImageSupport);
}

hipUUID uuid_of(const device_info& d) {
    hipUUID id{};
    std::snprintf(id.bytes, sizeof id.bytes, "opus-%s", target_name(d.target));
    return id;
}

hipDeviceProp_tR0600 properties_of(const device_info& d) {
    hipDeviceProp_tR0600 p{};
    std::snprintf(p.name, sizeof p.name, "%s", d.name);
    std::snprintf(p.gcnArchName, sizeof p.gcnArchName, "%s", d.target_id);
    p.totalGlobalMem = memory_bytes();
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
    p.managedMemory = 1;
    p.cooperativeLaunch = 1;
    p.streamPrioritiesSupported = 1;
    p.host_interoperability[0] = 1;  // hostRegisterSupported
    p.host_interoperability[4] = 1;  // memoryPoolsSupported
    p.uuid = uuid_of(d);
    // All 17 flags but funnel shift (bit 11), surfaces (14) and dynamic parallelism (16).
    p.arch = 0xb7ff;
    return p;
}

hipDeviceProp_tR0000 old_properties_of(const device_info& d) {
    const hipDeviceProp_tR0600 p = properties_of(d);
    hipDeviceProp_tR0000 o{};
    std::memcpy(o.name, p.name, sizeof o.name);
    std::memcpy(o.gcnArchName, p.gcnArchName, sizeof o.gcnArchName);
    o.totalGlobalMem = p.totalGlobalMem;
    o.sharedMemPerBlock = p.sharedMemPerBlock;
    o.maxSharedMemoryPerMultiProcessor = p.maxSharedMemoryPerMultiProcessor;
    o.regsPerBlock = p.regsPerBlock;
    o.warpSize = p.warpSize;
    o.maxThreadsPerBlock = p.maxThreadsPerBlock;
    std::ranges::copy(p.maxThreadsDim, o.maxThreadsDim);
    std::ranges::copy(p.maxGridSize, o.maxGridSize);
    o.clockRate = p.clockRate;
    o.clockInstructionRate = p.clockInstructionRate;
    o.memoryClockRate = p.memoryClockRate;
    o.memoryBusWidth = p.memoryBusWidth;
    o.totalConstMem = p.totalConstMem;
    o.major = p.major;
    o.minor = p.minor;
    o.multiProcessorCount = p.multiProcessorCount;
    o.l2CacheSize = p.l2CacheSize;
    o.maxThreadsPerMultiProcessor = p.maxThreadsPerMultiProcessor;
    o.arch = p.arch;
    o.canMapHostMemory = p.canMapHostMemory;
    o.memPitch = p.memPitch;
    o.ECCEnabled = p.ECCEnabled;
    o.isLargeBar = p.isLargeBar;
    o.managedMemory = p.managedMemory;
    o.concurrentManagedAccess = p.concurrentManagedAccess;
    o.cooperativeLaunch = p.cooperativeLaunch;
    // 942 or 950 as a decimal number, which is what was meant before there were letters.
    o.gcnArch = info_of(d.target).number;
    return o;
}

template <class Properties>
hipError_t choose(int* number, const Properties* properties) {
    if (number == nullptr || properties == nullptr) {
        return hipErrorInvalidValue;
    }
    *number = 0;
    return check_device(0);
}

// HIP takes a stack in units of 256 dwords, up to 128 KiB less 16 bytes.
constexpr size_t stack_unit = 1024;
constexpr size_t largest_stack = 128 * 1024 - 16;
std::atomic<uint32_t> chosen_stack = default_stack;
constexpr size_t default_heap = 8 << 20;  // as HIP_INITIAL_DM_SIZE is documented
std::atomic<size_t> heap_limit = default_heap;

constexpr const char* bus_id = "0000:00:00.0";

// Whether there is a place for the answer about this device.
hipError_t checked(bool has_place, int number) {
    return has_place ? check_device(number) : hipErrorInvalidValue;
}

}  // namespace

uint64_t memory_bytes() {
    struct sysinfo info{};
    ::sysinfo(&info);
    const uint64_t of_host = uint64_t{info.totalram} * info.mem_unit;
    return device() != nullptr ? std::min(device()->memory_bytes, of_host) : of_host;
}

uint32_t stack_limit() {
    return chosen_stack;
}

const device_info* device() {
    static const device_info* const chosen = []() -> const device_info* {
        report_unknown_variables();
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
    if (device() == nullptr || has_failed()) {
        return device() == nullptr ? hipErrorNoDevice : hipErrorLaunchFailure;
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

// "x86-64-v3": what executes kernels is compiled for that.
const char* opus_emulator_cpu() {
    return chosen_level().name;
}

hipError_t hipGetDeviceCount(int* count) {
    return give(count, device() == nullptr ? 0 : 1,
                device() == nullptr ? hipErrorNoDevice : hipSuccess);
}

hipError_t hipGetDevice(int* number) {
    return give(number, 0, check_device(0));
}

hipError_t hipSetDevice(int number) {
    return returned(check_device(number));
}

hipError_t hipDeviceSynchronize() {
    {
        const state_lock lock(state().mutex);
        for (const std::shared_ptr<capture>& c : state().captures) {
            break_capture(*c);
        }
        if (!state().captures.empty()) {
            return returned(hipErrorStreamCaptureUnsupported);
        }
    }
    return returned(check_device(0));
}

hipError_t hipDeviceGetAttribute(int* value, hipDeviceAttribute_t attribute, int number) {
    if (const hipError_t error = checked(value != nullptr, number); error != hipSuccess) {
        return returned(error);
    }
    if (!attribute_of(*device(), attribute, *value)) {
        complain("hipDeviceGetAttribute: attribute %d is not supported",
                 static_cast<int>(attribute));
        return returned(hipErrorNotSupported);
    }
    return returned(hipSuccess);
}

hipError_t hipGetDevicePropertiesR0600(hipDeviceProp_tR0600* properties, int number) {
    if (const hipError_t error = checked(properties != nullptr, number); error != hipSuccess) {
        return returned(error);
    }
    *properties = properties_of(*device());
    return returned(hipSuccess);
}

// HIP's number for 7.0.0, whose answers these are: major * 10^7 + minor * 10^5 + patch.
hipError_t hipRuntimeGetVersion(int* version) {
    return give(version, 70000000, hipSuccess);
}

[[gnu::alias("hipRuntimeGetVersion")]] decltype(hipDriverGetVersion) hipDriverGetVersion;

hipError_t hipInit(unsigned flags) {
    return returned(flags != 0 ? hipErrorInvalidValue : check_device(0));
}

// What the program created; what clang's constructors registered stays.
hipError_t hipDeviceReset() {
    if (const hipError_t error = check_device(0); error != hipSuccess) {
        return returned(error);
    }
    free_everything();
    chosen_stack = default_stack;
    heap_limit = default_heap;
    std::vector<hipUserObject> dead;
    runtime_state& s = state();
    {
        const state_lock lock(s.mutex);
        for (const auto& [handle, executable] : s.executables) {
            forget(*executable->graph, dead);
        }
        const auto graphs = s.graphs;  // forgetting one takes its children out
        for (const auto& [handle, graph] : graphs) {
            forget(*graph, dead);
        }
        s.executables.clear();
        s.graphs.clear();
        for (ihipStream_t* stream : s.thread_streams) {
            *stream = {};
        }
        s.streams.clear();
        s.captures.clear();
        s.events.clear();
        s.pools.clear();
        s.current_pool = nullptr;
        s.contexts.clear();
    }
    destroy(dead);
    return returned(hipSuccess);
}

hipError_t hipDeviceGet(hipDevice_t* handle, int number) {
    return give(handle, 0, check_device(number));
}

hipError_t hipSetValidDevices(int* numbers, int count) {
    if (count < 0 || (count != 0 && numbers == nullptr)) {
        return returned(hipErrorInvalidValue);
    }
    for (int n = 0; n < count; ++n) {
        if (const hipError_t error = check_device(numbers[n]); error != hipSuccess) {
            return returned(error);
        }
    }
    return returned(hipSuccess);
}

hipError_t hipDeviceComputeCapability(int* major, int* minor, hipDevice_t number) {
    if (const hipError_t error = checked(major != nullptr && minor != nullptr, number);
        error != hipSuccess) {
        return returned(error);
    }
    *major = 9;
    *minor = device()->minor_version;
    return returned(hipSuccess);
}

hipError_t hipDeviceGetName(char* name, int bytes, hipDevice_t number) {
    if (const hipError_t error = checked(name != nullptr && bytes > 0, number);
        error != hipSuccess) {
        return returned(error);
    }
    std::snprintf(name, static_cast<size_t>(bytes), "%s", device()->name);
    return returned(hipSuccess);
}

hipError_t hipDeviceGetUuid(hipUUID* uuid, hipDevice_t number) {
    if (const hipError_t error = checked(uuid != nullptr, number); error != hipSuccess) {
        return returned(error);
    }
    *uuid = uuid_of(*device());
    return returned(hipSuccess);
}

hipError_t hipDeviceGetPCIBusId(char* text, int bytes, int number) {
    if (const hipError_t error =
            checked(text != nullptr && bytes > static_cast<int>(std::strlen(bus_id)), number);
        error != hipSuccess) {
        return returned(error);
    }
    std::snprintf(text, static_cast<size_t>(bytes), "%s", bus_id);
    return returned(hipSuccess);
}

hipError_t hipDeviceGetByPCIBusId(int* number, const char* text) {
    if (number == nullptr || text == nullptr || std::strcmp(text, bus_id) != 0) {
        return returned(hipErrorInvalidValue);
    }
    *number = 0;
    return returned(check_device(0));
}

hipError_t hipDeviceTotalMem(size_t* bytes, hipDevice_t number) {
    return give(bytes, memory_bytes(), check_device(number));
}

hipError_t hipGetDevicePropertiesR0000(hipDeviceProp_tR0000* properties, int number) {
    if (const hipError_t error = checked(properties != nullptr, number); error != hipSuccess) {
        return returned(error);
    }
    *properties = old_properties_of(*device());
    return returned(hipSuccess);
}

// Without a suffix it is what programs call that were compiled before HIP 6.
[[gnu::alias(
    "hipGetDevicePropertiesR0000")]] decltype(hipGetDeviceProperties) hipGetDeviceProperties;

hipError_t hipChooseDeviceR0600(int* number, const hipDeviceProp_tR0600* properties) {
    return returned(choose(number, properties));
}

hipError_t hipChooseDeviceR0000(int* number, const hipDeviceProp_tR0000* properties) {
    return returned(choose(number, properties));
}

[[gnu::alias("hipChooseDeviceR0000")]] decltype(hipChooseDevice) hipChooseDevice;

// ---- settings that say how a host waits, or hint at caches ----

hipError_t hipSetDeviceFlags(unsigned flags) {
    constexpr unsigned known = 0x1f;
    constexpr unsigned schedule = 7;
    const unsigned way = flags & schedule;
    if ((flags & ~known) != 0 || (way & (way - 1)) != 0) {
        return returned(hipErrorInvalidValue);
    }
    const state_lock lock(state().mutex);
    state().device_flags = flags;
    return returned(check_device(0));
}

hipError_t hipGetDeviceFlags(unsigned* flags) {
    const state_lock lock(state().mutex);
    return give(flags, state().device_flags, check_device(0));
}

hipError_t hipDeviceSetCacheConfig(hipFuncCache_t config) {
    if (const hipError_t error = check_unsafe(); error != hipSuccess) {
        return returned(error);
    }
    return returned(config >= hipFuncCachePreferNone && config <= hipFuncCachePreferEqual
                        ? check_device(0)
                        : hipErrorInvalidValue);
}

hipError_t hipDeviceGetCacheConfig(hipFuncCache_t* config) {
    return give(config, hipFuncCachePreferNone, check_device(0));
}

hipError_t hipDeviceSetSharedMemConfig(hipSharedMemConfig config) {
    if (const hipError_t error = check_unsafe(); error != hipSuccess) {
        return returned(error);
    }
    return returned(config >= hipSharedMemBankSizeDefault && config <= hipSharedMemBankSizeEightByte
                        ? check_device(0)
                        : hipErrorInvalidValue);
}

hipError_t hipDeviceGetSharedMemConfig(hipSharedMemConfig* config) {
    return give(config, hipSharedMemBankSizeFourByte, check_device(0));
}

// There is a stack. The heap of device code's malloc, which is not emulated, has the size that was set.
hipError_t hipDeviceGetLimit(size_t* bytes, hipLimit_t limit) {
    if (bytes == nullptr) {
        return returned(hipErrorInvalidValue);
    }
    if (limit != hipLimitStackSize && limit != hipLimitMallocHeapSize) {
        return returned(hipErrorUnsupportedLimit);
    }
    *bytes = limit == hipLimitStackSize ? stack_limit() : heap_limit.load();
    return returned(check_device(0));
}

hipError_t hipDeviceSetLimit(hipLimit_t limit, size_t bytes) {
    if (limit == hipLimitMallocHeapSize) {
        heap_limit = bytes;
        return returned(check_device(0));
    }
    if (limit != hipLimitStackSize) {
        return returned(hipErrorUnsupportedLimit);
    }
    if (bytes > largest_stack) {
        complain("hipDeviceSetLimit: a stack of %zu bytes; the most is %zu", bytes, largest_stack);
        return returned(hipErrorInvalidValue);
    }
    const size_t whole = (bytes + stack_unit - 1) / stack_unit * stack_unit;
    chosen_stack = static_cast<uint32_t>(std::min(whole, largest_stack));
    return returned(check_device(0));
}

// ---- peers, of which a single device has none ----

hipError_t hipDeviceCanAccessPeer(int* can, int number, int peer) {
    const hipError_t error = check_device(number);
    return give(can, 0, error == hipSuccess ? check_device(peer) : error);
}

hipError_t hipDeviceEnablePeerAccess(int /*peer*/, unsigned flags) {
    return returned(flags != 0 ? hipErrorInvalidValue : hipErrorInvalidDevice);
}

hipError_t hipDeviceDisablePeerAccess(int peer) {
    const hipError_t error = check_device(peer);
    return returned(error == hipSuccess ? hipErrorPeerAccessNotEnabled : error);
}

hipError_t hipDeviceGetP2PAttribute(int* value, hipDeviceP2PAttr /*attribute*/, int /*from*/,
                                    int /*to*/) {
    return returned(value == nullptr ? hipErrorInvalidValue : hipErrorInvalidDevice);
}

hipError_t hipExtGetLinkTypeAndHopCount(int from, int to, uint32_t* type, uint32_t* hops) {
    return returned(type == nullptr || hops == nullptr || from == to || from < 0 || to < 0
                        ? hipErrorInvalidValue
                        : hipErrorInvalidDevice);
}

}  // extern "C"
#pragma GCC visibility pop
