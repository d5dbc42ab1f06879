// Streams, events, capture and graphs, from the outside. Compiled with the real HIP headers, too,
// where they are installed (OPUS_EMU_REAL_HIP).

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "device_objects.hpp"
#include "hip.hpp"

namespace {

struct streams : testing::Test {
    void SetUp() override {
        // Non-blocking ones, so that the null stream can be used beside a capture.
        ASSERT_EQ(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking), hipSuccess);
        ASSERT_EQ(hipStreamCreateWithFlags(&other, hipStreamNonBlocking), hipSuccess);
    }
    void TearDown() override {
        EXPECT_EQ(hipStreamDestroy(stream), hipSuccess);
        EXPECT_EQ(hipStreamDestroy(other), hipSuccess);
        hipGetLastError();
    }
    hipStream_t stream = nullptr;
    hipStream_t other = nullptr;
};

void count_up(void* data) {
    ++*static_cast<int*>(data);
}

void note_status(hipStream_t stream, hipError_t status, void* data) {
    *static_cast<hipStream_t*>(data) = status == hipSuccess ? stream : nullptr;
}

TEST_F(streams, have_attributes) {
    hipStream_t urgent = nullptr;
    int least = 0;
    int greatest = 0;
    ASSERT_EQ(hipDeviceGetStreamPriorityRange(&least, &greatest), hipSuccess);
    EXPECT_GT(least, greatest);
    ASSERT_EQ(hipStreamCreateWithPriority(&urgent, 0, greatest - 5), hipSuccess);
    int priority = 7;
    unsigned flags = 7;
    hipDevice_t number = 7;
    EXPECT_EQ(hipStreamGetPriority(urgent, &priority), hipSuccess);
    EXPECT_EQ(priority, greatest);
    hipStream_t patient = nullptr;
    ASSERT_EQ(hipStreamCreateWithPriority(&patient, 0, least + 5), hipSuccess);
    EXPECT_EQ(hipStreamGetPriority(patient, &priority), hipSuccess);
    EXPECT_EQ(priority, least);
    EXPECT_EQ(hipStreamDestroy(patient), hipSuccess);
    EXPECT_EQ(hipStreamGetFlags(urgent, &flags), hipSuccess);
    EXPECT_EQ(flags, 0u);
    EXPECT_EQ(hipStreamGetFlags(stream, &flags), hipSuccess);
    EXPECT_EQ(flags, 1u);
    EXPECT_EQ(hipStreamGetDevice(urgent, &number), hipSuccess);
    EXPECT_EQ(number, 0);
    EXPECT_EQ(hipStreamDestroy(urgent), hipSuccess);
    EXPECT_EQ(hipStreamGetFlags(urgent, &flags), hipErrorContextIsDestroyed);

    const uint32_t mask[] = {0x5};
    ASSERT_EQ(hipExtStreamCreateWithCUMask(&urgent, 1, mask), hipSuccess);
    std::array<uint32_t, 10> read{};
    EXPECT_EQ(hipExtStreamGetCUMask(urgent, 10, read.data()), hipSuccess);
    EXPECT_EQ(read[0], 5u);
    EXPECT_EQ(read[1], 0u);
    read[9] = 7;
    EXPECT_EQ(hipExtStreamGetCUMask(nullptr, 9, read.data()),
              tested_arch() == "gfx942" ? hipErrorInvalidValue : hipSuccess);
    EXPECT_EQ(read[9], 7u) << "behind those that were asked for";
    EXPECT_EQ(hipExtStreamGetCUMask(nullptr, 10, read.data()), hipSuccess);
    EXPECT_EQ(read[7], ~0u);
    EXPECT_EQ(read[9], tested_arch() == "gfx942" ? 0xffffu : 0u) << "304 or 256 compute units";
    EXPECT_EQ(hipStreamDestroy(urgent), hipSuccess);
}

TEST_F(streams, call_the_host) {
    int calls = 0;
    hipStream_t seen = nullptr;
    EXPECT_EQ(hipLaunchHostFunc(stream, count_up, &calls), hipSuccess);
    EXPECT_EQ(calls, 1);
    EXPECT_EQ(hipStreamAddCallback(stream, note_status, &seen, 0), hipSuccess);
    EXPECT_EQ(seen, stream);
    EXPECT_EQ(hipLaunchHostFunc(stream, nullptr, nullptr), hipErrorInvalidValue);
    EXPECT_EQ(hipStreamAddCallback(stream, note_status, &seen, 1), hipErrorInvalidValue);
}

TEST_F(streams, write_values_and_wait_for_them) {
    const ints memory(4);
    EXPECT_EQ(hipStreamWriteValue32(stream, memory.data, 5, 0), hipSuccess);
    EXPECT_EQ(hipStreamWriteValue64(stream, memory.data + 2, 0x700000003, 0), hipSuccess);
    EXPECT_EQ(memory[0], 5);
    EXPECT_EQ(memory[1], 0);
    EXPECT_EQ(memory[2], 3);
    EXPECT_EQ(memory[3], 7);
    constexpr unsigned greater_or_equal = 0;
    constexpr unsigned equal = 1;
    constexpr unsigned common_bit = 2;
    EXPECT_EQ(hipStreamWaitValue32(stream, memory.data, 4, greater_or_equal, ~0u), hipSuccess);
    EXPECT_EQ(hipStreamWaitValue32(stream, memory.data, 1, equal, 1), hipSuccess);
    EXPECT_EQ(hipStreamWaitValue64(stream, memory.data + 2, 0x400000000, common_bit, ~uint64_t{0}),
              hipSuccess);
    testing::internal::CaptureStderr();
    EXPECT_EQ(hipStreamWaitValue32(stream, memory.data, 6, greater_or_equal, ~0u),
              hipErrorNotSupported);
    EXPECT_NE(testing::internal::GetCapturedStderr().find("never comes"), std::string::npos);
    EXPECT_EQ(hipStreamWaitValue32(stream, memory.data, 2, common_bit, ~0u), hipErrorNotSupported);
    EXPECT_EQ(hipStreamWaitValue32(stream, memory.data, 5, 4, ~0u), hipErrorInvalidValue);
}

// ---- capture ----

TEST_F(streams, a_captured_stream_does_nothing_until_its_graph_is_launched) {
    const ints memory(2);
    int calls = 0;
    ASSERT_EQ(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal), hipSuccess);
    EXPECT_EQ(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal), hipErrorIllegalState);
    EXPECT_EQ(hipMemsetD32Async(memory.data, 3, 1, stream), hipSuccess);
    EXPECT_EQ(hipMemcpyAsync(memory.data + 1, memory.data, 4, hipMemcpyDeviceToDevice, stream),
              hipSuccess);
    EXPECT_EQ(hipLaunchHostFunc(stream, count_up, &calls), hipSuccess);
    EXPECT_EQ(memory[0], 0);
    EXPECT_EQ(calls, 0);
    hipStreamCaptureStatus status = hipStreamCaptureStatusNone;
    EXPECT_EQ(hipStreamIsCapturing(stream, &status), hipSuccess);
    EXPECT_EQ(status, hipStreamCaptureStatusActive);
    EXPECT_EQ(hipStreamIsCapturing(other, &status), hipSuccess);
    EXPECT_EQ(status, hipStreamCaptureStatusNone);
    hipGraph_t graph = nullptr;
    hipGraph_t same = nullptr;
    unsigned long long id = 0;
    const hipGraphNode_t* last = nullptr;
    size_t count = 0;
    EXPECT_EQ(hipStreamGetCaptureInfo_v2(stream, &status, &id, &same, &last, &count), hipSuccess);
    EXPECT_NE(id, 0u);
    ASSERT_EQ(count, 1u);
    hipGraphNodeType type = hipGraphNodeTypeEmpty;
    EXPECT_EQ(hipGraphNodeGetType(*last, &type), hipSuccess);
    EXPECT_EQ(type, hipGraphNodeTypeHost);
    ASSERT_EQ(hipStreamEndCapture(stream, &graph), hipSuccess);
    EXPECT_EQ(graph, same);
    EXPECT_EQ(hipGraphGetNodes(graph, nullptr, &count), hipSuccess);
    EXPECT_EQ(count, 3u);
    EXPECT_EQ(hipGraphGetEdges(graph, nullptr, nullptr, &count), hipSuccess);
    EXPECT_EQ(count, 2u);

    hipGraphExec_t executable = nullptr;
    ASSERT_EQ(hipGraphInstantiate(&executable, graph, nullptr, nullptr, 0), hipSuccess);
    EXPECT_EQ(hipGraphDestroy(graph), hipSuccess);
    EXPECT_EQ(calls, 0);
    for (int n = 1; n <= 3; ++n) {
        ASSERT_EQ(hipMemset(memory.data, 0, 8), hipSuccess);
        EXPECT_EQ(hipGraphLaunch(executable, n == 1 ? nullptr : stream), hipSuccess);
        EXPECT_EQ(memory[0], 3);
        EXPECT_EQ(memory[1], 3);
        EXPECT_EQ(calls, n);
    }
    EXPECT_EQ(hipGraphExecDestroy(executable), hipSuccess);
    EXPECT_EQ(hipGraphLaunch(executable, stream), hipErrorInvalidValue);
}

TEST_F(streams, a_stream_joins_a_capture_by_an_event_and_comes_back_by_one) {
    const ints memory(3);
    hipEvent_t forked = nullptr;
    hipEvent_t joined = nullptr;
    ASSERT_EQ(hipEventCreate(&forked), hipSuccess);
    ASSERT_EQ(hipEventCreate(&joined), hipSuccess);
    for (const bool comes_back : {true, false}) {
        ASSERT_EQ(hipStreamBeginCapture(stream, hipStreamCaptureModeRelaxed), hipSuccess);
        EXPECT_EQ(hipMemsetD32Async(memory.data, 1, 1, stream), hipSuccess);
        EXPECT_EQ(hipEventRecord(forked, stream), hipSuccess);
        EXPECT_EQ(hipStreamWaitEvent(other, forked, 0), hipSuccess);
        EXPECT_EQ(hipMemcpyAsync(memory.data + 1, memory.data, 4, hipMemcpyDeviceToDevice, other),
                  hipSuccess);
        EXPECT_EQ(hipEventRecord(joined, other), hipSuccess);
        hipGraph_t graph = nullptr;
        EXPECT_EQ(hipStreamEndCapture(other, &graph), hipErrorStreamCaptureUnmatched);
        if (!comes_back) {
            EXPECT_EQ(hipStreamEndCapture(stream, &graph), hipErrorStreamCaptureUnjoined);
            EXPECT_EQ(graph, nullptr);
            break;
        }
        EXPECT_EQ(hipStreamWaitEvent(stream, joined, 0), hipSuccess);
        EXPECT_EQ(
            hipMemcpyAsync(memory.data + 2, memory.data + 1, 4, hipMemcpyDeviceToDevice, stream),
            hipSuccess);
        ASSERT_EQ(hipStreamEndCapture(stream, &graph), hipSuccess);
        hipGraphExec_t executable = nullptr;
        ASSERT_EQ(hipGraphInstantiateWithFlags(&executable, graph, 0), hipSuccess);
        EXPECT_EQ(hipGraphLaunch(executable, stream), hipSuccess);
        EXPECT_EQ(memory[2], 1);
        EXPECT_EQ(hipGraphExecDestroy(executable), hipSuccess);
        EXPECT_EQ(hipGraphDestroy(graph), hipSuccess);
    }
    EXPECT_EQ(hipEventQuery(forked), hipSuccess);
    EXPECT_EQ(hipEventDestroy(forked), hipSuccess);
    EXPECT_EQ(hipEventDestroy(joined), hipSuccess);
}

// The thread's stream as any other: it takes no part once the capture has ended, and all wait for it.
TEST_F(streams, that_of_the_thread_joins_a_capture) {
    const ints memory(2);
    const auto of_thread = reinterpret_cast<hipStream_t>(2);
    hipEvent_t event = nullptr;
    ASSERT_EQ(hipEventCreate(&event), hipSuccess);
    for (const bool comes_back : {true, false}) {
        hipGraph_t graph = nullptr;
        size_t count = 0;
        ASSERT_EQ(hipStreamBeginCapture(stream, hipStreamCaptureModeRelaxed), hipSuccess);
        EXPECT_EQ(hipEventRecord(event, stream), hipSuccess);
        EXPECT_EQ(hipStreamWaitEvent(of_thread, event, 0), hipSuccess);
        EXPECT_EQ(hipMemsetD32Async(memory.data, 1, 1, of_thread), hipSuccess);
        if (!comes_back) {
            EXPECT_EQ(hipStreamEndCapture(stream, &graph), hipErrorStreamCaptureUnjoined);
        } else {
            EXPECT_EQ(hipEventRecord(event, of_thread), hipSuccess);
            EXPECT_EQ(hipStreamWaitEvent(stream, event, 0), hipSuccess);
            ASSERT_EQ(hipStreamEndCapture(stream, &graph), hipSuccess);
        }
        hipStreamCaptureStatus status = hipStreamCaptureStatusActive;
        EXPECT_EQ(hipStreamIsCapturing(of_thread, &status), hipSuccess);
        EXPECT_EQ(status, hipStreamCaptureStatusNone);
        EXPECT_EQ(hipMemsetD32Async(memory.data + 1, 2, 1, of_thread), hipSuccess);
        EXPECT_EQ(hipStreamSynchronize(of_thread), hipSuccess);
        EXPECT_EQ(memory[1], 2);
        if (comes_back) {
            EXPECT_EQ(hipGraphGetNodes(graph, nullptr, &count), hipSuccess);
            EXPECT_EQ(count, 1u);
            EXPECT_EQ(hipGraphDestroy(graph), hipSuccess);
        }
    }
    EXPECT_EQ(memory[0], 0);
    // A thread that ends takes its stream along.
    ASSERT_EQ(hipStreamBeginCapture(stream, hipStreamCaptureModeRelaxed), hipSuccess);
    EXPECT_EQ(hipEventRecord(event, stream), hipSuccess);
    std::thread([&] { EXPECT_EQ(hipStreamWaitEvent(of_thread, event, 0), hipSuccess); }).join();
    hipGraph_t graph = nullptr;
    EXPECT_EQ(hipStreamEndCapture(stream, &graph), hipErrorStreamCaptureInvalidated);
    ASSERT_EQ(hipStreamBeginCapture(of_thread, hipStreamCaptureModeRelaxed), hipSuccess);
    EXPECT_EQ(hipMemset(memory.data, 1, 4), hipErrorStreamCaptureImplicit);
    EXPECT_EQ(hipStreamEndCapture(of_thread, &graph), hipErrorStreamCaptureInvalidated);
    EXPECT_EQ(hipEventDestroy(event), hipSuccess);
}

// More threads than what is kept of their stacks: what they had is no memory any longer when all
// streams are looked at.
TEST_F(streams, of_threads_that_have_ended) {
    const auto of_thread = reinterpret_cast<hipStream_t>(2);
    std::vector<std::thread> threads;
    std::atomic<int> there = 0;
    for (int n = 0; n < 24; ++n) {
        threads.emplace_back([&] {
            EXPECT_EQ(hipStreamQuery(of_thread), hipSuccess);
            ++there;
            while (there < 24) {
                std::this_thread::yield();
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    hipGraph_t graph = nullptr;
    EXPECT_EQ(hipDeviceSynchronize(), hipSuccess);
    ASSERT_EQ(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal), hipSuccess);
    ASSERT_EQ(hipStreamEndCapture(stream, &graph), hipSuccess);
    EXPECT_EQ(hipGraphDestroy(graph), hipSuccess);
}

TEST_F(streams, a_capture_follows_nodes_of_its_graph) {
    hipGraph_t graph = nullptr;
    hipGraph_t another = nullptr;
    hipGraphNode_t node = nullptr;
    hipGraphNode_t foreign = nullptr;
    ASSERT_EQ(hipGraphCreate(&graph, 0), hipSuccess);
    ASSERT_EQ(hipGraphCreate(&another, 0), hipSuccess);
    ASSERT_EQ(hipGraphAddEmptyNode(&node, graph, nullptr, 0), hipSuccess);
    ASSERT_EQ(hipGraphAddEmptyNode(&foreign, another, nullptr, 0), hipSuccess);
    const auto begin = [&](hipGraphNode_t after) {
        return hipStreamBeginCaptureToGraph(stream, graph, &after, nullptr, 1,
                                            hipStreamCaptureModeGlobal);
    };
    EXPECT_EQ(begin(foreign), hipErrorInvalidValue);
    EXPECT_EQ(hipGraphDestroyNode(foreign), hipSuccess);
    EXPECT_EQ(begin(foreign), hipErrorInvalidValue);
    EXPECT_EQ(begin(node), hipSuccess);
    EXPECT_EQ(hipStreamEndCapture(stream, &graph), hipSuccess);
    EXPECT_EQ(hipGraphDestroy(graph), hipSuccess);
    EXPECT_EQ(hipGraphDestroy(another), hipSuccess);
}

// What a capture does not allow breaks it: the call fails, hipStreamEndCapture fails, and one message
// names the call, whatever else is tried.
struct broken_captures : testing::Test {
    // @pre `error` is what `call` returns while a blocking stream is captured in this mode; hipSuccess
    // means that the capture goes on.
    template <class Call>
    void expect(hipStreamCaptureMode mode, const char* name, hipError_t error, const Call& call) {
        SCOPED_TRACE(std::string(name) + " in mode " + std::to_string(mode));
        hipGraph_t graph = nullptr;
        hipStreamCaptureStatus status = hipStreamCaptureStatusNone;
        ASSERT_EQ(hipStreamBeginCapture(stream, mode), hipSuccess);
        testing::internal::CaptureStderr();
        EXPECT_EQ(call(), error);
        EXPECT_EQ(hipStreamIsCapturing(stream, &status), hipSuccess);
        if (error != hipSuccess) {
            EXPECT_EQ(call(), error) << "again";
            EXPECT_EQ(hipMemsetAsync(memory, 1, 4, stream), hipErrorStreamCaptureInvalidated);
        }
        const std::string message = testing::internal::GetCapturedStderr();
        const bool breaks = error != hipSuccess;
        EXPECT_EQ(status,
                  breaks ? hipStreamCaptureStatusInvalidated : hipStreamCaptureStatusActive);
        EXPECT_EQ(hipStreamEndCapture(stream, &graph),
                  breaks ? hipErrorStreamCaptureInvalidated : hipSuccess);
        EXPECT_EQ(graph != nullptr, !breaks);
        if (breaks) {
            EXPECT_NE(message.find(std::string("opus emulator: ") + name + " broke"),
                      std::string::npos)
                << message;
            EXPECT_EQ(message.find(" broke "), message.rfind(" broke ")) << message;
        } else {
            EXPECT_EQ(message, "");
            EXPECT_EQ(hipGraphDestroy(graph), hipSuccess);
        }
        hipStreamIsCapturing(stream, &status);
        EXPECT_EQ(status, hipStreamCaptureStatusNone);
    }
    void SetUp() override {
        ASSERT_EQ(hipStreamCreate(&stream), hipSuccess);
        ASSERT_EQ(hipStreamCreateWithFlags(&other, hipStreamNonBlocking), hipSuccess);
        ASSERT_EQ(hipEventCreate(&event), hipSuccess);
        ASSERT_EQ(hipEventRecord(event, nullptr), hipSuccess);
        ASSERT_EQ(hipMalloc(&memory, 4), hipSuccess);
    }
    void TearDown() override {
        EXPECT_EQ(hipStreamDestroy(stream), hipSuccess);
        EXPECT_EQ(hipStreamDestroy(other), hipSuccess);
        EXPECT_EQ(hipEventDestroy(event), hipSuccess);
        EXPECT_EQ(hipFree(memory), hipSuccess);
        hipGetLastError();
    }
    hipStream_t stream = nullptr;
    hipStream_t other = nullptr;
    hipEvent_t event = nullptr;  // recorded in front of the captures
    void* memory = nullptr;
};

constexpr hipStreamCaptureMode capture_modes[] = {
    hipStreamCaptureModeGlobal, hipStreamCaptureModeThreadLocal, hipStreamCaptureModeRelaxed};

template <class Call>
hipError_t in_another_thread(const Call& call) {
    hipError_t error = hipSuccess;
    std::thread([&] { error = call(); }).join();
    return error;
}

struct unsafe_call {
    const char* name;
    std::function<hipError_t()> call;
};

// What no graph can hold, in no stream: forbidden by the modes.
TEST_F(broken_captures, unsafe_calls) {
    static char own[8192];
    void* p = nullptr;
    void* pinned = nullptr;
    void* managed = nullptr;
    size_t pitch = 0;
    hipPitchedPtr rows = {};
    hipMemPool_t pool = nullptr;
    hipMemPool_t current = nullptr;
    hipMemPoolProps properties = {};
    properties.allocType = hipMemAllocationTypePinned;
    properties.location = {hipMemLocationTypeDevice, 0};
    ASSERT_EQ(hipDeviceGetDefaultMemPool(&current, 0), hipSuccess);
    ASSERT_EQ(hipHostMalloc(&pinned, 64, 0), hipSuccess);
    ASSERT_EQ(hipMallocManaged(&managed, 64, 1), hipSuccess);
    const auto freed = [&](hipError_t error) {
        hipStreamCaptureMode relaxed = hipStreamCaptureModeRelaxed;
        hipThreadExchangeStreamCaptureMode(&relaxed);
        if (error == hipSuccess) {
            EXPECT_EQ(hipFree(p), hipSuccess);
        }
        hipThreadExchangeStreamCaptureMode(&relaxed);
        return error;
    };
    const auto freed_host = [&](hipError_t error) {
        return error == hipSuccess ? hipHostFree(p) : error;
    };
    const unsafe_call calls[] = {
        {"hipMalloc", [&] { return freed(hipMalloc(&p, 64)); }},
        {"hipExtMallocWithFlags", [&] { return freed(hipExtMallocWithFlags(&p, 64, 0)); }},
        {"hipMallocManaged", [&] { return freed(hipMallocManaged(&p, 64, 1)); }},
        {"hipMallocPitch", [&] { return freed(hipMallocPitch(&p, &pitch, 64, 4)); }},
        {"hipMemAllocPitch", [&] { return freed(hipMemAllocPitch(&p, &pitch, 64, 4, 4)); }},
        {"hipMalloc3D",
         [&] {
             const hipError_t error = hipMalloc3D(&rows, {64, 4, 1});
             p = rows.ptr;
             return freed(error);
         }},
        {"hipHostMalloc", [&] { return freed_host(hipHostMalloc(&p, 64, 0)); }},
        {"hipHostAlloc", [&] { return freed_host(hipHostAlloc(&p, 64, 0)); }},
        {"hipMallocHost", [&] { return freed_host(hipMallocHost(&p, 64)); }},
        {"hipMemAllocHost", [&] { return freed_host(hipMemAllocHost(&p, 64)); }},
        {"hipFree", [&] { return hipFree(nullptr); }},
        {"hipHostFree", [&] { return hipHostFree(nullptr); }},
        {"hipFreeHost", [&] { return hipFreeHost(nullptr); }},
        {"hipHostRegister",
         [&] {
             const hipError_t error = hipHostRegister(own, 4096, 0);
             return error == hipSuccess ? hipHostUnregister(own) : error;
         }},
        {"hipMemAdvise", [&] { return hipMemAdvise(managed, 64, hipMemAdviseSetReadMostly, 0); }},
        {"hipMemPoolCreate",
         [&] {
             const hipError_t error = hipMemPoolCreate(&pool, &properties);
             return error == hipSuccess ? hipMemPoolDestroy(pool) : error;
         }},
        {"hipDeviceSetMemPool", [&] { return hipDeviceSetMemPool(0, current); }},
        {"hipDeviceSetCacheConfig",
         [&] { return hipDeviceSetCacheConfig(hipFuncCachePreferNone); }},
        {"hipDeviceSetSharedMemConfig",
         [&] { return hipDeviceSetSharedMemConfig(hipSharedMemBankSizeDefault); }},
        {"hipEventQuery", [&] { return hipEventQuery(event); }},
        {"hipEventSynchronize", [&] { return hipEventSynchronize(event); }},
    };
    for (const auto& [name, call] : calls) {
        for (const hipStreamCaptureMode mode : capture_modes) {
            const bool relaxed = mode == hipStreamCaptureModeRelaxed;
            const bool global = mode == hipStreamCaptureModeGlobal;
            expect(mode, name, relaxed ? hipSuccess : hipErrorStreamCaptureUnsupported, call);
            expect(mode, name, global ? hipErrorStreamCaptureUnsupported : hipSuccess,
                   [&, &unsafe = call] { return in_another_thread(unsafe); });
            for (const hipStreamCaptureMode own_mode : capture_modes) {
                // A thread's mode: ThreadLocal leaves the captures of others alone, Relaxed all.
                const auto with_own_mode = [&, &unsafe = call] {
                    hipStreamCaptureMode m = own_mode;
                    EXPECT_EQ(hipThreadExchangeStreamCaptureMode(&m), hipSuccess);
                    EXPECT_EQ(m, hipStreamCaptureModeGlobal) << "the default";
                    const hipError_t error = unsafe();
                    EXPECT_EQ(hipThreadExchangeStreamCaptureMode(&m), hipSuccess);
                    EXPECT_EQ(m, own_mode);
                    return error;
                };
                const bool by_this = !relaxed && own_mode != hipStreamCaptureModeRelaxed;
                const bool by_other = global && own_mode == hipStreamCaptureModeGlobal;
                expect(mode, name, by_this ? hipErrorStreamCaptureUnsupported : hipSuccess,
                       with_own_mode);
                expect(mode, name, by_other ? hipErrorStreamCaptureUnsupported : hipSuccess,
                       [&] { return in_another_thread(with_own_mode); });
            }
        }
    }
    // What these two undo is done before.
    ASSERT_EQ(hipHostRegister(own, 4096, 0), hipSuccess);
    ASSERT_EQ(hipMemPoolCreate(&pool, &properties), hipSuccess);
    expect(hipStreamCaptureModeGlobal, "hipHostUnregister", hipErrorStreamCaptureUnsupported,
           [&] { return hipHostUnregister(own); });
    expect(hipStreamCaptureModeThreadLocal, "hipMemPoolDestroy", hipErrorStreamCaptureUnsupported,
           [&] { return hipMemPoolDestroy(pool); });
    EXPECT_EQ(hipHostUnregister(own), hipSuccess);
    EXPECT_EQ(hipMemPoolDestroy(pool), hipSuccess);
    EXPECT_EQ(hipHostFree(pinned), hipSuccess);
    EXPECT_EQ(hipFree(managed), hipSuccess);
}

// What depends on a captured stream: forbidden in every mode.
TEST_F(broken_captures, calls_that_would_wait) {
    int host = 0;
    void* p = nullptr;
    hipStream_t seen = nullptr;
    hipEvent_t captured = nullptr;
    ASSERT_EQ(hipEventCreate(&captured), hipSuccess);
    const auto record = [&] { EXPECT_EQ(hipEventRecord(captured, stream), hipSuccess); };
    struct row {
        const char* name;
        hipError_t error;
        std::function<hipError_t()> call;
    };
    constexpr hipError_t unsupported = hipErrorStreamCaptureUnsupported;
    constexpr hipError_t implicit = hipErrorStreamCaptureImplicit;
    const row calls[] = {
        {"hipDeviceSynchronize", unsupported, [&] { return hipDeviceSynchronize(); }},
        {"hipStreamSynchronize", unsupported, [&] { return hipStreamSynchronize(stream); }},
        {"hipStreamQuery", unsupported, [&] { return hipStreamQuery(stream); }},
        {"hipStreamAddCallback", unsupported,
         [&] { return hipStreamAddCallback(stream, note_status, &seen, 0); }},
        {"hipStreamAddCallback", unsupported,
         [&] { return hipStreamAddCallback(other, note_status, &seen, 0); }},
        {"hipMallocAsync", unsupported, [&] { return hipMallocAsync(&p, 4, stream); }},
        {"hipFreeAsync", unsupported, [&] { return hipFreeAsync(memory, stream); }},
        {"hipStreamSynchronize", implicit, [&] { return hipStreamSynchronize(nullptr); }},
        {"hipStreamQuery", implicit, [&] { return hipStreamQuery(nullptr); }},
        {"hipMemcpy", implicit, [&] { return hipMemcpy(&host, memory, 4, hipMemcpyDeviceToHost); }},
        {"hipMemcpyAsync", implicit,
         [&] { return hipMemcpyAsync(&host, memory, 4, hipMemcpyDeviceToHost, nullptr); }},
        {"hipMemcpy2D", implicit,
         [&] { return hipMemcpy2D(&host, 4, memory, 4, 4, 1, hipMemcpyDeviceToHost); }},
        {"hipMemcpyDtoD", implicit, [&] { return hipMemcpyDtoD(memory, memory, 4); }},
        {"hipMemset", implicit, [&] { return hipMemset(memory, 0, 4); }},
        {"hipMemsetD32", implicit, [&] { return hipMemsetD32(memory, 0, 1); }},
        {"hipMemset2D", implicit, [&] { return hipMemset2D(memory, 4, 0, 4, 1); }},
        {"hipLaunchHostFunc", implicit,
         [&] { return hipLaunchHostFunc(nullptr, count_up, &host); }},
        {"hipEventRecord", implicit, [&] { return hipEventRecord(event, nullptr); }},
        {"hipMallocAsync", implicit, [&] { return hipMallocAsync(&p, 4, nullptr); }},
        {"hipStreamWaitEvent", hipErrorStreamCaptureIsolation,
         [&] { return hipStreamWaitEvent(stream, event, 0); }},
    };
    for (const auto& [name, error, call] : calls) {
        for (const hipStreamCaptureMode mode : capture_modes) {
            expect(mode, name, error, call);
        }
    }
    EXPECT_EQ(host, 0);
    EXPECT_EQ(seen, nullptr);
    // Events that were recorded in the capture, and a wait of the null stream for one.
    for (int way = 0; way < 3; ++way) {
        bool recorded = false;
        const char* names[] = {"hipEventQuery", "hipEventSynchronize", "hipStreamWaitEvent"};
        expect(hipStreamCaptureModeRelaxed, names[way], way == 2 ? implicit : hipErrorCapturedEvent,
               [&] {
                   if (!recorded) {
                       record();
                   }
                   recorded = true;
                   return way == 0   ? hipEventQuery(captured)
                          : way == 1 ? hipEventSynchronize(captured)
                                     : hipStreamWaitEvent(nullptr, captured, 0);
               });
    }
    // Two captures that an event would join break both.
    hipGraph_t graph = nullptr;
    ASSERT_EQ(hipStreamBeginCapture(stream, hipStreamCaptureModeRelaxed), hipSuccess);
    ASSERT_EQ(hipStreamBeginCapture(other, hipStreamCaptureModeRelaxed), hipSuccess);
    record();
    EXPECT_EQ(hipStreamWaitEvent(other, captured, 0), hipErrorStreamCaptureMerge);
    EXPECT_EQ(hipStreamEndCapture(stream, &graph), hipErrorStreamCaptureInvalidated);
    EXPECT_EQ(hipStreamEndCapture(other, &graph), hipErrorStreamCaptureInvalidated);
    EXPECT_EQ(hipEventDestroy(captured), hipSuccess);
}

// A capture of a stream that does not block the null stream is none of its business, and asking
// whether the null stream is captured breaks nothing.
TEST_F(broken_captures, the_null_stream) {
    hipGraph_t graph = nullptr;
    hipStreamCaptureStatus status = hipStreamCaptureStatusNone;
    unsigned long long id = 0;
    ASSERT_EQ(hipStreamBeginCapture(other, hipStreamCaptureModeGlobal), hipSuccess);
    EXPECT_EQ(hipMemset(memory, 0, 4), hipSuccess);
    EXPECT_EQ(hipStreamSynchronize(nullptr), hipSuccess);
    EXPECT_EQ(hipStreamSynchronize(stream), hipSuccess);
    EXPECT_EQ(hipStreamIsCapturing(nullptr, &status), hipSuccess);
    EXPECT_EQ(status, hipStreamCaptureStatusNone);
    EXPECT_EQ(hipStreamEndCapture(other, &graph), hipSuccess);
    EXPECT_EQ(hipGraphDestroy(graph), hipSuccess);
    ASSERT_EQ(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal), hipSuccess);
    EXPECT_EQ(hipStreamIsCapturing(nullptr, &status), hipErrorStreamCaptureImplicit);
    EXPECT_EQ(hipStreamGetCaptureInfo(nullptr, &status, &id), hipErrorStreamCaptureImplicit);
    EXPECT_EQ(hipStreamEndCapture(stream, &graph), hipSuccess);
    EXPECT_EQ(hipGraphDestroy(graph), hipSuccess);
    EXPECT_EQ(hipStreamBeginCapture(nullptr, hipStreamCaptureModeGlobal),
              hipErrorStreamCaptureUnsupported);
    EXPECT_EQ(hipStreamEndCapture(stream, &graph), hipErrorIllegalState);
    auto unknown = static_cast<hipStreamCaptureMode>(3);
    EXPECT_EQ(hipThreadExchangeStreamCaptureMode(&unknown), hipErrorInvalidValue);
}

// Only a Relaxed capture may be ended by another thread; the attempt breaks nothing.
TEST_F(broken_captures, are_ended_by_their_thread) {
    for (const hipStreamCaptureMode mode : capture_modes) {
        const bool relaxed = mode == hipStreamCaptureModeRelaxed;
        hipGraph_t graph = nullptr;
        ASSERT_EQ(hipStreamBeginCapture(stream, mode), hipSuccess);
        EXPECT_EQ(in_another_thread([&] { return hipStreamEndCapture(stream, &graph); }),
                  relaxed ? hipSuccess : hipErrorStreamCaptureWrongThread);
        EXPECT_EQ(graph != nullptr, relaxed);
        if (!relaxed) {
            EXPECT_EQ(hipStreamEndCapture(stream, &graph), hipSuccess);
        }
        EXPECT_EQ(hipGraphDestroy(graph), hipSuccess);
    }
}

// The captured stream goes away, and the capture with it: nothing is forbidden any longer.
TEST_F(broken_captures, end_with_their_stream) {
    hipStream_t gone = nullptr;
    hipGraph_t graph = nullptr;
    hipGraph_t captured = nullptr;
    hipStreamCaptureStatus status = hipStreamCaptureStatusNone;
    void* p = nullptr;
    ASSERT_EQ(hipStreamCreate(&gone), hipSuccess);
    ASSERT_EQ(hipStreamBeginCapture(gone, hipStreamCaptureModeGlobal), hipSuccess);
    ASSERT_EQ(hipStreamGetCaptureInfo_v2(gone, &status, nullptr, &captured, nullptr, nullptr),
              hipSuccess);
    hipEvent_t fork = nullptr;
    ASSERT_EQ(hipEventCreate(&fork), hipSuccess);
    ASSERT_EQ(hipEventRecord(fork, gone), hipSuccess);
    ASSERT_EQ(hipStreamWaitEvent(other, fork, 0), hipSuccess);
    testing::internal::CaptureStderr();
    EXPECT_EQ(hipStreamDestroy(gone), hipSuccess);
    EXPECT_NE(testing::internal::GetCapturedStderr().find("hipStreamDestroy broke"),
              std::string::npos);
    EXPECT_EQ(hipStreamIsCapturing(other, &status), hipSuccess);
    EXPECT_EQ(status, hipStreamCaptureStatusNone);
    EXPECT_EQ(hipGraphDestroy(captured), hipErrorInvalidValue) << "it went with the capture";
    EXPECT_EQ(hipMalloc(&p, 4), hipSuccess);
    EXPECT_EQ(hipFree(p), hipSuccess);
    EXPECT_EQ(hipDeviceSynchronize(), hipSuccess);
    EXPECT_EQ(hipStreamBeginCapture(gone, hipStreamCaptureModeGlobal), hipErrorContextIsDestroyed);
    EXPECT_EQ(hipStreamEndCapture(gone, &graph), hipErrorContextIsDestroyed);
    EXPECT_EQ(hipEventDestroy(fork), hipSuccess);
}

// Functions that end in _spt take the null stream for that of the thread: all of these are nodes of
// the graph that it is captured to, and none is done at once.
TEST_F(streams, of_the_thread_are_what_spt_functions_use) {
    const ints memory(16);
    int host[16] = {};
    int calls = 0;
    hipMemcpy3DParms p = {};
    p.srcPtr = {memory.data, 16, 16, 1};
    p.dstPtr = {memory.data + 4, 16, 16, 1};
    p.extent = {16, 1, 1};
    p.kind = hipMemcpyDeviceToDevice;
    const hipPitchedPtr whole = {memory.data, 16, 16, 1};
    ASSERT_EQ(hipStreamBeginCapture_spt(nullptr, hipStreamCaptureModeRelaxed), hipSuccess);
    EXPECT_EQ(hipMemset_spt(memory.data, 1, 16), hipSuccess);
    EXPECT_EQ(hipMemsetAsync_spt(memory.data, 1, 16, nullptr), hipSuccess);
    EXPECT_EQ(hipMemset2D_spt(memory.data, 16, 1, 16, 1), hipSuccess);
    EXPECT_EQ(hipMemset2DAsync_spt(memory.data, 16, 1, 16, 1, nullptr), hipSuccess);
    EXPECT_EQ(hipMemset3D_spt(whole, 1, {16, 1, 1}), hipSuccess);
    EXPECT_EQ(hipMemset3DAsync_spt(whole, 1, {16, 1, 1}, nullptr), hipSuccess);
    EXPECT_EQ(hipMemcpy_spt(host, memory.data, 16, hipMemcpyDeviceToHost), hipSuccess);
    EXPECT_EQ(hipMemcpyAsync_spt(host, memory.data, 16, hipMemcpyDeviceToHost, nullptr),
              hipSuccess);
    EXPECT_EQ(hipMemcpy2D_spt(host, 16, memory.data, 16, 16, 1, hipMemcpyDeviceToHost), hipSuccess);
    EXPECT_EQ(
        hipMemcpy2DAsync_spt(host, 16, memory.data, 16, 16, 1, hipMemcpyDeviceToHost, nullptr),
        hipSuccess);
    EXPECT_EQ(hipMemcpy3D_spt(&p), hipSuccess);
    EXPECT_EQ(hipMemcpy3DAsync_spt(&p, nullptr), hipSuccess);
    EXPECT_EQ(hipLaunchHostFunc_spt(nullptr, count_up, &calls), hipSuccess);
    hipStreamCaptureStatus status = hipStreamCaptureStatusNone;
    EXPECT_EQ(hipStreamIsCapturing_spt(nullptr, &status), hipSuccess);
    EXPECT_EQ(status, hipStreamCaptureStatusActive);
    EXPECT_EQ(hipStreamIsCapturing(nullptr, &status), hipErrorStreamCaptureImplicit);
    EXPECT_EQ(host[0], 0);
    EXPECT_EQ(calls, 0);
    hipGraph_t graph = nullptr;
    size_t count = 0;
    ASSERT_EQ(hipStreamEndCapture_spt(nullptr, &graph), hipSuccess);
    EXPECT_EQ(hipGraphGetNodes(graph, nullptr, &count), hipSuccess);
    EXPECT_EQ(count, 13u);
    hipGraphExec_t executable = nullptr;
    ASSERT_EQ(hipGraphInstantiate(&executable, graph, nullptr, nullptr, 0), hipSuccess);
    EXPECT_EQ(hipGraphLaunch_spt(executable, nullptr), hipSuccess);
    EXPECT_EQ(host[3], 0x01010101);
    EXPECT_EQ(memory[7], 0x01010101);
    EXPECT_EQ(calls, 1);
    EXPECT_EQ(hipStreamSynchronize_spt(nullptr), hipSuccess);
    EXPECT_EQ(hipStreamQuery_spt(nullptr), hipSuccess);
    EXPECT_EQ(hipGraphExecDestroy(executable), hipSuccess);
    EXPECT_EQ(hipGraphDestroy(graph), hipSuccess);
}

// ---- graphs made by hand ----

struct graphs : streams {
    void SetUp() override {
        streams::SetUp();
        ASSERT_EQ(hipGraphCreate(&graph, 0), hipSuccess);
    }
    void TearDown() override {
        EXPECT_EQ(hipGraphDestroy(graph), hipSuccess);
        streams::TearDown();
    }
    hipGraphNode_t fill(int* to, unsigned value, const std::vector<hipGraphNode_t>& after = {}) {
        hipMemsetParams p = {};
        p.dst = to;
        p.elementSize = 4;
        p.value = value;
        p.width = 1;
        p.height = 1;
        hipGraphNode_t node = nullptr;
        EXPECT_EQ(hipGraphAddMemsetNode(&node, graph, after.data(), after.size(), &p), hipSuccess);
        return node;
    }
    hipGraphNode_t copy(int* to, int* from, const std::vector<hipGraphNode_t>& after = {}) {
        hipGraphNode_t node = nullptr;
        EXPECT_EQ(hipGraphAddMemcpyNode1D(&node, graph, after.data(), after.size(), to, from, 4,
                                          hipMemcpyDeviceToDevice),
                  hipSuccess);
        return node;
    }
    hipGraphExec_t instantiate() {
        hipGraphExec_t executable = nullptr;
        EXPECT_EQ(hipGraphInstantiate(&executable, graph, nullptr, nullptr, 0), hipSuccess);
        return executable;
    }
    hipGraph_t graph = nullptr;
};

#ifndef OPUS_EMU_REAL_HIP  // whose struct may be that of 6
// A program that was compiled with HIP 6 passes another struct, and gets it back.
TEST_F(graphs, fills_are_described_as_by_hip_6_or_7) {
    const ints memory(16);
    const struct {
        void* dst;
        unsigned element_size;
        size_t height, pitch;
        unsigned value;
        size_t width;
    } of_6{memory.data, 2, 3, 16, 0x1234, 5};
    static_assert(sizeof(of_6) == 48 && sizeof(hipMemsetParams) == 40);
    hipMemsetParams of_7{memory.data, 16, 0x1234, 2, 5, 3};
    for (const void* given : {static_cast<const void*>(&of_6), static_cast<const void*>(&of_7)}) {
        const size_t bytes = given == &of_6 ? sizeof(of_6) : sizeof(of_7);
        hipGraphNode_t node = nullptr;
        ASSERT_EQ(hipGraphAddMemsetNode(&node, graph, nullptr, 0,
                                        static_cast<const hipMemsetParams*>(given)),
                  hipSuccess);
        std::array<unsigned char, 64> got{};
        got.fill(0xee);
        ASSERT_EQ(hipGraphMemsetNodeGetParams(node, reinterpret_cast<hipMemsetParams*>(got.data())),
                  hipSuccess);
        EXPECT_EQ(got[bytes], 0xee) << bytes;
        hipMemsetParams back{};
        if (bytes == sizeof(back)) {
            std::memcpy(&back, got.data(), bytes);
            EXPECT_TRUE(back.dst == memory.data && back.pitch == 16 && back.value == 0x1234 &&
                        back.elementSize == 2 && back.width == 5 && back.height == 3);
        } else {
            auto same = of_6;
            std::memcpy(static_cast<void*>(&same), got.data(), bytes);
            EXPECT_TRUE(same.dst == memory.data && same.element_size == 2 && same.height == 3 &&
                        same.pitch == 16 && same.value == 0x1234 && same.width == 5);
        }
        // Both fill the same bytes: rows of 5 times 2 bytes, 16 apart.
        EXPECT_EQ(hipMemset(memory.data, 0, 64), hipSuccess);
        const hipGraphExec_t executable = instantiate();
        EXPECT_EQ(hipGraphLaunch(executable, nullptr), hipSuccess);
        EXPECT_EQ(hipDeviceSynchronize(), hipSuccess);
        std::array<uint16_t, 32> filled{};
        EXPECT_EQ(hipMemcpy(filled.data(), memory.data, 64, hipMemcpyDeviceToHost), hipSuccess);
        for (size_t i = 0; i < filled.size(); i++) {
            EXPECT_EQ(filled[i], i < 24 && i % 8 < 5 ? 0x1234 : 0) << i << ", " << bytes;
        }
        EXPECT_EQ(hipGraphExecDestroy(executable), hipSuccess);
        EXPECT_EQ(hipGraphDestroyNode(node), hipSuccess);
    }
}
#endif

// Added in the wrong order: what counts are the dependencies.
TEST_F(graphs, nodes_come_after_what_they_depend_on) {
    const ints memory(3);
    const hipGraphNode_t last = copy(memory.data + 2, memory.data + 1);
    const hipGraphNode_t middle = copy(memory.data + 1, memory.data);
    const hipGraphNode_t first = fill(memory.data, 9);
    const hipGraphNode_t from[] = {first, middle};
    const hipGraphNode_t to[] = {middle, last};
    ASSERT_EQ(hipGraphAddDependencies(graph, from, to, 2), hipSuccess);
    EXPECT_EQ(hipGraphAddDependencies(graph, from, to, 1), hipErrorInvalidValue) << "is there";
    hipGraphNode_t found[3] = {};
    size_t count = 3;
    EXPECT_EQ(hipGraphGetRootNodes(graph, found, &count), hipSuccess);
    EXPECT_EQ(count, 1u);
    EXPECT_EQ(found[0], first);
    EXPECT_EQ(found[1], nullptr);
    count = 3;
    EXPECT_EQ(hipGraphNodeGetDependencies(last, found, &count), hipSuccess);
    EXPECT_EQ(count, 1u);
    EXPECT_EQ(found[0], middle);
    count = 3;
    EXPECT_EQ(hipGraphNodeGetDependentNodes(first, found, &count), hipSuccess);
    EXPECT_EQ(count, 1u);
    EXPECT_EQ(found[0], middle);
    hipGraphExec_t executable = instantiate();
    EXPECT_EQ(hipGraphLaunch(executable, stream), hipSuccess);
    EXPECT_EQ(memory[2], 9);
    EXPECT_EQ(hipGraphExecDestroy(executable), hipSuccess);
    const hipGraphNode_t back_from[] = {last};
    const hipGraphNode_t back_to[] = {first};
    ASSERT_EQ(hipGraphAddDependencies(graph, back_from, back_to, 1), hipSuccess);
    EXPECT_EQ(hipGraphInstantiate(&executable, graph, nullptr, nullptr, 0), hipErrorInvalidValue)
        << "a circle";
    EXPECT_EQ(hipGraphRemoveDependencies(graph, back_from, back_to, 1), hipSuccess);
    EXPECT_EQ(hipGraphRemoveDependencies(graph, back_from, back_to, 1), hipErrorInvalidValue);
    EXPECT_EQ(hipGraphDestroyNode(middle), hipSuccess);
    EXPECT_EQ(hipGraphGetEdges(graph, nullptr, nullptr, &count), hipSuccess);
    EXPECT_EQ(count, 0u);
}

TEST_F(graphs, a_kernel_node_keeps_its_arguments) {
    const exchange_kernel kernel;
    const hipFunction_t exchange = kernel.function;
    const ints first(256);
    const ints second(256);
    hipKernelNodeParams p = {};
    int* out = first.data;
    void* values[] = {&out};
    p.func = exchange;
    p.gridDim = {1, 1, 1};
    p.blockDim = {256, 1, 1};
    p.kernelParams = values;
    hipGraphNode_t node = nullptr;
    ASSERT_EQ(hipGraphAddKernelNode(&node, graph, nullptr, 0, &p), hipSuccess);
    out = nullptr;
    hipKernelNodeParams read = {};
    ASSERT_EQ(hipGraphKernelNodeGetParams(node, &read), hipSuccess);
    EXPECT_EQ(read.func, exchange);
    EXPECT_EQ(read.blockDim.x, 256u);
    EXPECT_EQ(*static_cast<int**>(read.kernelParams[0]), first.data);
    hipGraphExec_t executable = instantiate();
    EXPECT_EQ(hipGraphLaunch(executable, stream), hipSuccess);
    EXPECT_EQ(first[0], 3 * 255 + 1);
    out = second.data;
    EXPECT_EQ(hipGraphExecKernelNodeSetParams(executable, node, &p), hipSuccess);
    EXPECT_EQ(hipMemset(first.data, 0, 1024), hipSuccess);
    EXPECT_EQ(hipGraphLaunch(executable, stream), hipSuccess);
    EXPECT_EQ(first[0], 0);
    EXPECT_EQ(second[0], 3 * 255 + 1);
    EXPECT_EQ(hipGraphNodeSetEnabled(executable, node, 0), hipSuccess);
    unsigned enabled = 7;
    EXPECT_EQ(hipGraphNodeGetEnabled(executable, node, &enabled), hipSuccess);
    EXPECT_EQ(enabled, 0u);
    EXPECT_EQ(hipMemset(second.data, 0, 1024), hipSuccess);
    EXPECT_EQ(hipGraphLaunch(executable, stream), hipSuccess);
    EXPECT_EQ(second[0], 0);
    EXPECT_EQ(hipGraphExecDestroy(executable), hipSuccess);
    p.blockDim.x = 0;
    EXPECT_EQ(hipGraphAddKernelNode(&node, graph, nullptr, 0, &p), hipErrorInvalidConfiguration);

    // A captured launch is the same node.
    ASSERT_EQ(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal), hipSuccess);
    EXPECT_EQ(hipModuleLaunchKernel(exchange, 1, 1, 1, 256, 1, 1, 0, stream, values, nullptr),
              hipSuccess);
    hipGraph_t captured = nullptr;
    ASSERT_EQ(hipStreamEndCapture(stream, &captured), hipSuccess);
    EXPECT_EQ(second[0], 0);
    ASSERT_EQ(hipGraphInstantiate(&executable, captured, nullptr, nullptr, 0), hipSuccess);
    EXPECT_EQ(hipGraphLaunch(executable, nullptr), hipSuccess);
    EXPECT_EQ(second[0], 3 * 255 + 1);
    EXPECT_EQ(hipGraphExecDestroy(executable), hipSuccess);
    EXPECT_EQ(hipGraphDestroy(captured), hipSuccess);
}

TEST_F(graphs, nodes_of_all_kinds_are_read_and_changed) {
    const ints memory(4);
    int calls = 0;
    const hipGraphNode_t filled = fill(memory.data, 5);
    hipMemsetParams m = {};
    EXPECT_EQ(hipGraphMemsetNodeGetParams(filled, &m), hipSuccess);
    EXPECT_EQ(m.dst, memory.data);
    EXPECT_EQ(m.value, 5u);
    EXPECT_EQ(m.elementSize, 4u);
    EXPECT_EQ(m.width, 1u);
    m.value = 6;
    EXPECT_EQ(hipGraphMemsetNodeSetParams(filled, &m), hipSuccess);
    m.elementSize = 3;
    EXPECT_EQ(hipGraphMemsetNodeSetParams(filled, &m), hipErrorInvalidValue);

    const hipGraphNode_t copied = copy(memory.data + 1, memory.data, {filled});
    hipMemcpy3DParms c = {};
    EXPECT_EQ(hipGraphMemcpyNodeGetParams(copied, &c), hipSuccess);
    EXPECT_EQ(c.srcPtr.ptr, memory.data);
    EXPECT_EQ(c.dstPtr.ptr, memory.data + 1);
    EXPECT_EQ(c.extent.width, 4u);
    EXPECT_EQ(hipGraphMemcpyNodeSetParams(copied, &c), hipSuccess);
    EXPECT_EQ(hipGraphMemsetNodeGetParams(copied, &m), hipErrorInvalidValue) << "another kind";

    const hipHostNodeParams h = {count_up, &calls};
    hipHostNodeParams read = {};
    hipGraphNode_t called = nullptr;
    ASSERT_EQ(hipGraphAddHostNode(&called, graph, &copied, 1, &h), hipSuccess);
    EXPECT_EQ(hipGraphHostNodeGetParams(called, &read), hipSuccess);
    EXPECT_EQ(read.userData, &calls);

    hipEvent_t event = nullptr;
    hipEvent_t start = nullptr;
    ASSERT_EQ(hipEventCreate(&event), hipSuccess);
    ASSERT_EQ(hipEventCreate(&start), hipSuccess);
    ASSERT_EQ(hipEventRecord(start, nullptr), hipSuccess);
    hipGraphNode_t recorded = nullptr;
    hipGraphNode_t waited = nullptr;
    hipGraphNode_t empty = nullptr;
    ASSERT_EQ(hipGraphAddEventRecordNode(&recorded, graph, &called, 1, event), hipSuccess);
    ASSERT_EQ(hipGraphAddEventWaitNode(&waited, graph, nullptr, 0, event), hipSuccess);
    ASSERT_EQ(hipGraphAddEmptyNode(&empty, graph, &waited, 1), hipSuccess);
    hipEvent_t same = nullptr;
    EXPECT_EQ(hipGraphEventRecordNodeGetEvent(recorded, &same), hipSuccess);
    EXPECT_EQ(same, event);

    hipGraph_t parent = nullptr;
    hipGraphNode_t child = nullptr;
    hipGraph_t inside = nullptr;
    ASSERT_EQ(hipGraphCreate(&parent, 0), hipSuccess);
    ASSERT_EQ(hipGraphAddChildGraphNode(&child, parent, nullptr, 0, graph), hipSuccess);
    EXPECT_EQ(hipGraphChildGraphNodeGetGraph(child, &inside), hipSuccess);
    EXPECT_NE(inside, graph) << "a copy";
    hipGraphNode_t twin = nullptr;
    EXPECT_EQ(hipGraphNodeFindInClone(&twin, filled, inside), hipSuccess);
    EXPECT_EQ(hipGraphMemsetNodeGetParams(twin, &m), hipSuccess);
    EXPECT_EQ(m.value, 6u);

    hipGraphExec_t executable = nullptr;
    ASSERT_EQ(hipGraphInstantiate(&executable, parent, nullptr, nullptr, 0), hipSuccess);
    EXPECT_EQ(hipGraphLaunch(executable, stream), hipSuccess);
    EXPECT_EQ(memory[1], 6);
    EXPECT_EQ(calls, 1);
    float milliseconds = -1;
    EXPECT_EQ(hipEventElapsedTime(&milliseconds, start, event), hipSuccess);
    EXPECT_GE(milliseconds, 0.0f);
    EXPECT_EQ(hipGraphExecDestroy(executable), hipSuccess);
    EXPECT_EQ(hipGraphDestroy(parent), hipSuccess);
    EXPECT_EQ(hipGraphChildGraphNodeGetGraph(child, &inside), hipErrorInvalidValue);

    // A name of this process: the tests of both targets run at the same time.
    std::string path = testing::TempDir() + "opus_graph_XXXXXX";
    const int file = mkstemp(path.data());
    ASSERT_NE(file, -1);
    close(file);
    EXPECT_EQ(hipGraphDebugDotPrint(graph, path.c_str(), 0), hipSuccess);
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    std::remove(path.c_str());
    EXPECT_NE(text.str().find("label=\"memset\""), std::string::npos) << text.str();
    EXPECT_EQ(hipEventDestroy(event), hipSuccess);
    EXPECT_EQ(hipEventDestroy(start), hipSuccess);
}

// A node that is changed after its graph was made executable: the graph has the new operation, the
// executable the old one until it is changed itself.
TEST_F(graphs, a_node_and_its_copy_are_changed_apart) {
    const ints memory(4);
    const ints from(2);
    ASSERT_EQ(hipMemset(from.data + 1, 0x11, 4), hipSuccess);
    int calls[3] = {};
    hipEvent_t events[3] = {};
    for (hipEvent_t& event : events) {
        ASSERT_EQ(hipEventCreate(&event), hipSuccess);
    }
    hipGraph_t one = nullptr;
    hipGraph_t two = nullptr;
    ASSERT_EQ(hipGraphCreate(&one, 0), hipSuccess);
    ASSERT_EQ(hipGraphClone(&two, one), hipSuccess);
    hipGraphNode_t unused = nullptr;
    hipHostNodeParams h = {count_up, calls};
    ASSERT_EQ(hipGraphAddHostNode(&unused, two, nullptr, 0, &h), hipSuccess);

    const hipGraphNode_t filled = fill(memory.data, 5);
    const hipGraphNode_t copied = copy(memory.data + 1, from.data);
    hipGraphNode_t called = nullptr;
    hipGraphNode_t recorded = nullptr;
    hipGraphNode_t waited = nullptr;
    hipGraphNode_t child = nullptr;
    h.userData = calls + 1;
    ASSERT_EQ(hipGraphAddHostNode(&called, graph, nullptr, 0, &h), hipSuccess);
    ASSERT_EQ(hipGraphAddEventRecordNode(&recorded, graph, nullptr, 0, events[0]), hipSuccess);
    ASSERT_EQ(hipGraphAddEventWaitNode(&waited, graph, nullptr, 0, events[0]), hipSuccess);
    ASSERT_EQ(hipGraphAddChildGraphNode(&child, graph, nullptr, 0, one), hipSuccess);
    hipGraphExec_t executable = instantiate();

    EXPECT_EQ(hipGraphExecChildGraphNodeSetParams(executable, child, two), hipSuccess);
    EXPECT_EQ(hipGraphExecChildGraphNodeSetParams(executable, filled, two), hipErrorInvalidValue);
    h.userData = calls + 2;
    EXPECT_EQ(hipGraphHostNodeSetParams(called, &h), hipSuccess);
    EXPECT_EQ(hipGraphLaunch(executable, stream), hipSuccess);
    EXPECT_EQ(calls[0], 1) << "of the new child";
    EXPECT_EQ(calls[1], 1) << "the executable's";
    EXPECT_EQ(calls[2], 0);
    EXPECT_EQ(memory[0], 5);
    EXPECT_EQ(memory[1], 0);
    EXPECT_EQ(hipGraphExecHostNodeSetParams(executable, called, &h), hipSuccess);
    hipMemsetParams m = {};
    ASSERT_EQ(hipGraphMemsetNodeGetParams(filled, &m), hipSuccess);
    m.value = 7;
    EXPECT_EQ(hipGraphExecMemsetNodeSetParams(executable, filled, &m), hipSuccess);
    EXPECT_EQ(hipGraphExecMemcpyNodeSetParams1D(executable, copied, memory.data + 1, from.data + 1,
                                                4, hipMemcpyDeviceToDevice),
              hipSuccess);
    EXPECT_EQ(hipGraphLaunch(executable, stream), hipSuccess);
    EXPECT_EQ(calls[1], 1);
    EXPECT_EQ(calls[2], 1);
    EXPECT_EQ(memory[0], 7);
    EXPECT_EQ(memory[1], 0x11111111);

    // The same in the graph, which is made executable again.
    EXPECT_EQ(hipGraphMemcpyNodeSetParams1D(copied, memory.data + 2, from.data + 1, 4,
                                            hipMemcpyDeviceToDevice),
              hipSuccess);
    EXPECT_EQ(hipGraphMemcpyNodeSetParams1D(copied, nullptr, from.data, 4, hipMemcpyDefault),
              hipErrorInvalidValue);
    EXPECT_EQ(hipGraphEventRecordNodeSetEvent(recorded, events[1]), hipSuccess);
    EXPECT_EQ(hipGraphEventWaitNodeSetEvent(waited, events[2]), hipSuccess);
    EXPECT_EQ(hipGraphEventWaitNodeSetEvent(recorded, events[2]), hipErrorInvalidValue);
    hipEvent_t event = nullptr;
    EXPECT_EQ(hipGraphEventRecordNodeGetEvent(recorded, &event), hipSuccess);
    EXPECT_EQ(event, events[1]);
    EXPECT_EQ(hipGraphEventWaitNodeGetEvent(waited, &event), hipSuccess);
    EXPECT_EQ(event, events[2]);
    EXPECT_EQ(hipGraphEventWaitNodeGetEvent(recorded, &event), hipErrorInvalidValue);
    EXPECT_EQ(hipGraphExecDestroy(executable), hipSuccess);
    executable = instantiate();
    EXPECT_EQ(hipGraphExecEventRecordNodeSetEvent(executable, recorded, events[2]), hipSuccess);
    EXPECT_EQ(hipGraphExecEventWaitNodeSetEvent(executable, waited, events[2]), hipSuccess);
    EXPECT_EQ(hipGraphExecEventWaitNodeSetEvent(executable, recorded, events[2]),
              hipErrorInvalidValue);
    EXPECT_EQ(hipGraphLaunch(executable, stream), hipSuccess);
    EXPECT_EQ(memory[2], 0x11111111);
    float milliseconds = -1;
    EXPECT_EQ(hipEventElapsedTime(&milliseconds, events[2], events[2]), hipSuccess)
        << "was recorded";
    EXPECT_EQ(hipEventElapsedTime(&milliseconds, events[1], events[1]), hipErrorInvalidHandle)
        << "was not";
    EXPECT_EQ(hipGraphExecDestroy(executable), hipSuccess);
    EXPECT_EQ(hipGraphExecDestroy(executable), hipErrorInvalidValue);
    EXPECT_EQ(hipGraphExecHostNodeSetParams(executable, called, &h), hipErrorInvalidValue);
    for (const hipEvent_t e : events) {
        EXPECT_EQ(hipEventDestroy(e), hipSuccess);
    }
    EXPECT_EQ(hipGraphAddEventWaitNode(&unused, graph, nullptr, 0, events[0]),
              hipErrorInvalidValue);
    EXPECT_EQ(hipGraphDestroy(one), hipSuccess);
    EXPECT_EQ(hipGraphDestroy(two), hipSuccess);
}

TEST_F(graphs, what_the_functions_refuse) {
    const ints memory(1);
    const hipGraphNode_t filled = fill(memory.data, 1);
    hipGraphNode_t node = nullptr;
    EXPECT_EQ(hipGraphAddEmptyNode(nullptr, graph, nullptr, 0), hipErrorInvalidValue);
    EXPECT_EQ(hipGraphAddEmptyNode(&node, nullptr, nullptr, 0), hipErrorInvalidValue);
    EXPECT_EQ(hipGraphAddEmptyNode(&node, graph, nullptr, 1), hipErrorInvalidValue);
    const hipGraphNode_t twice[] = {filled, filled};
    EXPECT_EQ(hipGraphAddEmptyNode(&node, graph, twice, 2), hipErrorInvalidValue);
    EXPECT_EQ(hipGraphAddDependencies(graph, twice, twice + 1, 1), hipErrorInvalidValue);
    EXPECT_EQ(hipGraphAddDependencies(graph, nullptr, twice, 1), hipErrorInvalidValue);
    EXPECT_EQ(hipGraphAddHostNode(&node, graph, nullptr, 0, nullptr), hipErrorInvalidValue);
    EXPECT_EQ(hipGraphAddChildGraphNode(&node, graph, nullptr, 0, nullptr), hipErrorInvalidValue);
    EXPECT_EQ(hipGraphMemsetNodeGetParams(filled, nullptr), hipErrorInvalidValue);
    EXPECT_EQ(hipGraphGetNodes(graph, nullptr, nullptr), hipErrorInvalidValue);
    EXPECT_EQ(hipGraphGetRootNodes(nullptr, nullptr, nullptr), hipErrorInvalidValue);
    size_t count = 0;
    EXPECT_EQ(hipGraphNodeGetDependentNodes(nullptr, nullptr, &count), hipErrorInvalidValue);
    EXPECT_EQ(hipGraphGetNodes(graph, nullptr, &count), hipSuccess);
    EXPECT_EQ(count, 1u);
    hipGraphExec_t executable = nullptr;
    ASSERT_EQ(hipGraphAddEmptyNode(&node, graph, &filled, 1), hipSuccess);
    ASSERT_EQ(hipGraphInstantiateWithFlags(&executable, graph, 1), hipSuccess);
    EXPECT_EQ(hipGraphNodeSetEnabled(executable, node, 0), hipErrorInvalidValue);
    EXPECT_EQ(hipGraphNodeSetEnabled(nullptr, filled, 0), hipErrorInvalidValue);
    EXPECT_EQ(hipGraphNodeGetEnabled(executable, filled, nullptr), hipErrorInvalidValue);
    unsigned long long flags = 0;
    EXPECT_EQ(hipGraphExecGetFlags(executable, &flags), hipSuccess);
    EXPECT_EQ(flags, 1u);
    EXPECT_EQ(hipGraphExecDestroy(executable), hipSuccess);
    EXPECT_EQ(hipGraphInstantiateWithFlags(&executable, graph, 16), hipErrorInvalidValue);
    EXPECT_EQ(hipGetLastError(), hipErrorInvalidValue);
    EXPECT_EQ(hipGraphDestroyNode(node), hipSuccess);
    EXPECT_EQ(hipGraphDestroyNode(node), hipErrorInvalidValue);
    EXPECT_EQ(hipGetLastError(), hipErrorInvalidValue);
    EXPECT_EQ(hipGraphDestroy(nullptr), hipErrorInvalidValue);
}

// One node of each kind: what it is called, whether it can be switched off, and that functions for one
// kind refuse all others.
TEST_F(graphs, a_node_of_each_kind) {
    const exchange_kernel kernel;
    const ints memory(256);
    int calls = 0;
    hipEvent_t event = nullptr;
    hipGraph_t inside = nullptr;
    ASSERT_EQ(hipEventCreate(&event), hipSuccess);
    ASSERT_EQ(hipGraphCreate(&inside, 0), hipSuccess);
    int* out = memory.data;
    void* values[] = {&out};
    hipKernelNodeParams k = {};
    k.func = kernel.function;
    k.gridDim = {1, 1, 1};
    k.blockDim = {256, 1, 1};
    k.kernelParams = values;
    hipKernelNodeParams got = {};  // what it points to is the node's until that is set
    hipHostNodeParams h = {count_up, &calls};
    struct {
        hipGraphNodeType type;
        const char* label;
        bool has_switch;
        hipGraphNode_t node;
    } rows[] = {{hipGraphNodeTypeKernel, "kernel", true, nullptr},
                {hipGraphNodeTypeMemcpy, "memcpy", true, nullptr},
                {hipGraphNodeTypeMemset, "memset", true, nullptr},
                {hipGraphNodeTypeHost, "host", false, nullptr},
                {hipGraphNodeTypeGraph, "graph", false, nullptr},
                {hipGraphNodeTypeEmpty, "empty", false, nullptr},
                {hipGraphNodeTypeWaitEvent, "wait event", false, nullptr},
                {hipGraphNodeTypeEventRecord, "record event", false, nullptr}};
    ASSERT_EQ(hipGraphAddKernelNode(&rows[0].node, graph, nullptr, 0, &k), hipSuccess);
    rows[1].node = copy(memory.data, memory.data + 1);
    rows[2].node = fill(memory.data, 1);
    ASSERT_EQ(hipGraphAddHostNode(&rows[3].node, graph, nullptr, 0, &h), hipSuccess);
    ASSERT_EQ(hipGraphAddChildGraphNode(&rows[4].node, graph, nullptr, 0, inside), hipSuccess);
    ASSERT_EQ(hipGraphAddEmptyNode(&rows[5].node, graph, nullptr, 0), hipSuccess);
    ASSERT_EQ(hipGraphAddEventWaitNode(&rows[6].node, graph, nullptr, 0, event), hipSuccess);
    ASSERT_EQ(hipGraphAddEventRecordNode(&rows[7].node, graph, nullptr, 0, event), hipSuccess);
    hipGraphExec_t executable = instantiate();
    hipMemcpy3DParms c = {};
    hipMemsetParams m = {};
    const hipGraphNode_t no_node = nullptr;
    ASSERT_EQ(hipGraphMemcpyNodeGetParams(rows[1].node, &c), hipSuccess);
    ASSERT_EQ(hipGraphMemsetNodeGetParams(rows[2].node, &m), hipSuccess);
    const struct {
        hipGraphNodeType type;
        std::function<hipError_t(hipGraphNode_t)> call;
    } calls_of[] = {
        {hipGraphNodeTypeKernel, [&](auto n) { return hipGraphKernelNodeGetParams(n, &got); }},
        {hipGraphNodeTypeKernel, [&](auto n) { return hipGraphKernelNodeSetParams(n, &k); }},
        {hipGraphNodeTypeKernel,
         [&](auto n) { return hipGraphExecKernelNodeSetParams(executable, n, &k); }},
        {hipGraphNodeTypeMemcpy, [&](auto n) { return hipGraphMemcpyNodeGetParams(n, &c); }},
        {hipGraphNodeTypeMemcpy, [&](auto n) { return hipGraphMemcpyNodeSetParams(n, &c); }},
        {hipGraphNodeTypeMemcpy,
         [&](auto n) { return hipGraphExecMemcpyNodeSetParams(executable, n, &c); }},
        {hipGraphNodeTypeMemset, [&](auto n) { return hipGraphMemsetNodeGetParams(n, &m); }},
        {hipGraphNodeTypeMemset, [&](auto n) { return hipGraphMemsetNodeSetParams(n, &m); }},
        {hipGraphNodeTypeMemset,
         [&](auto n) { return hipGraphExecMemsetNodeSetParams(executable, n, &m); }},
        {hipGraphNodeTypeHost, [&](auto n) { return hipGraphHostNodeGetParams(n, &h); }},
        {hipGraphNodeTypeHost, [&](auto n) { return hipGraphHostNodeSetParams(n, &h); }},
        {hipGraphNodeTypeHost,
         [&](auto n) { return hipGraphExecHostNodeSetParams(executable, n, &h); }},
        {hipGraphNodeTypeGraph,
         [](auto n) {
             hipGraph_t child = nullptr;
             return hipGraphChildGraphNodeGetGraph(n, &child);
         }},
        {hipGraphNodeTypeGraph,
         [&](auto n) { return hipGraphExecChildGraphNodeSetParams(executable, n, inside); }},
        {hipGraphNodeTypeWaitEvent,
         [&](auto n) { return hipGraphEventWaitNodeGetEvent(n, &event); }},
        {hipGraphNodeTypeWaitEvent,
         [&](auto n) { return hipGraphEventWaitNodeSetEvent(n, event); }},
        {hipGraphNodeTypeWaitEvent,
         [&](auto n) { return hipGraphExecEventWaitNodeSetEvent(executable, n, event); }},
        {hipGraphNodeTypeEventRecord,
         [&](auto n) { return hipGraphEventRecordNodeGetEvent(n, &event); }},
        {hipGraphNodeTypeEventRecord,
         [&](auto n) { return hipGraphEventRecordNodeSetEvent(n, event); }},
        {hipGraphNodeTypeEventRecord,
         [&](auto n) { return hipGraphExecEventRecordNodeSetEvent(executable, n, event); }},
    };
    for (const auto& row : rows) {
        SCOPED_TRACE(row.label);
        hipGraphNodeType type = hipGraphNodeTypeEmpty;
        unsigned enabled = 7;
        EXPECT_EQ(hipGraphNodeGetType(row.node, &type), hipSuccess);
        EXPECT_EQ(type, row.type);
        EXPECT_EQ(hipGraphNodeGetEnabled(executable, row.node, &enabled),
                  row.has_switch ? hipSuccess : hipErrorInvalidValue);
        EXPECT_EQ(enabled, row.has_switch ? 1u : 7u);
        for (const unsigned set : {0u, 5u}) {
            EXPECT_EQ(hipGraphNodeSetEnabled(executable, row.node, set),
                      row.has_switch ? hipSuccess : hipErrorInvalidValue);
            if (row.has_switch) {
                EXPECT_EQ(hipGraphNodeGetEnabled(executable, row.node, &enabled), hipSuccess);
                EXPECT_EQ(enabled, set == 0 ? 0u : 1u);
            }
        }
        int n = 0;
        for (const auto& [own, call] : calls_of) {
            EXPECT_EQ(call(row.node), own == row.type ? hipSuccess : hipErrorInvalidValue)
                << "call " << n++;
        }
    }
    for (const auto& [own, call] : calls_of) {
        EXPECT_EQ(call(no_node), hipErrorInvalidValue);
    }
    hipGraphNodeType type = hipGraphNodeTypeEmpty;
    EXPECT_EQ(hipGraphNodeGetType(rows[0].node, nullptr), hipErrorInvalidValue);
    EXPECT_EQ(hipGraphNodeGetType(no_node, &type), hipErrorInvalidValue);
    EXPECT_EQ(hipGraphExecDestroy(executable), hipSuccess);

    std::string path = testing::TempDir() + "opus_graph_XXXXXX";
    const int file = mkstemp(path.data());
    ASSERT_NE(file, -1);
    close(file);
    EXPECT_EQ(hipGraphDebugDotPrint(graph, path.c_str(), 0), hipSuccess);
    std::ifstream dot(path);
    std::string line;
    EXPECT_TRUE(std::getline(dot, line) && line == "digraph {");
    for (const auto& row : rows) {
        EXPECT_TRUE(std::getline(dot, line));
        EXPECT_NE(line.find(std::string("[label=\"") + row.label + "\"];"), std::string::npos)
            << line;
    }
    EXPECT_TRUE(std::getline(dot, line) && line == "}");
    std::remove(path.c_str());
    EXPECT_EQ(hipGraphDebugDotPrint(graph, nullptr, 0), hipErrorInvalidValue);
    EXPECT_EQ(hipGraphDebugDotPrint(graph, "/dev/full", 0), hipErrorOperatingSystem);
    EXPECT_EQ(hipGraphDebugDotPrint(inside, (path + "/x").c_str(), 0), hipErrorOperatingSystem);
    EXPECT_EQ(hipEventDestroy(event), hipSuccess);
    EXPECT_EQ(hipGraphDestroy(inside), hipSuccess);
    EXPECT_EQ(hipGraphDebugDotPrint(inside, "/dev/null", 0), hipErrorInvalidValue);
}

// Two rows are one plane of two rows, however their copy was described.
TEST_F(graphs, captured_copies_of_rows) {
    const ints from(64);
    const ints to(64);
    hip_Memcpy2D p = {};
    p.srcMemoryType = p.dstMemoryType = hipMemoryTypeDevice;
    p.srcDevice = from.data;
    p.dstDevice = to.data;
    p.srcPitch = 32;
    p.dstPitch = 16;
    p.WidthInBytes = 12;
    p.Height = 2;
    hipStream_t stream = nullptr;
    ASSERT_EQ(hipStreamCreate(&stream), hipSuccess);
    ASSERT_EQ(hipStreamBeginCapture(stream, hipStreamCaptureModeRelaxed), hipSuccess);
    EXPECT_EQ(hipMemcpyParam2DAsync(&p, stream), hipSuccess);
    EXPECT_EQ(hipMemcpy2DAsync(to.data, 16, from.data, 32, 12, 2, hipMemcpyDeviceToDevice, stream),
              hipSuccess);
    hipGraph_t captured = nullptr;
    ASSERT_EQ(hipStreamEndCapture(stream, &captured), hipSuccess);
    hipGraphNode_t nodes[2];
    size_t count = 2;
    ASSERT_EQ(hipGraphGetNodes(captured, nodes, &count), hipSuccess);
    ASSERT_EQ(count, 2u);
    for (const hipGraphNode_t node : nodes) {
        hipMemcpy3DParms read = {};
        ASSERT_EQ(hipGraphMemcpyNodeGetParams(node, &read), hipSuccess);
        EXPECT_EQ(read.srcPtr.pitch, 32u);
        EXPECT_EQ(read.srcPtr.ysize, 2u);
        EXPECT_EQ(read.dstPtr.pitch, 16u);
        EXPECT_EQ(read.dstPtr.ysize, 2u);
        EXPECT_EQ(read.extent.width, 12u);
        EXPECT_EQ(read.extent.height, 2u);
        EXPECT_EQ(read.extent.depth, 1u);
    }
    EXPECT_EQ(hipGraphDestroy(captured), hipSuccess);
    EXPECT_EQ(hipStreamDestroy(stream), hipSuccess);
}

// All parameters of a node come back as they were given.
TEST_F(graphs, nodes_keep_all_parameters) {
    const ints from(64);
    const ints to(64);
    hipMemcpy3DParms c = {};
    c.srcPtr = {from.data, 32, 12, 3};  // rows 32 bytes apart, three of them in each of two planes
    c.dstPtr = {to.data, 16, 12, 4};
    c.extent = {12, 2, 2};
    c.kind = hipMemcpyDeviceToDevice;
    hipGraphNode_t copied = nullptr;
    hipMemcpy3DParms read = {};
    ASSERT_EQ(hipGraphAddMemcpyNode(&copied, graph, nullptr, 0, &c), hipSuccess);
    ASSERT_EQ(hipGraphMemcpyNodeGetParams(copied, &read), hipSuccess);
    EXPECT_EQ(read.srcPtr.ptr, from.data);
    EXPECT_EQ(read.srcPtr.pitch, 32u);
    EXPECT_EQ(read.srcPtr.ysize, 3u);
    EXPECT_EQ(read.dstPtr.ptr, to.data);
    EXPECT_EQ(read.dstPtr.pitch, 16u);
    EXPECT_EQ(read.dstPtr.ysize, 4u);
    EXPECT_EQ(read.extent.width, 12u);
    EXPECT_EQ(read.extent.height, 2u);
    EXPECT_EQ(read.extent.depth, 2u);
    EXPECT_EQ(read.kind, hipMemcpyDeviceToDevice);
    EXPECT_EQ(read.srcArray, nullptr);
    EXPECT_EQ(read.dstArray, nullptr);
    // And say the same again.
    EXPECT_EQ(hipGraphMemcpyNodeSetParams(copied, &read), hipSuccess);
    for (int n = 0; n < 64; ++n) {
        ASSERT_EQ(hipMemsetD32(from.data + n, n, 1), hipSuccess);
    }
    hipGraphExec_t executable = instantiate();
    EXPECT_EQ(hipGraphLaunch(executable, stream), hipSuccess);
    EXPECT_EQ(to[1], 1);
    EXPECT_EQ(to[3], 0);
    EXPECT_EQ(to[4 + 2], 8 + 2);
    EXPECT_EQ(to[8], 0);
    EXPECT_EQ(to[16], 24);
    EXPECT_EQ(to[16 + 4], 24 + 8);
    EXPECT_EQ(hipGraphExecDestroy(executable), hipSuccess);

    const std::array<unsigned, 3> sizes = {1, 2, 4};
    for (const unsigned size : sizes) {
        hipMemsetParams m = {};
        m.dst = to.data;
        m.elementSize = size;
        m.height = 3;
        m.pitch = 16;
        m.value = 0x12;
        m.width = 2;
        hipGraphNode_t filled = nullptr;
        hipMemsetParams same = {};
        ASSERT_EQ(hipGraphAddMemsetNode(&filled, graph, nullptr, 0, &m), hipSuccess);
        ASSERT_EQ(hipGraphMemsetNodeGetParams(filled, &same), hipSuccess);
        EXPECT_EQ(same.dst, to.data);
        EXPECT_EQ(same.elementSize, size);
        EXPECT_EQ(same.height, 3u);
        EXPECT_EQ(same.pitch, 16u);
        EXPECT_EQ(same.value, 0x12u);
        EXPECT_EQ(same.width, 2u);
    }
    hipMemsetParams m = {};
    hipGraphNode_t node = nullptr;
    m.dst = to.data;
    for (const unsigned size : {0u, 3u, 8u}) {
        m.elementSize = size;
        EXPECT_EQ(hipGraphAddMemsetNode(&node, graph, nullptr, 0, &m), hipErrorInvalidValue)
            << size;
    }
    hipHostNodeParams h = {nullptr, nullptr};
    EXPECT_EQ(hipGraphAddHostNode(&node, graph, nullptr, 0, &h), hipErrorInvalidValue);

    const exchange_kernel kernel;
    int* out = to.data;
    void* values[] = {&out};
    hipKernelNodeParams k = {};
    k.func = kernel.function;
    k.gridDim = {2, 3, 4};
    k.blockDim = {8, 4, 2};
    k.kernelParams = values;
    k.sharedMemBytes = 512;
    hipKernelNodeParams got = {};
    ASSERT_EQ(hipGraphAddKernelNode(&node, graph, nullptr, 0, &k), hipSuccess);
    ASSERT_EQ(hipGraphKernelNodeGetParams(node, &got), hipSuccess);
    EXPECT_EQ(got.gridDim.x, 2u);
    EXPECT_EQ(got.gridDim.y, 3u);
    EXPECT_EQ(got.gridDim.z, 4u);
    EXPECT_EQ(got.blockDim.x, 8u);
    EXPECT_EQ(got.blockDim.y, 4u);
    EXPECT_EQ(got.blockDim.z, 2u);
    EXPECT_EQ(got.sharedMemBytes, 512u);
    EXPECT_EQ(got.extra, nullptr);
    EXPECT_EQ(hipGraphKernelNodeGetParams(node, nullptr), hipErrorInvalidValue);
}

// Each pair once, in one call as in several; and if one of them is wrong, none.
TEST_F(graphs, dependencies_are_all_right_or_none_is_added) {
    hipGraphNode_t a = nullptr;
    hipGraphNode_t b = nullptr;
    hipGraphNode_t c = nullptr;
    hipGraphNode_t foreign = nullptr;
    hipGraph_t another = nullptr;
    ASSERT_EQ(hipGraphCreate(&another, 0), hipSuccess);
    for (hipGraphNode_t* node : {&a, &b, &c}) {
        ASSERT_EQ(hipGraphAddEmptyNode(node, graph, nullptr, 0), hipSuccess);
    }
    ASSERT_EQ(hipGraphAddEmptyNode(&foreign, another, nullptr, 0), hipSuccess);
    const auto edges = [&] {
        size_t count = 7;
        EXPECT_EQ(hipGraphGetEdges(graph, nullptr, nullptr, &count), hipSuccess);
        return count;
    };
    const std::array<hipGraphNode_t, 2> wrong[][2] = {
        {{a, a}, {b, b}}, {{a, foreign}, {b, b}}, {{a, a}, {b, foreign}},
        {{a, b}, {b, b}}, {{a, nullptr}, {b, b}}, {{a, a}, {b, nullptr}},
    };
    for (const auto& [from, to] : wrong) {
        EXPECT_EQ(hipGraphAddDependencies(graph, from.data(), to.data(), 2), hipErrorInvalidValue);
        EXPECT_EQ(edges(), 0u);
    }
    EXPECT_EQ(hipGraphAddDependencies(graph, nullptr, nullptr, 0), hipSuccess);
    EXPECT_EQ(hipGraphAddDependencies(another, &a, &b, 1), hipErrorInvalidValue);
    const hipGraphNode_t from[] = {a, a, b};
    const hipGraphNode_t to[] = {b, c, c};
    ASSERT_EQ(hipGraphAddDependencies(graph, from, to, 3), hipSuccess);
    EXPECT_EQ(edges(), 3u);
    hipGraphNode_t starts[3] = {};
    hipGraphNode_t ends[3] = {};
    size_t count = 3;
    EXPECT_EQ(hipGraphGetEdges(graph, starts, ends, &count), hipSuccess);
    for (int n = 0; n < 3; ++n) {
        EXPECT_EQ(starts[n], from[n]);
        EXPECT_EQ(ends[n], to[n]);
    }
    EXPECT_EQ(hipGraphGetEdges(graph, starts, nullptr, &count), hipErrorInvalidValue);
    EXPECT_EQ(hipGraphGetEdges(graph, nullptr, ends, &count), hipErrorInvalidValue);
    // The same pair twice, and one that is not there.
    const hipGraphNode_t twice_from[] = {a, a};
    const hipGraphNode_t twice_to[] = {b, b};
    EXPECT_EQ(hipGraphRemoveDependencies(graph, twice_from, twice_to, 2), hipErrorInvalidValue);
    const hipGraphNode_t not_there_from[] = {a, b};
    const hipGraphNode_t not_there_to[] = {b, a};
    EXPECT_EQ(hipGraphRemoveDependencies(graph, not_there_from, not_there_to, 2),
              hipErrorInvalidValue);
    EXPECT_EQ(edges(), 3u);
    EXPECT_EQ(hipGraphRemoveDependencies(graph, from, to, 2), hipSuccess);
    EXPECT_EQ(edges(), 1u);
    count = 1;
    EXPECT_EQ(hipGraphNodeGetDependencies(c, starts, &count), hipSuccess);
    EXPECT_EQ(starts[0], b);
    EXPECT_EQ(hipGraphNodeGetDependencies(c, starts, nullptr), hipErrorInvalidValue);
    EXPECT_EQ(hipGraphDestroy(another), hipSuccess);
}

TEST_F(graphs, an_executable_is_updated_from_a_graph_of_the_same_shape) {
    const ints memory(2);
    const hipGraphNode_t first = fill(memory.data, 1);
    copy(memory.data + 1, memory.data, {first});
    hipGraphExec_t executable = instantiate();
    hipGraph_t same = nullptr;
    ASSERT_EQ(hipGraphClone(&same, graph), hipSuccess);
    hipGraphNode_t twin = nullptr;
    ASSERT_EQ(hipGraphNodeFindInClone(&twin, first, same), hipSuccess);
    hipMemsetParams m = {};
    ASSERT_EQ(hipGraphMemsetNodeGetParams(twin, &m), hipSuccess);
    m.value = 2;
    ASSERT_EQ(hipGraphMemsetNodeSetParams(twin, &m), hipSuccess);
    hipGraphNode_t wrong = nullptr;
    hipGraphExecUpdateResult result = hipGraphExecUpdateError;
    EXPECT_EQ(hipGraphLaunch(executable, stream), hipSuccess);
    EXPECT_EQ(memory[1], 1);
    EXPECT_EQ(hipGraphExecUpdate(executable, same, &wrong, &result), hipSuccess);
    EXPECT_EQ(result, hipGraphExecUpdateSuccess);
    EXPECT_EQ(hipGraphLaunch(executable, stream), hipSuccess);
    EXPECT_EQ(memory[1], 2);
    ASSERT_EQ(hipGraphDestroyNode(twin), hipSuccess);
    EXPECT_EQ(hipGraphExecUpdate(executable, same, &wrong, &result),
              hipErrorGraphExecUpdateFailure);
    EXPECT_EQ(result, hipGraphExecUpdateErrorTopologyChanged);
    EXPECT_EQ(hipGraphDestroy(same), hipSuccess);
    EXPECT_EQ(hipGraphExecDestroy(executable), hipSuccess);
}

TEST_F(graphs, user_objects_die_with_the_last_that_holds_them) {
    int dead = 0;
    hipUserObject_t object = nullptr;
    ASSERT_EQ(hipUserObjectCreate(&object, &dead, count_up, 1, 1), hipSuccess);
    hipGraph_t holder = nullptr;
    ASSERT_EQ(hipGraphCreate(&holder, 0), hipSuccess);
    EXPECT_EQ(hipGraphRetainUserObject(holder, object, 1, 1), hipSuccess);  // moved
    hipGraphExec_t executable = nullptr;
    ASSERT_EQ(hipGraphInstantiate(&executable, holder, nullptr, nullptr, 0), hipSuccess);
    EXPECT_EQ(hipGraphDestroy(holder), hipSuccess);
    EXPECT_EQ(dead, 0);
    EXPECT_EQ(hipGraphExecDestroy(executable), hipSuccess);
    EXPECT_EQ(dead, 1);
    EXPECT_EQ(hipUserObjectRelease(object, 1), hipErrorInvalidValue);
}

// A child is a clone, which holds them too: until it is refused, replaced, or its graph is destroyed.
TEST_F(graphs, children_let_go_of_user_objects) {
    enum class what { add, refused_add, replace, update };
    for (const what how : {what::add, what::refused_add, what::replace, what::update}) {
        int dead = 0;
        hipUserObject_t object = nullptr;
        hipGraph_t parent = nullptr;
        hipGraph_t child = nullptr;
        hipGraph_t empty = nullptr;
        hipGraph_t with_empty = nullptr;
        hipGraphNode_t node = nullptr;
        hipGraphNode_t other = nullptr;
        ASSERT_EQ(hipGraphCreate(&parent, 0), hipSuccess);
        ASSERT_EQ(hipGraphCreate(&child, 0), hipSuccess);
        ASSERT_EQ(hipGraphCreate(&empty, 0), hipSuccess);
        ASSERT_EQ(hipGraphCreate(&with_empty, 0), hipSuccess);
        ASSERT_EQ(hipUserObjectCreate(&object, &dead, count_up, 1, 1), hipSuccess);
        EXPECT_EQ(hipGraphRetainUserObject(child, object, 1, 1), hipSuccess);
        ASSERT_EQ(hipGraphAddChildGraphNode(&node, parent, nullptr, 0, child), hipSuccess);
        ASSERT_EQ(hipGraphAddChildGraphNode(&other, with_empty, nullptr, 0, empty), hipSuccess);
        if (how == what::refused_add) {
            hipGraphNode_t twice[] = {node, node};
            EXPECT_EQ(hipGraphAddChildGraphNode(&other, parent, twice, 2, child),
                      hipErrorInvalidValue);
        }
        hipGraphExec_t executable = nullptr;
        ASSERT_EQ(hipGraphInstantiate(&executable, parent, nullptr, nullptr, 0), hipSuccess);
        EXPECT_EQ(hipGraphDestroy(parent), hipSuccess);
        EXPECT_EQ(hipGraphDestroy(child), hipSuccess);
        EXPECT_EQ(dead, 0) << "the executable holds it";
        hipGraphExecUpdateResult result = hipGraphExecUpdateError;
        if (how == what::replace) {
            EXPECT_EQ(hipGraphExecChildGraphNodeSetParams(executable, node, empty), hipSuccess);
            EXPECT_EQ(dead, 1);
        } else if (how == what::update) {
            EXPECT_EQ(hipGraphExecUpdate(executable, with_empty, &other, &result), hipSuccess);
            EXPECT_EQ(dead, 1);
        }
        EXPECT_EQ(hipGraphExecDestroy(executable), hipSuccess);
        EXPECT_EQ(dead, 1);
        EXPECT_EQ(hipGraphDestroy(empty), hipSuccess);
        EXPECT_EQ(hipGraphDestroy(with_empty), hipSuccess);
    }
}

TEST_F(graphs, let_go_of_user_objects) {
    int dead = 0;
    hipUserObject_t object = nullptr;
    ASSERT_EQ(hipUserObjectCreate(&object, &dead, count_up, 1, 1), hipSuccess);
    EXPECT_EQ(hipUserObjectRetain(object, 1), hipSuccess);
    EXPECT_EQ(hipGraphRetainUserObject(graph, object, 2, 0), hipSuccess);
    EXPECT_EQ(hipUserObjectRelease(object, 5), hipErrorInvalidValue) << "four are held";
    EXPECT_EQ(hipUserObjectRelease(object, 2), hipSuccess);
    EXPECT_EQ(hipGraphReleaseUserObject(graph, object, 3), hipErrorInvalidValue);
    EXPECT_EQ(hipGraphReleaseUserObject(graph, object, 1), hipSuccess);
    EXPECT_EQ(dead, 0);
    EXPECT_EQ(hipGraphReleaseUserObject(graph, object, 1), hipSuccess);
    EXPECT_EQ(dead, 1);
    EXPECT_EQ(hipGraphReleaseUserObject(graph, object, 1), hipErrorInvalidValue);

    // A program that releases what the graph holds.
    ASSERT_EQ(hipUserObjectCreate(&object, &dead, count_up, 1, 1), hipSuccess);
    EXPECT_EQ(hipGraphRetainUserObject(graph, object, 1, 0), hipSuccess);
    EXPECT_EQ(hipUserObjectRelease(object, 2), hipSuccess);
    EXPECT_EQ(dead, 2);
    hipGraph_t copy = nullptr;
    EXPECT_EQ(hipGraphClone(&copy, graph), hipSuccess);
    EXPECT_EQ(hipGraphDestroy(copy), hipSuccess);
    EXPECT_EQ(hipGraphReleaseUserObject(graph, object, 1), hipSuccess);
    EXPECT_EQ(dead, 2);
}

}  // namespace
