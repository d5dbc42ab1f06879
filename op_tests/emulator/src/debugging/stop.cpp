#include "debugging/stop.hpp"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <memory>
#include <utility>

#include "debugging/variables.hpp"
#include "isa/accesses.hpp"
#include "isa/debug_info.hpp"
#include "isa/decode.hpp"
#include "isa/lds_names.hpp"
#include "machine/progress.hpp"
#include "machine/text.hpp"

namespace emu {
namespace {

constexpr size_t recent_count = 20;  // instructions that are printed

bool is_file(const std::string& path, const std::string& end) {
    return path.ends_with(end) && (path.size() == end.size() || end.starts_with('/') ||
                                   path[path.size() - end.size() - 1] == '/');
}

bool is_at(const source_frames& frames, const stop_request& request) {
    return std::ranges::any_of(frames, [&](const source_frame& f) {
        return f.line == request.line &&
               (request.file.empty() ? !is_in_opus(f.file) : is_file(f.file, request.file));
    });
}

// ---- the dump ----

std::string hexadecimal(uint32_t value) {
    return format("%08x", value);
}

std::string offset_in(const workgroup& group, uint64_t pc) {
    return format("+0x%" PRIx64, pc - group.entry);
}

// Lines "v3 = ..." of rows from `first` on; those that are 0 in all lanes in one line.
std::string registers_by_lane(const std::vector<lane_row>& rows, char letter) {
    const auto is_zero = [&](size_t n) {
        return std::ranges::all_of(rows[n].lane, [](uint32_t v) { return v == 0; });
    };
    std::string text;
    for (size_t n = 0; n < rows.size(); ++n) {
        const size_t first = n;
        while (is_zero(n) && n + 1 < rows.size() && is_zero(n + 1)) {
            ++n;
        }
        const std::string name = letter + std::to_string(first);
        if (n != first) {
            text += "  " + name + " to " + letter + std::to_string(n) + " = 0\n";
            continue;
        }
        std::array<std::string, lane_count> values;
        for (size_t lane = 0; lane < values.size(); ++lane) {
            values[lane] = hexadecimal(rows[n][lane]);
        }
        text += "  " + name + " =" + by_lane(values, ~uint64_t{0}, "    ") + "\n";
    }
    return text;
}

std::string scalar_registers(const wave& w) {
    constexpr size_t count = 102;
    constexpr size_t of_line = 8;
    std::string text;
    size_t end = count;
    while (end > of_line && w.sgpr[end - 1] == 0) {
        --end;
    }
    for (size_t n = 0; n < end; n += of_line) {
        text += format("  s%-3zu", n);
        for (size_t s = n; s < std::min(n + of_line, end); ++s) {
            text += " " + hexadecimal(w.sgpr[s]);
        }
        text += "\n";
    }
    if (end < count) {
        text += format("  s%zu to s%zu = 0\n", end, count - 1);
    }
    return text + format("  vcc %016" PRIx64 ", m0 %08x, scc %d, mode 0x%x\n", w.vcc(),
                         w.sgpr[sreg::m0], w.scc ? 1 : 0, w.mode);
}

struct lds_region {
    uint64_t begin = 0;
    uint64_t end = 0;
    bool is_of_instruction = false;
};

// What the instruction uses, if it does and the wave has not gone on; else everything.
lds_region region_of(const wave& w, const instruction& i, bool is_current) {
    const uint64_t all = w.group->lds.size();
    const access_plan& plan = i.access;
    lds_region region{all, 0, true};
    for (int n = 0; is_current && plan.kind == address_kind::lds && n < plan.addresses; ++n) {
        const lane_accesses accesses = find_accesses(w, i, n);
        for (size_t lane = 0; lane < lane_count; ++lane) {
            const uint64_t address = accesses.address[lane];
            if ((accesses.lanes >> lane & 1) != 0 && address < all) {
                region.begin = std::min(region.begin, address);
                region.end = std::max(region.end, std::min(all, address + accesses.bytes[lane]));
            }
        }
    }
    return region.begin < region.end ? region : lds_region{0, all, false};
}

// Rows of 16 bytes; those that are as the one before are left out.
std::string lds_rows(const workgroup& group, const lds_region& region) {
    const lds_names names(group);
    constexpr uint64_t of_row = 16;
    std::string text;
    std::string last;
    bool left_out = false;
    for (uint64_t at = region.begin / of_row * of_row; at < region.end; at += of_row) {
        std::string row;
        for (uint64_t byte = at; byte < std::min<uint64_t>(at + of_row, group.lds.size());
             byte += 4) {
            uint32_t value = 0;
            std::memcpy(&value, group.lds.data() + byte,
                        std::min<uint64_t>(4, group.lds.size() - byte));
            row += " " + hexadecimal(value);
        }
        if (row == last) {
            text += left_out ? "" : "  *\n";
            left_out = true;
            continue;
        }
        const std::string name = names.at(at);
        text += format("  %05" PRIx64 " ", at) + row + (name.empty() ? "" : "  " + name) + "\n";
        last = row;
        left_out = false;
    }
    return text;
}

std::string last_instructions(const wave& w) {
    const size_t first = w.recent.size() - std::min(w.recent.size(), recent_count);
    const std::vector<uint64_t> pcs(w.recent.begin() + static_cast<std::ptrdiff_t>(first),
                                    w.recent.end());
    const std::vector<source_frames> frames = w.group->code->frames_of(pcs);
    std::string text;
    for (size_t n = 0; n < pcs.size(); ++n) {
        const std::string source = frames_of_user(frames[n]);
        text += "  " + offset_in(*w.group, pcs[n]) + "  " + w.group->code->at(pcs[n]).text +
                (source.empty() ? "" : "  " + source) + "\n";
    }
    return text;
}

void say(const std::string& text) {
    std::fflush(stdout);
    std::fprintf(stderr, "opus emulator: %s", text.c_str());
    std::fflush(stderr);
}

std::unique_ptr<wave_stop>& the_stop() {
    static std::unique_ptr<wave_stop> stop;
    return stop;
}

std::mutex& mutex_of_process() {
    static std::mutex mutex;
    return mutex;
}

}  // namespace

std::string dump_of(const wave& w, uint64_t pc, const dump_parts& parts) {
    const workgroup& group = *w.group;
    const instruction& i = group.code->at(pc);
    const bool is_current = w.pc == pc || w.pc == pc + i.size;
    const std::string source = group.code->source_of(pc);
    std::string text = "  kernel      " + *group.kernel_name + "\n  pc          " +
                       offset_in(group, pc) + " from its first instruction\n  instruction " +
                       i.text + "\n" + (source.empty() ? "" : "  source      " + source + "\n") +
                       format("  group       (%u, %u, %u), wave %d\n", group.id[0], group.id[1],
                              group.id[2], w.index_in_group) +
                       format("  exec        %016" PRIx64 "\n", w.exec());
    if (!is_current) {
        text += "  (the wave has gone on to " + offset_in(group, w.pc) +
                "; what follows is its state there)\n";
    }
    const std::string variables = variables_at(debug_info(*group.code), w, is_current ? pc : w.pc);
    text += variables.empty() ? "variables: none are known here\n" : "variables:\n" + variables;
    if (parts.sgpr) {
        text += "sgpr:\n" + scalar_registers(w);
    }
    if (parts.vgpr) {
        text += "vgpr:\n" + registers_by_lane(w.vgpr, 'v') + registers_by_lane(w.agpr, 'a');
    }
    if (parts.lds && !group.lds.empty()) {
        const lds_region region = region_of(w, i, is_current);
        text +=
            format("lds, %zu bytes%s:\n", group.lds.size(),
                   region.is_of_instruction ? "; those between what the instruction uses" : "") +
            lds_rows(group, region);
    }
    return text + "last instructions of the wave:\n" + last_instructions(w);
}

bool wave_stop::prepare(program& code, const std::string& kernel) {
    if (is_done_ || (!request_.kernel.empty() && !has_part(kernel, request_.kernel))) {
        return false;
    }
    const std::scoped_lock lock(mutex_);
    ++launches_;
    if (request_.kind == stop_kind::line) {
        std::vector<uint64_t> pcs;
        for (uint64_t pc = code.base(); pc < code.base() + code.bytes(); pc += 4) {
            pcs.push_back(pc);
        }
        is_of_line_.clear();
        for (const source_frames& frames : code.frames_of(std::move(pcs))) {
            is_of_line_.push_back(is_at(frames, request_));
        }
        code_ = &code;
        has_line_ |= std::ranges::count(is_of_line_, true) != 0;
    }
    return true;
}

bool wave_stop::concerns(const workgroup& group) const {
    return !is_done_ && (request_.kind == stop_kind::report || group.id == request_.group);
}

bool wave_stop::is_there(const wave& w, const instruction& i) const {
    if (request_.kind == stop_kind::address) {
        return i.address - w.group->entry == request_.offset;
    }
    const auto is_of_line = [&](uint64_t pc) {
        const uint64_t dword = (pc - code_->base()) / 4;
        return dword < is_of_line_.size() && is_of_line_[dword];
    };
    // From another line: those of a line are not one behind the other.
    return is_of_line(i.address) && (w.recent.empty() || !is_of_line(w.recent.back()));
}

void wave_stop::note(wave& w, const instruction& i) {
    const bool is_arrival = request_.kind != stop_kind::report &&
                            w.index_in_group == request_.wave && !is_done_ && is_there(w, i);
    if (is_arrival) {
        const std::scoped_lock lock(mutex_);
        if (++arrivals_ == request_.count) {
            is_done_ = true;
            hide_progress();
            say("stop at " + request_.text + "\n" + dump_of(w, i.address, request_.dump));
        }
    }
    constexpr size_t most = 8 * recent_count;
    if (w.recent.size() == most) {
        w.recent.erase(w.recent.begin(), w.recent.end() - recent_count);
    }
    w.recent.push_back(i.address);
}

void wave_stop::note_report(const wave& w, uint64_t pc) {
    const bool has_wave = w.group != nullptr && w.group->code != nullptr;
    if (request_.kind != stop_kind::report || !has_wave || is_done_ ||
        (!request_.kernel.empty() && !has_part(*w.group->kernel_name, request_.kernel))) {
        return;
    }
    const std::scoped_lock lock(mutex_);
    is_done_ = true;
    say("the state at the first report\n" + dump_of(w, pc, request_.dump));
}

void wave_stop::finish() {
    if (is_done_.exchange(true)) {
        return;
    }
    std::string why;
    if (request_.kind == stop_kind::report) {
        why = "nothing was reported";
    } else if (launches_ == 0) {
        why = "no kernel was launched that has " + request_.kernel + " in its name";
    } else if (request_.kind == stop_kind::line && !has_line_) {
        why =
            "no instruction of the kernels is of that line (they need -g, and an optimiser may "
            "have left nothing of it)";
    } else {
        why = format("wave %d of group (%u, %u, %u) came there %" PRIu64 " times", request_.wave,
                     request_.group[0], request_.group[1], request_.group[2], arrivals_);
    }
    say("OPUS_EMU_STOP=" + request_.text + ": no stop: " + why + "\n");
}

wave_stop* stop_of_process(const stop_request& request) {
    if (request.kind == stop_kind::none) {
        return nullptr;
    }
    const std::scoped_lock lock(mutex_of_process());
    auto& stop = the_stop();
    if (stop == nullptr) {
        stop = std::make_unique<wave_stop>(request);
    }
    return stop.get();
}

wave_stop* stop_of_process() {
    return the_stop().get();
}

}  // namespace emu
