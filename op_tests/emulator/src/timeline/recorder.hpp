// Records what the waves of chosen groups execute while a launch runs, for the timeline's model.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "isa/instruction.hpp"
#include "profile/accesses.hpp"
#include "profile/costs.hpp"
#include "timeline/parameters.hpp"
#include "timeline/record.hpp"

namespace emu {

class timeline_recorder;

// Of one group, which one thread runs at a time.
class timeline_group_recorder {
public:
    timeline_group_recorder(timeline_recorder& all, uint64_t number, size_t waves);
    // What `w` is about to execute.
    void note(const wave& w, const instruction& i);

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

    timeline_recorder& all_;
    timeline_group group_;
    std::vector<known> known_;            // by instruction::number
    std::map<uint64_t, known> by_index_;  // by number and M0, of those that are indexed
};

class timeline_recorder {
public:
    // @pre `groups` are different
    timeline_recorder(const timeline_parameters& parameters, std::vector<uint64_t> groups);

    // The recorder of a group of so many waves, nullptr if it was not chosen. Any thread.
    timeline_group_recorder* group(uint64_t number, size_t waves);
    // What was recorded, groups in the order in which they were chosen. Once, when all have ended.
    timeline_record take();

private:
    friend class timeline_group_recorder;
    uint32_t add(const wave& w, const instruction& i, uint64_t key);

    uint32_t line_bytes_;
    uint32_t scalar_line_bytes_;
    std::vector<uint64_t> numbers_;
    std::mutex mutex_;
    std::vector<std::unique_ptr<timeline_group_recorder>> groups_;
    std::vector<timeline_instruction> instructions_;
    std::map<uint64_t, uint32_t> index_by_key_;
};

}  // namespace emu
