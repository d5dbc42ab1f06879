// Launches: of registered kernels and of those of a module, and attributes of functions.

#include <cxxabi.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "launch/launch.hpp"
#include "launch/occupancy.hpp"
#include "runtime/operation.hpp"
#include "runtime/runtime.hpp"

namespace emu {
namespace {

struct call_configuration {
    dim3 grid;
    dim3 block;
    size_t dynamic_lds = 0;
    hipStream_t stream = nullptr;
};

thread_local std::vector<call_configuration> call_configurations;

// The thread is about to launch from <<<>>>, where clang's code drops what hipLaunchKernel returns.
thread_local bool is_from_brackets = false;

hipError_t launched(hipError_t error, const char* call = __builtin_FUNCTION()) {
    if (std::exchange(is_from_brackets, false) && error != hipSuccess) {
        note_dropped(error);
    }
    return returned(error, call);
}

std::array<uint32_t, 3> to_array(dim3 d) {
    return {d.x, d.y, d.z};
}

std::string demangled(const std::string& name) {
    int status = 0;
    const std::unique_ptr<char, void (*)(void*)> text(
        abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), std::free);
    return status == 0 ? text.get() : name;
}

void complain_about_lds(const kernel_info& kernel, uint64_t dynamic_lds) {
    const uint32_t fixed = kernel.descriptor.group_segment_fixed_size;
    const bool is_countable = dynamic_lds <= ~uint64_t{0} - fixed;
    complain(
        "kernel %s: %llu bytes of LDS are asked for (%u static, %llu dynamic); a group has at most "
        "%u on %s",
        demangled(kernel.name).c_str(),
        static_cast<unsigned long long>(is_countable ? fixed + dynamic_lds : ~uint64_t{0}), fixed,
        static_cast<unsigned long long>(dynamic_lds), device()->lds_bytes,
        target_name(device()->target));
}

// What a function calls the same mistakes: no groups, threads that no group can have, too much LDS.
struct launch_words {
    hipError_t no_groups;
    hipError_t threads;
    hipError_t lds;
};

constexpr launch_words of_runtime{hipErrorInvalidConfiguration, hipErrorInvalidConfiguration,
                                  hipErrorInvalidValue};
constexpr launch_words of_cooperative{hipErrorInvalidConfiguration, hipErrorInvalidConfiguration,
                                      hipErrorCooperativeLaunchTooLarge};
constexpr launch_words of_module{hipErrorInvalidValue, hipErrorInvalidValue, hipErrorInvalidValue};
constexpr launch_words of_items{hipErrorInvalidValue, hipErrorInvalidConfiguration,
                                hipErrorInvalidValue};

bool is_empty(const std::array<uint32_t, 3>& sizes) {
    return std::ranges::count(sizes, 0u) != 0;
}

hipError_t hip_error(launch_error error, const launch_config& config, const launch_words& words) {
    switch (error) {
        case launch_error::none:
            return hipSuccess;
        case launch_error::configuration:
            return is_empty(config.groups) && !is_empty(config.threads) ? words.no_groups
                                                                        : words.threads;
        case launch_error::value:
            return words.lds;
        case launch_error::resources:
            return hipErrorLaunchOutOfResources;
        case launch_error::unsupported:
            return hipErrorNotSupported;
        case launch_error::failure:
            return hipErrorLaunchFailure;
    }
    return hipErrorUnknown;
}

// What HIP answers to a launch with these dimensions, with a message where it is the kernel that
// does not take them.
hipError_t checked(const kernel_info& kernel, const launch_config& config,
                   const launch_words& words) {
    const launch_error error = check_launch(*device(), kernel, config);
    if (error == launch_error::configuration) {
        complain(
            "kernel %s: a launch of %u x %u x %u groups of %u x %u x %u threads; each number is at "
            "least 1, a group has at most %u threads and a grid fewer than 2^32 in each dimension",
            demangled(kernel.name).c_str(), config.groups[0], config.groups[1], config.groups[2],
            config.threads[0], config.threads[1], config.threads[2], max_group_threads);
    } else if (error == launch_error::value) {
        complain_about_lds(kernel, config.dynamic_lds);
    } else if (error == launch_error::failure) {
        complain(
            "kernel %s: a group of %u x %u x %u = %u threads; the kernel was compiled for at "
            "most %u (__launch_bounds__)",
            demangled(kernel.name).c_str(), config.threads[0], config.threads[1], config.threads[2],
            config.threads[0] * config.threads[1] * config.threads[2], kernel.max_group_size);
    }
    return hip_error(error, config, words);
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

// Whether the buffer has every argument, with a message if not. It may end before the padding behind
// the last one.
bool has_arguments(const kernel_info& kernel, size_t bytes) {
    size_t number = 0;
    for (const kernel_argument& a : kernel.arguments) {
        if (a.is_hidden()) {
            continue;
        }
        ++number;
        if (uint64_t{a.offset} + a.size > bytes) {
            complain(
                "kernel %s: the buffer of arguments has %zu bytes and ends %s argument %zu, "
                "%u bytes from byte %u; all arguments take %u bytes",
                demangled(kernel.name).c_str(), bytes, a.offset < bytes ? "inside of" : "before",
                number, a.size, a.offset, kernel.explicit_size());
            return false;
        }
    }
    return true;
}

// The arguments, from a pointer for each of them or from a buffer.
hipError_t read_arguments(const kernel_info& kernel, void** values, void** extra,
                          std::vector<std::byte>& arguments) {
    if (values != nullptr && extra != nullptr) {
        return hipErrorInvalidValue;
    }
    if (extra == nullptr) {
        if (!has_values(kernel, values)) {
            return hipErrorInvalidValue;
        }
        arguments = pack_arguments(kernel, values);
        return hipSuccess;
    }
    const void* buffer = nullptr;
    size_t bytes = 0;
    if (const hipError_t error = read_extra(extra, &buffer, &bytes); error != hipSuccess) {
        return error;
    }
    if (takes_arguments(kernel)) {
        if (buffer == nullptr || bytes == 0 || !has_arguments(kernel, bytes)) {
            return hipErrorInvalidValue;
        }
        arguments = pack_arguments(kernel, buffer);
    }
    return hipSuccess;
}

hipError_t prepare(const found_kernel& found, const void* function, const launch_config& config,
                   const launch_words& words, void** values, void** extra, run_kernel& launch) {
    if (found.error != hipSuccess) {
        return found.error;
    }
    if (const hipError_t error = checked(*found.kernel, config, words); error != hipSuccess) {
        return error;
    }
    if (!arguments_supported(*found.kernel)) {
        return hipErrorNotSupported;
    }
    launch.function = function;
    launch.config = config;
    return read_arguments(*found.kernel, values, extra, launch.arguments);
}

hipError_t launch_registered(const void* function, dim3 grid, dim3 block, void** values,
                             size_t dynamic_lds, hipStream_t stream,
                             const launch_words& words = of_runtime, bool is_cooperative = false) {
    run_kernel launch;
    launch_config config{to_array(grid), to_array(block), dynamic_lds, read_settings()};
    config.is_cooperative = is_cooperative;
    const hipError_t error =
        prepare(kernel_of_either(function), function, config, words, values, nullptr, launch);
    return error == hipSuccess ? submit(stream, std::move(launch)) : error;
}

hipError_t launch_of_module(hipFunction_t function, const launch_config& config, hipStream_t stream,
                            void** values, void** extra, const launch_words& words = of_module) {
    run_kernel launch;
    // What hipGetFuncBySymbol returns is a host function's address.
    found_kernel found = kernel_of(function);
    if (found.error != hipSuccess) {
        const found_kernel registered = kernel_of(static_cast<const void*>(function));
        found = registered.error == hipSuccess ? registered : found;
    }
    const hipError_t error = prepare(found, function, config, words, values, extra, launch);
    return error == hipSuccess ? submit(stream, std::move(launch)) : error;
}

// As many groups as the device has room for at the same time, which is what the groups of a
// cooperative launch count on.
hipError_t check_room(const found_kernel& found, const launch_config& config) {
    if (found.error != hipSuccess) {
        return found.error;
    }
    if (check_launch(*device(), *found.kernel, config) != launch_error::none) {
        return hipSuccess;  // the launch itself refuses it
    }
    const uint32_t threads = config.threads[0] * config.threads[1] * config.threads[2];
    const uint64_t groups = uint64_t{config.groups[0]} * config.groups[1] * config.groups[2];
    const bool fits = groups_per_unit(*device(), *found.kernel, threads, config.dynamic_lds) != 0;
    const uint64_t room = fits ? groups_in_progress(*device(), *found.kernel, config) : 0;
    return groups > room ? hipErrorCooperativeLaunchTooLarge : hipSuccess;
}

hipError_t launch_cooperative(const void* function, dim3 grid, dim3 block, void** values,
                              size_t dynamic_lds, hipStream_t stream) {
    if (!is_stream(stream)) {
        return hipErrorInvalidHandle;  // this function's own word for it, since HIP 7
    }
    const launch_config config{to_array(grid), to_array(block), dynamic_lds, {}};
    const hipError_t error = check_room(kernel_of_either(function), config);
    return error == hipSuccess ? launch_registered(function, grid, block, values, dynamic_lds,
                                                   stream, of_cooperative, true)
                               : error;
}

// Whether a launch with these attributes is cooperative. The other known ones are about caches,
// waiting, priorities and the order of memory, all of which change nothing here.
template <class Config>
hipError_t read_attributes(const Config* config, bool& is_cooperative) {
    if (config == nullptr || (config->attrs == nullptr && config->numAttrs != 0)) {
        return hipErrorInvalidValue;
    }
    for (const hipLaunchAttribute& a : std::span(config->attrs, config->numAttrs)) {
        if (a.id == hipLaunchAttributeCooperative) {
            is_cooperative = a.value.cooperative != 0;
        } else if (a.id != hipLaunchAttributeAccessPolicyWindow &&
                   a.id != hipLaunchAttributeSynchronizationPolicy &&
                   (a.id < hipLaunchAttributePriority || a.id > hipLaunchAttributeMemSyncDomain)) {
            complain("attribute %d of a launch is not supported", static_cast<int>(a.id));
            return hipErrorNotSupported;
        }
    }
    return hipSuccess;
}

// A launch between two events, each of which may be null.
template <class Launch>
hipError_t between(hipEvent_t start, hipEvent_t stop, hipStream_t stream, const Launch& launch) {
    if ((start != nullptr && !is_event(start)) || (stop != nullptr && !is_event(stop))) {
        return hipErrorInvalidValue;
    }
    if (start != nullptr) {
        record(start, stream, 0);
    }
    const hipError_t error = launch();
    if (stop != nullptr) {
        record(stop, stream, 0);
    }
    return error;
}

// Of a kernel that takes its size in work-items: whole groups of them.
hipError_t launch_items(hipFunction_t function, std::array<uint32_t, 3> items,
                        std::array<uint32_t, 3> threads, size_t dynamic_lds, hipStream_t stream,
                        void** values, void** extra, hipEvent_t start, hipEvent_t stop) {
    launch_config config{{}, threads, dynamic_lds, read_settings()};
    for (size_t d = 0; d < 3; ++d) {
        if (threads[d] == 0) {
            return hipErrorInvalidConfiguration;
        }
        if (items[d] % threads[d] != 0) {
            complain(
                "hipExtModuleLaunchKernel: %u work-items in groups of %u: groups that are not "
                "whole are not supported",
                items[d], threads[d]);
            return hipErrorNotSupported;
        }
        config.groups[d] = items[d] / threads[d];
    }
    return between(start, stop, stream, [&] {
        return launch_of_module(function, config, stream, values, extra, of_items);
    });
}

// Of launches in the old way, from hipConfigureCall on.
thread_local std::vector<std::byte> set_up_arguments;

// What hipFuncSetAttribute was told, else all that the kernel leaves. It is for who asks for it: a
// launch may use all LDS that there is.
uint32_t most_dynamic_lds(const found_kernel& f) {
    const state_lock lock(state().mutex);
    const auto found = f.object->most_dynamic_lds.find(f.kernel);
    return found != f.object->most_dynamic_lds.end()
               ? found->second
               : device()->lds_bytes -
                     std::min(device()->lds_bytes, f.kernel->descriptor.group_segment_fixed_size);
}

hipError_t value_of(const found_kernel& found, hipFunction_attribute attribute, int* value) {
    const kernel_info& kernel = *found.kernel;
    const auto lds = static_cast<int>(kernel.descriptor.group_segment_fixed_size);
    switch (attribute) {
        case HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
            *value = static_cast<int>(kernel.max_group_size != 0 ? kernel.max_group_size
                                                                 : max_group_threads);
            return hipSuccess;
        case HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
            *value = lds;
            return hipSuccess;
        case HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
            *value = static_cast<int>(kernel.descriptor.private_segment_fixed_size);
            return hipSuccess;
        case HIP_FUNC_ATTRIBUTE_NUM_REGS:
            *value = static_cast<int>(kernel.vgpr_count() + kernel.agpr_count());
            return hipSuccess;
        case HIP_FUNC_ATTRIBUTE_PTX_VERSION:
        case HIP_FUNC_ATTRIBUTE_BINARY_VERSION:
            *value = 90 + device()->minor_version;
            return hipSuccess;
        case HIP_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
        case HIP_FUNC_ATTRIBUTE_CACHE_MODE_CA:
        case HIP_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
            *value = 0;  // constants are variables, and there is one LDS
            return hipSuccess;
        case HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
            *value = static_cast<int>(most_dynamic_lds(found));
            return hipSuccess;
    }
    return hipErrorInvalidValue;
}

}  // namespace

hipError_t prepare_launch(const void* function, dim3 grid, dim3 block, size_t dynamic_lds,
                          void** values, void** extra, run_kernel& launch) {
    return prepare(kernel_of_either(function), function,
                   {to_array(grid), to_array(block), dynamic_lds, {}}, of_runtime, values, extra,
                   launch);
}

}  // namespace emu

using namespace emu;

#pragma GCC visibility push(default)
extern "C" {

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
    is_from_brackets = true;
    *grid = top.grid;
    *block = top.block;
    *dynamic_lds = top.dynamic_lds;
    *stream = top.stream;
    return hipSuccess;
}

hipError_t hipLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                           size_t dynamic_lds, hipStream_t stream) {
    return launched(launch_registered(function, grid, block, arguments, dynamic_lds, stream));
}

hipError_t hipLaunchKernel_spt(const void* function, dim3 grid, dim3 block, void** arguments,
                               size_t dynamic_lds, hipStream_t stream) {
    return launched(
        launch_registered(function, grid, block, arguments, dynamic_lds, per_thread(stream)));
}

// The flags say whether the launch may overtake others.
hipError_t hipExtLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                              size_t dynamic_lds, hipStream_t stream, hipEvent_t start,
                              hipEvent_t stop, int /*flags*/) {
    return returned(between(start, stop, stream, [&] {
        return launch_registered(function, grid, block, arguments, dynamic_lds, stream);
    }));
}

hipError_t hipModuleLaunchKernel(hipFunction_t function, unsigned grid_x, unsigned grid_y,
                                 unsigned grid_z, unsigned block_x, unsigned block_y,
                                 unsigned block_z, unsigned dynamic_lds, hipStream_t stream,
                                 void** values, void** extra) {
    const launch_config config{
        {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, dynamic_lds, read_settings()};
    if (grid_x > max_grid_x || grid_y > max_grid_yz || grid_z > max_grid_yz) {
        complain(
            "hipModuleLaunchKernel: %u x %u x %u groups; there are at most %u in x, %u in y and z",
            grid_x, grid_y, grid_z, max_grid_x, max_grid_yz);
        return returned(hipErrorInvalidValue);
    }
    return returned(launch_of_module(function, config, stream, values, extra));
}

hipError_t hipLaunchCooperativeKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                                      unsigned dynamic_lds, hipStream_t stream) {
    return returned(launch_cooperative(function, grid, block, arguments, dynamic_lds, stream));
}

hipError_t hipLaunchCooperativeKernel_spt(const void* function, dim3 grid, dim3 block,
                                          void** arguments, uint32_t dynamic_lds,
                                          hipStream_t stream) {
    return returned(
        launch_cooperative(function, grid, block, arguments, dynamic_lds, per_thread(stream)));
}

hipError_t hipModuleLaunchCooperativeKernel(hipFunction_t function, unsigned grid_x,
                                            unsigned grid_y, unsigned grid_z, unsigned block_x,
                                            unsigned block_y, unsigned block_z,
                                            unsigned dynamic_lds, hipStream_t stream,
                                            void** values) {
    launch_config config{
        {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, dynamic_lds, read_settings()};
    config.is_cooperative = true;
    const hipError_t error = check_room(kernel_of(function), config);
    return returned(
        error == hipSuccess ? launch_of_module(function, config, stream, values, nullptr) : error);
}

hipError_t hipLaunchKernelExC(const hipLaunchConfig_t* config, const void* function,
                              void** arguments) {
    bool is_cooperative = false;
    if (const hipError_t error = read_attributes(config, is_cooperative); error != hipSuccess) {
        return returned(error);
    }
    const auto launch = [&](auto how) {
        return how(function, config->gridDim, config->blockDim, arguments, config->dynamicSmemBytes,
                   config->stream);
    };
    return returned(is_cooperative ? launch(launch_cooperative)
                                   : launch([](auto... x) { return launch_registered(x...); }));
}

hipError_t hipDrvLaunchKernelEx(const HIP_LAUNCH_CONFIG* config, hipFunction_t function,
                                void** values, void** extra) {
    bool is_cooperative = false;
    if (const hipError_t error = read_attributes(config, is_cooperative); error != hipSuccess) {
        return returned(error);
    }
    launch_config sizes{to_array(config->gridDim), to_array(config->blockDim),
                        config->sharedMemBytes, read_settings()};
    sizes.is_cooperative = is_cooperative;
    const hipError_t error = is_cooperative ? check_room(kernel_of(function), sizes) : hipSuccess;
    return returned(error == hipSuccess
                        ? launch_of_module(function, sizes, config->hStream, values, extra)
                        : error);
}

// The flags say whether the launch may overtake others.
hipError_t hipExtModuleLaunchKernel(hipFunction_t function, uint32_t items_x, uint32_t items_y,
                                    uint32_t items_z, uint32_t block_x, uint32_t block_y,
                                    uint32_t block_z, size_t dynamic_lds, hipStream_t stream,
                                    void** values, void** extra, hipEvent_t start, hipEvent_t stop,
                                    uint32_t /*flags*/) {
    return returned(launch_items(function, {items_x, items_y, items_z}, {block_x, block_y, block_z},
                                 dynamic_lds, stream, values, extra, start, stop));
}

// The same without flags, and both under their names in C++.
[[gnu::alias(
    "hipExtModuleLaunchKernel")]] decltype(hipHccModuleLaunchKernel) hipHccModuleLaunchKernel;
[[gnu::alias("hipExtModuleLaunchKernel")]] decltype(hipExtModuleLaunchKernel)
    ext_module_launch_kernel __asm__(
        "_Z24hipExtModuleLaunchKernelP18ihipModuleSymbol_tjjjjjjmP12ihipStream_"
        "tPPvS4_P11ihipEvent_tS6_j");
[[gnu::alias("hipExtModuleLaunchKernel")]] decltype(hipHccModuleLaunchKernel)
    hcc_module_launch_kernel __asm__(
        "_Z24hipHccModuleLaunchKernelP18ihipModuleSymbol_tjjjjjjmP12ihipStream_"
        "tPPvS4_P11ihipEvent_tS6_");

// ---- the way of HIP 1: a configuration, the arguments one by one, then the launch ----

hipError_t hipConfigureCall(dim3 grid, dim3 block, size_t dynamic_lds, hipStream_t stream) {
    call_configurations.push_back({grid, block, dynamic_lds, stream});
    set_up_arguments.clear();
    return returned(hipSuccess);
}

hipError_t hipSetupArgument(const void* value, size_t bytes, size_t offset) {
    constexpr size_t most_bytes = 1u << 16;
    if (value == nullptr || bytes > most_bytes || offset > most_bytes - bytes) {
        return returned(hipErrorInvalidValue);
    }
    set_up_arguments.resize(std::max(set_up_arguments.size(), offset + bytes));
    std::memcpy(set_up_arguments.data() + offset, value, bytes);
    return returned(hipSuccess);
}

hipError_t hipLaunchByPtr(const void* function) {
    if (function == nullptr) {
        return returned(hipErrorInvalidDeviceFunction);
    }
    if (call_configurations.empty()) {
        return returned(hipErrorMissingConfiguration);
    }
    const call_configuration top = call_configurations.back();
    call_configurations.pop_back();
    size_t bytes = set_up_arguments.size();
    void* extra[] = {reinterpret_cast<void*>(launch_param_buffer_pointer), set_up_arguments.data(),
                     reinterpret_cast<void*>(launch_param_buffer_size), &bytes,
                     reinterpret_cast<void*>(launch_param_end)};
    run_kernel launch;
    const hipError_t error =
        prepare_launch(function, top.grid, top.block, top.dynamic_lds, nullptr, extra, launch);
    return returned(error == hipSuccess ? submit(top.stream, std::move(launch)) : error);
}

// ---- attributes of functions ----

hipError_t hipFuncSetAttribute(const void* function, hipFuncAttribute attribute, int value) {
    const found_kernel found = kernel_of_either(function);
    if (found.error != hipSuccess) {
        return returned(found.error);
    }
    if (attribute == hipFuncAttributePreferredSharedMemoryCarveout && value >= -1 && value <= 100) {
        return returned(hipSuccess);  // a hint
    }
    if (attribute != hipFuncAttributeMaxDynamicSharedMemorySize || value < 0) {
        return returned(hipErrorInvalidValue);
    }
    const auto bytes = static_cast<uint32_t>(value);
    if (uint64_t{found.kernel->descriptor.group_segment_fixed_size} + bytes > device()->lds_bytes) {
        complain_about_lds(*found.kernel, bytes);
        return returned(hipErrorInvalidValue);
    }
    const state_lock lock(state().mutex);
    found.object->most_dynamic_lds[found.kernel] = bytes;
    return returned(hipSuccess);
}

// Hints about a cache and about LDS of which these devices have one kind.
hipError_t hipFuncSetCacheConfig(const void* function, hipFuncCache_t config) {
    if (config < hipFuncCachePreferNone || config > hipFuncCachePreferEqual) {
        return returned(hipErrorInvalidValue);
    }
    return returned(kernel_of_either(function).error);
}

hipError_t hipFuncSetSharedMemConfig(const void* function, hipSharedMemConfig config) {
    if (config < hipSharedMemBankSizeDefault || config > hipSharedMemBankSizeEightByte) {
        return returned(hipErrorInvalidValue);
    }
    return returned(kernel_of_either(function).error);
}

hipError_t hipFuncGetAttribute(int* value, hipFunction_attribute attribute,
                               hipFunction_t function) {
    if (value == nullptr) {
        return returned(hipErrorInvalidValue);
    }
    const found_kernel found = kernel_of_either(function);
    if (found.error != hipSuccess) {
        return returned(hipErrorInvalidHandle);
    }
    return returned(value_of(found, attribute, value));
}

hipError_t hipFuncGetAttributes(hipFuncAttributes* attributes, const void* function) {
    if (attributes == nullptr) {
        return returned(hipErrorInvalidValue);
    }
    const found_kernel found = kernel_of_either(function);
    if (found.error != hipSuccess) {
        return returned(hipErrorInvalidDeviceFunction);
    }
    const auto value = [&](hipFunction_attribute attribute) {
        int v = 0;
        value_of(found, attribute, &v);
        return v;
    };
    const auto bytes = [&](hipFunction_attribute attribute) {
        return static_cast<size_t>(value(attribute));
    };
    *attributes = {value(HIP_FUNC_ATTRIBUTE_BINARY_VERSION),
                   value(HIP_FUNC_ATTRIBUTE_CACHE_MODE_CA),
                   bytes(HIP_FUNC_ATTRIBUTE_CONST_SIZE_BYTES),
                   bytes(HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES),
                   value(HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES),
                   value(HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK),
                   value(HIP_FUNC_ATTRIBUTE_NUM_REGS),
                   value(HIP_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT),
                   value(HIP_FUNC_ATTRIBUTE_PTX_VERSION),
                   bytes(HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)};
    return returned(hipSuccess);
}

// The handle is the host function's address: all that takes a handle takes it.
hipError_t hipGetFuncBySymbol(hipFunction_t* handle, const void* function) {
    if (handle == nullptr) {
        return returned(hipErrorInvalidValue);
    }
    const found_kernel found = kernel_of(function);
    if (found.error != hipSuccess) {
        return returned(found.error);
    }
    *handle = static_cast<hipFunction_t>(const_cast<void*>(function));
    return returned(hipSuccess);
}

}  // extern "C"

#pragma GCC visibility pop
