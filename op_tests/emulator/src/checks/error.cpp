#include "machine/report.hpp"

#include <llvm/Support/JSON.h>
#include <llvm/Support/raw_ostream.h>
#include <unistd.h>

#include <atomic>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <map>
#include <mutex>
#include <utility>

#include "debugging/stop.hpp"
#include "isa/decode.hpp"
#include "machine/memory.hpp"
#include "machine/progress.hpp"
#include "machine/settings.hpp"
#include "machine/wave.hpp"
#include "printing/buffered.hpp"
#include "printing/hostcall.hpp"

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

// ---- what was reported in this process ----

// Where something was reported, with what the first report said.
struct reported_place {
    uint64_t count = 0;
    std::string message;
    std::string kernel;
    std::string offset;  // "+0x1c"
    std::string instruction;
    std::string source;  // of the user; empty where it is not known
    std::array<uint32_t, 3> group{};
    int wave = 0;
};

struct report_log {
    std::mutex mutex;
    bool goes_on = false;  // after a report: OPUS_EMU_CHECK_MODE=report
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

std::string name_of_kernel(const workgroup* group) {
    return group == nullptr || group->kernel_name == nullptr ? "unknown" : *group->kernel_name;
}

reported_place place_of(const wave& w, uint64_t pc, const std::string& text) {
    const workgroup* group = w.group;
    reported_place place;
    place.kernel = name_of_kernel(group);
    place.offset = offset_in(group, pc);
    place.instruction = text;
    if (group != nullptr) {
        place.source = group->code == nullptr ? "" : group->code->source_of_user(pc);
        place.group = group->id;
    }
    place.wave = w.index_in_group;
    return place;
}

// What is no check's: an instruction that cannot be executed, a limit, a trap.
std::string kind_of(uint32_t check) {
    return check == check::none ? "error" : names_of(check);
}

// OPUS_EMU_REPORT=FILE.json: everything that was reported, as one object.
void write_report_file() {
    const char* path = std::getenv("OPUS_EMU_REPORT");
    if (path == nullptr) {
        return;
    }
    std::error_code error;
    llvm::raw_fd_ostream file(path, error);
    if (error) {
        std::fprintf(stderr, "opus emulator: OPUS_EMU_REPORT=%s cannot be written: %s\n", path,
                     error.message().c_str());
        return;
    }
    report_log& log = the_log();
    const std::scoped_lock lock(log.mutex);
    llvm::json::OStream json(file, 2);
    json.object([&] {
        uint64_t total = 0;
        for (const auto& [key, place] : log.places) {
            total += place.count;
        }
        json.attribute("reports", static_cast<int64_t>(total));
        json.attributeArray("places", [&] {
            for (const auto& [key, place] : log.places) {
                json.object([&] {
                    json.attribute("check", kind_of(key.first));
                    json.attribute("count", static_cast<int64_t>(place.count));
                    json.attribute("message", place.message);
                    json.attribute("kernel", place.kernel);
                    json.attribute("offset", place.offset);
                    json.attribute("instruction", place.instruction);
                    json.attribute("source", place.source);
                    json.attributeArray("group", [&] {
                        for (const uint32_t id : place.group) {
                            json.value(id);
                        }
                    });
                    json.attribute("wave", place.wave);
                });
            }
        });
    });
    file << '\n';
}

// What OPUS_EMU_CHECK_MODE=report has gone on after. Returns whether there was anything.
bool print_summary() {
    report_log& log = the_log();
    const std::scoped_lock lock(log.mutex);
    if (log.places.empty() || !log.goes_on) {
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
        std::fprintf(stderr, "  %-23s %12" PRIu64 "  %s  %s  %s%s%s\n", kind_of(key.first).c_str(),
                     place.count, place.kernel.c_str(), place.offset.c_str(),
                     place.instruction.c_str(), place.source.empty() ? "" : "  ",
                     place.source.c_str());
    }
    std::fflush(stderr);
    return true;
}

// Runs when the process ends, after what the program has registered for that.
__attribute__((destructor)) void end_of_process() {
    if (end_reports()) {
        std::cout.flush();
        std::fflush(nullptr);
        ::_exit(failure_status);
    }
}

// ---- one report ----

// If OPUS_EMU_STOP=report asks for it.
void print_state(const wave& w, uint64_t pc) {
    if (wave_stop* stop = stop_of_process()) {
        stop->note_report(w, pc);
    }
}

void print(const wave& w, uint64_t pc, const std::string& text, uint32_t check,
           const std::string& message, const related_instruction& related) {
    end_progress();
    const workgroup* group = w.group;
    const auto id = group == nullptr ? std::array<uint32_t, 3>{} : group->id;
    std::fflush(stdout);
    std::fprintf(stderr, "opus emulator: %s\n", message.c_str());
    if (check != check::none) {
        std::fprintf(stderr, "  check       %s\n", names_of(check).c_str());
    }
    std::fprintf(stderr, "  kernel      %s\n  pc          %s\n", name_of_kernel(group).c_str(),
                 place(group, pc).c_str());
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
    print_state(w, pc);
}

// Several workers may fail at once; only the first one reports, the others wait for the end. What
// kernels have printed comes before the report.
std::atomic_flag somebody_reports = ATOMIC_FLAG_INIT;

void become_the_one_that_reports() {
    while (somebody_reports.test_and_set()) {
        ::pause();
    }
    end_progress();
    print_buffered_output();
    std::fflush(stdout);
}

[[noreturn]] void end_process() {
    if (wave_stop* stop = stop_of_process()) {
        stop->finish();
    }
    end_reports();
    if (leave_process != ::_exit) {  // the process goes on, as if nothing had been reported
        resume_progress();
        somebody_reports.clear();
    }
    leave_process(failure_status);
    std::abort();
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

// "0-3, 8".
std::string lanes_of(uint64_t mask) {
    std::string text;
    for (int lane = 0; lane < lane_count; ++lane) {
        const int first = lane;
        while (lane < lane_count && (mask >> lane & 1) != 0) {
            ++lane;
        }
        if (lane != first) {
            text += (text.empty() ? "" : ", ") + std::to_string(first) +
                    (lane - first > 1 ? "-" + std::to_string(lane - 1) : "");
        }
    }
    return text;
}

void log_report(const wave& w, uint64_t pc, const std::string& text, uint32_t check,
                const std::string& message) {
    report_log& log = the_log();
    const std::scoped_lock lock(log.mutex);
    reported_place& place = log.places[{check, pc}];
    if (place.count == 0) {
        place = place_of(w, pc, text);
        place.message = message;
    }
    ++place.count;
}

[[noreturn]] void end(const wave& w, uint64_t pc, const std::string& text, uint32_t check,
                      const std::string& message, const related_instruction& related) {
    become_the_one_that_reports();
    log_report(w, pc, text, check, message);
    print(w, pc, text, check, message, related);
    end_process();
}

}  // namespace

// Not exit(): other threads still run on what static destructors would take away.
void (*leave_process)(int status) = ::_exit;

namespace impl {

bool count_report(const wave& w, const instruction& i, uint32_t check) {
    if (!goes_on(w)) {
        return true;
    }
    report_log& log = the_log();
    const std::scoped_lock lock(log.mutex);
    log.goes_on = true;
    reported_place& place = log.places[{check, address_of(w, i)}];
    if (++place.count > 1) {
        return false;
    }
    place = place_of(w, address_of(w, i), i.text);
    place.count = 1;
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
    {
        report_log& log = the_log();
        const std::scoped_lock lock_log(log.mutex);
        log.places[{check, pc}].message = message;
    }
    print(w, pc, i.text, check, message, related);
}

}  // namespace impl

bool end_reports() {
    const bool has_reports = print_summary();
    write_report_file();
    report_log& log = the_log();
    const std::scoped_lock lock(log.mutex);
    log.goes_on = false;
    log.places.clear();
    return has_reports;
}

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
    {
        report_log& log = the_log();
        const std::scoped_lock lock(log.mutex);
        reported_place& place = log.places[{check::none, w.pc}];
        place = place_of(w, w.pc, "s_trap");
        place.count = 1;
        place.message = "OPUS_DEBUG: " + device_string(r.what);
        place.source = device_string(r.file) + ":" + std::to_string(r.line);
    }
    std::fprintf(stderr,
                 "opus emulator: %s: %" PRId64 ", %" PRId64
                 "\n  check       OPUS_DEBUG\n  source      %s:%d\n  kernel      %s\n"
                 "  group       (%u, %u, %u), thread (%u, %u, %u), lane %u\n",
                 device_string(r.what).c_str(), r.values[0], r.values[1],
                 device_string(r.file).c_str(), r.line, name_of_kernel(w.group).c_str(), r.group[0],
                 r.group[1], r.group[2], r.thread[0], r.thread[1], r.thread[2], r.lane);
    std::fflush(stderr);
    print_state(w, w.pc);
    end_process();
}

void fail_trap(const wave& w, const instruction& i, const std::string& message) {
    const workgroup* group = w.group;
    std::atomic<bool>* trapped = group == nullptr ? nullptr : group->trapped;
    if (trapped != nullptr && trapped->exchange(true)) {
        throw kernel_trapped{};
    }
    const bool is_assertion =
        group != nullptr && group->hostcall != nullptr && group->hostcall->assertion_failed();
    if (trapped == nullptr && !is_assertion) {
        fail(w, i, message);
    }
    become_the_one_that_reports();
    log_report(w, address_of(w, i), i.text, check::none,
               is_assertion ? "an assertion failed" : message);
    if (is_assertion) {
        std::fprintf(stderr,
                     "opus emulator: an assertion failed\n  kernel      %s\n"
                     "  group       (%u, %u, %u), wave %d, lanes %s\n",
                     name_of_kernel(group).c_str(), group->id[0], group->id[1], group->id[2],
                     w.index_in_group, lanes_of(w.exec()).c_str());
        print_state(w, w.pc);
    } else {
        print(w, address_of(w, i), i.text, check::none, message, {});
    }
    std::fflush(stderr);
    if (trapped == nullptr) {
        print_summary();
        std::abort();
    }
    resume_progress();
    somebody_reports.clear();
    throw kernel_trapped{};
}

void fail_launch(const std::string& message) {
    become_the_one_that_reports();
    std::fprintf(stderr, "opus emulator: %s\n", message.c_str());
    std::fflush(stderr);
    end_process();
}

void fail(const wave& w, const instruction& i, const std::string& message,
          const related_instruction& related) {
    end(w, address_of(w, i), i.text, check::none, message, related);
}

}  // namespace emu
