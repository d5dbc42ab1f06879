// What a timeline says about a launch: the report, and the trace for viewers.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "isa/decode.hpp"
#include "timeline/model.hpp"
#include "timeline/recorder.hpp"

namespace emu {

struct timeline_launch {
    std::string kernel;  // its symbol
    const char* arch = "";
    uint64_t entry = 0;                // address of the first instruction
    uint64_t groups = 0;               // of the launch
    uint64_t units = 1;                // compute units of the device
    timeline_parameters parameters{};  // their compute_units are those that the launch uses
};

// What can be at work all the time, and then bounds the launch.
enum class timeline_bound : uint8_t { matrix, valu, lds, l1, l2, mall, hbm };
constexpr size_t timeline_bound_count = 7;

struct timeline_line_cost {
    std::string source;   // of the user, or the instruction where no line is known
    uint64_t clocks = 0;  // of waves
    timeline_stalls stalls{};
};

struct timeline_figures {
    uint64_t resident = 0;      // groups that were modelled together
    uint64_t clocks = 0;        // of them
    uint64_t group_clocks = 0;  // of one of them, the mean
    uint64_t rounds = 0;        // of the launch with as many groups on each compute unit
    uint64_t tail_clocks = 0;   // of the last round, with fewer; 0 if there is none
    uint64_t launch_clocks = 0;
    double seconds = 0;  // of the launch
    double flops = 0;    // of matrix instructions in the launch
    double bytes = 0;    // that lanes ask for
    double hbm_bytes = 0;
    std::array<double, timeline_bound_count> busy{};  // shares of the clocks, of the busiest SIMD
    double matrix_share = 0;                          // of all SIMDs
    uint64_t wave_clocks = 0;                         // of all waves
    timeline_stalls stalls{};
    std::vector<timeline_line_cost> lines;  // the ten that cost most
    bool has_source = false;                // lines are those of a source
};

timeline_figures make_figures(const timeline_record& record, const timeline_result& result,
                              const timeline_launch& launch, const program& code);

// "latency" if nothing is at work half of the time, else what is most of it.
const char* bound_of(const timeline_figures& figures);

// For the profile: as text, and as one JSON object.
struct timeline_report {
    std::string text;
    std::string json;
};
timeline_report make_report(const timeline_figures& figures, const timeline_record& record,
                            const timeline_launch& launch);

// JSON of Chrome's trace event format; times are clocks. One process for each SIMD with a thread
// for each wave, and one for the compute unit's counters.
std::string make_trace(const timeline_record& record, const timeline_result& result,
                       const timeline_report& report, const timeline_launch& launch,
                       const program& code);

}  // namespace emu
