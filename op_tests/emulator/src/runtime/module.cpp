// Modules: code objects that a program loads itself.

#include <filesystem>
#include <fstream>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <system_error>
#include <vector>

#include "loader/bundle.hpp"
#include "runtime/runtime.hpp"

namespace emu {
namespace {

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

}  // namespace

found_kernel kernel_of(hipFunction_t function) {
    runtime_state& s = state();
    const state_lock lock(s.mutex);
    if (!s.module_functions.contains(function)) {
        return {hipErrorInvalidHandle, nullptr, nullptr};
    }
    return {hipSuccess, function->object, function->kernel};
}

std::span<const std::byte> bytes_at(const void* image) {
    const std::span<const std::byte> readable = readable_bytes(image);
    return readable.first(image_size(readable));
}

hipError_t error_of(const load_error& e) {
    return e.reason == load_error::reason_t::no_image ? hipErrorNoBinaryForGpu
                                                      : hipErrorInvalidImage;
}

}  // namespace emu

using namespace emu;

#pragma GCC visibility push(default)
extern "C" {

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
    if (module == nullptr || path == nullptr || *path == 0) {
        return returned(hipErrorInvalidValue);
    }
    if (device() == nullptr) {
        return returned(hipErrorNoDevice);
    }
    std::ifstream file(path, std::ios::binary);
    if (!file) {
        return returned(hipErrorFileNotFound);
    }
    std::error_code error;
    const uintmax_t bytes = std::filesystem::file_size(path, error);
    if (error) {
        return returned(hipErrorInvalidImage);  // a pipe, a directory
    }
    try {
        std::vector<char> contents(bytes);
        file.read(contents.data(), static_cast<std::streamsize>(bytes));
        contents.resize(static_cast<size_t>(file.gcount()));
        return returned(load_module(module, std::as_bytes(std::span(contents))));
    } catch (const std::bad_alloc&) {
        return returned(hipErrorOutOfMemory);
    }
}

// The options are those of a compiler for device code, which a code object does not need.
[[gnu::alias("hipModuleLoadData")]] decltype(hipModuleLoadDataEx) hipModuleLoadDataEx;

hipError_t hipModuleUnload(hipModule_t module) {
    runtime_state& s = state();
    const state_lock lock(s.mutex);
    const auto found = s.modules.find(module);
    if (found == s.modules.end()) {
        return returned(module == nullptr ? hipErrorInvalidHandle : hipErrorNotFound);
    }
    for (const auto& function : found->second->functions) {
        s.module_functions.erase(function.second.get());
    }
    s.modules.erase(found);
    return returned(hipSuccess);
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
    return returned(hipSuccess);
}

hipError_t hipModuleGetFunctionCount(unsigned* count, hipModule_t module) {
    const state_lock lock(state().mutex);
    if (count == nullptr || !state().modules.contains(module)) {
        return returned(count == nullptr ? hipErrorInvalidValue : hipErrorInvalidHandle);
    }
    *count = static_cast<unsigned>(module->object.kernels().size());
    return hipSuccess;
}

hipError_t hipModuleGetGlobal(hipDeviceptr_t* pointer, size_t* bytes, hipModule_t module,
                              const char* name) {
    if (name == nullptr || *name == 0 || (pointer == nullptr && bytes == nullptr)) {
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
    return returned(hipSuccess);
}

// A library is a module, and its kernels are functions. What is behind the first two parameters are
// options of a compiler, and of how long the code is kept.
[[gnu::alias("hipModuleLoadData")]] decltype(hipLibraryLoadData) hipLibraryLoadData;
[[gnu::alias("hipModuleLoad")]] decltype(hipLibraryLoadFromFile) hipLibraryLoadFromFile;
[[gnu::alias("hipModuleUnload")]] decltype(hipLibraryUnload) hipLibraryUnload;
[[gnu::alias("hipModuleGetFunction")]] decltype(hipLibraryGetKernel) hipLibraryGetKernel;
[[gnu::alias(
    "hipModuleGetFunctionCount")]] decltype(hipLibraryGetKernelCount) hipLibraryGetKernelCount;

}  // extern "C"
#pragma GCC visibility pop
