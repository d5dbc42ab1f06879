#include "machine/settings.hpp"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

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
    "OPUS_EMU_MATRIX",
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

// How many letters are to be put in, left out or replaced to make one word of the other.
size_t distance(std::string_view a, std::string_view b) {
    std::vector<size_t> row(b.size() + 1);  // from the first letters of a to each beginning of b
    std::iota(row.begin(), row.end(), size_t{0});
    for (size_t i = 0; i < a.size(); ++i) {
        size_t diagonal = row[0];
        row[0] = i + 1;
        for (size_t j = 0; j < b.size(); ++j) {
            const size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
        }
    }
    return row.back();
}

[[noreturn]] void refuse(const char* variable, std::string_view value, const std::string& instead) {
    std::fprintf(stderr, "opus emulator: %s=%.*s: %s\n", variable, static_cast<int>(value.size()),
                 value.data(), instead.c_str());
    ::_exit(failure_status);
}

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
    refuse("OPUS_EMU_CHECK", name, "no such check; known are " + known + "default, all, none");
}

// Names with commas between; + and - change what stands before them, or the default.
uint32_t parse_checks(std::string_view list) {
    uint32_t checks = list.starts_with('+') || list.starts_with('-') ? check::by_default() : 0;
    while (true) {
        const size_t comma = list.find(',');
        const std::string_view entry = list.substr(0, comma);
        if (entry.starts_with('-')) {
            checks &= ~check_by_name(entry.substr(1));
        } else {
            checks |= check_by_name(entry.substr(entry.starts_with('+') ? 1 : 0));
        }
        if (comma == std::string_view::npos) {
            return checks;
        }
        list.remove_prefix(comma + 1);
    }
}

check_mode parse_mode(std::string_view text) {
    if (text == "stop") {
        return check_mode::stop;
    }
    if (text == "report") {
        return check_mode::report;
    }
    refuse("OPUS_EMU_CHECK_MODE", text, "stop or report is needed");
}

uint64_t parse_limit(const char* text) {
    const std::optional<uint64_t> limit = parse_number(text);
    if (!limit || *limit == 0) {
        refuse("OPUS_EMU_LIMIT", text, "a number of instructions from 1 is needed");
    }
    return *limit;
}

matrix_sums parse_matrix(std::string_view text) {
    if (text == "hardware") {
        return matrix_sums::hardware;
    }
    if (text == "fma") {
        return matrix_sums::fma;
    }
    refuse("OPUS_EMU_MATRIX", text, "hardware or fma is needed");
}

profile_format parse_profile(std::string_view text) {
    if (text == "table") {
        return profile_format::table;
    }
    if (text == "json") {
        return profile_format::json;
    }
    refuse("OPUS_EMU_PROFILE", text, "table or json is needed");
}

// 1 or 0.
bool is_on(const char* variable, const char* text) {
    if (std::string_view(text) != "1" && std::string_view(text) != "0") {
        refuse(variable, text, "1 or 0 is needed");
    }
    return *text == '1';
}

void read_timeline(launch_settings& settings) {
    constexpr const char* file_variable = "OPUS_EMU_TIMELINE";
    const char* file = std::getenv(file_variable);
    if (file != nullptr && *file == 0) {
        refuse(file_variable, "", "the name of a file is needed");
    }
    settings.timeline_file = file == nullptr ? "" : file;
    // The last four are for the model (timeline/parameters.cpp, timeline/timeline.cpp).
    for (const char* variable :
         {"OPUS_EMU_TIMELINE_GROUPS", "OPUS_EMU_TIMELINE_KERNEL", "OPUS_EMU_TIMELINE_ONLY",
          "OPUS_EMU_TIMELINE_RANGE", "OPUS_EMU_TIMELINE_WARM", "OPUS_EMU_TIMELINE_DEVICE",
          "OPUS_EMU_TIMELINE_PARAMETERS", "OPUS_EMU_CLOCK_GHZ"}) {
        const char* text = std::getenv(variable);
        if (text == nullptr) {
            continue;
        }
        if (file == nullptr) {
            refuse(variable, text, "needs OPUS_EMU_TIMELINE=FILE");
        }
        if (*text == 0) {
            refuse(variable, "", "a value is needed");
        }
        if (std::string_view(variable).ends_with("_GROUPS")) {
            settings.timeline_groups = text;
        } else if (std::string_view(variable).ends_with("_KERNEL")) {
            settings.timeline_kernel = text;
        } else if (std::string_view(variable).ends_with("_ONLY")) {
            settings.timeline_only = is_on(variable, text);
        } else if (std::string_view(variable).ends_with("_RANGE")) {
            settings.timeline_range = is_on(variable, text);
        }
    }
}

void read_stop(launch_settings& settings) {
    const char* place = std::getenv("OPUS_EMU_STOP");
    std::string problem;
    if (place != nullptr) {
        settings.stop = parse_stop(place, problem);
        if (!problem.empty()) {
            refuse("OPUS_EMU_STOP", place, problem);
        }
    }
    if (const char* parts = std::getenv("OPUS_EMU_DUMP")) {
        if (place == nullptr) {
            refuse("OPUS_EMU_DUMP", parts, "needs OPUS_EMU_STOP");
        }
        settings.stop.dump = parse_dump(parts, problem);
        if (!problem.empty()) {
            refuse("OPUS_EMU_DUMP", parts, problem);
        }
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
    if (const char* mode = std::getenv("OPUS_EMU_CHECK_MODE")) {
        settings.mode = parse_mode(mode);
    }
    if (const char* limit = std::getenv("OPUS_EMU_LIMIT")) {
        settings.instruction_limit = parse_limit(limit);
    }
    if (const char* sums = std::getenv("OPUS_EMU_MATRIX")) {
        settings.matrix = parse_matrix(sums);
    }
    if (const char* stats = std::getenv("OPUS_EMU_STATS")) {
        settings.stats = is_on("OPUS_EMU_STATS", stats);
    }
    if (const char* format = std::getenv("OPUS_EMU_PROFILE")) {
        settings.profile = parse_profile(format);
    }
    const auto read_of_profile = [&](const char* variable, std::string& setting) {
        const char* text = std::getenv(variable);
        if (text == nullptr) {
            return;
        }
        setting = text;
        if (settings.profile == profile_format::none) {
            refuse(variable, text, "needs OPUS_EMU_PROFILE=table or json");
        }
    };
    read_of_profile("OPUS_EMU_PROFILE_FILE", settings.profile_file);
    read_of_profile("OPUS_EMU_PROFILE_KERNEL", settings.profile_kernel);
    if (std::getenv("OPUS_EMU_PROFILE_KERNEL") != nullptr && settings.profile_kernel.empty()) {
        refuse("OPUS_EMU_PROFILE_KERNEL", "", "a part of a kernel's name is needed");
    }
    read_timeline(settings);
    read_stop(settings);
    return settings;
}

bool adds_as_hardware(const launch_settings& settings, gfx_target target) {
    const target_info& info = info_of(target);
    if (settings.matrix == matrix_sums::hardware && !info.has_matrix_sums) {
        refuse("OPUS_EMU_MATRIX", "hardware",
               std::string("how matrix instructions of ") + info.name +
                   " add has not been published; fma is needed, or no such variable");
    }
    return info.has_matrix_sums && settings.matrix != matrix_sums::fma;
}

fresh_memory read_fresh_memory() {
    const char* text = std::getenv("OPUS_EMU_FRESH_MEMORY");
    if (text == nullptr || std::string_view(text) == "nan") {
        return fresh_memory::nan;
    }
    if (std::string_view(text) == "zero") {
        return fresh_memory::zero;
    }
    refuse("OPUS_EMU_FRESH_MEMORY", text, "nan or zero is needed");
}

std::optional<uint64_t> parse_number(std::string_view text) {
    uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(number)
                                                                    : std::nullopt;
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
        const auto nearest = std::ranges::min_element(
            variables, {}, [&](std::string_view known) { return distance(name, known); });
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
