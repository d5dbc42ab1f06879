#include "timeline/report.hpp"

#include <llvm/ADT/StringExtras.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/Support/JSON.h>
#include <llvm/Support/ScopedPrinter.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <numeric>

#include "machine/text.hpp"

namespace emu {
namespace {

namespace json = llvm::json;

constexpr size_t costliest_count = 10;
constexpr size_t conflict_count = 3;
constexpr size_t channel_use_count = 3;
constexpr size_t uncoalesced_count = 3;
constexpr uint64_t uncoalesced_ratio = 4;

template <size_t N>
uint64_t sum_of(const std::array<uint64_t, N>& clocks) {
    return std::accumulate(clocks.begin(), clocks.end(), uint64_t{0});
}

constexpr std::array<const char*, timeline_bound_count> bound_names = {
    "matrix", "VALU", "LDS", "L1", "L2", "MALL", "HBM"};

// The name of each instruction in the report.
std::vector<std::string> names_of(const timeline_record& record, const timeline_launch& launch,
                                  const std::vector<std::string>& sources, bool has_source) {
    std::vector<std::string> names;
    for (size_t n = 0; n < record.instructions.size(); ++n) {
        const timeline_instruction& i = record.instructions[n];
        names.push_back(has_source ? (sources[n].empty() ? "unknown" : sources[n])
                                   : format("+0x%llx  %s", long_number(i.address - launch.entry),
                                            i.text.c_str()));
    }
    return names;
}

// What the rows of an instruction's lines are multiples of apart, in lines: the greatest common
// divisor of the distances between lines whose neighbour in front is not asked for.
class row_distance {
public:
    void add(std::span<const timeline_line> lines) {
        uint64_t row = lines.empty() ? 0 : lines.front().number;
        for (size_t n = 1; n < lines.size(); ++n) {
            if (lines[n].number != lines[n - 1].number + 1) {
                lines_ = std::gcd(lines_, lines[n].number - row);
                row = lines[n].number;
            }
        }
    }
    uint64_t lines() const { return lines_; }

private:
    uint64_t lines_ = 0;
};

// Instructions with which the units of a die ask for few channels.
void find_channels(timeline_figures& f, const timeline_record& record,
                   const timeline_result& result, const timeline_parameters& p,
                   const std::vector<std::string>& names) {
    std::vector<row_distance> rows(record.instructions.size());
    for (const timeline_group& group : record.groups) {
        for (const timeline_wave& wave : group.waves) {
            for_each_access(record.instructions, wave,
                            [&](uint32_t index, std::span<const timeline_line> lines) {
                                rows[index].add(lines);
                            });
        }
    }
    std::map<std::string, std::vector<size_t>> by_name;
    for (size_t n = 0; n < record.instructions.size(); ++n) {
        if (result.costs[n].l2_lines != 0) {
            by_name[names[n]].push_back(n);
        }
    }
    uint64_t of_rows = 0;
    for (const auto& [name, instructions] : by_name) {
        uint64_t lines = 0;
        uint64_t fullest = 0;
        timeline_channel_use use;
        use.source = name;
        for (const size_t n : instructions) {
            lines += result.costs[n].l2_lines;
            fullest += result.costs[n].l2_fullest;
            use.row_bytes = std::gcd(use.row_bytes, rows[n].lines() * p.line_bytes);
        }
        use.channels = ratio(lines, fullest);
        use.clocks = (fullest * p.l2_channels - lines) * p.line_bytes / p.l2_bytes_per_clock;
        const uint64_t channels_apart = uint64_t{p.l2_channels} * p.l2_channel_bytes;
        if (use.channels <= p.l2_channels / 2.0) {
            f.channel_uses.push_back(use);
        } else if (use.row_bytes != 0 && use.row_bytes % channels_apart == 0) {
            use.clocks = lines * p.l2_channels * p.line_bytes / p.l2_bytes_per_clock;
            of_rows += use.clocks;
            f.row_uses.push_back(use);
        }
    }
    if (of_rows <= f.clocks / 2) {
        f.row_uses.clear();
    }
    for (std::vector<timeline_channel_use>* uses : {&f.channel_uses, &f.row_uses}) {
        keep_most(*uses, channel_use_count, &timeline_channel_use::clocks,
                  &timeline_channel_use::source);
    }
}

// The lines that cost most; of equals the first by name.
void find_lines(timeline_figures& f, const timeline_record& record, const timeline_result& result,
                const timeline_launch& launch, const program& code) {
    const std::vector<std::string> sources = sources_of(record, code);
    f.has_source = std::ranges::any_of(sources, [](const std::string& s) { return !s.empty(); });
    const std::vector<std::string> names = names_of(record, launch, sources, f.has_source);
    find_channels(f, record, result, launch.parameters, names);
    std::map<std::string, timeline_line_cost> by_source;
    for (size_t n = 0; n < record.instructions.size(); ++n) {
        const timeline_instruction& i = record.instructions[n];
        timeline_line_cost& line = by_source[names[n]];
        line.source = names[n];
        const timeline_cost& cost = result.costs[n];
        line.clocks += cost.all() - cost.resting;
        line.stalls[static_cast<size_t>(timeline_cause::barrier)] -= cost.resting;
        f.resting += cost.resting;
        line.asked_bytes += cost.asked_bytes;
        line.moved_bytes += cost.moved_bytes;
        for (size_t l = 0; l < timeline_level_count; ++l) {
            line.waits[l] += cost.waits[l];
        }
        line.lds_conflicts += result.costs[n].lds_conflicts;
        line.lds_inferred |= i.lds_inferred && result.costs[n].lds_conflicts != 0;
        for (size_t c = 0; c < timeline_cause_count; ++c) {
            line.stalls[c] += result.costs[n].stalls[c];
        }
    }
    f.lds_clocks = result.lds_clocks;
    for (const auto& [name, line] : by_source) {
        f.lines.push_back(line);
        f.lds_conflicts += line.lds_conflicts;
        if (line.lds_conflicts != 0) {
            f.conflicts.push_back(line);
        }
        if (line.moved_bytes > uncoalesced_ratio * line.asked_bytes) {
            f.uncoalesced.push_back(line);
        }
    }
    keep_most(f.uncoalesced, uncoalesced_count, &timeline_line_cost::moved_bytes,
              &timeline_line_cost::source);
    keep_most(f.lines, costliest_count, &timeline_line_cost::clocks, &timeline_line_cost::source);
    keep_most(f.conflicts, conflict_count, &timeline_line_cost::lds_conflicts,
              &timeline_line_cost::source);
}

// For how many clocks each part is at work, by timeline_bound.
using part_clocks = std::array<uint64_t, timeline_bound_count>;
part_clocks clocks_at_work(const timeline_result& result, const timeline_parameters& p) {
    return {std::ranges::max(result.matrix_clocks),
            std::ranges::max(result.valu_clocks),
            result.lds_clocks,
            result.l1_clocks,
            std::max(l2_share_clocks(p, result.l2_bytes), result.l2_channel_clocks),
            mall_share_clocks(p, result.mall_bytes),
            hbm_share_clocks(p, result.hbm_read_bytes, result.hbm_written_bytes)};
}

// Clocks from the end of a group to the end of the one that takes its place, the mean, but not less
// than a part needs for those that do: stores are still on their way when a wave ends. 0 if none
// does.
uint64_t period_of(const timeline_record& record, const timeline_result& result,
                   const timeline_parameters& p) {
    const size_t resident = record.at_a_time();
    if (record.groups.size() < 2 * resident) {
        return 0;
    }
    std::map<uint64_t, uint64_t> ends;
    for (const timeline_wave_result& wave : result.waves) {
        ends[wave.group] = std::max(ends[wave.group], wave.end);
    }
    uint64_t first = 0;
    uint64_t second = 0;
    for (size_t n = 0; n < resident; ++n) {
        first += ends[record.groups[n].number];
        second += ends[record.groups[n + resident].number];
    }
    // Groups may overtake those that they wait for memory with.
    uint64_t period = std::max((second - std::min(first, second)) / resident,
                               resident * dispatch_clocks(record, p));
    const part_clocks all = clocks_at_work(result, p);
    // What the first ones need is computed only where it can matter.
    if (std::ranges::max(all) > period) {
        const part_clocks before = clocks_at_work(model_timeline(record, p, resident), p);
        for (size_t n = 0; n < all.size(); ++n) {
            period = std::max(period, all[n] - std::min(all[n], before[n]));
        }
    }
    return period;
}

// Clocks of the launch. Where groups have been modelled that take the place of others, all that
// follow do so at the same distance. Otherwise there are rounds: as many groups on each compute unit
// as were modelled, and the rest of them spread over all units.
void find_launch(timeline_figures& f, const timeline_record& record,
                 const timeline_launch& launch) {
    const uint64_t units = launch.units;
    const uint64_t of_round = f.resident * units;
    const uint64_t rest = launch.groups % of_round;
    const uint64_t on_a_unit = (rest + units - 1) / units;
    f.rounds = launch.groups / of_round;
    f.units = std::min(units, launch.groups);
    f.of_a_unit = (launch.groups + units - 1) / units;
    f.tail_clocks = 0;
    if (record.length_of_launch > 0) {
        f.launch_clocks =
            static_cast<uint64_t>(record.length_of_launch * static_cast<double>(f.clocks));
    } else if (f.modelled > f.resident) {
        const uint64_t more = f.of_a_unit - std::min(f.of_a_unit, f.modelled);
        f.launch_clocks = f.clocks + (more * f.period + f.resident - 1) / f.resident;
    } else {
        if (on_a_unit == f.resident && rest != 0) {
            ++f.rounds;
        } else if (rest != 0) {
            f.tail_clocks = model_timeline(record, launch.parameters, on_a_unit).clocks;
        }
        f.launch_clocks = f.rounds * f.clocks + f.tail_clocks;
    }
    // The last unit starts behind all others of its die.
    const uint64_t dispatch = dispatch_clocks(record, launch.parameters);
    f.launch_clocks +=
        dispatch - dispatch / std::max<uint64_t>(1, f.units / launch.parameters.dies);
}

// The launch's work in that of the recorded groups.
double work_of(const timeline_record& record, const timeline_launch& launch) {
    return record.work_of_launch > 0 ? record.work_of_launch
                                     : ratio(launch.groups, record.groups.size());
}

// Seconds that the launch's matrix instructions take at the rates that the device keeps up.
double sustained_seconds(const timeline_record& record, const timeline_result& result,
                         const timeline_parameters& p, double launches) {
    const std::array<double, timeline_matrix_count> tflops = {
        0,  // not limited
        static_cast<double>(p.matrix_f16_tflops), static_cast<double>(p.matrix_bf16_tflops),
        static_cast<double>(p.matrix_8bit_tflops), static_cast<double>(p.matrix_4bit_tflops)};
    double seconds = 0;
    for (size_t n = 0; n < record.instructions.size(); ++n) {
        const timeline_instruction& i = record.instructions[n];
        if (const double rate = tflops[static_cast<size_t>(i.matrix)]; rate > 0) {
            const auto executed = static_cast<double>(result.costs[n].executed);
            seconds += launches * static_cast<double>(i.flops) * executed / (rate * 1e10);
        }
    }
    // Vector instructions take their part of the power.
    const double vector = p.matrix_rate_is_limit != 0
                              ? 0
                              : ratio(sum_of(result.valu_clocks), sum_of(result.matrix_clocks));
    return seconds / p.matrix_rate_percent * (1 + vector * p.valu_power_percent / 100);
}

// The launch's time and what it is made of.
timeline_figures find_time(const timeline_record& record, const timeline_result& result,
                           const timeline_launch& launch) {
    timeline_figures f;
    f.modelled = record.groups.size();
    f.resident = record.at_a_time();
    f.clocks = result.clocks;
    f.period = period_of(record, result, launch.parameters);
    f.is_uneven = record.length_of_launch > 0;
    f.weighed = record.weighed;
    find_launch(f, record, launch);
    f.seconds = static_cast<double>(f.launch_clocks) /
                (static_cast<double>(launch.parameters.clock_mhz) * 1e6);
    f.launch_seconds = f.seconds + launch.parameters.launch_ns * 1e-9;
    return f;
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
    const double groups = work_of(record, launch);
    f.flops = static_cast<double>(flops) * groups;
    f.matrix_peak = ratio(flops, sum_of(result.matrix_clocks)) * timeline_simds *
                    launch.parameters.compute_units * launch.parameters.clock_mhz * 1e6;
    f.bytes = static_cast<double>(bytes) * groups;
    f.hbm_bytes = static_cast<double>(result.hbm_bytes()) * groups;
}

void find_busy(timeline_figures& f, const timeline_result& result, const timeline_parameters& p) {
    const part_clocks of_parts = clocks_at_work(result, p);
    for (size_t n = 0; n < of_parts.size(); ++n) {
        f.busy[n] = ratio(of_parts[n], f.clocks);
    }
    f.matrix_share = ratio(sum_of(result.matrix_clocks), timeline_simds * f.clocks);
}

// "vmcnt 80.1 %": the cause of most of a line's clocks; empty if it waits for less than a tenth.
std::string main_cause(const timeline_line_cost& line) {
    const auto most = std::ranges::max_element(line.stalls);
    const double share = ratio(*most, line.clocks);
    if (share < 0.1) {
        return {};
    }
    const auto cause = static_cast<timeline_cause>(most - line.stalls.begin());
    std::string text = format("%s %.0f %%", name_of(cause).text, 100 * share);
    // Vector memory is behind vmcnt and bandwidth, LDS and scalar memory behind lgkmcnt.
    const auto first_other = line.waits.begin() + static_cast<size_t>(timeline_level::lds);
    const auto level = cause == timeline_cause::lgkmcnt
                           ? std::max_element(first_other, line.waits.end())
                           : std::max_element(line.waits.begin(), first_other);
    if (cause <= timeline_cause::lgkmcnt && *level != 0) {
        text += format(": %s", name_of(static_cast<timeline_level>(level - line.waits.begin())));
    }
    return text;
}

// "1: registers, LDS": groups that a compute unit has room for, and what allows no more.
std::string room_of(const group_limits& limits) {
    return std::to_string(limits.groups()) + ": " + limits.names("LDS");
}

double per_second(double amount, const timeline_figures& f) {
    return f.seconds > 0 ? amount / f.seconds : 0;
}

// "L2    12.3 of 45.6 GB/s, 7.8 % of the loads hit": what passes each level, and the most that could.
std::string levels_of(const timeline_figures& f, const timeline_record& record,
                      const timeline_run& run) {
    const timeline_parameters& p = run.launch.parameters;
    const timeline_result& r = run.result;
    const double groups = work_of(record, run.launch);
    const double ghz = p.clock_mhz / 1e3;
    const bool reads = r.hbm_read_bytes >= r.hbm_written_bytes;
    // By timeline_level.
    const double bytes[] = {f.bytes, groups * static_cast<double>(r.l2_bytes),
                            groups * static_cast<double>(r.mall_bytes), f.hbm_bytes,
                            groups * static_cast<double>(r.lds_bytes)};
    const double most[] = {
        ghz * p.compute_units * std::min(p.l1_bytes_per_clock, p.vmem_bytes_per_clock),
        ghz * p.dies * p.l2_bytes_per_clock, 1.0 * p.mall_gb_per_second,
        1.0 * (reads ? p.hbm_read_gb_per_second : p.hbm_write_gb_per_second),
        ghz * p.compute_units * p.lds_read_bytes_per_clock};
    std::string text;
    for (size_t n = 0; n < std::size(bytes); ++n) {
        text += bytes[n] == 0
                    ? ""
                    : format("  %-24s%.1f of %.1f GB/s", name_of(static_cast<timeline_level>(n)),
                             per_second(bytes[n], f) / 1e9, most[n]) +
                          (r.loads[n] == 0 ? "\n"
                                           : format(", %.1f %% of the loads hit\n",
                                                    100 * ratio(r.hits[n], r.loads[n])));
    }
    return text;
}

// "12.3 us without L2, ...": the best first.
std::string without_of(const timeline_figures& f) {
    std::string text;
    for (const timeline_without& w : f.without) {
        text += format("%s%.3f us without %s", text.empty() ? "" : ", ", 1e6 * w.seconds, w.what);
    }
    return text.empty() ? "nothing gains 1 % without one limit" : text;
}

// "612.3 FLOP a byte of HBM: at most 1686.0 TFLOP/s..."; empty without matrix instructions.
std::string roofline_of(const timeline_figures& f, const timeline_parameters& p) {
    if (f.matrix_peak == 0 || f.seconds == 0) {
        return {};
    }
    const double reached = f.flops / f.seconds;
    const double by_byte = f.hbm_bytes > 0 ? f.flops / f.hbm_bytes : INFINITY;
    const double memory = by_byte * 1e9 * p.hbm_read_gb_per_second;
    const double roof = std::min(memory, f.matrix_peak);
    return format(
        "%.1f FLOP a byte of HBM: at most %.1f TFLOP/s at this clock, by %s; %.1f %% of it",
        by_byte, roof / 1e12, memory < f.matrix_peak ? "HBM" : "the matrix pipes",
        100 * reached / roof);
}

// "1 round of 2 on each of 64 of 304 compute units and a last one of 1000 clocks"
std::string rounds_of(const timeline_figures& f, const timeline_launch& launch) {
    std::string text;
    if (f.is_uneven) {
        text = format("groups of different work, by instructions, %llu of %llu weighed,",
                      long_number(f.weighed), long_number(launch.groups));
    } else if (f.modelled > f.resident) {
        text = format("%llu groups, %llu at a time,", long_number(f.of_a_unit),
                      long_number(f.resident));
    } else if (f.rounds != 0) {
        text = format("%llu round%s of %llu", long_number(f.rounds), f.rounds == 1 ? "" : "s",
                      long_number(f.resident));
    } else {
        text = "less than a round of " + std::to_string(f.resident);
    }
    text += " on each of " + std::to_string(f.units);
    if (f.units != launch.units) {
        text += " of " + std::to_string(launch.units);
    }
    text += " compute units";
    if (!f.is_uneven && f.rounds != 0 && f.tail_clocks != 0) {
        text += format(" and a last one of %llu clocks", long_number(f.tail_clocks));
    }
    return text;
}

// "the sustained matrix rate (a range)": what the clock is held by, and the ends of it.
std::string held_by(const timeline_run& run) {
    const timeline_parameters& p = run.launch.parameters;
    const uint32_t low =
        std::ranges::find(timeline_ranges(), &timeline_parameters::matrix_rate_percent,
                          &timeline_range::member)
            ->low;
    return format("  %-24s%s: %llu clocks, %.3f us at %.3f GHz, without; %.3f us at %u %% of it\n",
                  "held by",
                  p.matrix_rate_is_limit != 0 ? "the device's limit on operations"
                                              : "the sustained matrix rate (a range)",
                  long_number(run.highest_clocks), 1e6 * run.highest_seconds, run.highest_mhz / 1e3,
                  1e6 * run.held_seconds * p.matrix_rate_percent / low, low);
}

// ":  a.hip:1, b.hip:2"
template <class List>
std::string sources_in(const List& list) {
    std::string text;
    for (const auto& entry : list) {
        text += (text.empty() ? ":  " : ", ") + entry.source;
    }
    return text;
}

// What costs time for a reason of its own, each in one line with its sources, the worst first.
std::string causes_of(const timeline_figures& f, const timeline_record& record,
                      const timeline_launch& launch) {
    const auto sum = [](const auto& list, auto member) {
        uint64_t all = 0;
        std::ranges::for_each(list, [&](const auto& entry) { all += entry.*member; });
        return all;
    };
    std::string text;
    if (!f.conflicts.empty()) {
        text +=
            format("\n  %-24s%llu clocks of LDS, %.1f %% of those for which it is at work%s",
                   "bank conflicts", long_number(f.lds_conflicts),
                   100 * ratio(f.lds_conflicts, f.lds_clocks),
                   sum(f.conflicts, &timeline_line_cost::lds_inferred) != 0 ? " (phases inferred)"
                                                                            : "") +
            sources_in(f.conflicts);
    }
    if (!f.channel_uses.empty()) {
        const timeline_channel_use& worst = f.channel_uses.front();
        text += format("\n  %-24s%.1f of %u, %llu clocks more than if all were as full",
                       "channels of L2", worst.channels, launch.parameters.l2_channels,
                       long_number(sum(f.channel_uses, &timeline_channel_use::clocks)));
        text += worst.row_bytes == 0 ? ""
                                     : format("; rows are a multiple of %llu bytes apart",
                                              long_number(worst.row_bytes));
        text += sources_in(f.channel_uses);
    }
    if (f.channel_uses.empty() && !f.row_uses.empty()) {
        text += format(
                    "\n  %-24sa multiple of %llu bytes: %llu clocks in one channel of L2 if no "
                    "hash spreads them",
                    "rows apart", long_number(f.row_uses.front().row_bytes),
                    long_number(sum(f.row_uses, &timeline_channel_use::clocks))) +
                sources_in(f.row_uses);
    }
    if (!f.uncoalesced.empty()) {
        const double groups = per_second(work_of(record, launch), f) / 1e9;
        const auto gb = [&](auto member) {
            return groups * static_cast<double>(sum(f.uncoalesced, member));
        };
        text += format("\n  %-24s%.1f GB/s asked for, %.1f GB/s moved in lines of %u bytes",
                       "uncoalesced", gb(&timeline_line_cost::asked_bytes),
                       gb(&timeline_line_cost::moved_bytes), launch.parameters.line_bytes) +
                sources_in(f.uncoalesced);
    }
    return text;
}

std::string report_text(const timeline_figures& f, const timeline_record& record,
                        const timeline_run& run) {
    const timeline_launch& launch = run.launch;
    const auto percent = [](double share) { return 100 * share; };
    const size_t waves = record.groups.front().waves.size();
    std::string text = "opus emulator: timeline of " + llvm::demangle(launch.kernel) + " on " +
                       launch.arch + ": a model of time, not a measurement\n";
    text += launch.measured.empty() ? "" : "  parameters              " + launch.measured + "\n";
    text += format("  %-24s%llu of %llu, of %zu waves each, on one compute unit\n",
                   "groups (modelled)", long_number(f.modelled), long_number(launch.groups), waves);
    text += format("  %-24s%s; %llu of %u waves, %u registers a lane, %llu bytes of LDS a group\n",
                   "room on a unit", room_of(launch.limits).c_str(),
                   long_number(launch.limits.groups() * waves), waves_per_simd * simds_per_unit,
                   launch.registers, long_number(launch.lds_bytes));
    text += format("  %-24s%llu for these together, %llu for one on average\n", "clocks",
                   long_number(f.clocks), long_number(f.group_clocks));
    text += format("  %-24s%llu clocks: %s\n", "launch", long_number(f.launch_clocks),
                   rounds_of(f, launch).c_str());
    text += format("  %-24s%.3f us at %.3f GHz; %.3f us with the launch itself\n", "expected",
                   1e6 * f.seconds, launch.parameters.clock_mhz / 1e3, 1e6 * f.launch_seconds);
    if (run.is_held()) {
        text += held_by(run);
    }
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
    text += format("  %-24s%s\n", "without it", without_of(f).c_str());
    if (const std::string roofline = roofline_of(f, launch.parameters); !roofline.empty()) {
        text += format("  %-24s%s\n", "roofline", roofline.c_str());
    }
    text += levels_of(f, record, run);
    text += format("  %-24sissue %.1f %%", "clocks of waves",
                   percent(ratio(f.wave_clocks - sum_of(f.stalls), f.wave_clocks)));
    for (size_t c = 0; c < timeline_cause_count; ++c) {
        if (f.stalls[c] != 0) {
            text += format(", waits: %s %.1f %%", name_of(static_cast<timeline_cause>(c)).text,
                           percent(ratio(f.stalls[c], f.wave_clocks)));
        }
    }
    if (f.resting != 0) {
        text += format("; %.1f %% rest at a barrier while another wave has the matrix pipe",
                       percent(ratio(f.resting, f.wave_clocks)));
    }
    text += causes_of(f, record, launch);
    text += format("\n  %s\n", f.has_source ? "costliest lines" : "costliest instructions");
    for (const timeline_line_cost& line : f.lines) {
        text +=
            format("    %5.1f %% %12llu  %-24s  %s\n", percent(ratio(line.clocks, f.wave_clocks)),
                   long_number(line.clocks), main_cause(line).c_str(), line.source.c_str());
    }
    return text;
}

json::Object stalls_json(const timeline_stalls& stalls) {
    json::Object object;
    for (size_t c = 0; c < timeline_cause_count; ++c) {
        object[name_of(static_cast<timeline_cause>(c)).id] = stalls[c];
    }
    return object;
}

json::Value report_json(const timeline_figures& f, const timeline_record& record,
                        const timeline_run& run) {
    const timeline_launch& launch = run.launch;
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
    json::Array summary{format("%.3f us at %.3f GHz; bound: %s; %s", 1e6 * f.seconds,
                               launch.parameters.clock_mhz / 1e3, bound_of(f),
                               without_of(f).c_str())};
    if (const std::string roofline = roofline_of(f, launch.parameters); !roofline.empty()) {
        summary.push_back("roofline: " + roofline);
    }
    json::Array groups;
    for (const timeline_group& group : record.groups) {
        groups.push_back(group.number);
    }
    return json::Object{
        // clang-format off
        {"groups", std::move(groups)}, {"launch_groups", launch.groups}, {"weighed_groups", f.weighed},
        {"clocks", f.clocks}, {"group_clocks", f.group_clocks}, {"rounds", f.rounds}, {"units", f.units},
        {"room", room_of(launch.limits)}, {"tail_clocks", f.tail_clocks},
        {"groups_of_a_unit", f.of_a_unit}, {"period", f.period}, {"launch_clocks", f.launch_clocks},
        {"clock_mhz", launch.parameters.clock_mhz}, {"seconds", f.seconds}, {"held", run.is_held()},
        {"limits_operations", launch.parameters.matrix_rate_is_limit != 0},
        {"highest_mhz", run.highest_mhz}, {"highest_clocks", run.highest_clocks},
        {"highest_seconds", run.highest_seconds}, {"launch_seconds", f.launch_seconds},
        {"tflops", per_second(f.flops, f) / 1e12},
        {"asked_gb_per_second", per_second(f.bytes, f) / 1e9},
        {"hbm_gb_per_second", per_second(f.hbm_bytes, f) / 1e9}, {"matrix_share", f.matrix_share},
        {"busy", std::move(busy)}, {"bound", bound_of(f)}, {"flop", f.flops}, {"bytes", f.bytes},
        {"resting", f.resting}, {"summary", std::move(summary)}, {"wave_clocks", f.wave_clocks},
        {"stalls", stalls_json(f.stalls)}, {"lds_conflicts", f.lds_conflicts},
        {"lines", std::move(lines)}, {"measured", json::fixUTF8(launch.measured)},
    };  // clang-format on
}

}  // namespace

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

timeline_run run_timeline(const timeline_record& record, const timeline_launch& launch) {
    timeline_run run{launch, model_timeline(record, launch.parameters)};
    const timeline_figures highest = find_time(record, run.result, launch);
    run.highest_mhz = launch.parameters.clock_mhz;
    run.highest_clocks = highest.launch_clocks;
    run.highest_seconds = highest.seconds;
    const double least =
        sustained_seconds(record, run.result, launch.parameters, work_of(record, launch));
    if (highest.seconds >= least) {
        return run;
    }
    // From the clock at which pipes that are never idle would do so much, on. What takes its time in
    // seconds leaves them idle for longer at higher clocks, so the steps come from below; the last
    // one that is not too fast is taken.
    run.held_seconds = least;
    const uint64_t pipes = sum_of(run.result.matrix_clocks);
    double mhz =
        work_of(record, launch) * ratio(pipes, timeline_simds * highest.units) / least / 1e6;
    constexpr double close_enough = 1.002;
    constexpr int most_steps = 8;
    timeline_launch slower = launch;
    slower.parameters.clock_mhz = 0;
    bool has_one = false;
    for (int step = 0; step < most_steps; ++step) {
        const auto next = std::clamp(static_cast<uint32_t>(mhz), 1u, run.highest_mhz);
        if (next < slower.parameters.clock_mhz * close_enough) {
            break;
        }
        slower.parameters.clock_mhz = next;
        timeline_result result = model_timeline(record, slower.parameters);
        const double seconds = find_time(record, result, slower).seconds;
        mhz = next * seconds / least;
        const bool is_too_fast = seconds < least && next > 1;  // no clock is lower than 1 MHz
        if (is_too_fast && has_one) {
            break;
        }
        if (is_too_fast) {
            slower.parameters.clock_mhz = 0;
            continue;
        }
        has_one = true;
        run.launch = slower;
        run.result = std::move(result);
    }
    return run;
}

timeline_figures make_figures(const timeline_record& record, const timeline_run& run,
                              const program& code) {
    const timeline_result& result = run.result;
    const timeline_launch& launch = run.launch;
    timeline_figures f = find_time(record, result, launch);
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
    find_work(f, record, result, launch);
    find_busy(f, result, launch.parameters);
    find_lines(f, record, result, launch, code);
    return f;
}

std::vector<timeline_range_time> find_range(const timeline_record& record,
                                            const timeline_launch& launch) {
    const auto time_with = [&](const timeline_range& range, uint32_t value) {
        timeline_launch other = launch;
        other.parameters.*range.member = value;
        const timeline_run run = run_timeline(record, other);
        return find_time(record, run.result, run.launch).launch_seconds;
    };
    std::vector<timeline_range_time> times;
    for (const timeline_range& range : timeline_ranges()) {
        if (range.target && launch.arch != std::string_view(target_name(*range.target))) {
            continue;
        }
        const uint32_t low = range.value_of(range.low, launch.parameters);
        const uint32_t high = range.value_of(range.high, launch.parameters);
        times.push_back({&range, low, high, time_with(range, low), time_with(range, high)});
    }
    return times;
}

std::string range_text(const std::vector<timeline_range_time>& times,
                       const timeline_figures& figures) {
    double low = figures.launch_seconds;
    double high = low;
    for (const timeline_range_time& t : times) {
        low = std::min({low, t.at_low, t.at_high});
        high = std::max({high, t.at_low, t.at_high});
    }
    std::string text =
        format("  %-24s%.3f to %.3f us, launch included, by one of these at a time\n", "range",
               1e6 * low, 1e6 * high);
    for (const timeline_range_time& t : times) {
        text +=
            format("    %-25s %.3f us at %u, %.3f us at %u\n", std::string(t.range->name).c_str(),
                   1e6 * t.at_low, t.low, 1e6 * t.at_high, t.high);
    }
    return text;
}

std::vector<timeline_without> find_without(timeline_record& record, const timeline_launch& launch,
                                           const timeline_figures& f) {
    constexpr uint32_t all = 1'000'000;  // a rate that limits nothing
    const auto busy = [&](timeline_bound b) { return f.busy[static_cast<size_t>(b)]; };
    const auto waits = [&](timeline_cause c) {
        return 2 * ratio(f.stalls[static_cast<size_t>(c)], f.wave_clocks);
    };
    using bound = timeline_bound;
    struct limit {
        const char* what;
        const char* bound;
        double share;             // of the time, for which it may matter
        llvm::StringRef changes;  // with what names of parameters begin
        uint32_t to;
        timeline_lds lds = timeline_lds::whole;
    };
    // clang-format off
    const limit limits[] = {
        {"the matrix pipes", "matrix", busy(bound::matrix), "mfma_pass", 0},
        {"the VALU", "VALU", busy(bound::valu), "valu_clocks valu_trans valu_mul32 valu_f64", 0},
        {"the rate of LDS", "LDS", busy(bound::lds), "lds_port", all, timeline_lds::free},
        {"bank conflicts", "LDS", ratio(f.lds_conflicts, f.clocks), "lds_conflict", 0,
            timeline_lds::no_conflicts},
        {"the rate of L1", "L1", busy(bound::l1), "l1_bytes_per vmem_bytes store_bytes", all},
        {"the rate of L2", "L2", busy(bound::l2), "l2_bytes_per", all},
        {"the rate of MALL", "MALL", busy(bound::mall), "mall_gb", all},
        {"the rate of HBM", "HBM", busy(bound::hbm), "hbm_read hbm_write", all},
        {"the latency of memory", "latency", waits(timeline_cause::vmcnt),
            "l1_latency l2_latency mall_latency hbm_latency", 0},
        {"the latency of LDS", "latency", waits(timeline_cause::lgkmcnt),
            "lds_read_latency lds_write_latency lds_conflict", 0},
    };
    // clang-format on
    constexpr double may_matter = 0.25;
    constexpr double gains = 0.99;
    std::vector<timeline_without> found;
    for (const limit& l : limits) {
        if (l.share < may_matter) {
            continue;
        }
        timeline_launch other = launch;
        for (const llvm::StringRef prefix : llvm::split(l.changes, ' ')) {
            for (const timeline_parameter& row : timeline_parameter_table()) {
                if (llvm::StringRef(row.name).starts_with(prefix)) {
                    other.parameters.*row.member = l.to;
                }
            }
        }
        if (other.parameters.mfma_pass_clocks == 0) {  // which no clock is held for
            other.parameters.matrix_rate_percent = all;
        }
        record.lds = l.lds;
        const timeline_run run = run_timeline(record, other);
        const double seconds = find_time(record, run.result, run.launch).seconds;
        if (seconds < gains * f.seconds) {
            found.push_back({l.what, l.bound, seconds});
        }
    }
    record.lds = timeline_lds::whole;
    std::ranges::sort(found, {}, &timeline_without::seconds);
    return found;
}

const char* bound_of(const timeline_figures& figures) {
    const auto most = std::ranges::max_element(figures.busy);
    return *most < 0.5               ? "latency"
           : figures.without.empty() ? bound_names[static_cast<size_t>(most - figures.busy.begin())]
                                     : figures.without.front().bound;
}

timeline_report make_report(const timeline_figures& figures, const timeline_record& record,
                            const timeline_run& run) {
    return {report_text(figures, record, run), llvm::to_string(report_json(figures, record, run))};
}

}  // namespace emu
