// The timeline of one launch: which groups are recorded, and what becomes of the record.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "isa/decode.hpp"
#include "machine/device.hpp"
#include "machine/settings.hpp"
#include "timeline/report.hpp"

namespace emu {

// Groups by their number, x fastest: those that the launch has on the first compute unit at the
// same time, if groups go to the units in turn: 0, compute_units, 2 * compute_units and so on, as
// many as there are and not more than a unit holds.
std::vector<uint64_t> groups_of_first_unit(uint64_t launch_groups, uint64_t groups_per_unit,
                                           uint64_t compute_units);

// At most so many groups from `first` on, each once, in such an order that the first ones are always
// spread over all: steps of the golden ratio, which no period of a grid has.
std::vector<uint64_t> spread_groups(uint64_t first, uint64_t end, uint64_t most);

// Of the groups of a launch, those that have to be executed for a timeline of `chosen` ones: the
// first round, with as many on each unit as there are chosen ones, and all up to the last chosen.
uint64_t groups_of_first_round(uint64_t launch_groups, const std::vector<uint64_t>& chosen,
                               uint64_t compute_units);

class launch_timeline {
public:
    // Ends the process with failure_status and a message where the settings cannot be followed.
    launch_timeline(const launch_settings& settings, timeline_launch launch,
                    uint64_t groups_per_unit);

    timeline_recorder& recorder() { return recorder_; }

    // From the first one on: all, or with OPUS_EMU_TIMELINE_ONLY those whose record is needed.
    uint64_t groups_to_execute() const { return groups_to_execute_; }

    // Whether there may be groups of which only the memory that they touch is wanted, and whether this
    // one is. What they compute is not valid anyway: their matrix instructions need not multiply, and
    // no check looks at them.
    bool leaves_out() const { return only_; }
    bool leaves_out_products(uint64_t group) const;

    // Executes some of the other groups, to know how much they do: `execute` goes on to at most so
    // many instructions, and returns how many there were, as this does.
    // @pre groups_to_execute() were executed, with so many instructions
    using execution = std::function<uint64_t(const std::vector<uint64_t>& groups, uint64_t most)>;
    uint64_t weigh_more(uint64_t instructions, const execution& execute);

    // Models what was recorded, writes the trace and returns the report.
    // @pre the launch is over
    timeline_report finish(const program& code);

private:
    timeline_launch launch_;
    std::string file_;
    std::vector<uint64_t> groups_;
    bool weighs_;
    bool has_range_;
    bool only_;
    uint64_t groups_to_execute_;
    bool has_left_some_ = false;  // groups that weigh_more() began and that did not end
    timeline_recorder recorder_;
};

// The file of timeline number `number` of this process: a.json, a.2.json, a.3.json...
std::string numbered_file(const std::string& file, uint64_t number);

}  // namespace emu
