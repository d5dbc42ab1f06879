// Registration, called from constructors that clang generates.

#include <cstring>
#include <memory>
#include <new>
#include <string>

#include "machine/memory.hpp"
#include "runtime/runtime.hpp"

namespace emu {
namespace {

// Gives the code object the addresses of the managed variables.
hipError_t set_managed(const fat_binary& binary) {
    for (const auto& [name, memory] : binary.managed) {
        const auto variable = binary.object->find_variable(name);
        if (!variable || variable->size != sizeof memory) {
            complain("the code object for %s has no pointer for the managed variable %s",
                     target_name(device()->target), name.c_str());
            return hipErrorInvalidSymbol;
        }
        std::memcpy(reinterpret_cast<void*>(variable->address), static_cast<const void*>(&memory),
                    sizeof memory);
    }
    return hipSuccess;
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
        binary.load_result = set_managed(binary);
    } catch (const load_error& e) {
        complain("%s", e.what());
        binary.load_result = error_of(e);
    } catch (const std::bad_alloc&) {
        return hipErrorOutOfMemory;
    }
    return binary.load_result;
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

}  // namespace

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

found_variable variable_of(const void* host_variable) {
    runtime_state& s = state();
    const state_lock lock(s.mutex);
    const auto found = s.variables.find(host_variable);
    if (found == s.variables.end()) {
        // A managed variable: its address on the host is that of its memory.
        const auto managed = s.allocations.find(reinterpret_cast<uintptr_t>(host_variable));
        if (managed != s.allocations.end() && managed->second.use == memory_use::variable) {
            return {hipSuccess, {managed->first, managed->second.bytes}};
        }
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

}  // namespace emu

using namespace emu;

#pragma GCC visibility push(default)
extern "C" {

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
    if (binary == nullptr) {
        return;
    }
    runtime_state& s = state();
    const state_lock lock(s.mutex);
    const auto belongs = [&](const auto& entry) { return entry.second.binary == binary; };
    std::erase_if(s.functions, belongs);
    std::erase_if(s.variables, belongs);
    for (const auto& managed : binary->managed) {
        s.allocations.erase(reinterpret_cast<uintptr_t>(managed.second));
        release(managed.second, memory_kind::managed);
    }
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

// The host and the device find the variable through a pointer each.
void __hipRegisterManagedVar(void** handle, void** pointer, void* initial, const char* name,
                             size_t bytes, unsigned /*alignment*/) {
    if (handle == nullptr || pointer == nullptr || bytes == 0) {
        return;
    }
    runtime_state& s = state();
    const state_lock lock(s.mutex);
    void* memory = allocate(bytes, memory_kind::managed);  // aligned to a page
    if (memory == nullptr) {
        complain("__hipRegisterManagedVar: no memory for %s, %zu bytes", name, bytes);
        return;
    }
    std::memcpy(memory, initial, bytes);
    *pointer = memory;
    s.allocations[reinterpret_cast<uintptr_t>(memory)] = {bytes, memory_use::variable, 0, nullptr,
                                                          ++s.last_allocation};
    reinterpret_cast<fat_binary*>(handle)->managed.emplace_back(name, memory);
}

void __hipRegisterTexture(void** handle, const void* /*variable*/, const char* /*host_name*/,
                          const char* name, int /*kind*/, int /*normalised*/, int /*is_extern*/) {
    refuse_binary(handle, "__hipRegisterTexture: textures", name);
}

void __hipRegisterSurface(void** handle, const void* /*variable*/, const char* /*host_name*/,
                          const char* name, int /*kind*/, int /*is_extern*/) {
    refuse_binary(handle, "__hipRegisterSurface: surfaces", name);
}

}  // extern "C"
#pragma GCC visibility pop
