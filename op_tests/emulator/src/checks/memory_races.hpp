// Races on memory of the device: two waves of a launch that use the same byte, one of them writing,
// and nothing orders the two.
//
// Happens-before by vector clocks (Flanagan and Freund, FastTrack, PLDI 2009). Barriers and atomics
// divide what a wave does into segments, numbered over the launch in the order in which they begin. A
// wave keeps, for each other wave, the last segment that happened before its own. At a barrier it takes
// over what all waves of its group keep; at an atomic, what was kept by the wave that used the same
// dword by an atomic before. An atomic here is whatever is exchanged between waves: a read-modify-write, or a load or store with sc0
// or sc1 (what compilers make of atomic and volatile accesses). Which order and scope it has, and
// whether a fence stands beside it, is not looked at: what might be ordered counts as ordered.
//
// What is known about memory is kept in cells: the last write and two reads of 16 bytes, or of each
// dword where an access has taken only some of the 16. A stamp says which of the dword's bytes it is
// about, so bytes of a dword that waves write apart do not race; of several such writers the last is
// remembered.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "checks/check.hpp"

namespace emu {

namespace check {
constexpr uint32_t memory_races = 1u << 13;
}

// What the waves of one launch have done in memory. Any thread.
class race_history {
public:
    race_history(std::array<uint32_t, 3> groups, uint32_t waves_of_group);
    ~race_history();
    race_history(const race_history&) = delete;
    race_history& operator=(const race_history&) = delete;

private:
    friend class group_clocks;
    struct pages;
    struct segments;

    std::array<uint32_t, 3> groups_;
    uint32_t waves_of_group_;
    std::unique_ptr<pages> pages_;
    std::unique_ptr<segments> segments_;
};

// What the waves of one group know of those of the launch. By one thread at a time.
class group_clocks {
public:
    group_clocks(const workgroup& group, race_history& history);
    ~group_clocks();
    group_clocks(const group_clocks&) = delete;
    group_clocks& operator=(const group_clocks&) = delete;

    // Memory has not been changed yet.
    void note(const memory_access& a);
    // The wave updates LDS by an atomic, which orders it with others of the group that do.
    void note_lds_atomic(const wave& w);
    void passes_barrier(const workgroup& group);

private:
    struct stamp;
    struct cell;
    struct page;
    struct clock;
    struct wave_clock;
    struct run;
    // Races that a write has been let off, since it changes nothing.
    struct exempt {
        bool read = false;
        bool write = false;
    };
    friend struct race_history::pages;
    using clock_pointer = std::shared_ptr<const clock>;

    page& page_of(wave_clock& own, uint64_t number);
    uint32_t wave_of(uint32_t segment) const;
    bool is_ordered(wave_clock& own, uint32_t segment) const;
    void begin_segment(wave_clock& own);
    void acquire(wave_clock& own);
    void acquire(wave_clock& own, const clock_pointer& from) const;
    void acquire(wave_clock& own, uint32_t wave, uint32_t segment) const;
    const clock_pointer& clock_of(wave_clock& own) const;
    clock_pointer join(clock_pointer a, const clock_pointer& b) const;

    void note_scalar(const memory_access& a);
    static void to_acquire(wave_clock& own, uint64_t lanes, const uint64_t* address,
                           uint32_t bytes);
    void note_run(const run& r);
    void visit_block(const run& r, page& p, uint64_t begin, uint64_t end);
    void update(const run& r, const page& p, cell& c, stamp own, uint64_t begin, uint64_t bytes);
    void check_read(const run& r, const cell& c, const stamp& own, uint64_t begin);
    exempt check_write(const run& r, const page& p, const cell& c, const stamp& own, uint64_t begin,
                       uint64_t bytes);
    static void remember(const run& r, page& p, uint64_t begin, uint64_t end);
    void publish(const run& r, page& p, uint64_t begin, uint64_t end);
    void report_race(const run& r, const stamp& other, uint64_t byte, uint64_t begin,
                     const char* other_use) const;

    race_history& history_;
    uint32_t first_wave_;  // of the launch's
    std::vector<wave_clock> waves_;
    // What is known to whoever has used an LDS atomic, and the wave that did last.
    std::unique_ptr<wave_clock> of_lds_;
};

struct memory_races_check : any_check {
    static constexpr check_switch switches[] = {
        {"memory_races", check::memory_races, turned_on::by_all}};
    static constexpr uint32_t bits = check::memory_races;
    using of_launch = race_history;
    using of_group = group_clocks;

    group_clocks* group = nullptr;

    void memory(const memory_access& a) const { group->note(a); }
    void lds(const lds_access& a) const {
        if (a.use == lds_use::atomic) {
            group->note_lds_atomic(a.w);
        }
    }
};

}  // namespace emu
