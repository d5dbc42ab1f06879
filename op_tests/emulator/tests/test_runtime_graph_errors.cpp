// What HIP 7 answers to wrong parameters of graphs and captures: the rows of test_runtime_errors go
// on.

#include <climits>
#include <utility>

#include "wrong_parameters.hpp"

namespace {

using node_t = hipGraphNode_t;

// All that add a node: without a place for it, a graph, or dependencies.
struct adding_call {
    const char* name;
    hipError_t (*add)(things&, node_t*, hipGraph_t, const node_t*, size_t);
};

const adding_call adding_calls[] = {
    {"hipGraphAddEmptyNode", [](things&, node_t* n, hipGraph_t g, const node_t* after,
                                size_t count) { return hipGraphAddEmptyNode(n, g, after, count); }},
    {"hipGraphAddMemcpyNode",
     [](things& t, node_t* n, hipGraph_t g, const node_t* after, size_t count) {
         const hipMemcpy3DParms p = t.copy_of_rows();
         return hipGraphAddMemcpyNode(n, g, after, count, &p);
     }},
    {"hipGraphAddMemcpyNode1D",
     [](things& t, node_t* n, hipGraph_t g, const node_t* after, size_t count) {
         return hipGraphAddMemcpyNode1D(n, g, after, count, t.memory, t.other, 64, by_pointers);
     }},
    {"hipGraphAddMemcpyNodeFromSymbol",
     [](things& t, node_t* n, hipGraph_t g, const node_t* after, size_t count) {
         return hipGraphAddMemcpyNodeFromSymbol(n, g, after, count, t.memory, &t.variable, 4, 0,
                                                by_pointers);
     }},
    {"hipGraphAddMemcpyNodeToSymbol",
     [](things& t, node_t* n, hipGraph_t g, const node_t* after, size_t count) {
         return hipGraphAddMemcpyNodeToSymbol(n, g, after, count, &t.variable, t.memory, 4, 0,
                                              by_pointers);
     }},
    {"hipGraphAddMemsetNode",
     [](things& t, node_t* n, hipGraph_t g, const node_t* after, size_t count) {
         const hipMemsetParams p = t.fill_of_rows();
         return hipGraphAddMemsetNode(n, g, after, count, &p);
     }},
    {"hipGraphAddKernelNode",
     [](things& t, node_t* n, hipGraph_t g, const node_t* after, size_t count) {
         const hipKernelNodeParams p = t.kernel_node();
         return hipGraphAddKernelNode(n, g, after, count, &p);
     }},
    {"hipGraphAddHostNode",
     [](things&, node_t* n, hipGraph_t g, const node_t* after, size_t count) {
         const hipHostNodeParams p = {do_nothing, nullptr};
         return hipGraphAddHostNode(n, g, after, count, &p);
     }},
    {"hipGraphAddChildGraphNode",
     [](things& t, node_t* n, hipGraph_t g, const node_t* after, size_t count) {
         return hipGraphAddChildGraphNode(n, g, after, count, t.elsewhere);
     }},
    {"hipGraphAddEventRecordNode",
     [](things& t, node_t* n, hipGraph_t g, const node_t* after, size_t count) {
         return hipGraphAddEventRecordNode(n, g, after, count, t.event);
     }},
    {"hipGraphAddEventWaitNode",
     [](things& t, node_t* n, hipGraph_t g, const node_t* after, size_t count) {
         return hipGraphAddEventWaitNode(n, g, after, count, t.event);
     }},
};

std::vector<row> nodes_to_add() {
    std::vector<row> rows;
    for (const adding_call& call : adding_calls) {
        const auto add = [&](const char* with, hipError_t (*made)(const adding_call&, things&)) {
            rows.push_back(
                {call.name, with, value, [&call, made](things& t) { return made(call, t); }});
        };
        add("a null pointer",
            [](const adding_call& c, things& t) { return c.add(t, nullptr, t.graph, nullptr, 0); });
        add("no graph", [](const adding_call& c, things& t) {
            return c.add(t, t.out<node_t>(), nullptr, nullptr, 0);
        });
        add("a graph that is none", [](const adding_call& c, things& t) {
            return c.add(t, t.out<node_t>(), never_made, nullptr, 0);
        });
        add("null dependencies", [](const adding_call& c, things& t) {
            return c.add(t, t.out<node_t>(), t.graph, nullptr, 1);
        });
        add("more dependencies than there are", [](const adding_call& c, things& t) {
            const node_t after[] = {t.empty, nullptr};
            return c.add(t, t.out<node_t>(), t.graph, after, 2);
        });
    }
    return rows;
}

hipError_t add_fill(things& t, void (*spoil)(things&, hipMemsetParams&)) {
    hipMemsetParams p = t.fill_of_rows();
    spoil(t, p);
    return hipGraphAddMemsetNode(t.out<node_t>(), t.elsewhere, nullptr, 0, &p);
}

hipError_t set_fill(things& t, void (*spoil)(things&, hipMemsetParams&)) {
    hipMemsetParams p = t.fill_of_rows();
    spoil(t, p);
    return hipGraphMemsetNodeSetParams(t.fill, &p);
}

hipError_t set_fill_of_executable(things& t, void (*spoil)(things&, hipMemsetParams&)) {
    hipMemsetParams p = t.fill_of_rows();
    spoil(t, p);
    return hipGraphExecMemsetNodeSetParams(t.executable, t.fill, &p);
}

std::vector<row> fills_of_nodes() {
    std::vector<row> rows;
    using spoiling = void (*)(things&, hipMemsetParams&);
    const std::pair<const char*, spoiling> mistakes[] = {
        {"null", [](things&, hipMemsetParams& p) { p.dst = nullptr; }},
        {"elements of 3 bytes", [](things&, hipMemsetParams& p) { p.elementSize = 3; }},
        {"more than there is", [](things&, hipMemsetParams& p) { p.width = bytes; }},
        {"no rows", [](things&, hipMemsetParams& p) { p.height = 0; }},
    };
    const std::pair<const char*, hipError_t (*)(things&, spoiling)> calls[] = {
        {"hipGraphAddMemsetNode", add_fill},
        {"hipGraphMemsetNodeSetParams", set_fill},
        {"hipGraphExecMemsetNodeSetParams", set_fill_of_executable},
    };
    for (const auto& [call, made] : calls) {
        for (const auto& [with, spoil] : mistakes) {
            rows.push_back({call, with, value,
                            [made = made, spoil = spoil](things& t) { return made(t, spoil); }});
        }
    }
    return rows;
}

hipError_t exchange_mode(int mode) {
    auto wanted = number<hipStreamCaptureMode>(mode);
    return hipThreadExchangeStreamCaptureMode(&wanted);
}

// While `t.stream` is captured.
hipError_t captured(things& t, hipError_t (*made)(things&)) {
    EXPECT_EQ(hipStreamBeginCapture(t.stream, hipStreamCaptureModeRelaxed), hipSuccess);
    const hipError_t answer = made(t);
    hipGraph_t graph = nullptr;
    if (hipStreamEndCapture(t.stream, &graph) == hipSuccess) {
        EXPECT_EQ(hipGraphDestroy(graph), hipSuccess);
    }
    return answer;
}

const hipHostNodeParams no_function = {nullptr, nullptr};
const hipHostNodeParams some_function = {do_nothing, nullptr};

const row of_graphs[] = {
    ROW(hipGraphCreate, "a null pointer", value, nullptr, 0),
    ROW(hipGraphCreate, "flags", value, t.out<hipGraph_t>(), 1),
    ROW(hipGraphDestroy, "no graph", value, nullptr),
    ROW(hipGraphDestroyNode, "no node", value, nullptr),
    ROW(hipGraphClone, "a null pointer", value, nullptr, t.graph),
    ROW(hipGraphClone, "no graph", value, t.out<hipGraph_t>(), nullptr),
    ROW(hipGraphDebugDotPrint, "no graph", value, nullptr, "graph.dot", 0),
    ROW(hipGraphDebugDotPrint, "a graph that is none", value, never_made, "graph.dot", 0),
    ROW(hipGraphDebugDotPrint, "a null name", value, t.graph, nullptr, 0),
    ROW(hipGraphDebugDotPrint, "an empty name", hipErrorOperatingSystem, t.graph, "", 0),
    ROW(hipGraphAddChildGraphNode, "no child", value, t.out<node_t>(), t.graph, nullptr, 0,
        nullptr),
    ROW(hipGraphAddDependencies, "no graph", value, nullptr, &t.empty, &t.copy, 1),
    ROW(hipGraphAddDependencies, "a graph that is none", value, never_made, &t.empty, &t.copy, 1),
    ROW(hipGraphAddDependencies, "null to", value, t.graph, &t.empty, nullptr, 1),
    ROW(hipGraphAddDependencies, "null from", value, t.graph, nullptr, &t.empty, 1),
    ROW(hipGraphAddDependencies, "null from and to", value, t.graph, nullptr, nullptr, 1),
    ROW(hipGraphAddDependencies, "from another graph", value, t.graph, &t.foreign, &t.empty, 1),
    ROW(hipGraphAddDependencies, "to another graph", value, t.graph, &t.empty, &t.foreign, 1),
    ROW(hipGraphAddDependencies, "one that is there", value, t.graph, &t.empty, &t.second, 1),
    ROW(hipGraphAddDependencies, "of itself", value, t.graph, &t.empty, &t.empty, 1),
    ROW(hipGraphRemoveDependencies, "no graph", value, nullptr, &t.empty, &t.second, 1),
    ROW(hipGraphRemoveDependencies, "a graph that is none", value, never_made, &t.empty, &t.second,
        1),
    ROW(hipGraphRemoveDependencies, "null from", value, t.graph, nullptr, &t.second, 1),
    ROW(hipGraphRemoveDependencies, "null to", value, t.graph, &t.empty, nullptr, 1),
    ROW(hipGraphRemoveDependencies, "null from and to", value, t.graph, nullptr, nullptr, 1),
    ROW(hipGraphRemoveDependencies, "one that is not there", value, t.graph, &t.empty, &t.copy, 1),
    ROW(hipGraphAddEventRecordNode, "no event", value, t.out<node_t>(), t.graph, nullptr, 0,
        nullptr),
    ROW(hipGraphAddEventRecordNode, "an event that is none", value, t.out<node_t>(), t.graph,
        nullptr, 0, never_made),
    ROW(hipGraphAddEventWaitNode, "no event", value, t.out<node_t>(), t.graph, nullptr, 0, nullptr),
    ROW(hipGraphAddEventWaitNode, "an event that is none", value, t.out<node_t>(), t.graph, nullptr,
        0, never_made),
    ROW(hipGraphAddHostNode, "null parameters", value, t.out<node_t>(), t.graph, nullptr, 0,
        nullptr),
    ROW(hipGraphAddHostNode, "no function", value, t.out<node_t>(), t.graph, nullptr, 0,
        &no_function),
    ROW(hipGraphAddKernelNode, "null parameters", value, t.out<node_t>(), t.graph, nullptr, 0,
        nullptr),
    {"hipGraphAddKernelNode", "no arguments", value,
     [](things& t) {
         hipKernelNodeParams p = t.kernel_node();
         p.kernelParams = nullptr;
         return hipGraphAddKernelNode(t.out<node_t>(), t.graph, nullptr, 0, &p);
     }},
    ROW(hipGraphAddMemcpyNode, "null parameters", value, t.out<node_t>(), t.graph, nullptr, 0,
        nullptr),
    ROW(hipGraphAddMemsetNode, "null parameters", value, t.out<node_t>(), t.graph, nullptr, 0,
        nullptr),
    ROW(hipGraphAddMemcpyNode1D, "a null destination", value, t.out<node_t>(), t.graph, nullptr, 0,
        nullptr, t.other, 64, by_pointers),
    ROW(hipGraphAddMemcpyNode1D, "a null source", value, t.out<node_t>(), t.graph, nullptr, 0,
        t.memory, nullptr, 64, by_pointers),
    ROW(hipGraphAddMemcpyNode1D, "more than there is", value, t.out<node_t>(), t.graph, nullptr, 0,
        t.host.data(), t.other, bytes + 1, by_pointers),
    ROW(hipGraphMemcpyNodeSetParams1D, "no node", value, nullptr, t.memory, t.other, 64,
        by_pointers),
    ROW(hipGraphMemcpyNodeSetParams1D, "a null destination", value, t.copy, nullptr, t.other, 64,
        by_pointers),
    ROW(hipGraphMemcpyNodeSetParams1D, "a null source", value, t.copy, t.memory, nullptr, 64,
        by_pointers),
    ROW(hipGraphAddMemcpyNodeFromSymbol, "a null destination", value, t.out<node_t>(), t.graph,
        nullptr, 0, nullptr, &t.variable, 4, 0, by_pointers),
    ROW(hipGraphAddMemcpyNodeFromSymbol, "a null symbol", hipErrorInvalidSymbol, t.out<node_t>(),
        t.graph, nullptr, 0, t.memory, nullptr, 4, 0, by_pointers),
    ROW(hipGraphAddMemcpyNodeFromSymbol, "more than it has", value, t.out<node_t>(), t.graph,
        nullptr, 0, t.memory, &t.variable, 5, 0, by_pointers),
    ROW(hipGraphAddMemcpyNodeFromSymbol, "behind it", value, t.out<node_t>(), t.graph, nullptr, 0,
        t.memory, &t.variable, 4, 1, by_pointers),
    ROW(hipGraphAddMemcpyNodeToSymbol, "a null source", value, t.out<node_t>(), t.graph, nullptr, 0,
        &t.variable, nullptr, 4, 0, by_pointers),
    ROW(hipGraphAddMemcpyNodeToSymbol, "a null symbol", hipErrorInvalidSymbol, t.out<node_t>(),
        t.graph, nullptr, 0, nullptr, t.memory, 4, 0, by_pointers),
    ROW(hipGraphAddMemcpyNodeToSymbol, "more than it has", value, t.out<node_t>(), t.graph, nullptr,
        0, &t.variable, t.memory, 5, 0, by_pointers),
    ROW(hipGraphAddMemcpyNodeToSymbol, "behind it", value, t.out<node_t>(), t.graph, nullptr, 0,
        &t.variable, t.memory, 4, 1, by_pointers),
    ROW(hipGraphMemcpyNodeSetParamsFromSymbol, "no node", value, nullptr, t.memory, &t.variable, 4,
        0, by_pointers),
    ROW(hipGraphMemcpyNodeSetParamsFromSymbol, "a null symbol", hipErrorInvalidSymbol, t.copy,
        t.memory, nullptr, 4, 0, by_pointers),
    ROW(hipGraphMemcpyNodeSetParamsToSymbol, "no node", value, nullptr, &t.variable, t.memory, 4, 0,
        by_pointers),
    ROW(hipGraphMemcpyNodeSetParamsToSymbol, "a null symbol", hipErrorInvalidSymbol, t.copy,
        nullptr, t.memory, 4, 0, by_pointers),
    ROW(hipGraphChildGraphNodeGetGraph, "no node", value, nullptr, t.out<hipGraph_t>()),
    ROW(hipGraphEventRecordNodeGetEvent, "no node", value, nullptr, t.out<hipEvent_t>()),
    ROW(hipGraphEventRecordNodeGetEvent, "a null pointer", value, t.record, nullptr),
    ROW(hipGraphEventRecordNodeGetEvent, "an empty node", value, t.empty, t.out<hipEvent_t>()),
    ROW(hipGraphEventRecordNodeGetEvent, "a node that fills", value, t.fill, t.out<hipEvent_t>()),
    ROW(hipGraphEventRecordNodeGetEvent, "a node that waits", value, t.wait, t.out<hipEvent_t>()),
    ROW(hipGraphEventRecordNodeGetEvent, "a node that is none", value, never_made,
        t.out<hipEvent_t>()),
    ROW(hipGraphEventRecordNodeSetEvent, "no node", value, nullptr, t.event),
    ROW(hipGraphEventRecordNodeSetEvent, "no event", value, t.record, nullptr),
    ROW(hipGraphEventRecordNodeSetEvent, "an empty node", value, t.empty, t.event),
    ROW(hipGraphEventRecordNodeSetEvent, "a node that fills", value, t.fill, t.event),
    ROW(hipGraphEventRecordNodeSetEvent, "a node that waits", value, t.wait, t.event),
    ROW(hipGraphEventRecordNodeSetEvent, "a node that is none", value, never_made, t.event),
    ROW(hipGraphEventRecordNodeSetEvent, "an event that is none", value, t.record, never_made),
    ROW(hipGraphEventWaitNodeGetEvent, "no node", value, nullptr, t.out<hipEvent_t>()),
    ROW(hipGraphEventWaitNodeGetEvent, "a null pointer", value, t.wait, nullptr),
    ROW(hipGraphEventWaitNodeGetEvent, "an empty node", value, t.empty, t.out<hipEvent_t>()),
    ROW(hipGraphEventWaitNodeGetEvent, "a node that fills", value, t.fill, t.out<hipEvent_t>()),
    ROW(hipGraphEventWaitNodeGetEvent, "a node that records", value, t.record, t.out<hipEvent_t>()),
    ROW(hipGraphEventWaitNodeGetEvent, "a node that is none", value, never_made,
        t.out<hipEvent_t>()),
    ROW(hipGraphEventWaitNodeSetEvent, "no node", value, nullptr, t.event),
    ROW(hipGraphEventWaitNodeSetEvent, "no event", value, t.wait, nullptr),
    ROW(hipGraphEventWaitNodeSetEvent, "an empty node", value, t.empty, t.event),
    ROW(hipGraphEventWaitNodeSetEvent, "a node that fills", value, t.fill, t.event),
    ROW(hipGraphEventWaitNodeSetEvent, "a node that records", value, t.record, t.event),
    ROW(hipGraphEventWaitNodeSetEvent, "a node that is none", value, never_made, t.event),
    ROW(hipGraphEventWaitNodeSetEvent, "an event that is none", value, t.wait, never_made),
    ROW(hipGraphHostNodeGetParams, "no node", value, nullptr, never_made),
    ROW(hipGraphHostNodeGetParams, "a null pointer", value, t.call, nullptr),
    ROW(hipGraphHostNodeSetParams, "no node", value, nullptr, &some_function),
    ROW(hipGraphHostNodeSetParams, "null parameters", value, t.call, nullptr),
    ROW(hipGraphHostNodeSetParams, "no function", value, t.call, &no_function),
    ROW(hipGraphKernelNodeGetParams, "no node", value, nullptr, never_made),
    ROW(hipGraphKernelNodeGetParams, "a null pointer", value, t.kernel, nullptr),
    {"hipGraphKernelNodeSetParams", "no node", value,
     [](things& t) {
         const hipKernelNodeParams p = t.kernel_node();
         return hipGraphKernelNodeSetParams(nullptr, &p);
     }},
    ROW(hipGraphKernelNodeSetParams, "null parameters", value, t.kernel, nullptr),
    ROW(hipGraphMemcpyNodeGetParams, "no node", value, nullptr, never_made),
    ROW(hipGraphMemcpyNodeGetParams, "a null pointer", value, t.copy, nullptr),
    ROW(hipGraphMemcpyNodeSetParams, "no node", value, nullptr, never_made),
    ROW(hipGraphMemcpyNodeSetParams, "null parameters", value, t.copy, nullptr),
    ROW(hipGraphMemsetNodeGetParams, "no node", value, nullptr, never_made),
    ROW(hipGraphMemsetNodeGetParams, "a null pointer", value, t.fill, nullptr),
    ROW(hipGraphMemsetNodeSetParams, "no node", value, nullptr, never_made),
    ROW(hipGraphMemsetNodeSetParams, "null parameters", value, t.fill, nullptr),
    ROW(hipGraphNodeGetType, "no node", value, nullptr, t.out<hipGraphNodeType>()),
    ROW(hipGraphNodeGetType, "a null pointer", value, t.copy, nullptr),
    ROW(hipGraphNodeGetType, "a node that is none", value, never_made, t.out<hipGraphNodeType>()),
    ROW(hipGraphNodeFindInClone, "no clone", value, t.out<node_t>(), t.empty, nullptr),
    ROW(hipGraphNodeFindInClone, "a null pointer", value, nullptr, t.empty, t.clone),
    ROW(hipGraphNodeFindInClone, "no node", value, t.out<node_t>(), nullptr, t.clone),
    ROW(hipGraphNodeFindInClone, "a node that is none", value, t.out<node_t>(), never_made,
        t.clone),
    ROW(hipGraphNodeFindInClone, "a node made later", value, t.out<node_t>(), t.late, t.clone),
    ROW(hipGraphNodeGetDependencies, "no node", value, nullptr, t.out<node_t>(), &t.size),
    ROW(hipGraphNodeGetDependencies, "a null count", value, t.second, t.out<node_t>(), nullptr),
    ROW(hipGraphNodeGetDependencies, "a node that is none", value, never_made, t.out<node_t>(),
        &t.size),
    ROW(hipGraphNodeGetDependentNodes, "no node", value, nullptr, t.out<node_t>(), &t.size),
    ROW(hipGraphNodeGetDependentNodes, "a null count", value, t.empty, t.out<node_t>(), nullptr),
    ROW(hipGraphNodeGetDependentNodes, "a node that is none", value, never_made, t.out<node_t>(),
        &t.size),
    ROW(hipGraphGetEdges, "no graph", value, nullptr, never_made, never_made, &t.size),
    ROW(hipGraphGetEdges, "a graph that is none", value, never_made, never_made, never_made,
        &t.size),
    ROW(hipGraphGetEdges, "null from", value, t.graph, nullptr, never_made, &t.size),
    ROW(hipGraphGetEdges, "null to", value, t.graph, never_made, nullptr, &t.size),
    ROW(hipGraphGetEdges, "a null count", value, t.graph, never_made, never_made, nullptr),
    ROW(hipGraphGetNodes, "no graph", value, nullptr, never_made, &t.size),
    ROW(hipGraphGetNodes, "a graph that is none", value, never_made, never_made, &t.size),
    ROW(hipGraphGetNodes, "a null count", value, t.graph, never_made, nullptr),
    ROW(hipGraphGetRootNodes, "no graph", value, nullptr, never_made, &t.size),
    ROW(hipGraphGetRootNodes, "a graph that is none", value, never_made, never_made, &t.size),
    ROW(hipGraphGetRootNodes, "a null count", value, t.graph, never_made, nullptr),
};

const row of_executables[] = {
    ROW(hipGraphInstantiate, "a null pointer", value, nullptr, t.graph, nullptr, nullptr, 0),
    ROW(hipGraphInstantiate, "no graph", value, t.out<hipGraphExec_t>(), nullptr, nullptr, nullptr,
        0),
    ROW(hipGraphInstantiate, "a graph that is none", value, t.out<hipGraphExec_t>(), never_made,
        nullptr, nullptr, 0),
    ROW(hipGraphInstantiateWithFlags, "a null pointer", value, nullptr, t.graph, 0),
    ROW(hipGraphInstantiateWithFlags, "no graph", value, t.out<hipGraphExec_t>(), nullptr, 0),
    ROW(hipGraphInstantiateWithParams, "a null pointer", value, nullptr, t.graph, never_made),
    ROW(hipGraphInstantiateWithParams, "no graph", value, t.out<hipGraphExec_t>(), nullptr,
        never_made),
    ROW(hipGraphInstantiateWithParams, "null parameters", value, t.out<hipGraphExec_t>(), t.graph,
        nullptr),
    {"hipGraphInstantiateWithParams", "flags that are none", value,
     [](things& t) {
         hipGraphInstantiateParams p{};
         p.flags = 100;
         return hipGraphInstantiateWithParams(t.out<hipGraphExec_t>(), t.graph, &p);
     }},
    ROW(hipGraphExecDestroy, "no executable", value, nullptr),
    ROW(hipGraphExecDestroy, "an executable that is none", value, never_made),
    ROW(hipGraphLaunch, "no executable", value, nullptr, t.stream),
    ROW(hipGraphLaunch, "an executable that is none", value, never_made, t.stream),
    ROW(hipGraphLaunch, "a destroyed executable", value, t.no_executable, t.stream),
    ROW(hipGraphUpload, "no executable", value, nullptr, t.stream),
    ROW(hipGraphUpload, "an executable that is none", value, never_made, t.stream),
    ROW(hipGraphUpload, "a destroyed executable", value, t.no_executable, t.stream),
    ROW(hipGraphExecUpdate, "no executable", value, nullptr, t.graph, t.out<node_t>(),
        t.out<hipGraphExecUpdateResult>()),
    ROW(hipGraphExecUpdate, "no graph", value, t.executable, nullptr, t.out<node_t>(),
        t.out<hipGraphExecUpdateResult>()),
    ROW(hipGraphExecUpdate, "a null node", value, t.executable, t.clone, nullptr,
        t.out<hipGraphExecUpdateResult>()),
    ROW(hipGraphExecUpdate, "a null result", value, t.executable, t.clone, t.out<node_t>(),
        nullptr),
    ROW(hipGraphExecUpdate, "a graph with another node", hipErrorGraphExecUpdateFailure,
        t.executable, t.graph, t.out<node_t>(),
        reinterpret_cast<hipGraphExecUpdateResult*>(&t.integer)),
    ROW(hipGraphExecChildGraphNodeSetParams, "no executable", value, nullptr, t.child, t.elsewhere),
    ROW(hipGraphExecChildGraphNodeSetParams, "no node", value, t.executable, nullptr, t.elsewhere),
    ROW(hipGraphExecChildGraphNodeSetParams, "no child", value, t.executable, t.child, nullptr),
    ROW(hipGraphExecEventRecordNodeSetEvent, "no executable", value, nullptr, t.record, t.event),
    ROW(hipGraphExecEventRecordNodeSetEvent, "no node", value, t.executable, nullptr, t.event),
    ROW(hipGraphExecEventRecordNodeSetEvent, "no event", value, t.executable, t.record, nullptr),
    ROW(hipGraphExecEventRecordNodeSetEvent, "an executable that is none", value, never_made,
        t.record, t.event),
    ROW(hipGraphExecEventRecordNodeSetEvent, "a node that is none", value, t.executable, never_made,
        t.event),
    ROW(hipGraphExecEventRecordNodeSetEvent, "an event that is none", value, t.executable, t.record,
        never_made),
    ROW(hipGraphExecEventRecordNodeSetEvent, "a node that fills", value, t.executable, t.fill,
        t.event),
    ROW(hipGraphExecEventRecordNodeSetEvent, "a node that waits", value, t.executable, t.wait,
        t.event),
    ROW(hipGraphExecEventWaitNodeSetEvent, "no executable", value, nullptr, t.wait, t.event),
    ROW(hipGraphExecEventWaitNodeSetEvent, "no node", value, t.executable, nullptr, t.event),
    ROW(hipGraphExecEventWaitNodeSetEvent, "no event", value, t.executable, t.wait, nullptr),
    ROW(hipGraphExecEventWaitNodeSetEvent, "an executable that is none", value, never_made, t.wait,
        t.event),
    ROW(hipGraphExecEventWaitNodeSetEvent, "a node that is none", value, t.executable, never_made,
        t.event),
    ROW(hipGraphExecEventWaitNodeSetEvent, "an event that is none", value, t.executable, t.wait,
        never_made),
    ROW(hipGraphExecEventWaitNodeSetEvent, "a node that fills", value, t.executable, t.fill,
        t.event),
    ROW(hipGraphExecEventWaitNodeSetEvent, "a node that records", value, t.executable, t.record,
        t.event),
    ROW(hipGraphExecHostNodeSetParams, "no executable", value, nullptr, t.call, &some_function),
    ROW(hipGraphExecHostNodeSetParams, "null parameters", value, t.executable, t.call, nullptr),
    ROW(hipGraphExecHostNodeSetParams, "no node", value, t.executable, nullptr, &some_function),
    ROW(hipGraphExecHostNodeSetParams, "no function", value, t.executable, t.call, &no_function),
    ROW(hipGraphExecHostNodeSetParams, "a node made later", value, t.executable, t.late,
        &some_function),
    {"hipGraphExecKernelNodeSetParams", "no executable", value,
     [](things& t) {
         const hipKernelNodeParams p = t.kernel_node();
         return hipGraphExecKernelNodeSetParams(nullptr, t.kernel, &p);
     }},
    {"hipGraphExecKernelNodeSetParams", "no node", value,
     [](things& t) {
         const hipKernelNodeParams p = t.kernel_node();
         return hipGraphExecKernelNodeSetParams(t.executable, nullptr, &p);
     }},
    ROW(hipGraphExecKernelNodeSetParams, "null parameters", value, t.executable, t.kernel, nullptr),
    ROW(hipGraphExecMemcpyNodeSetParams, "no executable", value, nullptr, t.copy, never_made),
    ROW(hipGraphExecMemcpyNodeSetParams, "no node", value, t.executable, nullptr, never_made),
    ROW(hipGraphExecMemcpyNodeSetParams, "null parameters", value, t.executable, t.copy, nullptr),
    ROW(hipGraphExecMemcpyNodeSetParams, "empty parameters", value, t.executable, t.copy,
        never_made),
    ROW(hipGraphExecMemcpyNodeSetParams1D, "no executable", value, nullptr, t.copy, t.memory,
        t.other, 64, by_pointers),
    ROW(hipGraphExecMemcpyNodeSetParams1D, "no node", value, t.executable, nullptr, t.memory,
        t.other, 64, by_pointers),
    ROW(hipGraphExecMemcpyNodeSetParamsFromSymbol, "no executable", value, nullptr, t.copy,
        t.memory, &t.variable, 4, 0, by_pointers),
    ROW(hipGraphExecMemcpyNodeSetParamsFromSymbol, "no node", value, t.executable, nullptr,
        t.memory, &t.variable, 4, 0, by_pointers),
    ROW(hipGraphExecMemcpyNodeSetParamsFromSymbol, "a null symbol", hipErrorInvalidSymbol,
        t.executable, t.copy, t.memory, nullptr, 4, 0, by_pointers),
    ROW(hipGraphExecMemcpyNodeSetParamsToSymbol, "no executable", value, nullptr, t.copy,
        &t.variable, t.memory, 4, 0, by_pointers),
    ROW(hipGraphExecMemcpyNodeSetParamsToSymbol, "no node", value, t.executable, nullptr,
        &t.variable, t.memory, 4, 0, by_pointers),
    ROW(hipGraphExecMemcpyNodeSetParamsToSymbol, "a null symbol", hipErrorInvalidSymbol,
        t.executable, t.copy, nullptr, t.memory, 4, 0, by_pointers),
    ROW(hipGraphExecMemsetNodeSetParams, "no executable", value, nullptr, t.fill, never_made),
    ROW(hipGraphExecMemsetNodeSetParams, "no node", value, t.executable, nullptr, never_made),
    ROW(hipGraphNodeGetEnabled, "no executable", value, nullptr, t.kernel, &t.flags),
    ROW(hipGraphNodeGetEnabled, "an executable that is none", value, never_made, t.kernel,
        &t.flags),
    ROW(hipGraphNodeGetEnabled, "no node", value, t.executable, nullptr, &t.flags),
    ROW(hipGraphNodeGetEnabled, "a node that is none", value, t.executable, never_made, &t.flags),
    ROW(hipGraphNodeGetEnabled, "a null pointer", value, t.executable, t.kernel, nullptr),
    ROW(hipGraphNodeGetEnabled, "a node of another graph", value, t.executable, t.foreign,
        &t.flags),
    ROW(hipGraphNodeGetEnabled, "a node made later", value, t.executable, t.late, &t.flags),
    ROW(hipGraphNodeGetEnabled, "a destroyed executable", value, t.no_executable, t.kernel,
        &t.flags),
    ROW(hipGraphNodeGetEnabled, "a node with a function", value, t.executable, t.call, &t.flags),
    ROW(hipGraphNodeGetEnabled, "an empty node", value, t.executable, t.empty, &t.flags),
    ROW(hipGraphNodeGetEnabled, "a node with a graph", value, t.executable, t.child, &t.flags),
    ROW(hipGraphNodeGetEnabled, "a node that waits", value, t.executable, t.wait, &t.flags),
    ROW(hipGraphNodeGetEnabled, "a node that records", value, t.executable, t.record, &t.flags),
    ROW(hipGraphNodeSetEnabled, "no executable", value, nullptr, t.kernel, 1),
    ROW(hipGraphNodeSetEnabled, "an executable that is none", value, never_made, t.kernel, 1),
    ROW(hipGraphNodeSetEnabled, "no node", value, t.executable, nullptr, 1),
    ROW(hipGraphNodeSetEnabled, "a node that is none", value, t.executable, never_made, 1),
    ROW(hipGraphNodeSetEnabled, "a node of another graph", value, t.executable, t.foreign, 1),
    ROW(hipGraphNodeSetEnabled, "a node made later", value, t.executable, t.late, 1),
    ROW(hipGraphNodeSetEnabled, "a destroyed executable", value, t.no_executable, t.kernel, 1),
    ROW(hipGraphNodeSetEnabled, "a node with a function", value, t.executable, t.call, 1),
    ROW(hipGraphNodeSetEnabled, "an empty node", value, t.executable, t.empty, 1),
    ROW(hipGraphNodeSetEnabled, "a node with a graph", value, t.executable, t.child, 1),
    ROW(hipGraphNodeSetEnabled, "a node that waits", value, t.executable, t.wait, 1),
    ROW(hipGraphNodeSetEnabled, "a node that records", value, t.executable, t.record, 1),
    ROW(hipUserObjectCreate, "a null pointer", value, nullptr, &t, do_nothing, 1, 1),
    ROW(hipUserObjectCreate, "no function", value, t.out<hipUserObject_t>(), &t, nullptr, 1, 1),
    ROW(hipUserObjectCreate, "no references", value, t.out<hipUserObject_t>(), &t, do_nothing, 0,
        1),
    ROW(hipUserObjectCreate, "flags that are none", value, t.out<hipUserObject_t>(), &t, do_nothing,
        1, 9),
    ROW(hipUserObjectRelease, "no object", value, nullptr, 1),
    ROW(hipUserObjectRelease, "no references", value, t.object, 0),
    ROW(hipUserObjectRetain, "no object", value, nullptr, 1),
    ROW(hipUserObjectRetain, "no references", value, t.object, 0),
    ROW(hipGraphRetainUserObject, "no graph", value, nullptr, t.object, 1, 1),
    ROW(hipGraphRetainUserObject, "no object", value, t.graph, nullptr, 1, 1),
    ROW(hipGraphRetainUserObject, "no references", value, t.graph, t.object, 0, 1),
    ROW(hipGraphRetainUserObject, "flags that are none", value, t.graph, t.object, 1, INT_MAX),
    ROW(hipGraphReleaseUserObject, "no graph", value, nullptr, t.object, 1),
    ROW(hipGraphReleaseUserObject, "no object", value, t.graph, nullptr, 1),
    ROW(hipGraphReleaseUserObject, "no references", value, t.graph, t.object, 0),
};

const row of_captures[] = {
    ROW(hipStreamBeginCapture, "the null stream", hipErrorStreamCaptureUnsupported, nullptr,
        hipStreamCaptureModeGlobal),
    ROW(hipStreamBeginCapture, "a mode that is none", value, t.stream,
        number<hipStreamCaptureMode>(-1)),
    ROW(hipStreamBeginCapture, "no stream", hipErrorContextIsDestroyed, never_made,
        hipStreamCaptureModeGlobal),
    {"hipStreamBeginCapture", "a captured stream", hipErrorIllegalState,
     [](things& u) {
         return captured(u, [](things& t) {
             return hipStreamBeginCapture(t.stream, hipStreamCaptureModeGlobal);
         });
     }},
    ROW(hipStreamBeginCaptureToGraph, "no graph", value, t.stream, nullptr, nullptr, nullptr, 0,
        hipStreamCaptureModeGlobal),
    ROW(hipStreamBeginCaptureToGraph, "null dependencies", value, t.stream, t.elsewhere, nullptr,
        nullptr, 1, hipStreamCaptureModeGlobal),
    ROW(hipStreamBeginCaptureToGraph, "a mode that is none", value, t.stream, t.elsewhere, nullptr,
        nullptr, 0, number<hipStreamCaptureMode>(-1)),
    {"hipStreamBeginCaptureToGraph", "a captured stream", hipErrorIllegalState,
     [](things& u) {
         return captured(u, [](things& t) {
             return hipStreamBeginCaptureToGraph(t.stream, t.elsewhere, nullptr, nullptr, 0,
                                                 hipStreamCaptureModeGlobal);
         });
     }},
    ROW(hipStreamEndCapture, "the null stream", hipErrorIllegalState, nullptr, t.out<hipGraph_t>()),
    ROW(hipStreamEndCapture, "a stream that is not captured", hipErrorIllegalState, t.stream,
        t.out<hipGraph_t>()),
    ROW(hipStreamEndCapture, "a destroyed stream", hipErrorContextIsDestroyed, t.no_stream,
        t.out<hipGraph_t>()),
    ROW(hipStreamGetCaptureInfo, "a null status", value, t.stream, nullptr, never_made),
    ROW(hipStreamGetCaptureInfo_v2, "a null status", value, t.stream, nullptr, never_made, nullptr,
        nullptr, nullptr),
    ROW(hipStreamIsCapturing, "a null status", value, t.stream, nullptr),
    {"hipStreamIsCapturing", "the null stream, while another is captured",
     hipErrorStreamCaptureImplicit,
     [](things& u) {
         return captured(u, [](things& t) {
             return hipStreamIsCapturing(nullptr, t.out<hipStreamCaptureStatus>());
         });
     }},
    {"hipStreamUpdateCaptureDependencies", "null dependencies", value,
     [](things& u) {
         return captured(u, [](things& t) {
             return hipStreamUpdateCaptureDependencies(t.stream, nullptr, 1, 0);
         });
     }},
    {"hipStreamUpdateCaptureDependencies", "flags that are none", value,
     [](things& u) {
         return captured(u, [](things& t) {
             return hipStreamUpdateCaptureDependencies(t.stream, &t.empty, 1, 7);
         });
     }},
    ROW(hipStreamUpdateCaptureDependencies, "a stream that is not captured", hipErrorIllegalState,
        t.stream, &t.empty, 1, 0),
    ROW(hipThreadExchangeStreamCaptureMode, "a null pointer", value, nullptr),
    {"hipThreadExchangeStreamCaptureMode", "a mode of -1", value,
     [](things&) { return exchange_mode(-1); }},
    {"hipThreadExchangeStreamCaptureMode", "a mode of INT_MAX", value,
     [](things&) { return exchange_mode(INT_MAX); }},
    {"hipThreadExchangeStreamCaptureMode", "the mode behind the last", value,
     [](things&) { return exchange_mode(3); }},
};

TEST(wrong_parameters, of_graphs_get_the_answers_of_hip_7) {
    expect_answers({nodes_to_add(), fills_of_nodes(), listed(of_graphs), listed(of_executables),
                    listed(of_captures)},
                   315);
}

}  // namespace
