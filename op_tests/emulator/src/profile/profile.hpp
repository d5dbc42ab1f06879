// What a launch executed: counted while it runs, by each thread for itself, and summed at its end.
//
// Counted is what the emulator has seen: executed instructions and the bytes that they ask for.
// Modelled is what follows from tables about the machine (costs.hpp): clocks of matrix
// instructions, bank conflicts, occupancy.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "isa/accesses.hpp"
#include "isa/costs.hpp"
#include "machine/device.hpp"
#include "machine/settings.hpp"

namespace emu {

struct byte_counts {
    uint64_t read = 0;
    uint64_t written = 0;
    uint64_t atomic = 0;  // read and written
    byte_counts& operator+=(const byte_counts& other);
};

// One instruction of the program.
struct instruction_counts {
    const instruction* i = nullptr;  // nullptr: not executed
    uint64_t executed = 0;
    uint64_t conflict_clocks = 0;
    uint32_t mfma_clocks = 0;        // of one execution
    const lds_rule* rule = nullptr;  // nullptr: none, or none is known
};

class profile_counts {
public:
    // What `w` is about to execute.
    void note(const wave& w, const instruction& i);
    void add(const profile_counts& other);

    const std::vector<instruction_counts>& instructions() const { return instructions_; }
    const byte_counts& global() const { return global_; }
    const byte_counts& lds() const { return lds_; }
    const byte_counts& scratch() const { return scratch_; }
    uint64_t scalar_read() const { return scalar_read_; }
    uint64_t global_lines() const { return global_lines_; }

private:
    instruction_counts& counts_of(const instruction& i);
    void note_lanes(const wave& w, const instruction& i, instruction_counts& counts);
    void count_global(const lane_accesses& a, access_use use);

    std::vector<instruction_counts> instructions_;  // by instruction::number
    byte_counts global_;                            // of vector instructions
    byte_counts lds_;
    byte_counts scratch_;
    uint64_t scalar_read_ = 0;
    uint64_t global_lines_ = 0;
};

// What the report says about the launch besides its counts.
struct profiled_launch {
    std::string kernel;  // its symbol
    const char* arch = "";
    uint64_t entry = 0;  // address of the first instruction
    std::array<uint32_t, 3> groups{};
    std::array<uint32_t, 3> threads{};
    uint32_t vgprs = 0;
    uint32_t agprs = 0;
    uint64_t lds_bytes = 0;  // of a group
    group_limits limits;
};

// The report, with its last line feed. `code` knows the source lines; `timeline` is a member of the
// object, if it is not empty.
std::string profile_table(const profile_counts& counts, const profiled_launch& launch,
                          const program& code);
std::string profile_json(const profile_counts& counts, const profiled_launch& launch,
                         const program& code, const std::string& timeline = {});

// True if the settings ask for a profile of this kernel. If they name kernels and none that was
// launched is among them, a message at the end of the program says so.
bool wants_profile(const launch_settings& settings, const std::string& kernel);
// The same of a timeline.
bool wants_timeline(const launch_settings& settings, const std::string& kernel);

// Writes the report where the settings say.
void write_profile(const launch_settings& settings, const std::string& report);

}  // namespace emu
