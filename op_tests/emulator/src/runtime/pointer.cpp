// What is known about pointers.

#include <cstring>

#include "runtime/runtime.hpp"

namespace emu {
namespace {

hipMemoryType type_of(memory_use use) {
    switch (use) {
        case memory_use::device:
            return hipMemoryTypeDevice;
        case memory_use::host:
        case memory_use::registered:
            return hipMemoryTypeHost;
        case memory_use::managed:
        case memory_use::variable:
            break;
    }
    return hipMemoryTypeManaged;
}

template <class T>
hipError_t give(void* to, T value) {
    std::memcpy(to, static_cast<const void*>(&value), sizeof value);
    return hipSuccess;
}

hipError_t attribute_of(void* to, hipPointer_attribute attribute, void* pointer) {
    const auto found = find_allocation(pointer);
    if (to != nullptr && !found && attribute == HIP_POINTER_ATTRIBUTE_MEMORY_TYPE) {
        return give(to, static_cast<uint32_t>(hipMemoryTypeUnregistered));
    }
    if (to == nullptr || !found) {
        return hipErrorInvalidValue;
    }
    const hipMemoryType type = type_of(found->use);
    switch (attribute) {
        case HIP_POINTER_ATTRIBUTE_MEMORY_TYPE:
            return give(to, static_cast<uint32_t>(type));
        case HIP_POINTER_ATTRIBUTE_DEVICE_POINTER:
            return give(to, pointer);
        case HIP_POINTER_ATTRIBUTE_HOST_POINTER:
            // Memory of the device has none, although it is memory of the host here.
            return type == hipMemoryTypeDevice ? hipErrorInvalidValue : give(to, pointer);
        case HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS:
            return give<uint32_t>(to, 1);  // copies never return before they are done
        case HIP_POINTER_ATTRIBUTE_BUFFER_ID:
            return give<uint64_t>(to, found->id);
        case HIP_POINTER_ATTRIBUTE_IS_MANAGED:
            return give<uint32_t>(to, type == hipMemoryTypeManaged ? 1 : 0);
        case HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
            return give<int>(to, 0);
        case HIP_POINTER_ATTRIBUTE_RANGE_START_ADDR:
            return give(to, reinterpret_cast<void*>(found->begin));
        case HIP_POINTER_ATTRIBUTE_RANGE_SIZE:
            return give<size_t>(to, found->bytes);
        case HIP_POINTER_ATTRIBUTE_MAPPED:
            return give<uint32_t>(to, 1);
        case HIP_POINTER_ATTRIBUTE_CONTEXT:
            break;
    }
    constexpr int last = 17;  // the pool's handle
    if (attribute < HIP_POINTER_ATTRIBUTE_CONTEXT || attribute > last) {
        return hipErrorInvalidValue;
    }
    complain("attribute %d of a pointer is not supported", static_cast<int>(attribute));
    return hipErrorNotSupported;
}

}  // namespace
}  // namespace emu

using namespace emu;

#pragma GCC visibility push(default)
extern "C" {

hipError_t hipPointerGetAttributes(hipPointerAttribute_t* attributes, const void* pointer) {
    if (attributes == nullptr) {
        return returned(hipSuccess);  // since HIP 7
    }
    *attributes = {};
    const auto found = find_allocation(pointer);
    if (!found) {  // memory that HIP does not know, which is no mistake since ROCm 6
        attributes->type = hipMemoryTypeUnregistered;
        attributes->device = -2;
        return returned(hipSuccess);
    }
    void* same = const_cast<void*>(pointer);
    attributes->type = type_of(found->use);
    attributes->devicePointer = same;
    attributes->hostPointer = attributes->type == hipMemoryTypeDevice ? nullptr : same;
    attributes->isManaged = attributes->type == hipMemoryTypeManaged ? 1 : 0;
    attributes->allocationFlags = found->flags;
    return returned(hipSuccess);
}

hipError_t hipPointerGetAttribute(void* value, hipPointer_attribute attribute,
                                  hipDeviceptr_t pointer) {
    return returned(attribute_of(value, attribute, pointer));
}

// What is not known about the pointer becomes zero, all of it if the pointer is not known.
hipError_t hipDrvPointerGetAttributes(unsigned count, hipPointer_attribute* attributes,
                                      void** values, hipDeviceptr_t pointer) {
    if (count == 0 || attributes == nullptr || values == nullptr) {
        return returned(hipErrorInvalidValue);
    }
    for (unsigned n = 0; n < count; ++n) {
        const hipError_t error = attribute_of(values[n], attributes[n], pointer);
        if (error == hipErrorNotSupported || values[n] == nullptr) {
            return returned(error);
        }
        if (error == hipSuccess) {
            continue;
        }
        const bool is_wide = attributes[n] == HIP_POINTER_ATTRIBUTE_DEVICE_POINTER ||
                             attributes[n] == HIP_POINTER_ATTRIBUTE_HOST_POINTER ||
                             attributes[n] == HIP_POINTER_ATTRIBUTE_BUFFER_ID ||
                             attributes[n] == HIP_POINTER_ATTRIBUTE_RANGE_START_ADDR ||
                             attributes[n] == HIP_POINTER_ATTRIBUTE_RANGE_SIZE;
        std::memset(values[n], 0, is_wide ? 8 : 4);
    }
    return returned(hipSuccess);
}

// Only whether copies wait, and they do.
hipError_t hipPointerSetAttribute(const void* value, hipPointer_attribute attribute,
                                  hipDeviceptr_t pointer) {
    if (value == nullptr || pointer == nullptr || attribute != HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS) {
        return returned(hipErrorInvalidValue);
    }
    return returned(find_allocation(pointer) ? hipSuccess : hipErrorInvalidDevicePointer);
}

}  // extern "C"
#pragma GCC visibility pop
