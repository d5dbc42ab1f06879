// What the checks know about each byte of a group's LDS: who wrote it, who reads it, and whether a
// barrier lies between.
//
// An access is a stamp: the wave, the instruction and its number in the wave's queue. It is ordered
// before what other waves do once its wave has waited for it and then passed a barrier (lds
// instructions and loads to LDS alike), so it is concurrent while its number is above the wave's
// ordered().
//
// What is known is kept in cells, and of bytes the number of their cell: what an access does to a
// cell depends on nothing but what is in it, so it is worked out once, and many numbers are compared
// at a time. Sixteen bytes share a number until an access takes only some of them, then four do, then
// each has its own; an access of all sixteen brings dwords together again that have the same.
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
    struct stamp {
        uint64_t number : 32 = 0;  // 0: none
        uint64_t instruction : 24 = 0;
        uint64_t wave : 4 = 0;
        uint64_t queue : 3 = 0;
        uint64_t is_atomic : 1 = 0;
        friend bool operator==(const stamp& a, const stamp& b) {
            return std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b);
        }
    };
    // Two readers, of different waves, are enough: whoever writes, one of them is another wave.
    struct cell {
        stamp write;
        std::array<stamp, 2> reads;
        // Of the same number if they are equal, and mostly of another one if they are not.
        friend uint64_t bucket_of(const cell& c) {
            const auto bits = [](const stamp& s) { return std::bit_cast<uint64_t>(s); };
            return (bits(c.write) + 3 * bits(c.reads[0]) + 5 * bits(c.reads[1])) *
                       0x9e3779b97f4a7c15 >>
                   60;
        }
        friend bool operator==(const cell& a, const cell& b) {
            const auto differ = [](const stamp& x, const stamp& y) {
                return std::bit_cast<uint64_t>(x) ^ std::bit_cast<uint64_t>(y);
            };
            return (differ(a.write, b.write) | differ(a.reads[0], b.reads[0]) |
                    differ(a.reads[1], b.reads[1])) == 0;
        }
    };
    // The number of a cell.
    using cell_number = uint32_t;
    static constexpr cell_number no_cell = 0;  // of no bytes
    static constexpr cell_number unused = 1;   // nobody has used them
    static constexpr cell_number split = ~0u;  // their parts have cells of their own

    // An instruction that accesses LDS, and what it made of cells: the last one is `before`.
    struct visit {
        const wave& w;
        const instruction& i;
        lds_use use;
        uint32_t bytes;  // of a lane
        // Of the lanes that are looked at, which use bytes one after the other, the first one's:
        int lane;
        uint32_t address;
        const std::byte* value;  // what is written, if use is write
        stamp own;
        bool reports_uninitialized;
        uint32_t loads_completed;  // of the wave, those that it has waited for
        cell_number before = no_cell;
        cell_number after = no_cell;
        struct worked_out {
            cell_number before = no_cell;
            cell_number after = no_cell;
        };
        std::array<worked_out, 16> known{};  // others, by what is in them
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
        bool is_run = false;  // the lanes use the bytes of `used` one after the other
        uint64_t lanes = 0;
        span used;                                               // empty until it is asked for
        alignas(64) std::array<uint32_t, lane_count> address{};  // if it is no run

        uint32_t address_of(int lane) const {
            return is_run
                       ? used.begin + static_cast<uint32_t>(lane - std::countr_zero(lanes)) * bytes
                       : address[static_cast<size_t>(lane)];
        }
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

    static visit visit_of(const lds_access& a);
    cell_number number_of(const cell& c);
    void limit_cells();
    void forget_unused();
    void work_out(visit& v, cell_number& number, uint32_t byte, uint32_t bytes);
    template <uint32_t Bytes>
    std::vector<cell_number>& numbers_of();
    template <uint32_t Bytes>
    void split_cell(uint32_t address);
    void unite(uint32_t block);
    template <uint32_t Bytes>
    void update_range(visit& v, uint32_t address, uint32_t end);

    void follow(const lds_access& a);
    void remember(const lds_access& a);
    void check_in_flight(const lds_access& a) const;
    static span span_of(uint64_t lanes, const uint32_t* address, uint32_t bytes);

    static bool is_concurrent(const visit& v, const stamp& s);
    static bool is_own_load(const visit& v, const stamp& s);
    static bool may_conflict(const visit& v, const stamp& s);
    static bool may_conflict(const visit& v, const cell& c);
    static cell entered(const visit& v, cell c);
    void check_cell(const visit& v, const cell& c, uint32_t byte, uint32_t bytes);
    void check_read(const visit& v, const cell& c, uint32_t byte);
    void note_unwritten(const visit& v, uint32_t byte);
    void report_unwritten();
    void check_write(const visit& v, const cell& c, uint32_t byte, uint32_t bytes);
    static void check_own_load(const visit& v, const stamp& s, uint32_t byte);
    static void report_race(const visit& v, const stamp& s, uint32_t byte, const char* earlier_use);

    std::array<std::unique_ptr<recent_accesses>, 16> recent_;  // of each wave
    // Since the last barrier, the first of each instruction.
    std::vector<early_read> early_;
    std::vector<cell> cells_;
    size_t max_cells_ = 0;  // then those are forgotten that no bytes have
    // Of each block of 16 bytes, of each dword and of each byte. The last two are empty as long as
    // nothing is split.
    std::vector<cell_number> blocks_;
    std::vector<cell_number> dwords_;
    std::vector<cell_number> bytes_;
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
