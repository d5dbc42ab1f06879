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

#include "checks/check.hpp"
#include "checks/waits.hpp"

namespace emu {

namespace check {
constexpr uint32_t races = 1u << 1;
constexpr uint32_t uninitialized_lds = 1u << 2;
}  // namespace check

class lds_shadow {
public:
    // With the memory of one that is used no more, if there is one.
    explicit lds_shadow(const workgroup& group, lds_shadow* finished = nullptr);

    // Reports the access as the group's checks say, or notes it.
    void note(const lds_access& a);

    void passes_barrier(const workgroup& group);
    void ends(const workgroup& group);

private:
    struct lane_access {
        const wave& w;
        const instruction& i;
        int lane;
        uint32_t address;
        uint32_t bytes;
        lds_use use;
        const std::byte* value;  // what is written, if use is write
    };
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
    // From the first to the last byte that lanes use.
    struct span {
        uint32_t begin = 0;
        uint32_t end = 0;
    };
    // An access of a wave's LDS instruction that it may not have waited for.
    struct in_flight {
        const instruction* by = nullptr;
        uint32_t number = 0;
        uint32_t bytes = 0;
        lds_use use = lds_use::read;
        uint64_t lanes = 0;
        std::array<uint32_t, lane_count> address{};
        span used;  // empty until it is asked for
    };
    // The last ones. Of LDS instructions at most 15 are in flight, each with two accesses at most; of
    // flat ones without a wait between them the oldest are forgotten.
    struct recent_accesses {
        uint32_t next = 0;
        std::array<in_flight, 32> entries{};
    };
    // A read of a byte that nobody has written so far. Where another wave writes it before the next
    // barrier, that is a race, and this was only the one that came first.
    struct early_read {
        const wave* w;
        const instruction* i;
        uint32_t lane;
        uint32_t byte;
        uint32_t value;  // of its dword
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

    void follow(const lds_access& a);
    void remember(const lds_access& a);
    void check_in_flight(const lds_access& a) const;
    static span span_of(uint64_t lanes, const uint32_t* address, uint32_t bytes);

    bool is_concurrent(const stamp& own, const stamp& s) const;
    static bool is_own_load(const visit& v, const stamp& s);
    bool may_conflict(const visit& v, const stamp& s) const;
    bool may_conflict(const visit& v, const cell& c) const;
    void enter(const visit& v, cell& c) const;
    void check_cell(const lane_access& a, const visit& v, const cell& c, uint32_t byte,
                    uint32_t bytes);
    void check_read(const lane_access& a, const visit& v, const cell& c, uint32_t byte);
    void note_unwritten(const lane_access& a, uint32_t byte);
    void report_unwritten();
    void check_write(const lane_access& a, const visit& v, const cell& c, uint32_t byte,
                     uint32_t bytes);
    static void check_own_load(const lane_access& a, const visit& v, const stamp& s, uint32_t byte);
    static void report_race(const lane_access& a, const stamp& s, uint32_t byte,
                            const char* earlier_use);

    // outstanding::ordered() of each wave and queue.
    std::array<std::array<uint32_t, 8>, 16> ordered_{};
    std::array<std::unique_ptr<recent_accesses>, 16> recent_;  // of each wave
    std::vector<early_read> early_;  // since the last barrier, the first of
                                     // each instruction
    std::vector<uint8_t> states_;    // of each block of 16 bytes
    std::vector<cell> blocks_;
    std::vector<cell>
        dwords_;  // of blocks that are kept as dwords; empty as long as there are none
    std::vector<uint32_t>
        split_index_;  // of each dword that was kept as bytes: its place in split_
    std::vector<std::array<cell, 4>> split_;
};

// What is known of the group's LDS is known of the group only. Bytes that a load has not written yet
// are the check `waits`.
struct lds_check : any_check {
    static constexpr check_switch switches[] = {
        {"races", check::races, turned_on::by_default},
        {"uninitialized_lds", check::uninitialized_lds, turned_on::by_default},
    };
    static constexpr uint32_t bits = check::waits | check::races | check::uninitialized_lds;

    using of_group = lds_shadow;
    of_group* group = nullptr;

    void lds(const lds_access& a) const { group->note(a); }
};

}  // namespace emu
