// Runs the waves of one group in turn. Who looks at them is a parameter of the templates, so that
// nothing is asked about those who do not look.
#pragma once

#include <algorithm>
#include <cstdint>

#include "execution/step.hpp"
#include "isa/decode.hpp"
#include "machine/wave.hpp"

namespace emu {

// Instructions that a wave executes before the next wave of its group has its turn.
constexpr uint64_t wave_quantum = 2048;
// Instructions after which a group has to let others run. Long enough that changing the group,
// which refills the caches with its registers, is noise; short enough that a grid-wide barrier of
// a few hundred groups is reached in a second or so.
constexpr uint64_t group_quantum = 65536;

enum class group_progress : uint8_t { finished, preempted };

// Who looks at no group. Others have the same functions.
struct nobody_of_group {
    static nobody of(wave&) { return {}; }     // who looks at the wave
    static void no_wave_runs(workgroup&) {}    // all are at a barrier or have ended,
    static void passes_barrier(workgroup&) {}  // those at the barrier have passed it,
    static void ends(workgroup&) {}            // all have ended
};

// Ends the process: the wave has executed as many instructions as it may.
[[noreturn]] void fail_limit(wave& w, program& code);

template <class Observer>
uint64_t run_wave(wave& w, program& code, uint64_t limit, Observer&& seen_by) {
    const uint64_t quantum = std::min(wave_quantum, limit - w.instructions);
    uint64_t executed = 0;
    if (w.status == wave_status::asleep) {
        w.status = wave_status::running;
    }
    while (executed < quantum && w.status == wave_status::running) {
        step(w, code.at(w.pc), seen_by);
        ++executed;
    }
    w.instructions += executed;
    if (w.instructions == limit && w.status != wave_status::ended) [[unlikely]] {
        fail_limit(w, code);
    }
    return executed;
}

// A wave that has ended no longer counts for the barrier (ISA guide, S_BARRIER).
// @pre no wave is running or asleep
// @post all waves at the barrier are running again
template <class Observer>
void release_barrier(workgroup& group, Observer&& seen_by) {
    seen_by.no_wave_runs(group);
    for (wave& w : group.waves) {
        w.counters.pass_barrier();
        if (w.status == wave_status::at_barrier) {
            w.status = wave_status::running;
        }
    }
    seen_by.passes_barrier(group);
}

// Until all waves have ended, those that could go on sleep, or the group's quantum is over.
// `executed` is the number of instructions.
template <class Observer>
group_progress run_group(workgroup& group, uint64_t limit, Observer&& seen_by, uint64_t& executed,
                         uint64_t quantum = group_quantum) {
    executed = 0;
    const auto any = [&](wave_status status) {
        return std::ranges::find(group.waves, status, &wave::status) != group.waves.end();
    };
    while (executed < quantum) {
        for (wave& w : group.waves) {
            executed += run_wave(w, *group.code, limit, seen_by.of(w));
            if (group.hostcall != nullptr) {
                group.hostcall->serve();
            }
        }
        if (any(wave_status::running)) {
            continue;
        }
        if (any(wave_status::asleep)) {
            return group_progress::preempted;
        }
        if (!any(wave_status::at_barrier)) {
            seen_by.ends(group);
            return group_progress::finished;
        }
        release_barrier(group, seen_by);
    }
    return group_progress::preempted;
}

}  // namespace emu
