// What LDS instructions cost on the machine, as far as it is known: clocks of bank conflicts. Nothing
// here changes what a kernel computes.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "isa/instruction.hpp"

namespace emu {

// How sure the phases of an LDS instruction are.
enum class certainty : uint8_t {
    documented,  // by AMD
    measured,    // reported as measured by a public project
    inferred,    // neither
};
const char* name_of(certainty c);

// How LDS serves an instruction: in phases, each for some lanes. The bank of a byte is byte / 4 %
// banks; lanes of a phase that use the same dword share it, different dwords of a bank are served
// one after the other.
struct lds_rule {
    access_use use;
    gfx_target target;
    uint32_t bytes;  // of a lane
    uint32_t banks;
    certainty known;
    std::span<const uint64_t> phases;  // lanes
};

// Of ds_read_b32 to ds_write_b128; nullptr if nothing is known about it on this target.
const lds_rule* find_lds_rule(access_use use, uint32_t bytes, gfx_target target);
const lds_rule* find_lds_rule(const instruction& i);

// Clocks that conflicts add: for each phase, the number of different dwords in its fullest bank
// less one. `address` counts in bytes and is looked at for the lanes `active` only.
uint32_t conflict_clocks(const lds_rule& rule, uint64_t active,
                         const std::array<uint64_t, lane_count>& address);

}  // namespace emu
