// Memory: allocating, registering and freeing it.

#include "machine/memory.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <map>
#include <ranges>
#include <utility>
#include <vector>

#include "runtime/operation.hpp"
#include "runtime/runtime.hpp"

namespace emu {
namespace {

memory_kind kind_of(memory_use use) {
    switch (use) {
        case memory_use::host:
            return memory_kind::host;
        case memory_use::managed:
        case memory_use::variable:
            return memory_kind::managed;
        default:
            return memory_kind::device;
    }
}

uintptr_t number_of(const void* pointer) {
    return reinterpret_cast<uintptr_t>(pointer);
}

// @pre the state is locked
bool overlaps_allocation(uintptr_t begin, size_t bytes) {
    const auto& all = state().allocations;
    const auto after = all.lower_bound(begin + bytes);
    if (after == all.begin()) {
        return false;
    }
    const auto& [last, a] = *std::prev(after);
    return last + a.bytes > begin;
}

void give_back_to_pool(const allocation& a) {
    if (a.pool != nullptr) {
        a.pool->used -= a.bytes;
    }
}

hipError_t free_of(void* pointer, bool of_host) {
    if (pointer == nullptr || has_failed()) {
        return hipSuccess;
    }
    runtime_state& s = state();
    const state_lock lock(s.mutex);
    const auto found = s.allocations.find(number_of(pointer));
    if (found == s.allocations.end() || found->second.use == memory_use::registered ||
        found->second.use == memory_use::variable ||
        (found->second.use == memory_use::host) != of_host) {
        return hipErrorInvalidValue;
    }
    give_back_to_pool(found->second);
    emu::release(pointer, kind_of(found->second.use));
    s.allocations.erase(found);
    return hipSuccess;
}

hipError_t free_unsafe(void* pointer, bool of_host) {
    const hipError_t error = check_unsafe();
    return error == hipSuccess ? free_of(pointer, of_host) : error;
}

hipError_t allocate_unsafe(void** pointer, size_t bytes, memory_use use, unsigned flags) {
    const hipError_t error = check_unsafe();
    return error == hipSuccess ? allocate_to(pointer, bytes, use, flags) : error;
}

hipError_t allocate_host(void** pointer, size_t bytes, unsigned flags) {
    // Portable, mapped, write-combined, by NUMA policy, coherent, not coherent: all the same here.
    constexpr unsigned known = 7 | 0x20000000 | 0x40000000 | 0x80000000;
    constexpr unsigned coherent_and_not = 0x40000000 | 0x80000000;
    if ((flags & ~known) != 0 || (flags & coherent_and_not) == coherent_and_not) {
        return hipErrorInvalidValue;
    }
    return allocate_unsafe(pointer, bytes, memory_use::host, flags);
}

// Rows begin at multiples of this many bytes.
constexpr size_t pitch_bytes = 256;

hipError_t allocate_rows(void** pointer, size_t* pitch, size_t width, size_t rows) {
    if (pointer == nullptr || pitch == nullptr) {
        return hipErrorInvalidValue;
    }
    *pointer = nullptr;
    *pitch = 0;
    if (width == 0 || rows == 0) {
        return hipSuccess;
    }
    size_t bytes = 0;
    if (width > std::numeric_limits<size_t>::max() - pitch_bytes) {
        return hipErrorOutOfMemory;
    }
    const size_t row = (width + pitch_bytes - 1) / pitch_bytes * pitch_bytes;
    if (__builtin_mul_overflow(row, rows, &bytes)) {
        return hipErrorOutOfMemory;
    }
    *pitch = row;
    return allocate_unsafe(pointer, bytes, memory_use::device, 0);
}

// Whether all of these bytes lie in an allocation.
bool is_allocated(const void* pointer, size_t bytes) {
    const auto found = find_allocation(pointer);
    return found && bytes <= found->begin + found->bytes - number_of(pointer);
}

// No node of a graph is a hint.
hipError_t check_hint(hipStream_t stream) {
    const state_lock lock(state().mutex);
    ihipStream_t* found = find_stream(stream);
    return found == nullptr ? hipErrorContextIsDestroyed : check_not_captured(*found);
}

constexpr int place_of_host = -1;

hipError_t check_place(int number) {
    return number == place_of_host ? hipSuccess : check_device(number);
}

// What was advised about these bytes. Pieces that begin before or end behind them are split.
auto pieces_of(allocation& a, uintptr_t begin, size_t bytes) {
    const auto split = [&](uintptr_t at) {
        const auto behind = a.pieces.upper_bound(at);
        return a.pieces.try_emplace(behind, at,
                                    behind == a.pieces.begin()
                                        ? advice{0, nowhere, 0, nowhere, 0, 0}
                                        : std::prev(behind)->second);
    };
    const auto first = split(begin);
    return std::ranges::subrange(first, split(begin + bytes));
}

hipError_t advise(const void* pointer, size_t bytes, advised what, int value) {
    const auto found = find_allocation(pointer);
    const state_lock lock(state().mutex);
    for (auto& [begin, a] :
         pieces_of(state().allocations[found->begin], number_of(pointer), bytes)) {
        a[what] = value;
    }
    return hipSuccess;
}

hipError_t read_advice(void* to, size_t to_bytes, hipMemRangeAttribute attribute,
                       const void* pointer, size_t bytes) {
    auto found = find_allocation(pointer);
    const bool is_grain = attribute == hipMemRangeAttributeCoherencyMode;
    const bool is_list = attribute == hipMemRangeAttributeAccessedBy;
    if (to == nullptr || to_bytes == 0 || to_bytes % sizeof(int) != 0 ||
        (to_bytes != sizeof(int) && !is_list) || bytes == 0 || !is_allocated(pointer, bytes) ||
        kind_of(found->use) != memory_kind::managed ||
        (!is_grain && (attribute < hipMemRangeAttributeReadMostly ||
                       attribute > hipMemRangeAttributeLastPrefetchLocation))) {
        return hipErrorInvalidValue;
    }
    // What all of these bytes have in common.
    const auto common = [&, pieces = pieces_of(*found, number_of(pointer), bytes)](size_t what) {
        constexpr advice if_mixed = {0, nowhere, 0, nowhere, 0, 2};
        const int value = pieces.front().second[what];
        return std::ranges::all_of(pieces, [&](const auto& p) { return p.second[what] == value; })
                   ? value
                   : if_mixed[what];
    };
    std::vector<int> values;
    if (!is_list) {
        values.push_back(common(is_grain ? coarse_grain : static_cast<unsigned>(attribute) - 1));
    } else {
        if (common(by_device) != 0) {
            values.push_back(0);
        }
        if (common(by_host) != 0) {
            values.push_back(place_of_host);
        }
        values.resize(to_bytes / sizeof(int), nowhere);
    }
    std::memcpy(to, values.data(), to_bytes);
    return hipSuccess;
}

}  // namespace

hipError_t allocate_to(void** pointer, size_t bytes, memory_use use, unsigned flags,
                       hipMemPool_t pool) {
    if (pointer == nullptr) {
        return hipErrorInvalidValue;
    }
    *pointer = nullptr;
    if (const hipError_t error = check_device(0); error != hipSuccess) {
        return error;
    }
    if (bytes == 0) {
        return hipSuccess;
    }
    runtime_state& s = state();
    const state_lock lock(s.mutex);
    *pointer = allocate(bytes, kind_of(use));
    if (*pointer == nullptr) {
        return hipErrorOutOfMemory;
    }
    s.allocations[number_of(*pointer)] = {bytes, use, flags, pool, ++s.last_allocation};
    if (pool != nullptr) {
        pool->used += bytes;
        pool->used_high = std::max(pool->used_high, pool->used);
    }
    return hipSuccess;
}

std::optional<found_allocation> find_allocation(const void* pointer) {
    runtime_state& s = state();
    const state_lock lock(s.mutex);
    const auto after = s.allocations.upper_bound(number_of(pointer));
    if (after == s.allocations.begin()) {
        return std::nullopt;
    }
    const auto& [begin, a] = *std::prev(after);
    if (number_of(pointer) - begin >= a.bytes) {
        return std::nullopt;
    }
    return found_allocation{a, begin};
}

hipError_t free_memory(void* pointer) {
    return free_of(pointer, false);
}

void free_everything() {
    runtime_state& s = state();
    const state_lock lock(s.mutex);
    for (const auto& [begin, a] : s.allocations) {
        give_back_to_pool(a);
        if (a.use == memory_use::registered) {
            remove_range(begin);
        } else if (a.use != memory_use::variable) {
            emu::release(reinterpret_cast<void*>(begin), kind_of(a.use));
        }
    }
    std::erase_if(s.allocations,
                  [](const auto& entry) { return entry.second.use != memory_use::variable; });
}

}  // namespace emu

using namespace emu;

#pragma GCC visibility push(default)
extern "C" {

hipError_t hipMalloc(void** pointer, size_t bytes) {
    return returned(allocate_unsafe(pointer, bytes, memory_use::device, 0));
}

// Fine-grained, uncached and contiguous memory is the same here; that for signals is one of 8 bytes.
hipError_t hipExtMallocWithFlags(void** pointer, size_t bytes, unsigned flags) {
    constexpr unsigned for_signals = 2;
    constexpr unsigned contiguous = 4;
    if (flags > contiguous || (flags == for_signals && bytes != 8)) {
        return returned(hipErrorInvalidValue);
    }
    return returned(allocate_unsafe(pointer, bytes, memory_use::device, flags));
}

hipError_t hipMallocManaged(void** pointer, size_t bytes, unsigned flags) {
    constexpr unsigned global = 1;
    constexpr unsigned host = 2;
    if ((flags != global && flags != host) || bytes == 0) {
        return returned(hipErrorInvalidValue);
    }
    return returned(allocate_unsafe(pointer, bytes, memory_use::managed, flags));
}

hipError_t hipHostMalloc(void** pointer, size_t bytes, unsigned flags) {
    return returned(allocate_host(pointer, bytes, flags));
}

hipError_t hipHostAlloc(void** pointer, size_t bytes, unsigned flags) {
    return returned(allocate_host(pointer, bytes, flags));
}

hipError_t hipMallocHost(void** pointer, size_t bytes) {
    return returned(allocate_host(pointer, bytes, 0));
}

hipError_t hipMemAllocHost(void** pointer, size_t bytes) {
    return returned(allocate_host(pointer, bytes, 0));
}

hipError_t hipMallocPitch(void** pointer, size_t* pitch, size_t width, size_t height) {
    return returned(allocate_rows(pointer, pitch, width, height));
}

hipError_t hipMemAllocPitch(hipDeviceptr_t* pointer, size_t* pitch, size_t width, size_t height,
                            unsigned element_bytes) {
    if (element_bytes != 4 && element_bytes != 8 && element_bytes != 16) {
        return returned(hipErrorInvalidValue);
    }
    return returned(allocate_rows(pointer, pitch, width, height));
}

hipError_t hipMalloc3D(hipPitchedPtr* pointer, hipExtent extent) {
    size_t rows = 0;
    if (pointer == nullptr) {
        return returned(hipErrorInvalidValue);
    }
    if (__builtin_mul_overflow(extent.height, extent.depth, &rows)) {
        return returned(hipErrorOutOfMemory);
    }
    pointer->xsize = extent.width;
    pointer->ysize = extent.height;
    return returned(allocate_rows(&pointer->ptr, &pointer->pitch, extent.width, rows));
}

hipError_t hipFree(void* pointer) {
    return returned(free_unsafe(pointer, false));
}

hipError_t hipHostFree(void* pointer) {
    return returned(free_unsafe(pointer, true));
}

hipError_t hipFreeHost(void* pointer) {
    return returned(free_unsafe(pointer, true));
}

// ---- memory of the host that kernels are to use ----

hipError_t hipHostRegister(void* pointer, size_t bytes, unsigned flags) {
    // Portable, mapped, of a device for input and output, read-only.
    constexpr unsigned known = 15;
    constexpr unsigned read_only = 8;
    const uintptr_t begin = number_of(pointer);
    if (pointer == nullptr || bytes == 0 || (flags & ~known) != 0 || begin + bytes < begin) {
        return returned(hipErrorInvalidValue);
    }
    if (device() == nullptr) {
        return returned(hipErrorNoDevice);
    }
    if (const hipError_t error = check_unsafe(); error != hipSuccess) {
        return returned(error);
    }
    runtime_state& s = state();
    const state_lock lock(s.mutex);
    if (overlaps_allocation(begin, bytes)) {
        return returned(hipErrorHostMemoryAlreadyRegistered);
    }
    add_range(begin, bytes, (flags & read_only) == 0, memory_kind::host);
    s.allocations[begin] = {bytes, memory_use::registered, flags, nullptr, ++s.last_allocation};
    return returned(hipSuccess);
}

hipError_t hipHostUnregister(void* pointer) {
    if (const hipError_t error = check_unsafe(); error != hipSuccess) {
        return returned(error);
    }
    runtime_state& s = state();
    const state_lock lock(s.mutex);
    const auto found = s.allocations.find(number_of(pointer));
    if (found == s.allocations.end() || found->second.use != memory_use::registered) {
        return returned(pointer == nullptr ? hipErrorInvalidValue
                                           : hipErrorHostMemoryNotRegistered);
    }
    remove_range(found->first);
    s.allocations.erase(found);
    return returned(hipSuccess);
}

hipError_t hipHostGetDevicePointer(void** device_pointer, void* host_pointer, unsigned flags) {
    const auto found = find_allocation(host_pointer);
    if (device_pointer == nullptr || flags != 0 || !found) {
        return returned(hipErrorInvalidValue);
    }
    *device_pointer = host_pointer;
    return returned(hipSuccess);
}

hipError_t hipHostGetFlags(unsigned* flags, void* pointer) {
    const auto found = find_allocation(pointer);
    if (flags == nullptr || !found ||
        (found->use != memory_use::host && found->use != memory_use::registered)) {
        return returned(hipErrorInvalidValue);
    }
    *flags = found->flags;
    return returned(hipSuccess);
}

// ---- hints about managed memory: it is where everything is ----

hipError_t hipMemPrefetchAsync(const void* pointer, size_t bytes, int place, hipStream_t stream) {
    if (const hipError_t error = check_place(place); error != hipSuccess) {
        return returned(error);
    }
    if (bytes == 0 || !is_allocated(pointer, bytes)) {
        return returned(hipErrorInvalidValue);
    }
    const hipError_t error = check_hint(stream);
    return returned(error == hipSuccess ? advise(pointer, bytes, prefetched, place) : error);
}

hipError_t hipMemAdvise(const void* pointer, size_t bytes, hipMemoryAdvise advice, int place) {
    if (const hipError_t error = check_unsafe(); error != hipSuccess) {
        return returned(error);
    }
    if (const hipError_t error = check_place(place); error != hipSuccess) {
        return returned(error);
    }
    const advised by = place == place_of_host ? by_host : by_device;
    const std::map<hipMemoryAdvise, std::pair<advised, int>> meanings = {
        {hipMemAdviseSetReadMostly, {read_mostly, 1}},
        {hipMemAdviseUnsetReadMostly, {read_mostly, 0}},
        {hipMemAdviseSetPreferredLocation, {preferred, place}},
        {hipMemAdviseUnsetPreferredLocation, {preferred, nowhere}},
        {hipMemAdviseSetAccessedBy, {by, 1}},
        {hipMemAdviseUnsetAccessedBy, {by, 0}},
        {hipMemAdviseSetCoarseGrain, {coarse_grain, 1}},
        {hipMemAdviseUnsetCoarseGrain, {coarse_grain, 0}},
    };
    const auto meaning = meanings.find(advice);
    if (meaning == meanings.end() || bytes == 0 || !is_allocated(pointer, bytes)) {
        return returned(hipErrorInvalidValue);
    }
    return returned(advise(pointer, bytes, meaning->second.first, meaning->second.second));
}

hipError_t hipMemRangeGetAttribute(void* to, size_t to_bytes, hipMemRangeAttribute attribute,
                                   const void* pointer, size_t bytes) {
    return returned(read_advice(to, to_bytes, attribute, pointer, bytes));
}

hipError_t hipMemRangeGetAttributes(void** to, size_t* to_bytes, hipMemRangeAttribute* attributes,
                                    size_t count, const void* pointer, size_t bytes) {
    hipError_t error = to == nullptr || to_bytes == nullptr || attributes == nullptr || count == 0
                           ? hipErrorInvalidValue
                           : hipSuccess;
    for (size_t n = 0; n < count && error == hipSuccess; ++n) {
        error = read_advice(to[n], to_bytes[n], attributes[n], pointer, bytes);
    }
    return returned(error);
}

hipError_t hipStreamAttachMemAsync(hipStream_t stream, void* pointer, size_t bytes,
                                   unsigned flags) {
    constexpr unsigned single = 4;
    const auto found = find_allocation(pointer);
    if (const hipError_t error = check_hint(stream); error != hipSuccess) {
        return returned(error);
    }
    if (!found || found->use != memory_use::managed || (bytes != 0 && bytes != found->bytes) ||
        flags == 0 || flags > single || (flags & (flags - 1)) != 0) {
        return returned(hipErrorInvalidValue);
    }
    return returned(hipSuccess);
}

// ---- how much there is ----

hipError_t hipMemGetInfo(size_t* free, size_t* total) {
    if (free == nullptr || total == nullptr) {
        return returned(hipErrorInvalidValue);
    }
    size_t used = 0;
    runtime_state& s = state();
    const state_lock lock(s.mutex);
    for (const auto& [begin, a] : s.allocations) {
        used += a.use == memory_use::registered ? 0 : a.bytes;
    }
    *total = memory_bytes();
    *free = *total - std::min(*total, used);
    return returned(check_device(0));
}

hipError_t hipMemPtrGetInfo(void* pointer, size_t* bytes) {
    const auto found = find_allocation(pointer);
    if (bytes == nullptr || !found) {
        return returned(hipErrorInvalidValue);
    }
    *bytes = found->bytes;
    return returned(hipSuccess);
}

hipError_t hipMemGetAddressRange(hipDeviceptr_t* base, size_t* bytes, hipDeviceptr_t pointer) {
    const auto found = find_allocation(pointer);
    if (!found) {
        return returned(hipErrorNotFound);
    }
    if (base != nullptr) {
        *base = reinterpret_cast<void*>(found->begin);
    }
    if (bytes != nullptr) {
        *bytes = found->bytes;
    }
    return returned(hipSuccess);
}

}  // extern "C"
#pragma GCC visibility pop
