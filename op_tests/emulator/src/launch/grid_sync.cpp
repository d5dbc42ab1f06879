#include "launch/grid_sync.hpp"

#include <algorithm>
#include <cstddef>
#include <string>

#include "checks/barriers.hpp"
#include "isa/decode.hpp"
#include "machine/memory.hpp"

namespace emu {
namespace {

// The instruction that the wave has executed last.
// @pre it has 4 bytes, as s_sleep and s_endpgm have
const instruction& last_instruction(const workgroup& group, const wave& w) {
    return group.code->at(w.pc - 4);
}

}  // namespace

grid_sync::grid_sync(uint64_t groups) {
    static_assert(offsetof(block, arrived) == 32 && offsetof(block, groups) == 40);
    block_.groups = static_cast<uint32_t>(groups);
    add_range(address(), sizeof block_, true, memory_kind::launch);
}

grid_sync::~grid_sync() {
    remove_range(address());
}

uint64_t grid_sync::address() const {
    return reinterpret_cast<uintptr_t>(&block_);
}

void grid_sync::note_end(const workgroup& group) {
    const std::scoped_lock lock(mutex_);
    ended_group_ = group.id;
    end_ = &last_instruction(group, group.waves.front());
}

void grid_sync::note_preemption(const workgroup& group) {
    const std::scoped_lock lock(mutex_);
    // A group that has ended by now is not among those that have arrived by now.
    const uint32_t arrived = block_.arrived & 0xffff;
    const auto found = std::ranges::find(group.waves, wave_status::asleep, &wave::status);
    if (end_ == nullptr || arrived == 0 || found == group.waves.end()) {
        return;
    }
    const wave& w = *found;
    const std::string message = "grid sync: " + std::to_string(arrived) + " of " +
                                std::to_string(block_.groups) + " groups wait, and group (" +
                                std::to_string(ended_group_[0]) + ", " +
                                std::to_string(ended_group_[1]) + ", " +
                                std::to_string(ended_group_[2]) + ") has ended without it";
    const related_instruction end{"the end", end_, 0};
    if ((w.checks & check::barriers) != 0) {
        report(
            w, last_instruction(group, w), check::barriers, [&] { return std::string(message); },
            end);
    }
    fail(w, last_instruction(group, w), message + ": the launch cannot go on", end);
}

}  // namespace emu
