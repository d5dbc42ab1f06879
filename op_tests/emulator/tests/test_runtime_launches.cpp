// Launches: what is known of a function, what of its arguments, and how much fits on the device.

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "device_objects.hpp"

namespace {

struct launches : testing::Test {
    void SetUp() override {
        const auto image = read_kernels(tested_arch());
        ASSERT_EQ(hipModuleLoadData(&module, image.data()), hipSuccess);
    }
    void TearDown() override {
        EXPECT_EQ(hipModuleUnload(module), hipSuccess);
        hipGetLastError();
    }
    hipFunction_t function(const char* name) const {
        hipFunction_t f = nullptr;
        EXPECT_EQ(hipModuleGetFunction(&f, module, name), hipSuccess) << name;
        return f;
    }
    hipModule_t module = nullptr;
};

const bool is_gfx942 = tested_arch() == "gfx942";
const int all_lds = (is_gfx942 ? 64 : 160) * 1024;
const int units = is_gfx942 ? 304 : 256;

template <class Call>
std::string stderr_of(const Call& call) {
    testing::internal::CaptureStderr();
    call();
    return testing::internal::GetCapturedStderr();
}

// ---- a kernel that ends itself ----

bool was_called = false;
void note_call(void*) {
    was_called = true;
}

// Exits with the number of the first call that does not answer as it should.
[[noreturn]] void trap_by(const std::function<hipError_t(hipFunction_t)>& launch,
                          hipFunction_t traps) {
    const ints memory(16);
    hipEvent_t event = nullptr;
    hipStream_t stream = nullptr;
    hipCtx_t context = nullptr;
    void* pointer = nullptr;
    int number = 5;
    auto expect = [line = 0](hipError_t error, hipError_t expected) mutable {
        ++line;
        if (error != expected) {
            std::_Exit(line);
        }
    };
    expect(hipEventCreate(&event), hipSuccess);
    expect(launch(traps), hipSuccess);
    expect(hipGetLastError(), hipSuccess);
    for (const hipError_t error :
         {hipDeviceSynchronize(), hipPeekAtLastError(), hipGetLastError()}) {
        expect(error, hipErrorLaunchFailure);
    }
    expect(hipGetLastError(), hipSuccess);
    for (const hipError_t error :
         {hipStreamSynchronize(nullptr), hipStreamQuery(nullptr), hipEventQuery(event),
          hipMalloc(&pointer, 64), hipFree(memory.data), hipMemset(memory.data, 0, 4),
          hipMemcpy(&number, memory.data, 4, hipMemcpyDeviceToHost), hipStreamCreate(&stream),
          hipGetDeviceCount(&number), hipSetDevice(0), hipCtxGetCurrent(&context),
          hipLaunchHostFunc(nullptr, note_call, nullptr), launch(traps), hipDeviceReset(),
          hipDeviceSynchronize()}) {
        expect(error, hipErrorLaunchFailure);
    }
    expect(was_called || pointer != nullptr ? hipErrorUnknown : hipSuccess, hipSuccess);
    expect(hipDeviceSynchronize(), hipErrorLaunchFailure);
    std::_Exit(0);
}

hipError_t launch_graph(hipFunction_t traps) {
    hipGraph_t graph = nullptr;
    hipGraphNode_t first = nullptr;
    hipGraphNode_t second = nullptr;
    hipGraphExec_t executable = nullptr;
    const hipKernelNodeParams kernel = {{64, 1, 1}, nullptr, traps, {4, 1, 1}, nullptr, 0};
    const hipHostNodeParams host = {note_call, nullptr};
    hipGraphCreate(&graph, 0);
    hipGraphAddKernelNode(&first, graph, nullptr, 0, &kernel);
    hipGraphAddHostNode(&second, graph, &first, 1, &host);
    hipGraphInstantiate(&executable, graph, nullptr, nullptr, 0);
    return hipGraphLaunch(executable, nullptr);
}

using launches_death_test = launches;

// The other groups would run forever.
TEST_F(launches_death_test, a_trap_fails_the_context_and_the_program_goes_on) {
    const hipFunction_t traps = function("traps");
    const std::pair<const char*, std::function<hipError_t(hipFunction_t)>> calls[] = {
        {"hipModuleLaunchKernel",
         [](hipFunction_t f) {
             return hipModuleLaunchKernel(f, 4, 1, 1, 128, 1, 1, 0, nullptr, nullptr, nullptr);
         }},
        {"hipLaunchKernel",
         [](hipFunction_t f) {
             return hipLaunchKernel(f, {4, 1, 1}, {64, 1, 1}, nullptr, 0, nullptr);
         }},
        {"hipLaunchCooperativeKernel",
         [](hipFunction_t f) {
             return hipLaunchCooperativeKernel(f, {4, 1, 1}, {64, 1, 1}, nullptr, 0, nullptr);
         }},
        {"hipGraphLaunch", launch_graph},
    };
    for (const char* threads : {"1", "3"}) {
        ::setenv("OPUS_EMU_THREADS", threads, 1);
        for (const auto& [name, launch] : calls) {
            EXPECT_EXIT(trap_by(launch, traps), testing::ExitedWithCode(0),
                        "^opus emulator: s_trap 2 .*\n  kernel      traps\n[^!]*"
                        "group       .0, 0, 0., wave 0\n$")
                << name << ", " << threads << " threads";
        }
    }
    ::unsetenv("OPUS_EMU_THREADS");
}

TEST_F(launches_death_test, a_trap_ends_the_program_if_it_is_to) {
    const hipFunction_t traps = function("traps");
    const auto launch = [&](const char* aborts) {
        ::setenv("OPUS_EMU_ABORT", aborts, 1);
        hipModuleLaunchKernel(traps, 4, 1, 1, 64, 1, 1, 0, nullptr, nullptr, nullptr);
        std::_Exit(0);
    };
    EXPECT_EXIT(launch("1"), testing::ExitedWithCode(70), "s_trap 2");
    EXPECT_EXIT(launch("0"), testing::ExitedWithCode(0), "s_trap 2");
    EXPECT_EXIT(launch("yes"), testing::ExitedWithCode(70), "OPUS_EMU_ABORT=yes: 1 or 0 is needed");
}

// all_state has 52 v registers and as many a registers, 512 bytes of LDS and 40 of scratch.
TEST_F(launches, a_function_has_attributes) {
    const hipFunction_t f = function("all_state");
    const struct {
        hipFunction_attribute attribute;
        int expected;
    } rows[] = {
        {HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1024},
        {HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, 512},
        {HIP_FUNC_ATTRIBUTE_CONST_SIZE_BYTES, 0},
        {HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, 40},
        {HIP_FUNC_ATTRIBUTE_NUM_REGS, 104},
        {HIP_FUNC_ATTRIBUTE_PTX_VERSION, is_gfx942 ? 94 : 95},
        {HIP_FUNC_ATTRIBUTE_BINARY_VERSION, is_gfx942 ? 94 : 95},
        {HIP_FUNC_ATTRIBUTE_CACHE_MODE_CA, 0},
        {HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, all_lds - 512},
        {HIP_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 0},
    };
    for (const auto& [attribute, expected] : rows) {
        int value = 7;
        EXPECT_EQ(hipFuncGetAttribute(&value, attribute, f), hipSuccess) << attribute;
        EXPECT_EQ(value, expected) << attribute;
    }
    hipFuncAttributes a;
    std::memset(&a, 0xee, sizeof a);
    ASSERT_EQ(hipFuncGetAttributes(&a, f), hipSuccess);
    EXPECT_EQ(a.maxThreadsPerBlock, 1024);
    EXPECT_EQ(a.sharedSizeBytes, 512u);
    EXPECT_EQ(a.constSizeBytes, 0u);
    EXPECT_EQ(a.localSizeBytes, 40u);
    EXPECT_EQ(a.numRegs, 104);
    EXPECT_EQ(a.ptxVersion, is_gfx942 ? 94 : 95);
    EXPECT_EQ(a.binaryVersion, is_gfx942 ? 94 : 95);
    EXPECT_EQ(a.cacheModeCA, 0);
    EXPECT_EQ(a.maxDynamicSharedSizeBytes, all_lds - 512);
    EXPECT_EQ(a.preferredShmemCarveout, 0);
    EXPECT_EQ(hipFuncGetAttributes(nullptr, f), hipErrorInvalidValue);
    EXPECT_EQ(hipFuncGetAttribute(nullptr, HIP_FUNC_ATTRIBUTE_NUM_REGS, f), hipErrorInvalidValue);

    EXPECT_EQ(hipFuncSetAttribute(f, hipFuncAttributePreferredSharedMemoryCarveout, 50), hipSuccess)
        << "a hint";
    EXPECT_EQ(hipFuncSetAttribute(f, static_cast<hipFuncAttribute>(77), 0), hipErrorInvalidValue);
    EXPECT_EQ(hipFuncSetAttribute(&a, hipFuncAttributePreferredSharedMemoryCarveout, 50),
              hipErrorInvalidDeviceFunction);
}

TEST_F(launches, groups_fit_or_there_are_none) {
    const hipFunction_t f = function("ids");
    int groups = 7;
    int threads = 7;
    const auto best = [&](size_t lds, int limit) {
        groups = threads = 7;
        return hipModuleOccupancyMaxPotentialBlockSize(&groups, &threads, f, lds, limit);
    };
    EXPECT_EQ(best(static_cast<size_t>(all_lds) + 1, 0), hipSuccess);
    EXPECT_EQ(groups, 0);
    EXPECT_EQ(threads, 0);
    // 63 threads and one are a wave of their own, of which a unit has room for 32.
    for (const int limit : {1, 63, 64}) {
        EXPECT_EQ(best(0, limit), hipSuccess);
        EXPECT_EQ(groups, 32 * units);
        EXPECT_EQ(threads, limit);
    }
    EXPECT_EQ(best(static_cast<size_t>(all_lds), 65), hipSuccess);
    EXPECT_EQ(groups, units);
    EXPECT_EQ(threads, 65) << "one group has the LDS, the more threads the better";
    EXPECT_EQ(best(0, -1), hipErrorInvalidValue);
    for (const int count : {-1, 0}) {
        EXPECT_EQ(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(&groups, f, count, 0),
                  hipErrorInvalidValue);
    }
    EXPECT_EQ(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(&groups, f, 1, 0), hipSuccess);
    EXPECT_EQ(groups, 32);
}

// ids, one group on each unit that has all LDS: as many as there are units and not one more.
TEST_F(launches, a_cooperative_one_has_as_many_groups_as_fit) {
    const hipFunction_t f = function("ids");
    const auto launch = [&](int groups) {
        const ints out(static_cast<size_t>(groups) * 2);
        uint32_t numbers[] = {static_cast<uint32_t>(groups), 1, 1, 1, 1};
        int* p = out.data;
        void* values[] = {&p, &numbers[0], &numbers[1], &numbers[2], &numbers[3], &numbers[4]};
        const hipError_t error =
            hipModuleLaunchCooperativeKernel(f, static_cast<unsigned>(groups), 1, 1, 1, 1, 1,
                                             static_cast<unsigned>(all_lds), nullptr, values);
        EXPECT_EQ(out[2], error == hipSuccess ? 1 : 0) << "of group 1";
        return error;
    };
    EXPECT_EQ(launch(units), hipSuccess);
    EXPECT_EQ(launch(units + 1), hipErrorCooperativeLaunchTooLarge);
}

// The launches of HIP 7, which have attributes: cooperative counts, hints do not, others are refused.
TEST_F(launches, of_hip_7_have_attributes) {
    const hipFunction_t f = function("ids");
    const auto is_refused = [](const hipError_t(&errors)[2], hipError_t expected) {
        EXPECT_EQ(errors[0], expected) << "hipLaunchKernelExC";
        EXPECT_EQ(errors[1], expected) << "hipDrvLaunchKernelEx";
    };
    const auto launch = [&](int groups, std::vector<hipLaunchAttribute> attributes,
                            hipError_t expected) {
        const ints out(static_cast<size_t>(groups) * 2);
        uint32_t numbers[] = {static_cast<uint32_t>(groups), 1, 1, 1, 1};
        int* p = out.data;
        void* values[] = {&p, &numbers[0], &numbers[1], &numbers[2], &numbers[3], &numbers[4]};
        const dim3 grid = {static_cast<uint32_t>(groups)};
        const auto count = static_cast<unsigned>(attributes.size());
        const auto lds = static_cast<unsigned>(all_lds);
        const hipLaunchConfig_t c = {grid, {1}, lds, nullptr, attributes.data(), count};
        const HIP_LAUNCH_CONFIG d = {grid, {1}, lds, nullptr, attributes.data(), count};
        const int written = expected == hipSuccess ? 1 : 0;
        EXPECT_EQ(hipLaunchKernelExC(&c, f, values), expected);
        EXPECT_EQ(out[2], written) << "of group 1";
        EXPECT_EQ(hipMemset(out.data, 0, 16), hipSuccess);
        EXPECT_EQ(hipDrvLaunchKernelEx(&d, f, values, nullptr), expected);
        EXPECT_EQ(out[2], written) << "of group 1";
    };
    hipLaunchAttribute cooperative = {hipLaunchAttributeCooperative, {1}};
    launch(units + 1, {}, hipSuccess);
    launch(units, {cooperative}, hipSuccess);
    launch(units + 1, {cooperative}, hipErrorCooperativeLaunchTooLarge);
    cooperative.value.cooperative = 0;
    launch(units + 1, {cooperative}, hipSuccess);
    for (int id = 0; id < 13; ++id) {
        const bool is_hint = id == 1 || id == 3 || (id >= 8 && id <= 10);
        const std::string text = stderr_of([&] {
            if (id != hipLaunchAttributeCooperative) {
                launch(2, {{static_cast<hipLaunchAttributeID>(id), {7}}},
                       is_hint ? hipSuccess : hipErrorNotSupported);
            }
        });
        const std::string line =
            "opus emulator: attribute " + std::to_string(id) + " of a launch is not supported\n";
        EXPECT_EQ(text, is_hint || id == hipLaunchAttributeCooperative ? "" : line + line);
    }
    hipLaunchConfig_t c = {{1}, {1}, 0, nullptr, nullptr, 1};
    HIP_LAUNCH_CONFIG d = {{1}, {1}, 0, nullptr, nullptr, 1};
    void* values[] = {&c};
    is_refused(
        {hipLaunchKernelExC(nullptr, f, values), hipDrvLaunchKernelEx(nullptr, f, values, nullptr)},
        hipErrorInvalidValue);
    is_refused({hipLaunchKernelExC(&c, f, values), hipDrvLaunchKernelEx(&d, f, values, nullptr)},
               hipErrorInvalidValue);
    c.numAttrs = 0;
    d.numAttrs = 0;
    is_refused({hipLaunchKernelExC(&c, f, nullptr), hipDrvLaunchKernelEx(&d, f, nullptr, nullptr)},
               hipErrorInvalidValue);
    EXPECT_EQ(hipLaunchKernelExC(&c, nullptr, values), hipErrorInvalidDeviceFunction);
    EXPECT_EQ(hipDrvLaunchKernelEx(&d, nullptr, values, nullptr), hipErrorInvalidHandle);
}

// A launch as clang makes it of <<<>>>, of a function that nobody registered. "end" is what comes last.
void end_after_a_failed_launch(hipError_t (*ask)(), bool by_brackets) {
    std::atexit([] { std::fputs("end\n", stderr); });
    dim3 grid;
    dim3 block;
    size_t lds = 0;
    hipStream_t stream = nullptr;
    if (by_brackets) {
        __hipPushCallConfiguration({1}, {64}, 0, nullptr);
        __hipPopCallConfiguration(&grid, &block, &lds, &stream);
    }
    const hipError_t error = hipLaunchKernel(&grid, grid, block, nullptr, lds, stream);
    std::exit(error == hipErrorInvalidDeviceFunction && (ask == nullptr || ask() == error) ? 3 : 4);
}

TEST_F(launches_death_test, that_nobody_asked_about_are_told_at_the_end) {
    testing::FLAGS_gtest_death_test_style = "threadsafe";
    const testing::ExitedWithCode right(3);
    EXPECT_EXIT(end_after_a_failed_launch(nullptr, true), right,
                "^opus emulator: a launch by <<<>>> failed with hipErrorInvalidDeviceFunction "
                ".invalid device function., and nobody asked for the error .hipGetLastError.\nend");
    EXPECT_EXIT(end_after_a_failed_launch(hipGetLastError, true), right, "^end");
    EXPECT_EXIT(end_after_a_failed_launch(hipPeekAtLastError, true), right, "^end");
    EXPECT_EXIT(end_after_a_failed_launch(hipExtGetLastError, true), right, "^end");
    EXPECT_EXIT(end_after_a_failed_launch(nullptr, false), right, "^end");
}

// Each argument by a pointer to its value, whatever its size and place.
TEST_F(launches, a_node_has_every_argument_in_its_place) {
    hipGraph_t graph = nullptr;
    hipGraphNode_t node = nullptr;
    ASSERT_EQ(hipGraphCreate(&graph, 0), hipSuccess);
    struct twelve_bytes {
        uint32_t word[3];
    };
    uint32_t* out = reinterpret_cast<uint32_t*>(0x1122334455667788);
    int number = -5;
    short small = 0x1234;
    char smaller = 0x56;
    uint64_t large = 0x99aabbccddeeff00;
    twelve_bytes bytes{{21, 22, 23}};
    const size_t sizes[] = {8, 4, 2, 1, 8, 12};
    void* values[] = {&out, &number, &small, &smaller, &large, &bytes};
    const hipFunction_t f = function("dump_kernarg");
    const hipKernelNodeParams set = {{74, 1, 1}, nullptr, f, {2, 1, 1}, values, 16};
    ASSERT_EQ(hipGraphAddKernelNode(&node, graph, nullptr, 0, &set), hipSuccess);
    hipKernelNodeParams got = {};
    ASSERT_EQ(hipGraphKernelNodeGetParams(node, &got), hipSuccess);
    for (size_t n = 0; n < std::size(sizes); ++n) {
        EXPECT_EQ(std::memcmp(got.kernelParams[n], values[n], sizes[n]), 0) << "argument " << n;
    }
    EXPECT_EQ(hipGraphDestroy(graph), hipSuccess);
}

// {1, pointer, 2, pointer to the size, 3}: in any order, with both, and with nothing else.
TEST_F(launches, a_buffer_of_arguments_is_named_with_its_size) {
    const ints out(256);
    int* p = out.data;
    size_t bytes = sizeof p;
    const auto tag = [](uintptr_t n) { return reinterpret_cast<void*>(n); };
    using extra = std::array<void*, 5>;
    const struct {
        const char* what;
        extra list;
        hipError_t expected;
    } rows[] = {
        {"buffer and size", {tag(1), &p, tag(2), &bytes, tag(3)}, hipSuccess},
        {"size and buffer", {tag(2), &bytes, tag(1), &p, tag(3)}, hipSuccess},
        {"no size", {tag(1), &p, tag(3)}, hipErrorInvalidValue},
        {"no buffer", {tag(2), &bytes, tag(3)}, hipErrorInvalidValue},
        {"nothing", {tag(3)}, hipErrorInvalidValue},
        {"no pointer to the size", {tag(1), &p, tag(2), nullptr, tag(3)}, hipErrorInvalidValue},
        {"no pointer to the buffer",
         {tag(1), nullptr, tag(2), &bytes, tag(3)},
         hipErrorInvalidValue},
        {"another tag", {tag(1), &p, tag(4), &bytes, tag(3)}, hipErrorInvalidValue},
    };
    for (auto [what, list, expected] : rows) {
        EXPECT_EQ(hipMemset(out.data, 0, 1024), hipSuccess);
        const std::string text = stderr_of([&, &l = list, e = expected, w = what] {
            EXPECT_EQ(hipModuleLaunchKernel(function("exchange"), 1, 1, 1, 256, 1, 1, 0, nullptr,
                                            nullptr, l.data()),
                      e)
                << w;
        });
        EXPECT_EQ(text, "") << what;
        EXPECT_EQ(out[0], expected == hipSuccess ? 3 * 255 + 1 : 0) << what;
    }
}

// In the way of HIP 1 a launch has the last configuration and the arguments since.
TEST_F(launches, a_configuration_is_used_once_and_forgets_arguments) {
    const hipFunction_t f = function("exchange");
    const ints out(256);
    EXPECT_EQ(hipConfigureCall({1, 1, 1}, {256, 1, 1}, 0, nullptr), hipSuccess);
    EXPECT_EQ(hipSetupArgument(&out.data, sizeof out.data, 0), hipSuccess);
    EXPECT_EQ(hipLaunchByPtr(f), hipSuccess);
    EXPECT_EQ(out[0], 3 * 255 + 1);
    EXPECT_EQ(hipLaunchByPtr(f), hipErrorMissingConfiguration);
    EXPECT_EQ(hipConfigureCall({1, 1, 1}, {256, 1, 1}, 0, nullptr), hipSuccess);
    EXPECT_EQ(hipLaunchByPtr(f), hipErrorInvalidValue) << "without arguments";
    EXPECT_EQ(hipLaunchByPtr(f), hipErrorMissingConfiguration);
}

TEST(dimensions, are_one_where_nothing_is_said) {
    constexpr dim3 none;
    constexpr dim3 two{5, 7};
    static_assert(none.x == 1 && none.y == 1 && none.z == 1);
    static_assert(two.x == 5 && two.y == 7 && two.z == 1);
    const dim3 one = {9};
    EXPECT_EQ(one.x * one.y * one.z, 9u);
}

// An image whose arguments are called something that HIP does not have.
TEST(arguments, of_opencl_are_refused) {
    auto image = read_kernels(tested_arch());
    std::string_view text(reinterpret_cast<const char*>(image.data()), image.size());
    const std::string_view known = "global_buffer";
    const std::string_view unknown = "dynamic_queue";
    ASSERT_EQ(known.size(), unknown.size());
    for (size_t at = text.find(known); at != text.npos; at = text.find(known, at)) {
        std::memcpy(image.data() + at, unknown.data(), unknown.size());
    }
    hipModule_t module = nullptr;
    hipFunction_t f = nullptr;
    ASSERT_EQ(hipModuleLoadData(&module, image.data()), hipSuccess);
    ASSERT_EQ(hipModuleGetFunction(&f, module, "exchange"), hipSuccess);
    const ints out(256);
    int* p = out.data;
    void* values[] = {&p};
    EXPECT_EQ(
        stderr_of([&] {
            EXPECT_EQ(hipModuleLaunchKernel(f, 1, 1, 1, 256, 1, 1, 0, nullptr, values, nullptr),
                      hipErrorNotSupported);
        }),
        "opus emulator: kernel exchange: arguments of kind dynamic_queue are not supported\n");
    EXPECT_EQ(out[0], 0);
    EXPECT_EQ(hipModuleUnload(module), hipSuccess);
    hipGetLastError();
}

// As the program's source has it.
TEST(messages, name_a_kernel_of_cpp) {
    const auto image = read_compiled(tested_arch());
    hipModule_t module = nullptr;
    hipFunction_t f = nullptr;
    ASSERT_EQ(hipModuleLoadData(&module, image.data()), hipSuccess);
    ASSERT_EQ(hipModuleGetFunction(&f, module, "_Z5scalePi10parametersi"), hipSuccess);
    const std::string text = stderr_of([&] {
        EXPECT_EQ(hipModuleLaunchKernel(f, 0, 1, 1, 64, 1, 1, 0, nullptr, nullptr, nullptr),
                  hipErrorInvalidValue);
    });
    EXPECT_EQ(
        text.find("opus emulator: kernel scale(int*, parameters, int): a launch of 0 x 1 x 1 "), 0u)
        << text;
    EXPECT_EQ(hipModuleUnload(module), hipSuccess);
    hipGetLastError();
}

}  // namespace
