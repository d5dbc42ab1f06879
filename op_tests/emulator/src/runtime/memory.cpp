// Memory: allocating and freeing it.

#include "machine/memory.hpp"
#include "runtime/runtime.hpp"

namespace emu {
namespace {

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

}  // namespace
}  // namespace emu

using namespace emu;

#pragma GCC visibility push(default)
extern "C" {

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

}  // extern "C"
#pragma GCC visibility pop
