// Graphs: operations with what has to come before each, and streams that are captured to them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "runtime/operation.hpp"

struct hipGraphNode {
    ihipGraph* graph = nullptr;
    emu::operation what;
    std::vector<hipGraphNode*> after;        // in the order in which they were named
    const hipGraphNode* original = nullptr;  // of a clone
    bool enabled = true;
    std::vector<void*> argument_pointers;  // of a kernel, for who asks for its parameters
};

struct hipUserObject {
    void* data = nullptr;
    hipHostFn_t destroy = nullptr;
    unsigned references = 0;
};

struct ihipGraph {
    std::vector<std::unique_ptr<hipGraphNode>> nodes;  // in the order in which they were added
    std::map<hipUserObject_t, unsigned> objects;       // references that the graph holds
};

struct hipGraphExec {
    std::shared_ptr<ihipGraph> graph;  // a copy
    unsigned long long flags = 0;
};

namespace emu {

// A stream that is captured, with those that have joined it.
struct capture {
    std::shared_ptr<ihipGraph> graph;
    unsigned long long id = 0;
    const ihipStream_t* origin = nullptr;
    hipStreamCaptureMode mode = hipStreamCaptureModeGlobal;
    uint64_t thread = 0;  // that began it: this_thread()
    bool is_new = false;  // the graph, which is destroyed if the capture fails
    bool invalidated = false;
};

inline bool has(const std::vector<hipGraphNode*>& nodes, const hipGraphNode* node) {
    return std::ranges::find(nodes, node) != nodes.end();
}

// Adds a node. @pre the state is locked
hipGraphNode_t add_node(ihipGraph& graph, operation what, std::vector<hipGraphNode*> after);

// A copy of it: of a child graph there is another one.
operation clone(const operation& what);

// Its nodes and children are no longer valid handles. What it was the last to hold goes to `dead`;
// destroy() is not to be called with the state locked.
void forget(ihipGraph& graph, std::vector<hipUserObject>& dead);
void destroy(const std::vector<hipUserObject>& dead);

// Does all operations, each after what it depends on; the first error ends it. A circle is
// hipErrorInvalidValue.
hipError_t execute_all(const ihipGraph& graph, hipStream_t stream);

}  // namespace emu
