// Runs the workgroups of one dispatch on all cores.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "execution/run_group.hpp"
#include "machine/progress.hpp"
#include "machine/wave.hpp"

namespace emu {

// What a thread does with the groups that it works on, and who looks at them. One for each thread.
class group_runner {
public:
    group_runner() = default;
    group_runner(const group_runner&) = delete;
    group_runner& operator=(const group_runner&) = delete;
    virtual ~group_runner() = default;  // the thread has no more groups
    // As run_group().
    virtual group_progress run(workgroup& group, uint64_t limit, uint64_t& executed) = 0;
};

struct dispatch {
    std::array<uint32_t, 3> groups{};      // how many, per dimension
    uint64_t first_groups = ~uint64_t{0};  // only so many are executed, from the first one on
    std::vector<uint64_t> numbers;         // or these, if there are any, in this order
    // When so many instructions were executed no group goes on, wherever it is.
    uint64_t most_instructions = ~uint64_t{0};
    // Makes the group with this id, ready to run. It may use the memory of a group that has finished,
    // or nullptr: otherwise threads spend their time on giving memory back to the system and taking
    // it again. Called by several threads.
    std::function<std::unique_ptr<workgroup>(std::array<uint32_t, 3> id,
                                             std::unique_ptr<workgroup> finished)>
        make_group;
    // Groups that may be in progress at the same time, at least 1. A group that waits for one
    // beyond this number waits forever, as it would on a machine with room for so many.
    uint64_t max_resident = 1;
    // Instructions that a wave may execute; a wave that goes on is reported as an endless loop.
    uint64_t instruction_limit = ~uint64_t{0};
    // Becomes true when a wave has trapped (workgroup::trapped): no group is executed any more, and
    // the others stop where they are. nullptr if it cannot.
    const std::atomic<bool>* trapped = nullptr;
    // If they are set: a group has ended, or makes room for others. Called by several threads.
    std::function<void(const workgroup&)> note_end;
    std::function<void(const workgroup&)> note_preemption;
    // Makes a runner, by the thread that it is for. Without it nobody looks.
    std::function<std::unique_ptr<group_runner>()> make_runner;
    const std::string* name = nullptr;  // for the progress line; nullptr shows none
    progress_times progress{};
};

// Threads that work on a dispatch: OPUS_EMU_THREADS if it is set, else one for each core.
unsigned worker_count();

// Executes all groups of the dispatch and returns the number of instructions executed, counted
// per wave. Groups start in order of their id, x fastest. The waves of a group run in turn on one
// thread. A group that sleeps or doesn't finish within its quantum makes room for the next one, so
// that groups may wait for each other.
uint64_t run(const dispatch& work);

}  // namespace emu
