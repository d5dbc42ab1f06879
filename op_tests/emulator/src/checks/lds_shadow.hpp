// What the checks know about each byte of a group's LDS: who wrote it, who reads it, and whether a
// barrier lies between.
//
// An access is a stamp: the wave, the instruction and its number in the wave's queue. It is ordered
// before what other waves do once its wave has waited for it and then passed a barrier (lds
// instructions and loads to LDS alike), so it is concurrent while its number is above the wave's
// ordered(). Four bytes share a cell until an access takes only some of them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "isa/registers.hpp"

namespace emu {

enum class lds_use : uint8_t { read, write, atomic };

struct workgroup;

struct lds_access {
    const wave& w;
    const instruction& i;
    int lane;
    uint32_t address;
    uint32_t bytes;
    lds_use use;
    const std::byte* value;  // what is written, if use is write
};

class lds_shadow {
public:
    explicit lds_shadow(size_t bytes);

    // Reports the access as the group's checks say, or notes it.
    // @pre the access lies inside of LDS and its instruction has been issued
    void note(const lds_access& a);

    // Every wave of the group has passed the barrier.
    void pass_barrier(const workgroup& group);

private:
    struct stamp {
        uint32_t number = 0;  // 0: none
        uint32_t instruction : 24 = 0;
        uint32_t wave : 4 = 0;
        uint32_t queue : 3 = 0;
        uint32_t is_atomic : 1 = 0;
    };
    // Two readers, of different waves, are enough: whoever writes, one of them is another wave.
    struct cell {
        stamp write;
        std::array<stamp, 2> reads;
    };

    template <class F>
    void for_each_cell(uint32_t address, uint32_t bytes, F&& f);
    std::array<cell, 4>& split(size_t dword);

    static stamp stamp_of(const lds_access& a);
    bool is_concurrent(const stamp& own, const stamp& s) const;
    bool may_conflict(const stamp& own, const stamp& s) const;
    void check_read(const lds_access& a, const stamp& own, const cell& c, uint32_t byte) const;
    void check_write(const lds_access& a, const stamp& own, const cell& c, uint32_t byte,
                     uint32_t bytes) const;
    void note_read(const stamp& own, cell& c) const;
    static void check_own_load(const lds_access& a, const stamp& s, uint32_t byte);
    static void report_race(const lds_access& a, const stamp& s, uint32_t byte,
                            const char* earlier_use);

    // outstanding::ordered() of each wave and queue.
    std::array<std::array<uint32_t, 8>, 16> ordered_{};
    std::vector<cell> cells_;            // one for each dword
    std::vector<uint32_t> split_index_;  // one for each dword: 0, or 1 + its index in split_
    std::vector<std::array<cell, 4>> split_;
};

}  // namespace emu
