// What the checks know about each byte of a group's LDS: who wrote it, who reads it, and whether a
// barrier lies between.
//
// An access is a stamp: the wave, the instruction and its number in the wave's queue. It is ordered
// before what other waves do once its wave has waited for it and then passed a barrier (lds
// instructions and loads to LDS alike), so it is concurrent while its number is above the wave's
// ordered().
//
// What is known is kept in cells. Sixteen bytes share one until an access takes only some of them,
// then four do, then each has its own; an access of all sixteen brings them together again if the
// same is known about them. What an access does to a cell depends on nothing but what was in it, so
// it is worked out once for all cells that have the same in them: for the lanes of a wave nearly
// always once.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "isa/registers.hpp"

namespace emu {

enum class lds_use : uint8_t { read, write, atomic };

struct workgroup;

// One lane's.
struct lds_access {
    const wave& w;
    const instruction& i;
    int lane;
    uint32_t address;
    uint32_t bytes;
    lds_use use;
    const std::byte* value;  // what is written, if use is write
};

// That of several lanes.
struct lds_wave_access {
    const wave& w;
    const instruction& i;
    uint64_t lanes;
    const uint32_t* address;  // of each lane
    uint32_t bytes;           // of a lane
    lds_use use;
    const std::byte* values;  // what is written, if use is write; whole dwords for each lane
};

class lds_shadow {
public:
    explicit lds_shadow(size_t bytes);

    // Reports the access as the group's checks say, or notes it.
    // @pre the access lies inside of LDS and its instruction has been issued
    void note(const lds_access& a);
    void note(const lds_wave_access& a);

    // Every wave of the group has passed the barrier.
    void pass_barrier(const workgroup& group);

private:
    struct stamp {
        uint32_t number = 0;  // 0: none
        uint32_t instruction : 24 = 0;
        uint32_t wave : 4 = 0;
        uint32_t queue : 3 = 0;
        uint32_t is_atomic : 1 = 0;
        friend bool operator==(const stamp& a, const stamp& b) {
            return std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b);
        }
    };
    // Two readers, of different waves, are enough: whoever writes, one of them is another wave.
    struct cell {
        stamp write;
        std::array<stamp, 2> reads;
        friend bool operator==(const cell& a, const cell& b) {
            const auto differ = [](const stamp& x, const stamp& y) {
                return std::bit_cast<uint64_t>(x) ^ std::bit_cast<uint64_t>(y);
            };
            return (differ(a.write, b.write) | differ(a.reads[0], b.reads[0]) |
                    differ(a.reads[1], b.reads[1])) == 0;
        }
    };
    // An instruction that accesses LDS, and what it made of the last cell that was worked out.
    struct visit {
        stamp own;
        lds_use use = lds_use::read;
        bool reports_uninitialized = false;
        uint32_t loads_completed = 0;  // of the wave, those that it has waited for
        cell before;
        cell after;
    };
    // An access of a wave's LDS instruction that it may not have waited for.
    struct in_flight {
        const instruction* by = nullptr;
        uint32_t number = 0;
        uint32_t bytes = 0;
        lds_use use = lds_use::read;
        uint64_t lanes = 0;
        std::array<uint32_t, 64> address{};
    };
    // The last ones. Of LDS instructions at most 15 are in flight, each with two accesses at most; of
    // flat ones without a wait between them the oldest are forgotten.
    struct recent_accesses {
        uint32_t next = 0;
        std::array<in_flight, 32> entries{};
    };
    // How the 16 bytes of a block are kept.
    struct block_state {
        static constexpr uint8_t whole = 0;
        static constexpr uint8_t dwords = 0x10;
        // and for each dword that is kept as bytes a bit from bit 0 on
    };

    static visit visit_of(const wave& w, const instruction& i, lds_use use);
    template <class Check>
    void work_out(visit& v, cell& c, Check&& check) const;
    template <class Check>
    void update(visit& v, cell& c, Check&& check) const;
    template <class Check>
    void update_block(visit& v, uint32_t block, Check&& check);
    template <class Check>
    void update_parts(visit& v, uint32_t address, uint32_t bytes, Check&& check);
    template <class Check>
    void update_range(visit& v, uint32_t address, uint32_t bytes, Check&& check);
    void split_block(uint32_t block);
    std::array<cell, 4>& split_dword(uint32_t dword);

    void follow(const lds_wave_access& a);
    void remember(const lds_wave_access& a);
    void check_in_flight(const lds_wave_access& a) const;

    bool is_concurrent(const stamp& own, const stamp& s) const;
    static bool is_own_load(const visit& v, const stamp& s);
    bool may_conflict(const visit& v, const stamp& s) const;
    bool may_conflict(const visit& v, const cell& c) const;
    void enter(const visit& v, cell& c) const;
    void check_cell(const lds_access& a, const visit& v, const cell& c, uint32_t byte,
                    uint32_t bytes) const;
    void check_read(const lds_access& a, const visit& v, const cell& c, uint32_t byte) const;
    void check_write(const lds_access& a, const visit& v, const cell& c, uint32_t byte,
                     uint32_t bytes) const;
    static void check_own_load(const lds_access& a, const visit& v, const stamp& s, uint32_t byte);
    static void report_race(const lds_access& a, const stamp& s, uint32_t byte,
                            const char* earlier_use);

    // outstanding::ordered() of each wave and queue.
    std::array<std::array<uint32_t, 8>, 16> ordered_{};
    std::array<std::unique_ptr<recent_accesses>, 16> recent_;  // of each wave
    std::vector<uint8_t> states_;                              // of each block of 16 bytes
    std::vector<cell> blocks_;
    std::vector<cell>
        dwords_;  // of blocks that are kept as dwords; empty as long as there are none
    std::vector<uint32_t>
        split_index_;  // of each dword that was kept as bytes: its place in split_
    std::vector<std::array<cell, 4>> split_;
};

}  // namespace emu
