#include "checks/error.hpp"

#include <unistd.h>

#include <atomic>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <map>
#include <mutex>
#include <utility>

#include "isa/decode.hpp"
#include "machine/memory.hpp"
#include "machine/settings.hpp"
#include "machine/wave.hpp"
#include "profile/progress.hpp"

namespace emu {
namespace {

// "+0x1c", from the first instruction of the kernel.
std::string offset_in(const workgroup* group, uint64_t pc) {
    const uint64_t entry = group == nullptr ? 0 : group->entry;
    char text[32];
    std::snprintf(text, sizeof text, "%s0x%" PRIx64, pc < entry ? "-" : "+",
                  pc < entry ? entry - pc : pc - entry);
    return text;
}

std::string place(const workgroup* group, uint64_t pc) {
    return offset_in(group, pc) + " from its first instruction";
}

void print_source(const workgroup* group, uint64_t pc) {
    const std::string source =
        group == nullptr || group->code == nullptr ? "" : group->code->source_of(pc);
    if (!source.empty()) {
        std::fprintf(stderr, "  source      %s\n", source.c_str());
    }
}

uint64_t address_of(const wave& w, const instruction& i) {
    // w.pc is the next instruction, or where a branch goes.
    return i.address != 0 ? i.address : w.pc - i.size;
}

// ---- what was reported in this process under OPUS_EMU_CHECK_MODE=report ----

struct reported_place {
    uint64_t count = 0;
    std::string text;  // "kernel+0x1c ds_read_b32 v1, v1 reverse.hip:14"
};

struct report_log {
    std::mutex mutex;
    // By check and address.
    std::map<std::pair<uint32_t, uint64_t>, reported_place> places;
};

// Never destroyed: it is read when the process ends.
report_log& the_log() {
    static auto* log = new report_log;
    return *log;
}

bool goes_on(const wave& w) {
    return w.group != nullptr && w.group->mode == check_mode::report;
}

std::string describe_place(const wave& w, const instruction& i) {
    const workgroup& group = *w.group;
    const uint64_t pc = address_of(w, i);
    const std::string kernel = group.kernel_name == nullptr ? "unknown" : *group.kernel_name;
    const std::string source = group.code == nullptr ? "" : group.code->source_of(pc);
    return kernel + "  " + offset_in(w.group, pc) + "  " + i.text +
           (source.empty() ? "" : "  " + source);
}

// Returns whether there was anything to print.
bool print_summary() {
    report_log& log = the_log();
    const std::scoped_lock lock(log.mutex);
    if (log.places.empty()) {
        return false;
    }
    uint64_t reports = 0;
    for (const auto& [key, place] : log.places) {
        reports += place.count;
    }
    std::fprintf(stderr,
                 "opus emulator: %" PRIu64
                 " reports at %zu instructions (OPUS_EMU_CHECK_MODE=report)\n",
                 reports, log.places.size());
    for (const auto& [key, place] : log.places) {
        std::fprintf(stderr, "  %-23s %12" PRIu64 "  %s\n", names_of(key.first).c_str(),
                     place.count, place.text.c_str());
    }
    std::fflush(stderr);
    return true;
}

// Runs when the process ends, after what the program has registered for that.
__attribute__((destructor)) void end_of_process() {
    if (print_summary()) {
        std::cout.flush();
        std::fflush(nullptr);
        ::_exit(failure_status);
    }
}

// ---- one report ----

void print(const wave& w, uint64_t pc, const std::string& text, uint32_t check,
           const std::string& message, const related_instruction& related) {
    end_progress();
    const workgroup* group = w.group;
    const bool has_name = group != nullptr && group->kernel_name != nullptr;
    const auto id = group == nullptr ? std::array<uint32_t, 3>{} : group->id;
    std::fflush(stdout);
    std::fprintf(stderr, "opus emulator: %s\n", message.c_str());
    if (check != check::none) {
        std::fprintf(stderr, "  check       %s\n", names_of(check).c_str());
    }
    std::fprintf(stderr, "  kernel      %s\n  pc          %s\n",
                 has_name ? group->kernel_name->c_str() : "unknown", place(group, pc).c_str());
    std::fprintf(stderr, "  instruction %s\n", text.c_str());
    print_source(group, pc);
    std::fprintf(stderr, "  group       (%u, %u, %u), wave %d\n", id[0], id[1], id[2],
                 w.index_in_group);
    if (related.by != nullptr) {
        std::fprintf(stderr, "%s:\n  pc          %s\n  instruction %s\n", related.role,
                     place(group, related.by->address).c_str(), related.by->text.c_str());
        print_source(group, related.by->address);
        std::fprintf(stderr, "  wave        %d\n", related.wave);
    }
    std::fflush(stderr);
}

// Several workers may fail at once; only the first one reports, the others wait for the end.
void become_the_one_that_reports() {
    static std::atomic_flag reported = ATOMIC_FLAG_INIT;
    while (reported.test_and_set()) {
        ::pause();
    }
}

[[noreturn]] void end_process() {
    print_summary();
    // Not exit(): other threads still run on what static destructors would take away.
    ::_exit(failure_status);
}

// ---- what a check of OPUS_DEBUG=1 leaves ----

// The header's `opus_debug_record`.
struct debug_record {
    uint32_t state;  // 2: complete
    int32_t line;
    uint64_t file;
    uint64_t what;
    int64_t values[2];
    uint32_t group[3];
    uint32_t thread[3];
    uint32_t lane;
};

std::string device_string(uint64_t address) {
    std::string text;
    while (text.size() < 4096) {
        const std::byte* c = translate(address + text.size(), 1, false);
        if (c == nullptr || *c == std::byte{0}) {
            break;
        }
        text += static_cast<char>(*c);
    }
    return text;
}

[[noreturn]] void end(const wave& w, uint64_t pc, const std::string& text, uint32_t check,
                      const std::string& message, const related_instruction& related) {
    become_the_one_that_reports();
    print(w, pc, text, check, message, related);
    end_process();
}

}  // namespace

namespace impl {

bool count_report(const wave& w, const instruction& i, uint32_t check) {
    if (!goes_on(w)) {
        return true;
    }
    report_log& log = the_log();
    const std::scoped_lock lock(log.mutex);
    reported_place& place = log.places[{check, address_of(w, i)}];
    if (++place.count > 1) {
        return false;
    }
    place.text = describe_place(w, i);
    return true;
}

void print_report(const wave& w, const instruction& i, uint32_t check, const std::string& message,
                  const related_instruction& related) {
    const uint64_t pc = address_of(w, i);
    if (!goes_on(w)) {
        end(w, pc, i.text, check, message, related);
    }
    static std::mutex one_at_a_time;
    const std::scoped_lock lock(one_at_a_time);
    print(w, pc, i.text, check, message, related);
}

}  // namespace impl

void fail_at(const wave& w, uint64_t pc, const std::string& text, const std::string& message) {
    end(w, pc, text, check::none, message, {});
}

void fail_if_debug_check(const wave& w) {
    if (w.group == nullptr || w.group->debug_record == 0) {
        return;
    }
    debug_record r{};
    const std::byte* bytes = translate(w.group->debug_record, sizeof r, false);
    if (bytes == nullptr) {
        return;
    }
    std::memcpy(&r, bytes, sizeof r);
    if (r.state != 2) {
        return;
    }
    become_the_one_that_reports();
    end_progress();
    std::fflush(stdout);
    std::fprintf(stderr,
                 "opus emulator: %s: %" PRId64 ", %" PRId64
                 "\n  check       OPUS_DEBUG\n  source      %s:%d\n  kernel      %s\n"
                 "  group       (%u, %u, %u), thread (%u, %u, %u), lane %u\n",
                 device_string(r.what).c_str(), r.values[0], r.values[1],
                 device_string(r.file).c_str(), r.line,
                 w.group->kernel_name == nullptr ? "unknown" : w.group->kernel_name->c_str(),
                 r.group[0], r.group[1], r.group[2], r.thread[0], r.thread[1], r.thread[2], r.lane);
    std::fflush(stderr);
    end_process();
}

void fail(const wave& w, const instruction& i, const std::string& message,
          const related_instruction& related) {
    end(w, address_of(w, i), i.text, check::none, message, related);
}

}  // namespace emu
