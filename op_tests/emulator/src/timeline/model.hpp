// The timeline's model: when the waves of one compute unit issue their instructions, by the record
// of what they executed and the parameters (parameters.hpp), in whole clocks. The rules:
//
// - SIMD s has its turn in the clocks t with t % issue_clocks == s % issue_clocks. In a turn each
//   wave issues one instruction at most, and each unit takes one, by priority (s_setprio), the
//   oldest wave first.
// - A vector instruction keeps its SIMD for the clocks of its rate; its result can be read
//   valu_latency after that. A matrix instruction needs its pipe for passes * mfma_pass_clocks,
//   beside the first mfma_alone_passes of which the SIMD issues no vector instruction; its result
//   can be used behind the mfma_*_clocks and the wait states of the ISA guides, of issue_clocks each.
// - LDS serves one instruction after the other: for its phases and conflicts, and not less than its
//   bytes at the rate of LDS. SIMDs 0 and 1 have a port to it, and so have 2 and 3: addresses, 4
//   bytes each, and data that are written go one way, data that are read the other one. An
//   instruction is complete when both are through with it and its latency has passed since they
//   began; clocks of bank conflicts add to that, which is then at least lds_conflict_latency.
// - Vector memory instructions pass L1 one after the other, each for its addresses, its lines and
//   the bytes that lanes ask for. No more than vmem_queue of them wait for it, and a store is issued
//   when the data of the last one have left the registers; waves issue in the order in which they
//   came. Lines that miss pass the bandwidth of each level behind it, of which a unit has its share;
//   their data are there a latency behind the last of these. Instructions complete in the order of
//   issue. L1 stands still while outstanding_lines that missed are on their way.
// - L2 has channels, each with its part of the rate. With each instruction all units of the die ask
//   for what the record has for it, and a unit goes on when the channels have served all.
// - The first use of a line comes from HBM. Caches keep the lines that were used last; of L2 and of
//   what is behind it a unit has its share. Of a line that other units use while a cache keeps it
//   (sharing.hpp) it pays its part only. What HBM delivers and what it takes go one after the other.
// - Loads to LDS keep LDS from other instructions when their data arrive.
// - When all waves of a group have ended the next one takes their place. A die starts one wave
//   dispatch_wave_clocks behind the other, for all its units.
// - A wave that comes to a line of code asks for it and for those that follow it; one that is not in
//   the cache comes icache_miss_clocks later, for all waves. A launch finds there the first lines
//   that it uses, as many as fit. An instruction in two windows of 32 bytes is issued
//   fetch_split_clocks later.
// - A wave waits at s_waitcnt until its counter allows it to go on, and where a counter is full; at
//   s_barrier until barrier_clocks behind the last wave of its group; with s_sleep, s_nop and a
//   branch that is taken for their clocks.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "timeline/parameters.hpp"
#include "timeline/record.hpp"

namespace emu {

// Why a wave does not issue.
enum class timeline_cause : uint8_t {
    vmcnt,      // waits for vector memory: its latency
    bandwidth,  // waits for vector memory: what others have asked for before
    lgkmcnt,    // waits for LDS or scalar memory
    barrier,
    dependency,  // of registers
    matrix,      // the matrix pipe is at work
    issue,       // the unit is taken, by a wave or for longer than a turn
    sleep,
    fetch,  // the instruction is not in its cache
};
constexpr size_t timeline_cause_count = 9;
timeline_name name_of(timeline_cause cause);

using timeline_stalls = std::array<uint64_t, timeline_cause_count>;

// How deep into memory a wait for it goes.
enum class timeline_level : uint8_t { l1, l2, mall, hbm, lds, scalar };
constexpr size_t timeline_level_count = 6;
using timeline_levels = std::array<uint64_t, timeline_level_count>;
const char* name_of(timeline_level level);

// Instructions of one unit in a row, or a time in which the wave waits.
struct timeline_slice {
    uint64_t start = 0;
    uint64_t end = 0;
    bool is_stall = false;
    timeline_unit unit = timeline_unit::none;
    timeline_cause cause = timeline_cause::issue;
    uint32_t instruction = 0;  // the first one; of a stall, the one that waits
    uint32_t count = 0;
};

struct timeline_wave_result {
    uint64_t group = 0;
    uint32_t wave = 0;  // in its group
    uint32_t simd = 0;
    uint64_t start = 0;
    uint64_t end = 0;
    std::vector<timeline_slice> slices;
};

struct timeline_interval {
    uint64_t start = 0;
    uint64_t end = 0;
};

// Bytes of vector memory that are on their way, from a clock on.
struct timeline_flight {
    uint64_t clock = 0;
    int64_t bytes = 0;  // added
};

// What the executions of one instruction cost, in clocks of waves.
struct timeline_cost {
    uint64_t executed = 0;
    uint64_t issue = 0;
    timeline_stalls stalls{};
    timeline_levels waits{};     // of the stalls, those on memory
    uint64_t resting = 0;        // at barriers while another wave of the SIMD has the matrix pipe
    uint64_t asked_bytes = 0;    // by lanes of vector memory
    uint64_t moved_bytes = 0;    // in whole lines, between L1 and what is behind it
    uint64_t lds_conflicts = 0;  // clocks of LDS; not among the others
    uint64_t l2_lines = 0;       // that all units of the die ask for with it
    uint64_t l2_fullest = 0;     // of them, in the channel that has most
    uint64_t all() const;
};

constexpr uint32_t timeline_simds = 4;

struct timeline_result {
    uint64_t clocks = 0;  // until the last wave has ended and all stores are done
    std::vector<timeline_wave_result> waves;
    std::vector<timeline_cost> costs;  // by timeline_record::instructions

    std::array<std::vector<timeline_interval>, timeline_simds> matrix;  // pipes at work
    std::vector<timeline_interval> lds;
    std::vector<timeline_flight> flights;  // by clock

    std::array<uint64_t, timeline_simds> matrix_clocks{};
    std::array<uint64_t, timeline_simds> valu_clocks{};
    uint64_t lds_clocks = 0;
    uint64_t l1_clocks = 0;
    uint64_t l2_channel_clocks = 0;  // of the channel that is at work for longest
    timeline_levels loads{};         // lines that loads ask each level for
    timeline_levels hits{};          // of them, that it has
    uint64_t lds_bytes = 0;
    uint64_t l2_bytes = 0;  // through the shares of each level
    uint64_t mall_bytes = 0;
    uint64_t hbm_read_bytes = 0;
    uint64_t hbm_written_bytes = 0;
    uint64_t hbm_bytes() const { return hbm_read_bytes + hbm_written_bytes; }

    uint64_t wave_clocks() const;  // of all waves
    timeline_stalls stalls() const;
};

// For how long the dies start one group for each of their units.
uint64_t dispatch_clocks(const timeline_record& record, const timeline_parameters& p);

// Of the first `groups` groups of the record, or of all.
timeline_result model_timeline(const timeline_record& record, const timeline_parameters& p,
                               size_t groups = ~size_t{0});

}  // namespace emu
