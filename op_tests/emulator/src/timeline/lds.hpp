// The phases in which LDS serves an instruction: those that are published (isa/costs.hpp), and
// for all other ones such as are inferred from them.
#pragma once

#include <array>
#include <cstdint>

#include "isa/accesses.hpp"
#include "isa/costs.hpp"
#include "isa/instruction.hpp"

namespace emu {

struct timeline_lds_rule {
    const lds_rule* rule = nullptr;  // nullptr: lanes' addresses make no difference
    bool is_inferred = false;
    bool is_atomic = false;  // lanes that use the same dword do not share it
};

// Inferred, by the bytes of an address: up to 4 as ds_read_b32, 8 as ds_write_b64 of gfx950, 12 as
// ds_read_b96 of gfx950 and ds_write_b128; transposed reads as ds_read_b64 and ds_read_b96; each
// address of ds_read2 and its like by itself.
timeline_lds_rule find_timeline_lds_rule(const instruction& i);

struct lds_clocks {
    uint32_t phases = 0;  // that have an active lane
    uint32_t conflicts = 0;
};

// What one address of each active lane takes.
// @pre rule.rule != nullptr
lds_clocks lds_clocks_of(const timeline_lds_rule& rule, uint64_t active,
                         const std::array<uint64_t, lane_count>& address);

}  // namespace emu
