// Launches: of registered kernels and of those of a module, and attributes of functions.

#include <cxxabi.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "machine/launch.hpp"
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

std::array<uint32_t, 3> to_array(dim3 d) {
    return {d.x, d.y, d.z};
}

std::string demangled(const std::string& name) {
    int status = 0;
    const std::unique_ptr<char, void (*)(void*)> text(
        abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), std::free);
    return status == 0 ? text.get() : name;
}

// What HIP answers to a launch with these dimensions, with a message where it is the kernel that
// does not take them.
hipError_t checked(const kernel_info& kernel, const launch_config& config) {
    const hipError_t error = check_launch(*device(), kernel, config);
    if (error == hipErrorLaunchFailure) {
        complain(
            "kernel %s: a group of %u x %u x %u = %u threads; the kernel was compiled for at "
            "most %u (__launch_bounds__)",
            demangled(kernel.name).c_str(), config.threads[0], config.threads[1], config.threads[2],
            config.threads[0] * config.threads[1] * config.threads[2], kernel.max_group_size);
    }
    return error;
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
    if (const hipError_t error = checked(*found.kernel, config); error != hipSuccess) {
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

hipError_t launch_module_kernel(hipFunction_t function, const launch_config& config,
                                hipStream_t stream, void** values, void** extra) {
    const found_kernel found = kernel_of(function);
    if (found.error != hipSuccess) {
        return found.error;
    }
    const kernel_info& kernel = *found.kernel;
    if (const hipError_t error = checked(kernel, config); error != hipSuccess) {
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
        if (error != hipSuccess || (takes_arguments(kernel) && (!buffer || bytes == 0)) ||
            !has_arguments(kernel, bytes)) {
            return hipErrorInvalidValue;
        }
        arguments = pack_arguments(kernel, buffer);
    }
    return run_kernel(found, config, stream, arguments);
}

}  // namespace
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

hipError_t hipModuleLaunchKernel(hipFunction_t function, unsigned grid_x, unsigned grid_y,
                                 unsigned grid_z, unsigned block_x, unsigned block_y,
                                 unsigned block_z, unsigned dynamic_lds, hipStream_t stream,
                                 void** values, void** extra) {
    const launch_config config{
        {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, dynamic_lds, read_settings()};
    return returned(launch_module_kernel(function, config, stream, values, extra));
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

}  // extern "C"
#pragma GCC visibility pop
