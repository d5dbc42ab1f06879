// Variables of device code, by the host's variable that was registered for them.

#include "runtime/runtime.hpp"

namespace emu {
namespace {

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

}  // namespace
}  // namespace emu

using namespace emu;

#pragma GCC visibility push(default)
extern "C" {

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
    return returned(copy(to, from, bytes, kind));
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
    return returned(copy(to, from, bytes, kind));
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

}  // extern "C"
#pragma GCC visibility pop
