// Capture: what is put into a stream becomes a graph.

#include <algorithm>
#include <atomic>
#include <set>
#include <utility>

#include "runtime/graph.hpp"
#include "runtime/runtime.hpp"

namespace emu {
namespace {

thread_local hipStreamCaptureMode thread_mode = hipStreamCaptureModeGlobal;

// No other thread has or had it.
uint64_t this_thread() {
    static std::atomic<uint64_t> last{0};
    static thread_local const uint64_t id = ++last;
    return id;
}

// The capture that this thread broke and has not told of.
struct broken_capture {
    bool told = true;
    hipStreamCaptureMode mode = hipStreamCaptureModeGlobal;
    bool of_this_thread = true;
};
thread_local broken_capture last_broken;

const char* name_of(hipStreamCaptureMode mode) {
    constexpr const char* names[] = {"Global", "ThreadLocal", "Relaxed"};
    return names[mode];
}

hipError_t begin(hipStream_t stream, std::shared_ptr<ihipGraph> graph,
                 std::vector<hipGraphNode*> after, hipStreamCaptureMode mode) {
    if (mode < hipStreamCaptureModeGlobal || mode > hipStreamCaptureModeRelaxed) {
        return hipErrorInvalidValue;
    }
    runtime_state& s = state();
    const state_lock lock(s.mutex);
    ihipStream_t* found = find_stream(stream);
    if (found == nullptr) {
        return hipErrorContextIsDestroyed;
    }
    if (found == default_stream()) {
        return hipErrorStreamCaptureUnsupported;
    }
    if (found->captured != nullptr) {
        return hipErrorIllegalState;
    }
    static unsigned long long last_id = 0;
    auto started = std::make_shared<capture>();
    started->is_new = graph == nullptr;
    started->graph = graph != nullptr ? std::move(graph) : std::make_shared<ihipGraph>();
    s.graphs[started->graph.get()] = started->graph;
    started->id = ++last_id;
    started->origin = found;
    started->mode = mode;
    started->thread = this_thread();
    s.captures.insert(started);
    found->captured = std::move(started);
    found->last = std::move(after);
    return hipSuccess;
}

// Streams and events take part no longer.
// @pre the state is locked
void let_go(const std::shared_ptr<capture>& ended) {
    const auto leave = [&](std::shared_ptr<capture>& of, std::vector<hipGraphNode*>& after) {
        if (of == ended) {
            of = nullptr;
            after.clear();
        }
    };
    for (ihipStream_t* stream : all_streams()) {
        leave(stream->captured, stream->last);
    }
    for (const auto& [handle, event] : state().events) {
        leave(event->captured, event->captured_after);
    }
    state().captures.erase(ended);
}

// @pre the state is locked
void drop_graph(const capture& failed, std::vector<hipUserObject>& dead) {
    if (failed.is_new) {
        forget(*failed.graph, dead);
        state().graphs.erase(failed.graph.get());
    }
}

void add_all_before(hipGraphNode* node, std::set<hipGraphNode*>& seen) {
    if (seen.insert(node).second) {
        for (hipGraphNode* n : node->after) {
            add_all_before(n, seen);
        }
    }
}

hipError_t end_locked(hipStream_t stream, hipGraph_t* graph, std::vector<hipUserObject>& dead) {
    if (graph == nullptr) {
        return hipErrorInvalidValue;
    }
    *graph = nullptr;
    ihipStream_t* found = find_stream(stream);
    if (found == nullptr) {
        return hipErrorContextIsDestroyed;
    }
    const std::shared_ptr<capture> ended = found->captured;
    if (ended == nullptr) {
        return hipErrorIllegalState;
    }
    if (ended->origin != found) {
        return hipErrorStreamCaptureUnmatched;
    }
    if (ended->mode != hipStreamCaptureModeRelaxed && ended->thread != this_thread()) {
        return hipErrorStreamCaptureWrongThread;
    }
    // What the streams that joined did last has to come before what this one did last.
    std::set<hipGraphNode*> before;
    for (hipGraphNode* node : found->last) {
        add_all_before(node, before);
    }
    bool joined = true;
    for (const ihipStream_t* other : all_streams()) {
        joined = joined && (other->captured != ended ||
                            std::ranges::all_of(other->last, [&](hipGraphNode* node) {
                                return before.contains(node);
                            }));
    }
    let_go(ended);
    if (joined && !ended->invalidated) {
        *graph = ended->graph.get();
        return hipSuccess;
    }
    drop_graph(*ended, dead);
    return ended->invalidated ? hipErrorStreamCaptureInvalidated : hipErrorStreamCaptureUnjoined;
}

hipError_t end(hipStream_t stream, hipGraph_t* graph) {
    std::vector<hipUserObject> dead;
    hipError_t error = hipSuccess;
    {
        const state_lock lock(state().mutex);
        error = end_locked(stream, graph, dead);
    }
    destroy(dead);
    return error;
}

struct capture_info {
    hipStreamCaptureStatus status = hipStreamCaptureStatusNone;
    unsigned long long id = 0;
    hipGraph_t graph = nullptr;
    const hipGraphNode_t* after = nullptr;
    size_t count = 0;
};

hipError_t read_info(hipStream_t stream, capture_info& info) {
    const state_lock lock(state().mutex);
    const ihipStream_t* found = find_stream(stream);
    if (found == nullptr) {
        return hipErrorContextIsDestroyed;
    }
    if (is_blocked(*found)) {
        return hipErrorStreamCaptureImplicit;  // and the captures go on
    }
    if (found->captured != nullptr) {
        info.status = found->captured->invalidated ? hipStreamCaptureStatusInvalidated
                                                   : hipStreamCaptureStatusActive;
        info.id = found->captured->id;
        info.graph = found->captured->graph.get();
        info.after = found->last.data();
        info.count = found->last.size();
    }
    return hipSuccess;
}

hipError_t give_info(hipStream_t stream, hipStreamCaptureStatus* status, unsigned long long* id,
                     hipGraph_t* graph, const hipGraphNode_t** after, size_t* count) {
    if (status == nullptr) {
        return hipErrorInvalidValue;
    }
    capture_info info;
    const hipError_t error = read_info(stream, info);
    if (error != hipSuccess) {
        return error;
    }
    const auto give = [](auto* to, auto value) {
        if (to != nullptr) {
            *to = value;
        }
    };
    give(status, info.status);
    if (info.status == hipStreamCaptureStatusActive) {
        give(id, info.id);
        give(graph, info.graph);
        give(after, info.after);
        give(count, info.count);
    }
    return hipSuccess;
}

}  // namespace

// A thread that has chosen Relaxed may do anything. Else it is forbidden by captures that this thread
// began, unless they are Relaxed, and, unless the thread has chosen ThreadLocal, by those of other
// threads that are Global.
hipError_t check_unsafe() {
    const state_lock lock(state().mutex);
    hipError_t error = hipSuccess;
    for (const std::shared_ptr<capture>& c : state().captures) {
        const bool forbidden = c->thread == this_thread()
                                   ? c->mode != hipStreamCaptureModeRelaxed
                                   : c->mode == hipStreamCaptureModeGlobal &&
                                         thread_mode == hipStreamCaptureModeGlobal;
        if (forbidden && thread_mode != hipStreamCaptureModeRelaxed) {
            break_capture(*c);
            error = hipErrorStreamCaptureUnsupported;
        }
    }
    return error;
}

void break_capture(capture& broken) {
    if (!broken.invalidated) {
        broken.invalidated = true;
        last_broken = {false, broken.mode, broken.thread == this_thread()};
    }
}

hipError_t check_not_captured(ihipStream_t& stream) {
    if (stream.captured != nullptr) {
        break_capture(*stream.captured);
        return hipErrorStreamCaptureUnsupported;
    }
    return check_legacy(stream);
}

hipError_t check_legacy(ihipStream_t& stream) {
    if (!is_blocked(stream)) {
        return hipSuccess;
    }
    for (ihipStream_t* other : all_streams()) {
        if (other->captured != nullptr && other->flags != hipStreamNonBlocking) {
            break_capture(*other->captured);
        }
    }
    return hipErrorStreamCaptureImplicit;
}

bool is_blocked(const ihipStream_t& stream) {
    return &stream == default_stream() && !state().captures.empty() &&
           std::ranges::any_of(all_streams(), [](const ihipStream_t* other) {
               return other->captured != nullptr && other->flags != hipStreamNonBlocking;
           });
}

void leave_capture(const ihipStream_t& stream, std::vector<hipUserObject>& dead) {
    const std::shared_ptr<capture> left = stream.captured;
    if (left == nullptr) {
        return;
    }
    break_capture(*left);
    if (left->origin == &stream) {
        let_go(left);
        drop_graph(*left, dead);
    }
}

void say_what_broke(const char* call, hipError_t error) {
    if (last_broken.told) {
        return;
    }
    last_broken.told = true;
    complain(
        "%s broke the capture that %s thread began in mode %s (%s); hipStreamEndCapture will "
        "return "
        "hipErrorStreamCaptureInvalidated",
        call, last_broken.of_this_thread ? "this" : "another", name_of(last_broken.mode),
        error == hipSuccess ? "the stream is gone" : hipGetErrorString(error));
}

}  // namespace emu

using namespace emu;

#pragma GCC visibility push(default)
extern "C" {

hipError_t hipStreamBeginCapture(hipStream_t stream, hipStreamCaptureMode mode) {
    return returned(begin(stream, nullptr, {}, mode));
}

hipError_t hipStreamBeginCapture_spt(hipStream_t stream, hipStreamCaptureMode mode) {
    return returned(begin(per_thread(stream), nullptr, {}, mode));
}

hipError_t hipStreamBeginCaptureToGraph(hipStream_t stream, hipGraph_t graph,
                                        const hipGraphNode_t* after, const hipGraphEdgeData* kinds,
                                        size_t count, hipStreamCaptureMode mode) {
    if (count != 0 && after == nullptr) {
        return returned(hipErrorInvalidValue);
    }
    if (kinds != nullptr) {
        complain("hipStreamBeginCaptureToGraph: kinds of dependencies are not supported");
        return returned(hipErrorNotSupported);
    }
    std::shared_ptr<ihipGraph> target;
    {
        const state_lock lock(state().mutex);
        const auto found = state().graphs.find(graph);
        if (found == state().graphs.end()) {
            return returned(hipErrorInvalidValue);
        }
        if (!std::all_of(after, after + count, [&](hipGraphNode_t node) {
                return state().nodes.contains(node) && node->graph == graph;
            })) {
            return returned(hipErrorInvalidValue);
        }
        target = found->second;
    }
    return returned(begin(stream, std::move(target), {after, after + count}, mode));
}

hipError_t hipStreamEndCapture(hipStream_t stream, hipGraph_t* graph) {
    return returned(end(stream, graph));
}

hipError_t hipStreamEndCapture_spt(hipStream_t stream, hipGraph_t* graph) {
    return returned(end(per_thread(stream), graph));
}

hipError_t hipStreamIsCapturing(hipStream_t stream, hipStreamCaptureStatus* status) {
    return returned(give_info(stream, status, nullptr, nullptr, nullptr, nullptr));
}

hipError_t hipStreamIsCapturing_spt(hipStream_t stream, hipStreamCaptureStatus* status) {
    return returned(give_info(per_thread(stream), status, nullptr, nullptr, nullptr, nullptr));
}

hipError_t hipStreamGetCaptureInfo(hipStream_t stream, hipStreamCaptureStatus* status,
                                   unsigned long long* id) {
    return returned(give_info(stream, status, id, nullptr, nullptr, nullptr));
}

hipError_t hipStreamGetCaptureInfo_spt(hipStream_t stream, hipStreamCaptureStatus* status,
                                       unsigned long long* id) {
    return returned(give_info(per_thread(stream), status, id, nullptr, nullptr, nullptr));
}

hipError_t hipStreamGetCaptureInfo_v2(hipStream_t stream, hipStreamCaptureStatus* status,
                                      unsigned long long* id, hipGraph_t* graph,
                                      const hipGraphNode_t** after, size_t* count) {
    return returned(give_info(stream, status, id, graph, after, count));
}

hipError_t hipStreamGetCaptureInfo_v2_spt(hipStream_t stream, hipStreamCaptureStatus* status,
                                          unsigned long long* id, hipGraph_t* graph,
                                          const hipGraphNode_t** after, size_t* count) {
    return returned(give_info(per_thread(stream), status, id, graph, after, count));
}

hipError_t hipStreamUpdateCaptureDependencies(hipStream_t stream, hipGraphNode_t* after,
                                              size_t count, unsigned flags) {
    constexpr unsigned set = 1;
    if ((count != 0 && after == nullptr) || flags > set) {
        return returned(hipErrorInvalidValue);
    }
    const state_lock lock(state().mutex);
    ihipStream_t* found = find_stream(stream);
    if (found == nullptr) {
        return returned(hipErrorContextIsDestroyed);
    }
    if (found->captured == nullptr) {
        return returned(hipErrorIllegalState);
    }
    if (!std::all_of(after, after + count, [&](hipGraphNode_t node) {
            return state().nodes.contains(node) && node->graph == found->captured->graph.get();
        })) {
        return returned(hipErrorInvalidValue);
    }
    if (flags == set) {
        found->last.clear();
    }
    found->last.insert(found->last.end(), after, after + count);
    return returned(hipSuccess);
}

hipError_t hipThreadExchangeStreamCaptureMode(hipStreamCaptureMode* mode) {
    if (mode == nullptr || *mode < hipStreamCaptureModeGlobal ||
        *mode > hipStreamCaptureModeRelaxed) {
        return returned(hipErrorInvalidValue);
    }
    std::swap(*mode, thread_mode);
    return returned(hipSuccess);
}

}  // extern "C"
#pragma GCC visibility pop
