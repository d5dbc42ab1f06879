// docs/emulator-runtime.md, "Where it differs from AMD's runtime": each row of the table is tried, and the
// emulator answers what its third column says.

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/sysinfo.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "docs.hpp"
#include "hip.hpp"
#include "kernels.hpp"

namespace {

std::string name_of(hipError_t error) {
    return std::string("`") + hipGetErrorName(error) + "`";
}

hipStream_t new_stream() {
    hipStream_t stream = nullptr;
    EXPECT_EQ(hipStreamCreate(&stream), hipSuccess);
    return stream;
}

hipStream_t destroyed_stream() {
    const hipStream_t stream = new_stream();
    EXPECT_EQ(hipStreamDestroy(stream), hipSuccess);
    return stream;
}

struct device_ints {
    device_ints() { EXPECT_EQ(hipMalloc(reinterpret_cast<void**>(&data), 16), hipSuccess); }
    ~device_ints() { EXPECT_EQ(hipFree(data), hipSuccess); }
    uint32_t* data = nullptr;
};

void note_thread(hipStream_t, hipError_t, void* data) {
    *static_cast<std::thread::id*>(data) = std::this_thread::get_id();
}

std::string called;
void note_first(void*) {
    called += "first ";
}
void note_second(void*) {
    called += "second ";
}

std::string branches() {
    hipGraph_t graph = nullptr;
    hipGraphExec_t executable = nullptr;
    hipGraphNode_t node = nullptr;
    const hipHostNodeParams first = {note_first, nullptr};
    const hipHostNodeParams second = {note_second, nullptr};
    EXPECT_EQ(hipGraphCreate(&graph, 0), hipSuccess);
    EXPECT_EQ(hipGraphAddHostNode(&node, graph, nullptr, 0, &first), hipSuccess);
    EXPECT_EQ(hipGraphAddHostNode(&node, graph, nullptr, 0, &second), hipSuccess);
    EXPECT_EQ(hipGraphInstantiate(&executable, graph, nullptr, nullptr, 0), hipSuccess);
    called.clear();
    EXPECT_EQ(hipGraphLaunch(executable, nullptr), hipSuccess);
    EXPECT_EQ(hipGraphExecDestroy(executable), hipSuccess);
    EXPECT_EQ(hipGraphDestroy(graph), hipSuccess);
    return called == "first second " ? "run one after another" : called;
}

std::string copies() {
    const device_ints memory;
    const hipStream_t stream = new_stream();
    uint32_t host[4] = {};
    EXPECT_EQ(hipMemsetAsync(memory.data, 7, 16, stream), hipSuccess);
    EXPECT_EQ(hipMemcpyAsync(host, memory.data, 16, hipMemcpyDeviceToHost, stream), hipSuccess);
    const bool is_done = host[3] == 0x07070707;
    EXPECT_EQ(hipStreamDestroy(stream), hipSuccess);
    return is_done ? "done when the call returns" : "done later";
}

std::string event() {
    hipEvent_t event = nullptr;
    EXPECT_EQ(hipEventCreate(&event), hipSuccess);
    EXPECT_EQ(hipEventRecord(event, nullptr), hipSuccess);
    const hipError_t error = hipEventQuery(event);
    EXPECT_EQ(hipEventDestroy(event), hipSuccess);
    return name_of(error);
}

std::string elapsed() {
    hipEvent_t events[2] = {};
    for (hipEvent_t& event : events) {
        EXPECT_EQ(hipEventCreate(&event), hipSuccess);
    }
    EXPECT_EQ(hipEventRecord(events[0], nullptr), hipSuccess);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));  // a GPU has nothing to do then
    EXPECT_EQ(hipEventRecord(events[1], nullptr), hipSuccess);
    float milliseconds = 0;
    EXPECT_EQ(hipEventElapsedTime(&milliseconds, events[0], events[1]), hipSuccess);
    for (const hipEvent_t event : events) {
        EXPECT_EQ(hipEventDestroy(event), hipSuccess);
    }
    return milliseconds >= 20 ? "the time of the CPU" : std::to_string(milliseconds);
}

std::string wait_for_value() {
    const device_ints memory;
    EXPECT_EQ(hipMemset(memory.data, 0, 16), hipSuccess);
    return name_of(hipStreamWaitValue32(nullptr, memory.data, 1, 1, ~0u));
}

std::string callback() {
    std::thread::id caller;
    EXPECT_EQ(hipStreamAddCallback(nullptr, note_thread, &caller, 0), hipSuccess);
    return caller == std::this_thread::get_id() ? "calls in the thread that adds it"
                                                : "calls in another thread";
}

std::string new_memory() {
    const device_ints memory;
    uint32_t host[4] = {};
    EXPECT_EQ(hipMemcpy(host, memory.data, 16, hipMemcpyDeviceToHost), hipSuccess);
    return host[0] == ~0u && host[3] == ~0u ? "holds bytes 0xff" : "holds something else";
}

std::string allocation_in_a_capture() {
    const hipStream_t stream = new_stream();
    hipGraph_t graph = nullptr;
    void* pointer = nullptr;
    EXPECT_EQ(hipStreamBeginCapture(stream, hipStreamCaptureModeRelaxed), hipSuccess);
    const hipError_t error = hipMallocAsync(&pointer, 16, stream);
    EXPECT_EQ(hipStreamEndCapture(stream, &graph), hipErrorStreamCaptureInvalidated);
    EXPECT_EQ(hipStreamDestroy(stream), hipSuccess);
    return name_of(error);
}

std::string queries_during_a_capture() {
    const hipStream_t stream = new_stream();
    const hipStream_t other = new_stream();
    hipGraph_t graph = nullptr;
    EXPECT_EQ(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal), hipSuccess);
    const hipError_t query = hipStreamQuery(other);
    const hipError_t wait = hipStreamSynchronize(other);
    EXPECT_EQ(hipStreamEndCapture(stream, &graph), hipSuccess);
    EXPECT_EQ(hipGraphDestroy(graph), hipSuccess);
    EXPECT_EQ(hipStreamDestroy(stream), hipSuccess);
    EXPECT_EQ(hipStreamDestroy(other), hipSuccess);
    return name_of(query) + (wait == query ? "" : " and " + name_of(wait));
}

std::string copies_of_a_wrong_kind() {
    const device_ints memory;
    std::vector<uint32_t> here = {1, 2, 3, 4};
    std::vector<uint32_t> there(4);
    std::string answers;
    for (const hipMemcpyKind kind : {hipMemcpyHostToHost, hipMemcpyDeviceToHost}) {
        EXPECT_EQ(hipMemcpy(memory.data, here.data(), 16, kind), hipSuccess) << kind;
        EXPECT_EQ(hipMemcpy(there.data(), memory.data, 16, hipMemcpyHostToDevice), hipSuccess);
        answers = there == here ? "copies" : "copies something else";
        here[0] += 4;
    }
    EXPECT_EQ(hipMemcpy(there.data(), here.data(), 16, hipMemcpyDeviceToDevice), hipSuccess);
    return there == here ? answers : "copies something else";
}

std::string kept_by_a_pool() {
    hipMemPool_t pool = nullptr;
    void* pointer = nullptr;
    uint64_t threshold = 1 << 20;
    uint64_t kept = 1;
    EXPECT_EQ(hipDeviceGetDefaultMemPool(&pool, 0), hipSuccess);
    EXPECT_EQ(hipMemPoolSetAttribute(pool, hipMemPoolAttrReleaseThreshold, &threshold), hipSuccess);
    EXPECT_EQ(hipMallocAsync(&pointer, 4096, nullptr), hipSuccess);
    EXPECT_EQ(hipFreeAsync(pointer, nullptr), hipSuccess);
    EXPECT_EQ(hipMemPoolGetAttribute(pool, hipMemPoolAttrReservedMemCurrent, &kept), hipSuccess);
    return kept == 0 ? "none" : std::to_string(kept);
}

std::string version() {
    int number = 0;
    EXPECT_EQ(hipRuntimeGetVersion(&number), hipSuccess);
    return std::to_string(number);
}

std::string code_object_for_xnack() {
    hipModule_t module = nullptr;
    const std::string file =
        std::string(OPUS_EMU_TEST_KERNELS) + "/kernels_" + tested_arch() + "_xnack.co";
    return name_of(hipModuleLoad(&module, file.c_str()));
}

// Not supported, with whatever is passed.
template <class Result>
Result call(const char* name) {
    void* function = ::dlsym(RTLD_DEFAULT, name);
    EXPECT_NE(function, nullptr) << name;
    return reinterpret_cast<Result (*)()>(function)();
}
std::string unsupported(const char* name) {
    return name_of(call<hipError_t>(name));
}

std::string no_linker() {
    return std::string("`") + hiprtcGetErrorString(call<hiprtcResult>("hiprtcLinkCreate")) + "`";
}

const std::map<std::string, std::function<std::string()>> cases = {
    {"`hipRuntimeGetVersion`", version},
    {"copies, fills and kernels in a stream", copies},
    {"`hipEventQuery` directly after `hipEventRecord`", event},
    {"`hipStreamWaitValue32` for a value that is not there", wait_for_value},
    {"`hipStreamAddCallback`", callback},
    {"branches of a graph", branches},
    {"`hipEventElapsedTime`", elapsed},
    {"new memory", new_memory},
    {"a stream that was destroyed",
     [] { return name_of(hipStreamSynchronize(destroyed_stream())); }},
    {"the same in `hipLaunchCooperativeKernel`",
     [] {
         return name_of(hipLaunchCooperativeKernel(nullptr, {1, 1, 1}, {1, 1, 1}, nullptr, 0,
                                                   destroyed_stream()));
     }},
    {"`hipMallocAsync` in a captured stream", allocation_in_a_capture},
    {"`hipStreamQuery`, `hipStreamSynchronize` of another stream during a Global capture",
     queries_during_a_capture},
    {"memory of the device",
     [] {
         size_t free = 0;
         size_t total = 0;
         struct sysinfo host = {};
         EXPECT_EQ(::sysinfo(&host), 0);
         EXPECT_EQ(hipMemGetInfo(&free, &total), hipSuccess);
         const size_t gib = tested_arch() == "gfx942" ? 192 : 288;
         const size_t of_host = size_t{host.totalram} * host.mem_unit;
         return total == std::min(of_host, (gib << 30) - (size_t{16} << 20))
                    ? "that, or the host's if it is less"
                    : std::to_string(total);
     }},
    {"`hipMemcpy` of a kind that contradicts the pointers", copies_of_a_wrong_kind},
    {"`hipGraphAddMemAllocNode`", [] { return unsupported("hipGraphAddMemAllocNode"); }},
    {"`hipGraphAddNode`", [] { return unsupported("hipGraphAddNode"); }},
    {"memory that a pool keeps after `hipFreeAsync`", kept_by_a_pool},
    {"a second device", [] { return name_of(hipSetDevice(1)); }},
    {"`hipIpcGetMemHandle`", [] { return unsupported("hipIpcGetMemHandle"); }},
    {"`hipMemAddressReserve`", [] { return unsupported("hipMemAddressReserve"); }},
    {"`hipMallocArray`", [] { return unsupported("hipMallocArray"); }},
    {"`hiprtcLinkCreate`", no_linker},
    {"a code object for `xnack+`", code_object_for_xnack},
};

TEST(differences, are_those_of_the_page) {
    std::set<std::string> on_page;
    for (const auto& row : emu::table_of_docs("| what | AMD's runtime | the emulator | do |",
                                              "emulator-runtime.md")) {
        ASSERT_EQ(row.size(), 4u);
        on_page.insert(row[0]);
        const auto found = cases.find(row[0]);
        ASSERT_NE(found, cases.end()) << row[0] << ": nobody tries it";
        EXPECT_EQ(found->second(), row[2]) << row[0];
        EXPECT_NE(row[3], "");
    }
    EXPECT_EQ(on_page.size(), cases.size()) << "a case is not on the page";
    hipGetLastError();
}

}  // namespace
