// The numbers that the timeline's model of a compute unit rests on, for each target, with where
// each of them is from and how sure it is. timeline_parameters.md shows them as a table.
//
// All are whole numbers, so that times which follow from them are exact.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "machine/wave.hpp"

namespace emu {

// parameters.inc has them, and what each of them is.
struct timeline_parameters {
#define OPUS_EMU_PARAMETER(name, ...) uint32_t name;
#include "timeline/parameters.inc"
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
    bool is_percent = false;                // both are per cent of the value that the parameter has
    std::optional<gfx_target> target = {};  // none: for both

    // Of `low` or `high`.
    uint32_t value_of(uint32_t end, const timeline_parameters& p) const {
        return is_percent ? static_cast<uint32_t>(uint64_t{p.*member} * end / 100) : end;
    }
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

// The defaults with what OPUS_EMU_TIMELINE_DEVICE (a name, or a file of op_tests/gpu_facts, which a
// line on stderr then says with what was taken), OPUS_EMU_TIMELINE_PARAMETERS (a file)
// and OPUS_EMU_CLOCK_GHZ say. A mistake there ends the process with failure_status and a message.
// What is left of the file's times is named in `measured`: "2 measured, of a.json: NAME, NAME".
timeline_parameters read_timeline_parameters(gfx_target target, std::string* measured = nullptr);

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
