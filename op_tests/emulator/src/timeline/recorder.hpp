// Records what the waves of chosen groups execute while a launch runs, for the timeline's model.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "isa/instruction.hpp"
#include "profile/accesses.hpp"
#include "profile/costs.hpp"
#include "timeline/parameters.hpp"
#include "timeline/record.hpp"

namespace emu {

class timeline_recorder;

// Which compute unit a group is on: groups go to the units in turn, and units to the dies. Those
// that are recorded are on one unit.
struct timeline_placement {
    uint64_t units = 1;  // that the launch uses
    uint64_t dies = 1;
    uint64_t groups = 1;  // that run at the same time: the first ones
};

// Of one group, which one thread runs at a time.
class timeline_group_recorder {
public:
    // Of a group that is not `chosen` only the lines of memory are noted.
    timeline_group_recorder(timeline_recorder& all, uint64_t number, size_t waves, bool is_chosen);
    // What `w` is about to execute.
    void note(const wave& w, const instruction& i);
    // The group has ended. Nothing is noted any more.
    void finish();

private:
    friend class timeline_recorder;
    // What is found out once for each instruction of the program.
    struct known {
        bool is_known = false;
        bool is_indexed = false;          // M0 says which registers it uses, always,
        bool is_indexed_by_mode = false;  // or under VGPR indexing
        uint32_t index = 0;               // in timeline_record::instructions
        access_plan plan;
        const lds_rule* rule = nullptr;
        bool uses_lds = false;  // ds_permute and its like: LDS, but no memory of it
    };

    const known& find(const wave& w, const instruction& i);
    void learn(known& k, const wave& w, const instruction& i, uint64_t key);
    void note_access(const wave& w, const instruction& i, const known& k, timeline_wave& to);
    void note_vector_memory(const wave& w, const instruction& i, const access_plan& plan,
                            timeline_access& access, std::vector<timeline_line>& to) const;
    void note_lines(const wave& w, const instruction& i);
    void add_touched(const std::vector<timeline_line>& lines, size_t from);

    timeline_recorder& all_;
    bool is_chosen_;
    timeline_group group_;
    std::vector<known> known_;            // by instruction::number
    std::map<uint64_t, known> by_index_;  // by number and M0, of those that are indexed
    std::vector<uint64_t> touched_;       // lines
    std::array<uint64_t, 1024> recent_;   // of them: what need not be noted again
    size_t next_tidying_ = 1 << 16;       // their count at which double ones are removed
    std::vector<timeline_line> scratch_;
};

class timeline_recorder {
public:
    // @pre `groups` are different
    timeline_recorder(const timeline_parameters& parameters, std::vector<uint64_t> groups,
                      const timeline_placement& placement = {});

    // The recorder of a group of so many waves, nullptr if nothing of it is wanted. Any thread. It
    // lives until finish(), that of a chosen group until take().
    timeline_group_recorder* group(uint64_t number, size_t waves);
    // What was recorded, groups in the order in which they were chosen. Once, when all have ended.
    timeline_record take();

private:
    friend class timeline_group_recorder;
    struct sharers {
        uint64_t units = 0;  // bits: of the die that the chosen groups are on
        uint32_t dies = 0;
    };

    uint32_t add(const wave& w, const instruction& i, uint64_t key);
    // Notes the group's lines, and ends its recorder if it is not of a chosen group.
    void finish(const timeline_group_recorder& group, const std::vector<uint64_t>& lines);
    uint64_t place_of(uint64_t number) const;  // a unit

    uint32_t line_bytes_;
    uint32_t scalar_line_bytes_;
    timeline_placement placement_;
    std::vector<uint64_t> numbers_;
    std::mutex mutex_;
    std::vector<std::unique_ptr<timeline_group_recorder>> groups_;
    std::unordered_map<uint64_t, std::unique_ptr<timeline_group_recorder>> others_;
    std::unordered_map<uint64_t, sharers> sharers_;  // by line
    std::vector<timeline_instruction> instructions_;
    std::map<uint64_t, uint32_t> index_by_key_;
};

}  // namespace emu
