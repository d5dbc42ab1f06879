// Graphs: making them, and replaying them.

#include "runtime/graph.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <functional>
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

// An object that is gone is ignored: a program may have released what a graph still names.
void release(hipUserObject_t object, unsigned count, std::vector<hipUserObject>& dead) {
    if (!state().user_objects.contains(object)) {
        return;
    }
    object->references -= std::min(count, object->references);
    if (object->references == 0) {
        dead.push_back(*object);
        state().user_objects.erase(object);
    }
}

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
        if (state().user_objects.contains(object)) {
            object->references += count;
            copy->objects[object] += count;
        }
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

// What a node is made to do, or why there is nothing.
struct made_operation {
    hipError_t error = hipSuccess;
    operation what;
};

// The parameters of a node in the terms of the API, as an operation.

made_operation launch_of(const hipKernelNodeParams* p) {
    if (p == nullptr) {
        return {hipErrorInvalidValue, {}};
    }
    run_kernel k;
    const hipError_t error = prepare_launch(p->func, p->gridDim, p->blockDim, p->sharedMemBytes,
                                            p->kernelParams, p->extra, k);
    return {error, std::move(k)};
}

// A stream finds out when it copies; whoever makes a node is told at once.
made_operation checked(hipError_t error, const copy_rows& c) {
    if (error == hipSuccess) {
        const bool has_both = c.to.begin != nullptr && c.from.begin != nullptr;
        error = has_both ? answer_to(c) : hipErrorInvalidValue;
    }
    return {error, c};
}

// Where HIP 7 has elementSize, HIP 6 has the upper half of the height, which is 0.
bool is_of_6(const hipMemsetParams& p) {
    return p.elementSize == 0;
}

template <class Params>
made_operation fill_of_either(const Params& p) {
    if (p.elementSize != 1 && p.elementSize != 2 && p.elementSize != 4) {
        return {hipErrorInvalidValue, {}};
    }
    fill_rows f = fill_line(p.dst, p.value, p.elementSize, p.width);
    f.to.pitch = p.pitch;
    f.extent.height = p.height;
    f.is_of_6 = std::is_same_v<Params, hipMemsetParams_of_6>;
    return {p.height == 0 ? hipErrorInvalidValue : answer_to(f), f};
}

made_operation fill_of(const hipMemsetParams* p) {
    if (p == nullptr) {
        return {hipErrorInvalidValue, {}};
    }
    return is_of_6(*p) ? fill_of_either(*reinterpret_cast<const hipMemsetParams_of_6*>(p))
                       : fill_of_either(*p);
}

made_operation call_of(const hipHostNodeParams* p) {
    if (p == nullptr || p->fn == nullptr) {
        return {hipErrorInvalidValue, {}};
    }
    return {hipSuccess, call_host{p->fn, p->userData}};
}

template <class Description>
made_operation copy_of(const Description* p) {
    copy_rows c;
    const hipError_t error = rows_of(p, c);
    return checked(error, c);
}

made_operation copy_of(const HIP_MEMCPY3D* p, hipCtx_t context) {
    const hipError_t error = check_context(context);
    return error != hipSuccess ? made_operation{error, {}} : copy_of(p);
}

made_operation copy_of(void* to, const void* from, size_t bytes, hipMemcpyKind kind) {
    return checked(hipSuccess, copy_line(to, from, bytes, kind));
}

made_operation copy_of_variable_to(void* to, const void* variable, size_t bytes, size_t offset,
                                   hipMemcpyKind kind) {
    copy_rows c;
    const hipError_t error = copy_from_variable(to, variable, bytes, offset, kind, c);
    return checked(error, c);
}

made_operation copy_to_variable_of(const void* variable, const void* from, size_t bytes,
                                   size_t offset, hipMemcpyKind kind) {
    copy_rows c;
    const hipError_t error = copy_to_variable(variable, from, bytes, offset, kind, c);
    return checked(error, c);
}

// Of record_event or wait_event.
template <class Kind>
made_operation event_of(hipEvent_t event) {
    return {is_event(event) ? hipSuccess : hipErrorInvalidValue, Kind{event}};
}

made_operation child_of(hipGraph_t graph) {
    const state_lock lock(state().mutex);
    if (!is_graph(graph)) {
        return {hipErrorInvalidValue, {}};
    }
    return {hipSuccess, run_graph{state().graphs[graph]}};  // who takes it clones it
}

// A function that may be the last to let go of user objects: `change` gives its error and adds them
// to a list.
template <class Change>
hipError_t let_go(Change change) {
    std::vector<hipUserObject> dead;
    hipError_t error = hipSuccess;
    {
        const state_lock lock(state().mutex);
        error = change(dead);
    }
    destroy(dead);
    return returned(error);
}

// A child graph is no longer a valid handle.
void forget(const operation& what, std::vector<hipUserObject>& dead) {
    if (const auto* child = std::get_if<run_graph>(&what)) {
        state().graphs.erase(child->graph.get());
        emu::forget(*child->graph, dead);
    }
}

void replace(operation& old, const operation& what, std::vector<hipUserObject>& dead) {
    operation copy = emu::clone(what);
    forget(old, dead);
    old = std::move(copy);
}

// A function that adds a node, and those that change what a node, or its copy in an executable
// graph, does.

hipError_t add(hipGraphNode_t* node, hipGraph_t graph, const hipGraphNode_t* after, size_t count,
               const made_operation& made) {
    if (made.error != hipSuccess) {
        return returned(made.error);
    }
    const state_lock lock(state().mutex);
    if (node == nullptr || !is_graph(graph) || (count != 0 && after == nullptr)) {
        return returned(hipErrorInvalidValue);
    }
    std::vector<hipGraphNode*> before(after, after + count);
    for (auto n = before.begin(); n != before.end(); ++n) {
        if (!is_node(*n) || (*n)->graph != graph || std::find(before.begin(), n, *n) != n) {
            return returned(hipErrorInvalidValue);
        }
    }
    *node = add_node(*graph, emu::clone(made.what), std::move(before));
    return hipSuccess;
}

// With another operation of the same kind. `find` finds the node, with the state locked.
template <class Find>
hipError_t set_found(const made_operation& made, Find find) {
    if (made.error != hipSuccess) {
        return returned(made.error);
    }
    return let_go([&](std::vector<hipUserObject>& dead) {
        const hipGraphNode_t found = find();
        if (found == nullptr || found->what.index() != made.what.index()) {
            return hipErrorInvalidValue;
        }
        replace(found->what, made.what, dead);
        return hipSuccess;
    });
}

hipError_t set(hipGraphNode_t node, const made_operation& made) {
    return set_found(made, [&] { return is_node(node) ? node : nullptr; });
}

hipGraphNode_t node_in(hipGraphExec_t executable, hipGraphNode_t original) {
    return state().executables.contains(executable) ? find_copy(*executable->graph, original)
                                                    : nullptr;
}

hipError_t set(hipGraphExec_t executable, hipGraphNode_t node, const made_operation& made) {
    return set_found(made, [&] { return node_in(executable, node); });
}

// The operation of a node, if it is of that kind.
template <class Kind>
const Kind* operation_of(hipGraphNode_t node) {
    return is_node(node) ? std::get_if<Kind>(&node->what) : nullptr;
}

// A function that reads what a node does: `read` says it in the terms of the API.
template <class Kind, class Parameters, class Read>
hipError_t get(hipGraphNode_t node, Parameters* parameters, Read read) {
    const state_lock lock(state().mutex);
    const auto* what = operation_of<Kind>(node);
    if (parameters == nullptr || what == nullptr) {
        return returned(hipErrorInvalidValue);
    }
    *parameters = read(*what);
    return returned(hipSuccess);
}

// A node of an executable graph that can be switched off: a kernel, a copy or a fill; else null.
hipGraphNode_t switch_in(hipGraphExec_t executable, hipGraphNode_t original) {
    const hipGraphNode_t copy = node_in(executable, original);
    return copy != nullptr && type_of(copy->what) <= hipGraphNodeTypeMemset ? copy : nullptr;
}

// A function that changes dependencies: all of them or, unless all are right and each is there once,
// none.
template <class IsRight, class Change>
hipError_t change_dependencies(hipGraph_t graph, const hipGraphNode_t* from,
                               const hipGraphNode_t* to, size_t count, IsRight is_right,
                               Change change) {
    const state_lock lock(state().mutex);
    if (!is_graph(graph) || (count != 0 && (from == nullptr || to == nullptr))) {
        return returned(hipErrorInvalidValue);
    }
    std::set<std::pair<hipGraphNode_t, hipGraphNode_t>> pairs;
    for (size_t n = 0; n < count; ++n) {
        if (!is_node(to[n]) || to[n]->graph != graph || !is_right(from[n], *to[n]) ||
            !pairs.emplace(from[n], to[n]).second) {
            return returned(hipErrorInvalidValue);
        }
    }
    for (size_t n = 0; n < count; ++n) {
        change(from[n], *to[n]);
    }
    return hipSuccess;
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

// Gives as many nodes as `*count` says, or to null their number. What is more than there is becomes
// null.
void give_nodes(const std::vector<hipGraphNode_t>& nodes, hipGraphNode_t* to, size_t* count) {
    if (to == nullptr) {
        *count = nodes.size();
        return;
    }
    for (size_t n = 0; n < *count; ++n) {
        to[n] = n < nodes.size() ? nodes[n] : nullptr;
    }
    *count = std::min(*count, nodes.size());
}

// The same of those nodes of a graph that are asked for. `graph` is null where there is none.
template <class IsAsked>
hipError_t give_nodes_of(const ihipGraph* graph, hipGraphNode_t* to, size_t* count,
                         IsAsked is_asked) {
    if (count == nullptr || graph == nullptr) {
        return returned(hipErrorInvalidValue);
    }
    std::vector<hipGraphNode_t> asked;
    for (const auto& node : graph->nodes) {
        if (is_asked(*node)) {
            asked.push_back(node.get());
        }
    }
    give_nodes(asked, to, count);
    return hipSuccess;
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
                                hipGraphNode_t* wrong, std::vector<hipUserObject>& dead) {
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
        replace(executable.graph->nodes[n]->what, graph.nodes[n]->what, dead);
        executable.graph->nodes[n]->original = graph.nodes[n].get();
    }
    return hipGraphExecUpdateSuccess;
}

void forget(hipGraphNode& node, std::vector<hipUserObject>& dead) {
    state().nodes.erase(&node);
    forget(node.what, dead);
}

}  // namespace

void forget(ihipGraph& graph, std::vector<hipUserObject>& dead) {
    for (const auto& node : graph.nodes) {
        forget(*node, dead);
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
    return returned(hipSuccess);
}

hipError_t hipGraphDestroy(hipGraph_t graph) {
    return let_go([&](std::vector<hipUserObject>& dead) {
        if (!is_graph(graph)) {
            return hipErrorInvalidValue;
        }
        forget(*graph, dead);
        state().graphs.erase(graph);
        return returned(hipSuccess);
    });
}

hipError_t hipGraphClone(hipGraph_t* copy, hipGraph_t graph) {
    const state_lock lock(state().mutex);
    if (copy == nullptr || !is_graph(graph)) {
        return returned(hipErrorInvalidValue);
    }
    auto made = clone(*graph);
    *copy = made.get();
    state().graphs[*copy] = std::move(made);
    return returned(hipSuccess);
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
    return let_go([&](std::vector<hipUserObject>& dead) {
        if (!is_node(node)) {
            return hipErrorInvalidValue;
        }
        forget(*node, dead);
        ihipGraph& graph = *node->graph;
        for (const auto& n : graph.nodes) {
            std::erase(n->after, node);
        }
        std::erase_if(graph.nodes, [&](const auto& n) { return n.get() == node; });
        return returned(hipSuccess);
    });
}

hipError_t hipGraphAddDependencies(hipGraph_t graph, const hipGraphNode_t* from,
                                   const hipGraphNode_t* to, size_t count) {
    return change_dependencies(
        graph, from, to, count,
        [&](hipGraphNode_t start, const hipGraphNode& end) {
            return is_node(start) && start != &end && start->graph == graph &&
                   !has(end.after, start);
        },
        [](hipGraphNode_t start, hipGraphNode& end) { end.after.push_back(start); });
}

hipError_t hipGraphRemoveDependencies(hipGraph_t graph, const hipGraphNode_t* from,
                                      const hipGraphNode_t* to, size_t count) {
    return change_dependencies(
        graph, from, to, count,
        [](hipGraphNode_t start, const hipGraphNode& end) { return has(end.after, start); },
        [](hipGraphNode_t start, hipGraphNode& end) { std::erase(end.after, start); });
}

hipError_t hipGraphGetNodes(hipGraph_t graph, hipGraphNode_t* nodes, size_t* count) {
    const state_lock lock(state().mutex);
    return give_nodes_of(is_graph(graph) ? graph : nullptr, nodes, count,
                         [](const hipGraphNode&) { return true; });
}

hipError_t hipGraphGetRootNodes(hipGraph_t graph, hipGraphNode_t* nodes, size_t* count) {
    const state_lock lock(state().mutex);
    return give_nodes_of(is_graph(graph) ? graph : nullptr, nodes, count,
                         [](const hipGraphNode& n) { return n.after.empty(); });
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
    give_nodes(ends, to, &of_ends);
    return returned(hipSuccess);
}

hipError_t hipGraphNodeGetDependencies(hipGraphNode_t node, hipGraphNode_t* nodes, size_t* count) {
    const state_lock lock(state().mutex);
    if (count == nullptr || !is_node(node)) {
        return returned(hipErrorInvalidValue);
    }
    give_nodes(node->after, nodes, count);
    return returned(hipSuccess);
}

hipError_t hipGraphNodeGetDependentNodes(hipGraphNode_t node, hipGraphNode_t* nodes,
                                         size_t* count) {
    const state_lock lock(state().mutex);
    return give_nodes_of(is_node(node) ? node->graph : nullptr, nodes, count,
                         [&](const hipGraphNode& n) { return has(n.after, node); });
}

hipError_t hipGraphNodeGetType(hipGraphNode_t node, hipGraphNodeType* type) {
    const state_lock lock(state().mutex);
    if (type == nullptr || !is_node(node)) {
        return returned(hipErrorInvalidValue);
    }
    *type = type_of(node->what);
    return returned(hipSuccess);
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
    return add(node, graph, after, count, {hipSuccess, do_nothing{}});
}

hipError_t hipGraphAddKernelNode(hipGraphNode_t* node, hipGraph_t graph,
                                 const hipGraphNode_t* after, size_t count,
                                 const hipKernelNodeParams* parameters) {
    return add(node, graph, after, count, launch_of(parameters));
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
    return returned(hipSuccess);
}

hipError_t hipGraphKernelNodeSetParams(hipGraphNode_t node, const hipKernelNodeParams* parameters) {
    return set(node, launch_of(parameters));
}

hipError_t hipGraphExecKernelNodeSetParams(hipGraphExec_t executable, hipGraphNode_t node,
                                           const hipKernelNodeParams* parameters) {
    return set(executable, node, launch_of(parameters));
}

hipError_t hipGraphAddMemcpyNode(hipGraphNode_t* node, hipGraph_t graph,
                                 const hipGraphNode_t* after, size_t count,
                                 const hipMemcpy3DParms* parameters) {
    return add(node, graph, after, count, copy_of(parameters));
}

// As the block that is copied: positions are in the pointers.
hipError_t hipGraphMemcpyNodeGetParams(hipGraphNode_t node, hipMemcpy3DParms* parameters) {
    return get<copy_rows>(node, parameters, [](const copy_rows& c) {
        const auto pointer = [&](const rows& r) {
            return hipPitchedPtr{r.begin, r.pitch, c.extent.width,
                                 r.pitch == 0 ? c.extent.height : r.slice / r.pitch};
        };
        return hipMemcpy3DParms{nullptr,       {},       pointer(c.from), nullptr, {},
                                pointer(c.to), c.extent, c.kind};
    });
}

hipError_t hipGraphMemcpyNodeSetParams(hipGraphNode_t node, const hipMemcpy3DParms* parameters) {
    return set(node, copy_of(parameters));
}

hipError_t hipGraphExecMemcpyNodeSetParams(hipGraphExec_t executable, hipGraphNode_t node,
                                           hipMemcpy3DParms* parameters) {
    return set(executable, node, copy_of(parameters));
}

hipError_t hipGraphAddMemcpyNode1D(hipGraphNode_t* node, hipGraph_t graph,
                                   const hipGraphNode_t* after, size_t count, void* to,
                                   const void* from, size_t bytes, hipMemcpyKind kind) {
    return add(node, graph, after, count, copy_of(to, from, bytes, kind));
}

hipError_t hipGraphMemcpyNodeSetParams1D(hipGraphNode_t node, void* to, const void* from,
                                         size_t bytes, hipMemcpyKind kind) {
    return set(node, copy_of(to, from, bytes, kind));
}

hipError_t hipGraphExecMemcpyNodeSetParams1D(hipGraphExec_t executable, hipGraphNode_t node,
                                             void* to, const void* from, size_t bytes,
                                             hipMemcpyKind kind) {
    return set(executable, node, copy_of(to, from, bytes, kind));
}

hipError_t hipGraphAddMemcpyNodeFromSymbol(hipGraphNode_t* node, hipGraph_t graph,
                                           const hipGraphNode_t* after, size_t count, void* to,
                                           const void* variable, size_t bytes, size_t offset,
                                           hipMemcpyKind kind) {
    return add(node, graph, after, count, copy_of_variable_to(to, variable, bytes, offset, kind));
}

hipError_t hipGraphMemcpyNodeSetParamsFromSymbol(hipGraphNode_t node, void* to,
                                                 const void* variable, size_t bytes, size_t offset,
                                                 hipMemcpyKind kind) {
    return set(node, copy_of_variable_to(to, variable, bytes, offset, kind));
}

hipError_t hipGraphExecMemcpyNodeSetParamsFromSymbol(hipGraphExec_t executable, hipGraphNode_t node,
                                                     void* to, const void* variable, size_t bytes,
                                                     size_t offset, hipMemcpyKind kind) {
    return set(executable, node, copy_of_variable_to(to, variable, bytes, offset, kind));
}

hipError_t hipGraphAddMemcpyNodeToSymbol(hipGraphNode_t* node, hipGraph_t graph,
                                         const hipGraphNode_t* after, size_t count,
                                         const void* variable, const void* from, size_t bytes,
                                         size_t offset, hipMemcpyKind kind) {
    return add(node, graph, after, count, copy_to_variable_of(variable, from, bytes, offset, kind));
}

hipError_t hipGraphMemcpyNodeSetParamsToSymbol(hipGraphNode_t node, const void* variable,
                                               const void* from, size_t bytes, size_t offset,
                                               hipMemcpyKind kind) {
    return set(node, copy_to_variable_of(variable, from, bytes, offset, kind));
}

hipError_t hipGraphExecMemcpyNodeSetParamsToSymbol(hipGraphExec_t executable, hipGraphNode_t node,
                                                   const void* variable, const void* from,
                                                   size_t bytes, size_t offset,
                                                   hipMemcpyKind kind) {
    return set(executable, node, copy_to_variable_of(variable, from, bytes, offset, kind));
}

hipError_t hipGraphAddMemsetNode(hipGraphNode_t* node, hipGraph_t graph,
                                 const hipGraphNode_t* after, size_t count,
                                 const hipMemsetParams* parameters) {
    return add(node, graph, after, count, fill_of(parameters));
}

hipError_t hipGraphMemsetNodeGetParams(hipGraphNode_t node, hipMemsetParams* parameters) {
    fill_rows f;
    fill_rows* const to = parameters == nullptr ? nullptr : &f;
    const hipError_t error = get<fill_rows>(node, to, std::identity{});
    if (error != hipSuccess) {
        return error;
    }
    const auto write = [&](auto& p) {
        p.dst = f.to.begin;
        p.pitch = f.to.pitch;
        p.value = static_cast<unsigned>(f.value);
        p.elementSize = f.element_bytes;
        p.width = f.extent.width;
        p.height = f.extent.height;
    };
    if (f.is_of_6) {
        write(*reinterpret_cast<hipMemsetParams_of_6*>(parameters));
    } else {
        write(*parameters);
    }
    return error;
}

hipError_t hipGraphMemsetNodeSetParams(hipGraphNode_t node, const hipMemsetParams* parameters) {
    return set(node, fill_of(parameters));
}

hipError_t hipGraphExecMemsetNodeSetParams(hipGraphExec_t executable, hipGraphNode_t node,
                                           const hipMemsetParams* parameters) {
    return set(executable, node, fill_of(parameters));
}

hipError_t hipGraphAddHostNode(hipGraphNode_t* node, hipGraph_t graph, const hipGraphNode_t* after,
                               size_t count, const hipHostNodeParams* parameters) {
    return add(node, graph, after, count, call_of(parameters));
}

hipError_t hipGraphHostNodeGetParams(hipGraphNode_t node, hipHostNodeParams* parameters) {
    return get<call_host>(node, parameters,
                          [](const call_host& c) { return hipHostNodeParams{c.function, c.data}; });
}

hipError_t hipGraphHostNodeSetParams(hipGraphNode_t node, const hipHostNodeParams* parameters) {
    return set(node, call_of(parameters));
}

hipError_t hipGraphExecHostNodeSetParams(hipGraphExec_t executable, hipGraphNode_t node,
                                         const hipHostNodeParams* parameters) {
    return set(executable, node, call_of(parameters));
}

hipError_t hipGraphAddChildGraphNode(hipGraphNode_t* node, hipGraph_t graph,
                                     const hipGraphNode_t* after, size_t count, hipGraph_t child) {
    return add(node, graph, after, count, child_of(child));
}

hipError_t hipGraphChildGraphNodeGetGraph(hipGraphNode_t node, hipGraph_t* graph) {
    return get<run_graph>(node, graph, [](const run_graph& child) { return child.graph.get(); });
}

hipError_t hipGraphExecChildGraphNodeSetParams(hipGraphExec_t executable, hipGraphNode_t node,
                                               hipGraph_t child) {
    return set(executable, node, child_of(child));
}

hipError_t hipGraphAddEventRecordNode(hipGraphNode_t* node, hipGraph_t graph,
                                      const hipGraphNode_t* after, size_t count, hipEvent_t event) {
    return add(node, graph, after, count, event_of<record_event>(event));
}

hipError_t hipGraphEventRecordNodeGetEvent(hipGraphNode_t node, hipEvent_t* event) {
    return get<record_event>(node, event, [](const record_event& r) { return r.event; });
}

hipError_t hipGraphEventRecordNodeSetEvent(hipGraphNode_t node, hipEvent_t event) {
    return set(node, event_of<record_event>(event));
}

hipError_t hipGraphExecEventRecordNodeSetEvent(hipGraphExec_t executable, hipGraphNode_t node,
                                               hipEvent_t event) {
    return set(executable, node, event_of<record_event>(event));
}

hipError_t hipGraphAddEventWaitNode(hipGraphNode_t* node, hipGraph_t graph,
                                    const hipGraphNode_t* after, size_t count, hipEvent_t event) {
    return add(node, graph, after, count, event_of<wait_event>(event));
}

hipError_t hipGraphEventWaitNodeGetEvent(hipGraphNode_t node, hipEvent_t* event) {
    return get<wait_event>(node, event, [](const wait_event& w) { return w.event; });
}

hipError_t hipGraphEventWaitNodeSetEvent(hipGraphNode_t node, hipEvent_t event) {
    return set(node, event_of<wait_event>(event));
}

hipError_t hipGraphExecEventWaitNodeSetEvent(hipGraphExec_t executable, hipGraphNode_t node,
                                             hipEvent_t event) {
    return set(executable, node, event_of<wait_event>(event));
}

hipError_t hipDrvGraphAddMemcpyNode(hipGraphNode_t* node, hipGraph_t graph,
                                    const hipGraphNode_t* after, size_t count,
                                    const HIP_MEMCPY3D* parameters, hipCtx_t context) {
    return add(node, graph, after, count, copy_of(parameters, context));
}

hipError_t hipDrvGraphMemcpyNodeSetParams(hipGraphNode_t node, const HIP_MEMCPY3D* parameters) {
    return set(node, copy_of(parameters));
}

hipError_t hipDrvGraphExecMemcpyNodeSetParams(hipGraphExec_t executable, hipGraphNode_t node,
                                              const HIP_MEMCPY3D* parameters, hipCtx_t context) {
    return set(executable, node, copy_of(parameters, context));
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
                                 : hipErrorContextIsDestroyed;
    parameters->errNode_out = nullptr;
    parameters->result_out =
        error == hipSuccess ? hipGraphInstantiateSuccess : hipGraphInstantiateError;
    return returned(error);
}

hipError_t hipGraphExecDestroy(hipGraphExec_t executable) {
    std::shared_ptr<hipGraphExec> found;  // until the state is no longer locked
    return let_go([&](std::vector<hipUserObject>& dead) {
        const auto entry = state().executables.find(executable);
        if (entry == state().executables.end()) {
            return hipErrorInvalidValue;
        }
        found = entry->second;
        forget(*found->graph, dead);
        state().executables.erase(entry);
        return returned(hipSuccess);
    });
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
        return returned(hipErrorContextIsDestroyed);
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
    return returned(hipSuccess);
}

hipError_t hipGraphExecUpdate(hipGraphExec_t executable, hipGraph_t graph,
                              hipGraphNode_t* wrong_node, hipGraphExecUpdateResult* result) {
    return let_go([&](std::vector<hipUserObject>& dead) {
        if (wrong_node == nullptr || result == nullptr || !is_graph(graph) ||
            !state().executables.contains(executable)) {
            return hipErrorInvalidValue;
        }
        *wrong_node = nullptr;
        *result = update(*executable, *graph, wrong_node, dead);
        return *result == hipGraphExecUpdateSuccess ? hipSuccess : hipErrorGraphExecUpdateFailure;
    });
}

hipError_t hipGraphNodeSetEnabled(hipGraphExec_t executable, hipGraphNode_t node,
                                  unsigned enabled) {
    const state_lock lock(state().mutex);
    const hipGraphNode_t copy = switch_in(executable, node);
    if (copy == nullptr) {
        return returned(hipErrorInvalidValue);
    }
    copy->enabled = enabled != 0;
    return returned(hipSuccess);
}

hipError_t hipGraphNodeGetEnabled(hipGraphExec_t executable, hipGraphNode_t node,
                                  unsigned* enabled) {
    const state_lock lock(state().mutex);
    const hipGraphNode_t copy = switch_in(executable, node);
    if (enabled == nullptr || copy == nullptr) {
        return returned(hipErrorInvalidValue);
    }
    *enabled = copy->enabled ? 1 : 0;
    return returned(hipSuccess);
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
    return returned(hipSuccess);
}

hipError_t hipUserObjectRetain(hipUserObject_t object, unsigned count) {
    const state_lock lock(state().mutex);
    if (count == 0 || !state().user_objects.contains(object)) {
        return returned(hipErrorInvalidValue);
    }
    object->references += count;
    return returned(hipSuccess);
}

hipError_t hipUserObjectRelease(hipUserObject_t object, unsigned count) {
    return let_go([&](std::vector<hipUserObject>& dead) {
        if (count == 0 || !state().user_objects.contains(object) || object->references < count) {
            return hipErrorInvalidValue;
        }
        release(object, count, dead);
        return returned(hipSuccess);
    });
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
    return returned(hipSuccess);
}

hipError_t hipGraphReleaseUserObject(hipGraph_t graph, hipUserObject_t object, unsigned count) {
    return let_go([&](std::vector<hipUserObject>& dead) {
        if (count == 0 || !is_graph(graph)) {
            return hipErrorInvalidValue;
        }
        const auto held = graph->objects.find(object);
        if (held == graph->objects.end() || held->second < count) {
            return hipErrorInvalidValue;
        }
        held->second -= count;
        if (held->second == 0) {
            graph->objects.erase(held);
        }
        release(object, count, dead);
        return returned(hipSuccess);
    });
}

}  // extern "C"
#pragma GCC visibility pop
