// Events: names, and the time when they were recorded.

#include <chrono>
#include <memory>

#include "runtime/graph.hpp"
#include "runtime/operation.hpp"
#include "runtime/runtime.hpp"

namespace emu {
namespace {

hipError_t create_event(hipEvent_t* event, unsigned flags) {
    // Blocking synchronisation, no timing, no system fence, release to the device or the system;
    // events of several processes (4) are not supported.
    constexpr unsigned known = 1 | hipEventDisableTiming | 0x20000000 | 0x40000000 | 0x80000000;
    constexpr unsigned releases = 0x40000000 | 0x80000000;
    if (event == nullptr || (flags & ~known) != 0 || (flags & releases) == releases) {
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

// What waits for an event, which is always done unless it stands in a graph that is captured.
hipError_t finish(hipEvent_t event) {
    {
        runtime_state& s = state();
        const state_lock lock(s.mutex);
        if (!s.events.contains(event)) {
            return hipErrorInvalidHandle;
        }
        if (event->captured != nullptr) {
            break_capture(*event->captured);
            return hipErrorCapturedEvent;
        }
    }
    return check_unsafe();
}

}  // namespace

bool is_event(hipEvent_t event) {
    runtime_state& s = state();
    const state_lock lock(s.mutex);
    return s.events.contains(event);
}

hipError_t note_event(hipEvent_t event) {
    runtime_state& s = state();
    const state_lock lock(s.mutex);
    if (!s.events.contains(event)) {
        return hipErrorInvalidHandle;
    }
    event->recorded = true;
    event->captured = nullptr;
    event->time = std::chrono::steady_clock::now();
    return hipSuccess;
}

hipError_t record(hipEvent_t event, hipStream_t stream, unsigned flags) {
    constexpr unsigned external = 1;
    if (flags > external) {
        return hipErrorInvalidValue;
    }
    if (flags == 0) {
        runtime_state& s = state();
        const state_lock lock(s.mutex);
        const ihipStream_t* found = find_stream(stream);
        if (found == nullptr || !s.events.contains(event)) {
            return found == nullptr ? hipErrorContextIsDestroyed : hipErrorInvalidHandle;
        }
        // In a capture the event is no node: it stands for what is there so far.
        if (found->captured != nullptr) {
            event->captured = found->captured;
            event->captured_after = found->last;
            return hipSuccess;
        }
    }
    return is_event(event) ? submit(stream, record_event{event}) : hipErrorInvalidHandle;
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
    return returned(record(event, stream, 0));
}

hipError_t hipEventRecord_spt(hipEvent_t event, hipStream_t stream) {
    return returned(record(event, per_thread(stream), 0));
}

hipError_t hipEventRecordWithFlags(hipEvent_t event, hipStream_t stream, unsigned flags) {
    return returned(record(event, stream, flags));
}

hipError_t hipEventSynchronize(hipEvent_t event) {
    return returned(finish(event));
}

hipError_t hipEventQuery(hipEvent_t event) {
    return returned(finish(event));
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
    return returned(hipSuccess);
}

hipError_t hipEventDestroy(hipEvent_t event) {
    runtime_state& s = state();
    const state_lock lock(s.mutex);
    return returned(s.events.erase(event) != 0 ? hipSuccess : hipErrorInvalidHandle);
}

}  // extern "C"
#pragma GCC visibility pop
