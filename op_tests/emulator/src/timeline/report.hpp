// What a timeline says about a launch: the report, and the trace for viewers.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "isa/decode.hpp"
#include "machine/device.hpp"
#include "timeline/model.hpp"
#include "timeline/recorder.hpp"

namespace emu {

struct timeline_launch {
    std::string kernel;  // its symbol
    const char* arch = "";
    uint64_t entry = 0;                // address of the first instruction
    uint64_t groups = 0;               // of the launch
    uint64_t units = 1;                // compute units of the device
    group_limits limits;               // of a compute unit
    uint32_t registers = 0;            // of a lane
    uint64_t lds_bytes = 0;            // of a group
    std::string measured;              // parameters, as read_timeline_parameters() says it
    timeline_parameters parameters{};  // their compute_units are those that the launch uses
};

// What can be at work all the time, and then bounds the launch.
enum class timeline_bound : uint8_t { matrix, valu, lds, l1, l2, mall, hbm };
constexpr size_t timeline_bound_count = 7;

struct timeline_line_cost {
    std::string source;   // of the user, or the instruction where no line is known
    uint64_t clocks = 0;  // of waves that do not rest
    timeline_stalls stalls{};
    timeline_levels waits{};
    uint64_t asked_bytes = 0;
    uint64_t moved_bytes = 0;
    uint64_t lds_conflicts = 0;  // clocks of LDS
    bool lds_inferred = false;   // phases of its instructions that have conflicts
};

// Where all units of a die ask for lines of few channels of L2 at the same time.
struct timeline_channel_use {
    std::string source;
    uint64_t clocks = 0;     // of the fullest channel beyond those if all were as full
    double channels = 0;     // as many, as full as the fullest one, would have all lines
    uint64_t row_bytes = 0;  // what rows are multiples of apart; 0 if there are no rows
};

// The launch without one of its limits: bound_of() if nothing gains more.
struct timeline_without {
    const char* what = "";
    const char* bound = "";
    double seconds = 0;
};

struct timeline_figures {
    uint64_t modelled = 0;      // groups
    uint64_t resident = 0;      // of them, at a time
    uint64_t clocks = 0;        // of all of them
    uint64_t group_clocks = 0;  // of one of them, the mean
    uint64_t rounds = 0;        // of the launch with as many groups on each compute unit
    uint64_t units = 0;         // that have a group
    uint64_t tail_clocks = 0;   // of the last round, with fewer; 0 if there is none
    uint64_t of_a_unit = 0;     // groups; more than `resident` follow each other
    uint64_t period = 0;        // clocks from the end of a group to that of the next in its place
    bool is_uneven = false;     // groups have different work
    uint64_t weighed = 0;       // groups whose work is known
    uint64_t launch_clocks = 0;
    double seconds = 0;         // of the launch, at its clock
    double launch_seconds = 0;  // that and what a launch takes itself
    double flops = 0;           // of matrix instructions in the launch
    double bytes = 0;           // that lanes ask for
    double hbm_bytes = 0;
    double matrix_peak = 0;                 // FLOP/s of pipes that are never idle, at this clock
    uint64_t resting = 0;                   // of the stalls
    std::vector<timeline_without> without;  // the best first
    std::array<double, timeline_bound_count> busy{};  // shares of the clocks, of the busiest SIMD
    double matrix_share = 0;                          // of all SIMDs
    uint64_t wave_clocks = 0;                         // of all waves
    timeline_stalls stalls{};
    std::vector<timeline_line_cost> lines;  // the ten that cost most
    uint64_t lds_clocks = 0;
    uint64_t lds_conflicts = 0;                      // of them
    std::vector<timeline_line_cost> conflicts;       // the lines that have most of them
    bool has_source = false;                         // lines are those of a source
    std::vector<timeline_channel_use> channel_uses;  // the ones that cost most
    // Of rows that without a hash are in one channel, if that would take half of the clocks.
    std::vector<timeline_channel_use> row_uses;
    std::vector<timeline_line_cost> uncoalesced;  // lines that move most of what nobody asks for
};

// A launch at the clock that it runs at.
struct timeline_run {
    timeline_launch launch;  // parameters.clock_mhz is that clock
    timeline_result result;
    uint32_t highest_mhz = 0;
    uint64_t highest_clocks = 0;  // of the launch at the highest clock
    double highest_seconds = 0;
    double held_seconds = 0;  // of its matrix instructions at the sustained rates, if they hold it
    bool is_held() const { return held_seconds > 0; }
};

// At the highest clock, or if its matrix instructions would be faster there than the device keeps
// up, at the highest one at which they are not. Does not depend on how much higher the highest is.
timeline_run run_timeline(const timeline_record& record, const timeline_launch& launch);

timeline_figures make_figures(const timeline_record& record, const timeline_run& run,
                              const program& code);

// "latency" if nothing is at work half of the time, else what the launch gains most without, or if
// that is not known what is at work most of the time.
const char* bound_of(const timeline_figures& figures);

// Models the launch again without each limit that may matter; the record is as before.
std::vector<timeline_without> find_without(timeline_record& record, const timeline_launch& launch,
                                           const timeline_figures& f);

// The user's source line of each instruction; empty where it is not known.
std::vector<std::string> sources_of(const timeline_record& record, const program& code);

// For the profile: as text, and as one JSON object.
struct timeline_report {
    std::string text;
    std::string json;
};
timeline_report make_report(const timeline_figures& figures, const timeline_record& record,
                            const timeline_run& run);

// The launch's expected time (timeline_figures::launch_seconds) with a parameter that has no sure
// source at its least and at its most plausible value, all others as they are.
struct timeline_range_time {
    const timeline_range* range = nullptr;
    uint32_t low = 0;
    uint32_t high = 0;
    double at_low = 0;
    double at_high = 0;
};
std::vector<timeline_range_time> find_range(const timeline_record& record,
                                            const timeline_launch& launch);
std::string range_text(const std::vector<timeline_range_time>& times,
                       const timeline_figures& figures);

// JSON of Chrome's trace event format; times are clocks. One process for each SIMD with a thread
// for each wave, and one for the compute unit's counters.
std::string make_trace(const timeline_record& record, const timeline_result& result,
                       const timeline_report& report, const timeline_launch& launch,
                       const program& code);

}  // namespace emu
