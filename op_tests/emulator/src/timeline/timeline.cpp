#include "timeline/timeline.hpp"

#include <llvm/ADT/StringExtras.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <filesystem>
#include <numbers>
#include <numeric>
#include <system_error>

namespace emu {
namespace {

constexpr const char* file_variable = "OPUS_EMU_TIMELINE";

// "0,304,600-607"
std::vector<uint64_t> parse_groups(const std::string& text, const timeline_launch& launch,
                                   uint64_t groups_per_unit) {
    constexpr const char* numbers_needed = "numbers of groups are needed, such as 0,1 or 0-7";
    const auto refuse = [&](const std::string& what) {
        refuse_setting("OPUS_EMU_TIMELINE_GROUPS", text, what);
    };
    const auto number = [&](llvm::StringRef digits) {
        uint64_t value = 0;
        if (digits.getAsInteger(10, value)) {
            refuse(numbers_needed);
        }
        if (value >= launch.groups) {
            refuse("the launch has " + std::to_string(launch.groups) + " groups, from 0");
        }
        return value;
    };
    std::vector<uint64_t> groups;
    for (const llvm::StringRef part : llvm::split(text, ',')) {
        const auto [from, to] = part.split('-');
        const uint64_t first = number(from);
        const uint64_t last = part.contains('-') ? number(to) : first;
        if (last < first) {
            refuse(numbers_needed);
        }
        for (uint64_t group = first; group <= last; ++group) {
            if (std::ranges::find(groups, group) != groups.end()) {
                refuse("group " + std::to_string(group) + " is there twice");
            }
            groups.push_back(group);
            if (groups.size() > groups_per_unit) {
                refuse("a compute unit has room for " + std::to_string(groups_per_unit) +
                       " groups of this kernel");
            }
        }
    }
    return groups;
}

// The first one, and the next one as well if its groups take the place of others.
uint64_t rounds_to_model(const launch_settings& settings, const timeline_launch& launch) {
    return settings.timeline_only || launch.parameters.overlap_rounds == 0 ? 1 : 2;
}

// What is there and is no file, such as /dev/null: it is written to, and by all launches.
bool is_device(const std::string& file) {
    std::error_code error;
    const std::filesystem::file_status status = std::filesystem::status(file, error);
    return exists(status) && !is_regular_file(status) && !is_directory(status);
}

std::string part_of(const std::string& file) {
    return is_device(file) ? file : file + ".part";
}

// The file is there when it is complete, or not at all.
void write_file(const std::string& file, const std::string& text) {
    const std::string part = part_of(file);
    std::FILE* out = std::fopen(part.c_str(), "wb");
    bool is_written =
        out != nullptr && std::fwrite(text.data(), 1, text.size(), out) == text.size();
    is_written = out != nullptr && std::fclose(out) == 0 && is_written;
    const bool has_part = part != file;
    if (!is_written || (has_part && std::rename(part.c_str(), file.c_str()) != 0)) {
        if (has_part) {
            std::remove(part.c_str());
        }
        refuse_setting(file_variable, file, "cannot write there");
    }
}

std::string next_file(const std::string& file) {
    static std::atomic<uint64_t> count{0};
    return is_device(file) ? file : numbered_file(file, ++count);
}

}  // namespace

std::vector<uint64_t> groups_of_first_unit(uint64_t launch_groups, uint64_t groups_per_unit,
                                           uint64_t compute_units) {
    std::vector<uint64_t> groups;
    for (uint64_t group = 0; group < launch_groups && groups.size() < groups_per_unit;
         group += compute_units) {
        groups.push_back(group);
    }
    return groups;
}

std::vector<uint64_t> spread_groups(uint64_t first, uint64_t end, uint64_t most) {
    const uint64_t count = end - first;
    auto step = static_cast<uint64_t>(static_cast<double>(count) / std::numbers::phi);
    while (std::gcd(step, count) != 1) {
        ++step;
    }
    std::vector<uint64_t> groups;
    for (uint64_t n = 0; n < std::min(count, most); ++n) {
        groups.push_back(first + n * step % count);
    }
    return groups;
}

uint64_t groups_of_first_round(uint64_t launch_groups, const std::vector<uint64_t>& chosen,
                               uint64_t compute_units) {
    const uint64_t last = chosen.empty() ? 0 : std::ranges::max(chosen) + 1;
    return std::min(launch_groups, std::max(last, compute_units * chosen.size()));
}

std::string numbered_file(const std::string& file, uint64_t number) {
    std::filesystem::path path(file);
    if (number != 1) {
        path.replace_filename(path.stem().string() + "." + std::to_string(number) +
                              path.extension().string());
    }
    return path.string();
}

launch_timeline::launch_timeline(const launch_settings& settings, timeline_launch launch,
                                 uint64_t groups_per_unit)
    : launch_(std::move(launch)),
      file_(next_file(settings.timeline_file)),
      groups_(settings.timeline_groups.empty()
                  ? groups_of_first_unit(
                        launch_.groups,
                        rounds_to_model(settings, launch_) * std::max<uint64_t>(1, groups_per_unit),
                        launch_.units)
                  : parse_groups(settings.timeline_groups, launch_,
                                 std::max<uint64_t>(1, groups_per_unit))),
      weighs_(settings.timeline_groups.empty()),
      has_range_(settings.timeline_range),
      only_(settings.timeline_only),
      groups_to_execute_(settings.timeline_only
                             ? groups_of_first_round(launch_.groups, groups_, launch_.units)
                             : launch_.groups),
      recorder_(launch_.parameters, groups_,
                {launch_.parameters.compute_units, launch_.parameters.dies,
                 launch_.units * groups_.size(), std::max<uint64_t>(1, groups_per_unit),
                 launch_.groups, weighs_, settings.timeline_warm, has_range_}) {
    if (is_device(file_)) {
        return;
    }
    // Before the launch, which may take long.
    std::FILE* out = std::fopen(part_of(file_).c_str(), "wb");
    if (out == nullptr || std::fclose(out) != 0) {
        refuse_setting(file_variable, file_, "cannot write there");
    }
    std::remove(part_of(file_).c_str());
}

bool launch_timeline::leaves_out_products(uint64_t group) const {
    return only_ && std::ranges::find(groups_, group) == groups_.end();
}

uint64_t launch_timeline::weigh_more(uint64_t instructions, const execution& execute) {
    const uint64_t rest = launch_.groups - groups_to_execute_;
    if (rest == 0 || !weighs_) {
        return 0;
    }
    std::vector<uint64_t> groups =
        spread_groups(groups_to_execute_, launch_.groups, 64 * groups_to_execute_);
    // A few show whether there is anything to be weighed. They may wait for groups that are not
    // executed, and then never end.
    const uint64_t few = std::min(rest, std::max<uint64_t>(16, groups_to_execute_ / 8));
    const auto others = groups.begin() + static_cast<std::ptrdiff_t>(few);
    const uint64_t of_few = execute({groups.begin(), others}, 8 * instructions + (1 << 24));
    has_left_some_ = recorder_.weighed() < groups_to_execute_ + few;
    groups.erase(groups.begin(), others);
    if (groups.empty() || has_left_some_ || !recorder_.is_uneven()) {
        return of_few;
    }
    return of_few + execute(groups, 2 * instructions);
}

timeline_report launch_timeline::finish(const program& code) {
    timeline_record record = recorder_.take();
    const timeline_run run = run_timeline(record, launch_);
    timeline_figures figures = make_figures(record, run, code);
    figures.without = find_without(record, launch_, figures);
    timeline_report report = make_report(figures, record, run);
    write_file(file_, make_trace(record, run.result, report, launch_, code));
    if (has_range_) {
        report.text += range_text(find_range(record, launch_), figures);
    }
    if (only_) {
        const uint64_t weighed = std::max(record.weighed, groups_to_execute_) - groups_to_execute_;
        report.text += "  executed                " + std::to_string(groups_to_execute_) + " of " +
                       std::to_string(launch_.groups) +
                       " groups (OPUS_EMU_TIMELINE_ONLY), and only those that are modelled with "
                       "the products of matrix instructions and with checks, " +
                       std::to_string(weighed) + " more to count their instructions" +
                       (has_left_some_ ? " (one was left: it waits or is much longer)" : "") +
                       ": what the program computes is not valid\n";
    }
    report.text += "  trace                   " + file_ + "\n";
    return report;
}

}  // namespace emu
