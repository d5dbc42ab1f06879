// HIP's barrier of all groups of a cooperative launch, cooperative_groups::grid_group::sync().
//
// The kernel does it: its hidden argument multigrid_sync_arg points to a block in which ROCm's device
// library (from 7.0 on, read from the code that it compiles to) counts the groups that have arrived
// in the low half of a dword. The last one adds the rest of 2^16. The others sleep until the high
// half has changed.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>

#include "machine/wave.hpp"

namespace emu {

class grid_sync {
public:
    explicit grid_sync(uint64_t groups);
    ~grid_sync();

    uint64_t address() const;

    // As `dispatch` (execution/scheduler.hpp) has them. Any thread.
    void note_end(const workgroup& group);
    // Ends the process if the group sleeps, groups have arrived, and one that has ended will not.
    void note_preemption(const workgroup& group);

private:
    // The members without a name are those of launches on several devices.
    struct alignas(64) block {
        std::array<uint32_t, 8> unused{};
        std::atomic<uint32_t> arrived{0};
        uint32_t also_unused = 0;
        uint32_t groups = 0;
    };
    block block_;
    std::mutex mutex_;
    std::array<uint32_t, 3> ended_group_{};
    const instruction* end_ = nullptr;  // nullptr: no group has ended
};

}  // namespace emu
