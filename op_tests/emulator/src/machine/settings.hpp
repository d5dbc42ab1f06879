// What the environment says about launches.
#pragma once

#include <cstdint>
#include <string>

#include "machine/wave.hpp"

namespace emu {

// What is checked, one bit each; docs in docs/emulator.md. Bounds are always checked: their bit is
// their name only.
namespace check {
constexpr uint32_t waits = 1u << 0;
constexpr uint32_t races = 1u << 1;
constexpr uint32_t uninitialized_lds = 1u << 2;
constexpr uint32_t uninitialized_registers = 1u << 3;
constexpr uint32_t alignment = 1u << 4;
constexpr uint32_t lds_alignment = 1u << 5;
constexpr uint32_t bounds = 1u << 6;
constexpr uint32_t exec = 1u << 7;
constexpr uint32_t hazards = 1u << 8;
// What needs to know which lanes of a register were written.
constexpr uint32_t follows_writes = uninitialized_registers | exec;
constexpr uint32_t none = 0;
constexpr uint32_t all = (1u << 9) - 1;
constexpr uint32_t by_default = waits | races | hazards | uninitialized_lds | alignment | bounds;
}  // namespace check

enum class profile_format : uint8_t { none, table, json };

struct launch_settings {
    uint32_t checks = check::by_default;            // OPUS_EMU_CHECK
    check_mode mode = check_mode::stop;             // OPUS_EMU_CHECK_MODE
    uint64_t instruction_limit = ~uint64_t{0};      // OPUS_EMU_LIMIT, of one wave
    profile_format profile = profile_format::none;  // OPUS_EMU_PROFILE
    std::string profile_file;                       // OPUS_EMU_PROFILE_FILE; empty: stderr
    std::string profile_kernel;                     // OPUS_EMU_PROFILE_KERNEL; empty: every one
    std::string timeline_file;                      // OPUS_EMU_TIMELINE; empty: there is none
    std::string timeline_groups;                    // OPUS_EMU_TIMELINE_GROUPS; empty: one unit's
    std::string timeline_kernel;                    // OPUS_EMU_TIMELINE_KERNEL; empty: every one
};

// Reads the environment. A value that means nothing ends the process with failure_status and a
// message that says what is possible.
launch_settings read_settings();

// The names of these checks, with commas between; "none" if there are none.
std::string names_of(uint32_t checks);

}  // namespace emu
