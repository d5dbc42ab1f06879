// Streams and what is put into them.

#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>

#include "machine/memory.hpp"
#include "runtime/graph.hpp"
#include "runtime/operation.hpp"
#include "runtime/runtime.hpp"

namespace emu {
namespace {

// Greater numbers are lower priorities, as hipDeviceGetStreamPriorityRange says.
constexpr int least_priority = 1;
constexpr int greatest_priority = -1;

hipError_t create_stream(hipStream_t* stream, unsigned flags, int priority,
                         std::vector<uint32_t> cu_mask = {}) {
    if (stream == nullptr || flags > hipStreamNonBlocking) {
        return hipErrorInvalidValue;
    }
    runtime_state& s = state();
    const state_lock lock(s.mutex);
    auto created = std::make_unique<ihipStream_t>();
    created->flags = flags;
    created->priority = std::clamp(priority, greatest_priority, least_priority);
    created->cu_mask = std::move(cu_mask);
    *stream = created.get();
    s.streams[*stream] = std::move(created);
    return hipSuccess;
}

// What waits for a stream: it is always done, but not while the stream is captured.
hipError_t finish(hipStream_t stream) {
    runtime_state& s = state();
    const state_lock lock(s.mutex);
    ihipStream_t* found = find_stream(stream);
    if (found == nullptr) {
        return hipErrorContextIsDestroyed;
    }
    return check_not_captured(*found);
}

// HIP refuses a callback also where another stream is captured, if it is a blocking one.
hipError_t check_callback(hipStream_t stream) {
    const hipError_t error = finish(stream);
    const state_lock lock(state().mutex);
    return check_legacy(*default_stream()) != hipSuccess ? hipErrorStreamCaptureUnsupported : error;
}

hipError_t wait_for_event(hipStream_t stream, hipEvent_t event, unsigned flags) {
    constexpr unsigned external = 1;
    if (flags > external) {
        return hipErrorInvalidValue;
    }
    {
        runtime_state& s = state();
        const state_lock lock(s.mutex);
        ihipStream_t* found = find_stream(stream);
        if (found == nullptr || !s.events.contains(event)) {
            return found == nullptr ? hipErrorContextIsDestroyed : hipErrorInvalidHandle;
        }
        if (flags == 0 && event->captured != nullptr) {
            if (found->captured != nullptr && found->captured != event->captured) {
                break_capture(*found->captured);
                break_capture(*event->captured);
                return hipErrorStreamCaptureMerge;
            }
            if (found == default_stream()) {
                break_capture(*event->captured);
                return hipErrorStreamCaptureImplicit;
            }
            if (found->captured == nullptr) {
                found->captured = event->captured;
                found->last.clear();
            }
            for (hipGraphNode* node : event->captured_after) {
                if (!has(found->last, node)) {
                    found->last.push_back(node);
                }
            }
            return hipSuccess;
        }
        if (flags == 0 && found->captured != nullptr) {
            break_capture(*found->captured);
            return hipErrorStreamCaptureIsolation;
        }
    }
    return submit(stream, wait_event{event});
}

hipError_t call_back(hipStream_t stream, hipStreamCallback_t function, void* data, unsigned flags) {
    if (function == nullptr || flags != 0) {
        return hipErrorInvalidValue;
    }
    const hipError_t error = check_callback(stream);
    if (error == hipSuccess) {
        function(stream, hipSuccess, data);
    }
    return error;
}

hipError_t call_function(hipStream_t stream, hipHostFn_t function, void* data) {
    return function == nullptr ? hipErrorInvalidValue : submit(stream, call_host{function, data});
}

template <class T>
T read(const void* from) {
    T value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

template <class T>
hipError_t write_value(hipStream_t stream, void* to, T value, unsigned flags) {
    if (flags != 0) {
        return hipErrorInvalidValue;
    }
    return submit(stream, fill_line(to, value, sizeof value, 1));
}

// Greater or equal as a difference with sign, equal, some bit in common, some bit set in neither.
template <class T>
bool is_reached(T in_memory, T value, unsigned flags) {
    switch (flags) {
        case 0:
            return static_cast<std::make_signed_t<T>>(in_memory - value) >= 0;
        case 1:
            return in_memory == value;
        case 2:
            return (in_memory & value) != 0;
        default:
            return static_cast<T>(~(in_memory | value)) != 0;
    }
}

// What is to be waited for must be there: nobody else would get to write it.
template <class T>
hipError_t wait_value(hipStream_t stream, const void* from, T value, unsigned flags, T mask) {
    if (flags > 3) {
        return hipErrorInvalidValue;
    }
    if (const hipError_t error = finish(stream); error != hipSuccess) {
        return error;
    }
    const std::byte* there = translate(reinterpret_cast<uintptr_t>(from), sizeof(T), false);
    if (there == nullptr) {
        return hipErrorInvalidValue;
    }
    if (!is_reached<T>(read<T>(there) & mask, value, flags)) {
        complain(
            "hipStreamWaitValue: the value at %p is not there yet, and everything is "
            "synchronous: it never comes",
            from);
        return hipErrorNotSupported;
    }
    return hipSuccess;
}

// hipStreamPerThread of a thread, while it lives.
// @pre for the first use in a thread: the state is locked
struct stream_of_thread {
    ihipStream_t stream;

    stream_of_thread() { state().thread_streams.insert(&stream); }
    ~stream_of_thread() {
        std::vector<hipUserObject> dead;
        {
            const state_lock lock(state().mutex);
            leave_capture(stream, dead);
            state().thread_streams.erase(&stream);
        }
        destroy(dead);
        say_what_broke("the end of a thread", hipSuccess);
    }
};

}  // namespace

std::vector<ihipStream_t*> all_streams() {
    std::vector<ihipStream_t*> all(state().thread_streams.begin(), state().thread_streams.end());
    for (const auto& [handle, stream] : state().streams) {
        all.push_back(stream.get());
    }
    return all;
}

ihipStream_t* default_stream() {
    static ihipStream_t& stream = *new ihipStream_t;
    return &stream;
}

ihipStream_t* find_stream(hipStream_t stream) {
    const auto number = reinterpret_cast<uintptr_t>(stream);
    if (number <= 1) {
        return default_stream();
    }
    if (number == 2) {
        static thread_local stream_of_thread of_thread;
        return &of_thread.stream;
    }
    const auto found = state().streams.find(stream);
    return found == state().streams.end() ? nullptr : found->second.get();
}

hipStream_t per_thread(hipStream_t stream) {
    return stream == nullptr ? reinterpret_cast<hipStream_t>(2) : stream;
}

bool is_stream(hipStream_t stream) {
    const state_lock lock(state().mutex);
    return find_stream(stream) != nullptr;
}

hipError_t submit(hipStream_t stream, const operation& what) {
    if (has_failed()) {
        return hipErrorLaunchFailure;
    }
    {
        runtime_state& s = state();
        const state_lock lock(s.mutex);
        ihipStream_t* found = find_stream(stream);
        if (found == nullptr) {
            return hipErrorContextIsDestroyed;
        }
        if (found->captured != nullptr) {
            if (found->captured->invalidated) {
                return hipErrorStreamCaptureInvalidated;
            }
            found->last = {add_node(*found->captured->graph, clone(what), found->last)};
            return hipSuccess;
        }
        if (const hipError_t error = check_legacy(*found); error != hipSuccess) {
            return error;
        }
    }
    return execute(what, stream);
}

}  // namespace emu

using namespace emu;

#pragma GCC visibility push(default)
extern "C" {

hipError_t hipStreamCreate(hipStream_t* stream) {
    return returned(create_stream(stream, 0, 0));
}

hipError_t hipStreamCreateWithFlags(hipStream_t* stream, unsigned flags) {
    return returned(create_stream(stream, flags, 0));
}

hipError_t hipStreamCreateWithPriority(hipStream_t* stream, unsigned flags, int priority) {
    return returned(create_stream(stream, flags, priority));
}

hipError_t hipDeviceGetStreamPriorityRange(int* least, int* greatest) {
    if (least != nullptr) {
        *least = least_priority;
    }
    if (greatest != nullptr) {
        *greatest = greatest_priority;
    }
    return returned(check_device(0));
}

// The mask is kept for who asks for it: a kernel computes the same on any compute units.
hipError_t hipExtStreamCreateWithCUMask(hipStream_t* stream, uint32_t words, const uint32_t* mask) {
    if (words == 0 || mask == nullptr ||
        std::all_of(mask, mask + words, [](uint32_t word) { return word == 0; })) {
        return returned(hipErrorInvalidValue);
    }
    return returned(create_stream(stream, 0, 0, {mask, mask + words}));
}

hipError_t hipExtStreamGetCUMask(hipStream_t stream, uint32_t words, uint32_t* mask) {
    if (device() == nullptr) {
        return returned(hipErrorNoDevice);
    }
    const auto units = static_cast<uint32_t>(device()->compute_units);
    if (mask == nullptr || words < (units + 31) / 32) {
        return returned(hipErrorInvalidValue);
    }
    const state_lock lock(state().mutex);
    const ihipStream_t* found = find_stream(stream);
    if (found == nullptr) {
        return returned(hipErrorContextIsDestroyed);
    }
    for (uint32_t n = 0; n < words; ++n) {
        const uint32_t existing = 32 * n >= units        ? 0
                                  : units - 32 * n >= 32 ? ~0u
                                                         : (1u << (units - 32 * n)) - 1;
        const uint32_t asked = found->cu_mask.empty()      ? ~0u
                               : n < found->cu_mask.size() ? found->cu_mask[n]
                                                           : 0;
        mask[n] = existing & asked;
    }
    return returned(hipSuccess);
}

hipError_t hipStreamGetFlags(hipStream_t stream, unsigned* flags) {
    const state_lock lock(state().mutex);
    const ihipStream_t* found = find_stream(stream);
    if (flags == nullptr || stream == nullptr || found == nullptr) {
        return returned(flags == nullptr || stream == nullptr ? hipErrorInvalidValue
                                                              : hipErrorContextIsDestroyed);
    }
    *flags = found->flags;
    return returned(hipSuccess);
}

hipError_t hipStreamGetFlags_spt(hipStream_t stream, unsigned* flags) {
    return hipStreamGetFlags(per_thread(stream), flags);
}

hipError_t hipStreamGetPriority(hipStream_t stream, int* priority) {
    const state_lock lock(state().mutex);
    const ihipStream_t* found = find_stream(stream);
    if (priority == nullptr || found == nullptr) {
        return returned(priority == nullptr ? hipErrorInvalidValue : hipErrorContextIsDestroyed);
    }
    *priority = found->priority;
    return returned(hipSuccess);
}

hipError_t hipStreamGetPriority_spt(hipStream_t stream, int* priority) {
    return hipStreamGetPriority(per_thread(stream), priority);
}

hipError_t hipStreamGetDevice(hipStream_t stream, hipDevice_t* number) {
    if (number == nullptr) {
        return returned(hipErrorInvalidValue);
    }
    if (!is_stream(stream)) {
        return returned(hipErrorContextIsDestroyed);
    }
    *number = 0;
    return returned(check_device(0));
}

int hipGetStreamDeviceId(hipStream_t stream) {
    return is_stream(stream) ? 0 : -1;
}

hipError_t hipStreamSynchronize(hipStream_t stream) {
    return returned(finish(stream));
}

hipError_t hipStreamSynchronize_spt(hipStream_t stream) {
    return returned(finish(per_thread(stream)));
}

// Nothing is ever in progress between two calls.
hipError_t hipStreamQuery(hipStream_t stream) {
    return returned(finish(stream));
}

hipError_t hipStreamQuery_spt(hipStream_t stream) {
    return returned(finish(per_thread(stream)));
}

hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned flags) {
    return returned(wait_for_event(stream, event, flags));
}

hipError_t hipStreamWaitEvent_spt(hipStream_t stream, hipEvent_t event, unsigned flags) {
    return returned(wait_for_event(per_thread(stream), event, flags));
}

hipError_t hipStreamDestroy(hipStream_t stream) {
    std::vector<hipUserObject> dead;
    {
        runtime_state& s = state();
        const state_lock lock(s.mutex);
        const auto found = s.streams.find(stream);
        if (found == s.streams.end()) {
            return returned(find_stream(stream) != nullptr ? hipErrorInvalidHandle
                                                           : hipErrorContextIsDestroyed);
        }
        leave_capture(*found->second, dead);
        s.streams.erase(found);
    }
    destroy(dead);
    return returned(hipSuccess);
}

hipError_t hipLaunchHostFunc(hipStream_t stream, hipHostFn_t function, void* data) {
    return returned(call_function(stream, function, data));
}

hipError_t hipLaunchHostFunc_spt(hipStream_t stream, hipHostFn_t function, void* data) {
    return returned(call_function(per_thread(stream), function, data));
}

hipError_t hipStreamAddCallback(hipStream_t stream, hipStreamCallback_t function, void* data,
                                unsigned flags) {
    return returned(call_back(stream, function, data, flags));
}

hipError_t hipStreamAddCallback_spt(hipStream_t stream, hipStreamCallback_t function, void* data,
                                    unsigned flags) {
    return returned(call_back(per_thread(stream), function, data, flags));
}

hipError_t hipStreamWriteValue32(hipStream_t stream, void* to, uint32_t value, unsigned flags) {
    return returned(write_value(stream, to, value, flags));
}

hipError_t hipStreamWriteValue64(hipStream_t stream, void* to, uint64_t value, unsigned flags) {
    return returned(write_value(stream, to, value, flags));
}

hipError_t hipStreamWaitValue32(hipStream_t stream, void* from, uint32_t value, unsigned flags,
                                uint32_t mask) {
    return returned(wait_value(stream, from, value, flags, mask));
}

hipError_t hipStreamWaitValue64(hipStream_t stream, void* from, uint64_t value, unsigned flags,
                                uint64_t mask) {
    return returned(wait_value(stream, from, value, flags, mask));
}

}  // extern "C"
#pragma GCC visibility pop
