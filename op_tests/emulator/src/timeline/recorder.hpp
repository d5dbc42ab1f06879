// Records what the waves of chosen groups execute while a launch runs, for the timeline's model.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "isa/accesses.hpp"
#include "isa/instruction.hpp"
#include "timeline/lds.hpp"
#include "timeline/parameters.hpp"
#include "timeline/record.hpp"

namespace emu {

class timeline_recorder;

// Which compute unit a group is on: groups go to the units in turn, and units to the dies. Those
// that are recorded are on one unit.
struct timeline_placement {
    uint64_t units = 1;  // that the launch uses
    uint64_t dies = 1;
    uint64_t groups = 1;               // that are looked at: the first ones
    uint64_t resident = ~uint64_t{0};  // of a unit, that run at the same time
    uint64_t launch_groups = 1;
    bool weighs = false;           // looks for a heavy group where groups have different work
    bool is_warm = false;          // the same launch has run before
    bool has_both_hashes = false;  // whether timeline_wave::other_channels are wanted
};

// Of one group, which one thread runs at a time.
class timeline_group_recorder {
public:
    // Of a group that is not wanted in `full` only the lines of memory are noted, and with their times
    // only if it is on the die of the chosen ones.
    timeline_group_recorder(timeline_recorder& all, uint64_t number, size_t waves, bool is_full,
                            bool is_on_die);
    // What `w` is about to execute.
    void note(const wave& w, const instruction& i);
    // The same of what touches no memory but LDS, and is left out.
    void note_left_out(const wave& w, const instruction& i) {
        if (is_full_) {
            note(w, i);
        } else {
            ++weight_;
        }
    }
    // The group has ended. Nothing is noted any more.
    void finish();

    // Whether all of the group is recorded, with the addresses in LDS.
    bool is_full() const { return is_full_; }
    // Whether all that the load noted last reads lies in one range of memory of the group.
    // @pre it is of a buffer or global
    bool last_access_is_in(const wave& w) const;

private:
    friend class timeline_recorder;
    // What an instruction has found out for a wave, which is the same as long as these are: loops
    // change the scalar offset.
    struct pattern {
        lane_row offsets;
        uint64_t exec = 0;  // 0: nothing was found out yet
        // Of LDS.
        timeline_access lds;
        // Of a buffer: bytes that follow each other, from the start of the window, in order.
        struct run {
            uint32_t start = 0;
            uint32_t bytes = 0;
        };
        std::vector<run> runs;
        uint32_t bytes = 0;  // of all
        uint64_t first = 0;  // bytes that they lie in
        uint64_t end = 0;
        // Where windows have started, equally far apart: what was read there is not noted yet.
        uint64_t start = 0;
        uint64_t step = 0;
        uint64_t starts = 0;
    };
    // What is found out once for each instruction of the program.
    struct known {
        bool is_known = false;
        bool is_indexed = false;          // M0 says which registers it uses, always,
        bool is_indexed_by_mode = false;  // or under VGPR indexing
        uint32_t index = 0;               // in timeline_record::instructions
        timeline_lds_rule rule;
        bool uses_lds = false;            // ds_permute and its like: LDS, but no memory of it
        uint32_t patterns = no_patterns;  // of all waves, from this one on
    };
    static constexpr uint32_t no_patterns = ~uint32_t{0};

    known& known_of(const instruction& i);
    known& find(const wave& w, const instruction& i);
    void learn(known& k, const wave& w, const instruction& i, uint64_t key);
    pattern& pattern_of(known& k, const wave& w);
    void note_access(const wave& w, const instruction& i, known& k, timeline_wave& to);
    timeline_access find_lds_access(const wave& w, const instruction& i, const known& k) const;
    void note_lds(const wave& w, const instruction& i, known& k, timeline_access& access);
    void note_vector_memory(const wave& w, const instruction& i, known& k, timeline_access& access,
                            std::vector<timeline_line>& to);
    pattern* find_runs(const wave& w, const instruction& i, known& k, uint64_t& start);
    bool note_start(const wave& w, const instruction& i, known& k);
    void note_starts(pattern& p);
    void note_lanes(const wave& w, const instruction& i, timeline_access& access,
                    std::vector<timeline_line>& to);
    void note_lines(const wave& w, const instruction& i);
    void add_touched(const wave& w, const std::vector<timeline_line>& lines, size_t from);
    uint64_t& lines_of(uint64_t set);
    void add_lines(uint64_t first, uint64_t last);

    timeline_recorder& all_;
    bool is_full_;
    bool is_on_die_;
    uint64_t weight_ = 0;  // instructions
    timeline_group group_;
    std::vector<known> known_;            // by instruction::number
    std::map<uint64_t, known> by_index_;  // by number and M0, of those that are indexed
    std::vector<timeline_touch> touched_;
    // By wave; with both hashes two for each access.
    std::vector<std::vector<timeline_channels>> channels_;
    std::array<uint64_t, 1024> recent_;             // lines: what need not be noted again
    std::unordered_map<uint64_t, uint64_t> lines_;  // a bit for each that was touched, by set
    std::array<std::pair<uint64_t, uint64_t*>, 1024> recent_lines_;  // the same, of some
    std::vector<pattern> patterns_;
    uint64_t first_byte_ = 0;  // of the access noted last
    uint64_t end_ = 0;
    std::vector<timeline_line> scratch_;
    std::vector<timeline_line> in_order_;  // of an access, for line_list
};

class timeline_recorder {
public:
    // @pre `groups` are different
    timeline_recorder(const timeline_parameters& parameters, std::vector<uint64_t> groups,
                      const timeline_placement& placement = {});

    // The recorder of a group of so many waves, nullptr if nothing of it is wanted. Any thread. It
    // lives until finish(), that of a chosen group until take().
    timeline_group_recorder* group(uint64_t number, size_t waves);
    // Any group has ended, also one without a recorder.
    void note_end(uint64_t number, const std::vector<wave>& waves);
    // Whether groups that have ended have different work.
    bool is_uneven() const;
    uint64_t weighed() const { return weighed_; }  // groups that have ended
    // What was recorded, groups in the order in which they were chosen. Once, when all have ended.
    timeline_record take();

private:
    friend class timeline_group_recorder;
    uint32_t add(const wave& w, const instruction& i, uint64_t key);
    // Notes the group's lines, and ends its recorder if it is not of a chosen group.
    void finish(timeline_group_recorder& group);
    uint64_t place_of(uint64_t number) const;  // a unit
    uint64_t die_of(uint64_t number) const { return place_of(number) % placement_.dies; }
    // Which of its unit's groups it is: groups of all units with the same one go on in step.
    uint64_t turn_of(uint64_t number) const { return number / placement_.units; }
    bool is_later(uint64_t number) const { return turn_of(number) >= placement_.resident; }
    // How many have asked for it.
    // @pre a group that has ended has
    uint32_t dies_of(uint64_t line) const;
    struct line_counts {
        size_t of_die = 0;  // of the chosen groups
        size_t of_all = 0;
    };
    line_counts count_lines() const;
    void note_weight(uint64_t number, uint64_t weight);
    void weigh(timeline_group_recorder& group);
    // Puts the heaviest group in front of the chosen ones, if it is none of them.
    void choose_heavy(timeline_record& record);
    std::vector<std::vector<timeline_touch>> by_unit();
    // The group's first access is at `time`.
    void share(timeline_group& group, const timeline_sharing& sharing, uint32_t time) const;

    timeline_parameters parameters_;
    timeline_parameters other_hash_;  // with the other l2_hash
    timeline_placement placement_;
    std::vector<uint64_t> numbers_;
    std::mutex mutex_;
    std::vector<std::unique_ptr<timeline_group_recorder>> groups_;
    std::unordered_map<uint64_t, std::unique_ptr<timeline_group_recorder>> others_;
    // The lines that each die has asked for, by set.
    static constexpr size_t most_dies = 32;
    std::unordered_map<uint64_t, std::array<uint64_t, most_dies>> lines_of_dies_;
    // By the units of the die: by those groups that run from the start on, and by others.
    std::vector<std::vector<timeline_touch>> touched_;
    std::vector<std::vector<timeline_touch>> touched_later_;
    // What they ask for, by turn_of() and wave.
    std::map<std::pair<uint64_t, size_t>, std::vector<timeline_channels>> channels_;
    std::vector<uint64_t> weights_;  // by number; of groups that have not ended 0, or not there
    uint64_t weighed_ = 0;           // that are not 0
    uint64_t lightest_ = ~uint64_t{0};
    uint64_t heaviest_ = 0;
    uint64_t heaviest_recorded_ = 0;
    timeline_group heavy_;  // recorded in full, not chosen, and heavier than the chosen ones
    std::vector<timeline_instruction> instructions_;
    std::map<uint64_t, uint32_t> index_by_key_;
};

}  // namespace emu
