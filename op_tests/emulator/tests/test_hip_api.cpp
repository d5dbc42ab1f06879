// libamdhip64.so from the outside: modules, launches, memory, events, errors. Kernels are those of
// kernels.s.

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "kernels.hpp"
#include "runtime/hip_api.hpp"

namespace {

struct module_kernels : testing::Test {
    void SetUp() override {
        const auto image = read_kernels(tested_arch());
        ASSERT_EQ(hipModuleLoadData(&module, image.data()), hipSuccess);
    }
    void TearDown() override { EXPECT_EQ(hipModuleUnload(module), hipSuccess); }

    hipFunction_t function(const char* name) const {
        hipFunction_t f = nullptr;
        EXPECT_EQ(hipModuleGetFunction(&f, module, name), hipSuccess);
        return f;
    }

    hipModule_t module = nullptr;
};

// Device memory that the host may read, as it may not on a machine with a GPU.
template <class T>
struct device_array {
    explicit device_array(size_t n) : count(n) {
        void* p = nullptr;
        EXPECT_EQ(hipMalloc(&p, n * sizeof(T)), hipSuccess);
        EXPECT_EQ(hipMemset(p, 0xee, n * sizeof(T)), hipSuccess);
        data = static_cast<T*>(p);
    }
    ~device_array() { EXPECT_EQ(hipFree(data), hipSuccess); }
    std::vector<T> read() const {
        std::vector<T> host(count);
        EXPECT_EQ(hipMemcpy(host.data(), data, count * sizeof(T), hipMemcpyDeviceToHost),
                  hipSuccess);
        return host;
    }
    T* data = nullptr;
    size_t count;
};

template <class... A>
hipError_t launch(hipFunction_t f, dim3 grid, dim3 block, A... arguments) {
    std::array<void*, sizeof...(A) + 1> values{&arguments..., nullptr};
    return hipModuleLaunchKernel(f, grid.x, grid.y, grid.z, block.x, block.y, block.z, 0, nullptr,
                                 values.data(), nullptr);
}

// ---- kernels ----

struct twelve_bytes {
    uint32_t word[3];
};

void check_kernarg(const std::vector<uint32_t>& dwords, const uint32_t* out) {
    const auto address = reinterpret_cast<uintptr_t>(out);
    const uint32_t expected[] = {static_cast<uint32_t>(address),
                                 static_cast<uint32_t>(address >> 32),
                                 0xfffffffb,
                                 0x00561234,
                                 0xddeeff00,
                                 0x99aabbcc,
                                 21,
                                 22,
                                 23};
    for (size_t n = 0; n < std::size(expected); ++n) {
        EXPECT_EQ(dwords[n], expected[n]) << "dword " << n;
    }
}

TEST_F(module_kernels, arguments_and_hidden_block) {
    const device_array<uint32_t> out(74);
    ASSERT_EQ(launch(function("dump_kernarg"), {1, 1, 1}, {74, 1, 1}, out.data, -5, short{0x1234},
                     char{0x56}, uint64_t{0x99aabbccddeeff00}, twelve_bytes{{21, 22, 23}}),
              hipSuccess);
    const auto dwords = out.read();
    check_kernarg(dwords, out.data);
    EXPECT_EQ(dwords[10], 1u) << "block count x";
    EXPECT_EQ(dwords[13] & 0xffff, 74u) << "group size x";
    EXPECT_EQ(dwords[13] >> 16, 1u) << "group size y";
    EXPECT_EQ(dwords[26] & 0xffff, 1u) << "grid dimensions";
    EXPECT_NE(dwords[60] | dwords[61], 0u) << "queue";
}

TEST_F(module_kernels, arguments_as_one_buffer) {
    const device_array<uint32_t> out(64);
    struct {
        uint32_t* out;
        int number = -5;
        short small = 0x1234;
        char smaller = 0x56;
        uint64_t large = 0x99aabbccddeeff00;
        twelve_bytes bytes{{21, 22, 23}};
    } arguments;
    arguments.out = out.data;
    size_t bytes = sizeof arguments;
    void* extra[] = {reinterpret_cast<void*>(1), &arguments, reinterpret_cast<void*>(2), &bytes,
                     reinterpret_cast<void*>(3)};
    ASSERT_EQ(hipModuleLaunchKernel(function("dump_kernarg"), 1, 1, 1, 64, 1, 1, 0, nullptr,
                                    nullptr, extra),
              hipSuccess);
    auto dwords = out.read();
    dwords[3] &= 0x00ffffff;  // the padding behind a char is whatever it was
    check_kernarg(dwords, out.data);
}

// What is launched with the first `bytes` bytes of a buffer of arguments says on stderr.
std::string message_of_buffer(hipFunction_t f, const void* buffer, size_t bytes,
                              hipError_t* error) {
    void* extra[] = {reinterpret_cast<void*>(1), const_cast<void*>(buffer),
                     reinterpret_cast<void*>(2), &bytes, reinterpret_cast<void*>(3)};
    testing::internal::CaptureStderr();
    *error = hipModuleLaunchKernel(f, 1, 1, 1, 64, 1, 1, 0, nullptr, nullptr, extra);
    return testing::internal::GetCapturedStderr();
}

// dump_kernarg takes 36 bytes; what C++ makes of them is 40.
TEST_F(module_kernels, a_buffer_of_arguments_may_lack_padding_and_nothing_else) {
    const device_array<uint32_t> out(64);
    std::array<std::byte, 40> buffer{};
    std::memcpy(buffer.data(), &out.data, sizeof out.data);
    std::memset(buffer.data() + 24, 0x77, 16);
    const hipFunction_t f = function("dump_kernarg");
    hipError_t error = hipErrorUnknown;
    EXPECT_EQ(message_of_buffer(f, buffer.data(), 36, &error), "");
    EXPECT_EQ(error, hipSuccess);
    EXPECT_EQ(out.read()[8], 0x77777777u);
    EXPECT_EQ(out.read()[9], 0u) << "behind the buffer";
    EXPECT_EQ(message_of_buffer(f, buffer.data(), 35, &error),
              "opus emulator: kernel dump_kernarg: the buffer of arguments has 35 bytes and ends "
              "inside of argument 6, 12 bytes from byte 24; all arguments take 36 bytes\n");
    EXPECT_EQ(error, hipErrorInvalidValue);
    EXPECT_EQ(message_of_buffer(f, buffer.data(), 16, &error),
              "opus emulator: kernel dump_kernarg: the buffer of arguments has 16 bytes and ends "
              "before argument 5, 8 bytes from byte 16; all arguments take 36 bytes\n");
    EXPECT_EQ(error, hipErrorInvalidValue);
    hipGetLastError();
}

TEST_F(module_kernels, too_many_threads_for_the_kernel_are_reported_with_both_numbers) {
    const device_array<uint32_t> out(512);
    testing::internal::CaptureStderr();
    EXPECT_EQ(launch(function("exchange"), {1, 1, 1}, {128, 4, 1}, out.data),
              hipErrorLaunchFailure);
    EXPECT_EQ(
        testing::internal::GetCapturedStderr(),
        "opus emulator: kernel exchange: a group of 128 x 4 x 1 = 512 threads; the kernel was "
        "compiled for at most 256 (__launch_bounds__)\n");
    hipGetLastError();
}

TEST_F(module_kernels, a_launch_of_nothing_or_of_too_many_is_reported_with_its_numbers) {
    const device_array<uint32_t> out(512);
    const std::string rule =
        " threads; each number is at least 1, a group has at most 1024 threads and a grid fewer "
        "than 2^32 in each dimension\n";
    const auto message = [&](dim3 groups, dim3 threads) {
        testing::internal::CaptureStderr();
        EXPECT_EQ(launch(function("exchange"), groups, threads, out.data), hipErrorInvalidValue);
        hipGetLastError();
        return testing::internal::GetCapturedStderr();
    };
    EXPECT_EQ(message({0, 2, 3}, {64, 1, 1}),
              "opus emulator: kernel exchange: a launch of 0 x 2 x 3 groups of 64 x 1 x 1" + rule);
    EXPECT_EQ(
        message({1, 1, 1}, {1024, 2, 1}),
        "opus emulator: kernel exchange: a launch of 1 x 1 x 1 groups of 1024 x 2 x 1" + rule);
}

// exchange has 1024 bytes of its own.
TEST_F(module_kernels, too_much_lds_is_reported_with_what_is_asked_for_and_what_there_is) {
    const device_array<uint32_t> out(256);
    const std::string arch = tested_arch();
    const unsigned limit = arch == "gfx942" ? 64 * 1024 : 160 * 1024;
    const std::string message = "opus emulator: kernel exchange: " + std::to_string(limit + 1) +
                                " bytes of LDS are asked for (1024 static, " +
                                std::to_string(limit - 1023) + " dynamic); a group has at most " +
                                std::to_string(limit) + " on " + arch + "\n";
    void* p = out.data;
    void* values[] = {&p};
    const hipFunction_t f = function("exchange");
    testing::internal::CaptureStderr();
    EXPECT_EQ(hipModuleLaunchKernel(f, 1, 1, 1, 256, 1, 1, limit - 1023, nullptr, values, nullptr),
              hipErrorInvalidValue);
    EXPECT_EQ(testing::internal::GetCapturedStderr(), message);

    const auto set = [&](int bytes) {
        return hipFuncSetAttribute(f, hipFuncAttributeMaxDynamicSharedMemorySize, bytes);
    };
    const auto most = [&] {
        hipFuncAttributes attributes = {};
        EXPECT_EQ(hipFuncGetAttributes(&attributes, f), hipSuccess);
        return attributes.maxDynamicSharedSizeBytes;
    };
    const auto all = static_cast<int>(limit) - 1024;
    EXPECT_EQ(most(), all);
    testing::internal::CaptureStderr();
    EXPECT_EQ(set(all + 1), hipErrorInvalidValue);
    EXPECT_EQ(testing::internal::GetCapturedStderr(), message);
    EXPECT_EQ(set(-1), hipErrorInvalidValue);
    EXPECT_EQ(most(), all);
    EXPECT_EQ(set(0), hipSuccess);
    EXPECT_EQ(most(), 0);
    EXPECT_EQ(set(4096), hipSuccess);
    EXPECT_EQ(most(), 4096);
    int value = 0;
    EXPECT_EQ(hipFuncGetAttribute(&value, HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, f),
              hipSuccess);
    EXPECT_EQ(value, 4096);
    // It is a hint for devices that divide their LDS: a launch may have all there is.
    EXPECT_EQ(hipModuleLaunchKernel(f, 1, 1, 1, 256, 1, 1, limit - 1024, nullptr, values, nullptr),
              hipSuccess);
    EXPECT_EQ(set(all), hipSuccess);
    hipGetLastError();
}

void check_ids(hipFunction_t ids, std::array<uint32_t, 3> grid, std::array<uint32_t, 3> block) {
    const uint32_t threads = block[0] * block[1] * block[2];
    const uint32_t groups = grid[0] * grid[1] * grid[2];
    const device_array<uint64_t> out(size_t{groups} * threads + 64);
    ASSERT_EQ(launch(ids, {grid[0], grid[1], grid[2]}, {block[0], block[1], block[2]}, out.data,
                     grid[0], grid[1], block[0], block[1], threads),
              hipSuccess);
    const auto result = out.read();
    for (uint32_t g = 0; g < groups; ++g) {
        for (uint32_t t = 0; t < threads; ++t) {
            const uint64_t group =
                g % grid[0] | (g / grid[0] % grid[1]) << 8 | (g / grid[0] / grid[1]) << 16;
            const uint64_t item =
                t % block[0] | (t / block[0] % block[1]) << 10 | (t / block[0] / block[1]) << 20;
            ASSERT_EQ(result[size_t{g} * threads + t], group | item << 32)
                << "group " << g << ", work-item " << t;
        }
    }
    for (size_t n = size_t{groups} * threads; n < result.size(); ++n) {
        EXPECT_EQ(result[n], 0xeeeeeeeeeeeeeeee) << "written behind the last work-item";
    }
}

TEST_F(module_kernels, every_group_and_work_item_once_with_its_ids) {
    const hipFunction_t ids = function("ids");
    check_ids(ids, {1, 1, 1}, {64, 1, 1});
    check_ids(ids, {3, 1, 1}, {100, 1, 1});
    check_ids(ids, {5, 4, 3}, {7, 5, 3});
    check_ids(ids, {1, 200, 1}, {1, 1, 1});
    check_ids(ids, {2, 1, 2}, {1024, 1, 1});
}

TEST_F(module_kernels, waves_of_a_group_meet_at_the_barrier_and_share_lds) {
    const device_array<uint32_t> out(256);
    ASSERT_EQ(launch(function("exchange"), {1, 1, 1}, {256, 1, 1}, out.data), hipSuccess);
    const auto result = out.read();
    for (uint32_t t = 0; t < 256; ++t) {
        ASSERT_EQ(result[t], 3 * (255 - t) + 1) << "work-item " << t;
    }
}

TEST_F(module_kernels, a_barrier_waits_for_a_wave_that_takes_long) {
    const device_array<uint32_t> out(64);
    ASSERT_EQ(launch(function("late_wave"), {1, 1, 1}, {128, 1, 1}, out.data), hipSuccess);
    const auto result = out.read();
    for (uint32_t t = 0; t < 64; ++t) {
        ASSERT_EQ(result[t], 64 + t);
    }
}

TEST_F(module_kernels, a_wave_that_has_ended_does_not_hold_up_the_barrier) {
    const device_array<uint32_t> out(64);
    ::setenv("OPUS_EMU_CHECK", "waits,races", 1);  // by default it is reported
    const hipError_t error = launch(function("early_end"), {1, 1, 1}, {128, 1, 1}, out.data);
    ::unsetenv("OPUS_EMU_CHECK");
    ASSERT_EQ(error, hipSuccess);
    const auto result = out.read();
    for (uint32_t t = 0; t < 64; ++t) {
        ASSERT_EQ(result[t], t);
    }
}

// OPUS_EMU_THREADS for one scope.
struct thread_setting {
    explicit thread_setting(const char* value) {
        if (const char* p = std::getenv("OPUS_EMU_THREADS")) {
            before = p;
        }
        ::setenv("OPUS_EMU_THREADS", value, 1);
    }
    ~thread_setting() {
        if (before.empty()) {
            ::unsetenv("OPUS_EMU_THREADS");
        } else {
            ::setenv("OPUS_EMU_THREADS", before.c_str(), 1);
        }
    }
    std::string before;
};

TEST_F(module_kernels, groups_that_wait_for_each_other) {
    for (const char* threads : {"1", "2", "5"}) {
        const thread_setting setting(threads);
        for (uint32_t groups : {2u, 3u, 64u}) {
            const device_array<uint32_t> out(groups);
            const device_array<uint32_t> counter(1);
            ASSERT_EQ(hipMemset(counter.data, 0, 4), hipSuccess);
            ASSERT_EQ(launch(function("rendezvous"), {groups, 1, 1}, {1, 1, 1}, out.data,
                             counter.data, groups),
                      hipSuccess);
            for (uint32_t seen : out.read()) {
                EXPECT_EQ(seen, groups) << threads << " threads";
            }
        }
    }
}

TEST_F(module_kernels, launches_from_several_host_threads) {
    const hipFunction_t ids = function("ids");
    std::vector<std::thread> threads;
    for (uint32_t n = 1; n <= 4; ++n) {
        threads.emplace_back([=] {
            for (int round = 0; round < 5; ++round) {
                check_ids(ids, {n, 2, 1}, {50 * n, 1, 1});
            }
        });
    }
    for (std::thread& t : threads) {
        t.join();
    }
}

// ---- reports of what cannot go on ----

using module_kernels_death_test = module_kernels;

TEST_F(module_kernels_death_test, an_unknown_instruction_ends_the_process_with_a_report) {
    const hipFunction_t f = function("unknown_instruction");
    EXPECT_EXIT(launch(f, {3, 1, 1}, {200, 1, 1}), testing::ExitedWithCode(70),
                "kernel +unknown_instruction\n.*"
                "pc +\\+0x4 .*\n.*"
                "instruction +v_smfmac_f32_16x16x32_f16 .*\n.*"
                "group +\\([012], 0, 0\\), wave [0-3]");
}

TEST_F(module_kernels_death_test, what_is_no_instruction) {
    const hipFunction_t f = function("undecodable");
    EXPECT_EXIT(launch(f, {1, 1, 1}, {64, 1, 1}), testing::ExitedWithCode(70),
                "kernel +undecodable\n.*pc +\\+0x0 ");
}

TEST_F(module_kernels_death_test, a_store_to_memory_that_is_not_allocated) {
    const hipFunction_t f = function("wild_store");
    EXPECT_EXIT(launch(f, {1, 1, 1}, {64, 1, 1}), testing::ExitedWithCode(70),
                "kernel +wild_store\n.*global_store_dword");
}

TEST_F(module_kernels_death_test, a_branch_out_of_the_code) {
    const hipFunction_t f = function("runs_away");
    EXPECT_EXIT(launch(f, {1, 1, 1}, {64, 1, 1}), testing::ExitedWithCode(70),
                "kernel +runs_away\n.*pc +\\+0x20000 ");
}

TEST_F(module_kernels_death_test, what_was_printed_before_is_not_lost) {
    const hipFunction_t f = function("unknown_instruction");
    EXPECT_EXIT(
        {
            std::fputs("before the launch ", stdout);
            // EXPECT_EXIT sees stderr only.
            ::dup2(2, 1);
            launch(f, {1, 1, 1}, {64, 1, 1});
        },
        testing::ExitedWithCode(70), "^before the launch opus emulator: ");
}

// ---- what a launch refuses ----

TEST_F(module_kernels, a_launch_checks_dimensions_lds_bounds_and_arguments) {
    const hipFunction_t ids = function("ids");
    const device_array<uint32_t> out(256);
    EXPECT_EQ(launch(ids, {0, 1, 1}, {64, 1, 1}, out.data, 1, 1, 1, 1, 1), hipErrorInvalidValue);
    EXPECT_EQ(launch(ids, {1, 1, 1}, {1025, 1, 1}, out.data, 1, 1, 1, 1, 1), hipErrorInvalidValue);
    EXPECT_EQ(launch(function("exchange"), {1, 1, 1}, {512, 1, 1}, out.data),
              hipErrorLaunchFailure);

    const unsigned limit = tested_arch() == "gfx942" ? 64 * 1024 : 160 * 1024;
    void* p = out.data;
    void* values[] = {&p};
    const auto with_lds = [&](unsigned bytes) {
        return hipModuleLaunchKernel(function("exchange"), 1, 1, 1, 256, 1, 1, bytes, nullptr,
                                     values, nullptr);
    };
    EXPECT_EQ(with_lds(limit - 1024), hipSuccess);
    EXPECT_EQ(with_lds(limit - 1023), hipErrorInvalidValue);

    const auto with = [&](void** v, void** extra) {
        return hipModuleLaunchKernel(ids, 1, 1, 1, 64, 1, 1, 0, nullptr, v, extra);
    };
    EXPECT_EQ(with(nullptr, nullptr), hipErrorInvalidValue);
    void* end[] = {reinterpret_cast<void*>(3)};
    EXPECT_EQ(with(values, end), hipErrorInvalidValue);
    EXPECT_EQ(with(nullptr, end), hipErrorInvalidValue);
    void* no_size[] = {reinterpret_cast<void*>(2), nullptr, reinterpret_cast<void*>(3)};
    EXPECT_EQ(with(nullptr, no_size), hipErrorInvalidValue);
    void* no_value[] = {&p, &p, nullptr, &p, &p, &p};
    EXPECT_EQ(with(no_value, nullptr), hipErrorInvalidValue);
    void* unknown[] = {reinterpret_cast<void*>(4), nullptr, reinterpret_cast<void*>(3)};
    EXPECT_EQ(with(nullptr, unknown), hipErrorInvalidValue);

    EXPECT_EQ(hipLaunchKernel(&p, {1, 1, 1}, {1, 1, 1}, nullptr, 0, nullptr),
              hipErrorInvalidDeviceFunction);
    EXPECT_EQ(hipLaunchKernel(nullptr, {1, 1, 1}, {1, 1, 1}, nullptr, 0, nullptr),
              hipErrorInvalidDeviceFunction);
    EXPECT_EQ(hipModuleLaunchKernel(nullptr, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr),
              hipErrorInvalidHandle);
    EXPECT_EQ(hipModuleLaunchKernel(reinterpret_cast<hipFunction_t>(&p), 1, 1, 1, 1, 1, 1, 0,
                                    nullptr, nullptr, nullptr),
              hipErrorInvalidHandle);
    EXPECT_EQ(hipModuleLaunchKernel(function("exchange"), 1, 1, 1, 256, 1, 1, 0,
                                    reinterpret_cast<hipStream_t>(&p), values, nullptr),
              hipErrorContextIsDestroyed);
}

// ---- modules ----

TEST_F(module_kernels, functions_and_globals) {
    hipFunction_t f = nullptr;
    EXPECT_EQ(hipModuleGetFunction(&f, module, "no_such_kernel"), hipErrorNotFound);
    EXPECT_EQ(function("ids"), function("ids"));

    hipDeviceptr_t number = nullptr;
    size_t bytes = 0;
    ASSERT_EQ(hipModuleGetGlobal(&number, &bytes, module, "number"), hipSuccess);
    EXPECT_EQ(bytes, 4u);
    uint32_t value = 0;
    ASSERT_EQ(hipMemcpy(&value, number, 4, hipMemcpyDeviceToHost), hipSuccess);
    EXPECT_EQ(value, 1234u);
    void* pointer = nullptr;
    hipDeviceptr_t pointer_variable = nullptr;
    ASSERT_EQ(hipModuleGetGlobal(&pointer_variable, nullptr, module, "pointer"), hipSuccess);
    ASSERT_EQ(hipMemcpy(&pointer, pointer_variable, 8, hipMemcpyDeviceToHost), hipSuccess);
    EXPECT_EQ(pointer, number);
    EXPECT_EQ(hipModuleGetGlobal(&number, &bytes, module, "ids"), hipErrorNotFound);
}

TEST(modules, from_files_and_what_is_no_module) {
    hipModule_t module = nullptr;
    EXPECT_EQ(hipModuleLoad(&module, "no such file"), hipErrorFileNotFound);
    EXPECT_EQ(hipModuleLoad(&module, kernels_path(other_arch()).c_str()), hipErrorNoBinaryForGpu);
    EXPECT_EQ(hipModuleLoad(&module, OPUS_EMU_FUNCTIONS), hipErrorInvalidImage);
    EXPECT_EQ(hipModuleLoadData(&module, "this is not a code object at all"), hipErrorInvalidImage);
    ASSERT_EQ(hipModuleLoad(&module, kernels_path(tested_arch()).c_str()), hipSuccess);
    hipFunction_t f = nullptr;
    ASSERT_EQ(hipModuleGetFunction(&f, module, "ids"), hipSuccess);
    EXPECT_EQ(hipModuleUnload(module), hipSuccess);
    EXPECT_EQ(hipModuleUnload(module), hipErrorNotFound);
    EXPECT_EQ(hipModuleGetFunction(&f, module, "ids"), hipErrorInvalidHandle);
    EXPECT_EQ(launch(f, {1, 1, 1}, {1, 1, 1}), hipErrorInvalidHandle);
    hipGetLastError();
}

// An image whose size nobody says, and whose headers point behind what can be read: the pages after
// it are not there.
TEST(modules, an_image_in_memory_that_is_damaged_or_cut_off) {
    const auto whole = read_kernels(tested_arch());
    const size_t page = 4096;
    const size_t pages = (whole.size() + page - 1) / page * page;
    void* mapped =
        ::mmap(nullptr, pages + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(mapped, MAP_FAILED);
    auto* image = static_cast<std::byte*>(mapped);
    ASSERT_EQ(::mprotect(image + pages, page, PROT_NONE), 0);
    hipModule_t module = nullptr;
    const auto load = [&] {
        const hipError_t error = hipModuleLoadData(&module, image);
        if (error == hipSuccess) {
            EXPECT_EQ(hipModuleUnload(module), hipSuccess);
        }
        return error;
    };
    std::memcpy(image, whole.data(), whole.size());
    EXPECT_EQ(load(), hipSuccess);
    // e_phoff, e_shoff, e_phnum and e_shnum, the first program header's offset and size.
    for (const size_t field : {32u, 40u, 56u, 60u, 72u, 96u}) {
        std::memcpy(image, whole.data(), whole.size());
        std::memset(image + field, 0xff, 2);
        std::memset(image + field + (field == 56 || field == 60 ? 0 : 4), 0x7f, 2);
        EXPECT_EQ(load(), hipErrorInvalidImage) << field;
    }
    // A bundle and an offload binary of 2^40 bytes, a compressed bundle of 2^31.
    const std::string magics[] = {"__CLANG_OFFLOAD_BUNDLE__", "\x10\xff\x10\xad\1",
                                  std::string("CCOB\3\0\1\0", 8)};
    for (const std::string& magic : magics) {
        std::memset(image, 0, pages);
        std::memcpy(image, magic.data(), magic.size());
        const uint64_t numbers[] = {1, uint64_t{1} << 40, 1, uint64_t{1} << 31};
        std::memcpy(image + 24, numbers, sizeof numbers);
        std::memcpy(image + 8, magic.size() > 8 ? magic.data() + 8 : "\0\0\0\0\1", 5);
        EXPECT_EQ(load(), hipErrorInvalidImage) << magic;
    }
    std::memcpy(image + pages - 4, "\177ELF", 4);
    EXPECT_EQ(hipModuleLoadData(&module, image + pages - 4), hipErrorInvalidImage);
    EXPECT_EQ(hipModuleLoadData(&module, image + pages), hipErrorInvalidImage) << "not readable";
    EXPECT_EQ(::munmap(mapped, pages + page), 0);
    hipGetLastError();
}

// What the compiler and its packager make, in memory and from a file.
TEST(modules, of_the_compiler) {
    for (const char* kind : {".hipfb", "_compressed.hipfb", "_new_driver.hipfb"}) {
        const std::string path = std::string(OPUS_EMU_TEST_KERNELS) + "/hip_program" + kind;
        const auto image = read_bytes(path);
        hipModule_t modules[3] = {};
        ASSERT_EQ(hipModuleLoad(&modules[0], path.c_str()), hipSuccess) << kind;
        ASSERT_EQ(hipModuleLoadData(&modules[1], image.data()), hipSuccess) << kind;
        ASSERT_EQ(hipModuleLoadDataEx(&modules[2], image.data(), 0, nullptr, nullptr), hipSuccess);
        int expected = 40;
        for (hipModule_t module : modules) {
            hipFunction_t count = nullptr;
            ASSERT_EQ(hipModuleGetFunction(&count, module, "_Z5countv"), hipSuccess);
            EXPECT_EQ(hipModuleLaunchKernel(count, 3, 1, 1, 50, 1, 1, 0, nullptr, nullptr, nullptr),
                      hipSuccess);
            hipDeviceptr_t counter = nullptr;
            size_t bytes = 0;
            ASSERT_EQ(hipModuleGetGlobal(&counter, &bytes, module, "counter"), hipSuccess);
            EXPECT_EQ(bytes, sizeof(int));
            int value = 0;
            EXPECT_EQ(hipMemcpy(&value, counter, bytes, hipMemcpyDeviceToHost), hipSuccess);
            EXPECT_EQ(value, expected + 150) << "each module has variables of its own";
            EXPECT_EQ(hipModuleUnload(module), hipSuccess);
        }
    }
}

// ---- registration, as a program's constructors do it ----

struct fat_binary_wrapper {
    uint32_t magic = 0x48495046;
    uint32_t version = 1;
    const void* image = nullptr;
    void* unused = nullptr;
};

TEST(registration, kernels_and_variables_until_unregistered) {
    const auto image = read_kernels(tested_arch());
    const fat_binary_wrapper wrapper{.image = image.data()};
    void** handle = __hipRegisterFatBinary(&wrapper);
    ASSERT_NE(handle, nullptr);
    char kernel = 0;    // their addresses stand for a host function's
    char variable = 0;  // and a host variable's
    char number[] = "number";
    __hipRegisterFunction(handle, &kernel, nullptr, "exchange", 0, nullptr, nullptr, nullptr,
                          nullptr, nullptr);
    __hipRegisterVar(handle, &variable, number, number, 0, 4, 0, 0);
    {
        const device_array<uint32_t> out(256);
        void* p = out.data;
        void* values[] = {&p};
        EXPECT_EQ(hipLaunchKernel(&kernel, {1, 1, 1}, {256, 1, 1}, values, 0, nullptr), hipSuccess);
        EXPECT_EQ(out.read()[255], 1u);
        // With the kernel's own 1024 bytes 2^64, which is not none.
        testing::internal::CaptureStderr();
        EXPECT_EQ(hipLaunchKernel(&kernel, {1, 1, 1}, {256, 1, 1}, values, ~size_t{1023}, nullptr),
                  hipErrorInvalidValue);
        EXPECT_NE(testing::internal::GetCapturedStderr().find(
                      " 18446744073709551615 bytes of LDS are asked for (1024 static, "
                      "18446744073709550592 dynamic)"),
                  std::string::npos);
        values[0] = nullptr;
        EXPECT_EQ(hipLaunchKernel(&kernel, {1, 1, 1}, {256, 1, 1}, values, 0, nullptr),
                  hipErrorInvalidValue);
    }
    uint32_t value = 0;
    EXPECT_EQ(hipMemcpyFromSymbol(&value, &variable, 4, 0, hipMemcpyDeviceToHost), hipSuccess);
    EXPECT_EQ(value, 1234u);
    EXPECT_EQ(hipMemcpyFromSymbol(&value, &variable, 4, 1, hipMemcpyDeviceToHost),
              hipErrorInvalidValue);
    void* address = nullptr;
    size_t bytes = 0;
    EXPECT_EQ(hipGetSymbolSize(&bytes, &variable), hipSuccess);
    EXPECT_EQ(bytes, 4u);
    EXPECT_EQ(hipGetSymbolAddress(&address, &variable), hipSuccess);
    value = 0;
    EXPECT_EQ(hipMemcpy(&value, address, 4, hipMemcpyDeviceToHost), hipSuccess);
    EXPECT_EQ(value, 1234u);
    EXPECT_EQ(hipGetSymbolSize(nullptr, &variable), hipErrorInvalidValue);
    EXPECT_EQ(hipGetSymbolAddress(nullptr, &variable), hipErrorInvalidValue);
    EXPECT_EQ(hipGetSymbolSize(&bytes, &value), hipErrorInvalidSymbol);
    EXPECT_EQ(hipGetSymbolAddress(&address, &value), hipErrorInvalidSymbol);
    __hipUnregisterFatBinary(handle);
    EXPECT_EQ(hipLaunchKernel(&kernel, {1, 1, 1}, {256, 1, 1}, nullptr, 0, nullptr),
              hipErrorInvalidDeviceFunction);
    EXPECT_EQ(hipMemcpyFromSymbol(&value, &variable, 4, 0, hipMemcpyDeviceToHost),
              hipErrorInvalidSymbol);
    hipGetLastError();
}

TEST(registration, graphs_copy_variables) {
    const auto image = read_kernels(tested_arch());
    const fat_binary_wrapper wrapper{.image = image.data()};
    void** handle = __hipRegisterFatBinary(&wrapper);
    char variable = 0;
    char number[] = "number";
    __hipRegisterVar(handle, &variable, number, number, 0, 4, 0, 0);
    uint32_t new_value = 5;
    uint32_t other_value = 6;
    uint32_t read[2] = {};
    hipGraph_t graph = nullptr;
    hipGraphExec_t executable = nullptr;
    hipGraphNode_t to = nullptr;
    hipGraphNode_t from = nullptr;
    constexpr auto down = hipMemcpyDeviceToHost;
    constexpr auto up = hipMemcpyHostToDevice;
    const auto run = [&] {
        EXPECT_EQ(hipGraphLaunch(executable, nullptr), hipSuccess);
        const auto was = read[0];
        read[0] = 0;
        return was;
    };
    ASSERT_EQ(hipGraphCreate(&graph, 0), hipSuccess);
    EXPECT_EQ(
        hipGraphAddMemcpyNodeToSymbol(&to, graph, nullptr, 0, &variable, &new_value, 4, 1, up),
        hipErrorInvalidValue);
    ASSERT_EQ(
        hipGraphAddMemcpyNodeToSymbol(&to, graph, nullptr, 0, &variable, &new_value, 4, 0, up),
        hipSuccess);
    ASSERT_EQ(hipGraphAddMemcpyNodeFromSymbol(&from, graph, &to, 1, read, &variable, 4, 0, down),
              hipSuccess);
    ASSERT_EQ(hipGraphInstantiate(&executable, graph, nullptr, nullptr, 0), hipSuccess);
    EXPECT_EQ(run(), 5u);
    EXPECT_EQ(
        hipGraphExecMemcpyNodeSetParamsToSymbol(executable, to, &variable, &other_value, 4, 0, up),
        hipSuccess);
    EXPECT_EQ(run(), 6u);
    EXPECT_EQ(hipGraphExecMemcpyNodeSetParamsFromSymbol(executable, from, read + 1, &variable, 4, 0,
                                                        down),
              hipSuccess);
    EXPECT_EQ(run(), 0u);
    EXPECT_EQ(read[1], 6u);
    EXPECT_EQ(hipGraphExecDestroy(executable), hipSuccess);
    EXPECT_EQ(hipGraphMemcpyNodeSetParamsToSymbol(to, &variable, &other_value, 2, 0, up),
              hipSuccess);
    EXPECT_EQ(hipGraphMemcpyNodeSetParamsFromSymbol(from, read, &variable, 2, 2, down), hipSuccess);
    ASSERT_EQ(hipGraphInstantiate(&executable, graph, nullptr, nullptr, 0), hipSuccess);
    const uint32_t parts = 0x00070000;
    EXPECT_EQ(hipMemcpyToSymbol(&variable, &parts, 4, 0, up), hipSuccess);
    EXPECT_EQ(run(), 7u) << "the upper half";
    EXPECT_EQ(hipGraphExecDestroy(executable), hipSuccess);
    EXPECT_EQ(hipGraphDestroy(graph), hipSuccess);
    __hipUnregisterFatBinary(handle);
    hipGetLastError();
}

// A symbol is on the device: it is copied to from the host or the device, and from to either.
TEST(registration, symbols_are_copied_by_every_function_in_its_direction) {
    const auto image = read_kernels(tested_arch());
    const fat_binary_wrapper wrapper{.image = image.data()};
    void** handle = __hipRegisterFatBinary(&wrapper);
    char variable = 0;
    char name[] = "pointer";  // of 8 bytes
    __hipRegisterVar(handle, &variable, name, name, 0, 8, 0, 0);
    const device_array<char> device(8);
    char host[8] = {};
    using to_symbol = std::function<hipError_t(const void*, size_t, size_t, hipMemcpyKind)>;
    using from_symbol = std::function<hipError_t(void*, size_t, size_t, hipMemcpyKind)>;
    const to_symbol writers[] = {
        [&](auto from, auto bytes, auto offset, auto kind) {
            return hipMemcpyToSymbol(&variable, from, bytes, offset, kind);
        },
        [&](auto from, auto bytes, auto offset, auto kind) {
            return hipMemcpyToSymbol_spt(&variable, from, bytes, offset, kind);
        },
        [&](auto from, auto bytes, auto offset, auto kind) {
            return hipMemcpyToSymbolAsync(&variable, from, bytes, offset, kind, nullptr);
        },
        [&](auto from, auto bytes, auto offset, auto kind) {
            return hipMemcpyToSymbolAsync_spt(&variable, from, bytes, offset, kind, nullptr);
        },
    };
    const from_symbol readers[] = {
        [&](auto to, auto bytes, auto offset, auto kind) {
            return hipMemcpyFromSymbol(to, &variable, bytes, offset, kind);
        },
        [&](auto to, auto bytes, auto offset, auto kind) {
            return hipMemcpyFromSymbol_spt(to, &variable, bytes, offset, kind);
        },
        [&](auto to, auto bytes, auto offset, auto kind) {
            return hipMemcpyFromSymbolAsync(to, &variable, bytes, offset, kind, nullptr);
        },
        [&](auto to, auto bytes, auto offset, auto kind) {
            return hipMemcpyFromSymbolAsync_spt(to, &variable, bytes, offset, kind, nullptr);
        },
    };
    constexpr auto wrong_way = hipErrorInvalidMemcpyDirection;
    for (int n = 0; n < 4; ++n) {
        SCOPED_TRACE(n);
        const to_symbol& write = writers[n];
        const from_symbol& read = readers[n];
        const uint64_t value = 0x1122334455667788 + static_cast<uint64_t>(n);
        uint64_t got = 0;
        EXPECT_EQ(write(&value, 8, 0, hipMemcpyHostToDevice), hipSuccess);
        EXPECT_EQ(read(device.data, 8, 0, hipMemcpyDeviceToDevice), hipSuccess);
        EXPECT_EQ(hipMemset(device.data, 0x55, 1), hipSuccess);
        EXPECT_EQ(write(device.data, 1, 7, hipMemcpyDeviceToDevice), hipSuccess);
        EXPECT_EQ(read(&got, 8, 0, hipMemcpyDeviceToHost), hipSuccess);
        EXPECT_EQ(got, (value & 0x00ffffffffffffff) | uint64_t{0x55} << 56);
        EXPECT_EQ(write(host, 1, 0, hipMemcpyHostToHost), wrong_way);
        EXPECT_EQ(write(host, 1, 0, hipMemcpyDeviceToHost), wrong_way);
        EXPECT_EQ(read(host, 1, 0, hipMemcpyHostToHost), wrong_way);
        EXPECT_EQ(read(host, 1, 0, hipMemcpyHostToDevice), wrong_way);
        EXPECT_EQ(write(host, 1, 0, hipMemcpyDefault), hipSuccess);
        EXPECT_EQ(read(host, 1, 0, hipMemcpyDefault), hipSuccess);
        // The last byte, none behind it, and no more.
        for (const auto& [bytes, offset, error] : {std::tuple{size_t{1}, size_t{7}, hipSuccess},
                                                   {0, 8, hipSuccess},
                                                   {8, 0, hipSuccess},
                                                   {1, 8, hipErrorInvalidValue},
                                                   {0, 9, hipErrorInvalidValue},
                                                   {9, 0, hipErrorInvalidValue},
                                                   {8, 1, hipErrorInvalidValue},
                                                   {~size_t{0}, 1, hipErrorInvalidValue},
                                                   {1, ~size_t{0}, hipErrorInvalidValue}}) {
            EXPECT_EQ(write(host, bytes, offset, hipMemcpyHostToDevice), error)
                << bytes << " at " << offset;
            EXPECT_EQ(read(host, bytes, offset, hipMemcpyDeviceToHost), error)
                << bytes << " at " << offset;
        }
    }
    __hipUnregisterFatBinary(handle);
    hipGetLastError();
}

// The host's pointer and the device's variable of 8 bytes get the address of memory with the first
// value; the pointer's target stands for the variable.
TEST(registration, managed_variables) {
    const auto image = read_kernels(tested_arch());
    const fat_binary_wrapper wrapper{.image = image.data()};
    const auto number_of = [&](const char* device_name, size_t size, void** pointer) {
        void** handle = __hipRegisterFatBinary(&wrapper);
        char initial[16] = "initial value..";
        __hipRegisterManagedVar(handle, pointer, initial, device_name, size, 8);
        return handle;
    };
    char variable = 0;
    char name[] = "pointer";
    void* memory = nullptr;
    void** handle = number_of("pointer", 3, &memory);
    __hipRegisterVar(handle, &variable, name, name, 0, 8, 0, 0);
    ASSERT_NE(memory, nullptr);
    EXPECT_EQ(std::memcmp(memory, "ini", 3), 0);
    size_t bytes = 0;
    void* address = nullptr;
    void* on_device = nullptr;
    EXPECT_EQ(hipGetSymbolSize(&bytes, memory), hipSuccess);
    EXPECT_EQ(bytes, 3u);
    EXPECT_EQ(hipGetSymbolAddress(&address, memory), hipSuccess);
    EXPECT_EQ(address, memory);
    EXPECT_EQ(hipMemcpyFromSymbol(&on_device, &variable, 8, 0, hipMemcpyDeviceToHost), hipSuccess);
    EXPECT_EQ(on_device, memory);
    EXPECT_EQ(hipFree(memory), hipErrorInvalidValue) << "it is not the program's";
    hipPointerAttribute_t attributes = {};
    EXPECT_EQ(hipPointerGetAttributes(&attributes, memory), hipSuccess);
    EXPECT_EQ(attributes.isManaged, 1);
    EXPECT_EQ(attributes.allocationFlags, 0u);
    // Memory of hipMalloc is no variable.
    const device_array<char> other(8);
    EXPECT_EQ(hipGetSymbolSize(&bytes, other.data), hipErrorInvalidSymbol);
    __hipUnregisterFatBinary(handle);
    EXPECT_EQ(hipGetSymbolSize(&bytes, memory), hipErrorInvalidSymbol);
    EXPECT_EQ(hipGetSymbolSize(&bytes, &variable), hipErrorInvalidSymbol);

    // No variable, and one that is no pointer: whatever is used of the binary.
    for (const char* wrong : {"no_such_variable", "number"}) {
        handle = number_of(wrong, 4, &memory);
        __hipRegisterVar(handle, &variable, name, name, 0, 8, 0, 0);
        testing::internal::CaptureStderr();
        for (int twice = 0; twice < 2; ++twice) {
            EXPECT_EQ(hipGetSymbolSize(&bytes, &variable), hipErrorInvalidSymbol);
        }
        EXPECT_EQ(testing::internal::GetCapturedStderr(),
                  "opus emulator: the code object for " + tested_arch() +
                      " has no pointer for the managed variable " + wrong + "\n");
        // Its memory is there until the binary goes; any number is at least 0.
        EXPECT_EQ(hipStreamWaitValue32(nullptr, memory, 0, 0, ~0u), hipSuccess);
        __hipUnregisterFatBinary(handle);
        EXPECT_EQ(hipStreamWaitValue32(nullptr, memory, 0, 0, ~0u), hipErrorInvalidValue);
    }
    // Nothing is there of none.
    memory = &variable;
    handle = number_of("pointer", 0, &memory);
    EXPECT_EQ(memory, &variable);
    __hipRegisterManagedVar(handle, nullptr, name, "pointer", 8, 8);
    __hipUnregisterFatBinary(handle);
    hipGetLastError();
}

// One binary goes, the other stays.
TEST(registration, binaries_are_apart) {
    const auto image = read_kernels(tested_arch());
    const fat_binary_wrapper wrapper{.image = image.data()};
    char variables[2] = {};
    char kernels[2] = {};
    char name[] = "number";
    void** handles[2] = {};
    for (int n = 0; n < 2; ++n) {
        handles[n] = __hipRegisterFatBinary(&wrapper);
        __hipRegisterVar(handles[n], &variables[n], name, name, 0, 4, 0, 0);
        __hipRegisterFunction(handles[n], &kernels[n], nullptr, "all_state", 0, nullptr, nullptr,
                              nullptr, nullptr, nullptr);
    }
    const auto launch = [&](int n) {
        uint64_t argument = 0;
        void* values[] = {&argument};
        return hipLaunchKernel(&kernels[n], {1, 1, 1}, {1, 1, 1}, values, 0, nullptr);
    };
    uint32_t value = 7;
    EXPECT_EQ(hipMemcpyToSymbol(&variables[0], &value, 4, 0, hipMemcpyHostToDevice), hipSuccess);
    EXPECT_EQ(hipMemcpyFromSymbol(&value, &variables[1], 4, 0, hipMemcpyDeviceToHost), hipSuccess);
    EXPECT_EQ(value, 1234u);
    EXPECT_EQ(launch(0), hipSuccess);
    __hipUnregisterFatBinary(handles[0]);
    EXPECT_EQ(launch(0), hipErrorInvalidDeviceFunction);
    EXPECT_EQ(launch(1), hipSuccess);
    EXPECT_EQ(hipMemcpyFromSymbol(&value, &variables[0], 4, 0, hipMemcpyDeviceToHost),
              hipErrorInvalidSymbol);
    EXPECT_EQ(hipMemcpyFromSymbol(&value, &variables[1], 4, 0, hipMemcpyDeviceToHost), hipSuccess);
    __hipUnregisterFatBinary(handles[1]);
    // What is not registered, by a wrapper of another kind or by none.
    const fat_binary_wrapper wrong[] = {{.magic = 0x48495047, .image = image.data()},
                                        {.version = 2, .image = image.data()}};
    testing::internal::CaptureStderr();
    EXPECT_EQ(__hipRegisterFatBinary(&wrong[0]), nullptr);
    EXPECT_EQ(__hipRegisterFatBinary(&wrong[1]), nullptr);
    EXPECT_EQ(__hipRegisterFatBinary(nullptr), nullptr);
    const std::string message =
        "opus emulator: __hipRegisterFatBinary: not a HIP fat binary of version 1\n";
    EXPECT_EQ(testing::internal::GetCapturedStderr(), message + message + message);
    void* pointer = &value;
    __hipRegisterFunction(nullptr, &kernels[0], nullptr, "all_state", 0, nullptr, nullptr, nullptr,
                          nullptr, nullptr);
    __hipRegisterVar(nullptr, &variables[0], name, name, 0, 4, 0, 0);
    __hipRegisterManagedVar(nullptr, &pointer, name, name, 4, 4);
    __hipRegisterTexture(nullptr, nullptr, name, name, 0, 0, 0);
    __hipRegisterSurface(nullptr, nullptr, name, name, 0, 0);
    __hipUnregisterFatBinary(nullptr);
    EXPECT_EQ(pointer, &value);
    EXPECT_EQ(launch(0), hipErrorInvalidDeviceFunction);
    hipGetLastError();
}

// Twelve instructions in each of four waves.
TEST_F(module_kernels, instructions_are_counted) {
    const device_array<uint32_t> out(256);
    const uint64_t before = opus_emulator_instructions();
    for (uint64_t n = 1; n <= 2; ++n) {
        ASSERT_EQ(launch(function("exchange"), {1, 1, 1}, {256, 1, 1}, out.data), hipSuccess);
        EXPECT_EQ(opus_emulator_instructions() - before, n * 4 * 12);
    }
}

enum class beside { nothing, texture, surface };

hipError_t launch_of(const void* image, const char* name, beside other, std::string* message) {
    const fat_binary_wrapper wrapper{.image = image};
    void** handle = __hipRegisterFatBinary(&wrapper);
    char kernel = 0;
    __hipRegisterFunction(handle, &kernel, nullptr, name, 0, nullptr, nullptr, nullptr, nullptr,
                          nullptr);
    if (other == beside::texture) {
        __hipRegisterTexture(handle, nullptr, "host", "picture", 0, 0, 0);
    } else if (other == beside::surface) {
        __hipRegisterSurface(handle, nullptr, "host", "canvas", 0, 0);
    }
    testing::internal::CaptureStderr();
    const hipError_t error = hipLaunchKernel(&kernel, {1, 1, 1}, {1, 1, 1}, nullptr, 0, nullptr);
    *message = testing::internal::GetCapturedStderr();
    __hipUnregisterFatBinary(handle);
    hipGetLastError();
    return error;
}

TEST(registration, what_cannot_be_used_is_refused_at_the_first_launch) {
    std::string message;
    const auto image = read_kernels(tested_arch());
    EXPECT_EQ(launch_of(image.data(), "preload", beside::nothing, &message), hipErrorInvalidValue)
        << "it takes arguments";
    EXPECT_EQ(launch_of(image.data(), "no_such_kernel", beside::nothing, &message),
              hipErrorInvalidDeviceFunction);
    EXPECT_NE(message.find("no_such_kernel"), std::string::npos) << message;
    EXPECT_EQ(launch_of(image.data(), "all_state", beside::texture, &message),
              hipErrorNotSupported);
    EXPECT_NE(message.find("__hipRegisterTexture: textures (picture)"), std::string::npos);
    EXPECT_EQ(launch_of(image.data(), "all_state", beside::surface, &message),
              hipErrorNotSupported);
    EXPECT_NE(message.find("__hipRegisterSurface: surfaces (canvas)"), std::string::npos);
    EXPECT_EQ(launch_of(read_kernels(other_arch()).data(), "ids", beside::nothing, &message),
              hipErrorNoBinaryForGpu);
    EXPECT_NE(message.find(other_arch()), std::string::npos) << message;
    EXPECT_EQ(launch_of("no code object, no bundle, nothing", "ids", beside::nothing, &message),
              hipErrorInvalidImage);
    const fat_binary_wrapper wrong{.magic = 1};
    EXPECT_EQ(__hipRegisterFatBinary(&wrong), nullptr);
}

// ---- memory ----

TEST(memory_api, allocation) {
    void* p = &p;
    EXPECT_EQ(hipMalloc(&p, 0), hipSuccess);
    EXPECT_EQ(p, nullptr);
    EXPECT_EQ(hipFree(nullptr), hipSuccess);
    EXPECT_EQ(hipMalloc(nullptr, 4), hipErrorInvalidValue);
    EXPECT_EQ(hipMalloc(&p, SIZE_MAX / 2), hipErrorOutOfMemory);
    EXPECT_EQ(p, nullptr);
    EXPECT_EQ(hipMalloc(&p, 64), hipSuccess);
    EXPECT_EQ(hipFree(static_cast<char*>(p) + 1), hipErrorInvalidValue);
    EXPECT_EQ(hipHostFree(p), hipErrorInvalidValue);
    EXPECT_EQ(hipFree(p), hipSuccess);
    EXPECT_EQ(hipFree(p), hipErrorInvalidValue);
    EXPECT_EQ(hipHostMalloc(&p, 64, 8), hipErrorInvalidValue);
    EXPECT_EQ(hipHostMalloc(&p, 64, 0xc0000000), hipErrorInvalidValue) << "coherent and not";
    EXPECT_EQ(hipHostMalloc(&p, 64, 0x80000003), hipSuccess);
    EXPECT_EQ(hipHostFree(p), hipSuccess);
    EXPECT_EQ(hipHostMalloc(&p, 64, 0), hipSuccess);
    EXPECT_EQ(hipFree(p), hipErrorInvalidValue);
    EXPECT_EQ(hipHostFree(p), hipSuccess);
    EXPECT_EQ(hipMallocAsync(&p, 64, nullptr), hipSuccess);
    EXPECT_EQ(hipFreeAsync(p, nullptr), hipSuccess);
    hipGetLastError();
}

TEST(memory_api, copies_check_kind_and_range) {
    const device_array<char> device(64);
    const device_array<char> other(64);
    char host[64] = "some text";
    EXPECT_EQ(hipMemcpy(device.data, host, 64, hipMemcpyHostToDevice), hipSuccess);
    EXPECT_EQ(hipMemcpy(other.data, device.data, 64, hipMemcpyDeviceToDevice), hipSuccess);
    char back[64] = {};
    EXPECT_EQ(hipMemcpy(back, other.data, 64, hipMemcpyDeviceToHost), hipSuccess);
    EXPECT_STREQ(back, "some text");
    std::memset(back, 0, sizeof back);
    EXPECT_EQ(hipMemcpy(back, other.data, 64, hipMemcpyDefault), hipSuccess);
    EXPECT_STREQ(back, "some text");
    EXPECT_EQ(hipMemcpyAsync(back, host, 64, hipMemcpyHostToHost, nullptr), hipSuccess);

    EXPECT_EQ(hipMemcpy(device.data, host, 65, hipMemcpyHostToDevice), hipErrorInvalidValue);
    EXPECT_EQ(hipMemcpy(device.data + 1, host, 64, hipMemcpyDefault), hipErrorInvalidValue);
    EXPECT_EQ(hipMemcpy(back, device.data + 60, 5, hipMemcpyDeviceToHost), hipErrorInvalidValue);
    for (const hipMemcpyKind kind :
         {hipMemcpyHostToDevice, hipMemcpyDeviceToHost, hipMemcpyDeviceToDevice}) {
        std::memset(back, 0, 4);
        EXPECT_EQ(hipMemcpy(back, host, 4, kind), hipSuccess) << "the pointers decide";
        EXPECT_EQ(std::memcmp(back, host, 4), 0);
    }
    EXPECT_EQ(hipMemcpy(nullptr, host, 4, hipMemcpyDefault), hipErrorInvalidValue);
    EXPECT_EQ(hipMemcpy(nullptr, nullptr, 0, hipMemcpyDefault), hipSuccess);
    EXPECT_EQ(hipMemcpy(device.data, host, 4, static_cast<hipMemcpyKind>(5)),
              hipErrorInvalidMemcpyDirection);

    EXPECT_EQ(hipMemset(device.data, 'x', 3), hipSuccess);
    EXPECT_EQ(hipMemsetAsync(device.data + 3, 0, 1, nullptr), hipSuccess);
    EXPECT_EQ(hipMemcpy(back, device.data, 64, hipMemcpyDeviceToHost), hipSuccess);
    EXPECT_STREQ(back, "xxx");
    EXPECT_EQ(hipMemset(device.data, 0, 65), hipErrorInvalidValue);
    EXPECT_EQ(hipMemset(host, 0, 1), hipErrorInvalidValue);
    EXPECT_EQ(hipMemcpyToSymbol(host, back, 4, 0, hipMemcpyHostToDevice), hipErrorInvalidSymbol);
    EXPECT_EQ(hipMemcpyToSymbol(host, back, 4, 0, hipMemcpyDeviceToHost),
              hipErrorInvalidMemcpyDirection);
    hipGetLastError();
}

// ---- streams and events ----

TEST(streams, exist_between_create_and_destroy) {
    hipStream_t stream = nullptr;
    EXPECT_EQ(hipStreamCreate(&stream), hipSuccess);
    EXPECT_EQ(hipStreamSynchronize(stream), hipSuccess);
    EXPECT_EQ(hipStreamDestroy(stream), hipSuccess);
    EXPECT_EQ(hipStreamSynchronize(stream), hipErrorContextIsDestroyed);
    EXPECT_EQ(hipStreamDestroy(stream), hipErrorContextIsDestroyed);
    EXPECT_EQ(hipStreamDestroy(nullptr), hipErrorInvalidHandle);
    EXPECT_EQ(hipStreamSynchronize(nullptr), hipSuccess);
    EXPECT_EQ(hipStreamCreateWithFlags(&stream, 1), hipSuccess);
    EXPECT_EQ(hipStreamDestroy(stream), hipSuccess);
    EXPECT_EQ(hipStreamCreateWithFlags(&stream, 2), hipErrorInvalidValue);
    hipGetLastError();
}

// Of two streams and the null stream: what was called first is finished first.
TEST_F(module_kernels, streams_and_events_in_order) {
    hipStream_t streams[3] = {};
    ASSERT_EQ(hipStreamCreate(&streams[1]), hipSuccess);
    ASSERT_EQ(hipStreamCreateWithFlags(&streams[2], 1), hipSuccess);
    hipEvent_t events[3] = {};
    const device_array<uint32_t> out(256);
    void* pointer = out.data;
    void* values[] = {&pointer};
    for (int n = 0; n < 3; ++n) {
        ASSERT_EQ(hipEventCreate(&events[n]), hipSuccess);
        EXPECT_EQ(hipEventQuery(events[n]), hipSuccess) << "nothing to wait for";
        if (n > 0) {
            EXPECT_EQ(hipStreamWaitEvent(streams[n], events[n - 1], 0), hipSuccess);
        }
        EXPECT_EQ(hipMemsetAsync(out.data, n + 1, 1024, streams[n]), hipSuccess);
        if (n == 1) {
            EXPECT_EQ(hipModuleLaunchKernel(function("exchange"), 1, 1, 1, 256, 1, 1, 0, streams[n],
                                            values, nullptr),
                      hipSuccess);
        }
        EXPECT_EQ(hipEventRecord(events[n], streams[n]), hipSuccess);
        EXPECT_EQ(hipStreamQuery(streams[n]), hipSuccess);
        uint32_t last = 0;
        EXPECT_EQ(hipMemcpyAsync(&last, out.data + 255, 4, hipMemcpyDeviceToHost, streams[n]),
                  hipSuccess);
        EXPECT_EQ(last, n == 1 ? 1u : 0x01010101u * (static_cast<uint32_t>(n) + 1));
    }
    for (int n = 1; n < 3; ++n) {
        float milliseconds = -1;
        EXPECT_EQ(hipEventElapsedTime(&milliseconds, events[n - 1], events[n]), hipSuccess);
        EXPECT_GT(milliseconds, 0.0f);
        EXPECT_EQ(hipEventElapsedTime(&milliseconds, events[n], events[n - 1]), hipSuccess);
        EXPECT_LT(milliseconds, 0.0f);
    }
    auto* unknown = reinterpret_cast<hipStream_t>(&pointer);
    EXPECT_EQ(hipStreamWaitEvent(unknown, events[0], 0), hipErrorContextIsDestroyed);
    EXPECT_EQ(hipStreamWaitEvent(streams[1], nullptr, 0), hipErrorInvalidHandle);
    EXPECT_EQ(hipStreamWaitEvent(streams[1], events[0], 2), hipErrorInvalidValue);
    EXPECT_EQ(hipStreamQuery(unknown), hipErrorContextIsDestroyed);
    EXPECT_EQ(hipEventRecord(events[0], unknown), hipErrorContextIsDestroyed);
    EXPECT_EQ(hipMemcpyAsync(&pointer, out.data, 4, hipMemcpyDeviceToHost, unknown),
              hipErrorContextIsDestroyed);
    EXPECT_EQ(hipMemsetAsync(out.data, 0, 4, unknown), hipErrorContextIsDestroyed);
    EXPECT_EQ(hipMallocAsync(&pointer, 4, unknown), hipErrorContextIsDestroyed);
    EXPECT_EQ(hipFreeAsync(out.data, unknown), hipErrorContextIsDestroyed);
    hipEvent_t refused = nullptr;
    EXPECT_EQ(hipEventCreateWithFlags(&refused, 4), hipErrorInvalidValue) << "between processes";
    for (int n = 0; n < 3; ++n) {
        EXPECT_EQ(hipEventDestroy(events[n]), hipSuccess);
    }
    EXPECT_EQ(hipStreamDestroy(streams[1]), hipSuccess);
    EXPECT_EQ(hipStreamDestroy(streams[2]), hipSuccess);
    hipGetLastError();
}

TEST(events, measure_the_time_of_the_host) {
    hipEvent_t start = nullptr;
    hipEvent_t stop = nullptr;
    ASSERT_EQ(hipEventCreate(&start), hipSuccess);
    ASSERT_EQ(hipEventCreateWithFlags(&stop, 1), hipSuccess);
    float milliseconds = -1;
    EXPECT_EQ(hipEventRecord(start, nullptr), hipSuccess);
    EXPECT_EQ(hipEventElapsedTime(&milliseconds, start, stop), hipErrorInvalidHandle)
        << "not recorded";
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_EQ(hipEventRecord(stop, nullptr), hipSuccess);
    EXPECT_EQ(hipEventSynchronize(stop), hipSuccess);
    EXPECT_EQ(hipEventQuery(stop), hipSuccess);
    EXPECT_EQ(hipEventElapsedTime(&milliseconds, start, stop), hipSuccess);
    EXPECT_GE(milliseconds, 20.0f);
    EXPECT_LT(milliseconds, 20000.0f);
    EXPECT_EQ(hipEventElapsedTime(nullptr, start, stop), hipErrorInvalidValue);

    hipEvent_t untimed = nullptr;
    ASSERT_EQ(hipEventCreateWithFlags(&untimed, hipEventDisableTiming), hipSuccess);
    EXPECT_EQ(hipEventRecord(untimed, nullptr), hipSuccess);
    EXPECT_EQ(hipEventElapsedTime(&milliseconds, start, untimed), hipErrorInvalidHandle);
    for (hipEvent_t event : {start, stop, untimed}) {
        EXPECT_EQ(hipEventDestroy(event), hipSuccess);
        EXPECT_EQ(hipEventDestroy(event), hipErrorInvalidHandle);
        EXPECT_EQ(hipEventRecord(event, nullptr), hipErrorInvalidHandle);
    }
    hipGetLastError();
}

// ---- device ----

TEST(device, there_is_one_of_the_kind_asked_for) {
    EXPECT_EQ(opus_emulator_arch(), tested_arch());
    int n = -1;
    EXPECT_EQ(hipGetDeviceCount(&n), hipSuccess);
    EXPECT_EQ(n, 1);
    EXPECT_EQ(hipGetDevice(&n), hipSuccess);
    EXPECT_EQ(n, 0);
    EXPECT_EQ(hipSetDevice(0), hipSuccess);
    EXPECT_EQ(hipSetDevice(1), hipErrorInvalidDevice);
    EXPECT_EQ(hipDeviceSynchronize(), hipSuccess);
    EXPECT_EQ(hipRuntimeGetVersion(&n), hipSuccess);
    EXPECT_EQ(n, 70000000);
    EXPECT_EQ(hipDriverGetVersion(&n), hipSuccess);
    EXPECT_EQ(n, 70000000);
    hipGetLastError();
}

TEST(device, attributes_and_properties_agree) {
    const bool is_942 = tested_arch() == "gfx942";
    const auto attribute = [](hipDeviceAttribute_t a) {
        int value = -1;
        EXPECT_EQ(hipDeviceGetAttribute(&value, a, 0), hipSuccess);
        return value;
    };
    hipDeviceProp_tR0600 p;
    ASSERT_EQ(hipGetDevicePropertiesR0600(&p, 0), hipSuccess);
    EXPECT_EQ(std::string(p.gcnArchName).substr(0, 6), tested_arch());
    EXPECT_NE(std::string(p.name).find("emulated"), std::string::npos);
    EXPECT_EQ(p.warpSize, 64);
    EXPECT_EQ(attribute(hipDeviceAttributeWarpSize), 64);
    EXPECT_EQ(p.multiProcessorCount, is_942 ? 304 : 256);
    EXPECT_EQ(attribute(hipDeviceAttributeMultiprocessorCount), is_942 ? 304 : 256);
    EXPECT_EQ(p.sharedMemPerBlock, is_942 ? 65536u : 163840u);
    EXPECT_EQ(attribute(hipDeviceAttributeMaxSharedMemoryPerBlock), is_942 ? 65536 : 163840);
    EXPECT_EQ(p.maxThreadsPerBlock, 1024);
    EXPECT_EQ(attribute(hipDeviceAttributeMaxThreadsPerBlock), 1024);
    EXPECT_EQ(p.minor, is_942 ? 4 : 5);
    EXPECT_EQ(attribute(hipDeviceAttributeComputeCapabilityMinor), is_942 ? 4 : 5);
    EXPECT_EQ(p.major, 9);
    EXPECT_GT(p.totalGlobalMem, 0u);
    EXPECT_EQ(p.clockRate, attribute(hipDeviceAttributeClockRate));

    int value = -1;
    EXPECT_EQ(hipDeviceGetAttribute(&value, static_cast<hipDeviceAttribute_t>(9998), 0),
              hipErrorNotSupported);
    EXPECT_EQ(hipDeviceGetAttribute(&value, hipDeviceAttributeWarpSize, 1), hipErrorInvalidDevice);
    EXPECT_EQ(hipGetDevicePropertiesR0600(&p, 1), hipErrorInvalidDevice);
    hipGetLastError();
}

// In a process of its own: the choice is made once.
TEST(device_death_test, an_unknown_one_is_refused_with_a_message) {
    testing::FLAGS_gtest_death_test_style = "threadsafe";
    EXPECT_EXIT(
        {
            ::setenv("OPUS_EMU_ARCH", "gfx90a", 1);
            void* p = nullptr;
            int n = -1;
            hipModule_t module = nullptr;
            const bool refused = hipGetDeviceCount(&n) == hipErrorNoDevice && n == 0 &&
                                 hipSetDevice(0) == hipErrorNoDevice &&
                                 hipMalloc(&p, 64) == hipErrorNoDevice &&
                                 hipModuleLoadData(&module, "") == hipErrorNoDevice &&
                                 opus_emulator_arch() == nullptr;
            std::_Exit(refused ? 3 : 4);
        },
        testing::ExitedWithCode(3), "OPUS_EMU_ARCH=gfx90a .*gfx942 and gfx950");
}

// ---- errors ----

TEST(errors, the_last_one_stays_until_it_is_asked_for) {
    hipGetLastError();
    EXPECT_EQ(hipPeekAtLastError(), hipSuccess);
    EXPECT_EQ(hipSetDevice(7), hipErrorInvalidDevice);
    EXPECT_EQ(hipSetDevice(0), hipSuccess);
    EXPECT_EQ(hipPeekAtLastError(), hipErrorInvalidDevice);
    EXPECT_EQ(hipGetLastError(), hipErrorInvalidDevice);
    EXPECT_EQ(hipGetLastError(), hipSuccess);
    EXPECT_EQ(hipSetDevice(7), hipErrorInvalidDevice);
    std::thread([] { EXPECT_EQ(hipGetLastError(), hipSuccess) << "one for each thread"; }).join();
    EXPECT_EQ(hipMalloc(nullptr, 1), hipErrorInvalidValue);
    EXPECT_EQ(hipGetLastError(), hipErrorInvalidValue);
    dim3 d;
    size_t bytes = 0;
    hipStream_t stream = nullptr;
    EXPECT_EQ(__hipPopCallConfiguration(&d, &d, &bytes, &stream), hipErrorMissingConfiguration);
    EXPECT_EQ(hipGetLastError(), hipErrorMissingConfiguration);
    int n = 0;
    EXPECT_EQ(hipOccupancyMaxActiveBlocksPerMultiprocessor(&n, &n, 64, 0),
              hipErrorInvalidDeviceFunction);
    EXPECT_EQ(hipFuncSetAttribute(&n, hipFuncAttributeMaxDynamicSharedMemorySize, 64),
              hipErrorInvalidDeviceFunction);
    hipGetLastError();
}

TEST(errors, have_names) {
    EXPECT_STREQ(hipGetErrorName(hipSuccess), "hipSuccess");
    EXPECT_STREQ(hipGetErrorName(hipErrorNoBinaryForGpu), "hipErrorNoBinaryForGpu");
    EXPECT_STREQ(hipGetErrorString(hipErrorOutOfMemory), "out of memory");
    EXPECT_STREQ(hipGetErrorName(static_cast<hipError_t>(12345)), "hipErrorUnknown");
}

// ---- what is not supported ----

void* library() {
    void* self = ::dlopen("libamdhip64.so.6", RTLD_NOW | RTLD_NOLOAD);
    return self != nullptr ? self : ::dlopen("libamdhip64.so.7", RTLD_NOW | RTLD_NOLOAD);
}

// What functions.txt calls unsupported; what the library exports is compared by exports.cmake.
std::vector<std::string> unsupported_names() {
    std::vector<std::string> names;
    std::ifstream list(OPUS_EMU_FUNCTIONS);
    for (std::string line; std::getline(list, line);) {
        std::istringstream words(line);
        std::string version;
        std::string name;
        std::string mark;
        words >> version >> name >> mark;
        if (mark == "unsupported") {
            names.push_back(name);
        }
    }
    return names;
}

// Whatever its parameters are: it looks at none.
__attribute__((no_sanitize("function"))) int call(void* function) {
    return reinterpret_cast<int (*)()>(function)();
}

TEST(library, what_is_not_supported_says_so_once_by_name_and_fails) {
    void* self = library();
    ASSERT_NE(self, nullptr);
    const std::vector<std::string> names = unsupported_names();
    EXPECT_GT(names.size(), 50u);
    for (const std::string& name : names) {
        void* function = ::dlsym(self, name.c_str());
        ASSERT_NE(function, nullptr) << name;
        testing::internal::CaptureStderr();
        EXPECT_EQ(call(function), hipErrorNotSupported) << name;
        EXPECT_EQ(call(function), hipErrorNotSupported) << name;
        const std::string message = testing::internal::GetCapturedStderr();
        EXPECT_EQ(message, "opus emulator: " + name + " is not supported\n");
        EXPECT_EQ(hipGetLastError(), hipErrorNotSupported) << name;
    }
    ::dlclose(self);
}

}  // namespace
