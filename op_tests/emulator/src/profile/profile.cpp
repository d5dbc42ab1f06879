#include "profile/profile.hpp"

#include <llvm/Demangle/Demangle.h>
#include <llvm/Support/JSON.h>
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
    for_lanes(a.lanes, [&](int lane) { bytes += a.bytes[static_cast<size_t>(lane)]; });
    return bytes;
}

void count(byte_counts& counts, access_use use, uint64_t bytes) {
    constexpr uint64_t byte_counts::* by_use[] = {&byte_counts::read, &byte_counts::written,
                                                  &byte_counts::atomic};
    counts.*by_use[static_cast<size_t>(use)] += bytes;
}

// Of a flat access, the lanes with an address in this aperture, which `a` has no longer.
lane_accesses take_aperture(lane_accesses& a, uint64_t aperture) {
    constexpr uint64_t aperture_mask = 0xffffffff00000000;
    lane_accesses result = a;
    for_lanes(a.lanes, [&](int lane) {
        const auto l = static_cast<size_t>(lane);
        const bool is_there = (a.address[l] & aperture_mask) == aperture;
        (is_there ? a : result).lanes &= ~(uint64_t{1} << l);
    });
    return result;
}

uint64_t lines_of(const lane_accesses& a) {
    std::array<uint64_t, 2 * lane_count> lines;
    size_t count = 0;
    for_lanes(a.lanes, [&](int lane) {
        const auto l = static_cast<size_t>(lane);
        const uint64_t first = a.address[l] / line_bytes;
        const uint64_t last = (a.address[l] + a.bytes[l] - 1) / line_bytes;
        if (count == 0 || lines[count - 1] != first) {
            lines[count++] = first;
        }
        if (last != first) {
            lines[count++] = last;
        }
    });
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
    if (i.unit == execution_unit::vmem) {
        return i.access.kind == address_kind::global    ? "global"
               : i.access.kind == address_kind::flat    ? "flat"
               : i.access.kind == address_kind::scratch ? "scratch"
                                                        : "buffer";
    }
    if (i.unit == execution_unit::none) {
        return i.control == wave_control::end        ? "branch"
               : i.control == wave_control::priority ? "salu"
                                                     : "wait";
    }
    constexpr std::string_view of_others[] = {"valu", "mfma", "salu",  "branch",
                                              "lds",  "",     "scalar"};
    return of_others[static_cast<size_t>(i.unit)];
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
    keep_most(lines, hottest_count, &line_counts::clocks, &line_counts::source);
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
        const auto address = [](const instruction_counts* c) { return c->i->address; };
        const auto clocks_of_one = [](const instruction_counts* c) { return clocks_of(*c); };
        keep_most(hottest, hottest_count, clocks_of_one, address);
        keep_most(conflicts, hottest_count, &instruction_counts::conflict_clocks, address);
    }

    double mfma_share() const { return ratio(mfma_clocks, clocks); }
    bool all_conflicts_are_modelled() const {
        return std::ranges::all_of(lds,
                                   [](const auto& kind) { return kind.second.rule != nullptr; });
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

// Waves that a SIMD has room for, the mean.
double occupancy_of(const profiled_launch& launch) {
    const uint32_t threads = launch.threads[0] * launch.threads[1] * launch.threads[2];
    const uint32_t waves = (threads + lane_count - 1) / lane_count;
    return static_cast<double>(launch.limits.groups() * waves) / simds_per_unit;
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
        lane_accesses a = find_accesses(w, i, n);
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
                count(lds_, plan.use, sum_of(take_aperture(a, shared_aperture)));
                count(scratch_, plan.use, sum_of(take_aperture(a, private_aperture)));
                [[fallthrough]];
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
    std::string text =
        "opus emulator: profile of " + llvm::demangle(launch.kernel) + " on " + launch.arch;
    text += format(": %u x %u x %u groups of %u x %u x %u\n", launch.groups[0], launch.groups[1],
                   launch.groups[2], launch.threads[0], launch.threads[1], launch.threads[2]);
    text += format("  %-32s %15llu\n", "instructions (counted)", long_number(f.instructions));
    for (const char* name : class_names) {
        if (const auto found = f.by_class.find(name); found != f.by_class.end()) {
            text += format("    %-30s %15llu %6.1f %%\n", name, long_number(found->second),
                           percent(ratio(found->second, f.instructions)));
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
    text += format("  %-32s %15.2f  waves on a SIMD, %llu groups on a CU; limited by %s\n",
                   "occupancy (modelled)", occupancy_of(launch),
                   long_number(launch.limits.groups()), launch.limits.names("lds").c_str());
    text += format("    %u v", launch.vgprs);
    text += f.uses_agprs ? format(" and %u a", launch.agprs) : "";
    text += format(" registers, %llu bytes of LDS\n", long_number(launch.lds_bytes));
    if (const auto lines = hottest_lines(counts, code); !lines.empty()) {
        text += format("  %-32s %15s %15s\n", "hottest lines", "clocks (model)", "executed");
        for (const line_counts& line : lines) {
            text +=
                format("    %28.1f %% %15llu %15llu  %s\n", percent(ratio(line.clocks, f.clocks)),
                       long_number(line.clocks), long_number(line.executed), line.source.c_str());
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
    std::string report;
    llvm::raw_string_ostream stream(report);
    llvm::json::OStream out(stream);
    const auto text = [&](const char* name, const std::string& value) {
        out.attribute(name, llvm::json::fixUTF8(value));
    };
    const auto raw = [&](const char* name, const std::string& value) {
        out.attributeBegin(name);
        out.rawValue(value);
        out.attributeEnd();
    };
    const auto list = [&](const char* name, const auto& elements, auto&& write) {
        out.attributeArray(name, [&] { std::ranges::for_each(elements, write); });
    };
    const auto dimensions = [&](const char* name, const std::array<uint32_t, 3>& d) {
        list(name, d, [&](uint32_t n) { out.value(n); });
    };
    const auto bytes = [&](const char* name, const byte_counts& b) {
        out.attributeObject(name, [&] {
            out.attribute("read", b.read);
            out.attribute("written", b.written);
            out.attribute("atomic", b.atomic);
        });
    };
    const auto instruction = [&](const instruction_counts& c, uint64_t clocks) {
        out.object([&] {
            out.attribute("offset", c.i->address - launch.entry);
            text("instruction", c.i->text);
            text("source", code.source_of_user(c.i->address));
            out.attribute("executed", c.executed);
            out.attribute("clocks", clocks);
        });
    };
    const auto counted = [&] {
        out.attributeObject("instructions", [&] {
            out.attribute("total", f.instructions);
            for (const char* name : class_names) {
                const auto found = f.by_class.find(name);
                out.attribute(name, found == f.by_class.end() ? 0 : found->second);
            }
        });
        bytes("global_bytes", counts.global());
        bytes("scalar_bytes", {counts.scalar_read(), 0, 0});
        bytes("lds_bytes", counts.lds());
        bytes("scratch_bytes", counts.scratch());
        out.attribute("global_lines", counts.global_lines());
    };
    const auto conflicts = [&] {
        out.attribute("clocks", f.conflict_clocks);
        out.attribute("complete", f.all_conflicts_are_modelled());
        out.attributeObject("by_mnemonic", [&] {
            for (const auto& [mnemonic, kind] : f.lds) {
                out.attributeObject(mnemonic, [&] {
                    const bool is_known = kind.rule != nullptr;
                    out.attribute("executed", kind.executed);
                    out.attribute("clocks", is_known ? llvm::json::Value(kind.conflict_clocks)
                                                     : llvm::json::Value(nullptr));
                    out.attribute("phases", is_known ? name_of(kind.rule->known) : "unknown");
                });
            }
        });
        list("worst", f.conflicts,
             [&](const instruction_counts* c) { instruction(*c, c->conflict_clocks); });
    };
    const auto modelled = [&] {
        out.attributeObject("mfma", [&] {
            out.attribute("instructions", f.mfma_instructions);
            out.attribute("clocks", f.mfma_clocks);
            out.attribute("all_clocks", f.clocks);
            raw("share", format("%.6f", f.mfma_share()));
        });
        out.attributeObject("lds_conflicts", conflicts);
        out.attributeObject("occupancy", [&] {
            raw("waves_per_simd", format("%.2f", occupancy_of(launch)));
            out.attribute("groups_per_cu", launch.limits.groups());
            out.attribute("limited_by", launch.limits.names("lds"));
            out.attribute("vgprs", launch.vgprs);
            out.attribute("agprs", launch.agprs);
            out.attribute("lds_bytes", launch.lds_bytes);
        });
        list("lines", hottest_lines(counts, code), [&](const line_counts& line) {
            out.object([&] {
                text("source", line.source);
                out.attribute("executed", line.executed);
                out.attribute("clocks", line.clocks);
            });
        });
        list("hottest", f.hottest,
             [&](const instruction_counts* c) { instruction(*c, clocks_of(*c)); });
    };
    out.object([&] {
        text("kernel", llvm::demangle(launch.kernel));
        text("symbol", launch.kernel);
        out.attribute("arch", launch.arch);
        dimensions("groups", launch.groups);
        dimensions("threads", launch.threads);
        out.attributeObject("counted", counted);
        out.attributeObject("modelled", modelled);
        if (!timeline.empty()) {
            raw("timeline", timeline);
        }
    });
    return report + "\n";
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
        const bool is_wanted = has_part(kernel, wanted);
        const std::scoped_lock lock(mutex_);
        has_wanted_ = has_wanted_ || is_wanted;
        ++launches_;
        wanted_ = wanted;
        last_ = llvm::demangle(kernel);
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
