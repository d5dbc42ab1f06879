#include "timeline/report.hpp"

#include <llvm/Demangle/Demangle.h>
#include <llvm/Support/JSON.h>

#include <algorithm>
#include <map>

#include "profile/text.hpp"

namespace emu {
namespace {

namespace json = llvm::json;

constexpr size_t costliest_count = 10;

constexpr std::array<const char*, timeline_bound_count> bound_names = {
    "matrix", "VALU", "LDS", "L1", "L2", "MALL", "HBM"};

double ratio(uint64_t part, uint64_t whole) {
    return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

unsigned long long long_number(uint64_t n) {
    return n;
}

std::vector<std::string> sources_of(const timeline_record& record, const program& code) {
    std::vector<uint64_t> addresses;
    for (const timeline_instruction& i : record.instructions) {
        addresses.push_back(i.address);
    }
    std::vector<std::string> sources;
    for (const source_frames& frames : code.frames_of(addresses)) {
        sources.push_back(frames_of_user(frames));
    }
    return sources;
}

// The lines that cost most; of equals the first by name.
void find_lines(timeline_figures& f, const timeline_record& record, const timeline_result& result,
                const timeline_launch& launch, const program& code) {
    const std::vector<std::string> sources = sources_of(record, code);
    f.has_source = std::ranges::any_of(sources, [](const std::string& s) { return !s.empty(); });
    std::map<std::string, timeline_line_cost> by_source;
    for (size_t n = 0; n < record.instructions.size(); ++n) {
        const timeline_instruction& i = record.instructions[n];
        const std::string name =
            f.has_source
                ? (sources[n].empty() ? "unknown" : sources[n])
                : format("+0x%llx  %s", long_number(i.address - launch.entry), i.text.c_str());
        timeline_line_cost& line = by_source[name];
        line.source = name;
        line.clocks += result.costs[n].all();
        for (size_t c = 0; c < timeline_cause_count; ++c) {
            line.stalls[c] += result.costs[n].stalls[c];
        }
    }
    for (const auto& [name, line] : by_source) {
        f.lines.push_back(line);
    }
    std::ranges::sort(f.lines, [](const timeline_line_cost& a, const timeline_line_cost& b) {
        return a.clocks != b.clocks ? a.clocks > b.clocks : a.source < b.source;
    });
    f.lines.resize(std::min(f.lines.size(), costliest_count));
}

// Rounds of the launch: as many groups on each compute unit as were modelled, and the rest of them
// spread over all units.
void find_launch(timeline_figures& f, const timeline_record& record,
                 const timeline_launch& launch) {
    const uint64_t units = launch.units;
    const uint64_t of_round = f.resident * units;
    const uint64_t rest = of_round == 0 ? 0 : launch.groups % of_round;
    const uint64_t on_a_unit = (rest + units - 1) / units;
    f.rounds = of_round == 0 ? 0 : launch.groups / of_round;
    if (on_a_unit == f.resident && rest != 0) {
        ++f.rounds;
    } else if (rest != 0) {
        f.tail_clocks = model_timeline(record, launch.parameters, on_a_unit).clocks;
    }
    f.launch_clocks = f.rounds * f.clocks + f.tail_clocks;
    f.seconds = static_cast<double>(f.launch_clocks) /
                (static_cast<double>(launch.parameters.clock_mhz) * 1e6);
}

void find_work(timeline_figures& f, const timeline_record& record, const timeline_result& result,
               const timeline_launch& launch) {
    uint64_t flops = 0;
    for (size_t n = 0; n < record.instructions.size(); ++n) {
        flops += record.instructions[n].flops * result.costs[n].executed;
    }
    uint64_t bytes = 0;
    for (const timeline_group& group : record.groups) {
        for (const timeline_wave& wave : group.waves) {
            for (const timeline_access& access : wave.accesses) {
                bytes += access.bytes;
            }
        }
    }
    const double groups = ratio(launch.groups, f.resident);
    f.flops = static_cast<double>(flops) * groups;
    f.bytes = static_cast<double>(bytes) * groups;
    f.hbm_bytes = static_cast<double>(result.hbm_bytes) * groups;
}

void find_busy(timeline_figures& f, const timeline_result& result, const timeline_parameters& p) {
    const auto set = [&](timeline_bound bound, uint64_t clocks) {
        f.busy[static_cast<size_t>(bound)] = ratio(clocks, f.clocks);
    };
    set(timeline_bound::matrix, std::ranges::max(result.matrix_clocks));
    set(timeline_bound::valu, std::ranges::max(result.valu_clocks));
    set(timeline_bound::lds, result.lds_clocks);
    set(timeline_bound::l1, result.l1_clocks);
    set(timeline_bound::l2, l2_share_clocks(p, result.l2_bytes));
    set(timeline_bound::mall, mall_share_clocks(p, result.mall_bytes));
    set(timeline_bound::hbm, hbm_share_clocks(p, result.hbm_bytes));
    uint64_t matrix = 0;
    for (const uint64_t clocks : result.matrix_clocks) {
        matrix += clocks;
    }
    f.matrix_share = ratio(matrix, timeline_simds * f.clocks);
}

uint64_t sum_of(const timeline_stalls& stalls) {
    uint64_t sum = 0;
    for (const uint64_t clocks : stalls) {
        sum += clocks;
    }
    return sum;
}

// "vmcnt 80.1 %": the cause of most of a line's clocks; empty if it waits for less than a tenth.
std::string main_cause(const timeline_line_cost& line) {
    const auto most = std::ranges::max_element(line.stalls);
    const double share = ratio(*most, line.clocks);
    if (share < 0.1) {
        return {};
    }
    const auto cause = static_cast<timeline_cause>(most - line.stalls.begin());
    return format("%s %.0f %%", name_of(cause), 100 * share);
}

double per_second(double amount, const timeline_figures& f) {
    return f.seconds > 0 ? amount / f.seconds : 0;
}

std::string report_text(const timeline_figures& f, const timeline_record& record,
                        const timeline_launch& launch) {
    const auto percent = [](double share) { return 100 * share; };
    const size_t waves = record.groups.empty() ? 0 : record.groups.front().waves.size();
    std::string text = "opus emulator: timeline of " + llvm::demangle(launch.kernel) + " on " +
                       launch.arch + ": a model of time, not a measurement\n";
    text += format("  %-24s%llu of %llu, of %zu waves each, on one compute unit\n",
                   "groups (modelled)", long_number(f.resident), long_number(launch.groups), waves);
    text += format("  %-24s%llu for these together, %llu for one on average\n", "clocks",
                   long_number(f.clocks), long_number(f.group_clocks));
    text += format("  %-24s%llu clocks: ", "launch", long_number(f.launch_clocks));
    text += format("%llu round%s of %llu on each of %llu compute units", long_number(f.rounds),
                   f.rounds == 1 ? "" : "s", long_number(f.resident), long_number(launch.units));
    text += f.tail_clocks == 0
                ? ""
                : format(" and a last one of %llu clocks", long_number(f.tail_clocks));
    text += format("; %.3f us at %.3f GHz\n", 1e6 * f.seconds, launch.parameters.clock_mhz / 1e3);
    text += format(
        "  %-24s%.1f TFLOP/s of matrix instructions, %.1f GB/s asked for, %.1f GB/s of "
        "HBM\n",
        "throughput", per_second(f.flops, f) / 1e12, per_second(f.bytes, f) / 1e9,
        per_second(f.hbm_bytes, f) / 1e9);
    text += format("  %-24s%.1f %% of the four matrix pipes; ", "at work", percent(f.matrix_share));
    for (size_t n = 0; n < timeline_bound_count; ++n) {
        text += format("%s%s %.1f %%", n == 0 ? "" : ", ", bound_names[n], percent(f.busy[n]));
    }
    text += format("\n  %-24s%s\n", "bound", bound_of(f));
    text += format("  %-24sissue %.1f %%", "clocks of waves",
                   percent(ratio(f.wave_clocks - sum_of(f.stalls), f.wave_clocks)));
    for (size_t c = 0; c < timeline_cause_count; ++c) {
        if (f.stalls[c] != 0) {
            text += format(", waits: %s %.1f %%", name_of(static_cast<timeline_cause>(c)),
                           percent(ratio(f.stalls[c], f.wave_clocks)));
        }
    }
    text += format("\n  %s\n", f.has_source ? "costliest lines" : "costliest instructions");
    for (const timeline_line_cost& line : f.lines) {
        text +=
            format("    %5.1f %% %12llu  %-20s  %s\n", percent(ratio(line.clocks, f.wave_clocks)),
                   long_number(line.clocks), main_cause(line).c_str(), line.source.c_str());
    }
    return text;
}

json::Object stalls_json(const timeline_stalls& stalls) {
    json::Object object;
    for (size_t c = 0; c < timeline_cause_count; ++c) {
        object[id_of(static_cast<timeline_cause>(c))] = stalls[c];
    }
    return object;
}

json::Value report_json(const timeline_figures& f, const timeline_record& record,
                        const timeline_launch& launch) {
    json::Object busy;
    for (size_t n = 0; n < timeline_bound_count; ++n) {
        busy[bound_names[n]] = f.busy[n];
    }
    json::Array lines;
    for (const timeline_line_cost& line : f.lines) {
        lines.push_back(json::Object{{"source", json::fixUTF8(line.source)},
                                     {"clocks", line.clocks},
                                     {"stalls", stalls_json(line.stalls)}});
    }
    json::Array groups;
    for (const timeline_group& group : record.groups) {
        groups.push_back(group.number);
    }
    return json::Object{{"groups", std::move(groups)},
                        {"launch_groups", launch.groups},
                        {"clocks", f.clocks},
                        {"group_clocks", f.group_clocks},
                        {"rounds", f.rounds},
                        {"tail_clocks", f.tail_clocks},
                        {"launch_clocks", f.launch_clocks},
                        {"clock_mhz", launch.parameters.clock_mhz},
                        {"seconds", f.seconds},
                        {"tflops", per_second(f.flops, f) / 1e12},
                        {"asked_gb_per_second", per_second(f.bytes, f) / 1e9},
                        {"hbm_gb_per_second", per_second(f.hbm_bytes, f) / 1e9},
                        {"matrix_share", f.matrix_share},
                        {"busy", std::move(busy)},
                        {"bound", bound_of(f)},
                        {"wave_clocks", f.wave_clocks},
                        {"stalls", stalls_json(f.stalls)},
                        {"lines", std::move(lines)}};
}

std::string text_of(const json::Value& value) {
    std::string text;
    llvm::raw_string_ostream out(text);
    out << value;
    return text;
}

}  // namespace

timeline_figures make_figures(const timeline_record& record, const timeline_result& result,
                              const timeline_launch& launch, const program& code) {
    timeline_figures f;
    f.resident = record.groups.size();
    f.clocks = result.clocks;
    std::map<uint64_t, timeline_interval> groups;
    for (const timeline_wave_result& wave : result.waves) {
        const auto [place, is_new] = groups.try_emplace(wave.group, wave.start, wave.end);
        place->second.start = std::min(place->second.start, wave.start);
        place->second.end = std::max(place->second.end, wave.end);
    }
    for (const auto& [group, time] : groups) {
        f.group_clocks += time.end - time.start;
    }
    f.group_clocks /= std::max<uint64_t>(1, groups.size());
    f.wave_clocks = result.wave_clocks();
    f.stalls = result.stalls();
    find_launch(f, record, launch);
    find_work(f, record, result, launch);
    find_busy(f, result, launch.parameters);
    find_lines(f, record, result, launch, code);
    return f;
}

const char* bound_of(const timeline_figures& figures) {
    const auto most = std::ranges::max_element(figures.busy);
    return *most < 0.5 ? "latency" : bound_names[static_cast<size_t>(most - figures.busy.begin())];
}

timeline_report make_report(const timeline_figures& figures, const timeline_record& record,
                            const timeline_launch& launch) {
    return {report_text(figures, record, launch), text_of(report_json(figures, record, launch))};
}

}  // namespace emu
