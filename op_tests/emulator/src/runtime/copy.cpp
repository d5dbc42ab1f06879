// Copying and filling memory.

#include <cstring>

#include "machine/memory.hpp"
#include "runtime/runtime.hpp"

namespace emu {
namespace {

uint64_t address_of(const void* pointer) {
    return reinterpret_cast<uintptr_t>(pointer);
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

}  // namespace

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

}  // namespace emu

using namespace emu;

#pragma GCC visibility push(default)
extern "C" {

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

}  // extern "C"
#pragma GCC visibility pop
