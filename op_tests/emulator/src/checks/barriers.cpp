#include "checks/barriers.hpp"

#include <algorithm>
#include <bit>
#include <string>

#include "checks/checks.hpp"
#include "isa/decode.hpp"

namespace emu {
namespace {

// The size of s_barrier and of s_endpgm.
constexpr uint64_t size_of_sopp = 4;

const instruction& last_instruction(const workgroup& group, const wave& w) {
    return group.code->at(w.pc - size_of_sopp);
}

}  // namespace

void barriers_check::arrive(wave& w, const instruction& i) {
    check_missed(w, i);
    ++arrived_;
    missed_ = threads_ & ~w.exec();
    by_ = &i;
}

void barriers_check::check_missed(const wave& w, const instruction& i) {
    const uint64_t lanes = missed_ & w.exec();
    if (lanes == 0) {
        return;
    }
    missed_ = 0;
    report(
        w, i, check::barriers,
        [&] {
            return "lane " + std::to_string(std::countr_zero(lanes)) +
                   " goes on, and was off at a barrier that other lanes of its wave have passed (" +
                   std::to_string(std::popcount(lanes)) + " lanes of the wave)";
        },
        {"the barrier", by_, w.index_in_group});
}

void barriers_check::of_group::no_wave_runs(workgroup& group) {
    const auto waits = [](const wave& w) { return w.status == wave_status::at_barrier; };
    const auto has_ended = [](const wave& w) { return w.status == wave_status::ended; };
    const auto waiting = std::ranges::find_if(group.waves, waits);
    const auto ended = std::ranges::find_if(group.waves, has_ended);
    if (waiting == group.waves.end() || ended == group.waves.end()) {
        return;
    }
    const auto arrived = [](const wave& w) {
        return std::to_string(part_of<barriers_check>(w)->arrived_);
    };
    report(
        *waiting, last_instruction(group, *waiting), check::barriers,
        [&] {
            return "wave " + std::to_string(waiting->index_in_group) + " waits at its barrier " +
                   arrived(*waiting) + ", and wave " + std::to_string(ended->index_in_group) +
                   " has ended after " + arrived(*ended) +
                   " (the hardware lets the group go on; not every thread has passed the barrier)";
        },
        {"the end", &last_instruction(group, *ended), ended->index_in_group});
}

}  // namespace emu
