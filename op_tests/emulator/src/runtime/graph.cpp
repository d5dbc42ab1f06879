// Graphs: making them, and replaying them.

#include "runtime/graph.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <optional>

#include "runtime/runtime.hpp"

namespace emu {
namespace {

// All that follows up to execute_all is called with the state locked.

bool is_graph(hipGraph_t graph) {
    return state().graphs.contains(graph);
}

bool is_node(hipGraphNode_t node) {
    return state().nodes.contains(node);
}

void release(hipUserObject_t object, unsigned count, std::vector<hipUserObject>& dead) {
    object->references -= std::min(count, object->references);
    if (object->references == 0) {
        dead.push_back(*object);
        state().user_objects.erase(object);
    }
}

std::shared_ptr<ihipGraph> clone(const ihipGraph& graph);

std::shared_ptr<ihipGraph> clone(const ihipGraph& graph) {
    auto copy = std::make_shared<ihipGraph>();
    std::map<const hipGraphNode*, hipGraphNode*> copies;
    for (const auto& node : graph.nodes) {
        hipGraphNode_t made = add_node(*copy, clone(node->what), {});
        made->original = node.get();
        made->enabled = node->enabled;
        copies[node.get()] = made;
    }
    for (const auto& node : graph.nodes) {
        for (const hipGraphNode* before : node->after) {
            copies[node.get()]->after.push_back(copies[before]);
        }
    }
    for (const auto& [object, count] : graph.objects) {
        object->references += count;
        copy->objects[object] += count;
    }
    return copy;
}

hipGraphNode_t find_copy(const ihipGraph& copy, const hipGraphNode* original) {
    const auto found = std::ranges::find_if(
        copy.nodes, [&](const auto& node) { return node->original == original; });
    return found == copy.nodes.end() ? nullptr : found->get();
}

// Every node after those that it depends on, else in the order in which they were added; nothing if
// they go in a circle.
std::optional<std::vector<const hipGraphNode*>> in_order(const ihipGraph& graph) {
    std::vector<const hipGraphNode*> order;
    std::set<const hipGraphNode*> done;
    while (order.size() < graph.nodes.size()) {
        const size_t before = order.size();
        for (const auto& node : graph.nodes) {
            if (!done.contains(node.get()) &&
                std::ranges::all_of(node->after,
                                    [&](const hipGraphNode* n) { return done.contains(n); })) {
                order.push_back(node.get());
                done.insert(node.get());
            }
        }
        if (order.size() == before) {
            return std::nullopt;
        }
    }
    return order;
}

hipError_t add(hipGraphNode_t* node, hipGraph_t graph, const hipGraphNode_t* after, size_t count,
               operation what) {
    const state_lock lock(state().mutex);
    if (node == nullptr || !is_graph(graph) || (count != 0 && after == nullptr)) {
        return hipErrorInvalidValue;
    }
    std::vector<hipGraphNode*> before(after, after + count);
    for (auto n = before.begin(); n != before.end(); ++n) {
        if (!is_node(*n) || (*n)->graph != graph || std::find(before.begin(), n, *n) != n) {
            return hipErrorInvalidValue;
        }
    }
    *node = add_node(*graph, std::move(what), std::move(before));
    return hipSuccess;
}

// The parameters of a node in the terms of the API, and back.

hipError_t launch_of(const hipKernelNodeParams* p, operation& what) {
    if (p == nullptr) {
        return hipErrorInvalidValue;
    }
    run_kernel k;
    const hipError_t error = prepare_launch(p->func, p->gridDim, p->blockDim, p->sharedMemBytes,
                                            p->kernelParams, p->extra, k);
    what = std::move(k);
    return error;
}

hipError_t fill_of(const hipMemsetParams* p, operation& what) {
    if (p == nullptr || (p->elementSize != 1 && p->elementSize != 2 && p->elementSize != 4)) {
        return hipErrorInvalidValue;
    }
    fill_rows f = fill_line(p->dst, p->value, p->elementSize, p->width);
    f.to.pitch = p->pitch;
    f.extent.height = p->height;
    what = f;
    return hipSuccess;
}

hipError_t call_of(const hipHostNodeParams* p, operation& what) {
    if (p == nullptr || p->fn == nullptr) {
        return hipErrorInvalidValue;
    }
    what = call_host{p->fn, p->userData};
    return hipSuccess;
}

template <class Description>
hipError_t copy_of(const Description* p, operation& what) {
    copy_rows c;
    const hipError_t error = rows_of(p, c);
    what = c;
    return error;
}

hipError_t copy_of(void* to, const void* from, size_t bytes, hipMemcpyKind kind, operation& what) {
    what = copy_line(to, from, bytes, kind);
    return to == nullptr || from == nullptr ? hipErrorInvalidValue : hipSuccess;
}

hipError_t copy_of_variable(bool to_variable, void* memory, const void* variable, size_t bytes,
                            size_t offset, hipMemcpyKind kind, operation& what) {
    copy_rows c;
    const hipError_t error = to_variable
                                 ? copy_to_variable(variable, memory, bytes, offset, kind, c)
                                 : copy_from_variable(memory, variable, bytes, offset, kind, c);
    what = c;
    return error;
}

template <class Event>
hipError_t event_of(hipEvent_t event, operation& what) {
    what = Event{event};
    return is_event(event) ? hipSuccess : hipErrorInvalidValue;
}

hipError_t child_of(hipGraph_t graph, operation& what) {
    const state_lock lock(state().mutex);
    if (!is_graph(graph)) {
        return hipErrorInvalidValue;
    }
    what = clone(run_graph{state().graphs[graph]});
    return hipSuccess;
}

hipError_t add_if(hipError_t error, hipGraphNode_t* node, hipGraph_t graph,
                  const hipGraphNode_t* after, size_t count, operation& what) {
    return returned(error != hipSuccess ? error : add(node, graph, after, count, std::move(what)));
}

// Another operation of the same kind in the place of a node's.
hipError_t replace(hipGraphNode_t node, operation& what) {
    if (node->what.index() != what.index()) {
        return hipErrorInvalidValue;
    }
    node->what = std::move(what);
    return hipSuccess;
}

hipError_t set_if(hipError_t error, hipGraphNode_t node, operation& what) {
    if (error != hipSuccess) {
        return returned(error);
    }
    const state_lock lock(state().mutex);
    return returned(is_node(node) ? replace(node, what) : hipErrorInvalidValue);
}

hipError_t set_in_executable_if(hipError_t error, hipGraphExec_t executable, hipGraphNode_t node,
                                operation& what) {
    if (error != hipSuccess) {
        return returned(error);
    }
    const state_lock lock(state().mutex);
    if (!state().executables.contains(executable)) {
        return returned(hipErrorInvalidValue);
    }
    const hipGraphNode_t copy = find_copy(*executable->graph, node);
    return returned(copy == nullptr ? hipErrorInvalidValue : replace(copy, what));
}

// The operation of a node, if it is of that kind.
template <class Kind>
const Kind* operation_of(hipGraphNode_t node) {
    return is_node(node) ? std::get_if<Kind>(&node->what) : nullptr;
}

hipError_t instantiate(hipGraphExec_t* executable, hipGraph_t graph, unsigned long long flags) {
    const state_lock lock(state().mutex);
    // Free on launch, upload, launch by the device, priorities of nodes.
    constexpr unsigned long long known = 15;
    constexpr unsigned long long by_device = 4;
    if (executable == nullptr || !is_graph(graph) || (flags & ~known) != 0 || !in_order(*graph)) {
        return hipErrorInvalidValue;
    }
    if ((flags & by_device) != 0) {
        complain("graphs that the device launches are not supported");
        return hipErrorNotSupported;
    }
    auto made = std::make_shared<hipGraphExec>();
    made->graph = clone(*graph);
    made->flags = flags;
    *executable = made.get();
    state().executables[*executable] = std::move(made);
    return hipSuccess;
}

hipError_t launch_graph(hipGraphExec_t executable, hipStream_t stream) {
    std::shared_ptr<hipGraphExec> found;
    {
        const state_lock lock(state().mutex);
        const auto entry = state().executables.find(executable);
        if (entry == state().executables.end()) {
            return hipErrorInvalidValue;
        }
        found = entry->second;
    }
    return submit(stream, run_graph{found->graph});
}

hipError_t give_nodes(const std::vector<hipGraphNode_t>& nodes, hipGraphNode_t* to, size_t* count) {
    if (to == nullptr) {
        *count = nodes.size();
        return hipSuccess;
    }
    // What is more than there is becomes null.
    for (size_t n = 0; n < *count; ++n) {
        to[n] = n < nodes.size() ? nodes[n] : nullptr;
    }
    *count = std::min(*count, nodes.size());
    return hipSuccess;
}

std::vector<hipGraphNode_t> dependents(const hipGraphNode* node) {
    std::vector<hipGraphNode_t> found;
    for (const auto& n : node->graph->nodes) {
        if (has(n->after, node)) {
            found.push_back(n.get());
        }
    }
    return found;
}

bool same_shape(const ihipGraph& a, const ihipGraph& b) {
    std::map<const hipGraphNode*, const hipGraphNode*> pairs;
    if (a.nodes.size() != b.nodes.size()) {
        return false;
    }
    for (size_t n = 0; n < a.nodes.size(); ++n) {
        pairs[a.nodes[n].get()] = b.nodes[n].get();
    }
    return std::ranges::all_of(a.nodes, [&](const auto& node) {
        std::set<const hipGraphNode*> after;
        for (const hipGraphNode* before : node->after) {
            after.insert(pairs[before]);
        }
        const auto& other = pairs[node.get()]->after;
        return after == std::set<const hipGraphNode*>(other.begin(), other.end());
    });
}

hipGraphExecUpdateResult update(hipGraphExec& executable, const ihipGraph& graph,
                                hipGraphNode_t* wrong) {
    if (!same_shape(*executable.graph, graph)) {
        return hipGraphExecUpdateErrorTopologyChanged;
    }
    for (size_t n = 0; n < graph.nodes.size(); ++n) {
        if (executable.graph->nodes[n]->what.index() != graph.nodes[n]->what.index()) {
            *wrong = graph.nodes[n].get();
            return hipGraphExecUpdateErrorNodeTypeChanged;
        }
    }
    for (size_t n = 0; n < graph.nodes.size(); ++n) {
        executable.graph->nodes[n]->what = clone(graph.nodes[n]->what);
        executable.graph->nodes[n]->original = graph.nodes[n].get();
    }
    return hipGraphExecUpdateSuccess;
}

}  // namespace

void forget(ihipGraph& graph, std::vector<hipUserObject>& dead) {
    runtime_state& s = state();
    for (const auto& node : graph.nodes) {
        s.nodes.erase(node.get());
        if (const auto* child = std::get_if<run_graph>(&node->what)) {
            s.graphs.erase(child->graph.get());
            forget(*child->graph, dead);
        }
    }
    for (const auto& [object, count] : graph.objects) {
        release(object, count, dead);
    }
    graph.objects.clear();
}

// The destructors are the program's and may call HIP.
void destroy(const std::vector<hipUserObject>& dead) {
    for (const hipUserObject& object : dead) {
        object.destroy(object.data);
    }
}

operation clone(const operation& what) {
    if (const auto* child = std::get_if<run_graph>(&what)) {
        run_graph copy{clone(*child->graph)};
        state().graphs[copy.graph.get()] = copy.graph;
        return copy;
    }
    return what;
}

hipGraphNode_t add_node(ihipGraph& graph, operation what, std::vector<hipGraphNode*> after) {
    auto made = std::make_unique<hipGraphNode>();
    made->graph = &graph;
    made->what = std::move(what);
    made->after = std::move(after);
    graph.nodes.push_back(std::move(made));
    state().nodes.insert(graph.nodes.back().get());
    return graph.nodes.back().get();
}

hipError_t execute_all(const ihipGraph& graph, hipStream_t stream) {
    std::vector<operation> operations;
    {
        const state_lock lock(state().mutex);
        const auto order = in_order(graph);
        if (!order) {
            return hipErrorInvalidValue;
        }
        for (const hipGraphNode* node : *order) {
            if (node->enabled) {
                operations.push_back(node->what);
            }
        }
    }
    for (const operation& what : operations) {
        if (const hipError_t error = execute(what, stream); error != hipSuccess) {
            return error;
        }
    }
    return hipSuccess;
}

}  // namespace emu

using namespace emu;

#pragma GCC visibility push(default)
extern "C" {

// ---- graphs and their nodes ----

hipError_t hipGraphCreate(hipGraph_t* graph, unsigned flags) {
    if (graph == nullptr || flags != 0) {
        return returned(hipErrorInvalidValue);
    }
    const state_lock lock(state().mutex);
    auto made = std::make_shared<ihipGraph>();
    *graph = made.get();
    state().graphs[*graph] = std::move(made);
    return hipSuccess;
}

hipError_t hipGraphDestroy(hipGraph_t graph) {
    std::vector<hipUserObject> dead;
    {
        const state_lock lock(state().mutex);
        if (!is_graph(graph)) {
            return returned(hipErrorInvalidValue);
        }
        forget(*graph, dead);
        state().graphs.erase(graph);
    }
    destroy(dead);
    return hipSuccess;
}

hipError_t hipGraphClone(hipGraph_t* copy, hipGraph_t graph) {
    const state_lock lock(state().mutex);
    if (copy == nullptr || !is_graph(graph)) {
        return returned(hipErrorInvalidValue);
    }
    auto made = clone(*graph);
    *copy = made.get();
    state().graphs[*copy] = std::move(made);
    return hipSuccess;
}

hipError_t hipGraphNodeFindInClone(hipGraphNode_t* node, hipGraphNode_t original, hipGraph_t copy) {
    const state_lock lock(state().mutex);
    if (node == nullptr || !is_graph(copy)) {
        return returned(hipErrorInvalidValue);
    }
    *node = find_copy(*copy, original);
    return returned(*node == nullptr ? hipErrorInvalidValue : hipSuccess);
}

hipError_t hipGraphDestroyNode(hipGraphNode_t node) {
    std::vector<hipUserObject> dead;
    {
        const state_lock lock(state().mutex);
        if (!is_node(node)) {
            return returned(hipErrorInvalidValue);
        }
        if (const auto* child = std::get_if<run_graph>(&node->what)) {
            state().graphs.erase(child->graph.get());
            forget(*child->graph, dead);
        }
        state().nodes.erase(node);
        ihipGraph& graph = *node->graph;
        for (const auto& n : graph.nodes) {
            std::erase(n->after, node);
        }
        std::erase_if(graph.nodes, [&](const auto& n) { return n.get() == node; });
    }
    destroy(dead);
    return hipSuccess;
}

hipError_t hipGraphAddDependencies(hipGraph_t graph, const hipGraphNode_t* from,
                                   const hipGraphNode_t* to, size_t count) {
    const state_lock lock(state().mutex);
    if (!is_graph(graph) || (count != 0 && (from == nullptr || to == nullptr))) {
        return returned(hipErrorInvalidValue);
    }
    for (size_t n = 0; n < count; ++n) {
        if (!is_node(from[n]) || !is_node(to[n]) || from[n] == to[n] || from[n]->graph != graph ||
            to[n]->graph != graph || has(to[n]->after, from[n])) {
            return returned(hipErrorInvalidValue);
        }
    }
    for (size_t n = 0; n < count; ++n) {
        to[n]->after.push_back(from[n]);
    }
    return hipSuccess;
}

hipError_t hipGraphRemoveDependencies(hipGraph_t graph, const hipGraphNode_t* from,
                                      const hipGraphNode_t* to, size_t count) {
    const state_lock lock(state().mutex);
    if (!is_graph(graph) || (count != 0 && (from == nullptr || to == nullptr))) {
        return returned(hipErrorInvalidValue);
    }
    for (size_t n = 0; n < count; ++n) {
        if (!is_node(to[n]) || to[n]->graph != graph || !has(to[n]->after, from[n])) {
            return returned(hipErrorInvalidValue);
        }
    }
    for (size_t n = 0; n < count; ++n) {
        std::erase(to[n]->after, from[n]);
    }
    return hipSuccess;
}

hipError_t hipGraphGetNodes(hipGraph_t graph, hipGraphNode_t* nodes, size_t* count) {
    const state_lock lock(state().mutex);
    if (count == nullptr || !is_graph(graph)) {
        return returned(hipErrorInvalidValue);
    }
    std::vector<hipGraphNode_t> all;
    for (const auto& node : graph->nodes) {
        all.push_back(node.get());
    }
    return returned(give_nodes(all, nodes, count));
}

hipError_t hipGraphGetRootNodes(hipGraph_t graph, hipGraphNode_t* nodes, size_t* count) {
    const state_lock lock(state().mutex);
    if (count == nullptr || !is_graph(graph)) {
        return returned(hipErrorInvalidValue);
    }
    std::vector<hipGraphNode_t> roots;
    for (const auto& node : graph->nodes) {
        if (node->after.empty()) {
            roots.push_back(node.get());
        }
    }
    return returned(give_nodes(roots, nodes, count));
}

hipError_t hipGraphGetEdges(hipGraph_t graph, hipGraphNode_t* from, hipGraphNode_t* to,
                            size_t* count) {
    const state_lock lock(state().mutex);
    if (count == nullptr || !is_graph(graph) || (from == nullptr) != (to == nullptr)) {
        return returned(hipErrorInvalidValue);
    }
    std::vector<hipGraphNode_t> starts;
    std::vector<hipGraphNode_t> ends;
    for (const auto& node : graph->nodes) {
        for (hipGraphNode* before : node->after) {
            starts.push_back(before);
            ends.push_back(node.get());
        }
    }
    size_t of_ends = *count;
    give_nodes(starts, from, count);
    return returned(give_nodes(ends, to, &of_ends));
}

hipError_t hipGraphNodeGetDependencies(hipGraphNode_t node, hipGraphNode_t* nodes, size_t* count) {
    const state_lock lock(state().mutex);
    if (count == nullptr || !is_node(node)) {
        return returned(hipErrorInvalidValue);
    }
    return returned(give_nodes(node->after, nodes, count));
}

hipError_t hipGraphNodeGetDependentNodes(hipGraphNode_t node, hipGraphNode_t* nodes,
                                         size_t* count) {
    const state_lock lock(state().mutex);
    if (count == nullptr || !is_node(node)) {
        return returned(hipErrorInvalidValue);
    }
    return returned(give_nodes(dependents(node), nodes, count));
}

hipError_t hipGraphNodeGetType(hipGraphNode_t node, hipGraphNodeType* type) {
    const state_lock lock(state().mutex);
    if (type == nullptr || !is_node(node)) {
        return returned(hipErrorInvalidValue);
    }
    *type = type_of(node->what);
    return hipSuccess;
}

// Nodes and dependencies as a graph for Graphviz; the flags ask for more than that.
hipError_t hipGraphDebugDotPrint(hipGraph_t graph, const char* path, unsigned flags) {
    if (flags != 0) {
        complain("hipGraphDebugDotPrint: flags 0x%x are not supported", flags);
        return returned(hipErrorNotSupported);
    }
    const state_lock lock(state().mutex);
    if (path == nullptr || !is_graph(graph)) {
        return returned(hipErrorInvalidValue);
    }
    constexpr const char* names[] = {"kernel", "memcpy", "memset",     "host",
                                     "graph",  "empty",  "wait event", "record event"};
    std::ofstream file(path);
    file << "digraph {\n";
    for (const auto& node : graph->nodes) {
        file << "  \"" << node.get() << "\" [label=\"" << names[type_of(node->what)] << "\"];\n";
        for (const hipGraphNode* before : node->after) {
            file << "  \"" << before << "\" -> \"" << node.get() << "\";\n";
        }
    }
    file << "}\n";
    file.close();
    return returned(file ? hipSuccess : hipErrorOperatingSystem);
}

// ---- adding, reading and changing nodes ----

hipError_t hipGraphAddEmptyNode(hipGraphNode_t* node, hipGraph_t graph, const hipGraphNode_t* after,
                                size_t count) {
    return returned(add(node, graph, after, count, do_nothing{}));
}

hipError_t hipGraphAddKernelNode(hipGraphNode_t* node, hipGraph_t graph,
                                 const hipGraphNode_t* after, size_t count,
                                 const hipKernelNodeParams* parameters) {
    operation what;
    return add_if(launch_of(parameters, what), node, graph, after, count, what);
}

hipError_t hipGraphKernelNodeGetParams(hipGraphNode_t node, hipKernelNodeParams* parameters) {
    const void* function = nullptr;
    {
        const state_lock lock(state().mutex);
        const auto* k = operation_of<run_kernel>(node);
        if (parameters == nullptr || k == nullptr) {
            return returned(hipErrorInvalidValue);
        }
        function = k->function;
    }
    const found_kernel found = kernel_of_either(function);
    if (found.error != hipSuccess) {
        return returned(found.error);
    }
    const state_lock lock(state().mutex);
    auto& k = std::get<run_kernel>(node->what);
    node->argument_pointers.clear();
    for (const kernel_argument& a : found.kernel->arguments) {
        if (!a.is_hidden()) {
            node->argument_pointers.push_back(k.arguments.data() + a.offset);
        }
    }
    const auto to_dim3 = [](const std::array<uint32_t, 3>& d) { return dim3{d[0], d[1], d[2]}; };
    *parameters = {to_dim3(k.config.threads),      nullptr,
                   const_cast<void*>(k.function),  to_dim3(k.config.groups),
                   node->argument_pointers.data(), static_cast<unsigned>(k.config.dynamic_lds)};
    return hipSuccess;
}

hipError_t hipGraphKernelNodeSetParams(hipGraphNode_t node, const hipKernelNodeParams* parameters) {
    operation what;
    return set_if(launch_of(parameters, what), node, what);
}

hipError_t hipGraphExecKernelNodeSetParams(hipGraphExec_t executable, hipGraphNode_t node,
                                           const hipKernelNodeParams* parameters) {
    operation what;
    return set_in_executable_if(launch_of(parameters, what), executable, node, what);
}

hipError_t hipGraphAddMemcpyNode(hipGraphNode_t* node, hipGraph_t graph,
                                 const hipGraphNode_t* after, size_t count,
                                 const hipMemcpy3DParms* parameters) {
    operation what;
    return add_if(copy_of(parameters, what), node, graph, after, count, what);
}

// As the block that is copied: positions are in the pointers.
hipError_t hipGraphMemcpyNodeGetParams(hipGraphNode_t node, hipMemcpy3DParms* parameters) {
    const state_lock lock(state().mutex);
    const auto* c = operation_of<copy_rows>(node);
    if (parameters == nullptr || c == nullptr) {
        return returned(hipErrorInvalidValue);
    }
    const auto pointer = [&](const rows& r) {
        return hipPitchedPtr{r.begin, r.pitch, c->extent.width,
                             r.pitch == 0 ? c->extent.height : r.slice / r.pitch};
    };
    *parameters = {nullptr, {}, pointer(c->from), nullptr, {}, pointer(c->to), c->extent, c->kind};
    return hipSuccess;
}

hipError_t hipGraphMemcpyNodeSetParams(hipGraphNode_t node, const hipMemcpy3DParms* parameters) {
    operation what;
    return set_if(copy_of(parameters, what), node, what);
}

hipError_t hipGraphExecMemcpyNodeSetParams(hipGraphExec_t executable, hipGraphNode_t node,
                                           hipMemcpy3DParms* parameters) {
    operation what;
    return set_in_executable_if(copy_of(parameters, what), executable, node, what);
}

hipError_t hipGraphAddMemcpyNode1D(hipGraphNode_t* node, hipGraph_t graph,
                                   const hipGraphNode_t* after, size_t count, void* to,
                                   const void* from, size_t bytes, hipMemcpyKind kind) {
    operation what;
    return add_if(copy_of(to, from, bytes, kind, what), node, graph, after, count, what);
}

hipError_t hipGraphMemcpyNodeSetParams1D(hipGraphNode_t node, void* to, const void* from,
                                         size_t bytes, hipMemcpyKind kind) {
    operation what;
    return set_if(copy_of(to, from, bytes, kind, what), node, what);
}

hipError_t hipGraphExecMemcpyNodeSetParams1D(hipGraphExec_t executable, hipGraphNode_t node,
                                             void* to, const void* from, size_t bytes,
                                             hipMemcpyKind kind) {
    operation what;
    return set_in_executable_if(copy_of(to, from, bytes, kind, what), executable, node, what);
}

hipError_t hipGraphAddMemcpyNodeFromSymbol(hipGraphNode_t* node, hipGraph_t graph,
                                           const hipGraphNode_t* after, size_t count, void* to,
                                           const void* variable, size_t bytes, size_t offset,
                                           hipMemcpyKind kind) {
    operation what;
    return add_if(copy_of_variable(false, to, variable, bytes, offset, kind, what), node, graph,
                  after, count, what);
}

hipError_t hipGraphMemcpyNodeSetParamsFromSymbol(hipGraphNode_t node, void* to,
                                                 const void* variable, size_t bytes, size_t offset,
                                                 hipMemcpyKind kind) {
    operation what;
    return set_if(copy_of_variable(false, to, variable, bytes, offset, kind, what), node, what);
}

hipError_t hipGraphExecMemcpyNodeSetParamsFromSymbol(hipGraphExec_t executable, hipGraphNode_t node,
                                                     void* to, const void* variable, size_t bytes,
                                                     size_t offset, hipMemcpyKind kind) {
    operation what;
    return set_in_executable_if(copy_of_variable(false, to, variable, bytes, offset, kind, what),
                                executable, node, what);
}

hipError_t hipGraphAddMemcpyNodeToSymbol(hipGraphNode_t* node, hipGraph_t graph,
                                         const hipGraphNode_t* after, size_t count,
                                         const void* variable, const void* from, size_t bytes,
                                         size_t offset, hipMemcpyKind kind) {
    operation what;
    return add_if(
        copy_of_variable(true, const_cast<void*>(from), variable, bytes, offset, kind, what), node,
        graph, after, count, what);
}

hipError_t hipGraphMemcpyNodeSetParamsToSymbol(hipGraphNode_t node, const void* variable,
                                               const void* from, size_t bytes, size_t offset,
                                               hipMemcpyKind kind) {
    operation what;
    return set_if(
        copy_of_variable(true, const_cast<void*>(from), variable, bytes, offset, kind, what), node,
        what);
}

hipError_t hipGraphExecMemcpyNodeSetParamsToSymbol(hipGraphExec_t executable, hipGraphNode_t node,
                                                   const void* variable, const void* from,
                                                   size_t bytes, size_t offset,
                                                   hipMemcpyKind kind) {
    operation what;
    return set_in_executable_if(
        copy_of_variable(true, const_cast<void*>(from), variable, bytes, offset, kind, what),
        executable, node, what);
}

hipError_t hipGraphAddMemsetNode(hipGraphNode_t* node, hipGraph_t graph,
                                 const hipGraphNode_t* after, size_t count,
                                 const hipMemsetParams* parameters) {
    operation what;
    return add_if(fill_of(parameters, what), node, graph, after, count, what);
}

hipError_t hipGraphMemsetNodeGetParams(hipGraphNode_t node, hipMemsetParams* parameters) {
    const state_lock lock(state().mutex);
    const auto* f = operation_of<fill_rows>(node);
    if (parameters == nullptr || f == nullptr) {
        return returned(hipErrorInvalidValue);
    }
    *parameters = {f->to.begin,
                   f->element_bytes,
                   f->extent.height,
                   f->to.pitch,
                   static_cast<unsigned>(f->value),
                   f->extent.width};
    return hipSuccess;
}

hipError_t hipGraphMemsetNodeSetParams(hipGraphNode_t node, const hipMemsetParams* parameters) {
    operation what;
    return set_if(fill_of(parameters, what), node, what);
}

hipError_t hipGraphExecMemsetNodeSetParams(hipGraphExec_t executable, hipGraphNode_t node,
                                           const hipMemsetParams* parameters) {
    operation what;
    return set_in_executable_if(fill_of(parameters, what), executable, node, what);
}

hipError_t hipGraphAddHostNode(hipGraphNode_t* node, hipGraph_t graph, const hipGraphNode_t* after,
                               size_t count, const hipHostNodeParams* parameters) {
    operation what;
    return add_if(call_of(parameters, what), node, graph, after, count, what);
}

hipError_t hipGraphHostNodeGetParams(hipGraphNode_t node, hipHostNodeParams* parameters) {
    const state_lock lock(state().mutex);
    const auto* c = operation_of<call_host>(node);
    if (parameters == nullptr || c == nullptr) {
        return returned(hipErrorInvalidValue);
    }
    *parameters = {c->function, c->data};
    return hipSuccess;
}

hipError_t hipGraphHostNodeSetParams(hipGraphNode_t node, const hipHostNodeParams* parameters) {
    operation what;
    return set_if(call_of(parameters, what), node, what);
}

hipError_t hipGraphExecHostNodeSetParams(hipGraphExec_t executable, hipGraphNode_t node,
                                         const hipHostNodeParams* parameters) {
    operation what;
    return set_in_executable_if(call_of(parameters, what), executable, node, what);
}

hipError_t hipGraphAddChildGraphNode(hipGraphNode_t* node, hipGraph_t graph,
                                     const hipGraphNode_t* after, size_t count, hipGraph_t child) {
    operation what;
    return add_if(child_of(child, what), node, graph, after, count, what);
}

hipError_t hipGraphChildGraphNodeGetGraph(hipGraphNode_t node, hipGraph_t* graph) {
    const state_lock lock(state().mutex);
    const auto* child = operation_of<run_graph>(node);
    if (graph == nullptr || child == nullptr) {
        return returned(hipErrorInvalidValue);
    }
    *graph = child->graph.get();
    return hipSuccess;
}

hipError_t hipGraphExecChildGraphNodeSetParams(hipGraphExec_t executable, hipGraphNode_t node,
                                               hipGraph_t child) {
    operation what;
    return set_in_executable_if(child_of(child, what), executable, node, what);
}

hipError_t hipGraphAddEventRecordNode(hipGraphNode_t* node, hipGraph_t graph,
                                      const hipGraphNode_t* after, size_t count, hipEvent_t event) {
    operation what;
    return add_if(event_of<record_event>(event, what), node, graph, after, count, what);
}

hipError_t hipGraphEventRecordNodeGetEvent(hipGraphNode_t node, hipEvent_t* event) {
    const state_lock lock(state().mutex);
    const auto* r = operation_of<record_event>(node);
    if (event == nullptr || r == nullptr) {
        return returned(hipErrorInvalidValue);
    }
    *event = r->event;
    return hipSuccess;
}

hipError_t hipGraphEventRecordNodeSetEvent(hipGraphNode_t node, hipEvent_t event) {
    operation what;
    return set_if(event_of<record_event>(event, what), node, what);
}

hipError_t hipGraphExecEventRecordNodeSetEvent(hipGraphExec_t executable, hipGraphNode_t node,
                                               hipEvent_t event) {
    operation what;
    return set_in_executable_if(event_of<record_event>(event, what), executable, node, what);
}

hipError_t hipGraphAddEventWaitNode(hipGraphNode_t* node, hipGraph_t graph,
                                    const hipGraphNode_t* after, size_t count, hipEvent_t event) {
    operation what;
    return add_if(event_of<wait_event>(event, what), node, graph, after, count, what);
}

hipError_t hipGraphEventWaitNodeGetEvent(hipGraphNode_t node, hipEvent_t* event) {
    const state_lock lock(state().mutex);
    const auto* w = operation_of<wait_event>(node);
    if (event == nullptr || w == nullptr) {
        return returned(hipErrorInvalidValue);
    }
    *event = w->event;
    return hipSuccess;
}

hipError_t hipGraphEventWaitNodeSetEvent(hipGraphNode_t node, hipEvent_t event) {
    operation what;
    return set_if(event_of<wait_event>(event, what), node, what);
}

hipError_t hipGraphExecEventWaitNodeSetEvent(hipGraphExec_t executable, hipGraphNode_t node,
                                             hipEvent_t event) {
    operation what;
    return set_in_executable_if(event_of<wait_event>(event, what), executable, node, what);
}

hipError_t hipDrvGraphAddMemcpyNode(hipGraphNode_t* node, hipGraph_t graph,
                                    const hipGraphNode_t* after, size_t count,
                                    const HIP_MEMCPY3D* parameters, hipCtx_t context) {
    operation what;
    const hipError_t error = check_context(context);
    return add_if(error != hipSuccess ? error : copy_of(parameters, what), node, graph, after,
                  count, what);
}

hipError_t hipDrvGraphMemcpyNodeSetParams(hipGraphNode_t node, const HIP_MEMCPY3D* parameters) {
    operation what;
    return set_if(copy_of(parameters, what), node, what);
}

hipError_t hipDrvGraphExecMemcpyNodeSetParams(hipGraphExec_t executable, hipGraphNode_t node,
                                              const HIP_MEMCPY3D* parameters, hipCtx_t context) {
    operation what;
    const hipError_t error = check_context(context);
    return set_in_executable_if(error != hipSuccess ? error : copy_of(parameters, what), executable,
                                node, what);
}

// ---- executable graphs ----

hipError_t hipGraphInstantiate(hipGraphExec_t* executable, hipGraph_t graph,
                               hipGraphNode_t* wrong_node, char* log, size_t log_bytes) {
    if (wrong_node != nullptr) {
        *wrong_node = nullptr;
    }
    if (log != nullptr && log_bytes != 0) {
        *log = '\0';
    }
    return returned(instantiate(executable, graph, 0));
}

hipError_t hipGraphInstantiateWithFlags(hipGraphExec_t* executable, hipGraph_t graph,
                                        unsigned long long flags) {
    return returned(instantiate(executable, graph, flags));
}

hipError_t hipGraphInstantiateWithParams(hipGraphExec_t* executable, hipGraph_t graph,
                                         hipGraphInstantiateParams* parameters) {
    if (parameters == nullptr) {
        return returned(hipErrorInvalidValue);
    }
    const hipError_t error = is_stream(parameters->uploadStream)
                                 ? instantiate(executable, graph, parameters->flags)
                                 : hipErrorInvalidHandle;
    parameters->errNode_out = nullptr;
    parameters->result_out =
        error == hipSuccess ? hipGraphInstantiateSuccess : hipGraphInstantiateError;
    return returned(error);
}

hipError_t hipGraphExecDestroy(hipGraphExec_t executable) {
    std::vector<hipUserObject> dead;
    std::shared_ptr<hipGraphExec> found;  // until the state is no longer locked
    {
        const state_lock lock(state().mutex);
        const auto entry = state().executables.find(executable);
        if (entry == state().executables.end()) {
            return returned(hipErrorInvalidValue);
        }
        found = entry->second;
        forget(*found->graph, dead);
        state().executables.erase(entry);
    }
    destroy(dead);
    return hipSuccess;
}

hipError_t hipGraphLaunch(hipGraphExec_t executable, hipStream_t stream) {
    return returned(launch_graph(executable, stream));
}

hipError_t hipGraphLaunch_spt(hipGraphExec_t executable, hipStream_t stream) {
    return returned(launch_graph(executable, per_thread(stream)));
}

// There is nothing to bring anywhere.
hipError_t hipGraphUpload(hipGraphExec_t executable, hipStream_t stream) {
    if (!is_stream(stream)) {
        return returned(hipErrorInvalidHandle);
    }
    const state_lock lock(state().mutex);
    return returned(state().executables.contains(executable) ? hipSuccess : hipErrorInvalidValue);
}

hipError_t hipGraphExecGetFlags(hipGraphExec_t executable, unsigned long long* flags) {
    const state_lock lock(state().mutex);
    if (flags == nullptr || !state().executables.contains(executable)) {
        return returned(hipErrorInvalidValue);
    }
    *flags = executable->flags;
    return hipSuccess;
}

hipError_t hipGraphExecUpdate(hipGraphExec_t executable, hipGraph_t graph,
                              hipGraphNode_t* wrong_node, hipGraphExecUpdateResult* result) {
    const state_lock lock(state().mutex);
    if (wrong_node == nullptr || result == nullptr || !is_graph(graph) ||
        !state().executables.contains(executable)) {
        return returned(hipErrorInvalidValue);
    }
    *wrong_node = nullptr;
    *result = update(*executable, *graph, wrong_node);
    return returned(*result == hipGraphExecUpdateSuccess ? hipSuccess
                                                         : hipErrorGraphExecUpdateFailure);
}

hipError_t hipGraphNodeSetEnabled(hipGraphExec_t executable, hipGraphNode_t node,
                                  unsigned enabled) {
    const state_lock lock(state().mutex);
    const hipGraphNode_t copy =
        state().executables.contains(executable) ? find_copy(*executable->graph, node) : nullptr;
    if (copy == nullptr || type_of(copy->what) > hipGraphNodeTypeMemset) {
        return returned(hipErrorInvalidValue);  // only kernels, copies and fills
    }
    copy->enabled = enabled != 0;
    return hipSuccess;
}

hipError_t hipGraphNodeGetEnabled(hipGraphExec_t executable, hipGraphNode_t node,
                                  unsigned* enabled) {
    const state_lock lock(state().mutex);
    const hipGraphNode_t copy =
        state().executables.contains(executable) ? find_copy(*executable->graph, node) : nullptr;
    if (enabled == nullptr || copy == nullptr || type_of(copy->what) > hipGraphNodeTypeMemset) {
        return returned(hipErrorInvalidValue);
    }
    *enabled = copy->enabled ? 1 : 0;
    return hipSuccess;
}

// ---- user objects: destroyed when nobody holds them any more ----

hipError_t hipUserObjectCreate(hipUserObject_t* object, void* data, hipHostFn_t destroy,
                               unsigned references, unsigned flags) {
    constexpr unsigned no_synchronisation = 1;
    if (object == nullptr || destroy == nullptr || references == 0 || flags != no_synchronisation) {
        return returned(hipErrorInvalidValue);
    }
    const state_lock lock(state().mutex);
    auto made = std::make_unique<hipUserObject>(hipUserObject{data, destroy, references});
    *object = made.get();
    state().user_objects[*object] = std::move(made);
    return hipSuccess;
}

hipError_t hipUserObjectRetain(hipUserObject_t object, unsigned count) {
    const state_lock lock(state().mutex);
    if (count == 0 || !state().user_objects.contains(object)) {
        return returned(hipErrorInvalidValue);
    }
    object->references += count;
    return hipSuccess;
}

hipError_t hipUserObjectRelease(hipUserObject_t object, unsigned count) {
    std::vector<hipUserObject> dead;
    {
        const state_lock lock(state().mutex);
        if (count == 0 || !state().user_objects.contains(object) || object->references < count) {
            return returned(hipErrorInvalidValue);
        }
        release(object, count, dead);
    }
    destroy(dead);
    return hipSuccess;
}

hipError_t hipGraphRetainUserObject(hipGraph_t graph, hipUserObject_t object, unsigned count,
                                    unsigned flags) {
    constexpr unsigned move = 1;
    const state_lock lock(state().mutex);
    if (count == 0 || flags > move || !is_graph(graph) || !state().user_objects.contains(object)) {
        return returned(hipErrorInvalidValue);
    }
    if (flags != move) {
        object->references += count;
    }
    graph->objects[object] += count;
    return hipSuccess;
}

hipError_t hipGraphReleaseUserObject(hipGraph_t graph, hipUserObject_t object, unsigned count) {
    std::vector<hipUserObject> dead;
    {
        const state_lock lock(state().mutex);
        if (count == 0 || !is_graph(graph)) {
            return returned(hipErrorInvalidValue);
        }
        const auto held = graph->objects.find(object);
        if (held == graph->objects.end() || held->second < count) {
            return returned(hipErrorInvalidValue);
        }
        held->second -= count;
        if (held->second == 0) {
            graph->objects.erase(held);
        }
        release(object, count, dead);
    }
    destroy(dead);
    return hipSuccess;
}

}  // extern "C"
#pragma GCC visibility pop
