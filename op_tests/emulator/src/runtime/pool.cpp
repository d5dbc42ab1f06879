// Memory pools: names under which memory is counted. They keep nothing back.

#include <algorithm>
#include <memory>

#include "runtime/runtime.hpp"

namespace emu {
namespace {

hipMemPool_t default_pool() {
    static ihipMemPoolHandle_t& pool = *new ihipMemPoolHandle_t;
    return &pool;
}

// @pre the state is locked
hipMemPool_t current_pool() {
    return state().current_pool != nullptr ? state().current_pool : default_pool();
}

// @pre the state is locked
bool is_pool(hipMemPool_t pool) {
    return pool == default_pool() || state().pools.contains(pool);
}

// @pre the state is locked
hipError_t check_stream(hipStream_t stream, const char* doing) {
    ihipStream_t* found = find_stream(stream);
    if (found == nullptr) {
        return hipErrorContextIsDestroyed;
    }
    if (found->captured != nullptr) {
        complain("%s memory in a stream that is captured is not supported", doing);
    }
    return check_not_captured(*found);
}

hipError_t allocate_from(void** pointer, size_t bytes, hipMemPool_t pool, hipStream_t stream) {
    {
        const state_lock lock(state().mutex);
        if (const hipError_t error = check_stream(stream, "allocating"); error != hipSuccess) {
            return error;
        }
        if (pool == nullptr) {
            pool = current_pool();
        } else if (!is_pool(pool)) {
            return hipErrorInvalidValue;
        }
    }
    return allocate_to(pointer, bytes, memory_use::device, 0, pool);
}

}  // namespace
}  // namespace emu

using namespace emu;

#pragma GCC visibility push(default)
extern "C" {

hipError_t hipMallocAsync(void** pointer, size_t bytes, hipStream_t stream) {
    return returned(allocate_from(pointer, bytes, nullptr, stream));
}

hipError_t hipMallocFromPoolAsync(void** pointer, size_t bytes, hipMemPool_t pool,
                                  hipStream_t stream) {
    return returned(pool == nullptr ? hipErrorInvalidValue
                                    : allocate_from(pointer, bytes, pool, stream));
}

hipError_t hipFreeAsync(void* pointer, hipStream_t stream) {
    {
        const state_lock lock(state().mutex);
        if (const hipError_t error = check_stream(stream, "freeing"); error != hipSuccess) {
            return returned(error);
        }
    }
    return returned(free_memory(pointer));
}

hipError_t hipMemPoolCreate(hipMemPool_t* pool, const hipMemPoolProps* properties) {
    if (const hipError_t error = check_unsafe(); error != hipSuccess) {
        return returned(error);
    }
    if (pool == nullptr || properties == nullptr ||
        properties->allocType != hipMemAllocationTypePinned ||
        properties->location.type != hipMemLocationTypeDevice ||
        check_device(properties->location.id) != hipSuccess) {
        return returned(hipErrorInvalidValue);
    }
    if (properties->handleTypes != hipMemHandleTypeNone) {
        complain("hipMemPoolCreate: handles for other processes are not supported");
        return returned(hipErrorNotSupported);
    }
    const state_lock lock(state().mutex);
    auto made = std::make_unique<ihipMemPoolHandle_t>();
    *pool = made.get();
    state().pools[*pool] = std::move(made);
    return returned(hipSuccess);
}

// What was allocated from it stays until it is freed.
hipError_t hipMemPoolDestroy(hipMemPool_t pool) {
    if (const hipError_t error = check_unsafe(); error != hipSuccess) {
        return returned(error);
    }
    runtime_state& s = state();
    const state_lock lock(s.mutex);
    if (!s.pools.contains(pool)) {
        return returned(hipErrorInvalidValue);
    }
    for (auto& [begin, a] : s.allocations) {
        if (a.pool == pool) {
            a.pool = nullptr;
        }
    }
    if (s.current_pool == pool) {
        s.current_pool = nullptr;
    }
    s.pools.erase(pool);
    return returned(hipSuccess);
}

hipError_t hipDeviceGetDefaultMemPool(hipMemPool_t* pool, int number) {
    return give(pool, default_pool(), check_device(number));
}

hipError_t hipDeviceGetMemPool(hipMemPool_t* pool, int number) {
    if (pool == nullptr) {
        return returned(hipErrorInvalidValue);
    }
    if (check_device(number) != hipSuccess) {
        return returned(hipErrorInvalidValue);
    }
    const state_lock lock(state().mutex);
    *pool = current_pool();
    return returned(hipSuccess);
}

hipError_t hipDeviceSetMemPool(int number, hipMemPool_t pool) {
    if (const hipError_t error = check_unsafe(); error != hipSuccess) {
        return returned(error);
    }
    const state_lock lock(state().mutex);
    if (check_device(number) != hipSuccess || !is_pool(pool)) {
        return returned(hipErrorInvalidValue);
    }
    state().current_pool = pool;
    return returned(hipSuccess);
}

// There is nothing to give back.
hipError_t hipMemPoolTrimTo(hipMemPool_t pool, size_t /*bytes_to_keep*/) {
    const state_lock lock(state().mutex);
    return returned(is_pool(pool) ? hipSuccess : hipErrorInvalidValue);
}

hipError_t hipMemPoolGetAttribute(hipMemPool_t pool, hipMemPoolAttr attribute, void* value) {
    const state_lock lock(state().mutex);
    if (!is_pool(pool) || value == nullptr) {
        return returned(hipErrorInvalidValue);
    }
    switch (attribute) {
        case hipMemPoolReuseFollowEventDependencies:
        case hipMemPoolReuseAllowOpportunistic:
        case hipMemPoolReuseAllowInternalDependencies:
            *static_cast<int*>(value) = pool->reuse[attribute - 1];
            return returned(hipSuccess);
        case hipMemPoolAttrReleaseThreshold:
            *static_cast<uint64_t*>(value) = pool->release_threshold;
            return returned(hipSuccess);
        case hipMemPoolAttrReservedMemCurrent:
        case hipMemPoolAttrUsedMemCurrent:
            *static_cast<uint64_t*>(value) = pool->used;
            return returned(hipSuccess);
        case hipMemPoolAttrReservedMemHigh:
        case hipMemPoolAttrUsedMemHigh:
            *static_cast<uint64_t*>(value) = pool->used_high;
            return returned(hipSuccess);
    }
    return returned(hipErrorInvalidValue);
}

// Reuse and threshold are kept for who asks for them; they are about time.
hipError_t hipMemPoolSetAttribute(hipMemPool_t pool, hipMemPoolAttr attribute, void* value) {
    const state_lock lock(state().mutex);
    if (!is_pool(pool) || value == nullptr) {
        return returned(hipErrorInvalidValue);
    }
    switch (attribute) {
        case hipMemPoolReuseFollowEventDependencies:
        case hipMemPoolReuseAllowOpportunistic:
        case hipMemPoolReuseAllowInternalDependencies:
            pool->reuse[attribute - 1] = *static_cast<const int*>(value);
            return returned(hipSuccess);
        case hipMemPoolAttrReleaseThreshold:
            pool->release_threshold = *static_cast<const uint64_t*>(value);
            return returned(hipSuccess);
        case hipMemPoolAttrReservedMemHigh:
        case hipMemPoolAttrUsedMemHigh:
            // A high mark can be reset and nothing else.
            if (*static_cast<const uint64_t*>(value) != 0) {
                return returned(hipErrorInvalidValue);
            }
            pool->used_high = pool->used;
            return returned(hipSuccess);
        default:
            return returned(hipErrorInvalidValue);
    }
}

// The one device has access, and that cannot be taken from it.
hipError_t hipMemPoolSetAccess(hipMemPool_t pool, const hipMemAccessDesc* access, size_t count) {
    const state_lock lock(state().mutex);
    if (!is_pool(pool) || (count != 0 && access == nullptr)) {
        return returned(hipErrorInvalidValue);
    }
    if (count > 1) {
        return returned(hipErrorInvalidDevice);  // more places than devices
    }
    if (count == 1 && access->location.type == hipMemLocationTypeDevice &&
        (access->location.id != 0 || access->flags == hipMemAccessFlagsProtNone)) {
        return returned(hipErrorInvalidDevice);  // another one, or none for its own
    }
    if (count == 1 && (access->location.type != hipMemLocationTypeDevice ||
                       access->flags != hipMemAccessFlagsProtReadWrite)) {
        return returned(hipErrorInvalidValue);
    }
    return returned(hipSuccess);
}

hipError_t hipMemPoolGetAccess(hipMemAccessFlags* flags, hipMemPool_t pool,
                               hipMemLocation* location) {
    const state_lock lock(state().mutex);
    if (flags == nullptr || !is_pool(pool) || location == nullptr ||
        location->type != hipMemLocationTypeDevice || location->id != 0) {
        return returned(hipErrorInvalidValue);
    }
    *flags = hipMemAccessFlagsProtReadWrite;
    return returned(hipSuccess);
}

}  // extern "C"
#pragma GCC visibility pop
