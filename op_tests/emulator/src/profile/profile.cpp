#include "profile/profile.hpp"

#include <llvm/Demangle/Demangle.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <mutex>
#include <string_view>

#include "isa/decode.hpp"
#include "machine/report.hpp"
#include "machine/text.hpp"

namespace emu {
namespace {

// The line of the L2 cache (AMD's CDNA 3 white paper).
constexpr uint64_t line_bytes = 128;
// What an instruction other than a matrix instruction counts: one per wave and SIMD in 4 clocks.
constexpr uint64_t issue_clocks = 4;
constexpr size_t hottest_count = 10;

uint64_t sum_of(const lane_accesses& a) {
    uint64_t bytes = 0;
    for (uint64_t lanes = a.lanes; lanes != 0; lanes &= lanes - 1) {
        bytes += a.bytes[static_cast<size_t>(std::countr_zero(lanes))];
    }
    return bytes;
}

void count(byte_counts& counts, access_use use, uint64_t bytes) {
    switch (use) {
        case access_use::read:
            counts.read += bytes;
            break;
        case access_use::write:
            counts.written += bytes;
            break;
        case access_use::atomic:
            counts.atomic += bytes;
            break;
    }
}

// Splits flat accesses by the address of each lane.
lane_accesses only(const lane_accesses& a, bool (*belongs)(uint64_t address)) {
    lane_accesses result = a;
    for (uint64_t lanes = a.lanes; lanes != 0; lanes &= lanes - 1) {
        const size_t l = static_cast<size_t>(std::countr_zero(lanes));
        if (!belongs(a.address[l])) {
            result.lanes &= ~(uint64_t{1} << l);
        }
    }
    return result;
}

constexpr uint64_t aperture_mask = 0xffffffff00000000;
bool is_in_lds(uint64_t address) {
    return (address & aperture_mask) == shared_aperture;
}
bool is_in_scratch(uint64_t address) {
    return (address & aperture_mask) == private_aperture;
}
bool is_in_global(uint64_t address) {
    return !is_in_lds(address) && !is_in_scratch(address);
}

uint64_t lines_of(const lane_accesses& a) {
    std::array<uint64_t, 2 * lane_count> lines;
    size_t count = 0;
    for (uint64_t lanes = a.lanes; lanes != 0; lanes &= lanes - 1) {
        const size_t l = static_cast<size_t>(std::countr_zero(lanes));
        const uint64_t first = a.address[l] / line_bytes;
        const uint64_t last = (a.address[l] + a.bytes[l] - 1) / line_bytes;
        if (count == 0 || lines[count - 1] != first) {
            lines[count++] = first;
        }
        if (last != first) {
            lines[count++] = last;
        }
    }
    const auto end = lines.begin() + static_cast<std::ptrdiff_t>(count);
    std::sort(lines.begin(), end);
    return static_cast<uint64_t>(std::unique(lines.begin(), end) - lines.begin());
}

// ---- figures from the counts ----

// The classes of the report, in its order.
constexpr const char* class_names[] = {"valu",   "mfma",    "salu",   "branch", "wait",
                                       "scalar", "lds",     "to_lds", "buffer", "global",
                                       "flat",   "scratch", "other"};

std::string_view class_of(const instruction& i) {
    if (i.access.to_lds) {
        return "to_lds";
    }
    switch (i.unit) {
        case execution_unit::valu:
            return "valu";
        case execution_unit::mfma:
            return "mfma";
        case execution_unit::branch:
            return "branch";
        case execution_unit::lds:
            return "lds";
        case execution_unit::smem:
            return "scalar";
        case execution_unit::vmem:
            return i.access.kind == address_kind::global    ? "global"
                   : i.access.kind == address_kind::flat    ? "flat"
                   : i.access.kind == address_kind::scratch ? "scratch"
                                                            : "buffer";
        case execution_unit::none:
            return i.control == wave_control::end        ? "branch"
                   : i.control == wave_control::priority ? "salu"
                                                         : "wait";
        case execution_unit::salu:
            break;
    }
    return "salu";
}

uint64_t clocks_of(const instruction_counts& c) {
    return c.executed * (c.mfma_clocks != 0 ? c.mfma_clocks : issue_clocks);
}

// The instructions that a line of the user's source has become.
struct line_counts {
    std::string source;
    uint64_t executed = 0;
    uint64_t clocks = 0;
};

// The ten lines with the most clocks; of equals the first by name. None if no line is known.
std::vector<line_counts> hottest_lines(const profile_counts& counts, const program& code) {
    std::vector<const instruction_counts*> executed;
    std::vector<uint64_t> addresses;
    for (const instruction_counts& c : counts.instructions()) {
        if (c.executed != 0) {
            executed.push_back(&c);
            addresses.push_back(c.i->address);
        }
    }
    const std::vector<source_frames> frames = code.frames_of(addresses);
    std::map<std::string, line_counts> by_source;
    for (size_t n = 0; n < executed.size(); ++n) {
        line_counts& line = by_source[frames_of_user(frames[n])];
        line.executed += executed[n]->executed;
        line.clocks += clocks_of(*executed[n]);
    }
    std::vector<line_counts> lines;
    for (auto& [source, line] : by_source) {
        line.source = source.empty() ? "unknown" : source;
        lines.push_back(line);
    }
    if (lines.size() == 1 && by_source.contains("")) {
        return {};
    }
    std::ranges::sort(lines, [](const line_counts& a, const line_counts& b) {
        return a.clocks != b.clocks ? a.clocks > b.clocks : a.source < b.source;
    });
    lines.resize(std::min(lines.size(), hottest_count));
    return lines;
}

// Everything that both forms of the report print.
struct figures {
    uint64_t instructions = 0;
    std::map<std::string_view, uint64_t> by_class;
    uint64_t mfma_instructions = 0;
    uint64_t mfma_clocks = 0;
    uint64_t clocks = 0;  // of the share
    uint64_t conflict_clocks = 0;
    bool uses_agprs = false;  // where none is used, some may be allocated all the same
    struct lds_kind {
        uint64_t executed = 0;
        uint64_t conflict_clocks = 0;
        const lds_rule* rule = nullptr;
    };
    std::map<std::string_view, lds_kind> lds;          // by mnemonic
    std::vector<const instruction_counts*> conflicts;  // the ten worst
    std::vector<const instruction_counts*> hottest;    // ten

    explicit figures(const profile_counts& counts) {
        for (const instruction_counts& c : counts.instructions()) {
            if (c.executed != 0) {
                add(c);
            }
        }
        // Of equals the one that comes first in the code.
        const auto keep_ten = [](auto& list, auto&& value) {
            std::ranges::sort(list, [&](const instruction_counts* a, const instruction_counts* b) {
                return value(a) != value(b) ? value(a) > value(b) : a->i->address < b->i->address;
            });
            list.resize(std::min(list.size(), hottest_count));
        };
        keep_ten(hottest, [](const instruction_counts* c) { return clocks_of(*c); });
        keep_ten(conflicts, [](const instruction_counts* c) { return c->conflict_clocks; });
    }

    double mfma_share() const { return ratio(mfma_clocks, clocks); }
    bool all_conflicts_are_modelled() const {
        return std::ranges::all_of(lds,
                                   [](const auto& kind) { return kind.second.rule != nullptr; });
    }
    static double ratio(uint64_t part, uint64_t whole) {
        return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
    }

private:
    void add(const instruction_counts& c) {
        instructions += c.executed;
        by_class[class_of(*c.i)] += c.executed;
        clocks += clocks_of(c);
        hottest.push_back(&c);
        uses_agprs = uses_agprs || std::ranges::any_of(c.i->operands, [](const operand& o) {
                         return o.kind == operand_kind::agpr;
                     });
        if (c.mfma_clocks != 0) {
            mfma_instructions += c.executed;
            mfma_clocks += clocks_of(c);
        }
        if (c.i->access.kind == address_kind::lds) {
            lds_kind& kind = lds[c.i->mnemonic];
            kind.executed += c.executed;
            kind.conflict_clocks += c.conflict_clocks;
            kind.rule = c.rule;
            conflict_clocks += c.conflict_clocks;
            if (c.conflict_clocks != 0) {
                conflicts.push_back(&c);
            }
        }
    }
};

struct occupancy_figures {
    double waves_per_simd;
    std::string limits;  // what allows no more groups
};

occupancy_figures occupancy_of(const profiled_launch& launch) {
    const uint32_t threads = launch.threads[0] * launch.threads[1] * launch.threads[2];
    const uint32_t waves = (threads + lane_count - 1) / lane_count;
    const group_limits& limits = launch.limits;
    std::string names;
    const auto name = [&](uint64_t limit, const char* text) {
        if (limit == limits.groups()) {
            names += (names.empty() ? "" : ", ") + std::string(text);
        }
    };
    name(limits.by_registers, "registers");
    name(limits.by_sgprs, "scalar registers");
    name(limits.by_lds, "lds");
    name(limits.by_waves, "waves");
    return {static_cast<double>(limits.groups() * waves) / simds_per_unit, names};
}

// ---- text ----

std::string number(uint64_t value) {
    return std::to_string(value);
}

std::string quoted(std::string_view text) {
    std::string result = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            result += '\\';
            result += c;
        } else if (static_cast<unsigned char>(c) < 0x20) {
            result += format("\\u%04x", static_cast<unsigned>(c));
        } else {
            result += c;
        }
    }
    return result + "\"";
}

// One object; the values are JSON already.
class json_object {
public:
    json_object& add(std::string_view name, const std::string& value) {
        text_ += (text_.empty() ? "" : ",") + quoted(name) + ":" + value;
        return *this;
    }
    std::string text() const { return "{" + text_ + "}"; }

private:
    std::string text_;
};

template <class List, class F>
std::string json_list(const List& list, F&& text_of) {
    std::string text;
    for (const auto& element : list) {
        text += (text.empty() ? "" : ",") + text_of(element);
    }
    return "[" + text + "]";
}

std::string json_bytes(const byte_counts& b) {
    return json_object()
        .add("read", number(b.read))
        .add("written", number(b.written))
        .add("atomic", number(b.atomic))
        .text();
}

}  // namespace

byte_counts& byte_counts::operator+=(const byte_counts& other) {
    read += other.read;
    written += other.written;
    atomic += other.atomic;
    return *this;
}

instruction_counts& profile_counts::counts_of(const instruction& i) {
    if (i.number >= instructions_.size()) {
        instructions_.resize(i.number + 1);
    }
    instruction_counts& counts = instructions_[i.number];
    if (counts.i == nullptr) {
        counts.i = &i;
        constexpr uint32_t clocks_per_pass = 4;
        counts.mfma_clocks = clocks_per_pass * i.hazards.passes;
        counts.rule = find_lds_rule(i);
    }
    return counts;
}

void profile_counts::note(const wave& w, const instruction& i) {
    instruction_counts& counts = counts_of(i);
    ++counts.executed;
    if (i.access.kind == address_kind::scalar) {
        scalar_read_ += i.access.bytes;
    } else if (i.access.kind != address_kind::none) {
        note_lanes(w, i, counts);
    }
}

void profile_counts::note_lanes(const wave& w, const instruction& i, instruction_counts& counts) {
    const access_plan& plan = i.access;
    for (int n = 0; n < plan.addresses; ++n) {
        const lane_accesses a = find_accesses(w, i, n);
        switch (plan.kind) {
            case address_kind::lds:
                count(lds_, plan.use, sum_of(a));
                if (counts.rule != nullptr) {
                    counts.conflict_clocks +=
                        emu::conflict_clocks(*counts.rule, a.lanes, a.address);
                }
                break;
            case address_kind::scratch:
                count(scratch_, plan.use, sum_of(a));
                break;
            case address_kind::flat:
                count(lds_, plan.use, sum_of(only(a, is_in_lds)));
                count(scratch_, plan.use, sum_of(only(a, is_in_scratch)));
                count_global(only(a, is_in_global), plan.use);
                break;
            default:
                count_global(a, plan.use);
                break;
        }
    }
    if (plan.to_lds) {
        // Bytes and words arrive as dwords, and lanes outside of a buffer as zeros.
        const auto lanes = static_cast<uint64_t>(std::popcount(w.exec()));
        lds_.written += lanes * std::max<uint64_t>(4, plan.bytes);
    }
}

void profile_counts::count_global(const lane_accesses& a, access_use use) {
    count(global_, use, sum_of(a));
    global_lines_ += lines_of(a);
}

void profile_counts::add(const profile_counts& other) {
    instructions_.resize(std::max(instructions_.size(), other.instructions_.size()));
    for (size_t n = 0; n < other.instructions_.size(); ++n) {
        const instruction_counts& from = other.instructions_[n];
        instruction_counts& to = instructions_[n];
        if (to.i == nullptr) {
            to = from;
        } else {
            to.executed += from.executed;
            to.conflict_clocks += from.conflict_clocks;
        }
    }
    global_ += other.global_;
    lds_ += other.lds_;
    scratch_ += other.scratch_;
    scalar_read_ += other.scalar_read_;
    global_lines_ += other.global_lines_;
}

std::string profile_table(const profile_counts& counts, const profiled_launch& launch,
                          const program& code) {
    const figures f(counts);
    const auto percent = [](double share) { return 100 * share; };
    const auto long_number = [](uint64_t n) { return static_cast<unsigned long long>(n); };
    std::string text =
        "opus emulator: profile of " + llvm::demangle(launch.kernel) + " on " + launch.arch;
    text += format(": %u x %u x %u groups of %u x %u x %u\n", launch.groups[0], launch.groups[1],
                   launch.groups[2], launch.threads[0], launch.threads[1], launch.threads[2]);
    text += format("  %-32s %15llu\n", "instructions (counted)", long_number(f.instructions));
    for (const char* name : class_names) {
        if (const auto found = f.by_class.find(name); found != f.by_class.end()) {
            text += format("    %-30s %15llu %6.1f %%\n", name, long_number(found->second),
                           percent(figures::ratio(found->second, f.instructions)));
        }
    }
    text += format("  %-32s %15s %15s %15s\n", "bytes asked for (counted)", "read", "written",
                   "atomic");
    const auto add_bytes = [&](const char* name, const byte_counts& b) {
        text += format("    %-30s %15llu %15llu %15llu\n", name, long_number(b.read),
                       long_number(b.written), long_number(b.atomic));
    };
    add_bytes("global memory", counts.global());
    add_bytes("global memory, scalar", {counts.scalar_read(), 0, 0});
    add_bytes("LDS", counts.lds());
    add_bytes("scratch", counts.scratch());
    text += format("  %-32s %15llu\n", "lines of 128 bytes (counted)",
                   long_number(counts.global_lines()));
    text += format("  %-32s %15llu  of %llu, share %.1f %%\n", "MFMA clocks (modelled)",
                   long_number(f.mfma_clocks), long_number(f.clocks), percent(f.mfma_share()));
    text += format("  %-32s %15llu%s\n", "LDS bank conflicts (modelled)",
                   long_number(f.conflict_clocks),
                   f.all_conflicts_are_modelled() ? "" : "  of those that are modelled");
    for (const auto& [mnemonic, kind] : f.lds) {
        if (kind.rule == nullptr) {
            text += format("    %-30s %15s  %llu executed, phases not known\n",
                           std::string(mnemonic).c_str(), "-", long_number(kind.executed));
        } else {
            text += format("    %-30s %15llu  %llu executed, phases %s\n",
                           std::string(mnemonic).c_str(), long_number(kind.conflict_clocks),
                           long_number(kind.executed), name_of(kind.rule->known));
        }
    }
    for (const instruction_counts* c : f.conflicts) {
        text += format("    +0x%-27llx %15llu  %s\n", long_number(c->i->address - launch.entry),
                       long_number(c->conflict_clocks), c->i->text.c_str());
    }
    const occupancy_figures occupancy = occupancy_of(launch);
    text += format("  %-32s %15.2f  waves on a SIMD, %llu groups on a CU; limited by %s\n",
                   "occupancy (modelled)", occupancy.waves_per_simd,
                   long_number(launch.limits.groups()), occupancy.limits.c_str());
    text += format("    %u v", launch.vgprs);
    text += f.uses_agprs ? format(" and %u a", launch.agprs) : "";
    text += format(" registers, %llu bytes of LDS\n", long_number(launch.lds_bytes));
    if (const auto lines = hottest_lines(counts, code); !lines.empty()) {
        text += format("  %-32s %15s %15s\n", "hottest lines", "clocks (model)", "executed");
        for (const line_counts& line : lines) {
            text += format("    %28.1f %% %15llu %15llu  %s\n",
                           percent(figures::ratio(line.clocks, f.clocks)), long_number(line.clocks),
                           long_number(line.executed), line.source.c_str());
        }
    }
    text += format("  %-32s %15s %15s\n", "hottest instructions", "clocks (model)", "executed");
    for (const instruction_counts* c : f.hottest) {
        text +=
            format("    +0x%-27llx %15llu %15llu  %s\n", long_number(c->i->address - launch.entry),
                   long_number(clocks_of(*c)), long_number(c->executed), c->i->text.c_str());
        if (const std::string source = code.source_of_user(c->i->address); !source.empty()) {
            text += "      " + source + "\n";
        }
    }
    return text;
}

std::string profile_json(const profile_counts& counts, const profiled_launch& launch,
                         const program& code, const std::string& timeline) {
    const figures f(counts);
    const auto json_dimensions = [](const auto& d) {
        return json_list(d, [](uint32_t n) { return number(n); });
    };
    json_object instructions;
    instructions.add("total", number(f.instructions));
    for (const char* name : class_names) {
        const auto found = f.by_class.find(name);
        instructions.add(name, number(found == f.by_class.end() ? 0 : found->second));
    }
    json_object counted;
    counted.add("instructions", instructions.text())
        .add("global_bytes", json_bytes(counts.global()))
        .add("scalar_bytes", json_bytes({counts.scalar_read(), 0, 0}))
        .add("lds_bytes", json_bytes(counts.lds()))
        .add("scratch_bytes", json_bytes(counts.scratch()))
        .add("global_lines", number(counts.global_lines()));

    const auto instruction_at = [&](const instruction_counts& c) {
        json_object object;
        object.add("offset", number(c.i->address - launch.entry))
            .add("instruction", quoted(c.i->text))
            .add("source", quoted(code.source_of_user(c.i->address)))
            .add("executed", number(c.executed));
        return object;
    };
    json_object by_mnemonic;
    for (const auto& [mnemonic, kind] : f.lds) {
        const bool is_known = kind.rule != nullptr;
        by_mnemonic.add(mnemonic,
                        json_object()
                            .add("executed", number(kind.executed))
                            .add("clocks", is_known ? number(kind.conflict_clocks) : "null")
                            .add("phases", quoted(is_known ? name_of(kind.rule->known) : "unknown"))
                            .text());
    }
    const occupancy_figures occupancy = occupancy_of(launch);
    json_object modelled;
    modelled
        .add("mfma", json_object()
                         .add("instructions", number(f.mfma_instructions))
                         .add("clocks", number(f.mfma_clocks))
                         .add("all_clocks", number(f.clocks))
                         .add("share", format("%.6f", f.mfma_share()))
                         .text())
        .add("lds_conflicts",
             json_object()
                 .add("clocks", number(f.conflict_clocks))
                 .add("complete", f.all_conflicts_are_modelled() ? "true" : "false")
                 .add("by_mnemonic", by_mnemonic.text())
                 .add("worst", json_list(f.conflicts,
                                         [&](const instruction_counts* c) {
                                             return instruction_at(*c)
                                                 .add("clocks", number(c->conflict_clocks))
                                                 .text();
                                         }))
                 .text())
        .add("occupancy", json_object()
                              .add("waves_per_simd", format("%.2f", occupancy.waves_per_simd))
                              .add("groups_per_cu", number(launch.limits.groups()))
                              .add("limited_by", quoted(occupancy.limits))
                              .add("vgprs", number(launch.vgprs))
                              .add("agprs", number(launch.agprs))
                              .add("lds_bytes", number(launch.lds_bytes))
                              .text())
        .add("lines", json_list(hottest_lines(counts, code),
                                [](const line_counts& line) {
                                    return json_object()
                                        .add("source", quoted(line.source))
                                        .add("executed", number(line.executed))
                                        .add("clocks", number(line.clocks))
                                        .text();
                                }))
        .add("hottest", json_list(f.hottest, [&](const instruction_counts* c) {
                 return instruction_at(*c).add("clocks", number(clocks_of(*c))).text();
             }));
    json_object all;
    all.add("kernel", quoted(llvm::demangle(launch.kernel)))
        .add("symbol", quoted(launch.kernel))
        .add("arch", quoted(launch.arch))
        .add("groups", json_dimensions(launch.groups))
        .add("threads", json_dimensions(launch.threads))
        .add("counted", counted.text())
        .add("modelled", modelled.text());
    if (!timeline.empty()) {
        all.add("timeline", timeline);
    }
    return all.text() + "\n";
}

namespace {

// What one of the variables that name kernels has left out, for the case that this is everything.
class left_out {
public:
    left_out(const char* variable, const char* nothing) : variable_(variable), nothing_(nothing) {}
    ~left_out() {
        if (!has_wanted_) {
            std::fprintf(stderr,
                         "opus emulator: %s=%s: %s, no name of the kernels in %zu launches "
                         "contains that; the last one was %s\n",
                         variable_, wanted_.c_str(), nothing_, launches_, last_.c_str());
        }
    }
    left_out(const left_out&) = delete;
    left_out& operator=(const left_out&) = delete;

    // True if the kernel's name contains `wanted`, as a symbol or as in the source.
    bool note(const std::string& wanted, const std::string& kernel) {
        const std::string name = llvm::demangle(kernel);
        const bool is_wanted =
            name.find(wanted) != std::string::npos || kernel.find(wanted) != std::string::npos;
        const std::scoped_lock lock(mutex_);
        has_wanted_ = has_wanted_ || is_wanted;
        ++launches_;
        wanted_ = wanted;
        last_ = name;
        return is_wanted;
    }

private:
    const char* variable_;
    const char* nothing_;
    std::mutex mutex_;
    bool has_wanted_ = false;
    size_t launches_ = 0;
    std::string wanted_;
    std::string last_;
};

}  // namespace

bool wants_profile(const launch_settings& settings, const std::string& kernel) {
    if (settings.profile == profile_format::none) {
        return false;
    }
    static left_out launches("OPUS_EMU_PROFILE_KERNEL", "nothing was profiled");
    return launches.note(settings.profile_kernel, kernel);
}

bool wants_timeline(const launch_settings& settings, const std::string& kernel) {
    if (settings.timeline_file.empty()) {
        return false;
    }
    static left_out launches("OPUS_EMU_TIMELINE_KERNEL", "there is no timeline");
    return launches.note(settings.timeline_kernel, kernel);
}

void write_profile(const launch_settings& settings, const std::string& report) {
    if (settings.profile_file.empty()) {
        std::fflush(stdout);
        std::fwrite(report.data(), 1, report.size(), stderr);
        return;
    }
    std::FILE* file = std::fopen(settings.profile_file.c_str(), "a");
    const bool is_open = file != nullptr;
    const bool is_written =
        is_open && std::fwrite(report.data(), 1, report.size(), file) == report.size();
    if (!is_open || std::fclose(file) != 0 || !is_written) {
        std::fprintf(stderr, "opus emulator: OPUS_EMU_PROFILE_FILE=%s: cannot write there\n",
                     settings.profile_file.c_str());
        ::_exit(failure_status);
    }
}

}  // namespace emu
