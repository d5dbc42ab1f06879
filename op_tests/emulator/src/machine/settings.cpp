#include "machine/settings.hpp"

#include <unistd.h>

#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "checks/error.hpp"

namespace emu {
namespace {

struct check_name {
    std::string_view name;
    uint32_t bits;
};

constexpr check_name check_names[] = {
    {"waits", check::waits},
    {"races", check::races},
    {"hazards", check::hazards},
    {"uninitialized_lds", check::uninitialized_lds},
    {"uninitialized_registers", check::uninitialized_registers},
    {"alignment", check::alignment},
    {"lds_alignment", check::lds_alignment},
    {"exec", check::exec},
    {"bounds", check::bounds},
    {"all", check::all},
    {"none", check::none},
};

[[noreturn]] void refuse(const char* variable, std::string_view value, const std::string& instead) {
    std::fprintf(stderr, "opus emulator: %s=%.*s: %s\n", variable, static_cast<int>(value.size()),
                 value.data(), instead.c_str());
    ::_exit(failure_status);
}

uint32_t check_by_name(std::string_view name) {
    std::string known;
    for (const check_name& c : check_names) {
        if (c.name == name) {
            return c.bits;
        }
        known += (known.empty() ? "" : ", ") + std::string(c.name);
    }
    refuse("OPUS_EMU_CHECK", name, "no such check; known are " + known);
}

uint32_t parse_checks(std::string_view list) {
    uint32_t checks = 0;
    while (true) {
        const size_t comma = list.find(',');
        checks |= check_by_name(list.substr(0, comma));
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
    char* end = nullptr;
    errno = 0;
    const unsigned long long limit = std::strtoull(text, &end, 10);
    if (errno != 0 || end == text || *end != 0 || limit == 0 || *text == '-') {
        refuse("OPUS_EMU_LIMIT", text, "a number of instructions from 1 is needed");
    }
    return limit;
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

void read_timeline(launch_settings& settings) {
    constexpr const char* file_variable = "OPUS_EMU_TIMELINE";
    const char* file = std::getenv(file_variable);
    if (file != nullptr && *file == 0) {
        refuse(file_variable, "", "the name of a file is needed");
    }
    settings.timeline_file = file == nullptr ? "" : file;
    // The last two are for the model (timeline/parameters.cpp).
    for (const char* variable : {"OPUS_EMU_TIMELINE_GROUPS", "OPUS_EMU_TIMELINE_KERNEL",
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
        }
    }
}

}  // namespace

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
    return settings;
}

std::string names_of(uint32_t checks) {
    std::string names;
    for (const check_name& c : check_names) {
        if (std::has_single_bit(c.bits) && (checks & c.bits) != 0) {
            names += (names.empty() ? "" : ",") + std::string(c.name);
        }
    }
    return names.empty() ? "none" : names;
}

}  // namespace emu
