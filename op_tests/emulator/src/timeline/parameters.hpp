// The numbers that the timeline's model of a compute unit rests on, for each target, with where
// each of them is from and how sure it is. timeline_parameters.md shows them as a table.
//
// All are whole numbers, so that times which follow from them are exact.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "machine/wave.hpp"

namespace emu {

// Clocks are those of the compute units (clock_mhz). A rate "of a wave" is how long an instruction
// keeps its unit; a latency is the time until an instruction that depends on it may be issued.
// Rates are never 0.
struct timeline_parameters {
    // ---- the device ----
    uint32_t clock_mhz;
    uint32_t compute_units;
    uint32_t dies;  // each with an L2 of its own, and compute_units / dies units
    // What the device does of matrix instructions for long, 10^12 operations a second.
    uint32_t matrix_f16_tflops;
    uint32_t matrix_bf16_tflops;
    uint32_t matrix_8bit_tflops;
    uint32_t matrix_4bit_tflops;
    uint32_t matrix_rate_percent;   // so much of these rates
    uint32_t matrix_rate_is_limit;  // whether the device limits operations, or only its power

    // ---- issue: a compute unit looks at one SIMD in each clock ----
    uint32_t issue_clocks;        // from one turn of a SIMD to its next; a wave issues once a turn
    uint32_t issue_instructions;  // of one turn, from different waves and of different classes

    // ---- vector instructions, of a wave ----
    uint32_t valu_clocks;        // what nothing below names
    uint32_t valu_trans_clocks;  // f16 and f32: exp, log, rcp, rsq, sqrt, sin, cos
    uint32_t valu_mul32_clocks;  // v_mul_lo_u32, v_mul_hi_*, v_mad_u64_u32, v_mad_i64_i32
    uint32_t valu_f64_clocks;    // of f64 and other 64-bit ones
    uint32_t valu_f64_trans_clocks;
    uint32_t valu_latency;  // from the end of one to a vector instruction that reads its result

    // ---- matrix instructions ----
    uint32_t mfma_pass_clocks;        // of each pass (costs.cpp has the passes)
    uint32_t mfma_accumulate_clocks;  // from the end of one to one with its result as C and D
    uint32_t mfma_result_clocks;      // from the end of one to any other use of its result

    // ---- scalar instructions ----
    uint32_t salu_clocks;
    uint32_t branch_taken_clocks;  // until the wave issues again
    uint32_t barrier_clocks;       // from the last wave's arrival until the waves issue again
    uint32_t sleep_unit_clocks;    // s_sleep 1
    uint32_t scalar_latency;       // of a scalar load that hits its cache
    uint32_t scalar_miss_latency;  // more, if it misses
    uint32_t scalar_issue_clocks;  // from one scalar load to the next of a compute unit
    uint32_t scalar_line_bytes;

    // ---- instructions from their cache ----
    uint32_t icache_bytes;  // of two compute units
    uint32_t icache_line_bytes;
    uint32_t icache_miss_clocks;  // until a line is there; 0: instructions are always there
    uint32_t fetch_ahead_lines;   // that a wave asks for before it comes to them

    // ---- LDS ----
    uint32_t lds_read_bytes_per_clock;
    uint32_t lds_write_bytes_per_clock;
    uint32_t lds_port_bytes_per_clock;  // to and from each pair of SIMDs; addresses go with writes
    // Of what keeps no other one waiting and has no conflicts, from its issue on, by the bytes of a
    // lane: up to 4, up to 8, and more.
    uint32_t lds_read_latency_b32;
    uint32_t lds_read_latency_b64;
    uint32_t lds_read_latency_b128;
    uint32_t lds_write_latency_b32;
    uint32_t lds_write_latency_b64;
    uint32_t lds_write_latency_b128;
    uint32_t lds_conflict_latency;  // of one with bank conflicts, at least

    // ---- vector memory ----
    uint32_t line_bytes;             // of L1 and L2, and what is coalesced
    uint32_t vmem_issue_clocks;      // of a wave, for its addresses
    uint32_t vmem_bytes_per_clock;   // of a compute unit, between registers or LDS and L1
    uint32_t vmem_queue;             // instructions of a compute unit that wait for L1
    uint32_t l1_bytes;               // of a compute unit
    uint32_t l1_bytes_per_clock;     // of a compute unit
    uint32_t l1_latency;             // of a load that hits it
    uint32_t outstanding_lines;      // of a compute unit, that missed L1
    uint32_t store_bytes_per_clock;  // of a compute unit, to L2
    uint32_t l2_bytes;               // of a die
    uint32_t l2_bytes_per_clock;     // of a die
    uint32_t l2_channels;            // of a die; at most timeline_most_channels
    uint32_t l2_channel_bytes;       // from one channel to the next one
    uint32_t l2_hash;                // whether higher bits of the address choose it too
    uint32_t l2_latency;             // of a load that hits it
    uint32_t mall_bytes;             // of the device
    uint32_t mall_gb_per_second;     // of the device; GB = 10^9 bytes
    uint32_t mall_latency_ns;
    uint32_t hbm_read_gb_per_second;
    uint32_t hbm_write_gb_per_second;
    uint32_t hbm_latency_ns;

    // ---- launch ----
    uint32_t launch_ns;           // of a launch besides its groups
    uint32_t group_start_clocks;  // from when a group has room to its first instruction
    uint32_t overlap_rounds;      // whether a group takes the place of one that ends, or all wait
};

enum class timeline_certainty : uint8_t {
    isa,       // AMD's ISA guide of the target
    vendor,    // AMD's data sheets, white papers and other documents
    measured,  // by others on such a device, and published
    reported,  // by others, who name neither how nor where
    assumed,   // none of these; the source says from what
};
const char* name_of(timeline_certainty c);

struct timeline_value {
    uint32_t value;
    timeline_certainty known;
};

// What the table has about one parameter.
struct timeline_parameter {
    std::string_view name;  // of the member
    uint32_t timeline_parameters::* member;
    timeline_value gfx942;  // MI300X
    timeline_value gfx950;  // MI355X
    std::string_view unit;
    uint32_t least;  // the smallest value that means something
    std::string_view what;
    std::string_view source;
};

// One entry for each member, in their order.
std::span<const timeline_parameter> timeline_parameter_table();

timeline_parameters default_timeline_parameters(gfx_target target);

// The values between which a parameter is plausible that no source makes sure.
struct timeline_range {
    std::string_view name;
    uint32_t timeline_parameters::* member;
    uint32_t low;
    uint32_t high;
};
std::span<const timeline_range> timeline_ranges();

// What a device has that the table's one of its target has not.
struct timeline_device_value {
    uint32_t timeline_parameters::* member;
    uint32_t value;
    timeline_certainty known;
};
struct timeline_device {
    std::string_view name;
    gfx_target target;
    std::span<const timeline_device_value> values;
};
std::span<const timeline_device> timeline_devices();

// Changes what the lines of `text` say: `name = value` or, for that target only and rather than the
// other, `gfx950.name = value`; # begins a comment. Returns what is wrong, with the number of the
// line; empty if all is right. Nothing is ignored: an unknown name, a name given twice and a value
// that is no whole number of its range are wrong.
std::string change_timeline_parameters(timeline_parameters& p, gfx_target target,
                                       std::string_view text);

// The defaults with what OPUS_EMU_TIMELINE_DEVICE (a name), OPUS_EMU_TIMELINE_PARAMETERS (a file)
// and OPUS_EMU_CLOCK_GHZ say. A mistake there ends the process with failure_status and a message.
timeline_parameters read_timeline_parameters(gfx_target target);

// ---- what follows from them ----

// Clocks of the compute units in so many nanoseconds, rounded up.
uint64_t clocks_of_ns(const timeline_parameters& p, uint64_t ns);

// The channel of L2 that has this line.
uint32_t l2_channel_of(const timeline_parameters& p, uint64_t line);

// Clocks in which so many bytes pass through one compute unit's share of something: rounded up.
uint64_t l2_share_clocks(const timeline_parameters& p, uint64_t bytes);
uint64_t mall_share_clocks(const timeline_parameters& p, uint64_t bytes);
uint64_t hbm_share_clocks(const timeline_parameters& p, uint64_t read, uint64_t written = 0);

}  // namespace emu
