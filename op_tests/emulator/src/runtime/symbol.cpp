// Variables of device code, by the host's variable that was registered for them.

#include "runtime/operation.hpp"
#include "runtime/runtime.hpp"

namespace emu {

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

hipError_t copy_to_variable(const void* variable, const void* from, size_t bytes, size_t offset,
                            hipMemcpyKind kind, copy_rows& c) {
    if (kind == hipMemcpyHostToHost || kind == hipMemcpyDeviceToHost) {
        return hipErrorInvalidMemcpyDirection;
    }
    void* to = nullptr;
    const hipError_t error = part_of_variable(variable, offset, bytes, &to);
    c = copy_line(to, from, bytes, kind);
    return error;
}

hipError_t copy_from_variable(void* to, const void* variable, size_t bytes, size_t offset,
                              hipMemcpyKind kind, copy_rows& c) {
    if (kind == hipMemcpyHostToHost || kind == hipMemcpyHostToDevice) {
        return hipErrorInvalidMemcpyDirection;
    }
    void* from = nullptr;
    const hipError_t error = part_of_variable(variable, offset, bytes, &from);
    c = copy_line(to, from, bytes, kind);
    return error;
}

namespace {

hipError_t write_variable(const void* variable, const void* from, size_t bytes, size_t offset,
                          hipMemcpyKind kind, hipStream_t stream,
                          const char* call = __builtin_FUNCTION()) {
    copy_rows c;
    const hipError_t error = copy_to_variable(variable, from, bytes, offset, kind, c);
    return returned(error == hipSuccess ? submit(stream, c) : error, call);
}

hipError_t read_variable(void* to, const void* variable, size_t bytes, size_t offset,
                         hipMemcpyKind kind, hipStream_t stream,
                         const char* call = __builtin_FUNCTION()) {
    copy_rows c;
    const hipError_t error = copy_from_variable(to, variable, bytes, offset, kind, c);
    return returned(error == hipSuccess ? submit(stream, c) : error, call);
}

}  // namespace
}  // namespace emu

using namespace emu;

#pragma GCC visibility push(default)
extern "C" {

hipError_t hipMemcpyToSymbol(const void* variable, const void* from, size_t bytes, size_t offset,
                             hipMemcpyKind kind) {
    return write_variable(variable, from, bytes, offset, kind, nullptr);
}

hipError_t hipMemcpyToSymbol_spt(const void* variable, const void* from, size_t bytes,
                                 size_t offset, hipMemcpyKind kind) {
    return write_variable(variable, from, bytes, offset, kind, per_thread(nullptr));
}

hipError_t hipMemcpyToSymbolAsync(const void* variable, const void* from, size_t bytes,
                                  size_t offset, hipMemcpyKind kind, hipStream_t stream) {
    return write_variable(variable, from, bytes, offset, kind, stream);
}

hipError_t hipMemcpyToSymbolAsync_spt(const void* variable, const void* from, size_t bytes,
                                      size_t offset, hipMemcpyKind kind, hipStream_t stream) {
    return write_variable(variable, from, bytes, offset, kind, per_thread(stream));
}

hipError_t hipMemcpyFromSymbol(void* to, const void* variable, size_t bytes, size_t offset,
                               hipMemcpyKind kind) {
    return read_variable(to, variable, bytes, offset, kind, nullptr);
}

hipError_t hipMemcpyFromSymbol_spt(void* to, const void* variable, size_t bytes, size_t offset,
                                   hipMemcpyKind kind) {
    return read_variable(to, variable, bytes, offset, kind, per_thread(nullptr));
}

hipError_t hipMemcpyFromSymbolAsync(void* to, const void* variable, size_t bytes, size_t offset,
                                    hipMemcpyKind kind, hipStream_t stream) {
    return read_variable(to, variable, bytes, offset, kind, stream);
}

hipError_t hipMemcpyFromSymbolAsync_spt(void* to, const void* variable, size_t bytes, size_t offset,
                                        hipMemcpyKind kind, hipStream_t stream) {
    return read_variable(to, variable, bytes, offset, kind, per_thread(stream));
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
