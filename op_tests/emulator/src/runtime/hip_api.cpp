// The HIP runtime API on top of the emulator: what libamdhip64.so exports.
//
// One device, one address space with the host, and everything is synchronous: a copy or a kernel
// is finished when the call that starts it returns, in whatever stream. So streams are names
// only, and a kernel that waits for the host or for a kernel started later waits forever.
//
// Errors: hipGetLastError() returns the last error of the thread since its last call, not the
// result of the last call; hipErrorNotReady is no error (HIP 7.0, "Update hipGetLastError").

#include <sys/sysinfo.h>

#include <algorithm>
#include <chrono>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "loader/code_object.hpp"
#include "machine/device.hpp"
#include "machine/launch.hpp"
#include "machine/memory.hpp"
#include "runtime/hip_types.hpp"

struct ihipStream_t {};

struct ihipEvent_t {
    unsigned flags = 0;
    bool recorded = false;
    std::chrono::steady_clock::time_point time;
};

struct ihipModuleSymbol_t {
    emu::code_object* object = nullptr;
    const emu::kernel_info* kernel = nullptr;
};

struct ihipModule_t {
    explicit ihipModule_t(std::span<const std::byte> file, emu::gfx_target target)
        : object(file, target) {}
    emu::code_object object;
    std::map<std::string, std::unique_ptr<ihipModuleSymbol_t>> functions;
};

namespace emu {
namespace {

[[gnu::format(printf, 1, 2)]] void complain(const char* format, ...) {
    std::va_list arguments;
    va_start(arguments, format);
    std::fputs("opus emulator: ", stderr);
    std::vfprintf(stderr, format, arguments);
    std::fputc('\n', stderr);
    va_end(arguments);
}

thread_local hipError_t last_error = hipSuccess;

hipError_t returned(hipError_t error) {
    if (error != hipSuccess && error != hipErrorNotReady) {
        last_error = error;
    }
    return error;
}

// ---- the device ----

// The one that OPUS_EMU_ARCH names, read once; nullptr if it names none, after a message.
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

uint64_t host_memory_bytes() {
    struct sysinfo info{};
    ::sysinfo(&info);
    return uint64_t{info.totalram} * info.mem_unit;
}

// ---- what programs registered and created ----

// A code object inside of the program, loaded when it is first used: a program may hold images
// that it never uses, and not for this device.
struct fat_binary {
    const void* image = nullptr;
    std::string unsupported;  // a managed variable
    std::unique_ptr<code_object> object;
    hipError_t load_result = hipErrorNotReady;  // until it was tried
    std::map<std::string, std::unique_ptr<ihipModuleSymbol_t>> functions;
};

struct registered_name {
    fat_binary* binary = nullptr;
    std::string name;
};

struct runtime_state {
    std::mutex mutex;
    std::set<std::unique_ptr<fat_binary>> binaries;
    std::map<const void*, registered_name> functions;  // by the host function's address
    std::map<const void*, registered_name> variables;  // by the host variable's address
    std::map<const void*, std::unique_ptr<ihipModule_t>> modules;
    std::map<const void*, std::unique_ptr<ihipStream_t>> streams;
    std::map<const void*, std::unique_ptr<ihipEvent_t>> events;
    std::set<const void*> module_functions;  // valid hipFunction_t
};

// Never destroyed: programs unregister and free from static destructors.
runtime_state& state() {
    static runtime_state& instance = *new runtime_state;
    return instance;
}

using state_lock = std::unique_lock<std::mutex>;

hipError_t error_of(const load_error& e) {
    return e.reason == load_error::reason_t::no_image ? hipErrorNoBinaryForGpu
                                                      : hipErrorInvalidImage;
}

std::span<const std::byte> bytes_at(const void* image) {
    const std::span<const std::byte> readable = readable_bytes(image);
    return readable.first(image_size(readable));
}

// @pre the state is locked
hipError_t load(fat_binary& binary) {
    if (binary.load_result != hipErrorNotReady) {
        return binary.load_result;
    }
    if (device() == nullptr) {
        return hipErrorNoDevice;
    }
    if (!binary.unsupported.empty()) {
        complain("%s", binary.unsupported.c_str());
        return binary.load_result = hipErrorNotSupported;
    }
    try {
        binary.object = std::make_unique<code_object>(bytes_at(binary.image), device()->target);
        binary.load_result = hipSuccess;
    } catch (const load_error& e) {
        complain("%s", e.what());
        binary.load_result = error_of(e);
    } catch (const std::bad_alloc&) {
        return hipErrorOutOfMemory;
    }
    return binary.load_result;
}

// The kernel that was registered for a host function; on failure an error and null.
struct found_kernel {
    hipError_t error = hipSuccess;
    code_object* object = nullptr;
    const kernel_info* kernel = nullptr;
};

found_kernel kernel_of(const void* host_function) {
    runtime_state& s = state();
    const state_lock lock(s.mutex);
    const auto found = s.functions.find(host_function);
    if (found == s.functions.end()) {
        return {hipErrorInvalidDeviceFunction, nullptr, nullptr};
    }
    fat_binary& binary = *found->second.binary;
    if (const hipError_t error = load(binary); error != hipSuccess) {
        return {error, nullptr, nullptr};
    }
    const kernel_info* kernel = binary.object->find_kernel(found->second.name);
    if (kernel == nullptr) {
        complain("the code object for %s has no kernel %s", target_name(device()->target),
                 found->second.name.c_str());
        return {hipErrorInvalidDeviceFunction, nullptr, nullptr};
    }
    return {hipSuccess, binary.object.get(), kernel};
}

found_kernel kernel_of(hipFunction_t function) {
    runtime_state& s = state();
    const state_lock lock(s.mutex);
    if (!s.module_functions.contains(function)) {
        return {hipErrorInvalidHandle, nullptr, nullptr};
    }
    return {hipSuccess, function->object, function->kernel};
}

struct found_variable {
    hipError_t error = hipSuccess;
    device_symbol symbol;
};

found_variable variable_of(const void* host_variable) {
    runtime_state& s = state();
    const state_lock lock(s.mutex);
    const auto found = s.variables.find(host_variable);
    if (found == s.variables.end()) {
        return {hipErrorInvalidSymbol, {}};
    }
    if (const hipError_t error = load(*found->second.binary); error != hipSuccess) {
        return {error, {}};
    }
    const auto symbol = found->second.binary->object->find_variable(found->second.name);
    if (!symbol) {
        return {hipErrorInvalidSymbol, {}};
    }
    return {hipSuccess, *symbol};
}

// The null stream and the two special ones of the public header (legacy 1, per thread 2) need not
// be created.
bool is_stream(hipStream_t stream) {
    if (reinterpret_cast<uintptr_t>(stream) <= 2) {
        return true;
    }
    runtime_state& s = state();
    const state_lock lock(s.mutex);
    return s.streams.contains(stream);
}

hipError_t create_stream(hipStream_t* stream, unsigned flags) {
    constexpr unsigned non_blocking = 1;
    if (stream == nullptr || flags > non_blocking) {
        return hipErrorInvalidValue;
    }
    runtime_state& s = state();
    const state_lock lock(s.mutex);
    auto created = std::make_unique<ihipStream_t>();
    *stream = created.get();
    s.streams[*stream] = std::move(created);
    return hipSuccess;
}

bool is_event(hipEvent_t event) {
    runtime_state& s = state();
    const state_lock lock(s.mutex);
    return s.events.contains(event);
}

hipError_t create_event(hipEvent_t* event, unsigned flags) {
    // Blocking synchronisation, no timing, no system fence, release to the device or the system;
    // events of several processes (4) are not supported.
    constexpr unsigned known = 1 | hipEventDisableTiming | 0x20000000 | 0x40000000 | 0x80000000;
    if (event == nullptr || (flags & ~known) != 0) {
        return hipErrorInvalidValue;
    }
    runtime_state& s = state();
    const state_lock lock(s.mutex);
    auto created = std::make_unique<ihipEvent_t>();
    created->flags = flags;
    *event = created.get();
    s.events[*event] = std::move(created);
    return hipSuccess;
}

hipError_t record_event(hipEvent_t event, hipStream_t stream) {
    if (!is_event(event) || !is_stream(stream)) {
        return hipErrorInvalidHandle;
    }
    event->recorded = true;
    event->time = std::chrono::steady_clock::now();
    return hipSuccess;
}

// ---- memory ----

uint64_t address_of(const void* pointer) {
    return reinterpret_cast<uintptr_t>(pointer);
}

hipError_t allocate_to(void** pointer, size_t bytes, memory_kind kind) {
    if (pointer == nullptr) {
        return hipErrorInvalidValue;
    }
    *pointer = nullptr;
    if (device() == nullptr) {
        return hipErrorNoDevice;
    }
    if (bytes == 0) {
        return hipSuccess;
    }
    *pointer = allocate(bytes, kind);
    return *pointer == nullptr ? hipErrorOutOfMemory : hipSuccess;
}

hipError_t free_of(void* pointer, memory_kind kind) {
    return pointer == nullptr || release(pointer, kind) ? hipSuccess : hipErrorInvalidValue;
}

enum class side { device, any };

// Whether `bytes` bytes can be copied from or to the pointer: the device's side of a copy has to
// be memory that the runtime knows, and in known memory a copy may not run over the end.
bool copyable(const void* pointer, size_t bytes, side where) {
    if (pointer == nullptr) {
        return false;
    }
    const auto range = find_range(address_of(pointer));
    if (!range) {
        return where == side::any;
    }
    return bytes <= range->end - address_of(pointer);
}

hipError_t copy(void* to, const void* from, size_t bytes, hipMemcpyKind kind) {
    if (kind < hipMemcpyHostToHost || kind > hipMemcpyDefault) {
        return hipErrorInvalidMemcpyDirection;
    }
    if (bytes == 0) {
        return hipSuccess;
    }
    const bool to_device = kind == hipMemcpyHostToDevice || kind == hipMemcpyDeviceToDevice;
    const bool from_device = kind == hipMemcpyDeviceToHost || kind == hipMemcpyDeviceToDevice;
    if (!copyable(to, bytes, to_device ? side::device : side::any) ||
        !copyable(from, bytes, from_device ? side::device : side::any)) {
        return hipErrorInvalidValue;
    }
    std::memmove(to, from, bytes);
    return hipSuccess;
}

hipError_t fill(void* to, int value, size_t bytes) {
    if (bytes == 0) {
        return hipSuccess;
    }
    if (!copyable(to, bytes, side::device)) {
        return hipErrorInvalidValue;
    }
    std::memset(to, value, bytes);
    return hipSuccess;
}

// The device address `offset` bytes into a variable, if `bytes` bytes are left there.
hipError_t part_of_variable(const void* host_variable, size_t offset, size_t bytes, void** part) {
    const found_variable variable = variable_of(host_variable);
    if (variable.error != hipSuccess) {
        return variable.error;
    }
    if (offset > variable.symbol.size || bytes > variable.symbol.size - offset) {
        return hipErrorInvalidValue;
    }
    *part = reinterpret_cast<void*>(variable.symbol.address + offset);
    return hipSuccess;
}

// ---- launch ----

struct call_configuration {
    dim3 grid;
    dim3 block;
    size_t dynamic_lds = 0;
    hipStream_t stream = nullptr;
};

thread_local std::vector<call_configuration> call_configurations;

std::array<uint32_t, 3> to_array(dim3 d) {
    return {d.x, d.y, d.z};
}

bool takes_arguments(const kernel_info& kernel) {
    return std::ranges::any_of(kernel.arguments,
                               [](const kernel_argument& a) { return !a.is_hidden(); });
}

// Whether there is a value for every argument of the kernel.
bool has_values(const kernel_info& kernel, void* const* values) {
    size_t count = 0;
    for (const kernel_argument& a : kernel.arguments) {
        count += a.is_hidden() ? 0 : 1;
    }
    return count == 0 ||
           (values != nullptr && std::none_of(values, values + count,
                                              [](const void* value) { return value == nullptr; }));
}

// The argument kinds that HIP programs have; OpenCL's images, samplers, pipes are not emulated.
bool arguments_supported(const kernel_info& kernel) {
    for (const kernel_argument& a : kernel.arguments) {
        if (!a.is_hidden() && a.kind != "by_value" && a.kind != "global_buffer") {
            complain("kernel %s: arguments of kind %s are not supported", kernel.name.c_str(),
                     a.kind.c_str());
            return false;
        }
    }
    return true;
}

hipError_t run_kernel(const found_kernel& found, const launch_config& config, hipStream_t stream,
                      const std::vector<std::byte>& arguments) {
    if (!is_stream(stream)) {
        return hipErrorInvalidHandle;
    }
    if (!arguments_supported(*found.kernel)) {
        return hipErrorNotSupported;
    }
    try {
        launch(*device(), *found.object, *found.kernel, config, arguments);
    } catch (const std::bad_alloc&) {
        return hipErrorOutOfMemory;
    }
    return hipSuccess;
}

hipError_t launch_registered(const void* function, dim3 grid, dim3 block, void** arguments,
                             size_t dynamic_lds, hipStream_t stream) {
    const found_kernel found = kernel_of(function);
    if (found.error != hipSuccess) {
        return found.error;
    }
    const launch_config config{to_array(grid), to_array(block), dynamic_lds, read_settings()};
    if (const hipError_t error = check_launch(*device(), *found.kernel, config);
        error != hipSuccess) {
        return error;
    }
    if (!has_values(*found.kernel, arguments)) {
        return hipErrorInvalidValue;
    }
    return run_kernel(found, config, stream, pack_arguments(*found.kernel, arguments));
}

// `extra` is {BUFFER_POINTER, pointer, BUFFER_SIZE, pointer to size, END} with these tags.
constexpr uintptr_t launch_param_end = 3;
constexpr uintptr_t launch_param_buffer_pointer = 1;
constexpr uintptr_t launch_param_buffer_size = 2;

hipError_t read_extra(void** extra, const void** buffer, size_t* bytes) {
    *buffer = nullptr;
    *bytes = 0;
    for (; reinterpret_cast<uintptr_t>(extra[0]) != launch_param_end; extra += 2) {
        switch (reinterpret_cast<uintptr_t>(extra[0])) {
            case launch_param_buffer_pointer:
                *buffer = extra[1];
                break;
            case launch_param_buffer_size:
                if (extra[1] == nullptr) {
                    return hipErrorInvalidValue;
                }
                *bytes = *static_cast<const size_t*>(extra[1]);
                break;
            default:
                return hipErrorInvalidValue;
        }
    }
    return hipSuccess;
}

hipError_t launch_module_kernel(hipFunction_t function, const launch_config& config,
                                hipStream_t stream, void** values, void** extra) {
    const found_kernel found = kernel_of(function);
    if (found.error != hipSuccess) {
        return found.error;
    }
    const kernel_info& kernel = *found.kernel;
    if (const hipError_t error = check_launch(*device(), kernel, config); error != hipSuccess) {
        // This entry point has its own word for dimensions that are zero or too large.
        return error == hipErrorInvalidConfiguration ? hipErrorInvalidValue : error;
    }
    if ((values != nullptr) == (extra != nullptr) &&
        (values != nullptr || takes_arguments(kernel))) {
        return hipErrorInvalidValue;  // both forms or none
    }
    if (values != nullptr && !has_values(kernel, values)) {
        return hipErrorInvalidValue;
    }
    std::vector<std::byte> arguments;
    if (values != nullptr) {
        arguments = pack_arguments(kernel, values);
    } else if (extra != nullptr) {
        const void* buffer = nullptr;
        size_t bytes = 0;
        const hipError_t error = read_extra(extra, &buffer, &bytes);
        if (error != hipSuccess || (takes_arguments(kernel) && (!buffer || bytes == 0))) {
            return hipErrorInvalidValue;
        }
        arguments = pack_arguments(kernel, buffer, bytes);
    }
    return run_kernel(found, config, stream, arguments);
}

hipError_t load_module(hipModule_t* module, std::span<const std::byte> file) {
    runtime_state& s = state();
    try {
        auto loaded = std::make_unique<ihipModule_t>(file, device()->target);
        const state_lock lock(s.mutex);
        *module = loaded.get();
        s.modules[*module] = std::move(loaded);
    } catch (const load_error& e) {
        complain("%s", e.what());
        return error_of(e);
    } catch (const std::bad_alloc&) {
        return hipErrorOutOfMemory;
    }
    return hipSuccess;
}

// Every use of the binary fails with hipErrorNotSupported.
void refuse_binary(void** handle, const char* what, const char* name) {
    if (handle == nullptr) {
        return;
    }
    runtime_state& s = state();
    const state_lock lock(s.mutex);
    reinterpret_cast<fat_binary*>(handle)->unsupported =
        std::string(what) + " (" + name + ") are not supported";
}

hipError_t not_supported(const char* function) {
    complain("%s is not supported", function);
    return returned(hipErrorNotSupported);
}

// ---- names ----

struct error_text {
    hipError_t error;
    const char* name;
    const char* text;
};

constexpr error_text error_texts[] = {
    {hipSuccess, "hipSuccess", "no error"},
    {hipErrorInvalidValue, "hipErrorInvalidValue", "invalid argument"},
    {hipErrorOutOfMemory, "hipErrorOutOfMemory", "out of memory"},
    {hipErrorInvalidConfiguration, "hipErrorInvalidConfiguration",
     "invalid configuration argument"},
    {hipErrorInvalidSymbol, "hipErrorInvalidSymbol", "invalid device symbol"},
    {hipErrorInvalidMemcpyDirection, "hipErrorInvalidMemcpyDirection",
     "invalid copy direction for memcpy"},
    {hipErrorMissingConfiguration, "hipErrorMissingConfiguration",
     "__global__ function call is not configured"},
    {hipErrorInvalidDeviceFunction, "hipErrorInvalidDeviceFunction", "invalid device function"},
    {hipErrorNoDevice, "hipErrorNoDevice", "no device is available"},
    {hipErrorInvalidDevice, "hipErrorInvalidDevice", "invalid device ordinal"},
    {hipErrorInvalidImage, "hipErrorInvalidImage", "device kernel image is invalid"},
    {hipErrorNoBinaryForGpu, "hipErrorNoBinaryForGpu",
     "no kernel image is available for execution on the device"},
    {hipErrorInvalidKernelFile, "hipErrorInvalidKernelFile", "invalid kernel file"},
    {hipErrorFileNotFound, "hipErrorFileNotFound", "file not found"},
    {hipErrorInvalidHandle, "hipErrorInvalidHandle", "invalid resource handle"},
    {hipErrorNotFound, "hipErrorNotFound", "named symbol not found"},
    {hipErrorNotReady, "hipErrorNotReady", "device not ready"},
    {hipErrorLaunchOutOfResources, "hipErrorLaunchOutOfResources",
     "too many resources requested for launch"},
    {hipErrorLaunchFailure, "hipErrorLaunchFailure", "unspecified launch failure"},
    {hipErrorNotSupported, "hipErrorNotSupported", "operation not supported"},
    {hipErrorUnknown, "hipErrorUnknown", "unknown error"},
};

const error_text& text_of(hipError_t error) {
    for (const error_text& t : error_texts) {
        if (t.error == error) {
            return t;
        }
    }
    return std::end(error_texts)[-1];
}

// ---- device properties ----

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
}  // namespace emu

using namespace emu;

#pragma GCC visibility push(default)
extern "C" {

// "gfx942" or "gfx950", nullptr if OPUS_EMU_ARCH names neither. Programs find out with dlsym that
// they run on the emulator.
const char* opus_emulator_arch() {
    return device() == nullptr ? nullptr : target_name(device()->target);
}

// ==== registration, called from constructors that clang generates ====

void** __hipRegisterFatBinary(const void* data) {
    struct wrapper_t {
        uint32_t magic;
        uint32_t version;
        const void* image;
        void* unused;
    };
    const auto* wrapper = static_cast<const wrapper_t*>(data);
    if (wrapper == nullptr || wrapper->magic != 0x48495046 || wrapper->version != 1) {
        complain("__hipRegisterFatBinary: not a HIP fat binary of version 1");
        return nullptr;
    }
    auto binary = std::make_unique<fat_binary>();
    binary->image = wrapper->image;
    auto* handle = reinterpret_cast<void**>(binary.get());
    runtime_state& s = state();
    const state_lock lock(s.mutex);
    s.binaries.insert(std::move(binary));
    return handle;
}

void __hipUnregisterFatBinary(void** handle) {
    auto* binary = reinterpret_cast<fat_binary*>(handle);
    runtime_state& s = state();
    const state_lock lock(s.mutex);
    const auto belongs = [&](const auto& entry) { return entry.second.binary == binary; };
    std::erase_if(s.functions, belongs);
    std::erase_if(s.variables, belongs);
    std::erase_if(s.binaries, [&](const auto& b) { return b.get() == binary; });
}

void __hipRegisterFunction(void** handle, const void* host_function, char* /*device_function*/,
                           const char* device_name, unsigned /*thread_limit*/, void* /*tid*/,
                           void* /*bid*/, dim3* /*block*/, dim3* /*grid*/, int* /*wave_size*/) {
    if (handle == nullptr) {
        return;
    }
    runtime_state& s = state();
    const state_lock lock(s.mutex);
    s.functions[host_function] = {reinterpret_cast<fat_binary*>(handle), device_name};
}

void __hipRegisterVar(void** handle, void* host_variable, char* /*host_name*/, char* device_name,
                      int /*is_extern*/, size_t /*bytes*/, int /*constant*/, int /*global*/) {
    if (handle == nullptr) {
        return;
    }
    runtime_state& s = state();
    const state_lock lock(s.mutex);
    s.variables[host_variable] = {reinterpret_cast<fat_binary*>(handle), device_name};
}

// The code object is refused when it is used: its kernels would see another variable than the host.
void __hipRegisterManagedVar(void** handle, void** /*pointer*/, void* /*initial*/, const char* name,
                             size_t /*bytes*/, unsigned /*alignment*/) {
    refuse_binary(handle, "__hipRegisterManagedVar: managed variables", name);
}

void __hipRegisterTexture(void** handle, const void* /*variable*/, const char* /*host_name*/,
                          const char* name, int /*kind*/, int /*normalised*/, int /*is_extern*/) {
    refuse_binary(handle, "__hipRegisterTexture: textures", name);
}

void __hipRegisterSurface(void** handle, const void* /*variable*/, const char* /*host_name*/,
                          const char* name, int /*kind*/, int /*is_extern*/) {
    refuse_binary(handle, "__hipRegisterSurface: surfaces", name);
}

// ==== launch ====

hipError_t __hipPushCallConfiguration(dim3 grid, dim3 block, size_t dynamic_lds,
                                      hipStream_t stream) {
    call_configurations.push_back({grid, block, dynamic_lds, stream});
    return hipSuccess;
}

hipError_t __hipPopCallConfiguration(dim3* grid, dim3* block, size_t* dynamic_lds,
                                     hipStream_t* stream) {
    if (call_configurations.empty()) {
        return returned(hipErrorMissingConfiguration);
    }
    const call_configuration top = call_configurations.back();
    call_configurations.pop_back();
    *grid = top.grid;
    *block = top.block;
    *dynamic_lds = top.dynamic_lds;
    *stream = top.stream;
    return hipSuccess;
}

hipError_t hipLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                           size_t dynamic_lds, hipStream_t stream) {
    return returned(launch_registered(function, grid, block, arguments, dynamic_lds, stream));
}

hipError_t hipExtLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                              size_t dynamic_lds, hipStream_t stream, hipEvent_t start,
                              hipEvent_t stop, int /*flags*/) {
    if ((start != nullptr && !is_event(start)) || (stop != nullptr && !is_event(stop))) {
        return returned(hipErrorInvalidHandle);
    }
    if (start != nullptr) {
        record_event(start, stream);
    }
    const hipError_t error =
        launch_registered(function, grid, block, arguments, dynamic_lds, stream);
    if (stop != nullptr) {
        record_event(stop, stream);
    }
    return returned(error);
}

hipError_t hipFuncSetAttribute(const void* function, hipFuncAttribute attribute, int value) {
    const found_kernel found = kernel_of(function);
    if (found.error != hipSuccess) {
        return returned(found.error);
    }
    if (attribute == hipFuncAttributePreferredSharedMemoryCarveout) {
        return hipSuccess;  // a hint
    }
    if (attribute != hipFuncAttributeMaxDynamicSharedMemorySize || value < 0 ||
        found.kernel->descriptor.group_segment_fixed_size + static_cast<uint64_t>(value) >
            device()->lds_bytes) {
        return returned(hipErrorInvalidValue);
    }
    return hipSuccess;  // every launch may use all LDS there is
}

hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int* groups, const void* function,
                                                        int threads, size_t dynamic_lds) {
    if (groups == nullptr || threads <= 0) {
        return returned(hipErrorInvalidValue);
    }
    const found_kernel found = kernel_of(function);
    if (found.error != hipSuccess) {
        return returned(found.error);
    }
    *groups = static_cast<int>(
        groups_per_unit(*device(), *found.kernel, static_cast<uint32_t>(threads), dynamic_lds));
    return hipSuccess;
}

// ==== modules ====

hipError_t hipModuleLoadData(hipModule_t* module, const void* image) {
    if (module == nullptr || image == nullptr) {
        return returned(hipErrorInvalidValue);
    }
    if (device() == nullptr) {
        return returned(hipErrorNoDevice);
    }
    try {
        return returned(load_module(module, bytes_at(image)));
    } catch (const load_error& e) {
        complain("%s", e.what());
        return returned(error_of(e));
    }
}

hipError_t hipModuleLoad(hipModule_t* module, const char* path) {
    if (module == nullptr || path == nullptr) {
        return returned(hipErrorInvalidValue);
    }
    if (device() == nullptr) {
        return returned(hipErrorNoDevice);
    }
    std::ifstream file(path, std::ios::binary);
    if (!file) {
        return returned(hipErrorFileNotFound);
    }
    const std::string contents((std::istreambuf_iterator<char>(file)),
                               std::istreambuf_iterator<char>());
    return returned(load_module(module, std::as_bytes(std::span(contents))));
}

// The options are those of a compiler for device code, which a code object does not need.
hipError_t hipModuleLoadDataEx(hipModule_t* module, const void* image, unsigned /*options*/,
                               void* /*names*/, void** /*values*/) {
    return hipModuleLoadData(module, image);
}

hipError_t hipModuleUnload(hipModule_t module) {
    runtime_state& s = state();
    const state_lock lock(s.mutex);
    const auto found = s.modules.find(module);
    if (found == s.modules.end()) {
        return returned(hipErrorInvalidHandle);
    }
    for (const auto& function : found->second->functions) {
        s.module_functions.erase(function.second.get());
    }
    s.modules.erase(found);
    return hipSuccess;
}

hipError_t hipModuleGetFunction(hipFunction_t* function, hipModule_t module, const char* name) {
    if (function == nullptr || name == nullptr) {
        return returned(hipErrorInvalidValue);
    }
    runtime_state& s = state();
    const state_lock lock(s.mutex);
    if (!s.modules.contains(module)) {
        return returned(hipErrorInvalidHandle);
    }
    const kernel_info* kernel = module->object.find_kernel(name);
    if (kernel == nullptr) {
        return returned(hipErrorNotFound);
    }
    auto& entry = module->functions[name];
    if (entry == nullptr) {
        entry = std::make_unique<ihipModuleSymbol_t>();
        entry->object = &module->object;
        entry->kernel = kernel;
        s.module_functions.insert(entry.get());
    }
    *function = entry.get();
    return hipSuccess;
}

hipError_t hipModuleGetGlobal(hipDeviceptr_t* pointer, size_t* bytes, hipModule_t module,
                              const char* name) {
    if (name == nullptr) {
        return returned(hipErrorInvalidValue);
    }
    runtime_state& s = state();
    const state_lock lock(s.mutex);
    if (!s.modules.contains(module)) {
        return returned(hipErrorInvalidHandle);
    }
    const auto symbol = module->object.find_variable(name);
    if (!symbol) {
        return returned(hipErrorNotFound);
    }
    if (pointer != nullptr) {
        *pointer = reinterpret_cast<void*>(symbol->address);
    }
    if (bytes != nullptr) {
        *bytes = symbol->size;
    }
    return hipSuccess;
}

hipError_t hipModuleLaunchKernel(hipFunction_t function, unsigned grid_x, unsigned grid_y,
                                 unsigned grid_z, unsigned block_x, unsigned block_y,
                                 unsigned block_z, unsigned dynamic_lds, hipStream_t stream,
                                 void** values, void** extra) {
    const launch_config config{
        {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, dynamic_lds, read_settings()};
    return returned(launch_module_kernel(function, config, stream, values, extra));
}

// ==== memory ====

hipError_t hipMalloc(void** pointer, size_t bytes) {
    return returned(allocate_to(pointer, bytes, memory_kind::device));
}

hipError_t hipMallocAsync(void** pointer, size_t bytes, hipStream_t stream) {
    if (!is_stream(stream)) {
        return returned(hipErrorInvalidHandle);
    }
    return hipMalloc(pointer, bytes);
}

hipError_t hipHostMalloc(void** pointer, size_t bytes, unsigned flags) {
    // Portable, mapped, write-combined, by NUMA policy, coherent, not coherent: all the same here.
    constexpr unsigned known = 7 | 0x20000000 | 0x40000000 | 0x80000000;
    constexpr unsigned coherent_and_not = 0x40000000 | 0x80000000;
    if ((flags & ~known) != 0 || (flags & coherent_and_not) == coherent_and_not) {
        return returned(hipErrorInvalidValue);
    }
    return returned(allocate_to(pointer, bytes, memory_kind::host));
}

hipError_t hipFree(void* pointer) {
    return returned(free_of(pointer, memory_kind::device));
}

hipError_t hipFreeAsync(void* pointer, hipStream_t stream) {
    if (!is_stream(stream)) {
        return returned(hipErrorInvalidHandle);
    }
    return hipFree(pointer);
}

hipError_t hipHostFree(void* pointer) {
    return returned(free_of(pointer, memory_kind::host));
}

hipError_t hipMemcpy(void* to, const void* from, size_t bytes, hipMemcpyKind kind) {
    return returned(copy(to, from, bytes, kind));
}

hipError_t hipMemcpyAsync(void* to, const void* from, size_t bytes, hipMemcpyKind kind,
                          hipStream_t stream) {
    if (!is_stream(stream)) {
        return returned(hipErrorInvalidHandle);
    }
    return hipMemcpy(to, from, bytes, kind);
}

hipError_t hipMemset(void* to, int value, size_t bytes) {
    return returned(fill(to, value, bytes));
}

hipError_t hipMemsetAsync(void* to, int value, size_t bytes, hipStream_t stream) {
    if (!is_stream(stream)) {
        return returned(hipErrorInvalidHandle);
    }
    return hipMemset(to, value, bytes);
}

hipError_t hipMemcpyToSymbol(const void* variable, const void* from, size_t bytes, size_t offset,
                             hipMemcpyKind kind) {
    if (kind == hipMemcpyHostToHost || kind == hipMemcpyDeviceToHost) {
        return returned(hipErrorInvalidMemcpyDirection);
    }
    void* to = nullptr;
    if (const hipError_t error = part_of_variable(variable, offset, bytes, &to);
        error != hipSuccess) {
        return returned(error);
    }
    return hipMemcpy(to, from, bytes, kind);
}

hipError_t hipMemcpyFromSymbol(void* to, const void* variable, size_t bytes, size_t offset,
                               hipMemcpyKind kind) {
    if (kind == hipMemcpyHostToHost || kind == hipMemcpyHostToDevice) {
        return returned(hipErrorInvalidMemcpyDirection);
    }
    void* from = nullptr;
    if (const hipError_t error = part_of_variable(variable, offset, bytes, &from);
        error != hipSuccess) {
        return returned(error);
    }
    return hipMemcpy(to, from, bytes, kind);
}

hipError_t hipGetSymbolAddress(void** address, const void* variable) {
    if (address == nullptr) {
        return returned(hipErrorInvalidValue);
    }
    return returned(part_of_variable(variable, 0, 0, address));
}

hipError_t hipGetSymbolSize(size_t* bytes, const void* variable) {
    if (bytes == nullptr) {
        return returned(hipErrorInvalidValue);
    }
    const found_variable found = variable_of(variable);
    if (found.error == hipSuccess) {
        *bytes = found.symbol.size;
    }
    return returned(found.error);
}

// ==== streams and events ====

hipError_t hipStreamCreate(hipStream_t* stream) {
    return returned(create_stream(stream, 0));
}

hipError_t hipStreamCreateWithFlags(hipStream_t* stream, unsigned flags) {
    return returned(create_stream(stream, flags));
}

hipError_t hipStreamSynchronize(hipStream_t stream) {
    return returned(is_stream(stream) ? hipSuccess : hipErrorInvalidHandle);
}

// Nothing is ever in progress between two calls.
hipError_t hipStreamQuery(hipStream_t stream) {
    return returned(is_stream(stream) ? hipSuccess : hipErrorInvalidHandle);
}

hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned flags) {
    if (flags != 0) {
        return returned(hipErrorInvalidValue);
    }
    return returned(is_stream(stream) && is_event(event) ? hipSuccess : hipErrorInvalidHandle);
}

hipError_t hipStreamDestroy(hipStream_t stream) {
    runtime_state& s = state();
    const state_lock lock(s.mutex);
    return returned(s.streams.erase(stream) != 0 ? hipSuccess : hipErrorInvalidHandle);
}

hipError_t hipEventCreate(hipEvent_t* event) {
    return returned(create_event(event, 0));
}

hipError_t hipEventCreateWithFlags(hipEvent_t* event, unsigned flags) {
    return returned(create_event(event, flags));
}

hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream) {
    return returned(record_event(event, stream));
}

hipError_t hipEventSynchronize(hipEvent_t event) {
    return returned(is_event(event) ? hipSuccess : hipErrorInvalidHandle);
}

hipError_t hipEventQuery(hipEvent_t event) {
    return returned(is_event(event) ? hipSuccess : hipErrorInvalidHandle);
}

// The time that passed on this host, which says nothing about the machine that is emulated.
hipError_t hipEventElapsedTime(float* milliseconds, hipEvent_t start, hipEvent_t stop) {
    if (milliseconds == nullptr) {
        return returned(hipErrorInvalidValue);
    }
    for (const hipEvent_t event : {start, stop}) {
        if (!is_event(event) || !event->recorded || (event->flags & hipEventDisableTiming) != 0) {
            return returned(hipErrorInvalidHandle);
        }
    }
    const std::chrono::duration<float, std::milli> elapsed = stop->time - start->time;
    *milliseconds = elapsed.count();
    return hipSuccess;
}

hipError_t hipEventDestroy(hipEvent_t event) {
    runtime_state& s = state();
    const state_lock lock(s.mutex);
    return returned(s.events.erase(event) != 0 ? hipSuccess : hipErrorInvalidHandle);
}

// ==== not supported ====
// Programs link that ask first whether the device can do it; none of the parameters is looked at.

#define OPUS_EMU_NOT_SUPPORTED(name) \
    hipError_t name() {              \
        return not_supported(#name); \
    }
OPUS_EMU_NOT_SUPPORTED(hipMallocManaged)
OPUS_EMU_NOT_SUPPORTED(hipMemPrefetchAsync)
OPUS_EMU_NOT_SUPPORTED(hipMemAdvise)
OPUS_EMU_NOT_SUPPORTED(hipLaunchCooperativeKernel)
OPUS_EMU_NOT_SUPPORTED(hipModuleLaunchCooperativeKernel)
OPUS_EMU_NOT_SUPPORTED(hipLaunchHostFunc)
OPUS_EMU_NOT_SUPPORTED(hipStreamAddCallback)
OPUS_EMU_NOT_SUPPORTED(hipStreamBeginCapture)
OPUS_EMU_NOT_SUPPORTED(hipStreamEndCapture)
OPUS_EMU_NOT_SUPPORTED(hipGraphCreate)
OPUS_EMU_NOT_SUPPORTED(hipGraphInstantiate)
OPUS_EMU_NOT_SUPPORTED(hipGraphLaunch)
OPUS_EMU_NOT_SUPPORTED(hipIpcGetMemHandle)
OPUS_EMU_NOT_SUPPORTED(hipIpcOpenMemHandle)
OPUS_EMU_NOT_SUPPORTED(hipDeviceEnablePeerAccess)
OPUS_EMU_NOT_SUPPORTED(hipMemcpyPeer)
OPUS_EMU_NOT_SUPPORTED(hipCreateTextureObject)
#undef OPUS_EMU_NOT_SUPPORTED

// ==== device ====

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

// ==== errors ====

hipError_t hipGetLastError() {
    const hipError_t error = last_error;
    last_error = hipSuccess;
    return error;
}

hipError_t hipPeekAtLastError() {
    return last_error;
}

const char* hipGetErrorName(hipError_t error) {
    return text_of(error).name;
}

const char* hipGetErrorString(hipError_t error) {
    return text_of(error).text;
}

}  // extern "C"
#pragma GCC visibility pop
