// How many instructions the emulator executes in a second: with the default checks, with none, with
// the default checks and a timeline, and, where matrix instructions add as the hardware does, with
// one fused multiply-add a product instead. It is a HIP program as any other one: LD_LIBRARY_PATH says
// which libamdhip64.so is measured.
// No test: the figures depend on the machine. Rates for a core are by processor time, so that other
// work on the machine counts little.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/hip_api.hpp"

namespace {

struct bench {
    const char* name;
    std::array<uint32_t, 3> groups;
    uint32_t threads;
    int count;  // iterations; 0 for the matrix product
    bool is_matrix = false;
};

constexpr bench benches[] = {
    {"valu", {64, 1, 1}, 64, 20000},    {"lds", {64, 1, 1}, 64, 3000},
    {"exchange", {64, 1, 1}, 256, 800}, {"global", {64, 1, 1}, 64, 3000},
    {"buffer", {64, 1, 1}, 64, 3000},   {"mfma", {64, 1, 1}, 64, 2000, true},
    {"gemm", {32, 32, 1}, 64, 0, true},
};

struct mode {
    const char* name;
    const char* checks;  // OPUS_EMU_CHECK; nullptr leaves it out
    bool has_timeline;
    const char* matrix = nullptr;  // OPUS_EMU_MATRIX
};

constexpr mode modes[] = {
    {"default", nullptr, false},
    {"none", "none", false},
    {"timeline", nullptr, true},
    {"fma", nullptr, false, "fma"},
};

constexpr size_t matrix_elements = 1024 * 1024;

void require(hipError_t error, const char* what) {
    if (error != hipSuccess) {
        std::fprintf(stderr, "emulator_bench: %s: %s\n", what, hipGetErrorString(error));
        std::exit(1);
    }
}

void set_variable(const char* name, const char* value) {
    if (value == nullptr) {
        ::unsetenv(name);
    } else {
        ::setenv(name, value, 1);
    }
}

void* allocate_zeros(size_t bytes) {
    void* memory = nullptr;
    require(hipMalloc(&memory, bytes), "hipMalloc");
    require(hipMemset(memory, 0, bytes), "hipMemset");
    return memory;
}

// f16 of both signs, from 2^-4 to 2: sums of their products lose bits.
void* allocate_numbers(size_t count, uint32_t seed) {
    std::vector<uint16_t> codes(count);
    for (uint16_t& code : codes) {
        seed = seed * 1664525 + 1013904223;
        code = static_cast<uint16_t>((seed >> 16 & 0x83ff) | (11 + (seed >> 26) % 5) << 10);
    }
    void* memory = allocate_zeros(count * sizeof(uint16_t));
    require(hipMemcpy(memory, codes.data(), count * sizeof(uint16_t), hipMemcpyHostToDevice),
            "hipMemcpy");
    return memory;
}

}  // namespace

// emulator_bench [KERNEL...]: only these.
int main(int argc, char** argv) {
    const std::vector<std::string_view> only(argv + 1, argv + argc);
    const std::string arch = opus_emulator_arch();
    hipModule_t module = nullptr;
    require(hipModuleLoad(&module, (OPUS_EMU_BENCH_KERNELS "/bench_" + arch + ".co").c_str()),
            "hipModuleLoad");
    void* out = allocate_zeros(matrix_elements * sizeof(float));
    void* a = allocate_numbers(matrix_elements, 1);
    void* b = allocate_numbers(matrix_elements, 2);
    // A launch with a timeline leaves a file.
    std::string traces =
        (std::filesystem::temp_directory_path() / "emulator_bench_XXXXXX").string();
    if (::mkdtemp(traces.data()) == nullptr) {
        std::perror("emulator_bench: mkdtemp");
        return 1;
    }

    const char* threads = std::getenv("OPUS_EMU_THREADS");
    std::printf(
        "%s, compiled for %s, OPUS_EMU_THREADS=%s; millions of wave-instructions per second\n",
        arch.c_str(), opus_emulator_cpu(), threads == nullptr ? "" : threads);
    std::printf("%-9s %-9s %14s %10s %10s %10s\n", "kernel", "mode", "instructions", "seconds",
                "all", "per core");
    for (const bench& item : benches) {
        if (!only.empty() && std::ranges::find(only, item.name) == only.end()) {
            continue;
        }
        hipFunction_t kernel = nullptr;
        require(hipModuleGetFunction(&kernel, module, item.name), item.name);
        for (const mode& m : modes) {
            if (m.matrix != nullptr && (!item.is_matrix || arch != "gfx942")) {
                continue;
            }
            set_variable("OPUS_EMU_MATRIX", m.matrix);
            set_variable("OPUS_EMU_CHECK", m.checks);
            set_variable("OPUS_EMU_TIMELINE",
                         m.has_timeline ? (traces + "/trace.json").c_str() : nullptr);
            int count = item.count;
            void* with_count[] = {&out, &count};
            void* matrices[] = {&out, &a, &b};
            const uint64_t before = opus_emulator_instructions();
            const auto start = std::chrono::steady_clock::now();
            const std::clock_t cpu_start = std::clock();
            require(hipModuleLaunchKernel(kernel, item.groups[0], item.groups[1], item.groups[2],
                                          item.threads, 1, 1, 0, nullptr,
                                          item.count == 0 ? matrices : with_count, nullptr),
                    item.name);
            const double cpu = static_cast<double>(std::clock() - cpu_start) / CLOCKS_PER_SEC;
            const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
            const auto executed = static_cast<double>(opus_emulator_instructions() - before);
            std::printf("%-9s %-9s %14.0f %10.3f %10.2f %10.2f\n", item.name, m.name, executed,
                        wall.count(), executed / wall.count() / 1e6, executed / cpu / 1e6);
        }
    }
    std::filesystem::remove_all(traces);
}
