#include "checks/range.hpp"

#include <bit>
#include <cinttypes>
#include <cstdio>
#include <map>
#include <mutex>
#include <utility>

#include "isa/decode.hpp"
#include "machine/progress.hpp"

namespace emu {
namespace {

struct counted {
    uint64_t accesses = 0;  // of one lane each
    uint64_t outside = 0;
    uint64_t whole_waves = 0;  // instructions of which every lane was outside
    std::string text;
};

struct range_log {
    std::mutex mutex;
    std::map<uint64_t, counted> by_address;
};

range_log& the_log() {
    static auto* log = new range_log;
    return *log;
}

}  // namespace

void range_check::buffer_range(const wave&, const instruction& i, uint64_t on, uint64_t outside) {
    range_log& log = the_log();
    const std::scoped_lock lock(log.mutex);
    counted& c = log.by_address[i.address];
    c.accesses += static_cast<uint64_t>(std::popcount(on));
    c.outside += static_cast<uint64_t>(std::popcount(outside));
    c.whole_waves += on != 0 && outside == on ? 1 : 0;
    c.text = c.text.empty() ? i.text : c.text;
}

void range_check::end_launch(program& code, const std::string& kernel) {
    range_log& log = the_log();
    const std::scoped_lock lock(log.mutex);
    std::erase_if(log.by_address, [](const auto& entry) { return entry.second.outside == 0; });
    if (!log.by_address.empty()) {
        end_progress();
        std::fflush(stdout);
        std::fprintf(stderr, "opus emulator: %s: accesses outside of their buffer's range\n",
                     kernel.c_str());
        std::fprintf(stderr, "  %12s %12s %12s\n", "lanes", "outside", "whole waves");
        for (const auto& [address, c] : log.by_address) {
            const std::string source = code.source_of_user(address);
            std::fprintf(stderr, "  %12" PRIu64 " %12" PRIu64 " %12" PRIu64 "  %s%s%s\n",
                         c.accesses, c.outside, c.whole_waves, c.text.c_str(),
                         source.empty() ? "" : "  ", source.c_str());
        }
    }
    log.by_address.clear();
    std::fflush(stderr);
}

}  // namespace emu
