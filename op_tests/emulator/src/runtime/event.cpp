// Events: names, and the time when they were recorded.

#include <chrono>
#include <memory>

#include "runtime/runtime.hpp"

namespace emu {
namespace {

hipError_t create_event(hipEvent_t* event, unsigned flags) {
    // Blocking synchronisation, no timing, no system fence, release to the device or the system;
    // events of several processes (4) are not supported.
    constexpr unsigned known = 1 | hipEventDisableTiming | 0x20000000 | 0x40000000 | 0x80000000;
    if (event == nullptr || (flags & ~known) != 0) {
        return hipErrorInvalidValue;
    }
    runtime_state& s = state();
    const state_lock lock(s.mutex);
    auto created = std::make_unique<ihipEvent_t>();
    created->flags = flags;
    *event = created.get();
    s.events[*event] = std::move(created);
    return hipSuccess;
}

}  // namespace

bool is_event(hipEvent_t event) {
    runtime_state& s = state();
    const state_lock lock(s.mutex);
    return s.events.contains(event);
}

hipError_t record_event(hipEvent_t event, hipStream_t stream) {
    if (!is_event(event) || !is_stream(stream)) {
        return hipErrorInvalidHandle;
    }
    event->recorded = true;
    event->time = std::chrono::steady_clock::now();
    return hipSuccess;
}

}  // namespace emu

using namespace emu;

#pragma GCC visibility push(default)
extern "C" {

hipError_t hipEventCreate(hipEvent_t* event) {
    return returned(create_event(event, 0));
}

hipError_t hipEventCreateWithFlags(hipEvent_t* event, unsigned flags) {
    return returned(create_event(event, flags));
}

hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream) {
    return returned(record_event(event, stream));
}

hipError_t hipEventSynchronize(hipEvent_t event) {
    return returned(is_event(event) ? hipSuccess : hipErrorInvalidHandle);
}

hipError_t hipEventQuery(hipEvent_t event) {
    return returned(is_event(event) ? hipSuccess : hipErrorInvalidHandle);
}

// The time that passed on this host, which says nothing about the machine that is emulated.
hipError_t hipEventElapsedTime(float* milliseconds, hipEvent_t start, hipEvent_t stop) {
    if (milliseconds == nullptr) {
        return returned(hipErrorInvalidValue);
    }
    for (const hipEvent_t event : {start, stop}) {
        if (!is_event(event) || !event->recorded || (event->flags & hipEventDisableTiming) != 0) {
            return returned(hipErrorInvalidHandle);
        }
    }
    const std::chrono::duration<float, std::milli> elapsed = stop->time - start->time;
    *milliseconds = elapsed.count();
    return hipSuccess;
}

hipError_t hipEventDestroy(hipEvent_t event) {
    runtime_state& s = state();
    const state_lock lock(s.mutex);
    return returned(s.events.erase(event) != 0 ? hipSuccess : hipErrorInvalidHandle);
}

}  // extern "C"
#pragma GCC visibility pop
