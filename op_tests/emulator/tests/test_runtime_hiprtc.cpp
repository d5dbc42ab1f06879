// hipRTC: sources in strings that are compiled, loaded and run. The functions that are called by
// their names are those of libhiprtc.so; through() calls those of libamdhip64.so.

#include <dlfcn.h>
#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "device_objects.hpp"
#include "hiprtc/hiprtc.hpp"

namespace {

using strings = std::vector<std::string>;

std::vector<const char*> pointers_to(const strings& texts) {
    std::vector<const char*> pointers;
    for (const std::string& text : texts) {
        pointers.push_back(text.c_str());
    }
    return pointers;
}

struct rtc_program {
    explicit rtc_program(const std::string& source, const char* name = "kernels.hip") {
        EXPECT_EQ(hiprtcCreateProgram(&handle, source.c_str(), name, 0, nullptr, nullptr),
                  HIPRTC_SUCCESS);
    }
    rtc_program(const std::string& source, const strings& names, const strings& texts) {
        EXPECT_EQ(hiprtcCreateProgram(&handle, source.c_str(), "", static_cast<int>(names.size()),
                                      pointers_to(texts).data(), pointers_to(names).data()),
                  HIPRTC_SUCCESS);
    }
    ~rtc_program() {
        EXPECT_EQ(hiprtcDestroyProgram(&handle), HIPRTC_SUCCESS);
        EXPECT_EQ(handle, nullptr);
    }
    rtc_program(const rtc_program&) = delete;
    rtc_program& operator=(const rtc_program&) = delete;

    hiprtcResult compile(const strings& options = {}) const {
        return hiprtcCompileProgram(handle, static_cast<int>(options.size()),
                                    pointers_to(options).data());
    }
    std::string log() const {
        size_t size = 0;
        EXPECT_EQ(hiprtcGetProgramLogSize(handle, &size), HIPRTC_SUCCESS);
        std::string text(size, '?');
        EXPECT_EQ(hiprtcGetProgramLog(handle, text.data()), HIPRTC_SUCCESS);
        if (size != 0) {
            EXPECT_EQ(text.back(), 0);
            text.pop_back();
        }
        return text;
    }
    std::string code() const {
        size_t size = 0;
        EXPECT_EQ(hiprtcGetCodeSize(handle, &size), HIPRTC_SUCCESS) << log();
        std::string bytes(size, 0);
        EXPECT_EQ(hiprtcGetCode(handle, bytes.data()), HIPRTC_SUCCESS);
        return bytes;
    }
    std::string lowered(const char* expression) const {
        const char* name = nullptr;
        EXPECT_EQ(hiprtcGetLoweredName(handle, expression, &name), HIPRTC_SUCCESS) << expression;
        return name == nullptr ? "" : name;
    }

    hiprtcProgram handle = nullptr;
};

struct loaded_code {
    explicit loaded_code(const std::string& code) {
        EXPECT_EQ(hipModuleLoadData(&module, code.data()), hipSuccess);
    }
    ~loaded_code() { EXPECT_EQ(hipModuleUnload(module), hipSuccess); }
    loaded_code(const loaded_code&) = delete;
    loaded_code& operator=(const loaded_code&) = delete;

    void launch(const std::string& kernel, unsigned groups, unsigned threads,
                std::vector<void*> arguments) const {
        hipFunction_t function = nullptr;
        ASSERT_EQ(hipModuleGetFunction(&function, module, kernel.c_str()), hipSuccess) << kernel;
        ASSERT_EQ(hipModuleLaunchKernel(function, groups, 1, 1, threads, 1, 1, 0, nullptr,
                                        arguments.data(), nullptr),
                  hipSuccess);
        ASSERT_EQ(hipDeviceSynchronize(), hipSuccess);
    }
    // What a kernel of one thread writes to its argument, an int*.
    int result_of(const std::string& kernel) const {
        const ints result(1);
        int* data = result.data;
        launch(kernel, 1, 1, {&data});
        return result[0];
    }

    hipModule_t module = nullptr;
};

// The same of the kernel `kernel` of a program, compiled with these options.
std::optional<int> result_of(const rtc_program& program, const strings& options = {}) {
    if (program.compile(options) != HIPRTC_SUCCESS) {
        ADD_FAILURE() << program.log();
        return std::nullopt;
    }
    return loaded_code(program.code()).result_of("kernel");
}

std::string kernel_of(const std::string& value) {
    return "extern \"C\" __global__ void kernel(int* result) { *result = " + value + "; }\n";
}

template <class Call>
std::string stderr_of(const Call& call) {
    testing::internal::CaptureStderr();
    call();
    return testing::internal::GetCapturedStderr();
}

// A directory of the test's own, with a blank in its path; the environment names it while it lives.
struct directory_for_temporaries {
    directory_for_temporaries() {
        std::filesystem::create_directories(path);
        ::setenv("TMPDIR", path.c_str(), 1);
    }
    ~directory_for_temporaries() {
        ::unsetenv("TMPDIR");
        std::filesystem::remove_all(path);
    }
    directory_for_temporaries(const directory_for_temporaries&) = delete;
    directory_for_temporaries& operator=(const directory_for_temporaries&) = delete;

    std::filesystem::path path =
        std::filesystem::temp_directory_path() / ("opus rtc test " + std::to_string(::getpid()));
};

// ---- what is compiled runs ----

TEST(hiprtc, a_source_sees_hip_without_an_include_and_is_compiled_for_the_device) {
    const rtc_program program(
        "extern \"C\" __global__ void add(float* sum, const float* a, size_t size) {\n"
        "    const size_t i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "    if (i < size) { sum[i] += a[i]; }\n"
        "    __syncthreads();\n"
        "}\n");
    ASSERT_EQ(program.compile(), HIPRTC_SUCCESS) << program.log();
    EXPECT_EQ(program.log(), "");
    const loaded_code code(program.code());
    constexpr size_t size = 100;
    const ints buffers(2 * size);
    std::vector<float> host(2 * size);
    for (size_t n = 0; n < host.size(); ++n) {
        host[n] = static_cast<float>(n);
    }
    ASSERT_EQ(hipMemcpy(buffers.data, host.data(), 2 * size * 4, hipMemcpyHostToDevice),
              hipSuccess);
    int* sum = buffers.data;
    int* a = buffers.data + size;
    size_t count = size;
    code.launch("add", 2, 64, {&sum, &a, &count});
    ASSERT_EQ(hipMemcpy(host.data(), sum, size * 4, hipMemcpyDeviceToHost), hipSuccess);
    for (size_t n = 0; n < size; ++n) {
        ASSERT_EQ(host[n], static_cast<float>(n + n + size)) << n;
    }
}

constexpr const char* gemm_source = R"(
#include "opus/opus.hpp"
using namespace opus;

// C = A * B^T, f16 in and f32 out: rows of A and B have k elements, those of C n; a wave for each
// 32 x 32 of C.
extern "C" __global__ void gemm(const fp16_t* a, const fp16_t* b, float* c, int n, int k) {
    const int row = block_id_y() * 32;
    const int col = block_id_x() * 32;
    auto mma = make_mfma<fp16_t, fp16_t, fp32_t>(32_I, 32_I, 8_I);
    auto g_a = make_gmem(a + row * k);
    auto g_b = make_gmem(b + col * k);
    auto g_c = make_gmem(c + row * n + col);
    auto u_a = partition_layout_a(mma, make_tuple(k, 1_I), thread_id_x());
    auto u_b = partition_layout_b(mma, make_tuple(k, 1_I), thread_id_x());
    auto u_c = partition_layout_c(mma, make_tuple(n, 1_I), thread_id_x());
    typename decltype(mma)::vtype_c acc{0};
    for (int i = 0; i < k; i += 8) {
        acc = mma(g_a.load<4>(u_a), g_b.load<4>(u_b), acc);
        u_a += 8;
        u_b += 8;
    }
    settle(acc);
    g_c.store<1>(acc, u_c);
}
)";

TEST(hiprtc, a_gemm_of_opus_from_a_string) {
    constexpr int m = 32;
    constexpr int n = 64;
    constexpr int k = 24;
    const rtc_program program(gemm_source, "gemm.hip");
    ASSERT_EQ(program.compile({"-I" OPUS_INCLUDE}), HIPRTC_SUCCESS) << program.log();
    EXPECT_EQ(program.log(), "");
    // Small integers: every sum is exact.
    const auto a_at = [](int row, int i) { return (row * 5 + i * 3) % 7 - 3; };
    const auto b_at = [](int col, int i) { return (col * 2 + i * 5) % 9 - 4; };
    std::vector<_Float16> a;
    std::vector<_Float16> b;
    for (int row = 0; row < m; ++row) {
        for (int i = 0; i < k; ++i) {
            a.push_back(static_cast<_Float16>(a_at(row, i)));
        }
    }
    for (int col = 0; col < n; ++col) {
        for (int i = 0; i < k; ++i) {
            b.push_back(static_cast<_Float16>(b_at(col, i)));
        }
    }
    const ints memory((m * k + n * k) / 2 + m * n);
    int* d_a = memory.data;
    int* d_b = d_a + m * k / 2;
    int* d_c = d_b + n * k / 2;
    ASSERT_EQ(hipMemcpy(d_a, a.data(), a.size() * 2, hipMemcpyHostToDevice), hipSuccess);
    ASSERT_EQ(hipMemcpy(d_b, b.data(), b.size() * 2, hipMemcpyHostToDevice), hipSuccess);
    const loaded_code code(program.code());
    int columns = n;
    int depth = k;
    code.launch("gemm", n / 32, 64, {&d_a, &d_b, &d_c, &columns, &depth});
    std::vector<float> c(m * n);
    ASSERT_EQ(hipMemcpy(c.data(), d_c, c.size() * 4, hipMemcpyDeviceToHost), hipSuccess);
    for (int row = 0; row < m; ++row) {
        for (int col = 0; col < n; ++col) {
            int sum = 0;
            for (int i = 0; i < k; ++i) {
                sum += a_at(row, i) * b_at(col, i);
            }
            ASSERT_EQ(c[static_cast<size_t>(row * n + col)], static_cast<float>(sum))
                << row << ", " << col;
        }
    }
}

TEST(hiprtc, headers_in_memory) {
    const rtc_program program(
        "#include \"two.h\"\n#include <hip/hip_runtime.h>\n" +
            kernel_of("ONE + TWO + THREE + FOUR"),
        {"one.h", "deep/two.h", "deep/three.h", "four.h", "four.h"},
        {"#pragma once\n#define ONE 1\n", "#include \"three.h\"\n#define TWO 20\n",
         "#include <one.h>\n#define THREE 300\n", "#define FOUR 4000", "#define FOUR 4000"});
    EXPECT_EQ(program.compile(), HIPRTC_ERROR_COMPILATION);
    EXPECT_NE(program.log().find("default_program:1:10: fatal error: 'two.h' file not found"),
              std::string::npos)
        << program.log();
    const rtc_program found(
        "#include \"deep/two.h\"\n#include <hip/hip_runtime.h>\n" +
            kernel_of("ONE + TWO + THREE + FOUR"),
        {"one.h", "deep/two.h", "deep/three.h", "four.h", "four.h"},
        {"#pragma once\n#define ONE 1\n",
         "#include \"three.h\"\n#include \"one.h\"\n#define TWO 20\n",
         "#include <one.h>\n#define THREE 300\n", "#define FOUR 4000", "#define FOUR 4000"});
    EXPECT_EQ(result_of(found, {"-includefour.h"}), 4321);
}

TEST(hiprtc, options_are_those_of_clang) {
    const rtc_program macros(kernel_of("DIGITS"));
    EXPECT_EQ(result_of(macros, {"-DDIGITS=50"}), 50);
    EXPECT_EQ(result_of(macros, {"-D", "DIGITS=51", "", "-w"}), 51);
    EXPECT_EQ(result_of(macros, {"-DDIGITS=1", "-UDIGITS", "-DDIGITS=__cplusplus"}), 201703);
    EXPECT_EQ(result_of(macros, {"-DDIGITS=__cplusplus", "--std=c++20"}), 202002);
    EXPECT_EQ(result_of(macros, {"-DDIGITS=__OPTIMIZE__ + 0"}), 1);
    EXPECT_EQ(result_of(macros, {"-DDIGITS=__FINITE_MATH_ONLY__", "-ffast-math", "-O1"}), 1);
    EXPECT_EQ(result_of(macros, {"-DDIGITS=__HIPCC_RTC__ + 10 * __HIP_DEVICE_COMPILE__"}), 11);
}

TEST(hiprtc, an_architecture_may_be_named) {
    const std::string arch = tested_arch();
    const rtc_program program(kernel_of("__" + arch + "__"));
    EXPECT_EQ(result_of(program, {"--offload-arch=" + arch}), 1);
    EXPECT_EQ(result_of(program, {"--gpu-architecture=" + arch + ":sramecc+:xnack-"}), 1);
    EXPECT_EQ(result_of(program, {"--offload-arch=" + arch, "--gpu-architecture=" + arch}), 1);
    // For another than the device.
    const rtc_program other(kernel_of("__" + other_arch() + "__"));
    ASSERT_EQ(other.compile({"--offload-arch=" + other_arch()}), HIPRTC_SUCCESS) << other.log();
    hipModule_t module = nullptr;
    EXPECT_EQ(hipModuleLoadData(&module, other.code().data()), hipErrorNoBinaryForGpu);
    EXPECT_EQ(hipGetLastError(), hipErrorNoBinaryForGpu);
    EXPECT_EQ(other.compile({"--offload-arch=gfx942", "--offload-arch=gfx950"}),
              HIPRTC_ERROR_INVALID_OPTION);
    EXPECT_EQ(other.log(), "opus emulator: one architecture is needed, not gfx942 and gfx950\n");
    EXPECT_EQ(other.compile({"--offload-arch=gfx9999"}), HIPRTC_ERROR_INVALID_OPTION);
}

TEST(hiprtc, no_shell_sees_an_option_or_a_path) {
    const directory_for_temporaries temporary;
    const auto directory = temporary.path / "it's \"$HOME\"; `false`";
    std::filesystem::create_directories(directory);
    std::ofstream(directory / "value.h") << "#define VALUE 77\n";
    const rtc_program program("#include \"value.h\"\nconstexpr const char text[] = TEXT;\n" +
                                  kernel_of("VALUE + 1000 * (sizeof text - 1) + text[0]"),
                              "a \"b\" \\c.hip");
    EXPECT_EQ(result_of(program, {"-I" + directory.string(), "-DTEXT=\"$(echo); 'x' *\""}),
              77 + 1000 * 14 + '$');
    EXPECT_EQ(result_of(program, {"-I", directory.string(), "-DTEXT=\"*\""}), 77 + 1000 + '*');
    EXPECT_EQ(program.compile({"-I" + directory.string()}), HIPRTC_ERROR_COMPILATION);
    EXPECT_EQ(program.log().find("a \"b\" \\c.hip:2:"), 0u) << program.log();
}

TEST(hiprtc, nothing_is_left_in_the_directory_of_temporary_files) {
    const directory_for_temporaries temporary;
    const rtc_program good(kernel_of("3"));
    EXPECT_EQ(result_of(good), 3);
    const rtc_program wrong(kernel_of("three"), {"deep/er/a.h"}, {""});
    EXPECT_EQ(wrong.compile(), HIPRTC_ERROR_COMPILATION);
    EXPECT_TRUE(std::filesystem::is_empty(temporary.path));
    std::filesystem::remove_all(temporary.path);
    EXPECT_EQ(good.compile(), HIPRTC_ERROR_INTERNAL_ERROR);
    EXPECT_EQ(good.log().find("opus emulator: no temporary directory like "), 0u) << good.log();
}

TEST(hiprtc, several_threads_compile_at_once) {
    constexpr int count = 4;
    std::vector<std::thread> threads;
    std::string codes[count];
    for (int n = 0; n < count; ++n) {
        threads.emplace_back([n, &codes] {
            const rtc_program program("#include \"value.h\"\n" + kernel_of("VALUE"), {"value.h"},
                                      {"#define VALUE " + std::to_string(100 + n)});
            EXPECT_EQ(program.compile(), HIPRTC_SUCCESS) << program.log();
            codes[n] = program.code();
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    for (int n = 0; n < count; ++n) {
        EXPECT_EQ(loaded_code(codes[n]).result_of("kernel"), 100 + n);
    }
}

// ---- names ----

constexpr const char* named_source =
    "__device__ int v;\n"
    "static __global__ void plain(int* result) { *result = v + 10; }\n"
    "namespace outer { namespace inner {\n"
    "__constant__ int w;\n"
    "__global__ void kernel(int* result) { *result = w + 20; }\n"
    "} }\n"
    "template <class T, int n> __global__ void of_type(int* result) { *result = sizeof(T) + n; }\n"
    "__global__ void twice(int* result) { *result = 30; }\n"
    "__global__ void twice(float* result) { *result = 31; }\n"
    "extern \"C\" __global__ void c_name(int* result) { *result = 40; }\n";

TEST(hiprtc, name_expressions_have_lowered_names) {
    const rtc_program program(named_source);
    const strings expressions = {
        "&plain", "outer::inner::kernel", "of_type<int, 3>", "&of_type<double, 5>",
        "&v",     "outer::inner::w",      "c_name",          "(void (*)(int*))twice"};
    for (const std::string& expression : expressions) {
        for (int n = 0; n < 2; ++n) {
            EXPECT_EQ(hiprtcAddNameExpression(program.handle, expression.c_str()), HIPRTC_SUCCESS);
        }
    }
    const char* name = nullptr;
    EXPECT_EQ(hiprtcGetLoweredName(program.handle, "&plain", &name),
              HIPRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION);
    for (const strings& options : {strings(), strings{"-std=c++11", "-Wall", "-Wextra"}}) {
        ASSERT_EQ(program.compile(options), HIPRTC_SUCCESS) << program.log();
        EXPECT_EQ(program.log(), "");
        EXPECT_EQ(program.lowered("outer::inner::kernel"), "_ZN5outer5inner6kernelEPi");
        EXPECT_EQ(program.lowered("c_name"), "c_name");
        EXPECT_EQ(program.lowered("&v"), "v");
        const loaded_code code(program.code());
        const auto set = [&](const char* expression, int value) {
            hipDeviceptr_t address = nullptr;
            size_t bytes = 0;
            ASSERT_EQ(hipModuleGetGlobal(&address, &bytes, code.module,
                                         program.lowered(expression).c_str()),
                      hipSuccess);
            ASSERT_EQ(bytes, sizeof value);
            ASSERT_EQ(hipMemcpy(address, &value, sizeof value, hipMemcpyHostToDevice), hipSuccess);
        };
        set("&v", 1);
        set("outer::inner::w", 2);
        EXPECT_EQ(code.result_of(program.lowered("&plain")), 11);
        EXPECT_EQ(code.result_of(program.lowered("outer::inner::kernel")), 22);
        EXPECT_EQ(code.result_of(program.lowered("of_type<int, 3>")), 7);
        EXPECT_EQ(code.result_of(program.lowered("&of_type<double, 5>")), 13);
        EXPECT_EQ(code.result_of(program.lowered("c_name")), 40);
        EXPECT_EQ(code.result_of(program.lowered("(void (*)(int*))twice")), 30);
    }
    EXPECT_EQ(hiprtcAddNameExpression(program.handle, "c_name"),
              HIPRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION);
    EXPECT_EQ(hiprtcGetLoweredName(program.handle, "plain", &name),
              HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID);
}

TEST(hiprtc, a_wrong_name_expression_is_an_error_of_the_compilation) {
    const rtc_program program(named_source);
    EXPECT_EQ(hiprtcAddNameExpression(program.handle, "c_name"), HIPRTC_SUCCESS);
    EXPECT_EQ(hiprtcAddNameExpression(program.handle, "nobody<int>"), HIPRTC_SUCCESS);
    EXPECT_EQ(program.compile(), HIPRTC_ERROR_COMPILATION);
    EXPECT_NE(program.log().find("name expression 1:1:"), std::string::npos) << program.log();
    EXPECT_NE(program.log().find("'nobody'"), std::string::npos) << program.log();
    const char* name = nullptr;
    EXPECT_EQ(hiprtcGetLoweredName(program.handle, "c_name", &name), HIPRTC_ERROR_COMPILATION);
}

// ---- errors ----

TEST(hiprtc, the_log_has_warnings_and_errors_with_their_lines) {
    const rtc_program warns("#warning careful\n" + kernel_of("5"), "warns.hip");
    EXPECT_EQ(result_of(warns), 5);
    EXPECT_EQ(warns.log().find("warns.hip:1:2: warning: careful"), 0u) << warns.log();
    const rtc_program fails("\n" + kernel_of("five"), "fails.hip");
    EXPECT_EQ(fails.log(), "");
    EXPECT_EQ(fails.compile(), HIPRTC_ERROR_COMPILATION);
    EXPECT_EQ(fails.log().find("fails.hip:2:60: error: use of undeclared identifier 'five'"), 0u)
        << fails.log();
    size_t size = 0;
    EXPECT_EQ(hiprtcGetCodeSize(fails.handle, &size), HIPRTC_ERROR_INVALID_PROGRAM);
    // What the linker finds is no mistake in an option.
    const rtc_program lacks("__device__ int nobody();\n" + kernel_of("nobody()"));
    EXPECT_EQ(lacks.compile(), HIPRTC_ERROR_COMPILATION);
    EXPECT_NE(lacks.log().find("symbol: nobody()"), std::string::npos) << lacks.log();
    // What a program has of an earlier compilation is gone with the next one.
    EXPECT_EQ(warns.compile({"-Werror"}), HIPRTC_ERROR_COMPILATION);
    EXPECT_EQ(hiprtcGetCodeSize(warns.handle, &size), HIPRTC_ERROR_INVALID_PROGRAM);
}

TEST(hiprtc, an_option_that_clang_does_not_know_is_invalid) {
    const rtc_program program(kernel_of("1"));
    for (const strings& options :
         {strings{"-fnonsense"}, strings{"-std=c++99"}, strings{"-mllvm", "-nonsense"},
          strings{"other.hip"}, strings{"-S"}, strings{"-E"}, strings{"-fsyntax-only"}}) {
        EXPECT_EQ(program.compile(options), HIPRTC_ERROR_INVALID_OPTION) << options[0];
        EXPECT_NE(program.log(), "") << options[0];
        size_t size = 0;
        EXPECT_EQ(hiprtcGetCodeSize(program.handle, &size), HIPRTC_ERROR_INVALID_PROGRAM);
    }
    EXPECT_EQ(result_of(program), 1);
}

TEST(hiprtc, arguments_that_mean_nothing) {
    const rtc_program program(kernel_of("1"));
    const rtc_program compiled(kernel_of("1"));
    ASSERT_EQ(compiled.compile(), HIPRTC_SUCCESS) << compiled.log();
    hiprtcProgram created = nullptr;
    hiprtcProgram unknown = reinterpret_cast<hiprtcProgram>(&created);
    const char* const text[] = {"", nullptr};
    const char* const none[] = {nullptr};
    const char* const outside[] = {"../a.h"};
    const char* const absolute[] = {"/a.h"};
    const char* const twice[] = {"a.h", "./a.h"};
    const char* const same[] = {"a.h", "a.h"};
    const char* const texts[] = {"1", "2"};
    const char* name = nullptr;
    size_t size = 0;
    char byte = 0;
    int number = 0;
    hiprtcProgram null = nullptr;
    const struct {
        const char* call;
        hiprtcResult result;
        hiprtcResult expected;
    } rows[] = {
#define ROW(expected, ...) {#__VA_ARGS__, __VA_ARGS__, HIPRTC_ERROR_##expected}
        ROW(INVALID_INPUT, hiprtcVersion(nullptr, &number)),
        ROW(INVALID_INPUT, hiprtcVersion(&number, nullptr)),
        ROW(INVALID_PROGRAM, hiprtcCreateProgram(nullptr, "", "", 0, nullptr, nullptr)),
        ROW(INVALID_INPUT, hiprtcCreateProgram(&created, nullptr, "", 0, nullptr, nullptr)),
        ROW(INVALID_INPUT, hiprtcCreateProgram(&created, "", "", -1, text, text)),
        ROW(INVALID_INPUT, hiprtcCreateProgram(&created, "", "", 1, nullptr, text)),
        ROW(INVALID_INPUT, hiprtcCreateProgram(&created, "", "", 1, text, nullptr)),
        ROW(INVALID_INPUT, hiprtcCreateProgram(&created, "", "", 1, none, text)),
        ROW(INVALID_INPUT, hiprtcCreateProgram(&created, "", "", 1, text, none)),
        ROW(INVALID_INPUT, hiprtcCreateProgram(&created, "", "", 2, text, same)),
        ROW(PROGRAM_CREATION_FAILURE, hiprtcCreateProgram(&created, "", "", 1, text, outside)),
        ROW(PROGRAM_CREATION_FAILURE, hiprtcCreateProgram(&created, "", "", 1, text, absolute)),
        ROW(PROGRAM_CREATION_FAILURE, hiprtcCreateProgram(&created, "", "", 1, text, text)),
        ROW(PROGRAM_CREATION_FAILURE, hiprtcCreateProgram(&created, "", "", 2, texts, same)),
        ROW(PROGRAM_CREATION_FAILURE, hiprtcCreateProgram(&created, "", "", 2, texts, twice)),
        ROW(INVALID_INPUT, hiprtcDestroyProgram(nullptr)),
        ROW(INVALID_INPUT, hiprtcDestroyProgram(&null)),
        ROW(INVALID_PROGRAM, hiprtcDestroyProgram(&unknown)),
        ROW(INVALID_INPUT, hiprtcAddNameExpression(program.handle, nullptr)),
        ROW(INVALID_PROGRAM, hiprtcAddNameExpression(nullptr, "f")),
        ROW(NO_NAME_EXPRESSIONS_AFTER_COMPILATION, hiprtcAddNameExpression(compiled.handle, "f")),
        ROW(INVALID_PROGRAM, hiprtcCompileProgram(nullptr, 0, nullptr)),
        ROW(INVALID_PROGRAM, hiprtcCompileProgram(unknown, 0, nullptr)),
        ROW(INVALID_INPUT, hiprtcCompileProgram(program.handle, -1, text)),
        ROW(INVALID_INPUT, hiprtcCompileProgram(program.handle, 1, nullptr)),
        ROW(INVALID_INPUT, hiprtcCompileProgram(program.handle, 2, text)),
        ROW(INVALID_INPUT, hiprtcGetLoweredName(nullptr, "f", &name)),
        ROW(INVALID_INPUT, hiprtcGetLoweredName(compiled.handle, nullptr, &name)),
        ROW(INVALID_INPUT, hiprtcGetLoweredName(compiled.handle, "f", nullptr)),
        ROW(INVALID_PROGRAM, hiprtcGetLoweredName(unknown, "f", &name)),
        ROW(NO_LOWERED_NAMES_BEFORE_COMPILATION, hiprtcGetLoweredName(program.handle, "f", &name)),
        ROW(NAME_EXPRESSION_NOT_VALID, hiprtcGetLoweredName(compiled.handle, "f", &name)),
        ROW(INVALID_PROGRAM, hiprtcGetProgramLogSize(nullptr, &size)),
        ROW(INVALID_INPUT, hiprtcGetProgramLogSize(program.handle, nullptr)),
        ROW(INVALID_PROGRAM, hiprtcGetProgramLog(nullptr, &byte)),
        ROW(INVALID_INPUT, hiprtcGetProgramLog(program.handle, nullptr)),
        ROW(INVALID_PROGRAM, hiprtcGetCodeSize(nullptr, &size)),
        ROW(INVALID_INPUT, hiprtcGetCodeSize(compiled.handle, nullptr)),
        ROW(INVALID_PROGRAM, hiprtcGetCodeSize(program.handle, &size)),
        ROW(INVALID_PROGRAM, hiprtcGetCode(unknown, &byte)),
        ROW(INVALID_INPUT, hiprtcGetCode(compiled.handle, nullptr)),
        ROW(INVALID_PROGRAM, hiprtcGetCode(program.handle, &byte)),
        ROW(INVALID_INPUT, hiprtcGetBitcodeSize(compiled.handle, nullptr)),
        ROW(INVALID_PROGRAM, hiprtcGetBitcodeSize(compiled.handle, &size)),
        ROW(INVALID_INPUT, hiprtcGetBitcode(compiled.handle, nullptr)),
        ROW(INVALID_PROGRAM, hiprtcGetBitcode(compiled.handle, &byte)),
#undef ROW
    };
    for (const auto& row : rows) {
        EXPECT_EQ(row.result, row.expected) << row.call;
    }
    EXPECT_EQ(created, nullptr);
    EXPECT_EQ(size, 0u);
}

TEST(hiprtc, a_program_is_gone_when_it_was_destroyed) {
    hiprtcProgram handle = nullptr;
    ASSERT_EQ(hiprtcCreateProgram(&handle, "", nullptr, 0, nullptr, nullptr), HIPRTC_SUCCESS);
    hiprtcProgram again = handle;
    EXPECT_EQ(hiprtcDestroyProgram(&handle), HIPRTC_SUCCESS);
    EXPECT_EQ(hiprtcDestroyProgram(&again), HIPRTC_ERROR_INVALID_PROGRAM);
    EXPECT_EQ(hiprtcCompileProgram(again, 0, nullptr), HIPRTC_ERROR_INVALID_PROGRAM);
}

TEST(hiprtc, the_compiler_may_be_another_and_its_absence_is_in_the_log) {
    const rtc_program program(kernel_of("8"));
    ::setenv("OPUS_EMU_CLANG", "/nowhere/clang++", 1);
    EXPECT_EQ(program.compile(), HIPRTC_ERROR_COMPILATION);
    EXPECT_EQ(
        program.log(),
        "opus emulator: cannot run the compiler '/nowhere/clang++': No such file or directory\n"
        "opus emulator: hipRTC needs the clang++ that the emulator was built for; "
        "OPUS_EMU_CLANG names one\n");
    ::setenv("OPUS_EMU_CLANG", OPUS_EMU_TEST_CLANG, 1);
    EXPECT_EQ(result_of(program), 8);
    // That it is this one which runs: a program that makes nothing, one that a signal ends.
    ::setenv("OPUS_EMU_CLANG", "true", 1);
    EXPECT_EQ(program.compile(), HIPRTC_ERROR_INVALID_OPTION);
    EXPECT_EQ(program.log(),
              "opus emulator: with these options clang makes neither a code object nor, with "
              "-fgpu-rdc, bitcode\n");
    const directory_for_temporaries temporary;
    const auto script = temporary.path / "clang";
    std::ofstream(script) << "#!/bin/sh\nkill -9 $$\n";
    std::filesystem::permissions(script, std::filesystem::perms::owner_all);
    ::setenv("OPUS_EMU_CLANG", script.c_str(), 1);
    EXPECT_EQ(program.compile(), HIPRTC_ERROR_COMPILATION);
    EXPECT_EQ(program.log(), "opus emulator: " + script.string() + ": signal 9 has ended it\n");
    const auto handler = ::signal(SIGCHLD, SIG_IGN);
    EXPECT_EQ(program.compile(), HIPRTC_ERROR_COMPILATION);
    EXPECT_NE(program.log().find("its end is not known"), std::string::npos) << program.log();
    ::signal(SIGCHLD, handler);
    ::unsetenv("OPUS_EMU_CLANG");
}

TEST(hiprtc, relocatable_code_is_bitcode) {
    const rtc_program program("__device__ int nobody();\n" + kernel_of("nobody()"));
    ASSERT_EQ(program.compile({"-fgpu-rdc"}), HIPRTC_SUCCESS) << program.log();
    size_t size = 0;
    EXPECT_EQ(hiprtcGetCodeSize(program.handle, &size), HIPRTC_ERROR_INVALID_PROGRAM);
    ASSERT_EQ(hiprtcGetBitcodeSize(program.handle, &size), HIPRTC_SUCCESS);
    std::string bytes(size, 0);
    ASSERT_EQ(hiprtcGetBitcode(program.handle, bytes.data()), HIPRTC_SUCCESS);
    EXPECT_EQ(bytes.substr(0, 4), "BC\xc0\xde");
    const rtc_program named(kernel_of("1"));
    EXPECT_EQ(hiprtcAddNameExpression(named.handle, "kernel"), HIPRTC_SUCCESS);
    EXPECT_EQ(named.compile({"-fgpu-rdc"}), HIPRTC_ERROR_INVALID_OPTION);
    EXPECT_EQ(named.compile({"-fgpu-rdc", "-fno-gpu-rdc"}), HIPRTC_SUCCESS) << named.log();
    EXPECT_EQ(named.lowered("kernel"), "kernel");
}

// ---- the libraries ----

// A function of libamdhip64.so, where libhiprtc.so has one of the same name.
template <class Function>
Function* through(const char* name, Function* in_libhiprtc) {
    Dl_info found{};
    EXPECT_NE(::dladdr(reinterpret_cast<void*>(in_libhiprtc), &found), 0);
    EXPECT_NE(std::string(found.dli_fname).find("libhiprtc.so"), std::string::npos) << name;
    static void* const library = ::dlopen("libamdhip64.so.7", RTLD_NOW | RTLD_NOLOAD);
    void* function = library == nullptr ? nullptr : ::dlsym(library, name);
    EXPECT_NE(function, reinterpret_cast<void*>(in_libhiprtc)) << name;
    EXPECT_NE(function, nullptr) << name;
    return reinterpret_cast<Function*>(function);
}
#define THROUGH(name) through(#name, &name)

TEST(hiprtc, libamdhip64_has_the_same_functions) {
    int major = 0;
    int minor = -1;
    EXPECT_EQ(THROUGH(hiprtcVersion)(&major, &minor), HIPRTC_SUCCESS);
    EXPECT_EQ(major * 10 + minor, 70);
    major = 0;
    EXPECT_EQ(hiprtcVersion(&major, &minor), HIPRTC_SUCCESS);
    EXPECT_EQ(major, 7);
    EXPECT_STREQ(THROUGH(hiprtcGetErrorString)(HIPRTC_ERROR_LINKING), "HIPRTC_ERROR_LINKING");
    EXPECT_STREQ(hiprtcGetErrorString(static_cast<hiprtcResult>(12)), "Invalid HIPRTC error code");

    // A program of the one is one of the other.
    hiprtcProgram program = nullptr;
    const std::string source = "#include \"n.h\"\n#warning careful\n" + kernel_of("N");
    const char* const names[] = {"n.h"};
    const char* const texts[] = {"#define N 9\n"};
    ASSERT_EQ(THROUGH(hiprtcCreateProgram)(&program, source.c_str(), "a.hip", 1, texts, names),
              HIPRTC_SUCCESS);
    EXPECT_EQ(THROUGH(hiprtcAddNameExpression)(program, "&kernel"), HIPRTC_SUCCESS);
    const char* const options[] = {"-O1"};
    ASSERT_EQ(THROUGH(hiprtcCompileProgram)(program, 1, options), HIPRTC_SUCCESS);
    size_t size = 0;
    size_t size_of_other = 0;
    ASSERT_EQ(THROUGH(hiprtcGetProgramLogSize)(program, &size), HIPRTC_SUCCESS);
    std::string log(size, 0);
    ASSERT_EQ(THROUGH(hiprtcGetProgramLog)(program, log.data()), HIPRTC_SUCCESS);
    EXPECT_EQ(log.find("a.hip:2:2: warning: careful"), 0u) << log;
    ASSERT_EQ(THROUGH(hiprtcGetCodeSize)(program, &size), HIPRTC_SUCCESS);
    EXPECT_EQ(hiprtcGetCodeSize(program, &size_of_other), HIPRTC_SUCCESS);
    EXPECT_EQ(size, size_of_other);
    std::string code(size, 0);
    ASSERT_EQ(THROUGH(hiprtcGetCode)(program, code.data()), HIPRTC_SUCCESS);
    const char* name = nullptr;
    ASSERT_EQ(THROUGH(hiprtcGetLoweredName)(program, "&kernel", &name), HIPRTC_SUCCESS);
    EXPECT_EQ(loaded_code(code).result_of(name), 9);
    EXPECT_EQ(THROUGH(hiprtcGetBitcodeSize)(program, &size), HIPRTC_ERROR_INVALID_PROGRAM);
    EXPECT_EQ(THROUGH(hiprtcGetBitcode)(program, code.data()), HIPRTC_ERROR_INVALID_PROGRAM);
    EXPECT_EQ(THROUGH(hiprtcDestroyProgram)(&program), HIPRTC_SUCCESS);
}

TEST(hiprtc, linking_is_refused_by_name) {
    const auto expect_refused = [](const char* name, const auto& call,
                                   const auto& through_runtime) {
        EXPECT_EQ(stderr_of([&] {
                      EXPECT_EQ(call(), HIPRTC_ERROR_INTERNAL_ERROR);
                      EXPECT_EQ(through_runtime(), HIPRTC_ERROR_INTERNAL_ERROR);
                  }),
                  std::string("opus emulator: ") + name + " is not supported\n");
    };
#define EXPECT_REFUSED(name, ...) \
    expect_refused(               \
        #name, [] { return name(__VA_ARGS__); }, [] { return THROUGH(name)(__VA_ARGS__); })
    EXPECT_REFUSED(hiprtcLinkCreate, 0, nullptr, nullptr, nullptr);
    EXPECT_REFUSED(hiprtcLinkAddFile, nullptr, hiprtcJITInputType{}, "a.bc", 0, nullptr, nullptr);
    EXPECT_REFUSED(hiprtcLinkAddData, nullptr, hiprtcJITInputType{}, nullptr, 0, "a", 0, nullptr,
                   nullptr);
    EXPECT_REFUSED(hiprtcLinkComplete, nullptr, nullptr, nullptr);
    EXPECT_REFUSED(hiprtcLinkDestroy, nullptr);
#undef EXPECT_REFUSED
}

}  // namespace
