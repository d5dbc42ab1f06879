// What the environment says about launches.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "machine/stop_request.hpp"
#include "machine/wave.hpp"

namespace emu {

// Where a check is on: by default, where all are named, or where it is named itself.
enum class turned_on : uint8_t { by_default, by_all, by_name };

// A value of OPUS_EMU_CHECK.
struct check_switch {
    std::string_view name;
    uint32_t bit = 0;
    turned_on on = turned_on::by_name;
    bool follows_memory = false;  // needs to know which bytes of memory were written
};

// All of them. The folder checks has them (checks/list.hpp).
std::span<const check_switch> check_switches();

namespace check {
uint32_t by_default();
uint32_t all();  // without those that are on only where they are named: what they say may be right
}  // namespace check

// Whether one of these checks follows memory.
bool follows_memory(uint32_t checks);

enum class profile_format : uint8_t { none, table, json };

// How matrix instructions add products: as the hardware does, where that is known, or by one fused
// multiply-add a product.
enum class matrix_sums : uint8_t { by_target, hardware, fma };

struct launch_settings {
    uint32_t checks = check::by_default();          // OPUS_EMU_CHECK
    check_mode mode = check_mode::stop;             // OPUS_EMU_CHECK_MODE
    uint64_t instruction_limit = ~uint64_t{0};      // OPUS_EMU_LIMIT, of one wave
    matrix_sums matrix = matrix_sums::by_target;    // OPUS_EMU_MATRIX
    profile_format profile = profile_format::none;  // OPUS_EMU_PROFILE
    std::string profile_file;                       // OPUS_EMU_PROFILE_FILE; empty: stderr
    std::string profile_kernel;                     // OPUS_EMU_PROFILE_KERNEL; empty: every one
    std::string timeline_file;                      // OPUS_EMU_TIMELINE; empty: there is none
    std::string timeline_groups;                    // OPUS_EMU_TIMELINE_GROUPS; empty: one unit's
    std::string timeline_kernel;                    // OPUS_EMU_TIMELINE_KERNEL; empty: every one
    stop_request stop;                              // OPUS_EMU_STOP, OPUS_EMU_DUMP
    bool buffer_sum_wraps = false;                  // OPUS_EMU_BUFFER_SUM=wraps
    bool stats = false;                             // OPUS_EMU_STATS=1
    bool timeline_range = false;                    // OPUS_EMU_TIMELINE_RANGE=1
    bool timeline_only = false;                     // OPUS_EMU_TIMELINE_ONLY=1: the first round
    bool timeline_warm = false;                     // OPUS_EMU_TIMELINE_WARM=1: the caches
    bool aborts = false;                            // OPUS_EMU_ABORT=1: where a kernel traps
};

// Reads the environment. A value that means nothing ends the process with failure_status and a
// message that says what is possible.
launch_settings read_settings();

// Whether matrix instructions of the target are to add as the hardware does. Ends the process as
// read_settings() where that is wanted and not known.
bool adds_as_hardware(const launch_settings& settings, gfx_target target);

// What memory holds that was allocated and not written yet: OPUS_EMU_FRESH_MEMORY.
enum class fresh_memory : uint8_t { nan, zero };

// As read_settings().
fresh_memory read_fresh_memory();

// Ends the process with failure_status: the variable has a value that means nothing, and `instead`
// says what is possible.
[[noreturn]] void refuse_setting(const char* variable, std::string_view value,
                                 const std::string& instead);

// Digits that are a number, and nothing else.
std::optional<uint64_t> parse_number(std::string_view text);

// All variables of the environment that mean something to the emulator.
std::span<const std::string_view> known_variables();

// A line on stderr for each variable of the environment that begins like them and is none of them.
void report_unknown_variables();

// The names of these checks, with commas between; "none" if there are none.
std::string names_of(uint32_t checks);

}  // namespace emu
