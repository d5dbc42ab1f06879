// The device, contexts, functions and their names, from the outside. Compiled with the real HIP
// headers, too, where they are installed (OPUS_EMU_REAL_HIP).

#include <gtest/gtest.h>
#include <sys/sysinfo.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "hip.hpp"
#include "kernels.hpp"

namespace {

struct functions : testing::Test {
    void SetUp() override {
        const auto image = read_kernels(tested_arch());
        ASSERT_EQ(hipModuleLoadData(&module, image.data()), hipSuccess);
        ASSERT_EQ(hipModuleGetFunction(&exchange, module, "exchange"), hipSuccess);
        void* p = nullptr;
        ASSERT_EQ(hipMalloc(&p, 2048), hipSuccess);
        ASSERT_EQ(hipMemset(p, 0, 2048), hipSuccess);
        out = static_cast<int*>(p);
    }
    void TearDown() override {
        EXPECT_EQ(hipModuleUnload(module), hipSuccess);
        EXPECT_EQ(hipFree(out), hipSuccess);
        hipGetLastError();
    }
    int read(size_t n) const {
        int value = -1;
        EXPECT_EQ(hipMemcpy(&value, out + n, 4, hipMemcpyDeviceToHost), hipSuccess);
        return value;
    }
    hipModule_t module = nullptr;
    hipFunction_t exchange = nullptr;  // for groups of 256, with 1024 bytes of LDS
    int* out = nullptr;
};

TEST_F(functions, are_launched_by_work_items_and_between_events) {
    hipEvent_t start = nullptr;
    hipEvent_t stop = nullptr;
    ASSERT_EQ(hipEventCreate(&start), hipSuccess);
    ASSERT_EQ(hipEventCreate(&stop), hipSuccess);
    void* values[] = {&out};
    EXPECT_EQ(hipExtModuleLaunchKernel(exchange, 256, 1, 1, 256, 1, 1, 0, nullptr, values, nullptr,
                                       start, stop, 0),
              hipSuccess);
    EXPECT_EQ(read(0), 3 * 255 + 1);
    float milliseconds = -1;
    EXPECT_EQ(hipEventElapsedTime(&milliseconds, start, stop), hipSuccess);
    EXPECT_GE(milliseconds, 0.0f);
    testing::internal::CaptureStderr();
    EXPECT_EQ(hipExtModuleLaunchKernel(exchange, 257, 1, 1, 256, 1, 1, 0, nullptr, values, nullptr,
                                       nullptr, nullptr, 0),
              hipErrorNotSupported);
    EXPECT_NE(testing::internal::GetCapturedStderr().find("257 work-items in groups of 256"),
              std::string::npos);
    // 128 work-items are two groups: what more of them would write stays zero.
    hipFunction_t ids = nullptr;
    ASSERT_EQ(hipModuleGetFunction(&ids, module, "ids"), hipSuccess);
    ASSERT_EQ(hipMemset(out, 0, 2048), hipSuccess);
    uint32_t numbers[] = {2, 1, 64, 1, 64};  // groups and work-items in x and y, and of a group
    void* of_ids[] = {&out, &numbers[0], &numbers[1], &numbers[2], &numbers[3], &numbers[4]};
    EXPECT_EQ(hipHccModuleLaunchKernel(ids, 128, 1, 1, 64, 1, 1, 0, nullptr, of_ids, nullptr,
                                       nullptr, nullptr),
              hipSuccess);
    EXPECT_EQ(read(2 * 127), 1) << "group 1";
    EXPECT_EQ(read(2 * 127 + 1), 63) << "its last work-item";
    EXPECT_EQ(read(2 * 192 + 1), 0);
    EXPECT_EQ(hipEventDestroy(start), hipSuccess);
    EXPECT_EQ(hipEventDestroy(stop), hipSuccess);
}

TEST_F(functions, cooperative_launches_fit_on_the_device) {
    void* values[] = {&out};
    EXPECT_EQ(hipModuleLaunchCooperativeKernel(exchange, 1, 1, 1, 256, 1, 1, 0, nullptr, values),
              hipSuccess);
    EXPECT_EQ(read(0), 3 * 255 + 1);
    int groups = 0;
    ASSERT_EQ(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(&groups, exchange, 256, 0),
              hipSuccess);
    EXPECT_EQ(groups, 8) << "32 waves, 4 for each";
    const unsigned units = tested_arch() == "gfx942" ? 304 : 256;
    EXPECT_EQ(hipModuleLaunchCooperativeKernel(exchange, 8 * units + 1, 1, 1, 256, 1, 1, 0, nullptr,
                                               values),
              hipErrorCooperativeLaunchTooLarge);
    // A single group that has no room anywhere.
    EXPECT_EQ(
        hipModuleLaunchCooperativeKernel(exchange, 1, 1, 1, 256, 1, 1, 1 << 20, nullptr, values),
        hipErrorInvalidValue);
}

// In a capture, as other events, they are no nodes.
TEST_F(functions, are_captured_between_events) {
    hipStream_t stream = nullptr;
    hipEvent_t events[2] = {};
    ASSERT_EQ(hipStreamCreate(&stream), hipSuccess);
    for (hipEvent_t& event : events) {
        ASSERT_EQ(hipEventCreate(&event), hipSuccess);
    }
    void* values[] = {&out};
    ASSERT_EQ(hipStreamBeginCapture(stream, hipStreamCaptureModeRelaxed), hipSuccess);
    EXPECT_EQ(hipExtModuleLaunchKernel(exchange, 256, 1, 1, 256, 1, 1, 0, stream, values, nullptr,
                                       events[0], events[1], 0),
              hipSuccess);
    hipGraph_t graph = nullptr;
    EXPECT_EQ(hipStreamEndCapture(stream, &graph), hipSuccess);
    size_t nodes = 0;
    EXPECT_EQ(hipGraphGetNodes(graph, nullptr, &nodes), hipSuccess);
    EXPECT_EQ(nodes, 1u);
    EXPECT_EQ(hipGraphDestroy(graph), hipSuccess);
    for (const hipEvent_t event : events) {
        EXPECT_EQ(hipEventDestroy(event), hipSuccess);
    }
    EXPECT_EQ(hipStreamDestroy(stream), hipSuccess);
}

TEST_F(functions, occupancy_and_attributes) {
    int groups = 0;
    int threads = 0;
    ASSERT_EQ(hipModuleOccupancyMaxPotentialBlockSize(&groups, &threads, exchange, 0, 0),
              hipSuccess);
    EXPECT_EQ(threads, 256);
    EXPECT_EQ(groups, 8 * (tested_arch() == "gfx942" ? 304 : 256));
    ASSERT_EQ(hipModuleOccupancyMaxPotentialBlockSize(&groups, &threads, exchange, 0, 200),
              hipSuccess);
    EXPECT_EQ(threads, 128)
        << "200 need as many waves as 256, and three waves leave two of 32 idle";
    // Two groups of 21 KiB and more have no room for a third.
    const size_t lds = tested_arch() == "gfx942" ? 64 * 1024 : 160 * 1024;
    ASSERT_EQ(hipModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&groups, exchange, 256,
                                                                          lds / 2 - 1024, 0),
              hipSuccess);
    EXPECT_EQ(groups, 2);
    int value = 0;
    EXPECT_EQ(hipFuncGetAttribute(&value, HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, exchange),
              hipSuccess);
    EXPECT_EQ(value, 256);
    EXPECT_EQ(hipFuncGetAttribute(&value, HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, exchange),
              hipSuccess);
    EXPECT_EQ(value, 1024);
    EXPECT_EQ(hipFuncGetAttribute(&value, static_cast<hipFunction_attribute>(77), exchange),
              hipErrorInvalidValue);
    hipFuncAttributes attributes = {};
    EXPECT_EQ(hipFuncGetAttributes(&attributes, exchange), hipSuccess);
    EXPECT_EQ(attributes.maxThreadsPerBlock, 256);
    EXPECT_EQ(attributes.sharedSizeBytes, 1024u);
    EXPECT_EQ(attributes.maxDynamicSharedSizeBytes, static_cast<int>(lds) - 1024);
    EXPECT_EQ(hipFuncGetAttributes(&attributes, &value), hipErrorInvalidDeviceFunction);
    EXPECT_STREQ(hipKernelNameRef(exchange), "exchange");
    EXPECT_EQ(hipKernelNameRefByPtr(&value, nullptr), nullptr);
}

TEST_F(functions, launched_in_the_way_of_hip_1) {
    EXPECT_EQ(hipLaunchByPtr(exchange), hipErrorMissingConfiguration);
    EXPECT_EQ(hipConfigureCall({1, 1, 1}, {256, 1, 1}, 0, nullptr), hipSuccess);
    EXPECT_EQ(hipSetupArgument(&out, sizeof out, 0), hipSuccess);
    EXPECT_EQ(hipLaunchByPtr(exchange), hipSuccess);
    EXPECT_EQ(read(1), 3 * 254 + 1);
    // 64 KiB of arguments, and none of them behind.
    const std::vector<char> large((1 << 16) + 1);
    EXPECT_EQ(hipSetupArgument(large.data(), 1 << 16, 0), hipSuccess);
    EXPECT_EQ(hipSetupArgument(large.data(), (1 << 16) + 1, 0), hipErrorInvalidValue);
    EXPECT_EQ(hipSetupArgument(large.data(), 1, (1 << 16) - 1), hipSuccess);
    EXPECT_EQ(hipSetupArgument(large.data(), 1, 1 << 16), hipErrorInvalidValue);
    EXPECT_EQ(hipSetupArgument(nullptr, 1, 0), hipErrorInvalidValue);
}

TEST(device, answers_to_the_driver_api) {
    hipDevice_t device = 7;
    EXPECT_EQ(hipInit(0), hipSuccess);
    EXPECT_EQ(hipDeviceGet(&device, 0), hipSuccess);
    EXPECT_EQ(device, 0);
    EXPECT_EQ(hipDeviceGet(&device, 1), hipErrorInvalidDevice);
    int major = 0;
    int minor = 0;
    EXPECT_EQ(hipDeviceComputeCapability(&major, &minor, 0), hipSuccess);
    EXPECT_EQ(major, 9);
    EXPECT_EQ(minor, tested_arch() == "gfx942" ? 4 : 5);
    char name[8] = {};
    EXPECT_EQ(hipDeviceGetName(name, 8, 0), hipSuccess);
    EXPECT_STREQ(name, "AMD Ins");
    char bus[16] = {};
    EXPECT_EQ(hipDeviceGetPCIBusId(bus, 16, 0), hipSuccess);
    device = 7;
    EXPECT_EQ(hipDeviceGetByPCIBusId(&device, bus), hipSuccess);
    EXPECT_EQ(device, 0);
    EXPECT_EQ(hipDeviceGetByPCIBusId(&device, "0000:01:00.0"), hipErrorInvalidValue);
    int can = 7;
    EXPECT_EQ(hipDeviceCanAccessPeer(&can, 0, 0), hipSuccess);
    EXPECT_EQ(can, 0);
    EXPECT_EQ(hipDeviceCanAccessPeer(&can, 0, 1), hipErrorInvalidDevice);
    EXPECT_EQ(hipDeviceCanAccessPeer(&can, 1, 0), hipErrorInvalidDevice);
    EXPECT_EQ(hipDeviceEnablePeerAccess(0, 0), hipErrorInvalidDevice);
    EXPECT_EQ(hipDeviceDisablePeerAccess(0), hipErrorPeerAccessNotEnabled);
    unsigned flags = 7;
    EXPECT_EQ(hipGetDeviceFlags(&flags), hipSuccess);
    EXPECT_EQ(flags, 0u);
    EXPECT_EQ(hipSetDeviceFlags(hipDeviceScheduleSpin | hipDeviceScheduleYield),
              hipErrorInvalidValue);
    EXPECT_EQ(hipSetDeviceFlags(hipDeviceScheduleYield), hipSuccess);
    EXPECT_EQ(hipGetDeviceFlags(&flags), hipSuccess);
    EXPECT_EQ(flags, static_cast<unsigned>(hipDeviceScheduleYield));
    EXPECT_EQ(hipSetDeviceFlags(0), hipSuccess);
    size_t stack = 0;
    EXPECT_EQ(hipDeviceGetLimit(&stack, hipLimitStackSize), hipSuccess);
    EXPECT_EQ(stack, 16u << 10);
    constexpr size_t largest = (128 << 10) - 16;
    // Asked for, and what one has then: whole KiB.
    constexpr size_t stacks[][2] = {{1024, 1024},
                                    {1025, 2048},
                                    {largest, largest},
                                    {100 << 10, 100 << 10},
                                    {16 << 10, 16 << 10}};
    for (const auto& [asked, got] : stacks) {
        EXPECT_EQ(hipDeviceSetLimit(hipLimitStackSize, asked), hipSuccess);
        EXPECT_EQ(hipDeviceGetLimit(&stack, hipLimitStackSize), hipSuccess);
        EXPECT_EQ(stack, got);
    }
    testing::internal::CaptureStderr();
    EXPECT_EQ(hipDeviceSetLimit(hipLimitStackSize, largest + 1), hipErrorInvalidValue);
    EXPECT_NE(testing::internal::GetCapturedStderr(), "");
    size_t heap = 0;
    EXPECT_EQ(hipDeviceGetLimit(&heap, hipLimitMallocHeapSize), hipSuccess);
    EXPECT_EQ(heap, 8u << 20);
    EXPECT_EQ(hipDeviceSetLimit(hipLimitMallocHeapSize, 1 << 20), hipSuccess);
    EXPECT_EQ(hipDeviceGetLimit(&heap, hipLimitMallocHeapSize), hipSuccess);
    EXPECT_EQ(heap, 1u << 20);
    EXPECT_EQ(hipDeviceSetLimit(hipLimitMallocHeapSize, 8 << 20), hipSuccess);
    EXPECT_EQ(hipDeviceGetLimit(&heap, hipLimitPrintfFifoSize), hipErrorUnsupportedLimit);
    EXPECT_EQ(hipDeviceSetLimit(hipLimitPrintfFifoSize, 1024), hipErrorUnsupportedLimit);
    hipGetLastError();
}

// In a process of its own: it is said once.
TEST(device_death_test, at_its_first_use_unknown_variables_are_named) {
    testing::FLAGS_gtest_death_test_style = "threadsafe";
    EXPECT_EXIT(
        {
            ::setenv("OPUS_EMU_THREAD", "1", 1);
            int count = 0;
            std::_Exit(hipGetDeviceCount(&count) == hipSuccess && count == 1 ? 3 : 4);
        },
        testing::ExitedWithCode(3),
        "OPUS_EMU_THREAD is no variable of the emulator; is OPUS_EMU_THREADS meant");
    hipGetLastError();
}

// 192 and 288 GiB but for 16 MiB, or what the host has.
TEST(device, has_its_memory_or_that_of_the_host) {
    size_t bytes = 0;
    EXPECT_EQ(hipDeviceTotalMem(&bytes, 0), hipSuccess);
    struct sysinfo host = {};
    ASSERT_EQ(::sysinfo(&host), 0);
    const size_t of_device = ((tested_arch() == "gfx942" ? 192 : 288) * size_t{1024} - 16) << 20;
    EXPECT_EQ(bytes, std::min(of_device, size_t{host.totalram} * host.mem_unit));
    hipDeviceProp_tR0600 properties;
    ASSERT_EQ(hipGetDevicePropertiesR0600(&properties, 0), hipSuccess);
    EXPECT_EQ(properties.totalGlobalMem, bytes);
}

TEST(device, properties_in_both_layouts) {
    hipDeviceProp_tR0600 properties;
    hipDeviceProp_tR0000 old;
    std::memset(&properties, 0xee, sizeof properties);
    std::memset(&old, 0xee, sizeof old);
    ASSERT_EQ(hipGetDevicePropertiesR0600(&properties, 0), hipSuccess);
    ASSERT_EQ(hipGetDevicePropertiesR0000(&old, 0), hipSuccess);
    EXPECT_STREQ(old.name, properties.name);
    EXPECT_STREQ(old.gcnArchName, properties.gcnArchName);
    EXPECT_EQ(old.multiProcessorCount, properties.multiProcessorCount);
    EXPECT_EQ(old.memPitch, properties.memPitch);
    EXPECT_EQ(old.maxGridSize[2], properties.maxGridSize[2]);
    EXPECT_EQ(old.managedMemory, 1);
    EXPECT_EQ(old.pageableMemoryAccessUsesHostPageTables, 0);
    hipUUID uuid = {};
    EXPECT_EQ(hipDeviceGetUuid(&uuid, 0), hipSuccess);
    EXPECT_EQ(std::memcmp(&uuid, &properties.uuid, sizeof uuid), 0);
    EXPECT_STREQ(uuid.bytes, ("opus-" + tested_arch()).c_str());
    int number = 7;
    EXPECT_EQ(hipChooseDeviceR0600(&number, &properties), hipSuccess);
    EXPECT_EQ(number, 0);
}

TEST(device, contexts_are_names) {
    hipCtx_t first = nullptr;
    hipCtx_t second = nullptr;
    hipCtx_t current = nullptr;
    ASSERT_EQ(hipCtxCreate(&first, 0, 0), hipSuccess);
    ASSERT_EQ(hipDevicePrimaryCtxRetain(&second, 0), hipSuccess);
    EXPECT_EQ(hipCtxPushCurrent(second), hipSuccess);
    EXPECT_EQ(hipCtxGetCurrent(&current), hipSuccess);
    EXPECT_EQ(current, second);
    EXPECT_EQ(hipCtxPopCurrent(&current), hipSuccess);
    EXPECT_EQ(hipCtxGetCurrent(&current), hipSuccess);
    EXPECT_EQ(current, first);
    EXPECT_EQ(hipCtxDestroy(first), hipSuccess);
    EXPECT_EQ(hipCtxSetCurrent(first), hipErrorInvalidContext);
    EXPECT_EQ(hipCtxPopCurrent(&current), hipErrorInvalidContext);
    hipGetLastError();
}

TEST(names, functions_of_the_api_by_name_and_version) {
    void* found = nullptr;
    hipDriverProcAddressQueryResult result = HIP_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    using get_device = hipError_t (*)(int*);
    ASSERT_EQ(hipGetProcAddress("hipGetDevice", &found, 640, 0, &result), hipSuccess);
    EXPECT_EQ(result, HIP_GET_PROC_ADDRESS_SUCCESS);
    int number = 7;
    EXPECT_EQ(reinterpret_cast<get_device>(found)(&number), hipSuccess);
    EXPECT_EQ(number, 0);
    EXPECT_EQ(hipGetProcAddress("hipMallocAsync", &found, 500, 0, &result), hipErrorInvalidValue);
    EXPECT_EQ(result, HIP_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
    EXPECT_EQ(found, nullptr);
    EXPECT_EQ(hipGetProcAddress("hipNothing", &found, 640, 0, &result), hipErrorInvalidValue);
    EXPECT_EQ(result, HIP_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
    void* of_thread = nullptr;
    EXPECT_EQ(hipGetProcAddress("hipMemcpy", &found, 640, 0, nullptr), hipSuccess);
    EXPECT_EQ(hipGetProcAddress("hipMemcpy", &of_thread, 640, 2, nullptr), hipSuccess);
    EXPECT_NE(found, of_thread);
    hipGetLastError();
}

TEST(names, errors_by_the_driver_api) {
    const char* text = nullptr;
    EXPECT_EQ(hipDrvGetErrorName(hipErrorStreamCaptureUnjoined, &text), hipSuccess);
    EXPECT_STREQ(text, "hipErrorStreamCaptureUnjoined");
    EXPECT_EQ(hipDrvGetErrorString(static_cast<hipError_t>(12345), &text), hipErrorInvalidValue);
    EXPECT_STREQ(hiprtcGetErrorString(HIPRTC_ERROR_INTERNAL_ERROR), "HIPRTC_ERROR_INTERNAL_ERROR");
    EXPECT_EQ(hipExtGetLastError(), hipErrorInvalidValue);
    EXPECT_EQ(hipExtGetLastError(), hipSuccess);
}

}  // namespace
