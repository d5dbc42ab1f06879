// Rows of the tables of wrong parameters, and what they use.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "hip.hpp"
#include "kernels.hpp"

constexpr size_t bytes = 4096;
constexpr size_t most = ~size_t{0};

inline void do_nothing(void*) {}

// A handle of any type that nobody has made.
struct any_handle {
    template <class T>
    operator T*() const {
        static std::array<std::byte, 8192> zeros{};
        return reinterpret_cast<T*>(zeros.data());
    }
};
constexpr any_handle never_made;

template <class T>
T number(long long n) {
    return static_cast<T>(n);
}

// What the rows use; all of it is valid but for what says otherwise.
struct things {
    void* memory = nullptr;  // of `bytes` bytes, as all others
    void* other = nullptr;
    void* pinned = nullptr;
    void* managed = nullptr;
    void* freed = nullptr;
    void* freed_of_host = nullptr;
    std::vector<char> host = std::vector<char>(bytes);
    std::vector<char> registered = std::vector<char>(bytes);
    hipStream_t stream = nullptr;
    hipStream_t no_stream = nullptr;  // destroyed
    hipEvent_t event = nullptr;
    hipEvent_t no_event = nullptr;  // destroyed
    hipModule_t module = nullptr;
    hipModule_t no_module = nullptr;  // unloaded
    hipFunction_t function = nullptr;
    hipMemPool_t pool = nullptr;
    hipMemPool_t default_pool = nullptr;
    hipMemPool_t no_pool = nullptr;  // destroyed
    hipGraph_t graph = nullptr;
    hipGraph_t elsewhere = nullptr;
    hipGraph_t clone = nullptr;
    hipGraphNode_t empty = nullptr;
    hipGraphNode_t second = nullptr;  // behind `empty`
    hipGraphNode_t copy = nullptr;
    hipGraphNode_t fill = nullptr;
    hipGraphNode_t kernel = nullptr;
    hipGraphNode_t call = nullptr;
    hipGraphNode_t child = nullptr;
    hipGraphNode_t record = nullptr;
    hipGraphNode_t wait = nullptr;
    hipGraphNode_t foreign = nullptr;  // of `elsewhere`
    hipGraphNode_t late = nullptr;     // made after the clone and the executable
    hipGraphExec_t executable = nullptr;
    hipGraphExec_t no_executable = nullptr;  // destroyed
    hipUserObject_t object = nullptr;
    void* result = nullptr;  // where functions put what they return
    size_t size = 0;
    int integer = 0;
    unsigned flags = 0;
    char variable = 0;
    void* argument = nullptr;
    void* arguments[1] = {&argument};
    unsigned lds = 0;  // of a group

    things();
    hipMemcpy3DParms copy_of_rows() const;
    HIP_MEMCPY3D drv_copy_of_rows() const;
    hip_Memcpy2D param_2d() const;
    hipMemsetParams fill_of_rows() const { return {memory, 0, 7, 4, 16, 1}; }
    hipKernelNodeParams kernel_node() {
        return {{256, 1, 1}, nullptr, function, {1, 1, 1}, arguments, 0};
    }
    template <class T>
    T* out() {
        return reinterpret_cast<T*>(&result);
    }
};

template <class T>
T made(hipError_t (*make)(T*)) {
    T handle{};
    EXPECT_EQ(make(&handle), hipSuccess);
    return handle;
}

inline hipModule_t loaded() {
    hipModule_t module = nullptr;
    static const auto image = read_kernels(tested_arch());
    EXPECT_EQ(hipModuleLoadData(&module, image.data()), hipSuccess);
    return module;
}

inline void register_number(void* variable) {
    struct wrapper {
        uint32_t magic = 0x48495046;
        uint32_t version = 1;
        const void* image = nullptr;
        void* unused = nullptr;
    };
    static const auto image = read_kernels(tested_arch());
    static const wrapper program{.image = image.data()};
    static char name[] = "number";  // 4 bytes
    __hipRegisterVar(__hipRegisterFatBinary(&program), variable, name, name, 0, 4, 0, 0);
}

inline hipMemPool_t new_pool() {
    hipMemPool_t pool = nullptr;
    hipMemPoolProps properties{};
    properties.allocType = hipMemAllocationTypePinned;
    properties.location = {hipMemLocationTypeDevice, 0};
    EXPECT_EQ(hipMemPoolCreate(&pool, &properties), hipSuccess);
    return pool;
}

inline things::things() {
    const auto ok = [](hipError_t error) { EXPECT_EQ(error, hipSuccess); };
    for (void** pointer : {&memory, &other, &freed, &argument}) {
        ok(hipMalloc(pointer, bytes));
    }
    ok(hipHostMalloc(&freed_of_host, bytes, 0));
    ok(hipHostMalloc(&pinned, bytes, 0));
    ok(hipMallocManaged(&managed, bytes, 1));
    ok(hipHostRegister(registered.data(), bytes, 0));
    stream = made(hipStreamCreate);
    no_stream = made(hipStreamCreate);
    ok(hipStreamDestroy(no_stream));
    event = made(hipEventCreate);
    no_event = made(hipEventCreate);
    ok(hipEventDestroy(no_event));
    module = loaded();
    no_module = loaded();
    ok(hipModuleUnload(no_module));
    ok(hipModuleGetFunction(&function, module, "exchange"));
    pool = new_pool();
    no_pool = new_pool();
    ok(hipMemPoolDestroy(no_pool));
    ok(hipDeviceGetDefaultMemPool(&default_pool, 0));
    register_number(&variable);
    ok(hipDeviceGetAttribute(&integer, hipDeviceAttributeMaxSharedMemoryPerBlock, 0));
    lds = static_cast<unsigned>(integer);

    ok(hipGraphCreate(&graph, 0));
    ok(hipGraphCreate(&elsewhere, 0));
    ok(hipGraphAddEmptyNode(&foreign, elsewhere, nullptr, 0));
    const hipHostNodeParams host_node = {do_nothing, nullptr};
    const hipMemcpy3DParms rows = copy_of_rows();
    const hipMemsetParams filled = fill_of_rows();
    const hipKernelNodeParams launch = kernel_node();
    ok(hipGraphAddEmptyNode(&empty, graph, nullptr, 0));
    ok(hipGraphAddEmptyNode(&second, graph, &empty, 1));
    ok(hipGraphAddMemcpyNode(&copy, graph, nullptr, 0, &rows));
    ok(hipGraphAddMemsetNode(&fill, graph, nullptr, 0, &filled));
    ok(hipGraphAddKernelNode(&kernel, graph, nullptr, 0, &launch));
    ok(hipGraphAddHostNode(&call, graph, nullptr, 0, &host_node));
    ok(hipGraphAddChildGraphNode(&child, graph, nullptr, 0, elsewhere));
    ok(hipGraphAddEventRecordNode(&record, graph, nullptr, 0, event));
    ok(hipGraphAddEventWaitNode(&wait, graph, nullptr, 0, event));
    ok(hipGraphClone(&clone, graph));
    ok(hipGraphInstantiate(&executable, graph, nullptr, nullptr, 0));
    ok(hipGraphInstantiate(&no_executable, graph, nullptr, nullptr, 0));
    ok(hipGraphExecDestroy(no_executable));
    ok(hipGraphAddEmptyNode(&late, graph, nullptr, 0));
    ok(hipUserObjectCreate(&object, this, do_nothing, 1, 1));
    // Last, so that nothing else gets the same addresses.
    ok(hipFree(freed));
    ok(hipHostFree(freed_of_host));
}

// Of 4 planes of 4 rows of 64 bytes, as far apart as they are long.
inline hipMemcpy3DParms things::copy_of_rows() const {
    hipMemcpy3DParms p{};
    p.srcPtr = {memory, 64, 64, 4};
    p.dstPtr = {other, 64, 64, 4};
    p.extent = {64, 4, 4};
    p.kind = hipMemcpyDeviceToDevice;
    return p;
}

inline HIP_MEMCPY3D things::drv_copy_of_rows() const {
    HIP_MEMCPY3D p{};
    p.srcMemoryType = hipMemoryTypeDevice;
    p.srcDevice = memory;
    p.dstMemoryType = hipMemoryTypeDevice;
    p.dstDevice = other;
    p.srcPitch = p.dstPitch = p.WidthInBytes = 64;
    p.srcHeight = p.dstHeight = p.Height = p.Depth = 4;
    return p;
}

inline hip_Memcpy2D things::param_2d() const {
    hip_Memcpy2D p{};
    p.srcMemoryType = hipMemoryTypeDevice;
    p.srcDevice = memory;
    p.dstMemoryType = hipMemoryTypeDevice;
    p.dstDevice = other;
    p.srcPitch = p.dstPitch = p.WidthInBytes = 64;
    p.Height = 4;
    return p;
}

struct row {
    std::string call;
    std::string with;
    hipError_t answer;
    std::function<hipError_t(things&)> made;
};

constexpr auto by_pointers = hipMemcpyDefault;

// A row of a function that is called with these arguments; `t` is the things.
#define ROW(call, with, answer, ...)      \
    {#call, with, answer, [](things& t) { \
         static_cast<void>(t);            \
         return call(__VA_ARGS__);        \
     }}

constexpr hipError_t configuration = hipErrorInvalidConfiguration;
constexpr hipError_t value = hipErrorInvalidValue;
constexpr hipError_t handle = hipErrorInvalidHandle;
constexpr hipError_t too_large = hipErrorCooperativeLaunchTooLarge;

template <size_t n>
std::vector<row> listed(const row (&rows)[n]) {
    return {rows, rows + n};
}

// Tries all rows, of which there are `count`. The messages of launches are not what is tested.
inline void expect_answers(const std::vector<std::vector<row>>& tables, size_t count) {
    things t;
    size_t tried = 0;
    std::string wrong;
    const auto name = [](hipError_t error) { return std::string(hipGetErrorName(error)); };
    testing::internal::CaptureStderr();
    for (const std::vector<row>& rows : tables) {
        for (const row& r : rows) {
            const hipError_t answer = r.made(t);
            ++tried;
            if (answer != r.answer) {
                wrong +=
                    r.call + ", " + r.with + ": " + name(answer) + ", not " + name(r.answer) + "\n";
            }
        }
    }
    testing::internal::GetCapturedStderr();
    hipGetLastError();
    EXPECT_EQ(wrong, "");
    EXPECT_EQ(tried, count);
}
