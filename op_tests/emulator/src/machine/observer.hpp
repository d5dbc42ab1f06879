// What the machine tells those who look at it: checks, the profile, the timeline. It knows none of
// them.
//
// That an instruction is about to be executed, and what becomes of groups, is told to a template
// parameter (execution/run_group.hpp). What only some instructions have to tell is told by their
// handlers to the wave's observer, if it has one.
#pragma once

#include <cstddef>
#include <cstdint>

#include "machine/memory.hpp"

namespace emu {

struct instruction;
struct wave;

enum class lds_use : uint8_t { read, write, atomic };

// Lanes of a wave use LDS.
struct lds_access {
    const wave& w;
    const instruction& i;
    uint64_t lanes;
    const uint32_t* address;  // of each lane
    uint32_t bytes;           // of a lane
    lds_use use;
    const std::byte* values = nullptr;  // what is going to be written, if use is write
    size_t value_stride = 0;  // bytes between those of two lanes; 0 where one lane is told
    uint64_t followers = 0;   // lanes whose bytes follow those of the lane before

    const std::byte* value_of(size_t lane) const {
        return values == nullptr ? nullptr : values + lane * value_stride;
    }
};

// In place of a register, where there is none. Registers are numbered as in isa/registers.hpp.
constexpr uint32_t no_register = ~uint32_t{0};

// Lanes of a wave use memory of the device, or the wave does so by a scalar load (as lane 0). All of
// it is in the range that the group's recent_ranges have found last.
struct memory_access {
    wave& w;
    const instruction& i;
    uint64_t lanes;
    const uint64_t* address;  // of each lane
    int bytes;                // of a lane
    lds_use use;
    uint32_t reg = no_register;         // of the data, the first one
    bool needs_old = true;              // of an atomic: what was in memory decides something
    const std::byte* values = nullptr;  // as of lds_access
    size_t value_stride = 0;
    bool is_run = false;

    const std::byte* value_of(size_t lane) const {
        return values == nullptr ? nullptr : values + lane * value_stride;
    }
    // Calls f(first, count) for runs of lanes whose accesses follow each other.
    template <class F>
    void for_each_run(F&& f) const {
        if (is_run) [[likely]] {
            f(0, lane_count);
        } else {
            emu::for_each_run(lanes, address, bytes, f);
        }
    }
};

// Of one wave. Instructions have been issued when they tell something, and have not done it yet.
class observer {
public:
    // The bytes are inside of the group's LDS.
    virtual void lds(const lds_access&) {}
    // What is written counts as written when a store tells it, and does not yet when an atomic does.
    virtual void memory(const memory_access&) {}
    // Of the lanes `on` those of `outside` are out of the range of their buffer.
    virtual void buffer_range(const wave&, const instruction&, uint64_t /*on*/,
                              uint64_t /*outside*/) {}
    // `lane` gets what lane `source` has in `reg`.
    virtual void source_lane(const wave&, const instruction&, uint32_t /*reg*/, int /*lane*/,
                             int /*source*/) {}
    // s_waitcnt was executed.
    virtual void wait(wave&) {}
    virtual void arrive(wave&, const instruction&) {}  // at a barrier
    virtual void branch(wave&) {}                      // is taken

    // Told only where it is wanted: it costs time to find out.
    bool wants_buffer_range = false;
    bool wants_source_lane = false;

protected:
    observer() = default;
    observer(const observer&) = default;
    observer& operator=(const observer&) = default;
    ~observer() = default;
};

// What those who look at a group keep of it.
class group_observer {
public:
    group_observer() = default;
    group_observer(const group_observer&) = delete;
    group_observer& operator=(const group_observer&) = delete;
    virtual ~group_observer() = default;
};

}  // namespace emu
