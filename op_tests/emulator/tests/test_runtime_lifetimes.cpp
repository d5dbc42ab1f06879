// What is left of memory, graphs and functions when they are gone: nothing that can be used.

#include <gtest/gtest.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "device_objects.hpp"

namespace {

struct lifetimes : testing::Test {
    void TearDown() override { hipGetLastError(); }
};

const auto of_thread = reinterpret_cast<hipStream_t>(2);

// Whether device code may read four bytes there: any number is at least 0.
bool is_known(void* pointer) {
    return hipStreamWaitValue32(nullptr, pointer, 0, 0, 0) == hipSuccess;
}

TEST_F(lifetimes, memory_is_known_until_it_is_freed) {
    static int own[4];
    void* p = nullptr;
    size_t pitch = 0;
    hipPitchedPtr rows = {};
    const auto allocate_rows = [&] {
        const hipError_t error = hipMalloc3D(&rows, {4, 2, 2});
        p = rows.ptr;
        return error;
    };
    const auto register_own = [&](unsigned flags) {
        p = own;
        return hipHostRegister(own, sizeof own, flags);
    };
    const struct {
        const char* name;
        std::function<hipError_t()> make, free;
    } kinds[] = {
        {"device", [&] { return hipMalloc(&p, 16); }, [&] { return hipFree(p); }},
        {"rows", [&] { return hipMallocPitch(&p, &pitch, 4, 4); }, [&] { return hipFree(p); }},
        {"block", allocate_rows, [&] { return hipFree(p); }},
        {"managed", [&] { return hipMallocManaged(&p, 16, 1); }, [&] { return hipFree(p); }},
        {"host", [&] { return hipHostMalloc(&p, 16, 0); }, [&] { return hipHostFree(p); }},
        {"pool", [&] { return hipMallocAsync(&p, 16, nullptr); },
         [&] { return hipFreeAsync(p, nullptr); }},
        {"registered", [&] { return register_own(0); }, [&] { return hipHostUnregister(p); }},
        {"read only", [&] { return register_own(8); }, [&] { return hipHostUnregister(p); }},
    };
    for (const auto& [name, make, free] : kinds) {
        for (const bool reset : {false, true}) {
            ASSERT_EQ(make(), hipSuccess) << name;
            EXPECT_TRUE(is_known(p)) << name;
            EXPECT_EQ(reset ? hipDeviceReset() : free(), hipSuccess) << name;
            EXPECT_FALSE(is_known(p)) << name << (reset ? ", reset" : "");
        }
    }
    size_t left = 0;
    size_t total = 0;
    EXPECT_EQ(hipMemGetInfo(&left, &total), hipSuccess);
    EXPECT_EQ(left, total) << "nothing is allocated";
}

[[maybe_unused]] constexpr int line_of_allocation = __LINE__ + 3;
[[gnu::noinline]] void* allocated_here() {
    void* p = nullptr;
    EXPECT_EQ(hipMalloc(&p, 1024), hipSuccess);
    return p;
}

[[gnu::noinline]] void freed_here(void* p) {
    EXPECT_EQ(hipFree(p), hipSuccess);
}

// By the functions of the program that called, not by those of the library, and with the line where
// the program has lines.
TEST_F(lifetimes, a_report_names_who_allocated_and_freed) {
    const exchange_kernel kernel;
    void* p = allocated_here();
    freed_here(p);
    void* values[] = {&p};
    testing::FLAGS_gtest_death_test_style = "fast";
    std::string places;
#if !__has_feature(address_sanitizer)  // under which nobody outside of the program calls
    places = "; allocated in [^;]*allocated_here\\(\\), [^;]*lifetimes.cpp:" +
             std::to_string(line_of_allocation) +
             "; freed in [^;]*freed_here\\(void\\*\\), [^;]*lifetimes.cpp:[0-9]+, ";
#endif
    EXPECT_EXIT(
        hipModuleLaunchKernel(kernel.function, 1, 1, 1, 256, 1, 1, 0, nullptr, values, nullptr),
        testing::ExitedWithCode(70),
        "byte 0 of the freed 1024-byte allocation at 0x[0-9a-f]+" + places);
}

// A captured memset, whose graph holds the only reference to an object.
struct captured_memset {
    explicit captured_memset(hipStream_t stream) {
        static int memory[1];
        hipStreamCaptureStatus status = hipStreamCaptureStatusNone;
        hipUserObject_t object = nullptr;
        const hipGraphNode_t* last = nullptr;
        size_t count = 0;
        EXPECT_EQ(hipStreamBeginCapture(stream, hipStreamCaptureModeRelaxed), hipSuccess);
        EXPECT_EQ(hipMemsetAsync(memory, 0, 4, stream), hipSuccess);
        EXPECT_EQ(hipStreamGetCaptureInfo_v2(stream, &status, nullptr, &graph, &last, &count),
                  hipSuccess);
        EXPECT_EQ(count, 1u);
        node = last[0];
        EXPECT_EQ(hipUserObjectCreate(
                      &object, &dead, [](void* n) { ++*static_cast<int*>(n); }, 1, 1),
                  hipSuccess);
        EXPECT_EQ(hipGraphRetainUserObject(graph, object, 1, 1), hipSuccess);
        hipGraphNodeType type = hipGraphNodeTypeEmpty;
        EXPECT_EQ(hipGraphNodeGetType(node, &type), hipSuccess);
        EXPECT_EQ(type, hipGraphNodeTypeMemset);
        EXPECT_EQ(dead, 0);
    }
    void expect_gone() const {
        hipGraphNodeType type = hipGraphNodeTypeEmpty;
        size_t count = 0;
        EXPECT_EQ(dead, 1);
        EXPECT_EQ(hipGraphNodeGetType(node, &type), hipErrorInvalidValue);
        EXPECT_EQ(hipGraphGetNodes(graph, nullptr, &count), hipErrorInvalidValue);
    }
    int dead = 0;
    hipGraph_t graph = nullptr;
    hipGraphNode_t node = nullptr;
};

// With its nodes and what it held, and with a word about who broke it.
TEST_F(lifetimes, the_graph_of_a_capture_that_fails_is_destroyed) {
    hipStream_t stream = nullptr;
    hipGraph_t graph = nullptr;
    ASSERT_EQ(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking), hipSuccess);
    const auto stderr_of = [](const auto& call) {
        testing::internal::CaptureStderr();
        call();
        return testing::internal::GetCapturedStderr();
    };
    for (const bool by_another : {false, true}) {
        const captured_memset captured(stream);
        const auto wait = [&] {
            EXPECT_EQ(hipStreamSynchronize(stream), hipErrorStreamCaptureUnsupported);
        };
        const std::string text = stderr_of([&] {
            if (by_another) {
                std::thread(wait).join();
            } else {
                wait();
            }
        });
        EXPECT_NE(text.find(by_another ? "the capture that another thread began in mode Relaxed"
                                       : "the capture that this thread began in mode Relaxed"),
                  std::string::npos)
            << text;
        EXPECT_EQ(captured.dead, 0) << "until the capture ends";
        EXPECT_EQ(hipStreamEndCapture(stream, &graph), hipErrorStreamCaptureInvalidated);
        EXPECT_EQ(graph, nullptr);
        captured.expect_gone();
    }
    {
        const captured_memset captured(stream);
        stderr_of([&] { EXPECT_EQ(hipStreamDestroy(stream), hipSuccess); });
        captured.expect_gone();
    }
    stderr_of([] {
        std::function<void()> check;
        std::thread([&check] {
            // It outlives the thread.
            const auto captured = std::make_shared<captured_memset>(of_thread);
            check = [captured] { captured->expect_gone(); };
        }).join();
        check();
    });
}

TEST_F(lifetimes, functions_of_a_module_go_with_it) {
    hipFunction_t function = nullptr;
    int value = 0;
    {
        const exchange_kernel kernel;
        function = kernel.function;
        EXPECT_EQ(hipFuncGetAttribute(&value, HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, function),
                  hipSuccess);
    }
    EXPECT_EQ(hipFuncGetAttribute(&value, HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, function),
              hipErrorInvalidHandle);
}

}  // namespace
