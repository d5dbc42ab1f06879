#include "isa/levels.hpp"

#include <llvm/ADT/StringMap.h>
#include <llvm/TargetParser/Host.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "machine/report.hpp"

// levels.inc has OPUS_EMU_LEVEL_ROW(namespace, name) for each level of this build, lowest first.
#define OPUS_EMU_LEVEL_ROW(level, name)                              \
    namespace emu::level {                                           \
    std::vector<std::span<const instruction_row>> vector_families(); \
    }
#include "levels.inc"
#undef OPUS_EMU_LEVEL_ROW

namespace emu {
namespace {

constexpr cpu_level levels[] = {
#define OPUS_EMU_LEVEL_ROW(level, name) {name, level::vector_families},
#include "levels.inc"
#undef OPUS_EMU_LEVEL_ROW
};

// What a level has and the one below has not (x86-64 psABI, "Micro-Architecture Levels"), in LLVM's
// words. A feature whose registers the operating system does not save LLVM reports as missing.
struct level_features {
    std::string_view name;
    std::array<std::string_view, 8> features;
};

constexpr level_features feature_rows[] = {
    {"x86-64-v2", {"cx16", "sahf", "popcnt", "sse3", "ssse3", "sse4.1", "sse4.2"}},
    {"x86-64-v3", {"avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe"}},
    {"x86-64-v4", {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}},
};

// A feature of the level that the CPU has not. A level without a row asks for nothing.
std::optional<std::string> missing_feature(std::string_view level) {
    static const auto of_host = llvm::sys::getHostCPUFeatures();
    std::optional<std::string> missing;
    for (const level_features& row : feature_rows) {
        for (const std::string_view feature : row.features) {
            if (!missing && !feature.empty() && !of_host.lookup(feature)) {
                missing = feature;
            }
        }
        if (row.name == level) {
            return missing;
        }
    }
    return std::nullopt;
}

[[noreturn]] void refuse(const std::string& message) {
    std::fprintf(stderr, "opus emulator: %s\n", message.c_str());
    ::_exit(failure_status);
}

std::string level_names() {
    std::string names;
    for (const cpu_level& level : levels) {
        names += (names.empty() ? "" : ", ") + std::string(level.name);
    }
    return names;
}

const cpu_level& forced_level(const std::string& name) {
    for (const cpu_level& level : levels) {
        if (name != level.name) {
            continue;
        }
        if (const auto missing = missing_feature(name)) {
            refuse("OPUS_EMU_CPU=" + name + ": this CPU has no " + *missing);
        }
        return level;
    }
    refuse("OPUS_EMU_CPU=" + name + ": the emulator was built for " + level_names());
}

const cpu_level& highest_level() {
    const cpu_level* highest = nullptr;
    for (const cpu_level& level : levels) {
        if (!missing_feature(level.name)) {
            highest = &level;
        }
    }
    if (highest == nullptr) {
        refuse("this CPU has no " + *missing_feature(levels[0].name) +
               "; the emulator was built for " + level_names());
    }
    return *highest;
}

}  // namespace

const cpu_level& chosen_level() {
    static const cpu_level& chosen = [&]() -> const cpu_level& {
        const char* forced = std::getenv("OPUS_EMU_CPU");
        return forced == nullptr ? highest_level() : forced_level(forced);
    }();
    return chosen;
}

}  // namespace emu
