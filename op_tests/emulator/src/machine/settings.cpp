#include "machine/settings.hpp"

#include <llvm/ADT/StringExtras.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "machine/report.hpp"

namespace emu {
namespace {

constexpr std::string_view variable_prefix = "OPUS_EMU_";
constexpr std::string_view variables[] = {
    "OPUS_EMU_ARCH",
    "OPUS_EMU_CPU",
    "OPUS_EMU_THREADS",
    "OPUS_EMU_CHECK",
    "OPUS_EMU_CHECK_MODE",
    "OPUS_EMU_REPORT",
    "OPUS_EMU_STOP",
    "OPUS_EMU_DUMP",
    "OPUS_EMU_LIMIT",
    "OPUS_EMU_ABORT",
    "OPUS_EMU_MATRIX",
    "OPUS_EMU_BUFFER_SUM",
    "OPUS_EMU_FRESH_MEMORY",
    "OPUS_EMU_PRINTF_BUFFER",
    "OPUS_EMU_STATS",
    "OPUS_EMU_PROFILE",
    "OPUS_EMU_PROFILE_FILE",
    "OPUS_EMU_PROFILE_KERNEL",
    "OPUS_EMU_TIMELINE",
    "OPUS_EMU_TIMELINE_KERNEL",
    "OPUS_EMU_TIMELINE_GROUPS",
    "OPUS_EMU_TIMELINE_PARAMETERS",
    "OPUS_EMU_TIMELINE_DEVICE",
    "OPUS_EMU_TIMELINE_ONLY",
    "OPUS_EMU_TIMELINE_RANGE",
    "OPUS_EMU_TIMELINE_WARM",
    "OPUS_EMU_CLOCK_GHZ",
    "OPUS_EMU_CLANG",
};

uint32_t check_by_name(std::string_view name) {
    std::string known;
    for (const check_switch& s : check_switches()) {
        if (s.name == name) {
            return s.bit;
        }
        known += std::string(s.name) + ", ";
    }
    if (name == "default") {
        return check::by_default();
    }
    if (name == "all") {
        return check::all();
    }
    if (name == "none") {
        return check::none;
    }
    refuse_setting("OPUS_EMU_CHECK", name,
                   "no such check; known are " + known + "default, all, none");
}

// Names with commas between; + and - change what stands before them, or the default.
uint32_t parse_checks(std::string_view list) {
    uint32_t checks = list.starts_with('+') || list.starts_with('-') ? check::by_default() : 0;
    for (llvm::StringRef entry : llvm::split(list, ',')) {
        if (entry.consume_front("-")) {
            checks &= ~check_by_name(entry);
        } else {
            entry.consume_front("+");
            checks |= check_by_name(entry);
        }
    }
    return checks;
}

// These set what the variable says, if there is one.
void read(const char* variable, std::string& setting) {
    if (const char* text = std::getenv(variable)) {
        setting = text;
    }
}

// By its name, which is one of these.
template <class Value>
void read(const char* variable, Value& setting,
          std::initializer_list<std::pair<std::string_view, std::type_identity_t<Value>>> values) {
    const char* text = std::getenv(variable);
    if (text == nullptr) {
        return;
    }
    std::string names;
    for (const auto& [name, value] : values) {
        if (text == name) {
            setting = value;
            return;
        }
        names += (names.empty() ? "" : " or ") + std::string(name);
    }
    refuse_setting(variable, text, names + " is needed");
}

void read(const char* variable, bool& setting) {
    read(variable, setting, {{"1", true}, {"0", false}});
}

// A variable that means nothing without another one, which is there or not.
void check_need(const char* variable, bool has_other, const std::string& other) {
    const char* text = std::getenv(variable);
    if (text != nullptr && !has_other) {
        refuse_setting(variable, text, "needs " + other);
    }
}

void read_profile(launch_settings& settings) {
    read("OPUS_EMU_PROFILE", settings.profile,
         {{"table", profile_format::table}, {"json", profile_format::json}});
    for (const char* variable : {"OPUS_EMU_PROFILE_FILE", "OPUS_EMU_PROFILE_KERNEL"}) {
        check_need(variable, settings.profile != profile_format::none,
                   "OPUS_EMU_PROFILE=table or json");
    }
    read("OPUS_EMU_PROFILE_FILE", settings.profile_file);
    read("OPUS_EMU_PROFILE_KERNEL", settings.profile_kernel);
    if (std::getenv("OPUS_EMU_PROFILE_KERNEL") != nullptr && settings.profile_kernel.empty()) {
        refuse_setting("OPUS_EMU_PROFILE_KERNEL", "", "a part of a kernel's name is needed");
    }
}

void read_timeline(launch_settings& settings) {
    const char* file = std::getenv("OPUS_EMU_TIMELINE");
    if (file != nullptr && *file == 0) {
        refuse_setting("OPUS_EMU_TIMELINE", "", "the name of a file is needed");
    }
    // The last three are for the model (timeline/parameters.cpp).
    for (const char* variable :
         {"OPUS_EMU_TIMELINE_GROUPS", "OPUS_EMU_TIMELINE_KERNEL", "OPUS_EMU_TIMELINE_ONLY",
          "OPUS_EMU_TIMELINE_RANGE", "OPUS_EMU_TIMELINE_WARM", "OPUS_EMU_TIMELINE_DEVICE",
          "OPUS_EMU_TIMELINE_PARAMETERS", "OPUS_EMU_CLOCK_GHZ"}) {
        check_need(variable, file != nullptr, "OPUS_EMU_TIMELINE=FILE");
        if (const char* text = std::getenv(variable); text != nullptr && *text == 0) {
            refuse_setting(variable, "", "a value is needed");
        }
    }
    read("OPUS_EMU_TIMELINE", settings.timeline_file);
    read("OPUS_EMU_TIMELINE_GROUPS", settings.timeline_groups);
    read("OPUS_EMU_TIMELINE_KERNEL", settings.timeline_kernel);
    read("OPUS_EMU_TIMELINE_ONLY", settings.timeline_only);
    read("OPUS_EMU_TIMELINE_RANGE", settings.timeline_range);
    read("OPUS_EMU_TIMELINE_WARM", settings.timeline_warm);
}

void read_stop(stop_request& stop) {
    const char* place = std::getenv("OPUS_EMU_STOP");
    const char* parts = std::getenv("OPUS_EMU_DUMP");
    check_need("OPUS_EMU_DUMP", place != nullptr, "OPUS_EMU_STOP");
    std::string problem;
    if (place != nullptr) {
        stop = parse_stop(place, problem);
    }
    if (!problem.empty()) {
        refuse_setting("OPUS_EMU_STOP", place, problem);
    }
    if (parts != nullptr) {
        stop.dump = parse_dump(parts, problem);
    }
    if (!problem.empty()) {
        refuse_setting("OPUS_EMU_DUMP", parts, problem);
    }
}

}  // namespace

namespace check {

uint32_t by_default() {
    uint32_t bits = 0;
    for (const check_switch& s : check_switches()) {
        bits |= s.on == turned_on::by_default ? s.bit : 0;
    }
    return bits;
}

uint32_t all() {
    uint32_t bits = 0;
    for (const check_switch& s : check_switches()) {
        bits |= s.on != turned_on::by_name ? s.bit : 0;
    }
    return bits;
}

}  // namespace check

bool follows_memory(uint32_t checks) {
    return std::ranges::any_of(check_switches(), [&](const check_switch& s) {
        return s.follows_memory && (checks & s.bit) != 0;
    });
}

launch_settings read_settings() {
    launch_settings settings;
    if (const char* list = std::getenv("OPUS_EMU_CHECK")) {
        settings.checks = parse_checks(list);
    }
    read("OPUS_EMU_CHECK_MODE", settings.mode,
         {{"stop", check_mode::stop}, {"report", check_mode::report}});
    if (const char* text = std::getenv("OPUS_EMU_LIMIT")) {
        settings.instruction_limit = parse_number(text).value_or(0);
        if (settings.instruction_limit == 0) {
            refuse_setting("OPUS_EMU_LIMIT", text, "a number of instructions from 1 is needed");
        }
    }
    read("OPUS_EMU_MATRIX", settings.matrix,
         {{"hardware", matrix_sums::hardware}, {"fma", matrix_sums::fma}});
    read("OPUS_EMU_BUFFER_SUM", settings.buffer_sum_wraps, {{"exact", false}, {"wraps", true}});
    read("OPUS_EMU_STATS", settings.stats);
    read("OPUS_EMU_ABORT", settings.aborts);
    read_profile(settings);
    read_timeline(settings);
    read_stop(settings.stop);
    return settings;
}

bool adds_as_hardware(const launch_settings& settings, gfx_target target) {
    const target_info& info = info_of(target);
    if (settings.matrix == matrix_sums::hardware && !info.has_matrix_sums) {
        refuse_setting("OPUS_EMU_MATRIX", "hardware",
                       std::string("how matrix instructions of ") + info.name +
                           " add has not been published; fma is needed, or no such variable");
    }
    return info.has_matrix_sums && settings.matrix != matrix_sums::fma;
}

fresh_memory read_fresh_memory() {
    fresh_memory contents = fresh_memory::nan;
    read("OPUS_EMU_FRESH_MEMORY", contents,
         {{"nan", fresh_memory::nan}, {"zero", fresh_memory::zero}});
    return contents;
}

void refuse_setting(const char* variable, std::string_view value, const std::string& instead) {
    std::fprintf(stderr, "opus emulator: %s=%.*s: %s\n", variable, static_cast<int>(value.size()),
                 value.data(), instead.c_str());
    ::_exit(failure_status);
}

std::optional<uint64_t> parse_number(std::string_view text) {
    uint64_t number = 0;
    return llvm::StringRef(text).getAsInteger(10, number) ? std::nullopt : std::optional(number);
}

std::span<const std::string_view> known_variables() {
    return variables;
}

void report_unknown_variables() {
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
        const std::string_view text = *entry;
        const std::string_view name = text.substr(0, text.find('='));
        if (!name.starts_with(variable_prefix) || std::ranges::count(variables, name) != 0) {
            continue;
        }
        const auto nearest = std::ranges::min_element(variables, {}, [&](std::string_view known) {
            return llvm::StringRef(name).edit_distance(known);
        });
        std::fprintf(stderr, "opus emulator: %.*s is no variable of the emulator; is %.*s meant?\n",
                     static_cast<int>(name.size()), name.data(), static_cast<int>(nearest->size()),
                     nearest->data());
    }
}

std::string names_of(uint32_t checks) {
    std::string names;
    for (const check_switch& s : check_switches()) {
        if ((checks & s.bit) != 0) {
            names += (names.empty() ? "" : ",") + std::string(s.name);
        }
    }
    return names.empty() ? "none" : names;
}

}  // namespace emu
