#include "error.hpp"

#include <unistd.h>

#include <atomic>
#include <cinttypes>
#include <cstdio>

#include "wave.hpp"

namespace emu {

void fail_at(const wave& w, uint64_t pc, const std::string& text, const std::string& message) {
    // Several workers may fail at once; only the first one reports, the others wait for the end.
    static std::atomic_flag reported = ATOMIC_FLAG_INIT;
    while (reported.test_and_set()) {
        ::pause();
    }
    const workgroup* group = w.group;
    const char* kernel = "unknown";
    uint64_t entry = 0;
    std::array<uint32_t, 3> id{};
    if (group != nullptr) {
        id = group->id;
        entry = group->entry;
        if (group->kernel_name != nullptr) {
            kernel = group->kernel_name->c_str();
        }
    }
    std::fflush(stdout);
    std::fprintf(stderr,
                 "opus emulator: %s\n"
                 "  kernel      %s\n"
                 "  pc          %s0x%" PRIx64
                 " from its first instruction\n"
                 "  instruction %s\n"
                 "  group       (%u, %u, %u), wave %d\n",
                 message.c_str(), kernel, pc < entry ? "-" : "+",
                 pc < entry ? entry - pc : pc - entry, text.c_str(), id[0], id[1], id[2],
                 w.index_in_group);
    std::fflush(stderr);
    // Not exit(): other threads still run on what static destructors would take away.
    ::_exit(failure_status);
}

void fail(const wave& w, const instruction& i, const std::string& message) {
    fail_at(w, w.pc - i.size, i.text, message);
}

}  // namespace emu
