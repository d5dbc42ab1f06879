// Streams and what is put into them.

#include <memory>

#include "runtime/runtime.hpp"

namespace emu {
namespace {

hipError_t create_stream(hipStream_t* stream, unsigned flags) {
    constexpr unsigned non_blocking = 1;
    if (stream == nullptr || flags > non_blocking) {
        return hipErrorInvalidValue;
    }
    runtime_state& s = state();
    const state_lock lock(s.mutex);
    auto created = std::make_unique<ihipStream_t>();
    *stream = created.get();
    s.streams[*stream] = std::move(created);
    return hipSuccess;
}

}  // namespace

bool is_stream(hipStream_t stream) {
    if (reinterpret_cast<uintptr_t>(stream) <= 2) {
        return true;
    }
    runtime_state& s = state();
    const state_lock lock(s.mutex);
    return s.streams.contains(stream);
}

}  // namespace emu

using namespace emu;

#pragma GCC visibility push(default)
extern "C" {

hipError_t hipStreamCreate(hipStream_t* stream) {
    return returned(create_stream(stream, 0));
}

hipError_t hipStreamCreateWithFlags(hipStream_t* stream, unsigned flags) {
    return returned(create_stream(stream, flags));
}

hipError_t hipStreamSynchronize(hipStream_t stream) {
    return returned(is_stream(stream) ? hipSuccess : hipErrorInvalidHandle);
}

// Nothing is ever in progress between two calls.
hipError_t hipStreamQuery(hipStream_t stream) {
    return returned(is_stream(stream) ? hipSuccess : hipErrorInvalidHandle);
}

hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned flags) {
    if (flags != 0) {
        return returned(hipErrorInvalidValue);
    }
    return returned(is_stream(stream) && is_event(event) ? hipSuccess : hipErrorInvalidHandle);
}

hipError_t hipStreamDestroy(hipStream_t stream) {
    runtime_state& s = state();
    const state_lock lock(s.mutex);
    return returned(s.streams.erase(stream) != 0 ? hipSuccess : hipErrorInvalidHandle);
}

}  // extern "C"
#pragma GCC visibility pop
