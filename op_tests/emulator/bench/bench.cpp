// How many instructions the emulator executes in a second: with the default checks, with none, and
// with the default checks and a timeline.
// No test: the figures depend on the machine. Rates for a core are by processor time, so that other
// work on the machine counts little.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "loader/code_object.hpp"
#include "machine/launch.hpp"
#include "machine/memory.hpp"
#include "machine/scheduler.hpp"
#include "timeline/timeline.hpp"

namespace {

struct bench {
    const char* name;
    std::array<uint32_t, 3> groups;
    uint32_t threads;
    int count;  // iterations; 0 for the matrix product
};

constexpr bench benches[] = {
    {"valu", {64, 1, 1}, 64, 20000},    {"lds", {64, 1, 1}, 64, 3000},
    {"exchange", {64, 1, 1}, 256, 800}, {"global", {64, 1, 1}, 64, 3000},
    {"buffer", {64, 1, 1}, 64, 3000},   {"mfma", {64, 1, 1}, 64, 2000},
    {"gemm", {32, 32, 1}, 64, 0},
};

struct mode {
    const char* name;
    uint32_t checks;
    bool has_timeline;
};

constexpr mode modes[] = {
    {"default", emu::check::by_default, false},
    {"none", emu::check::none, false},
    {"timeline", emu::check::by_default, true},
};

constexpr size_t matrix_elements = 1024 * 1024;

std::vector<std::byte> read_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(file)),
                           std::istreambuf_iterator<char>());
    const auto* bytes = reinterpret_cast<const std::byte*>(text.data());
    return {bytes, bytes + text.size()};
}

void* allocate_zeros(size_t bytes) {
    void* memory = emu::allocate(bytes, emu::memory_kind::device);
    if (memory == nullptr) {
        std::fputs("emulator_bench: not enough memory\n", stderr);
        std::exit(1);
    }
    std::memset(memory, 0, bytes);
    return memory;
}

}  // namespace

// emulator_bench [KERNEL...]: only these.
int main(int argc, char** argv) {
    const std::vector<std::string_view> only(argv + 1, argv + argc);
    const char* wanted = std::getenv("OPUS_EMU_ARCH");
    const std::string arch = wanted == nullptr ? "gfx942" : wanted;
    const emu::device_info& device = arch == "gfx950" ? emu::gfx950_device : emu::gfx942_device;
    const auto file = read_file(OPUS_EMU_BENCH_KERNELS "/bench_" + arch + ".co");
    emu::code_object object(file, device.target);
    void* out = allocate_zeros(matrix_elements * sizeof(float));
    void* a = allocate_zeros(matrix_elements * 2);
    void* b = allocate_zeros(matrix_elements * 2);

    std::printf("%s, %u threads; millions of wave-instructions per second\n", arch.c_str(),
                emu::worker_count());
    std::printf("%-9s %-9s %14s %10s %10s %10s\n", "kernel", "checks", "instructions", "seconds",
                "all", "per core");
    const std::string trace =
        (std::filesystem::temp_directory_path() / "emulator_bench_timeline.json").string();
    uint64_t timelines = 0;
    for (const bench& item : benches) {
        if (!only.empty() && std::ranges::find(only, item.name) == only.end()) {
            continue;
        }
        for (const mode& m : modes) {
            const emu::kernel_info& kernel = *object.find_kernel(item.name);
            emu::launch_config config{item.groups, {item.threads, 1, 1}};
            config.settings.checks = m.checks;
            config.settings.timeline_file = m.has_timeline ? trace : "";
            int count = item.count;
            void* with_count[] = {&out, &count};
            void* matrices[] = {&out, &a, &b};
            const auto arguments =
                emu::pack_arguments(kernel, item.count == 0 ? matrices : with_count);
            if (emu::check_launch(device, kernel, config) != hipSuccess) {
                std::fprintf(stderr, "emulator_bench: %s: cannot be launched\n", item.name);
                return 1;
            }
            const auto start = std::chrono::steady_clock::now();
            const std::clock_t cpu_start = std::clock();
            const auto executed =
                static_cast<double>(emu::launch(device, object, kernel, config, arguments));
            const double cpu = static_cast<double>(std::clock() - cpu_start) / CLOCKS_PER_SEC;
            const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
            if (m.has_timeline) {
                std::filesystem::remove(emu::numbered_file(trace, ++timelines));
            }
            std::printf("%-9s %-9s %14.0f %10.3f %10.2f %10.2f\n", item.name, m.name, executed,
                        wall.count(), executed / wall.count() / 1e6, executed / cpu / 1e6);
        }
    }
}
