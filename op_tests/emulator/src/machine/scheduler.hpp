// Runs the workgroups of one dispatch on all cores.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>

#include "machine/wave.hpp"
#include "profile/profile.hpp"
#include "profile/progress.hpp"

namespace emu {

struct dispatch {
    std::array<uint32_t, 3> groups{};  // how many, per dimension
    // Makes the group with this id, ready to run. Called by several threads.
    std::function<std::unique_ptr<workgroup>(std::array<uint32_t, 3> id)> make_group;
    // Groups that may be in progress at the same time, at least 1. A group that waits for one
    // beyond this number waits forever, as it would on a machine with room for so many.
    uint64_t max_resident = 1;
    // Instructions that a wave may execute; a wave that goes on is reported as an endless loop.
    uint64_t instruction_limit = ~uint64_t{0};
    profile_counts* profile = nullptr;  // receives what is counted, if that is wanted
    const std::string* name = nullptr;  // for the progress line; nullptr shows none
    progress_times progress{};
};

// Threads that work on a dispatch: OPUS_EMU_THREADS if it is set, else one for each core.
unsigned worker_count();

// Executes all groups of the dispatch and returns the number of instructions executed, counted
// per wave. Groups start in order of their id, x fastest. The waves of a group run in turn on one
// thread. A group that doesn't finish within its quantum makes room for the next one, so that
// groups may wait for each other.
uint64_t run(const dispatch& work);

}  // namespace emu
