#include "checks/error.hpp"

#include <unistd.h>

#include <atomic>
#include <cinttypes>
#include <cstdio>

#include "isa/decode.hpp"
#include "machine/wave.hpp"
#include "profile/progress.hpp"

namespace emu {
namespace {

// "+0x1c from its first instruction"
std::string place(const workgroup* group, uint64_t pc) {
    const uint64_t entry = group == nullptr ? 0 : group->entry;
    char text[64];
    std::snprintf(text, sizeof text, "%s0x%" PRIx64 " from its first instruction",
                  pc < entry ? "-" : "+", pc < entry ? entry - pc : pc - entry);
    return text;
}

void print_source(const workgroup* group, uint64_t pc) {
    const std::string source =
        group == nullptr || group->code == nullptr ? "" : group->code->source_of(pc);
    if (!source.empty()) {
        std::fprintf(stderr, "  source      %s\n", source.c_str());
    }
}

[[noreturn]] void report(const wave& w, uint64_t pc, const std::string& text,
                         const std::string& message, const related_instruction& related) {
    // Several workers may fail at once; only the first one reports, the others wait for the end.
    static std::atomic_flag reported = ATOMIC_FLAG_INIT;
    while (reported.test_and_set()) {
        ::pause();
    }
    end_progress();
    const workgroup* group = w.group;
    const bool has_name = group != nullptr && group->kernel_name != nullptr;
    const auto id = group == nullptr ? std::array<uint32_t, 3>{} : group->id;
    std::fflush(stdout);
    std::fprintf(stderr, "opus emulator: %s\n  kernel      %s\n  pc          %s\n", message.c_str(),
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
    // Not exit(): other threads still run on what static destructors would take away.
    ::_exit(failure_status);
}

}  // namespace

void fail_at(const wave& w, uint64_t pc, const std::string& text, const std::string& message) {
    report(w, pc, text, message, {});
}

void fail(const wave& w, const instruction& i, const std::string& message,
          const related_instruction& related) {
    // w.pc is the next instruction, or where a branch goes.
    report(w, i.address != 0 ? i.address : w.pc - i.size, i.text, message, related);
}

}  // namespace emu
