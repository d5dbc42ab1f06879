// What the other tests of the runtime have no use for: contexts, settings, other names of the same
// call. Each function with what it does and what it refuses. (tests/functions_named.cmake finds the
// functions that no test names.)

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "device_objects.hpp"

namespace {

struct functions : testing::Test {
    void TearDown() override { hipGetLastError(); }
};

// A pointer of any type, to zeros.
struct any_pointer {
    template <class T>
    operator T*() const {
        static std::array<std::byte, 8192> zeros{};
        return reinterpret_cast<T*>(zeros.data());
    }
};
constexpr any_pointer any;

// Calls `function` once for each of the arguments that is a pointer and not null, with null for it.
template <class... Parameter, class... Argument>
void expect_needs(hipError_t (*function)(Parameter...), Argument... arguments) {
    const std::tuple<Parameter...> all(static_cast<Parameter>(arguments)...);
    int tried = 0;
    const auto without = [&](auto& argument, auto& changed) {
        if constexpr (std::is_pointer_v<std::remove_reference_t<decltype(argument)>>) {
            const auto before = std::exchange(argument, nullptr);
            if (before != nullptr) {
                EXPECT_EQ(std::apply(function, changed), hipErrorInvalidValue) << tried;
                ++tried;
            }
            argument = before;
        }
    };
    auto changed = all;
    std::apply([&](auto&... each) { (without(each, changed), ...); }, changed);
    EXPECT_GT(tried, 0);
}
#define EXPECT_NEEDS(function, ...)           \
    {                                         \
        SCOPED_TRACE(#function);              \
        expect_needs(&function, __VA_ARGS__); \
    }

TEST_F(functions, that_need_their_pointers) {
    EXPECT_NEEDS(hipChooseDevice, any, any)
    EXPECT_NEEDS(hipChooseDeviceR0000, any, any)
    EXPECT_NEEDS(hipCtxGetCacheConfig, any)
    EXPECT_NEEDS(hipCtxGetDevice, any)
    EXPECT_NEEDS(hipCtxGetFlags, any)
    EXPECT_NEEDS(hipCtxGetSharedMemConfig, any)
    EXPECT_NEEDS(hipDeviceCanAccessPeer, any, 0, 0)
    EXPECT_NEEDS(hipDeviceComputeCapability, any, any, 0)
    EXPECT_NEEDS(hipDeviceGet, any, 0)
    EXPECT_NEEDS(hipDeviceGetByPCIBusId, any, "0000:00:00.0")
    EXPECT_NEEDS(hipDeviceGetCacheConfig, any)
    EXPECT_NEEDS(hipDeviceGetName, any, 2, 0)
    EXPECT_NEEDS(hipDeviceGetP2PAttribute, any, hipDevP2PAttrAccessSupported, 0, 1)
    EXPECT_NEEDS(hipDeviceGetSharedMemConfig, any)
    EXPECT_NEEDS(hipDrvGetErrorName, hipSuccess, any)
    EXPECT_NEEDS(hipDrvGetErrorString, hipSuccess, any)
    EXPECT_NEEDS(hipDrvMemcpy2DUnaligned, any)
    EXPECT_NEEDS(hipExtGetLinkTypeAndHopCount, 0, 1, any, any)
    EXPECT_NEEDS(hipGetDeviceCount, any)
    EXPECT_NEEDS(hipGetDeviceProperties, any, 0)
    EXPECT_NEEDS(hipGraphCreate, any, 0)
    EXPECT_NEEDS(hipMallocPitch, any, any, 4, 4)
    EXPECT_NEEDS(hipMemGetInfo, any, any)
    EXPECT_NEEDS(hipModuleLoad, any, kernels_path(tested_arch()).c_str())
    EXPECT_NEEDS(hipModuleLoadData, any, any)
    EXPECT_NEEDS(hipSetValidDevices, any, 1)
    EXPECT_NEEDS(hipStreamCreate, any)
    EXPECT_NEEDS(hipThreadExchangeStreamCaptureMode, any)
}

const auto of_thread = reinterpret_cast<hipStream_t>(2);

TEST_F(functions, of_contexts) {
    hipCtx_t context = nullptr;
    hipDevice_t number = 7;
    unsigned flags = 7;
    int version = 0;
    ASSERT_EQ(hipCtxCreate(&context, 4, 0), hipSuccess);
    EXPECT_EQ(hipCtxGetDevice(&number), hipSuccess);
    EXPECT_EQ(number, 0);
    EXPECT_EQ(hipCtxGetFlags(&flags), hipSuccess);
    EXPECT_EQ(flags, 4u);
    EXPECT_EQ(hipCtxGetApiVersion(context, &version), hipSuccess);
    EXPECT_EQ(version, 4);
    EXPECT_EQ(hipCtxGetApiVersion(reinterpret_cast<hipCtx_t>(&flags), &version),
              hipErrorInvalidContext);
    EXPECT_EQ(hipCtxGetApiVersion(context, nullptr), hipErrorInvalidValue);
    EXPECT_EQ(hipCtxSynchronize(), hipSuccess);
    EXPECT_EQ(hipCtxEnablePeerAccess(context, 0), hipErrorPeerAccessUnsupported);
    EXPECT_EQ(hipCtxDisablePeerAccess(context), hipErrorPeerAccessNotEnabled);
    EXPECT_EQ(hipCtxDestroy(context), hipSuccess);
    EXPECT_EQ(hipCtxGetFlags(&flags), hipSuccess);
    EXPECT_EQ(flags, 0u) << "none is current";

    int active = 7;
    flags = 7;
    EXPECT_EQ(hipDevicePrimaryCtxGetState(0, &flags, &active), hipSuccess);
    EXPECT_EQ(active, 1);
    EXPECT_EQ(flags, 0u);
    EXPECT_EQ(hipDevicePrimaryCtxGetState(0, nullptr, nullptr), hipSuccess);
    EXPECT_EQ(hipDevicePrimaryCtxGetState(1, &flags, &active), hipErrorInvalidDevice);
    EXPECT_EQ(hipDevicePrimaryCtxRelease(0), hipSuccess);
    EXPECT_EQ(hipDevicePrimaryCtxRelease(1), hipErrorInvalidDevice);
    EXPECT_EQ(hipDevicePrimaryCtxSetFlags(0, 0), hipErrorContextAlreadyInUse);
    EXPECT_EQ(hipDevicePrimaryCtxSetFlags(1, 0), hipErrorInvalidDevice);
}

// Hints about caches: checked, and without effect.
TEST_F(functions, of_caches) {
    hipFuncCache_t cache = hipFuncCachePreferEqual;
    hipSharedMemConfig banks = hipSharedMemBankSizeEightByte;
    EXPECT_EQ(hipDeviceGetCacheConfig(&cache), hipSuccess);
    EXPECT_EQ(cache, hipFuncCachePreferNone);
    EXPECT_EQ(hipDeviceGetSharedMemConfig(&banks), hipSuccess);
    EXPECT_EQ(banks, hipSharedMemBankSizeFourByte);
    EXPECT_EQ(hipCtxGetCacheConfig(&cache), hipSuccess);
    EXPECT_EQ(hipCtxGetSharedMemConfig(&banks), hipSuccess);
}

TEST_F(functions, of_devices) {
    hipDeviceProp_tR0000 wanted = {};
    int number = 7;
    for (const auto choose : {&hipChooseDevice, &hipChooseDeviceR0000}) {
        number = 7;
        EXPECT_EQ(choose(&number, &wanted), hipSuccess);
        EXPECT_EQ(number, 0);
    }
    EXPECT_EQ(hipGetDeviceProperties(&wanted, 0), hipSuccess);  // the layout without a suffix
    EXPECT_EQ(wanted.gcnArch, tested_arch() == "gfx942" ? 942 : 950);
    EXPECT_EQ(hipGetDeviceProperties(&wanted, 1), hipErrorInvalidDevice);
    int devices[] = {0, 1};
    EXPECT_EQ(hipSetValidDevices(devices, 1), hipSuccess);
    EXPECT_EQ(hipSetValidDevices(devices, 2), hipErrorInvalidDevice);
    EXPECT_EQ(hipSetValidDevices(devices, -1), hipErrorInvalidValue);
    int value = 0;
    uint32_t type = 0;
    uint32_t hops = 0;
    EXPECT_EQ(hipDeviceGetP2PAttribute(&value, hipDevP2PAttrAccessSupported, 0, 1),
              hipErrorInvalidDevice);
    EXPECT_EQ(hipExtGetLinkTypeAndHopCount(0, 1, &type, &hops), hipErrorInvalidDevice);
    EXPECT_EQ(hipGetStreamDeviceId(nullptr), 0);
    EXPECT_EQ(hipGetStreamDeviceId(reinterpret_cast<hipStream_t>(&value)), -1);
}

TEST_F(functions, of_the_host) {
    EXPECT_EQ(amd_dbgapi_get_build_id(), 0u);
    EXPECT_STREQ(amd_dbgapi_get_build_name(), "opus emulator");
    EXPECT_STREQ(amd_dbgapi_get_git_hash(), "");
    EXPECT_EQ(__gnu_f2h_ieee(1.5f), 0x3e00);
    EXPECT_EQ(__gnu_f2h_ieee(65520.0f), 0x7c00) << "rounds to infinity";
    EXPECT_EQ(__gnu_h2f_ieee(0xc500), -5.0f);
    const hipChannelFormatDesc channel =
        hipCreateChannelDesc(8, 9, 10, 11, hipChannelFormatKindFloat);
    EXPECT_EQ(channel.x, 8);
    EXPECT_EQ(channel.y, 9);
    EXPECT_EQ(channel.z, 10);
    EXPECT_EQ(channel.w, 11);
    EXPECT_EQ(channel.f, hipChannelFormatKindFloat);
}

TEST_F(functions, that_fill_in_a_stream) {
    const ints memory(16);
    const hipPitchedPtr rows = {memory.data, 16, 16, 4};
    EXPECT_EQ(hipMemsetD8Async(memory.data, 1, 3, of_thread), hipSuccess);
    EXPECT_EQ(memory[0], 0x00010101);
    EXPECT_EQ(hipMemsetD16Async(memory.data, 0x1234, 3, of_thread), hipSuccess);
    EXPECT_EQ(memory[0], 0x12341234);
    EXPECT_EQ(memory[1], 0x1234);
    EXPECT_EQ(hipMemset2DAsync(memory.data, 16, 2, 4, 3, of_thread), hipSuccess);
    EXPECT_EQ(memory[8], 0x02020202);
    EXPECT_EQ(memory[9], 0);
    EXPECT_EQ(memory[12], 0);
    EXPECT_EQ(hipMemset3DAsync(rows, 3, {4, 4, 1}, of_thread), hipSuccess);
    EXPECT_EQ(memory[12], 0x03030303);
    EXPECT_EQ(memory[13], 0);
    for (const hipError_t error : {hipMemsetD8Async(memory.data, 1, 65, of_thread),
                                   hipMemsetD16Async(memory.data, 1, 33, of_thread),
                                   hipMemset2DAsync(memory.data, 16, 2, 16, 5, of_thread),
                                   hipMemset3DAsync(rows, 3, {16, 4, 2}, of_thread)}) {
        EXPECT_EQ(error, hipErrorInvalidValue) << "one more than there are";
    }
    EXPECT_EQ(hipMemset2DAsync(memory.data, 8, 2, 16, 2, of_thread), hipErrorInvalidValue);
}

// Rows of 4 bytes, 8 apart, to rows 16 apart.
template <class Copy>
Copy copy_rows(void* to, void* from, size_t rows) {
    Copy c = {};
    c.srcMemoryType = hipMemoryTypeDevice;
    c.srcDevice = from;
    c.srcPitch = 8;
    c.dstMemoryType = hipMemoryTypeDevice;
    c.dstDevice = to;
    c.dstPitch = 16;
    c.WidthInBytes = 4;
    c.Height = rows;
    return c;
}

TEST_F(functions, that_copy_by_a_description) {
    const ints from(4);
    const ints to(8);
    EXPECT_EQ(hipMemsetD32(from.data, 5, 4), hipSuccess);
    hip_Memcpy2D c = copy_rows<hip_Memcpy2D>(to.data, from.data, 2);
    EXPECT_EQ(hipDrvMemcpy2DUnaligned(&c), hipSuccess);
    EXPECT_EQ(to[0], 5);
    EXPECT_EQ(to[1], 0);
    EXPECT_EQ(to[4], 5);
    c.Height = 4;
    EXPECT_EQ(hipDrvMemcpy2DUnaligned(&c), hipErrorInvalidValue);
}

// One node that copies, by each way to say what it copies.
TEST_F(functions, that_copy_in_a_graph) {
    const ints memory(8);
    for (int n = 0; n < 4; ++n) {
        ASSERT_EQ(hipMemsetD32(memory.data + n, n + 1, 1), hipSuccess);
    }
    hipGraph_t graph = nullptr;
    hipGraphNode_t node = nullptr;
    hipGraphNode_t driver_node = nullptr;
    hipGraphExec_t executable = nullptr;
    ASSERT_EQ(hipGraphCreate(&graph, 0), hipSuccess);
    hipMemcpy3DParms p = {};
    p.srcPtr = {memory.data, 4, 4, 1};
    p.dstPtr = {memory.data + 4, 4, 4, 1};
    p.extent = {4, 1, 1};
    p.kind = hipMemcpyDeviceToDevice;
    HIP_MEMCPY3D c = copy_rows<HIP_MEMCPY3D>(memory.data + 5, memory.data, 1);
    c.Depth = 1;
    EXPECT_EQ(hipGraphAddMemcpyNode(&node, graph, nullptr, 0, &p), hipSuccess);
    EXPECT_EQ(hipDrvGraphAddMemcpyNode(&driver_node, graph, nullptr, 0, &c, nullptr), hipSuccess);
    EXPECT_EQ(hipDrvGraphAddMemcpyNode(&driver_node, graph, nullptr, 0, &c,
                                       reinterpret_cast<hipCtx_t>(&c)),
              hipErrorInvalidContext);
    hipGraphInstantiateParams how = {};
    how.uploadStream = reinterpret_cast<hipStream_t>(&how);
    EXPECT_EQ(hipGraphInstantiateWithParams(&executable, graph, &how), hipErrorContextIsDestroyed);
    EXPECT_EQ(how.result_out, hipGraphInstantiateError);
    how.uploadStream = nullptr;
    ASSERT_EQ(hipGraphInstantiateWithParams(&executable, graph, &how), hipSuccess);
    EXPECT_EQ(how.result_out, hipGraphInstantiateSuccess);
    EXPECT_EQ(hipGraphUpload(executable, nullptr), hipSuccess);
    EXPECT_EQ(hipGraphUpload(executable, reinterpret_cast<hipStream_t>(&how)),
              hipErrorContextIsDestroyed);
    EXPECT_EQ(hipGraphLaunch(executable, nullptr), hipSuccess);
    EXPECT_EQ(memory[4], 1);
    EXPECT_EQ(memory[5], 1);
    // Of the executable graph alone.
    p.srcPtr.ptr = memory.data + 1;
    c.srcDevice = memory.data + 2;
    EXPECT_EQ(hipGraphExecMemcpyNodeSetParams(executable, node, &p), hipSuccess);
    EXPECT_EQ(hipDrvGraphExecMemcpyNodeSetParams(executable, driver_node, &c, nullptr), hipSuccess);
    EXPECT_NEEDS(hipGraphAddMemcpyNode, &node, graph, nullptr, 0, &p)
    EXPECT_NEEDS(hipDrvGraphAddMemcpyNode, &node, graph, nullptr, 0, &c, nullptr)
    EXPECT_NEEDS(hipDrvGraphMemcpyNodeSetParams, driver_node, &c)
    EXPECT_NEEDS(hipDrvGraphExecMemcpyNodeSetParams, executable, driver_node, &c, nullptr)
    EXPECT_NEEDS(hipGraphExecMemcpyNodeSetParams, executable, node, &p)
    EXPECT_NEEDS(hipGraphInstantiateWithParams, &executable, graph, &how)
    EXPECT_NEEDS(hipGraphUpload, executable, nullptr)
    EXPECT_EQ(hipGraphLaunch(executable, nullptr), hipSuccess);
    EXPECT_EQ(memory[4], 2);
    EXPECT_EQ(memory[5], 3);
    EXPECT_EQ(hipGraphExecDestroy(executable), hipSuccess);
    // Of the graph.
    c.srcDevice = memory.data + 3;
    EXPECT_EQ(hipDrvGraphMemcpyNodeSetParams(driver_node, &c), hipSuccess);
    ASSERT_EQ(hipGraphInstantiateWithParams(&executable, graph, &how), hipSuccess);
    EXPECT_EQ(hipGraphLaunch(executable, nullptr), hipSuccess);
    EXPECT_EQ(memory[4], 1);
    EXPECT_EQ(memory[5], 4);
    EXPECT_EQ(hipGraphExecDestroy(executable), hipSuccess);
    EXPECT_EQ(hipGraphDestroy(graph), hipSuccess);
}

TEST_F(functions, that_change_a_kernel_of_a_graph) {
    const exchange_kernel kernel;
    const hipFunction_t exchange = kernel.function;
    const ints first(256);
    const ints second(256);
    int* out = first.data;
    void* values[] = {&out};
    hipKernelNodeParams p = {{256, 1, 1}, nullptr, exchange, {1, 1, 1}, values, 0};
    hipGraph_t graph = nullptr;
    hipGraphNode_t node = nullptr;
    hipGraphExec_t executable = nullptr;
    ASSERT_EQ(hipGraphCreate(&graph, 0), hipSuccess);
    ASSERT_EQ(hipGraphAddKernelNode(&node, graph, nullptr, 0, &p), hipSuccess);
    out = second.data;
    EXPECT_EQ(hipGraphKernelNodeSetParams(node, &p), hipSuccess);
    EXPECT_NEEDS(hipGraphKernelNodeSetParams, node, &p)
    ASSERT_EQ(hipGraphInstantiate(&executable, graph, nullptr, nullptr, 0), hipSuccess);
    EXPECT_EQ(hipGraphLaunch(executable, nullptr), hipSuccess);
    EXPECT_EQ(first[0], 0);
    EXPECT_EQ(second[0], 3 * 255 + 1);

    EXPECT_EQ(hipFuncSetCacheConfig(&p, hipFuncCachePreferL1), hipErrorInvalidDeviceFunction);
    EXPECT_EQ(hipFuncSetSharedMemConfig(&p, hipSharedMemBankSizeFourByte),
              hipErrorInvalidDeviceFunction);
    int groups = 0;
    int threads = 0;
    EXPECT_EQ(
        hipModuleOccupancyMaxPotentialBlockSizeWithFlags(&groups, &threads, exchange, 0, 0, 1),
        hipSuccess);
    EXPECT_EQ(threads, 256);
    EXPECT_EQ(
        hipModuleOccupancyMaxPotentialBlockSizeWithFlags(&groups, &threads, exchange, 0, 0, 2),
        hipErrorInvalidValue);
    threads = 0;
    EXPECT_EQ(hipOccupancyMaxPotentialBlockSize(&groups, &threads, exchange, 0, 0), hipSuccess);
    EXPECT_EQ(threads, 256);
    EXPECT_EQ(hipOccupancyMaxPotentialBlockSize(&groups, nullptr, exchange, 0, 0),
              hipErrorInvalidValue);
    EXPECT_EQ(hipOccupancyMaxPotentialBlockSize(&groups, &threads, exchange, 0, -1),
              hipErrorInvalidValue);
    EXPECT_EQ(hipOccupancyMaxPotentialBlockSize(nullptr, &threads, exchange, 0, 0),
              hipErrorInvalidValue);
    EXPECT_EQ(hipOccupancyMaxPotentialBlockSize(&groups, &threads, &p, 0, 0),
              hipErrorInvalidDeviceFunction);
    EXPECT_EQ(hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&groups, exchange, 256, 0, 1),
              hipSuccess);
    EXPECT_EQ(groups, 8);
    EXPECT_EQ(hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&groups, exchange, 256, 0, 2),
              hipErrorInvalidValue);
    EXPECT_EQ(hipGraphExecDestroy(executable), hipSuccess);
    EXPECT_EQ(hipGraphDestroy(graph), hipSuccess);
}

void note_stream(hipStream_t stream, hipError_t, void* data) {
    *static_cast<hipStream_t*>(data) = stream;
}

// The null stream is that of the thread for all whose names end in _spt.
TEST_F(functions, that_end_in_spt) {
    hipEvent_t event = nullptr;
    hipGraph_t graph = nullptr;
    hipGraph_t captured = nullptr;
    hipStream_t seen = nullptr;
    hipStreamCaptureStatus status = hipStreamCaptureStatusNone;
    unsigned long long id = 0;
    unsigned long long same = 1;
    size_t count = 7;
    unsigned flags = 7;
    int priority = 7;
    const hipGraphNode_t* last = nullptr;
    const ints memory(1);
    ASSERT_EQ(hipEventCreate(&event), hipSuccess);
    EXPECT_EQ(hipStreamGetFlags_spt(nullptr, &flags), hipSuccess);
    EXPECT_EQ(flags, 0u);
    EXPECT_EQ(hipStreamGetPriority_spt(nullptr, &priority), hipSuccess);
    EXPECT_EQ(priority, 0);
    EXPECT_EQ(hipStreamGetFlags_spt(nullptr, nullptr), hipErrorInvalidValue);
    EXPECT_EQ(hipStreamGetPriority_spt(nullptr, nullptr), hipErrorInvalidValue);
    EXPECT_EQ(hipStreamAddCallback_spt(nullptr, note_stream, &seen, 0), hipSuccess);
    EXPECT_EQ(seen, of_thread);
    EXPECT_EQ(hipStreamAddCallback_spt(nullptr, nullptr, nullptr, 0), hipErrorInvalidValue);

    ASSERT_EQ(hipStreamBeginCapture_spt(nullptr, hipStreamCaptureModeRelaxed), hipSuccess);
    EXPECT_EQ(hipMemsetD32Async(memory.data, 1, 1, of_thread), hipSuccess);
    EXPECT_EQ(hipStreamGetCaptureInfo_spt(nullptr, &status, &id), hipSuccess);
    EXPECT_EQ(status, hipStreamCaptureStatusActive);
    EXPECT_EQ(hipStreamGetCaptureInfo_v2_spt(nullptr, &status, &same, &captured, &last, &count),
              hipSuccess);
    EXPECT_EQ(same, id);
    ASSERT_EQ(count, 1u);
    EXPECT_EQ(hipStreamGetCaptureInfo_spt(nullptr, nullptr, &id), hipErrorInvalidValue);
    EXPECT_EQ(hipEventRecord_spt(event, nullptr), hipSuccess);
    EXPECT_EQ(hipStreamWaitEvent_spt(nullptr, event, 0), hipSuccess);
    EXPECT_EQ(hipEventRecord_spt(nullptr, nullptr), hipErrorInvalidHandle);
    EXPECT_EQ(hipStreamWaitEvent_spt(nullptr, nullptr, 0), hipErrorInvalidHandle);
    // With the flag for events outside of graphs it is a node.
    EXPECT_EQ(hipEventRecordWithFlags(event, of_thread, 1), hipSuccess);
    EXPECT_EQ(hipEventRecordWithFlags(event, of_thread, 2), hipErrorInvalidValue);
    ASSERT_EQ(hipStreamEndCapture_spt(nullptr, &graph), hipSuccess);
    EXPECT_EQ(graph, captured);
    EXPECT_EQ(hipGraphGetNodes(graph, nullptr, &count), hipSuccess);
    EXPECT_EQ(count, 2u);
    EXPECT_EQ(hipGraphDestroy(graph), hipSuccess);
    EXPECT_EQ(hipEventDestroy(event), hipSuccess);
}

// What comes next in a capture comes after these nodes, or after these as well.
TEST_F(functions, that_change_what_a_capture_follows) {
    constexpr unsigned add = 0;
    constexpr unsigned set = 1;
    const ints memory(1);
    hipGraph_t graph = nullptr;
    hipGraphNode_t nodes[3] = {};
    hipStreamCaptureStatus status = hipStreamCaptureStatusNone;
    const hipGraphNode_t* last = nullptr;
    size_t count = 0;
    EXPECT_EQ(hipStreamUpdateCaptureDependencies(of_thread, nullptr, 0, set), hipErrorIllegalState);
    ASSERT_EQ(hipStreamBeginCapture(of_thread, hipStreamCaptureModeRelaxed), hipSuccess);
    for (int n = 0; n < 3; ++n) {
        ASSERT_EQ(hipMemsetD32Async(memory.data, n, 1, of_thread), hipSuccess);
        ASSERT_EQ(hipStreamGetCaptureInfo_v2(of_thread, &status, nullptr, &graph, &last, &count),
                  hipSuccess);
        ASSERT_EQ(count, 1u);
        nodes[n] = last[0];
    }
    EXPECT_EQ(hipStreamUpdateCaptureDependencies(of_thread, nodes, 1, set), hipSuccess);
    EXPECT_EQ(hipStreamUpdateCaptureDependencies(of_thread, nodes + 2, 1, add), hipSuccess);
    EXPECT_EQ(hipStreamUpdateCaptureDependencies(of_thread, nullptr, 1, add), hipErrorInvalidValue);
    EXPECT_EQ(hipStreamUpdateCaptureDependencies(of_thread, nodes, 1, 2), hipErrorInvalidValue);
    EXPECT_EQ(
        hipStreamUpdateCaptureDependencies(reinterpret_cast<hipStream_t>(&count), nodes, 1, 0),
        hipErrorContextIsDestroyed);
    hipGraphNode_t none = reinterpret_cast<hipGraphNode_t>(&count);
    EXPECT_EQ(hipStreamUpdateCaptureDependencies(of_thread, &none, 1, add), hipErrorInvalidValue);
    hipGraph_t other = nullptr;
    EXPECT_EQ(hipGraphCreate(&other, 1), hipErrorInvalidValue) << "no flags are known";
    ASSERT_EQ(hipGraphCreate(&other, 0), hipSuccess);
    ASSERT_EQ(hipGraphAddEmptyNode(&none, other, nullptr, 0), hipSuccess);
    EXPECT_EQ(hipStreamUpdateCaptureDependencies(of_thread, &none, 1, add), hipErrorInvalidValue);
    EXPECT_EQ(hipGraphDestroy(other), hipSuccess);
    ASSERT_EQ(hipStreamGetCaptureInfo_v2(of_thread, &status, nullptr, &graph, &last, &count),
              hipSuccess);
    ASSERT_EQ(count, 2u);
    EXPECT_EQ(last[0], nodes[0]);
    EXPECT_EQ(last[1], nodes[2]);
    ASSERT_EQ(hipStreamEndCapture(of_thread, &graph), hipSuccess);
    EXPECT_EQ(hipGraphDestroy(graph), hipSuccess);
}

TEST_F(functions, of_pools_and_pointers) {
    hipMemPool_t pool = nullptr;
    ASSERT_EQ(hipDeviceGetDefaultMemPool(&pool, 0), hipSuccess);
    hipMemAccessDesc access = {};
    access.location = {hipMemLocationTypeDevice, 0};
    access.flags = hipMemAccessFlagsProtReadWrite;
    EXPECT_EQ(hipMemPoolSetAccess(pool, &access, 1), hipSuccess);
    EXPECT_NEEDS(hipMemPoolSetAccess, pool, &access, 1)
    hipMemAccessFlags flags = hipMemAccessFlagsProtNone;
    EXPECT_EQ(hipMemPoolGetAccess(&flags, pool, &access.location), hipSuccess);
    EXPECT_EQ(flags, hipMemAccessFlagsProtReadWrite);
    EXPECT_NEEDS(hipMemPoolGetAccess, &flags, pool, &access.location)
    access.location.id = 1;
    EXPECT_EQ(hipMemPoolSetAccess(pool, &access, 1), hipErrorInvalidDevice);
    EXPECT_EQ(hipMemPoolGetAccess(&flags, pool, &access.location), hipErrorInvalidValue);
    access = {{hipMemLocationTypeDevice, 0}, hipMemAccessFlagsProtNone};
    EXPECT_EQ(hipMemPoolSetAccess(pool, &access, 1), hipErrorInvalidDevice)
        << "it keeps its access";

    const ints memory(1);
    const uint32_t on = 1;
    const auto set = [&](const void* value, hipPointer_attribute attribute, void* pointer) {
        return hipPointerSetAttribute(value, attribute, pointer);
    };
    EXPECT_EQ(set(&on, HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS, memory.data), hipSuccess);
    EXPECT_NEEDS(hipPointerSetAttribute, &on, HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS, memory.data)
    EXPECT_EQ(set(&on, HIP_POINTER_ATTRIBUTE_MAPPED, memory.data), hipErrorInvalidValue);
    EXPECT_EQ(set(&on, HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS, &access), hipErrorInvalidDevicePointer);
}

TEST_F(functions, that_name_results) {
    const std::map<int, std::string> of_rtc = {{0, "SUCCESS"},
                                               {1, "ERROR_OUT_OF_MEMORY"},
                                               {2, "ERROR_PROGRAM_CREATION_FAILURE"},
                                               {3, "ERROR_INVALID_INPUT"},
                                               {4, "ERROR_INVALID_PROGRAM"},
                                               {5, "ERROR_INVALID_OPTION"},
                                               {6, "ERROR_COMPILATION"},
                                               {7, "ERROR_BUILTIN_OPERATION_FAILURE"},
                                               {8, "ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION"},
                                               {9, "ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION"},
                                               {10, "ERROR_NAME_EXPRESSION_NOT_VALID"},
                                               {11, "ERROR_INTERNAL_ERROR"},
                                               {100, "ERROR_LINKING"}};
    for (int n = -2; n < 110; ++n) {
        const auto known = of_rtc.find(n);
        EXPECT_EQ(hiprtcGetErrorString(static_cast<hiprtcResult>(n)),
                  known == of_rtc.end() ? "Invalid HIPRTC error code" : "HIPRTC_" + known->second)
            << n;
    }
    // Each error has a name of its own and a text; no other number has one.
    std::set<std::string> names;
    int count = 0;
    for (int n = -2; n < 1100; ++n) {
        const auto error = static_cast<hipError_t>(n);
        const char* name = nullptr;
        const char* text = nullptr;
        const hipError_t result = hipDrvGetErrorName(error, &name);
        EXPECT_EQ(hipDrvGetErrorString(error, &text), result) << n;
        if (result == hipSuccess) {
            ++count;
            names.insert(name);
            EXPECT_STRNE(text, "");
            EXPECT_STREQ(hipGetErrorName(error), name);
            EXPECT_STREQ(hipGetErrorString(error), text);
        } else {
            EXPECT_EQ(result, hipErrorInvalidValue) << n;
            EXPECT_STREQ(hipGetErrorName(error), "hipErrorUnknown") << n;
        }
    }
    EXPECT_EQ(names.size(), static_cast<size_t>(count));
    EXPECT_EQ(names.count("hipErrorLaunchFailure"), 1u);
}

// ---- what is answered ----

// Every number of an attribute: those that have an answer, which is 0 unless it stands here.
TEST_F(functions, that_tell_of_the_device) {
    const bool is_942 = tested_arch() == "gfx942";
    const int lds = is_942 ? 65536 : 163840;
    const int units = is_942 ? 304 : 256;
    const int clock = is_942 ? 2'100'000 : 2'400'000;
    constexpr int most = 0x7fffffff;
    hipDeviceProp_tR0600 p;
    ASSERT_EQ(hipGetDevicePropertiesR0600(&p, 0), hipSuccess);
    const std::map<int, int> values = {
        {0, 1},  // ECC
        {3, 1},  // mapped host memory
        {5, clock},
        {10, 1},        // cooperative launches
        {19, 4 << 20},  // L2
        {23, 9},        // major
        {24, 1},        // managed memory
        {25, 32},       // groups of a unit
        {26, 1024},
        {27, 1024},
        {28, 1024},  // group
        {29, most},
        {30, 65536},
        {31, 65536},  // grid
        {55, 1024},
        {56, 1024},  // threads
        {57, 2048},  // of a unit
        {58, most},  // pitch
        {59, 8192},
        {60, p.memoryClockRate},  // memory
        {61, is_942 ? 4 : 5},     // minor
        {63, units},              //
        {71, 4 * 512 * 64},
        {72, 4 * 512 * 64},  // registers of a unit
        {74, lds},
        {75, lds},
        {76, lds},   //
        {78, 1},     // priorities
        {83, most},  // constant memory
        {85, 1},     // unified addresses
        {87, 64},    // wave
        {88, 1},
        {90, 1},  // pools, registered memory
        {10000, clock},
        {10002, lds},  //
        {10011, 1},    // large BAR
        {10015, units},
        {10016, 1},
        {10017, 100'000},  //
    };
    const std::set<int> none = {21, 64, 84, 86, 10001, 10003, 10004, 10005, 10006};
    for (int n = 0; n < 10018; n = n == 91 ? 10000 : n + 1) {
        int value = 77;
        const auto attribute = static_cast<hipDeviceAttribute_t>(n);
        const hipError_t error = hipDeviceGetAttribute(&value, attribute, 0);
        ASSERT_EQ(error, none.contains(n) ? hipErrorNotSupported : hipSuccess) << n;
        const auto known = values.find(n);
        if (error == hipSuccess) {
            EXPECT_EQ(value, known == values.end() ? 0 : known->second) << n;
        }
    }
    // The same in the structure. Twice the clock and 1024 bytes: 5.3 and 8 TB/s.
    EXPECT_NEAR(2048e3 * p.memoryClockRate, is_942 ? 5.3e12 : 8e12, 1e9);
    EXPECT_EQ(p.clockRate, clock);
    EXPECT_EQ(p.clockInstructionRate, clock);
    EXPECT_EQ(p.memoryBusWidth, 8192);
    EXPECT_EQ(p.l2CacheSize, 4 << 20);
    EXPECT_EQ(p.sharedMemPerMultiprocessor, static_cast<size_t>(lds));
    EXPECT_EQ(p.sharedMemPerBlockOptin, static_cast<size_t>(lds));
    EXPECT_EQ(p.maxSharedMemoryPerMultiProcessor, static_cast<size_t>(lds));
    EXPECT_EQ(p.regsPerBlock, 131072);
    EXPECT_EQ(p.regsPerMultiprocessor, 131072);
    EXPECT_EQ(p.memPitch, static_cast<size_t>(most));
    EXPECT_EQ(p.totalConstMem, static_cast<size_t>(most));
    EXPECT_EQ(p.maxThreadsPerMultiProcessor, 2048);
    EXPECT_EQ(p.maxBlocksPerMultiProcessor, 32);
    EXPECT_EQ(p.arch, 0xb7ffu);
    const int ones[] = {p.canMapHostMemory,
                        p.ECCEnabled,
                        p.unifiedAddressing,
                        p.isLargeBar,
                        p.managedMemory,
                        p.streamPrioritiesSupported,
                        p.host_interoperability[0],
                        p.host_interoperability[4]};
    EXPECT_EQ(std::count(std::begin(ones), std::end(ones), 1), 8);
    const int grid[] = {most, 65536, 65536};
    hipDeviceProp_tR0000 old;
    ASSERT_EQ(hipGetDevicePropertiesR0000(&old, 0), hipSuccess);
    for (int d = 0; d < 3; ++d) {
        EXPECT_EQ(p.maxThreadsDim[d], 1024);
        EXPECT_EQ(p.maxGridSize[d], grid[d]);
        EXPECT_EQ(old.maxThreadsDim[d], 1024);
        EXPECT_EQ(old.maxGridSize[d], grid[d]);
    }
    EXPECT_EQ(old.totalGlobalMem, p.totalGlobalMem);
    EXPECT_EQ(old.sharedMemPerBlock, p.sharedMemPerBlock);
    EXPECT_EQ(old.maxSharedMemoryPerMultiProcessor, p.maxSharedMemoryPerMultiProcessor);
    EXPECT_EQ(old.regsPerBlock, 131072);
    EXPECT_EQ(old.warpSize, 64);
    EXPECT_EQ(old.maxThreadsPerBlock, 1024);
    EXPECT_EQ(old.clockRate, clock);
    EXPECT_EQ(old.clockInstructionRate, clock);
    EXPECT_EQ(old.memoryClockRate, p.memoryClockRate);
    EXPECT_EQ(old.memoryBusWidth, 8192);
    EXPECT_EQ(old.totalConstMem, static_cast<size_t>(most));
    EXPECT_EQ(old.major, 9);
    EXPECT_EQ(old.minor, p.minor);
    EXPECT_EQ(old.l2CacheSize, 4 << 20);
    EXPECT_EQ(old.maxThreadsPerMultiProcessor, 2048);
    EXPECT_EQ(old.arch, 0xb7ffu);
    EXPECT_EQ(old.canMapHostMemory, 1);
    EXPECT_EQ(old.ECCEnabled, 1);
    EXPECT_EQ(old.isLargeBar, 1);
    EXPECT_EQ(old.concurrentManagedAccess, 0);
    EXPECT_EQ(old.cooperativeLaunch, 1);
}

template <class T>
T attribute_of(hipPointer_attribute attribute, void* pointer) {
    T value{};
    EXPECT_EQ(hipPointerGetAttribute(&value, attribute, pointer), hipSuccess);
    return value;
}

TEST_F(functions, that_tell_of_a_pointer) {
    const ints memory(4);
    void* of_host = nullptr;
    ASSERT_EQ(hipHostMalloc(&of_host, 24, 0), hipSuccess);
    void* managed = nullptr;
    ASSERT_EQ(hipMallocManaged(&managed, 40, 1), hipSuccess);
    const struct {
        void* begin;
        size_t bytes;
        uint32_t type;
    } rows[] = {{memory.data, 16, hipMemoryTypeDevice},
                {of_host, 24, hipMemoryTypeHost},
                {managed, 40, hipMemoryTypeManaged}};
    std::set<uint64_t> ids;
    for (const auto& [begin, bytes, type] : rows) {
        void* p = static_cast<char*>(begin) + bytes - 1;  // the last byte
        EXPECT_EQ(attribute_of<uint32_t>(HIP_POINTER_ATTRIBUTE_MEMORY_TYPE, p), type);
        EXPECT_EQ(attribute_of<void*>(HIP_POINTER_ATTRIBUTE_DEVICE_POINTER, p), p);
        EXPECT_EQ(attribute_of<void*>(HIP_POINTER_ATTRIBUTE_RANGE_START_ADDR, p), begin);
        EXPECT_EQ(attribute_of<size_t>(HIP_POINTER_ATTRIBUTE_RANGE_SIZE, p), bytes);
        EXPECT_EQ(attribute_of<uint32_t>(HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS, p), 1u);
        EXPECT_EQ(attribute_of<uint32_t>(HIP_POINTER_ATTRIBUTE_MAPPED, p), 1u);
        EXPECT_EQ(attribute_of<int>(HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL, p), 0);
        EXPECT_EQ(attribute_of<uint32_t>(HIP_POINTER_ATTRIBUTE_IS_MANAGED, p),
                  type == hipMemoryTypeManaged ? 1u : 0u);
        ids.insert(attribute_of<uint64_t>(HIP_POINTER_ATTRIBUTE_BUFFER_ID, p));
        if (type != hipMemoryTypeDevice) {
            EXPECT_EQ(attribute_of<void*>(HIP_POINTER_ATTRIBUTE_HOST_POINTER, p), p);
        }
    }
    EXPECT_EQ(ids.size(), std::size(rows)) << "each has a number of its own";
    void* value = nullptr;
    EXPECT_EQ(hipPointerGetAttribute(&value, HIP_POINTER_ATTRIBUTE_HOST_POINTER, memory.data),
              hipErrorInvalidValue);
    EXPECT_EQ(hipPointerGetAttribute(&value, HIP_POINTER_ATTRIBUTE_RANGE_SIZE, memory.data + 4),
              hipErrorInvalidValue)
        << "behind the last byte";
    testing::internal::CaptureStderr();
    EXPECT_EQ(hipPointerGetAttribute(&value, HIP_POINTER_ATTRIBUTE_CONTEXT, memory.data),
              hipErrorNotSupported);
    EXPECT_EQ(testing::internal::GetCapturedStderr(),
              "opus emulator: attribute 1 of a pointer is not supported\n");
    EXPECT_EQ(hipHostFree(of_host), hipSuccess);
    EXPECT_EQ(hipFree(managed), hipSuccess);
}

TEST_F(functions, found_by_name_from_a_version_on) {
    const auto find = [](const char* name, int version, uint64_t flags = 0) {
        void* found = nullptr;
        (void)hipGetProcAddress(name, &found, version, flags, nullptr);
        return found;
    };
    const auto address = [](auto* function) { return reinterpret_cast<void*>(function); };
    EXPECT_EQ(find("hipMallocAsync", 509), nullptr);  // of 5.1
    EXPECT_EQ(find("hipMallocAsync", 510), address(&hipMallocAsync));
    // Names whose meaning is another one from 6.0 on.
    EXPECT_EQ(find("hipGetDeviceProperties", 599), address(&hipGetDeviceProperties));
    EXPECT_EQ(find("hipGetDeviceProperties", 600), address(&hipGetDevicePropertiesR0600));
    EXPECT_EQ(find("hipChooseDevice", 599), address(&hipChooseDevice));
    EXPECT_EQ(find("hipChooseDevice", 600), address(&hipChooseDeviceR0600));
    EXPECT_EQ(find("hipMemcpy", 640, 1), address(&hipMemcpy));
    EXPECT_EQ(find("hipMemcpy", 640, 2), address(&hipMemcpy_spt));
    EXPECT_EQ(find("hipMalloc", 640, 2), address(&hipMalloc)) << "it has no other form";
}

TEST_F(functions, that_only_say_so) {
    const char* headers = "";
    unsigned bytes = 7;
    for (const char* text : {"opus emulator: hipApiName is not supported\n"
                             "opus emulator: hipGetCmdName is not supported\n"
                             "opus emulator: __hipGetPCH is not supported\n",
                             ""}) {  // at once, and not again
        testing::internal::CaptureStderr();
        EXPECT_STREQ(hipApiName(1), "unknown");
        EXPECT_STREQ(hipGetCmdName(1), "unknown");
        __hipGetPCH(&headers, &bytes);
        EXPECT_EQ(testing::internal::GetCapturedStderr(), text);
    }
    EXPECT_EQ(headers, nullptr);
    EXPECT_EQ(bytes, 0u);

    hipGraph_t graph = nullptr;
    ASSERT_EQ(hipGraphCreate(&graph, 0), hipSuccess);
    const auto* kinds = reinterpret_cast<const hipGraphEdgeData*>(&graph);
    testing::internal::CaptureStderr();
    EXPECT_EQ(hipStreamBeginCaptureToGraph(of_thread, graph, nullptr, kinds, 0,
                                           hipStreamCaptureModeRelaxed),
              hipErrorNotSupported);
    EXPECT_EQ(hipGraphDebugDotPrint(graph, "/dev/null", 0x11), hipErrorNotSupported);
    hipMemPool_t pool = nullptr;
    hipMemPoolProps properties = {};
    properties.allocType = hipMemAllocationTypePinned;
    properties.location = {hipMemLocationTypeDevice, 0};
    properties.handleTypes = static_cast<hipMemAllocationHandleType>(1);
    EXPECT_EQ(hipMemPoolCreate(&pool, &properties), hipErrorNotSupported);
    EXPECT_EQ(
        testing::internal::GetCapturedStderr(),
        "opus emulator: hipStreamBeginCaptureToGraph: kinds of dependencies are not supported\n"
        "opus emulator: hipGraphDebugDotPrint: flags 0x11 are not supported\n"
        "opus emulator: hipMemPoolCreate: handles for other processes are not supported\n");
    EXPECT_EQ(hipGraphDestroy(graph), hipSuccess);
}

TEST_F(functions, that_compare_a_graph) {
    hipGraph_t graph = nullptr;
    hipGraph_t other = nullptr;
    hipGraphNode_t node = nullptr;
    hipGraphNode_t first = nullptr;
    hipGraphNode_t second = nullptr;
    hipGraphNode_t wrong = reinterpret_cast<hipGraphNode_t>(&node);
    char log[] = "x";
    const ints memory(1);
    hipMemsetParams fill = {};
    fill.dst = memory.data;
    fill.elementSize = 4;
    fill.width = 1;
    fill.height = 1;
    hipGraphExec_t executable = nullptr;
    ASSERT_EQ(hipGraphCreate(&graph, 0), hipSuccess);
    ASSERT_EQ(hipGraphCreate(&other, 0), hipSuccess);
    ASSERT_EQ(hipGraphAddEmptyNode(&node, graph, nullptr, 0), hipSuccess);
    ASSERT_EQ(hipGraphAddEmptyNode(&node, graph, nullptr, 0), hipSuccess);
    ASSERT_EQ(hipGraphAddEmptyNode(&first, other, nullptr, 0), hipSuccess);
    ASSERT_EQ(hipGraphAddMemsetNode(&second, other, nullptr, 0, &fill), hipSuccess);
    EXPECT_EQ(hipGraphInstantiate(&executable, graph, &wrong, log, 0), hipSuccess);
    EXPECT_EQ(wrong, nullptr);
    EXPECT_STREQ(log, "x") << "it has no room";
    EXPECT_EQ(hipGraphExecDestroy(executable), hipSuccess);
    EXPECT_EQ(hipGraphInstantiate(&executable, graph, &wrong, log, 1), hipSuccess);
    EXPECT_STREQ(log, "");
    hipGraphExecUpdateResult result = hipGraphExecUpdateSuccess;
    EXPECT_NEEDS(hipGraphExecUpdate, executable, graph, &wrong, &result)
    EXPECT_EQ(hipGraphExecUpdate(executable, other, &wrong, &result),
              hipErrorGraphExecUpdateFailure);
    EXPECT_EQ(result, hipGraphExecUpdateErrorNodeTypeChanged);
    EXPECT_EQ(wrong, second);
    EXPECT_EQ(hipGraphExecUpdate(executable, graph, &wrong, &result), hipSuccess);
    EXPECT_EQ(wrong, nullptr);
    // As many nodes as are asked for, null for those that are not there, and nothing behind.
    for (size_t asked = 1; asked < 4; ++asked) {
        hipGraphNode_t nodes[5];
        std::fill(std::begin(nodes), std::end(nodes),
                  wrong = reinterpret_cast<hipGraphNode_t>(&node));
        size_t count = asked;
        EXPECT_EQ(hipGraphGetNodes(graph, nodes, &count), hipSuccess);
        EXPECT_EQ(count, std::min<size_t>(asked, 2));
        EXPECT_EQ(nodes[2], asked == 3 ? nullptr : wrong);
        EXPECT_EQ(nodes[asked], wrong);
        EXPECT_NE(nodes[asked - 1], wrong);
    }
    EXPECT_EQ(hipGraphExecDestroy(executable), hipSuccess);
    EXPECT_EQ(hipGraphDestroy(graph), hipSuccess);
    EXPECT_EQ(hipGraphDestroy(other), hipSuccess);
}

// The one on top is replaced, or taken away.
TEST_F(functions, that_set_a_context) {
    hipCtx_t first = nullptr;
    hipCtx_t second = nullptr;
    hipCtx_t current = nullptr;
    ASSERT_EQ(hipCtxCreate(&first, 1, 0), hipSuccess);
    ASSERT_EQ(hipCtxCreate(&second, 2, 0), hipSuccess);
    EXPECT_EQ(hipCtxSetCurrent(first), hipSuccess);
    for (const hipCtx_t expected : {first, first}) {
        EXPECT_EQ(hipCtxPopCurrent(&current), hipSuccess);
        EXPECT_EQ(current, expected);
    }
    EXPECT_EQ(hipCtxPopCurrent(&current), hipErrorInvalidContext);
    EXPECT_EQ(hipCtxSetCurrent(nullptr), hipSuccess);
    EXPECT_EQ(hipCtxSetCurrent(second), hipSuccess);
    EXPECT_EQ(hipCtxGetCurrent(&current), hipSuccess);
    EXPECT_EQ(current, second);
    EXPECT_EQ(hipCtxSetCurrent(nullptr), hipSuccess);
    EXPECT_EQ(hipCtxGetCurrent(&current), hipSuccess);
    EXPECT_EQ(current, nullptr);
    EXPECT_EQ(hipCtxDestroy(first), hipSuccess);
    EXPECT_EQ(hipCtxDestroy(second), hipSuccess);
}

// Greater or equal as a difference with sign, equal, a bit in common, a bit that neither has.
TEST_F(functions, that_wait_for_a_value) {
    const ints memory(2);
    const struct {
        uint32_t there, value, mask;
        std::vector<uint32_t> ways;  // that are reached
    } rows[] = {{5, 5, ~0u, {0, 1, 2, 3}},
                {6, 5, ~0u, {0, 2, 3}},
                {4, 5, ~0u, {2, 3}},
                {8, 5, ~0u, {0, 3}},
                {~0u, 5, ~0u, {2}},
                {0x80000005, 5, ~0u, {2, 3}},
                {0x80000004, 5, ~0u, {0, 2, 3}},
                {0xf5, 5, 15, {0, 1, 2, 3}},
                {0, 0, ~0u, {0, 1, 3}}};
    testing::internal::CaptureStderr();
    for (const auto& [there, value, mask, ways] : rows) {
        for (uint32_t way = 0; way < 4; ++way) {
            const bool reached = std::count(ways.begin(), ways.end(), way) != 0;
            const hipError_t expected = reached ? hipSuccess : hipErrorNotSupported;
            ASSERT_EQ(hipMemsetD32(memory.data, static_cast<int>(there), 1), hipSuccess);
            EXPECT_EQ(hipStreamWaitValue32(nullptr, memory.data, value, way, mask), expected)
                << there << " for " << value << " in way " << way;
            // The same in the high half of 64 bits, of which the low one is zero.
            ASSERT_EQ(hipMemsetD32(memory.data, 0, 1), hipSuccess);
            ASSERT_EQ(hipMemsetD32(memory.data + 1, static_cast<int>(there), 1), hipSuccess);
            if (way != 3) {
                EXPECT_EQ(hipStreamWaitValue64(nullptr, memory.data, uint64_t{value} << 32, way,
                                               uint64_t{mask} << 32),
                          expected)
                    << there << " for " << value << " in way " << way;
            }
        }
    }
    EXPECT_EQ(hipStreamWaitValue64(nullptr, memory.data, ~uint64_t{0}, 3, ~uint64_t{0}),
              hipErrorNotSupported);
    EXPECT_NE(testing::internal::GetCapturedStderr().find("it never comes"), std::string::npos);
    EXPECT_EQ(hipStreamWaitValue32(nullptr, memory.data, 0, 4, ~0u), hipErrorInvalidValue);
    EXPECT_EQ(hipStreamWaitValue32(nullptr, memory.data + 2, 0, 0, ~0u), hipErrorInvalidValue);
}

// Which frees memory and destroys what was made; a capture of the thread's stream ends.
TEST_F(functions, that_reset_the_device) {
    static int dead;
    dead = 0;
    const auto note = [](void*) { ++dead; };
    hipUserObject_t object = nullptr;
    hipGraph_t graph = nullptr;
    hipGraph_t captured = nullptr;
    hipGraphExec_t executable = nullptr;
    ASSERT_EQ(hipUserObjectCreate(&object, &dead, note, 1, 1), hipSuccess);
    ASSERT_EQ(hipGraphCreate(&graph, 0), hipSuccess);
    ASSERT_EQ(hipGraphRetainUserObject(graph, object, 1, 1), hipSuccess);
    ASSERT_EQ(hipGraphInstantiateWithFlags(&executable, graph, 0), hipSuccess);
    int own[2] = {};
    void* p = nullptr;
    ASSERT_EQ(hipHostRegister(own, sizeof own, 0), hipSuccess);
    ASSERT_EQ(hipMalloc(&p, 16), hipSuccess);
    ASSERT_EQ(hipStreamBeginCapture(of_thread, hipStreamCaptureModeRelaxed), hipSuccess);
    EXPECT_EQ(hipDeviceReset(), hipSuccess);
    EXPECT_EQ(dead, 1);
    EXPECT_EQ(hipGraphDestroy(graph), hipErrorInvalidValue);
    EXPECT_EQ(hipGraphExecDestroy(executable), hipErrorInvalidValue);
    EXPECT_EQ(hipFree(p), hipErrorInvalidValue);
    EXPECT_EQ(hipHostUnregister(own), hipErrorHostMemoryNotRegistered);
    EXPECT_EQ(hipStreamEndCapture(of_thread, &captured), hipErrorIllegalState);
    EXPECT_EQ(hipHostRegister(own, sizeof own, 0), hipSuccess) << "device code may go there again";
    EXPECT_EQ(hipHostUnregister(own), hipSuccess);
}

// All that has a handle is gone, and what was set is as it was.
TEST_F(functions, that_reset_everything) {
    hipStream_t stream = nullptr;
    hipEvent_t event = nullptr;
    hipCtx_t context = nullptr;
    hipMemPool_t pool = nullptr;
    hipMemPool_t current = nullptr;
    hipMemPoolProps properties = {};
    properties.allocType = hipMemAllocationTypePinned;
    properties.location = {hipMemLocationTypeDevice, 0};
    size_t stack = 0;
    size_t before = 0;
    int version = 0;
    void* p = nullptr;
    ASSERT_EQ(hipDeviceReset(), hipSuccess);
    ASSERT_EQ(hipDeviceGetLimit(&before, static_cast<hipLimit_t>(0)), hipSuccess);
    ASSERT_EQ(hipDeviceSetLimit(static_cast<hipLimit_t>(0), 2 * before), hipSuccess);
    ASSERT_EQ(hipDeviceGetLimit(&stack, static_cast<hipLimit_t>(0)), hipSuccess);
    EXPECT_EQ(stack, 2 * before);
    size_t heap = 0;
    ASSERT_EQ(hipDeviceGetLimit(&heap, static_cast<hipLimit_t>(2)), hipSuccess);
    ASSERT_EQ(hipDeviceSetLimit(static_cast<hipLimit_t>(2), 2 * heap), hipSuccess);
    ASSERT_EQ(hipStreamCreate(&stream), hipSuccess);
    ASSERT_EQ(hipEventCreate(&event), hipSuccess);
    ASSERT_EQ(hipCtxCreate(&context, 0, 0), hipSuccess);
    ASSERT_EQ(hipMemPoolCreate(&pool, &properties), hipSuccess);
    ASSERT_EQ(hipDeviceSetMemPool(0, pool), hipSuccess);
    // A capture that forbids everything, and one of the thread's stream.
    ASSERT_EQ(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal), hipSuccess);
    ASSERT_EQ(hipStreamBeginCapture(of_thread, hipStreamCaptureModeGlobal), hipSuccess);
    EXPECT_EQ(hipDeviceReset(), hipSuccess);
    EXPECT_EQ(hipMalloc(&p, 8), hipSuccess) << "nothing is captured";
    EXPECT_EQ(hipMemset(p, 0, 8), hipSuccess);
    EXPECT_EQ(hipMemsetAsync(p, 0, 8, of_thread), hipSuccess);
    EXPECT_EQ(hipFree(p), hipSuccess);
    EXPECT_EQ(hipStreamSynchronize(stream), hipErrorContextIsDestroyed);
    EXPECT_EQ(hipEventDestroy(event), hipErrorInvalidHandle);
    EXPECT_EQ(hipCtxGetApiVersion(context, &version), hipErrorInvalidContext);
    EXPECT_EQ(hipMemPoolDestroy(pool), hipErrorInvalidValue);
    EXPECT_EQ(hipDeviceGetMemPool(&current, 0), hipSuccess);
    EXPECT_EQ(hipDeviceGetDefaultMemPool(&pool, 0), hipSuccess);
    EXPECT_EQ(current, pool);
    EXPECT_EQ(hipDeviceGetLimit(&stack, static_cast<hipLimit_t>(0)), hipSuccess);
    EXPECT_EQ(stack, before);
    EXPECT_EQ(hipDeviceGetLimit(&stack, static_cast<hipLimit_t>(2)), hipSuccess);
    EXPECT_EQ(stack, heap);
    unsigned flags = 0;
    hipCtx_t gone = nullptr;
    EXPECT_EQ(hipCtxGetFlags(&flags), hipErrorContextIsDestroyed);
    EXPECT_EQ(hipCtxPopCurrent(&gone), hipSuccess);
    EXPECT_EQ(gone, context);
    hipDevice_t number = 7;
    EXPECT_EQ(hipDeviceGet(&number, 0), hipSuccess);
    EXPECT_EQ(number, 0);
    EXPECT_EQ(hipDeviceGet(&number, 1), hipErrorInvalidDevice);
    EXPECT_EQ(hipDeviceGet(&number, -1), hipErrorInvalidDevice);
    EXPECT_EQ(hipSetValidDevices(nullptr, 0), hipSuccess);
    EXPECT_EQ(hipInit(0), hipSuccess);
    EXPECT_EQ(hipInit(1), hipErrorInvalidValue);
}

// Memory that HIP did not allocate is not used by it.
TEST_F(functions, that_count_memory) {
    size_t free = 0;
    size_t total = 0;
    size_t left = 0;
    ASSERT_EQ(hipMemGetInfo(&free, &total), hipSuccess);
    EXPECT_LE(free, total);
    std::vector<char> own(1 << 20);
    ASSERT_EQ(hipHostRegister(own.data(), own.size(), 0), hipSuccess);
    ASSERT_EQ(hipMemGetInfo(&left, &total), hipSuccess);
    EXPECT_EQ(left, free);
    void* p = nullptr;
    ASSERT_EQ(hipMalloc(&p, 1 << 20), hipSuccess);
    ASSERT_EQ(hipMemGetInfo(&left, &total), hipSuccess);
    EXPECT_EQ(left, free - (1 << 20));
    EXPECT_EQ(hipFree(p), hipSuccess);
    EXPECT_EQ(hipHostUnregister(own.data()), hipSuccess);
    unsigned flags = 7;
    for (const auto allocate : {&hipMallocHost, &hipMemAllocHost}) {
        ASSERT_EQ(allocate(&p, 16), hipSuccess);
        EXPECT_EQ(hipHostGetFlags(&flags, p), hipSuccess);
        EXPECT_EQ(flags, 0u);
        EXPECT_EQ(hipHostFree(p), hipSuccess);
    }
}

// A batch of copies is done up to the first one that cannot be.
TEST_F(functions, that_copy_batches) {
    const ints from(8);
    const ints to(8);
    for (int n = 0; n < 8; ++n) {
        ASSERT_EQ(hipMemsetD32(from.data + n, 10 + n, 1), hipSuccess);
    }
    void* targets[] = {to.data + 4, to.data, to.data + 2};
    void* sources[] = {from.data, from.data + 5, from.data + 6};
    size_t bytes[] = {8, 4, 8};
    hipMemcpyAttributes attributes = {1, {}, {}, 0};
    size_t first = 0;
    size_t failed = 7;
    const auto copy = [&](size_t count, size_t attribute_count) {
        failed = 7;
        return hipMemcpyBatchAsync(targets, sources, bytes, count, &attributes, &first,
                                   attribute_count, &failed, nullptr);
    };
    EXPECT_EQ(copy(3, 1), hipSuccess);
    EXPECT_EQ(failed, 7u);
    for (const auto& [at, expected] :
         std::map<size_t, int>{{0, 15}, {1, 0}, {2, 16}, {3, 17}, {4, 10}, {5, 11}, {6, 0}}) {
        EXPECT_EQ(to[at], expected) << at;
    }
    EXPECT_EQ(hipMemset(to.data, 0, 32), hipSuccess);
    bytes[1] = 0;
    EXPECT_EQ(copy(3, 0), hipErrorInvalidValue);
    EXPECT_EQ(failed, 1u);
    EXPECT_EQ(to[4], 10);
    EXPECT_EQ(to[2], 0);
    bytes[1] = 64;
    EXPECT_EQ(copy(3, 0), hipErrorInvalidValue) << "over the end";
    EXPECT_EQ(failed, 1u);
    targets[0] = nullptr;
    EXPECT_EQ(copy(3, 0), hipErrorInvalidValue);
    EXPECT_EQ(failed, 0u);
    EXPECT_EQ(copy(0, 0), hipErrorInvalidValue);
    EXPECT_EQ(copy(1, 2), hipErrorInvalidValue) << "more attributes than copies";
    targets[0] = to.data;
    attributes.flags = 2;
    testing::internal::CaptureStderr();
    EXPECT_EQ(copy(1, 1), hipErrorNotSupported);
    EXPECT_EQ(testing::internal::GetCapturedStderr(),
              "opus emulator: hipMemcpyBatchAsync: flags 0x2 are not supported\n");
    attributes.flags = 1;
    EXPECT_NEEDS(hipMemcpyBatchAsync, targets, sources, bytes, 1, &attributes, &first, 1, nullptr,
                 nullptr)
    EXPECT_EQ(
        hipMemcpyBatchAsync(targets, sources, bytes, 1, nullptr, nullptr, 0, nullptr, nullptr),
        hipSuccess);
    EXPECT_EQ(to[0], 10);
}

// A library is a module by another name.
TEST_F(functions, of_libraries) {
    const auto image = read_kernels(tested_arch());
    const std::string path = kernels_path(tested_arch());
    for (const bool from_file : {false, true}) {
        hipLibrary_t library = nullptr;
        hipKernel_t kernel = nullptr;
        unsigned count = 0;
        unsigned of_module = 0;
        ASSERT_EQ(from_file ? hipLibraryLoadFromFile(&library, path.c_str(), nullptr, nullptr, 0,
                                                     nullptr, nullptr, 0)
                            : hipLibraryLoadData(&library, image.data(), nullptr, nullptr, 0,
                                                 nullptr, nullptr, 0),
                  hipSuccess);
        EXPECT_EQ(hipLibraryGetKernel(&kernel, library, "exchange"), hipSuccess);
        const ints out(256);
        int* p = out.data;
        void* values[] = {&p};
        EXPECT_EQ(hipLaunchKernel(kernel, {1}, {256}, values, 0, nullptr), hipSuccess);
        EXPECT_EQ(out[0], 3 * 255 + 1);
        EXPECT_EQ(hipLibraryGetKernel(&kernel, library, "no such kernel"), hipErrorNotFound);
        EXPECT_EQ(hipLibraryGetKernelCount(&count, library), hipSuccess);
        EXPECT_EQ(hipModuleGetFunctionCount(&of_module, library), hipSuccess);
        EXPECT_EQ(count, 18u) << "kernels.s";
        EXPECT_EQ(of_module, count);
        EXPECT_EQ(hipLibraryGetKernelCount(nullptr, library), hipErrorInvalidValue);
        EXPECT_EQ(hipLibraryUnload(library), hipSuccess);
        EXPECT_EQ(hipLibraryGetKernelCount(&count, library), hipErrorInvalidHandle);
        EXPECT_EQ(hipLibraryUnload(library), hipErrorNotFound) << "as of a module";
    }
    EXPECT_EQ(hipLibraryUnload(nullptr), hipErrorInvalidHandle);
    EXPECT_EQ(hipLibraryGetKernel(nullptr, nullptr, nullptr), hipErrorInvalidValue);
    EXPECT_EQ(hipLibraryLoadData(nullptr, nullptr, nullptr, nullptr, 0, nullptr, nullptr, 0),
              hipErrorInvalidValue);
    EXPECT_EQ(hipLibraryLoadFromFile(nullptr, nullptr, nullptr, nullptr, 0, nullptr, nullptr, 0),
              hipErrorInvalidValue);
}

// A pitch of zero is that of rows without a gap.
TEST_F(functions, that_copy_rows_without_a_gap) {
    const ints from(6);
    const ints to(6);
    ASSERT_EQ(hipMemsetD32(from.data, 5, 4), hipSuccess);
    hip_Memcpy2D c = copy_rows<hip_Memcpy2D>(to.data, from.data, 2);
    c.srcPitch = 0;
    c.dstPitch = 0;
    c.dstXInBytes = 4;
    EXPECT_EQ(hipMemcpyParam2D(&c), hipSuccess);
    // Two planes of one row each: a height of zero is that of the copy.
    const ints planes(8);
    HIP_MEMCPY3D d = copy_rows<HIP_MEMCPY3D>(planes.data, from.data, 1);
    d.Depth = 2;
    EXPECT_EQ(hipDrvMemcpy3D(&d), hipSuccess);
    d.dstHeight = 1;
    d.srcHeight = 1;
    EXPECT_EQ(hipDrvMemcpy3D(&d), hipSuccess);
    for (size_t n = 0; n < 8; ++n) {
        EXPECT_EQ(planes[n], n % 4 == 0 ? 5 : 0) << n << ": 16 bytes apart";
    }
    for (size_t n = 0; n < 6; ++n) {
        EXPECT_EQ(to[n], n == 1 || n == 3 ? 5 : 0) << n << ": rows of 4 bytes from byte 4 of 8";
    }
}

// Streams by number: the default one, its other name, that of the thread; then handles.
TEST_F(functions, that_take_a_stream) {
    for (uintptr_t n = 0; n < 5; ++n) {
        EXPECT_EQ(hipStreamSynchronize(reinterpret_cast<hipStream_t>(n)),
                  n < 3 ? hipSuccess : hipErrorContextIsDestroyed)
            << n;
    }
    int least = 7;
    int greatest = 7;
    EXPECT_EQ(hipDeviceGetStreamPriorityRange(&least, &greatest), hipSuccess);
    EXPECT_EQ(least, 1);
    EXPECT_EQ(greatest, -1);
    EXPECT_EQ(hipDeviceGetStreamPriorityRange(nullptr, nullptr), hipSuccess);
    constexpr int priorities[][2] = {{-9, -1}, {-1, -1}, {0, 0}, {1, 1}, {2, 1}};
    for (const auto& [asked, got] : priorities) {
        hipStream_t stream = nullptr;
        int priority = 7;
        ASSERT_EQ(hipStreamCreateWithPriority(&stream, 0, asked), hipSuccess);
        EXPECT_EQ(hipStreamGetPriority(stream, &priority), hipSuccess);
        EXPECT_EQ(priority, got) << asked;
        EXPECT_EQ(hipStreamDestroy(stream), hipSuccess);
    }
    hipStream_t masked = nullptr;
    const uint32_t mask = 1;
    unsigned flags = 7;
    int priority = 7;
    ASSERT_EQ(hipExtStreamCreateWithCUMask(&masked, 1, &mask), hipSuccess);
    EXPECT_EQ(hipStreamGetFlags(masked, &flags), hipSuccess);
    EXPECT_EQ(flags, 0u);
    EXPECT_EQ(hipStreamGetPriority(masked, &priority), hipSuccess);
    EXPECT_EQ(priority, 0);
    EXPECT_EQ(hipStreamDestroy(masked), hipSuccess);
}

// Configurations of launches are taken in the opposite order.
TEST_F(functions, that_configure_a_launch) {
    dim3 grid;
    dim3 block;
    size_t lds = 0;
    hipStream_t stream = nullptr;
    EXPECT_EQ(__hipPushCallConfiguration({1, 2, 3}, {4, 5, 6}, 7, of_thread), hipSuccess);
    EXPECT_EQ(__hipPushCallConfiguration({8, 9, 10}, {11, 12, 13}, 14, nullptr), hipSuccess);
    EXPECT_EQ(__hipPopCallConfiguration(&grid, &block, &lds, &stream), hipSuccess);
    EXPECT_EQ(grid.x, 8u);
    EXPECT_EQ(block.z, 13u);
    EXPECT_EQ(lds, 14u);
    EXPECT_EQ(stream, nullptr);
    EXPECT_EQ(__hipPopCallConfiguration(&grid, &block, &lds, &stream), hipSuccess);
    EXPECT_EQ(grid.z, 3u);
    EXPECT_EQ(block.x, 4u);
    EXPECT_EQ(lds, 7u);
    EXPECT_EQ(stream, of_thread);
    EXPECT_EQ(__hipPopCallConfiguration(&grid, &block, &lds, &stream),
              hipErrorMissingConfiguration);
}

// Kernels write memory that was registered, if it was not for reading alone.
TEST_F(functions, that_register_memory) {
    const exchange_kernel kernel;
    std::vector<int> own(1024);
    int* out = own.data() + 256;
    const auto launch = [&] {
        void* values[] = {&out};
        return hipModuleLaunchKernel(kernel.function, 1, 1, 1, 256, 1, 1, 0, nullptr, values,
                                     nullptr);
    };
    ASSERT_EQ(hipHostRegister(out, 1024, 0), hipSuccess);
    EXPECT_EQ(launch(), hipSuccess);
    EXPECT_EQ(out[0], 3 * 255 + 1);
    // What lies before and behind is another memory; a byte of the same is not.
    EXPECT_EQ(hipHostRegister(out - 1, 4, 0), hipSuccess);
    EXPECT_EQ(hipHostRegister(out + 256, 4, 0), hipSuccess);
    EXPECT_EQ(hipHostUnregister(out - 1), hipSuccess);
    EXPECT_EQ(hipHostUnregister(out + 256), hipSuccess);
    EXPECT_EQ(hipHostRegister(out - 1, 5, 0), hipErrorHostMemoryAlreadyRegistered);
    EXPECT_EQ(hipHostRegister(reinterpret_cast<char*>(out + 256) - 1, 8, 0),
              hipErrorHostMemoryAlreadyRegistered);
    EXPECT_EQ(hipHostRegister(out, ~size_t{0}, 0), hipErrorInvalidValue) << "around the end";
    EXPECT_EQ(hipHostUnregister(out), hipSuccess);
    ASSERT_EQ(hipHostRegister(out, 1024, 8), hipSuccess);
    testing::FLAGS_gtest_death_test_style = "fast";
    EXPECT_EXIT(launch(), testing::ExitedWithCode(70), "global_store_dword");
    EXPECT_EQ(hipHostUnregister(out), hipSuccess);
}

TEST_F(functions, that_refuse_a_size) {
    void* p = nullptr;
    size_t size = 7;
    char name[2] = "x";
    EXPECT_EQ(hipMallocPitch(&p, &size, 0, 4), hipSuccess);
    EXPECT_EQ(p, nullptr);
    EXPECT_EQ(size, 0u);
    EXPECT_EQ(hipMallocPitch(&p, &size, ~size_t{0} - 255, 1), hipErrorOutOfMemory);
    EXPECT_EQ(hipMallocPitch(&p, &size, ~size_t{0} - 254, 1), hipErrorOutOfMemory);
    EXPECT_EQ(hipMallocPitch(&p, &size, size_t{1} << 40, size_t{1} << 24), hipErrorOutOfMemory);
    EXPECT_EQ(hipDeviceGetName(name, 0, 0), hipErrorInvalidValue);
    EXPECT_EQ(hipDeviceGetName(name, -1, 0), hipErrorInvalidValue);
    EXPECT_EQ(hipDeviceGetName(name, 1, 0), hipSuccess);
    EXPECT_STREQ(name, "");
    // The text and its end.
    char bus[64] = {};
    ASSERT_EQ(hipDeviceGetPCIBusId(bus, 64, 0), hipSuccess);
    const int length = static_cast<int>(std::string(bus).size());
    EXPECT_EQ(hipDeviceGetPCIBusId(bus, length, 0), hipErrorInvalidValue);
    EXPECT_EQ(hipDeviceGetPCIBusId(bus, length + 1, 0), hipSuccess);
    // A pool as it begins.
    hipMemPool_t pool = nullptr;
    hipMemPoolProps properties = {};
    properties.allocType = hipMemAllocationTypePinned;
    properties.location = {hipMemLocationTypeDevice, 0};
    ASSERT_EQ(hipMemPoolCreate(&pool, &properties), hipSuccess);
    for (int n = 1; n <= 3; ++n) {
        int reuse = 7;
        EXPECT_EQ(hipMemPoolGetAttribute(pool, static_cast<hipMemPoolAttr>(n), &reuse), hipSuccess);
        EXPECT_EQ(reuse, 1);
        reuse = 0;
        EXPECT_EQ(hipMemPoolSetAttribute(pool, static_cast<hipMemPoolAttr>(n), &reuse), hipSuccess);
        for (int m = 1; m <= 3; ++m) {
            EXPECT_EQ(hipMemPoolGetAttribute(pool, static_cast<hipMemPoolAttr>(m), &reuse),
                      hipSuccess);
            EXPECT_EQ(reuse, m <= n ? 0 : 1) << n << ' ' << m;
        }
    }
    for (int n = 4; n <= 8; ++n) {
        uint64_t value = 7;
        EXPECT_EQ(hipMemPoolGetAttribute(pool, static_cast<hipMemPoolAttr>(n), &value), hipSuccess);
        EXPECT_EQ(value, 0u);
    }
    EXPECT_EQ(hipMemPoolDestroy(pool), hipSuccess);
    // What is not known of a pointer becomes zero, in as many bytes as it has.
    constexpr int wide[] = {3, 4, 7, 11, 12};
    for (int n = 2; n <= 13; ++n) {
        auto attribute = static_cast<hipPointer_attribute>(n);
        uint64_t value = ~uint64_t{0};
        void* to = &value;
        if (hipDrvPointerGetAttributes(1, &attribute, &to, &size) != hipSuccess) {
            continue;
        }
        const bool is_wide = std::count(std::begin(wide), std::end(wide), n) != 0;
        EXPECT_EQ(value, n == 2 || !is_wide ? value & 0xffffffff'00000000 : 0) << n;
        EXPECT_EQ(value >> 32, is_wide ? 0u : 0xffffffffu) << n;
    }
}

// ---- flags and kinds: each number that is taken, and all around it that are not ----

using numbers = std::vector<uint32_t>;

// Those of 0 to 40, 99 to 102, the powers of two, their neighbours and both highest bits for which
// `call` does not fail with `refusal`.
template <class Call>
numbers taken(Call call, hipError_t refusal = hipErrorInvalidValue) {
    std::set<uint32_t> tried = {99, 100, 101, 102, 0xc0000000, ~0u};
    for (uint32_t n = 0; n <= 40; ++n) {
        tried.insert(n);
    }
    for (uint32_t bit = 1; bit != 0; bit *= 2) {
        tried.insert({bit - 1, bit, bit + 1});
    }
    numbers result;
    for (const uint32_t n : tried) {
        const hipError_t error = call(n);
        if (error != refusal) {
            EXPECT_EQ(error, hipSuccess) << n;
            result.push_back(n);
        }
    }
    return result;
}

numbers up_to(uint32_t last) {
    numbers result;
    for (uint32_t n = 0; n <= last; ++n) {
        result.push_back(n);
    }
    return result;
}

TEST_F(functions, that_take_a_kind) {
    const exchange_kernel kernel;
    const ints memory(4);
    const auto cache = [](uint32_t n) { return static_cast<hipFuncCache_t>(n); };
    const auto banks = [](uint32_t n) { return static_cast<hipSharedMemConfig>(n); };
    EXPECT_EQ(taken([&](uint32_t n) { return hipDeviceSetCacheConfig(cache(n)); }), up_to(3));
    EXPECT_EQ(taken([&](uint32_t n) { return hipCtxSetCacheConfig(cache(n)); }), up_to(3));
    EXPECT_EQ(taken([&](uint32_t n) { return hipFuncSetCacheConfig(kernel.function, cache(n)); }),
              up_to(3));
    EXPECT_EQ(taken([&](uint32_t n) { return hipDeviceSetSharedMemConfig(banks(n)); }), up_to(2));
    EXPECT_EQ(taken([&](uint32_t n) { return hipCtxSetSharedMemConfig(banks(n)); }), up_to(2));
    EXPECT_EQ(
        taken([&](uint32_t n) { return hipFuncSetSharedMemConfig(kernel.function, banks(n)); }),
        up_to(2));
    EXPECT_EQ(taken([](uint32_t n) {
                  auto mode = static_cast<hipStreamCaptureMode>(n);
                  const hipError_t error = hipThreadExchangeStreamCaptureMode(&mode);
                  return error != hipSuccess ? error : hipThreadExchangeStreamCaptureMode(&mode);
              }),
              up_to(2));
    numbers kinds = up_to(4);
    kinds.push_back(1024);  // without compute units
    EXPECT_EQ(taken(
                  [&](uint32_t n) {
                      return hipMemcpy(memory.data, memory.data + 2, 4,
                                       static_cast<hipMemcpyKind>(n));
                  },
                  hipErrorInvalidMemcpyDirection),
              kinds);
    EXPECT_EQ(taken([&](uint32_t n) {
                  return hipMemAdvise(memory.data, 16, static_cast<hipMemoryAdvise>(n), 0);
              }),
              (numbers{1, 2, 3, 4, 5, 6, 100, 101}));
    size_t bytes = 0;
    EXPECT_EQ(
        taken([&](uint32_t n) { return hipDeviceGetLimit(&bytes, static_cast<hipLimit_t>(n)); },
              hipErrorUnsupportedLimit),
        (numbers{0, 2}));
    hipMemPool_t pool = nullptr;
    ASSERT_EQ(hipDeviceGetDefaultMemPool(&pool, 0), hipSuccess);
    uint64_t value = 0;
    const auto attribute = [](uint32_t n) { return static_cast<hipMemPoolAttr>(n); };
    EXPECT_EQ(taken([&](uint32_t n) { return hipMemPoolGetAttribute(pool, attribute(n), &value); }),
              (numbers{1, 2, 3, 4, 5, 6, 7, 8}));
    EXPECT_EQ(taken([&](uint32_t n) {
                  value = 0;
                  return hipMemPoolSetAttribute(pool, attribute(n), &value);
              }),
              (numbers{1, 2, 3, 4, 6, 8}));
}

TEST_F(functions, that_take_flags) {
    const exchange_kernel kernel;
    void* p = nullptr;
    const auto then_free = [&](hipError_t error) {
        return error != hipSuccess ? error : hipFree(p);
    };
    const auto then_free_host = [&](hipError_t error) {
        return error != hipSuccess ? error : hipHostFree(p);
    };
    hipStream_t stream = nullptr;
    EXPECT_EQ(taken([&](uint32_t n) {
                  const hipError_t error = hipStreamCreateWithFlags(&stream, n);
                  return error != hipSuccess ? error : hipStreamDestroy(stream);
              }),
              up_to(1));
    hipEvent_t event = nullptr;
    numbers events = up_to(3);
    events.insert(events.end(),
                  {0x20000000, 0x20000001, 0x40000000, 0x40000001, 0x80000000, 0x80000001});
    EXPECT_EQ(taken([&](uint32_t n) {
                  const hipError_t error = hipEventCreateWithFlags(&event, n);
                  return error != hipSuccess ? error : hipEventDestroy(event);
              }),
              events);
    ASSERT_EQ(hipEventCreate(&event), hipSuccess);
    EXPECT_EQ(taken([&](uint32_t n) { return hipEventRecordWithFlags(event, nullptr, n); }),
              up_to(1));
    EXPECT_EQ(taken([&](uint32_t n) { return hipStreamWaitEvent(nullptr, event, n); }), up_to(1));
    EXPECT_EQ(hipEventDestroy(event), hipSuccess);

    EXPECT_EQ(taken([&](uint32_t n) { return then_free(hipMallocManaged(&p, 8, n)); }),
              (numbers{1, 2}));
    EXPECT_EQ(taken([&](uint32_t n) { return then_free(hipExtMallocWithFlags(&p, 8, n)); }),
              up_to(4));
    EXPECT_EQ(taken([&](uint32_t n) { return then_free(hipExtMallocWithFlags(&p, 16, n)); }),
              (numbers{0, 1, 3, 4}))
        << "8 bytes are for signals";
    numbers of_host = up_to(7);
    of_host.insert(of_host.end(), {0x20000000, 0x20000001, 0x40000000, 0x40000001, 0x80000000,
                                   0x80000001});  // coherent or not, not both
    EXPECT_EQ(taken([&](uint32_t n) { return then_free_host(hipHostMalloc(&p, 8, n)); }), of_host);
    int own[2] = {};
    EXPECT_EQ(taken([&](uint32_t n) {
                  const hipError_t error = hipHostRegister(own, sizeof own, n);
                  return error != hipSuccess ? error : hipHostUnregister(own);
              }),
              up_to(15));
    EXPECT_EQ(taken([&](uint32_t n) {
                  size_t pitch = 0;
                  return then_free(hipMemAllocPitch(&p, &pitch, 16, 2, n));
              }),
              (numbers{4, 8, 16}));
    ASSERT_EQ(hipMallocManaged(&p, 8, 1), hipSuccess);
    EXPECT_EQ(taken([&](uint32_t n) { return hipStreamAttachMemAsync(nullptr, p, 8, n); }),
              (numbers{1, 2, 4}));
    EXPECT_EQ(hipFree(p), hipSuccess);

    // One way to wait at most, mapped memory, local memory resized.
    numbers ways;
    for (uint32_t n = 0; n < 32; ++n) {
        if ((n & 7) <= 2 || (n & 7) == 4) {
            ways.push_back(n);
        }
    }
    EXPECT_EQ(taken([](uint32_t n) { return hipSetDeviceFlags(n); }), ways);
    EXPECT_EQ(hipSetDeviceFlags(0), hipSuccess);
    hipCtx_t context = nullptr;
    EXPECT_EQ(taken([&](uint32_t n) {
                  const hipError_t error = hipCtxCreate(&context, n, 0);
                  return error != hipSuccess ? error : hipCtxDestroy(context);
              }),
              up_to(31));
    EXPECT_EQ(
        taken([&](uint32_t n) { return hipGetProcAddress("hipMemcpy", &p, 640, n, nullptr); }),
        up_to(2));
    int groups = 0;
    int threads = 0;
    EXPECT_EQ(taken([&](uint32_t n) {
                  return hipModuleOccupancyMaxPotentialBlockSizeWithFlags(&groups, &threads,
                                                                          kernel.function, 0, 0, n);
              }),
              up_to(1));
    EXPECT_EQ(taken([&](uint32_t n) {
                  return hipModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
                      &groups, kernel.function, 64, 0, n);
              }),
              up_to(1));

    hipGraph_t graph = nullptr;
    hipGraphExec_t executable = nullptr;
    hipUserObject_t object = nullptr;
    ASSERT_EQ(hipGraphCreate(&graph, 0), hipSuccess);
    EXPECT_EQ(taken([&](uint32_t n) {
                  if ((n & ~15u) == 0 && (n & 4) != 0) {
                      return hipErrorInvalidValue;  // launched by the device: another error
                  }
                  const hipError_t error = hipGraphInstantiateWithFlags(&executable, graph, n);
                  return error != hipSuccess ? error : hipGraphExecDestroy(executable);
              }),
              (numbers{0, 1, 2, 3, 8, 9, 10, 11}));
    EXPECT_EQ(hipGraphInstantiateWithFlags(&executable, graph, 4), hipErrorNotSupported);
    EXPECT_EQ(taken([&](uint32_t n) {
                  const hipError_t error =
                      hipUserObjectCreate(&object, &groups, [](void*) {}, 1, n);
                  return error != hipSuccess ? error : hipUserObjectRelease(object, 1);
              }),
              numbers{1});
    ASSERT_EQ(hipUserObjectCreate(&object, &groups, [](void*) {}, 1, 1), hipSuccess);
    EXPECT_EQ(taken([&](uint32_t n) {
                  const hipError_t error = hipGraphRetainUserObject(graph, object, 1, n);
                  return n == 1 || error != hipSuccess
                             ? error
                             : hipGraphReleaseUserObject(graph, object, 1);
              }),
              up_to(1));
    EXPECT_EQ(hipGraphDestroy(graph), hipSuccess);
}

// The numbers of HIP's public headers, which programs are compiled with.
TEST_F(functions, whose_enumerators_have_the_numbers_of_hip) {
    const struct {
        int first;
        std::vector<int> enumerators;  // of first, first + 1 ...
    } rows[] = {
        {0,
         {hipSuccess, hipErrorInvalidValue, hipErrorOutOfMemory, hipErrorNotInitialized,
          hipErrorDeinitialized, hipErrorProfilerDisabled, hipErrorProfilerNotInitialized,
          hipErrorProfilerAlreadyStarted, hipErrorProfilerAlreadyStopped,
          hipErrorInvalidConfiguration}},
        {12, {hipErrorInvalidPitchValue, hipErrorInvalidSymbol}},
        {17, {hipErrorInvalidDevicePointer}},
        {21, {hipErrorInvalidMemcpyDirection}},
        {35, {hipErrorInsufficientDriver}},
        {52, {hipErrorMissingConfiguration, hipErrorPriorLaunchFailure}},
        {98, {hipErrorInvalidDeviceFunction}},
        {100, {hipErrorNoDevice, hipErrorInvalidDevice}},
        {200, {hipErrorInvalidImage, hipErrorInvalidContext, hipErrorContextAlreadyCurrent}},
        {205,
         {hipErrorMapFailed, hipErrorUnmapFailed, hipErrorArrayIsMapped, hipErrorAlreadyMapped,
          hipErrorNoBinaryForGpu, hipErrorAlreadyAcquired, hipErrorNotMapped,
          hipErrorNotMappedAsArray, hipErrorNotMappedAsPointer, hipErrorECCNotCorrectable,
          hipErrorUnsupportedLimit, hipErrorContextAlreadyInUse, hipErrorPeerAccessUnsupported,
          hipErrorInvalidKernelFile, hipErrorInvalidGraphicsContext}},
        {300,
         {hipErrorInvalidSource, hipErrorFileNotFound, hipErrorSharedObjectSymbolNotFound,
          hipErrorSharedObjectInitFailed, hipErrorOperatingSystem}},
        {400, {hipErrorInvalidHandle, hipErrorIllegalState}},
        {500, {hipErrorNotFound}},
        {600, {hipErrorNotReady}},
        {700, {hipErrorIllegalAddress, hipErrorLaunchOutOfResources, hipErrorLaunchTimeOut}},
        {704, {hipErrorPeerAccessAlreadyEnabled, hipErrorPeerAccessNotEnabled}},
        {708, {hipErrorSetOnActiveProcess, hipErrorContextIsDestroyed, hipErrorAssert}},
        {712, {hipErrorHostMemoryAlreadyRegistered, hipErrorHostMemoryNotRegistered}},
        {719, {hipErrorLaunchFailure, hipErrorCooperativeLaunchTooLarge}},
        {801, {hipErrorNotSupported}},
        {900,
         {hipErrorStreamCaptureUnsupported, hipErrorStreamCaptureInvalidated,
          hipErrorStreamCaptureMerge, hipErrorStreamCaptureUnmatched, hipErrorStreamCaptureUnjoined,
          hipErrorStreamCaptureIsolation, hipErrorStreamCaptureImplicit, hipErrorCapturedEvent,
          hipErrorStreamCaptureWrongThread}},
        {910,
         {hipErrorGraphExecUpdateFailure, hipErrorInvalidChannelDescriptor,
          hipErrorInvalidTexture}},
        {999, {hipErrorUnknown}},
        {1052, {hipErrorRuntimeMemory, hipErrorRuntimeOther}},
        {0,
         {HIPRTC_SUCCESS, HIPRTC_ERROR_OUT_OF_MEMORY, HIPRTC_ERROR_PROGRAM_CREATION_FAILURE,
          HIPRTC_ERROR_INVALID_INPUT, HIPRTC_ERROR_INVALID_PROGRAM, HIPRTC_ERROR_INVALID_OPTION,
          HIPRTC_ERROR_COMPILATION, HIPRTC_ERROR_BUILTIN_OPERATION_FAILURE,
          HIPRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION,
          HIPRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION, HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID,
          HIPRTC_ERROR_INTERNAL_ERROR}},
        {100, {HIPRTC_ERROR_LINKING}},
        {0,
         {hipMemcpyHostToHost, hipMemcpyHostToDevice, hipMemcpyDeviceToHost,
          hipMemcpyDeviceToDevice, hipMemcpyDefault}},
        {1024, {hipMemcpyDeviceToDeviceNoCU}},
        {0,
         {hipMemoryTypeUnregistered, hipMemoryTypeHost, hipMemoryTypeDevice, hipMemoryTypeManaged}},
        {10, {hipMemoryTypeArray, hipMemoryTypeUnified}},
        {1,
         {HIP_POINTER_ATTRIBUTE_CONTEXT, HIP_POINTER_ATTRIBUTE_MEMORY_TYPE,
          HIP_POINTER_ATTRIBUTE_DEVICE_POINTER, HIP_POINTER_ATTRIBUTE_HOST_POINTER}},
        {6,
         {HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS, HIP_POINTER_ATTRIBUTE_BUFFER_ID,
          HIP_POINTER_ATTRIBUTE_IS_MANAGED, HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL}},
        {11,
         {HIP_POINTER_ATTRIBUTE_RANGE_START_ADDR, HIP_POINTER_ATTRIBUTE_RANGE_SIZE,
          HIP_POINTER_ATTRIBUTE_MAPPED}},
        {1,
         {hipMemAdviseSetReadMostly, hipMemAdviseUnsetReadMostly, hipMemAdviseSetPreferredLocation,
          hipMemAdviseUnsetPreferredLocation, hipMemAdviseSetAccessedBy,
          hipMemAdviseUnsetAccessedBy}},
        {100, {hipMemAdviseSetCoarseGrain, hipMemAdviseUnsetCoarseGrain}},
        {1,
         {hipMemPoolReuseFollowEventDependencies, hipMemPoolReuseAllowOpportunistic,
          hipMemPoolReuseAllowInternalDependencies, hipMemPoolAttrReleaseThreshold,
          hipMemPoolAttrReservedMemCurrent, hipMemPoolAttrReservedMemHigh,
          hipMemPoolAttrUsedMemCurrent, hipMemPoolAttrUsedMemHigh}},
        {0, {hipMemLocationTypeInvalid, hipMemLocationTypeDevice}},
        {0, {hipMemAccessFlagsProtNone, hipMemAccessFlagsProtRead}},
        {3, {hipMemAccessFlagsProtReadWrite}},
        {0, {hipMemAllocationTypeInvalid, hipMemAllocationTypePinned}},
        {0, {hipMemHandleTypeNone}},
        {0,
         {hipDevP2PAttrPerformanceRank, hipDevP2PAttrAccessSupported,
          hipDevP2PAttrNativeAtomicSupported, hipDevP2PAttrHipArrayAccessSupported}},
        {0, {hipLimitStackSize, hipLimitPrintfFifoSize, hipLimitMallocHeapSize}},
        {0,
         {hipFuncCachePreferNone, hipFuncCachePreferShared, hipFuncCachePreferL1,
          hipFuncCachePreferEqual}},
        {0,
         {hipSharedMemBankSizeDefault, hipSharedMemBankSizeFourByte,
          hipSharedMemBankSizeEightByte}},
        {0,
         {HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES,
          HIP_FUNC_ATTRIBUTE_CONST_SIZE_BYTES, HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES,
          HIP_FUNC_ATTRIBUTE_NUM_REGS, HIP_FUNC_ATTRIBUTE_PTX_VERSION,
          HIP_FUNC_ATTRIBUTE_BINARY_VERSION, HIP_FUNC_ATTRIBUTE_CACHE_MODE_CA,
          HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
          HIP_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT}},
        {0,
         {hipChannelFormatKindSigned, hipChannelFormatKindUnsigned, hipChannelFormatKindFloat,
          hipChannelFormatKindNone}},
        {0,
         {HIP_GET_PROC_ADDRESS_SUCCESS, HIP_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND,
          HIP_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT}},
        {0,
         {hipStreamCaptureModeGlobal, hipStreamCaptureModeThreadLocal,
          hipStreamCaptureModeRelaxed}},
        {0,
         {hipStreamCaptureStatusNone, hipStreamCaptureStatusActive,
          hipStreamCaptureStatusInvalidated}},
        {0,
         {hipGraphNodeTypeKernel, hipGraphNodeTypeMemcpy, hipGraphNodeTypeMemset,
          hipGraphNodeTypeHost, hipGraphNodeTypeGraph, hipGraphNodeTypeEmpty,
          hipGraphNodeTypeWaitEvent, hipGraphNodeTypeEventRecord}},
        {0,
         {hipGraphExecUpdateSuccess, hipGraphExecUpdateError,
          hipGraphExecUpdateErrorTopologyChanged, hipGraphExecUpdateErrorNodeTypeChanged}},
        {0,
         {hipGraphInstantiateSuccess, hipGraphInstantiateError,
          hipGraphInstantiateInvalidStructure}},
        {8,
         {hipFuncAttributeMaxDynamicSharedMemorySize,
          hipFuncAttributePreferredSharedMemoryCarveout}}};
    for (const auto& [first, enumerators] : rows) {
        for (size_t n = 0; n < enumerators.size(); ++n) {
            EXPECT_EQ(enumerators[n], first + static_cast<int>(n)) << "from " << first;
        }
    }
}

}  // namespace
